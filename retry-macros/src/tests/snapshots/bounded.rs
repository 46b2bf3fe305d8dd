// #[retry(attempts = 3, budget = BUDGET, classify = classify, timer = self.timer, attempt = attempt, attempt_timeout = 2s, on_timeout = Err(Error::Timeout(id)))]
async fn get(&mut self, id: u64) -> Result<u8, Error> {
    let mut __retry_call = ::retry_runtime::__private::RetryLoop::new(
        (::retry_runtime::__private::key::timer)(&self.timer),
        ::retry_runtime::__private::concat!(
            ::retry_runtime::__private::module_path!(), "::", "get"
        ),
    );
    loop {
        let __retry_delay = {
            let __retry_clock = &self.timer;
            let mut __retry_handle = ::retry_runtime::__private::RunningAttempt::new(
                __retry_call
                    .attempt(::retry_runtime::__private::key::timer(__retry_clock), 3),
            );
            ::retry_runtime::key::what_an_attempt_consumes_needs_the_key_clone!(id);
            let __retry_end = ::retry_runtime::__private::sleep(
                (::retry_runtime::__private::key::timer)(&self.timer),
                ::retry_runtime::__private::key::time_limit(
                    (::retry_runtime::__private::Duration::from_secs(2)),
                ),
            );
            let __retry_ended = {
                let __retry_attempt = async {
                    if let ::retry_runtime::__private::Option::Some(__retry_result) = ::retry_runtime::__private::Option::None::<
                        Result<u8, Error>,
                    > {
                        return __retry_result;
                    }
                    let attempt = &mut __retry_handle;
                    ({ self.fetch(id).await })
                };
                ::retry_runtime::__private::bounded(
                        ::retry_runtime::__private::pin!(__retry_end),
                        ::retry_runtime::__private::pin!(__retry_attempt),
                    )
                    .await
            };
            if __retry_ended.is_none() {
                __retry_handle.lose_verdict();
            }
            let __retry_result = ::retry_runtime::__private::in_time(
                __retry_ended,
                || Err(Error::Timeout(id)),
            );
            ::retry_runtime::key::what_an_attempt_consumes_needs_the_key_clone!(id);
            let __retry_outcome = match __retry_handle.verdict() {
                ::retry_runtime::__private::Option::Some(verdict) => verdict,
                ::retry_runtime::__private::Option::None => {
                    ::retry_runtime::__private::key::classify(
                        &(__retry_result),
                        &classify,
                    )
                }
            };
            match __retry_call
                .decide(
                    __retry_outcome,
                    ::retry_runtime::__private::key::of_static::budget(&BUDGET),
                    ::retry_runtime::__private::Site {
                        name: ::retry_runtime::__private::concat!(
                            ::retry_runtime::__private::module_path!(), "::", "get"
                        ),
                        attempts: 3,
                        timer: (::retry_runtime::__private::key::timer)(&self.timer),
                    },
                    ::retry_runtime::__private::default_delay,
                )
            {
                ::retry_runtime::__private::Decision::Again { delay } => delay,
                _ => return __retry_result,
            }
        };
        ::retry_runtime::__private::wait(
                (::retry_runtime::__private::key::timer)(&self.timer),
                __retry_delay,
            )
            .await;
    }
}
