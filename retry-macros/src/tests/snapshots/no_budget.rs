// #[retry(attempts = unlimited, budget = none, classify_err = transient, within = 2m, schedule = Backoff::constant(500ms))]
async fn connect(mut address: SocketAddr) -> io::Result<TcpStream> {
    let mut __retry_call = ::retry_runtime::__private::RetryLoop::new(
            ::retry_runtime::__private::DefaultTimer,
            ::retry_runtime::__private::concat!(
                ::retry_runtime::__private::module_path!(), "::", "connect"
            ),
        )
        .within(
            ::retry_runtime::__private::DefaultTimer,
            ::retry_runtime::__private::key::sure_time_limit(
                (::retry_runtime::__private::Duration::from_secs(120)),
            ),
        );
    loop {
        let __retry_delay = {
            ::retry_runtime::key::what_an_attempt_consumes_needs_the_key_clone!(address);
            let __retry_result = async {
                if let ::retry_runtime::__private::Option::Some(__retry_result) = ::retry_runtime::__private::Option::None::<
                    io::Result<TcpStream>,
                > {
                    return __retry_result;
                }
                if false {
                    _ = &mut address;
                }
                ({ TcpStream::connect(address).await })
            }
                .await;
            let __retry_outcome = (::retry_runtime::__private::key::classify_err)(
                &(__retry_result),
                transient,
            );
            match __retry_call
                .decide(
                    __retry_outcome,
                    ::retry_runtime::__private::Option::None,
                    ::retry_runtime::__private::Site {
                        name: ::retry_runtime::__private::concat!(
                            ::retry_runtime::__private::module_path!(), "::", "connect"
                        ),
                        attempts: ::retry_runtime::__private::UNLIMITED,
                        timer: ::retry_runtime::__private::DefaultTimer,
                    },
                    |step, floor| {
                        use ::retry_runtime::__private::key::{
                            NoSchedule as _, ScheduleBehind as _, ScheduleItself as _,
                        };
                        ::retry_runtime::__private::key::schedule(
                            (&&::retry_runtime::__private::key::ScheduleOf(
                                &Backoff::constant(
                                    ::retry_runtime::__private::Duration::from_millis(500),
                                ),
                            ))
                                .found(),
                            step,
                            floor,
                        )
                    },
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
