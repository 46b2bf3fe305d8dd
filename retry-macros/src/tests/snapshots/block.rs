// retry_block!(retrier = self.retrier, attempt = attempt, async { offset = self.resume(&mut file, offset).await?; Ok::<_, Error>(offset) }).await
async fn around() {
    async {
        let __retry_policy = ::retry_runtime::__private::key::retrier::policy(
            &self.retrier,
        );
        let mut __retry_call = ::retry_runtime::__private::RetryLoop::new(
                ::retry_runtime::__private::DefaultTimer,
                ::retry_runtime::__private::module_path!(),
            )
            .within(
                ::retry_runtime::__private::DefaultTimer,
                __retry_policy.time_limit(),
            );
        loop {
            let __retry_delay = {
                let mut __retry_handle = ::retry_runtime::__private::RunningAttempt::new(
                    __retry_call
                        .attempt(
                            ::retry_runtime::__private::DefaultTimer,
                            ::retry_runtime::__private::max_attempts(&__retry_policy),
                        ),
                );
                let __retry_result = ::retry_runtime::key::what_an_attempt_consumes_needs_the_key_clone! {
                    async { let attempt = & mut __retry_handle; ({ offset = self.resume(&
                    mut file, offset). await ?; Ok::< _, Error > (offset) }) }
                }
                    .await;
                let __retry_outcome = match __retry_handle.verdict() {
                    ::retry_runtime::__private::Option::Some(verdict) => verdict,
                    ::retry_runtime::__private::Option::None => {
                        ::retry_runtime::__private::key::retrier::classify(
                            &(__retry_result),
                            &self.retrier,
                        )
                    }
                };
                match __retry_call
                    .decide(
                        __retry_outcome,
                        ::retry_runtime::__private::key::retrier::budget(&self.retrier),
                        ::retry_runtime::__private::Site {
                            name: ::retry_runtime::__private::module_path!(),
                            attempts: ::retry_runtime::__private::max_attempts(
                                &__retry_policy,
                            ),
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
        .await
}
