// #[retry(retrier = PAYMENTS, attempts = 2)]
async fn refund(&self, mut id: Id) -> Result<(), ClientError> {
    let __retry_policy = ::retry_runtime::__private::key::retrier::policy({
        ::retry_runtime::__private::key::of_static::retrier(|| &PAYMENTS)
    });
    let mut __retry_call = ::retry_runtime::__private::RetryLoop::new(
            ::retry_runtime::__private::DefaultTimer,
            ::retry_runtime::__private::concat!(
                ::retry_runtime::__private::module_path!(), "::", "refund"
            ),
        )
        .within(::retry_runtime::__private::DefaultTimer, __retry_policy.time_limit());
    loop {
        let __retry_delay = {
            ::retry_runtime::key::what_an_attempt_consumes_needs_the_key_clone!(id);
            let __retry_result = async {
                if let ::retry_runtime::__private::Option::Some(__retry_result) = ::retry_runtime::__private::Option::None::<
                    Result<(), ClientError>,
                > {
                    return __retry_result;
                }
                if false {
                    _ = &mut id;
                }
                ({ self.delete(id).await })
            }
                .await;
            let __retry_outcome = ::retry_runtime::__private::key::retrier::classify(
                &(__retry_result),
                { ::retry_runtime::__private::key::of_static::retrier(|| &PAYMENTS) },
            );
            match __retry_call
                .decide(
                    __retry_outcome,
                    ::retry_runtime::__private::key::retrier::budget({
                        ::retry_runtime::__private::key::of_static::retrier(|| &PAYMENTS)
                    }),
                    ::retry_runtime::__private::Site {
                        name: ::retry_runtime::__private::concat!(
                            ::retry_runtime::__private::module_path!(), "::", "refund"
                        ),
                        attempts: 2,
                        timer: ::retry_runtime::__private::DefaultTimer,
                    },
                    |step, floor| ::retry_runtime::__private::key::schedule(
                        &__retry_policy.schedule(),
                        step,
                        floor,
                    ),
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
