// #[retry(attempts = 3, budget = self.budget, classify = classify, clone(name))]
fn get<'life0, 'async_trait>(
    &'life0 self,
    name: String,
) -> ::core::pin::Pin<
    Box<
        dyn ::core::future::Future<
            Output = Result<u8, Error>,
        > + ::core::marker::Send + 'async_trait,
    >,
>
where
    'life0: 'async_trait,
    Self: 'async_trait,
{
    Box::pin(async move {
        let __self = self;
        let mut name = name;
        let __ret: Result<u8, Error> = {
            let mut __retry_call = ::retry_runtime::__private::RetryLoop::new(
                ::retry_runtime::__private::DefaultTimer,
                ::retry_runtime::__private::concat!(
                    ::retry_runtime::__private::module_path!(), "::", "get"
                ),
            );
            loop {
                let __retry_delay = {
                    let __retry_result = {
                        let mut name = ::retry_runtime::__private::Clone::clone(&name);
                        async {
                            if let ::retry_runtime::__private::Option::Some(
                                __retry_result,
                            ) = ::retry_runtime::__private::Option::None::<
                                Result<u8, Error>,
                            > {
                                return __retry_result;
                            }
                            let name = name;
                            ({ __self.fetch(name).await })
                        }
                            .await
                    };
                    let __retry_outcome = ::retry_runtime::__private::key::classify(
                        &(__retry_result),
                        &classify,
                    );
                    match __retry_call
                        .decide(
                            __retry_outcome,
                            ::retry_runtime::__private::key::of_shared::budget(
                                &__self.budget,
                            ),
                            ::retry_runtime::__private::Site {
                                name: ::retry_runtime::__private::concat!(
                                    ::retry_runtime::__private::module_path!(), "::", "get"
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
        };
        #[allow(unreachable_code)] __ret
    })
}
