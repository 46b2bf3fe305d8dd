// #[retry(attempts = 3, budget = BUDGET, classify = classify, cancel = shutdown)]
async fn wait(shutdown: &mut Signal) -> io::Result<()> {
    let mut __retry_call = ::retry_runtime::__private::RetryLoop::new(
            ::retry_runtime::__private::DefaultTimer,
            ::retry_runtime::__private::concat!(
                ::retry_runtime::__private::module_path!(), "::", "wait"
            ),
        )
        .cancellable();
    match (::retry_runtime::__private::key::cancel)(shutdown) {
        __retry_cancel => {
            let mut __retry_cancel = (
                __retry_cancel.1,
                ::retry_runtime::__private::pin!(
                    ::retry_runtime::__private::signal(__retry_cancel)
                ),
            );
            if ::retry_runtime::__private::begins_cancelled(&mut __retry_cancel).await {
                __retry_call.give_up();
            }
            loop {
                let __retry_result = async {
                    if let ::retry_runtime::__private::Option::Some(__retry_result) = ::retry_runtime::__private::Option::None::<
                        io::Result<()>,
                    > {
                        return __retry_result;
                    }
                    ({ knock().await })
                }
                    .await;
                let __retry_outcome = ::retry_runtime::__private::key::classify(
                    &(__retry_result),
                    &classify,
                );
                let __retry_delay = match ::retry_runtime::__private::key::of_static::budget(
                    &BUDGET,
                ) {
                    __retry_budget => {
                        if __retry_outcome.asks_again()
                            && ::retry_runtime::__private::is_cancelled(
                                    &mut __retry_cancel,
                                    __retry_outcome,
                                    __retry_budget,
                                )
                                .await
                        {
                            __retry_call.give_up();
                        }
                        match __retry_call
                            .decide(
                                __retry_outcome,
                                __retry_budget,
                                ::retry_runtime::__private::Site {
                                    name: ::retry_runtime::__private::concat!(
                                        ::retry_runtime::__private::module_path!(), "::", "wait"
                                    ),
                                    attempts: 3,
                                    timer: ::retry_runtime::__private::DefaultTimer,
                                },
                                ::retry_runtime::__private::default_delay,
                            )
                        {
                            ::retry_runtime::__private::Decision::Again { delay } => {
                                delay
                            }
                            _ => return __retry_result,
                        }
                    }
                };
                if !::retry_runtime::__private::wait_unless(
                        ::retry_runtime::__private::DefaultTimer,
                        &mut __retry_cancel,
                        __retry_delay,
                    )
                    .await
                {
                    __retry_call
                        .cut_unobserved(::retry_runtime::__private::Site {
                            name: ::retry_runtime::__private::concat!(
                                ::retry_runtime::__private::module_path!(), "::", "wait"
                            ),
                            attempts: 3,
                            timer: ::retry_runtime::__private::DefaultTimer,
                        });
                    return __retry_result;
                }
            }
        }
    }
}
