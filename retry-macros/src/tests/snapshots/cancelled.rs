// #[retry(policy = POLICY, budget = self.budget, classify = classify, cancel = self.shutdown.cancelled(), observe = log)]
async fn poll(&self) -> Option<Job> {
    let __retry_policy = ::retry_runtime::__private::key::policy(&POLICY);
    let mut __retry_call = ::retry_runtime::__private::RetryLoop::new(
            ::retry_runtime::__private::DefaultTimer,
            ::retry_runtime::__private::concat!(
                ::retry_runtime::__private::module_path!(), "::", "poll"
            ),
        )
        .observed(::retry_runtime::__private::DefaultTimer)
        .within(::retry_runtime::__private::DefaultTimer, __retry_policy.time_limit())
        .cancellable();
    match (::retry_runtime::__private::key::cancel)(self.shutdown.cancelled()) {
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
                        Option<Job>,
                    > {
                        return __retry_result;
                    }
                    ({ self.next().await })
                }
                    .await;
                let __retry_outcome = ::retry_runtime::__private::key::classify(
                    &(__retry_result),
                    &classify,
                );
                let __retry_delay = match ::retry_runtime::__private::key::of_shared::budget(
                    &self.budget,
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
                            .because(
                                ::retry_runtime::__private::key::unasked(|told| {
                                    use ::retry_runtime::__private::key::{
                                        Explains as _, SaysNothing as _,
                                    };
                                    (&::retry_runtime::__private::key::OfClassifier(
                                        &__retry_result,
                                        &classify,
                                    ))
                                        .explain(told);
                                }),
                            )
                            .decide_observed(
                                __retry_outcome,
                                __retry_budget,
                                ::retry_runtime::__private::Site {
                                    name: ::retry_runtime::__private::concat!(
                                        ::retry_runtime::__private::module_path!(), "::", "poll"
                                    ),
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
                                (::retry_runtime::__private::key::observe)(log),
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
                        .because(
                            ::retry_runtime::__private::key::unasked(|told| {
                                use ::retry_runtime::__private::key::{
                                    Explains as _, SaysNothing as _,
                                };
                                (&::retry_runtime::__private::key::OfClassifier(
                                    &__retry_result,
                                    &classify,
                                ))
                                    .explain(told);
                            }),
                        )
                        .cut(
                            __retry_outcome,
                            ::retry_runtime::__private::key::of_shared::budget(
                                &self.budget,
                            ),
                            ::retry_runtime::__private::Site {
                                name: ::retry_runtime::__private::concat!(
                                    ::retry_runtime::__private::module_path!(), "::", "poll"
                                ),
                                attempts: ::retry_runtime::__private::max_attempts(
                                    &__retry_policy,
                                ),
                                timer: ::retry_runtime::__private::DefaultTimer,
                            },
                            (::retry_runtime::__private::key::observe)(log),
                        );
                    return __retry_result;
                }
            }
        }
    }
}
