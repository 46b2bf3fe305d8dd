//! `retry_block!`: a block in the middle of a function.
//! One subject, so in one file, however long.

use std::cell::RefCell;
use std::future::ready;
use std::rc::Rc;
use std::sync::Mutex;
use std::time::Duration;

use retry_runtime::{
    Backoff, Budget, Classify, Decision, Event, Outcome, Policy, Retrier, on_err, retry_block,
};
use tokio::sync::oneshot;
use tokio::time::{Instant, sleep};

use crate::support::{Calls, Error, classify, outcome};

type Judge = fn(&Result<u32, Error>) -> Outcome;

const SECOND: Duration = Duration::from_secs(1);

#[tokio::test(start_paused = true)]
async fn local_variables_are_changed_over_attempts() {
    let start = Instant::now();
    let budget = Budget::new(10, 0.1);
    let mut offset = 0;
    let mut parts = Vec::new();
    let result = retry_block!(
        attempts = 5,
        budget = budget,
        classify = classify::<u32>,
        schedule = Backoff::constant(1s),
        async {
            offset += 10;
            parts.push(offset);
            if offset < 30 {
                return Err(Error::Again);
            }
            Ok(offset)
        }
    )
    .await;
    assert_eq!(result, Ok(30));
    parts.push(offset);
    assert_eq!(parts, [10, 20, 30, 30]);
    assert_eq!((start.elapsed(), budget.tokens()), (SECOND * 2, 8.1));
}

