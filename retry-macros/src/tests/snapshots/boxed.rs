// #[retry(attempts = 3, budget = BUDGET, classify = classify)]
fn load<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<Value, Error>> {
    Box::pin(async move {
        let mut __retry_call = ::retry_runtime::__private::RetryLoop::new(
            ::retry_runtime::__private::DefaultTimer,
            ::retry_runtime::__private::concat!(
                ::retry_runtime::__private::module_path!(), "::", "load"
            ),
        );
        loop {
            let __retry_delay = {
                let __retry_result = async {
                    if let ::retry_runtime::__private::Option::Some(__retry_result) = ::retry_runtime::__private::Option::None::<
                        Result<Value, Error>,
                    > {
                        return __retry_result;
                    }
                    ({ self.get(key).await })
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
                                ::retry_runtime::__private::module_path!(), "::", "load"
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
    })
}
