// retry_block!(attempts = 3, budget = none, classify_err = transient, cancel = self.stop.cancelled(), clone(body), async { self.put(body).await }).await
async fn around() {
    async {
        let mut __retry_call = ::retry_runtime::__private::RetryLoop::new(
                ::retry_runtime::__private::DefaultTimer,
                ::retry_runtime::__private::module_path!(),
            )
            .cancellable();
        match (::retry_runtime::__private::key::cancel)(self.stop.cancelled()) {
            __retry_cancel => {
                let mut __retry_cancel = (
                    __retry_cancel.1,
                    ::retry_runtime::__private::pin!(
                        ::retry_runtime::__private::signal(__retry_cancel)
                    ),
                );
                if ::retry_runtime::__private::begins_cancelled(&mut __retry_cancel)
                    .await
                {
                    __retry_call.give_up();
                }
                loop {
                    let __retry_result = {
                        let mut body = ::retry_runtime::__private::Clone::clone(&body);
                        ::retry_runtime::key::what_an_attempt_consumes_needs_the_key_clone! {
                            async { let mut body = (body,).0; ({ self.put(body). await })
                            }
                        }
                            .await
                    };
                    let __retry_outcome = (::retry_runtime::__private::key::classify_err)(
                        &(__retry_result),
                        transient,
                    );
                    let __retry_delay = match ::retry_runtime::__private::Option::None {
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
                                        name: ::retry_runtime::__private::module_path!(),
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
                                name: ::retry_runtime::__private::module_path!(),
                                attempts: 3,
                                timer: ::retry_runtime::__private::DefaultTimer,
                            });
                        return __retry_result;
                    }
                }
            }
        }
    }
        .await
}
