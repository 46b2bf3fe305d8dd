// #[retry(attempts = 4, budget = PAYMENTS, classify = classify_http)]
pub async fn charge(&self, charge: &Charge) -> Result<Receipt, ClientError> {
    let mut __retry_call = ::retry_runtime::__private::RetryLoop::new(
        ::retry_runtime::__private::DefaultTimer,
        ::retry_runtime::__private::concat!(
            ::retry_runtime::__private::module_path!(), "::", "charge"
        ),
    );
    loop {
        let __retry_delay = {
            let __retry_result = async {
                if let ::retry_runtime::__private::Option::Some(__retry_result) = ::retry_runtime::__private::Option::None::<
                    Result<Receipt, ClientError>,
                > {
                    return __retry_result;
                }
                ({ self.post(charge).await })
            }
                .await;
            let __retry_outcome = ::retry_runtime::__private::key::classify(
                &(__retry_result),
                &classify_http,
            );
            match __retry_call
                .decide(
                    __retry_outcome,
                    ::retry_runtime::__private::key::of_static::budget(&PAYMENTS),
                    ::retry_runtime::__private::Site {
                        name: ::retry_runtime::__private::concat!(
                            ::retry_runtime::__private::module_path!(), "::", "charge"
                        ),
                        attempts: 4,
                        timer: ::retry_runtime::__private::DefaultTimer,
                    },
                    ::retry_runtime::__private::default_delay,
                )
            {
                ::retry_runtime::__private::Decision::Again { delay } => delay,
                _ => return __retry_result,
            }
        };
        ::retry_runtime::__private::wait(
                ::retry_runtime::__private::DefaultTimer,
                __retry_delay,
            )
            .await;
    }
}
