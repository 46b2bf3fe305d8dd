// #[retry(attempts = 3, budget = BUDGET, classify = classify, blocking, attempt = attempt, within = 5s)]
fn get(&mut self, id: u64) -> io::Result<u8> {
    let mut __retry_call = ::retry_runtime::__private::RetryLoop::new(
            ::retry_runtime::__private::ThreadTimer,
            ::retry_runtime::__private::concat!(
                ::retry_runtime::__private::module_path!(), "::", "get"
            ),
        )
        .within(
            ::retry_runtime::__private::ThreadTimer,
            ::retry_runtime::__private::key::time_limit(
                (::retry_runtime::__private::Duration::from_secs(5)),
            ),
        );
    loop {
        let __retry_delay = {
            let mut __retry_handle = ::retry_runtime::__private::RunningAttempt::new(
                __retry_call.attempt_of_thread(3),
            );
            ::retry_runtime::key::what_an_attempt_consumes_needs_the_key_clone!(id);
            _ = &self;
            let __retry_result = ::retry_runtime::__private::attempt(|| -> io::Result<
                u8,
            > {
                let attempt = &mut __retry_handle;
                if false {
                    _ = &mut *self;
                }
                ({ self.fetch(id, attempt.remaining()) })
            });
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
                        timer: ::retry_runtime::__private::ThreadTimer,
                    },
                    ::retry_runtime::__private::default_delay,
                )
            {
                ::retry_runtime::__private::Decision::Again { delay } => delay,
                _ => return __retry_result,
            }
        };
        ::retry_runtime::__private::block(__retry_delay);
    }
}
