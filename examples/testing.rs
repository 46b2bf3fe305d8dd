//! Tests of a client that retries. The tests are at the end of this file, and
//! `cargo test --example testing` runs them; the program itself makes one call.
//!
//! What makes the client easy to test is that it holds its [`Retrier`] and its
//! observer in fields. There is no switch that turns retries off for the process:
//! each test says what it needs, and tests that run side by side share nothing.

use std::sync::Arc;
use std::time::Duration;

use retry_runtime::{Backoff, Budget, Classify, Event, Outcome, Policy, Retrier, retry};

/// An answer that is not a success.
#[derive(Clone, Debug, PartialEq)]
struct ClientError {
    status: u16,
    retry_after: Option<Duration>,
}

/// What the answers of this service mean.
#[derive(Clone, Copy)]
struct Http;

impl<T> Classify<Result<T, ClientError>> for Http {
    fn classify(&self, result: &Result<T, ClientError>) -> Outcome {
        match result {
            Ok(_) => Outcome::Success,
            Err(ClientError { status: 429 | 502..=504, retry_after: None }) => Outcome::Retry,
            Err(ClientError { status: 429 | 502..=504, retry_after: Some(wait) }) => {
                Outcome::RetryAfter(*wait)
            }
            Err(_) => Outcome::Stop,
        }
    }
}

/// The settings of production. A constant, so that a test starts from the same ones
/// and changes what it is not about.
const POLICY: Policy = Policy::new(4)
    .backoff(Backoff::exponential(Duration::from_millis(100), Duration::from_secs(2)))
    .within(Duration::from_secs(10));

const fn budget() -> Budget {
    Budget::new(10, 0.1).named("payments")
}

/// What sends a request: a connection pool in production, a script in a test.
trait Transport {
    async fn send(&self, request: &str) -> Result<String, ClientError>;
}

type Observer = Arc<dyn Fn(&Event<'_>) + Send + Sync>;

struct PaymentsClient<T> {
    transport: T,
    retrier: Retrier<Http>,
    observer: Observer,
}

impl<T: Transport> PaymentsClient<T> {
    fn new(transport: T) -> PaymentsClient<T> {
        let retrier = Retrier::new(POLICY, budget(), Http);
        PaymentsClient::with(transport, retrier, Arc::new(|_| {}))
    }

    /// With everything that a test, or a caller with settings of its own, chooses.
    fn with(transport: T, retrier: Retrier<Http>, observer: Observer) -> PaymentsClient<T> {
        PaymentsClient { transport, retrier, observer }
    }

    #[retry(
        retrier = self.retrier,
        name = "payments.charge",
        observe = |event| (self.observer)(event),
    )]
    async fn charge(&self, cents: u32) -> Result<String, ClientError> {
        self.transport.send(&format!("charge {cents}")).await
    }
}

/// Where the settings are a `static`, and functions use them by its name.
static RATES: Retrier<Http> = Retrier::new(POLICY, budget(), Http);

async fn rate<T: Transport>(transport: &T, currency: &str) -> Result<String, ClientError> {
    rate_by(&RATES, transport, currency).await
}

/// The function that a test calls: it is given the settings. It is private, so no
/// caller can mix them up.
#[retry(retrier = retrier)]
async fn rate_by<T: Transport>(
    retrier: &Retrier<Http>,
    transport: &T,
    currency: &str,
) -> Result<String, ClientError> {
    transport.send(&format!("rate of {currency}")).await
}

/// Stands for a connection to the service.
struct Loopback;

