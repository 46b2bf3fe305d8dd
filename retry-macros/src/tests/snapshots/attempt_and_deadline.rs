// #[retry(attempts = 3, budget = BUDGET, classify = |r| self.judge(attempt.number(), r), attempt = attempt, deadline = request.deadline, name = "orders.place")]
async fn place(&self, request: &Request) -> Result<Order, Error> {
    let mut __retry_call = ::retry_runtime::__private::RetryLoop::new(
            ::retry_runtime::__private::DefaultTimer,
            ::retry_runtime::__private::key::name("orders.place"),
        )
        .deadline(::retry_runtime::__private::key::deadline(request.deadline));
    loop {
        let __retry_delay = {
            let attempt = __retry_call
                .attempt(::retry_runtime::__private::DefaultTimer, 3);
            _ = &attempt;
            let mut __retry_handle = ::retry_runtime::__private::RunningAttempt::new(
                attempt,
            );
            let __retry_result = async {
                if let ::retry_runtime::__private::Option::Some(__retry_result) = ::retry_runtime::__private::Option::None::<
                    Result<Order, Error>,
                > {
                    return __retry_result;
                }
                let mut attempt = &mut __retry_handle;
                _ = &attempt;
                ({ self.post(request, attempt.remaining()).await })
            }
                .await;
            let __retry_outcome = match __retry_handle.verdict() {
                ::retry_runtime::__private::Option::Some(verdict) => verdict,
                ::retry_runtime::__private::Option::None => {
                    (::retry_runtime::__private::key::classify_by)(
                        &(__retry_result),
                        |r| self.judge(attempt.number(), r),
                    )
                }
            };
            match __retry_call
                .decide(
                    __retry_outcome,
                    ::retry_runtime::__private::key::of_static::budget(&BUDGET),
                    ::retry_runtime::__private::Site {
                        name: ::retry_runtime::__private::key::name("orders.place"),
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
