// #[retry(attempts = 3, budget = BUDGET, classify = classify)]
async fn get<T: Serialize>(
    mut query: T,
    count: u32,
    sink: &mut Vec<u8>,
) -> Result<impl Display, Error> {
    let mut __retry_call = ::retry_runtime::__private::RetryLoop::new(
        ::retry_runtime::__private::DefaultTimer,
        ::retry_runtime::__private::concat!(
            ::retry_runtime::__private::module_path!(), "::", "get"
        ),
    );
    loop {
        let __retry_delay = {
            ::retry_runtime::key::what_an_attempt_consumes_needs_the_key_clone!(query);
            ::retry_runtime::key::what_an_attempt_consumes_needs_the_key_clone!(count);
            let __retry_result = async {
                if let ::retry_runtime::__private::Option::Some(__retry_result) = ::retry_runtime::__private::Option::None::<
                    Result<_, Error>,
                > {
                    return __retry_result;
                }
                if false {
                    _ = &mut query;
                }
                let sink: &mut _ = sink;
                ({ fetch(&query, count, sink).await })
            }
                .await;
            let __retry_outcome = ::retry_runtime::__private::key::classify(
                &(__retry_result),
                &classify,
            );
            match __retry_call
                .decide(
                    __retry_outcome,
                    ::retry_runtime::__private::key::of_static::budget(&BUDGET),
                    ::retry_runtime::__private::Site {
                        name: ::retry_runtime::__private::concat!(
                            ::retry_runtime::__private::module_path!(), "::", "get"
                        ),
                        attempts: 3,
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
