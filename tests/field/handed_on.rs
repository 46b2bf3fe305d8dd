//! google-cloud-gax 0.19, `invoke_fn`: a generic helper whose attempt is given a value, and hands it
//! back with its error, for the next attempt. Repeated are the codes of the setting, after
//! 10 ms, 100 ms and so on up to a limit.

use std::time::Duration;

use retry_runtime::{Backoff, Jitter, Outcome, Policy, retry_block};
use tokio::time::Instant;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Code {
    Unavailable,
    NotFound,
}

struct RetrySetting {
    from: Duration,
    max_delay: Duration,
    take: u32,
    codes: Vec<Code>,
}

async fn invoke_fn<R, V, A>(
    setting: &RetrySetting,
    mut f: impl FnMut(V) -> A,
    value: V,
) -> Result<R, Code>
where
    A: Future<Output = Result<R, (Code, V)>>,
{
    let waits = Backoff::exponential(setting.from, setting.max_delay).factor(10.0);
    let policy = Policy::with_retries(setting.take).backoff(waits.jitter(Jitter::None));
    let mut value = Some(value);
    retry_block!(
        policy = policy,
        budget = none,
        classify_err = |code| match setting.codes.contains(code) {
            true => Outcome::Retry,
            false => Outcome::Stop,
        },
        async {
            let given = value.take().expect("each attempt that fails hands it back");
            match f(given).await {
                Ok(result) => Ok(result),
                Err((code, back)) => {
                    value = Some(back);
                    Err(code)
                }
            }
        }
    )
    .await
}

/// A value that cannot be cloned, with the number of its attempts.
struct Transaction(u32);

async fn invoke(take: u32, code: Code, good: u32) -> (Result<u32, Code>, u32, Duration) {
    let setting = RetrySetting {
        from: Duration::from_millis(10),
        max_delay: Duration::from_secs(1),
        take,
        codes: vec![Code::Unavailable],
    };
    let (mut made, start) = (0, Instant::now());
    let attempt = |Transaction(before)| {
        made = before + 1;
        async move { if before + 1 == good { Ok(good) } else { Err((code, Transaction(before + 1))) } }
    };
    let result = invoke_fn(&setting, attempt, Transaction(0)).await;
    (result, made, start.elapsed())
}

#[tokio::test(start_paused = true)]
async fn the_value_goes_from_attempt_to_attempt() {
    let time = Duration::from_millis(10 + 100 + 1000 + 1000);
    assert_eq!(invoke(5, Code::Unavailable, 5).await, (Ok(5), 5, time));
}

#[tokio::test(start_paused = true)]
async fn the_last_error_comes_back_without_it() {
    let given_up = (Err(Code::Unavailable), 3, Duration::from_millis(110));
    assert_eq!(invoke(2, Code::Unavailable, 9).await, given_up);
    assert_eq!(invoke(2, Code::NotFound, 9).await, (Err(Code::NotFound), 1, Duration::ZERO));
}