struct Failure(&'static str);

impl From<Error> for Failure {
    fn from(_: Error) -> Failure {
        Failure("converted")
    }
}

fn judge(result: &Result<u8, Failure>) -> Outcome {
    if result.is_ok() { Outcome::Success } else { Outcome::Retry }
}

struct Http;

impl<T> Classify<Result<T, Failure>> for Http {
    fn classify(&self, result: &Result<T, Failure>) -> Outcome {
        if result.is_ok() { Outcome::Success } else { Outcome::Retry }
    }
}

/// The type that `?` converts into is nowhere written in the block.
#[tokio::test(start_paused = true)]
async fn the_error_type_of_a_question_mark_comes_from_the_classifier() {
    let step = |attempt: u32| if attempt < 2 { Err(Error::Again) } else { Ok(7) };
    let calls = Calls::new();
    let by_function = retry_block!(attempts = 3, budget = none, classify = judge, async {
        let value = step(calls.next())?;
        Ok(value)
    })
    .await;
    let calls = Calls::new();
    let by_closure = retry_block!(
        attempts = 3,
        budget = none,
        classify_err =
            |error: &Failure| if error.0.is_empty() { Outcome::Stop } else { Outcome::Retry },
        async { Ok(step(calls.next())?) }
    )
    .await;
    let calls = Calls::new();
    let retrier = Retrier::new(Policy::new(3), Budget::new(10, 0.1), Http);
    let by_retrier = retry_block!(retrier = retrier, async { Ok(step(calls.next())?) }).await;
    let calls = Calls::new();
    let by_type = retry_block!(
        attempts = 3,
        budget = none,
        classify = |result| if result.is_ok() { Outcome::Success } else { Outcome::Retry },
        async { Ok::<_, Failure>(step(calls.next())?) }
    )
    .await;
    for result in [by_function, by_closure, by_retrier, by_type] {
        assert!(matches!(result, Ok(7)));
    }
    let refused = retry_block!(attempts = 1, budget = none, classify = judge, async {
        Err(Error::Stop)?;
        Ok(0)
    });
    assert!(matches!(refused.await, Err(Failure("converted"))));
}

struct Client {
    retrier: Retrier<Judge>,
    seen: Mutex<Vec<String>>,
}

impl Client {
    fn log(&self, event: &Event<'_>) {
        self.seen
            .lock()
            .unwrap()
            .push(format!("{} {} {}", event.name, event.attempt, event.decision));
    }

    /// Work before and after it; `self`, arguments and locals are borrowed.
    async fn upload(&self, body: &[u8], calls: &Calls) -> Result<u32, String> {
        let header = format!("{} bytes", body.len());
        let mut sent = Vec::new();
        let result = retry_block!(
            retrier = self.retrier,
            attempt = attempt,
            observe = |event| self.log(event),
            name = "upload",
            async {
                sent.push((attempt.number(), header.clone()));
                if calls.next() < 2 { Err(Error::Again) } else { Ok(attempt.number()) }
            }
        )
        .await;
        assert_eq!(sent.len(), 2);
        assert_eq!(sent[1], (2, "3 bytes".to_owned()));
        result.map_err(|error| format!("{error:?}"))
    }
}

#[tokio::test(start_paused = true)]
async fn the_keys_mean_what_they_do_at_a_function() {
    let client = Client {
        retrier: Retrier::new(
            Policy::new(3).backoff(Backoff::constant(SECOND)),
            Budget::new(10, 0.1),
            classify,
        ),
        seen: Mutex::default(),
    };
    assert_eq!(client.upload(b"abc", &Calls::new()).await, Ok(2));
    assert_eq!(*client.seen.lock().unwrap(), ["upload 1 again in 1s", "upload 2 succeeded"]);
}

#[tokio::test(start_paused = true)]
async fn without_a_name_the_label_is_the_module() {
    let seen = RefCell::new(Vec::new());
    let _: Result<(), Error> = retry_block!(
        attempts = 1,
        budget = none,
        classify = classify,
        observe = |event: &Event<'_>| seen.borrow_mut().push(event.name.to_owned()),
        async { Ok(()) }
    )
    .await;
    assert_eq!(seen.into_inner(), ["attribute::blocks"]);
}

#[tokio::test(start_paused = true)]
async fn the_future_is_the_users_to_await() {
    let calls = Calls::new();
    let block = retry_block!(attempts = 3, budget = none, classify_err = outcome, async {
        calls.next();
        Err::<(), _>(Error::In(SECOND))
    });
    assert_eq!(calls.count(), 0, "nothing runs before it is polled");
    let ended = tokio::time::timeout(SECOND / 2, block).await;
    assert!(ended.is_err() && calls.count() == 1);

    // In a combinator, and beside another.
    let two = tokio::join!(
        retry_block!(attempts = 1, budget = none, classify_err = outcome, async {
            Ok::<_, Error>(1)
        }),
        retry_block!(attempts = 1, budget = none, classify_err = outcome, async {
            Ok::<_, Error>(2)
        }),
    );
    assert_eq!(two, (Ok(1), Ok(2)));
}

#[tokio::test(start_paused = true)]
async fn limits_and_a_cancellation_end_it() {
    let start = Instant::now();
    let (sender, stop) = oneshot::channel::<()>();
    let mut sender = Some(sender);
    let calls = Calls::new();
    let result = retry_block!(
        attempts = unlimited,
        budget = none,
        classify_err = outcome,
        schedule = Backoff::constant(10s),
        cancel = stop,
        async {
            if calls.next() == 2 {
                let sender = sender.take();
                tokio::spawn(async move {
                    sleep(SECOND).await;
                    sender.map(|sender| sender.send(()))
                });
            }
            Err::<(), _>(Error::Again)
        }
    )
    .await;
    assert_eq!((result, start.elapsed()), (Err(Error::Again), SECOND * 11));

    let decisions = RefCell::new(Vec::new());
    let result = retry_block!(
        attempts = unlimited,
        budget = none,
        classify_err = |_: &Error| Outcome::Repeat,
        schedule = Backoff::constant(2s),
        within = 5s,
        observe = |event| decisions.borrow_mut().push(event.decision),
        async { Err::<(), _>(Error::Again) }
    )
    .await;
    assert_eq!(result, Err(Error::Again));
    let again = Decision::Again { delay: SECOND * 2 };
    assert_eq!(decisions.into_inner(), [again, again, Decision::Expired]);
}

#[tokio::test(start_paused = true)]
async fn an_attempt_that_hangs_is_ended() {
    let calls = Calls::new();
    let result = retry_block!(
        attempts = 3,
        budget = none,
        classify = classify,
        schedule = Backoff::none(),
        attempt_timeout = 2s,
        on_timeout = Err(Error::Again),
        async {
            if calls.next() < 3 {
                std::future::pending::<()>().await;
            }
            Ok(calls.count())
        }
    )
    .await;
    assert_eq!(result, Ok(3));
}

#[tokio::test(start_paused = true)]
async fn a_clone_is_each_attempts_own() {
    let body = vec![1];
    let name = String::from("a");
    let calls = Calls::new();
    let result: Result<(Vec<u8>, String), Error> = retry_block!(
        attempts = 3,
        budget = none,
        classify = classify,
        schedule = Backoff::none(),
        clone(body, name),
        async {
            body.push(2);
            if calls.next() < 3 { Err(Error::Again) } else { Ok((body, name)) }
        }
    )
    .await;
    assert_eq!(result, Ok((vec![1, 2], "a".to_owned())));
    assert_eq!((body, name.as_str()), (vec![1], "a"));
}

#[test]
fn the_future_is_send_if_that_of_the_block_is() {
    fn sendable<T: Send>(value: T) -> T {
        value
    }
    // Nor does the result have to be.
    let block = retry_block!(
        attempts = 3,
        budget = none,
        classify_err = |_: &Rc<u8>| Outcome::Retry,
        async {
            sleep(SECOND).await;
            Err::<(), _>(Rc::new(1))
        }
    );
    drop(sendable(block));
}

/// In a method that is retried itself, and inside another block.
#[tokio::test(start_paused = true)]
async fn blocks_nest() {
    #[retry_runtime::retry(attempts = 2, budget = none, classify = classify, schedule = Backoff::none())]
    async fn outer(calls: &Calls) -> Result<u32, Error> {
        let inner = retry_block!(
            attempts = 2,
            budget = none,
            classify = classify,
            schedule = Backoff::none(),
            async {
                let number = calls.next();
                retry_block!(attempts = 1, budget = none, classify = classify, async {
                    if number < 4 { Err(Error::Numbered(number)) } else { Ok(number) }
                })
                .await
            }
        );
        inner.await
    }
    assert_eq!(outer(&Calls::new()).await, Ok(4));
}

#[tokio::test(start_paused = true)]
async fn it_is_made_by_a_macro_too() {
    macro_rules! twice {
        ($classify:expr, $($body:tt)*) => {
            retry_block!(attempts = 2, budget = none, classify = $classify, async { $($body)* })
        };
    }
    let mut made = 0;
    let result: Result<u8, Error> = twice!(on_err(outcome), {
        made += 1;
        ready(Err(Error::In(Duration::ZERO))).await
    })
    .await;
    assert_eq!((result, made), (Err(Error::In(Duration::ZERO)), 2));
}
