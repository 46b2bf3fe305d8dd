// #[retry(attempts = 3, budget = BUDGET, classify = classify, blocking, cancel = |delay| self.stop.recv_timeout(delay).is_ok())]
fn get(&self, id: u64) -> Result<u8, Error> {
    let mut __retry_call = ::retry_runtime::__private::RetryLoop::new(
            ::retry_runtime::__private::ThreadTimer,
            ::retry_runtime::__private::concat!(
                ::retry_runtime::__private::module_path!(), "::", "get"
            ),
        )
        .cancellable();
    loop {
        ::retry_runtime::key::what_an_attempt_consumes_needs_the_key_clone!(id);
        let __retry_result = ::retry_runtime::__private::attempt(|| -> Result<u8, Error> {
            ({ self.fetch(id) })
        });
        let __retry_outcome = ::retry_runtime::__private::key::classify(
            &(__retry_result),
            &classify,
        );
        if __retry_outcome.asks_again()
            && (::retry_runtime::__private::key::is_given_up)(|delay| {
                self.stop.recv_timeout(delay).is_ok()
            })
        {
            __retry_call.give_up();
        }
        let __retry_delay = match __retry_call
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
        };
        if !(::retry_runtime::__private::key::block_unless)(
            __retry_delay,
            |delay| self.stop.recv_timeout(delay).is_ok(),
        ) {
            __retry_call
                .cut_unobserved(::retry_runtime::__private::Site {
                    name: ::retry_runtime::__private::concat!(
                        ::retry_runtime::__private::module_path!(), "::", "get"
                    ),
                    attempts: 3,
                    timer: ::retry_runtime::__private::ThreadTimer,
                });
            return __retry_result;
        }
    }
}