impl Transport for Loopback {
    async fn send(&self, request: &str) -> Result<String, ClientError> {
        Ok(format!("done: {request}"))
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), ClientError> {
    println!("{}", PaymentsClient::new(Loopback).charge(500).await?);
    println!("{}", rate(&Loopback, "CHF").await?);
    println!("`cargo test --example testing` runs the tests of this client.");
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;
    use std::sync::Mutex;

    use retry_runtime::test_util::EventLog;
    use retry_runtime::{Decision, Jitter, PolicyPatch};
    use tokio::time::Instant;

    use super::*;

    const MS: Duration = Duration::from_millis(1);

    /// Gives the answers that a test says, one for each request, and remembers the
    /// requests. A clone is the same script.
    #[derive(Clone)]
    struct Script {
        answers: Arc<Mutex<VecDeque<Result<String, ClientError>>>>,
        requests: Arc<Mutex<Vec<String>>>,
    }

    impl Script {
        fn new<const N: usize>(answers: [Result<&str, ClientError>; N]) -> Script {
            let answers = answers.into_iter().map(|answer| answer.map(String::from)).collect();
            Script { answers: Arc::new(Mutex::new(answers)), requests: Arc::default() }
        }

        fn requests(&self) -> Vec<String> {
            self.requests.lock().unwrap().clone()
        }
    }

    impl Transport for Script {
        async fn send(&self, request: &str) -> Result<String, ClientError> {
            self.requests.lock().unwrap().push(request.to_owned());
            let answer = self.answers.lock().unwrap().pop_front();
            answer.expect("the test says an answer for each request")
        }
    }

    fn busy<T>() -> Result<T, ClientError> {
        Err(ClientError { status: 503, retry_after: None })
    }

    /// A client with a budget and a log of its own.
    fn client(script: &Script, policy: Policy) -> (PaymentsClient<Script>, EventLog) {
        let log = EventLog::new();
        let observer = log.clone();
        let observer: Observer = Arc::new(move |event| observer.push(event));
        let retrier = Retrier::new(policy, budget(), Http);
        (PaymentsClient::with(script.clone(), retrier, observer), log)
    }

    // With `start_paused` a wait takes no time, and what the clock shows is exact.
    #[tokio::test(start_paused = true)]
    async fn a_busy_service_is_asked_again_after_each_wait() {
        let script = Script::new([busy(), busy(), Ok("receipt")]);
        let policy = POLICY.backoff(POLICY.schedule().jitter(Jitter::None));
        let (client, _) = client(&script, policy);
        let started = Instant::now();
        assert_eq!(client.charge(500).await.unwrap(), "receipt");
        assert_eq!(started.elapsed(), 100 * MS + 200 * MS);
        assert_eq!(script.requests(), ["charge 500"; 3]);
    }

    #[tokio::test(start_paused = true)]
    async fn the_events_of_a_call_tell_how_it_went() {
        let limited = Err(ClientError { status: 429, retry_after: Some(7000 * MS) });
        let script = Script::new([limited, Ok("receipt")]);
        let (client, log) = client(&script, POLICY);
        client.charge(500).await.unwrap();
        // The server's floor moves the interval of the jitter: an eighth of it at least.
        let wait = log.delays()[0];
        assert!((7000 * MS..7875 * MS).contains(&wait), "{wait:?}");
        assert_eq!(log.decisions(), [Decision::Again { delay: wait }, Decision::Succeeded]);
        let last = log.records().pop().unwrap();
        assert_eq!((last.name.as_str(), last.attempt), ("payments.charge", 2));
        // The timer ends a sleep at a whole millisecond.
        assert!((wait..wait + MS).contains(&last.elapsed), "{:?}", last.elapsed);
        assert_eq!(last.tokens, Some(9.1));
    }

    // The waits are those of production, jitter included, and the same in each run.
    #[tokio::test(start_paused = true)]
    async fn a_seed_pins_the_jitter() {
        let policy = POLICY.backoff(POLICY.schedule().seed(7));
        let mut runs = Vec::new();
        for _ in 0..2 {
            let script = Script::new([busy(), busy(), busy(), busy()]);
            let (client, log) = client(&script, policy);
            client.charge(500).await.unwrap_err();
            runs.push(log.delays());
        }
        assert_eq!(runs[0].len(), 3);
        assert_eq!(runs[0], runs[1]);
    }

    // Without waits no clock is needed, so this is for tests with real sockets too.
    #[tokio::test]
    async fn waits_can_be_left_out() {
        let script = Script::new([busy(), Ok("receipt")]);
        let (client, log) = client(&script, POLICY.backoff(Backoff::none()));
        client.charge(500).await.unwrap();
        assert_eq!(log.delays(), [Duration::ZERO]);
    }

    #[tokio::test]
    async fn a_test_of_what_one_attempt_does_allows_no_other() {
        let script = Script::new([busy()]);
        let once = POLICY.merge(&PolicyPatch::new().attempts(1)).unwrap();
        let (client, log) = client(&script, once);
        assert_eq!(client.charge(500).await, busy());
        assert_eq!(log.decisions(), [Decision::Exhausted]);
    }

    #[tokio::test(start_paused = true)]
    async fn no_attempt_starts_after_the_time_limit() {
        let late = Err(ClientError { status: 503, retry_after: Some(11_000 * MS) });
        let script = Script::new([late]);
        let (client, log) = client(&script, POLICY);
        assert!(client.charge(500).await.is_err());
        assert_eq!(log.decisions(), [Decision::Expired]);
    }

    // The budget is that of this client alone: no other test sees the outage.
    #[tokio::test(start_paused = true)]
    async fn in_an_outage_each_call_makes_one_attempt_once_the_budget_is_used() {
        let script = Script::new(std::array::from_fn::<_, 7, _>(|_| busy()));
        let (client, log) = client(&script, POLICY);
        let mut attempts = Vec::new();
        for _ in 0..4 {
            client.charge(500).await.unwrap_err();
            attempts.push(log.take().len());
        }
        assert_eq!(attempts, [4, 1, 1, 1]);
    }

    // A `static` is one for the whole process. Here it is not used: the test calls
    // the function that is given its settings.
    #[tokio::test(start_paused = true)]
    async fn settings_of_a_static_are_a_parameter_where_a_test_needs_others() {
        let retrier = Retrier::new(POLICY.backoff(Backoff::none()), budget(), Http);
        let script = Script::new([busy(), Ok("0.93")]);
        assert_eq!(rate_by(&retrier, &script, "CHF").await.unwrap(), "0.93");
        assert_eq!(retrier.budget().map(Budget::tokens), Some(9.1));
        assert_eq!(RATES.budget().map(Budget::tokens), Some(10.0));
    }

    // One classifier, without any call.
    #[test]
    fn a_mistake_of_the_caller_is_not_repeated() {
        let refused: Result<(), _> = Err(ClientError { status: 422, retry_after: None });
        assert_eq!(Http.classify(&refused), Outcome::Stop);
    }
}
