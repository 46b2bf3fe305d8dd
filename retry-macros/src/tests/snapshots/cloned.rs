// #[retry(attempts = MAX_ATTEMPTS, budget = BUDGET, classify = classify, clone(body, name))]
async fn send(&mut self, body: Vec<u8>, Json(name): Json<String>) -> Result<u16, Error> {
    let mut __retry_call = ::retry_runtime::__private::RetryLoop::new(
        ::retry_runtime::__private::DefaultTimer,
        ::retry_runtime::__private::concat!(
            ::retry_runtime::__private::module_path!(), "::", "send"
        ),
    );
    loop {
        let __retry_delay = {
            _ = &self;
            let __retry_result = {
                let mut body = ::retry_runtime::__private::Clone::clone(&(body));
                let mut name = ::retry_runtime::__private::Clone::clone(&(name));
                async {
                    if let ::retry_runtime::__private::Option::Some(__retry_result) = ::retry_runtime::__private::Option::None::<
                        Result<u16, Error>,
                    > {
                        return __retry_result;
                    }
                    if false {
                        _ = &mut *self;
                    }
                    let mut body = (body,).0;
                    let name = name;
                    ({
                        body.push(0);
                        self.put(body, name).await
                    })
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
                    ::retry_runtime::__private::key::of_static::budget(&BUDGET),
                    ::retry_runtime::__private::Site {
                        name: ::retry_runtime::__private::concat!(
                            ::retry_runtime::__private::module_path!(), "::", "send"
                        ),
                        attempts: const {
                            (::retry_runtime::__private::key::attempts)(MAX_ATTEMPTS)
                        },
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
