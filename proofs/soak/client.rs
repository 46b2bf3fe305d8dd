//! The annotated client, and the callers that use it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::time::{Duration, SystemTime};

use reqwest::StatusCode;
use reqwest::header::HeaderMap;
use retry_reqwest::{Classifier, error_kind};
use retry_runtime::http::{HttpPolicy, RequestPolicy};
use retry_runtime::{Backoff, Budget, Event, Outcome, retry};
use tokio::time::{Instant, sleep, timeout};

use crate::books::Books;
use crate::ledger::{End, Id};

const POLICY: RequestPolicy = HttpPolicy::DEFAULT.repeatable(true);
const CLASSIFIER: Classifier = Classifier::new(POLICY);

/// How many attempts a call may make.
const ATTEMPTS: u32 = 4;

/// A client of the server.
pub struct Client {
    http: reqwest::Client,
    url: String,
    budget: Budget,
    books: Arc<Books>,
}

type Answer = Result<(StatusCode, HeaderMap), reqwest::Error>;

impl Client {
    /// A client with a full budget.
    ///
    /// # Errors
    ///
    /// Those of reqwest.
    pub fn new(url: String, budget: Budget, books: Arc<Books>) -> Result<Client, reqwest::Error> {
        let http = reqwest::Client::builder()
            .no_proxy()
            // One attempt is one request.
            .retry(reqwest::retry::never())
            .redirect(reqwest::redirect::Policy::none())
            .timeout(Duration::from_millis(300))
            .build()?;
        Ok(Client { http, url, budget, books })
    }

    /// The budget.
    #[must_use]
    pub fn budget(&self) -> &Budget {
        &self.budget
    }

    #[retry(
        attempts = ATTEMPTS,
        budget = self.budget,
        classify = |answer| self.classify(answer),
        schedule = Backoff::exponential(5ms, 200ms),
        within = 3s,
        cancel = call.cancelled(),
        attempt = attempt,
        observe = |event| call.observe(&self.books, event),
    )]
    async fn get(&self, call: &Call) -> Answer {
        let id = Id { call: call.number, attempt: attempt.number() };
        self.books.ledger().begin(id);
        call.running.store(id.attempt, SeqCst);
        let answer = self.send(id).await;
        let end = match &answer {
            Ok(_) => End::Answered,
            Err(error) => End::from(error_kind(error)),
        };
        call.running.store(0, SeqCst);
        call.ended.store(id.attempt, SeqCst);
        self.books.ledger().end(id, end);
        answer
    }

    async fn send(&self, id: Id) -> Answer {
        let request = self.http.get(&self.url).header("attempt-id", id.to_header());
        let mut response = request.send().await?;
        let (status, headers) = (response.status(), std::mem::take(response.headers_mut()));
        response.bytes().await?;
        Ok((status, headers))
    }

    fn classify(&self, answer: &Answer) -> Outcome {
        let outcome = match answer {
            Ok((status, headers)) => POLICY.classify(*status, headers, SystemTime::now()),
            Err(error) => CLASSIFIER.classify_error(error),
        };
        if outcome == Outcome::Success {
            self.books.success();
        }
        outcome
    }
}

/// One call, as its caller knows it.
struct Call {
    number: u64,
    cancel_after: Option<Duration>,
    /// The attempt whose body runs, or 0.
    running: AtomicU32,
    /// The last attempt whose body has ended.
    ended: AtomicU32,
    /// Attempts that the observer was told of.
    observed: AtomicU32,
    /// Final decisions that the observer was told of.
    finals: AtomicU32,
}

impl Call {
    async fn cancelled(&self) {
        match self.cancel_after {
            Some(time) => sleep(time).await,
            None => std::future::pending().await,
        }
    }

    fn observe(&self, books: &Books, event: &Event<'_>) {
        books.observe(Id { call: self.number, attempt: event.attempt }, event);
        if event.kind == retry_runtime::EventKind::Attempt {
            let before = self.observed.fetch_add(1, SeqCst);
            if event.attempt != before + 1 {
                books.ledger().violation(format!("attempt {} after {before}", event.attempt));
            }
        }
        self.finals.fetch_add(u32::from(event.decision.is_final()), SeqCst);
    }

    /// What must be so once the caller has its result, or has dropped the call.
    fn check(&self, books: &Books, returned: bool) {
        let (running, observed) = (self.running.load(SeqCst), self.observed.load(SeqCst));
        let finals = self.finals.load(SeqCst);
        if running != 0 {
            books.ledger().end(Id { call: self.number, attempt: running }, End::Dropped);
        }
        // A cancellation is asked twice before the decision, and the call may be dropped there.
        let ended = self.ended.load(SeqCst);
        if !returned && running == 0 && ended > observed {
            books.ledger().leave_undecided(Id { call: self.number, attempt: ended });
        }
        let is_right = if returned { (running, finals) == (0, 1) } else { finals == 0 };
        if !is_right || observed > ATTEMPTS {
            books.ledger().violation(format!(
                "call {} returned: {returned}, attempt {running} running, {observed} observed, {finals} final",
                self.number
            ));
        }
    }
}

/// Calls until `until`, one call after the other. One caller in five cancels, and one
/// in five drops the call, after up to 100 ms.
pub async fn caller(client: Arc<Client>, mut random: fastrand::Rng, until: Instant) {
    while Instant::now() < until {
        let mut soon = |one_in: u32| {
            (random.u32(..one_in) == 0).then(|| Duration::from_millis(random.u64(1..100)))
        };
        let (cancel_after, patience) = (soon(5), soon(5));
        let call = Call {
            number: client.books.begin_call(),
            cancel_after,
            running: AtomicU32::new(0),
            ended: AtomicU32::new(0),
            observed: AtomicU32::new(0),
            finals: AtomicU32::new(0),
        };
        let returned = match patience {
            Some(time) => timeout(time, client.get(&call)).await.is_ok(),
            None => {
                // The result is the caller's; what it is does not matter here.
                let _: Answer = client.get(&call).await;
                true
            }
        };
        call.check(&client.books, returned);
        client.books.end_call(returned);
        sleep(Duration::from_millis(random.u64(1..8))).await;
    }
}
