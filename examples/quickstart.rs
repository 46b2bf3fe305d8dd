//! The purpose of retry-runtime, in one minute: `cargo run --example quickstart`.
//!
//! A payment server on loopback misbehaves as real ones do, goes down completely
//! and comes back. The client's annotated method gets through the small failures,
//! stops repeating itself while the server is down, and starts again after that.
//! The program checks what it shows and fails if that did not happen.
//!
//! To copy from: the client, in the first third of the file. Below it are the
//! story and the server.
//!
//! One file, though a long one: it is read from top to bottom, server, client and
//! report.

use std::collections::VecDeque;
use std::fmt;
use std::net::SocketAddr;
use std::process::ExitCode;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use axum::serve::Listener;
use retry_runtime::{Backoff, Budget, Decision, Event, Outcome, retry};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// One for each dependency, shared by every call to it: 10 tokens at first, one
/// less for each failure, 0.1 more for each success. At 5 or less nothing is retried.
static PAYMENTS: Budget = Budget::new(10, 0.1);

struct PaymentsClient {
    http: reqwest::Client,
    base_url: String,
}

struct Charge {
    /// The same for each attempt, so that the server can tell a repetition from a
    /// second charge. Without it, no charge that may have arrived should be repeated.
    idempotency_key: String,
    cents: i64,
}

#[derive(Debug)]
enum ClientError {
    Status { status: u16, retry_after: Option<Duration> },
    Transport(reqwest::Error),
}

impl fmt::Display for ClientError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ClientError::Status { status, .. } => write!(f, "the server said {status}"),
            ClientError::Transport(error) if error.is_connect() => f.write_str("cannot connect"),
            ClientError::Transport(error) => error.fmt(f),
        }
    }
}

impl From<reqwest::Error> for ClientError {
    fn from(error: reqwest::Error) -> ClientError {
        ClientError::Transport(error)
    }
}

/// What a result means: only the owner of the calls knows which may be repeated.
fn classify_http<T>(result: &Result<T, ClientError>) -> Outcome {
    match result {
        Ok(_) => Outcome::Success,
        // No connection, a broken one, or no answer in time.
        Err(ClientError::Transport(_)) => Outcome::Retry,
        Err(ClientError::Status { status: 429 | 502 | 503 | 504, retry_after }) => {
            retry_after.map_or(Outcome::Retry, Outcome::RetryAfter)
        }
        // Our mistake: the same request would fail again.
        Err(ClientError::Status { .. }) => Outcome::Stop,
    }
}

impl PaymentsClient {
    fn new(address: SocketAddr) -> Result<PaymentsClient, reqwest::Error> {
        let http = reqwest::Client::builder()
            .no_proxy()
            // A new connection for each attempt, so that every one meets the server's mood.
            .pool_max_idle_per_host(0)
            // Bounds one attempt; a slow answer is then an error like any other.
            .timeout(Duration::from_secs(1))
            .build()?;
        Ok(PaymentsClient { http, base_url: format!("http://{address}") })
    }

    #[retry(
        attempts = 4,
        budget = PAYMENTS,
        classify = classify_http,
        schedule = Backoff::exponential(50ms, 1s),
        observe = record,
    )]
    async fn charge(&self, charge: &Charge) -> Result<String, ClientError> {
        let response = self
            .http
            .post(format!("{}/charges", self.base_url))
            .header("idempotency-key", &charge.idempotency_key)
            .body(charge.cents.to_string())
            .send()
            .await?;
        let status = response.status();
        if !status.is_success() {
            let retry_after = response.headers().get(header::RETRY_AFTER);
            let seconds = retry_after.and_then(|value| value.to_str().ok()?.parse().ok());
            let retry_after = seconds.map(Duration::from_secs);
            return Err(ClientError::Status { status: status.as_u16(), retry_after });
        }
        Ok(response.text().await?)
    }
}

/// What the observer saw of one attempt.
#[derive(Clone, Copy)]
struct Seen {
    attempt: u32,
    outcome: Outcome,
    decision: Decision,
    tokens: f64,
}

type Charged = Result<String, ClientError>;

/// The attempts of the call that runs now.
static SEEN: Mutex<Vec<Seen>> = Mutex::new(Vec::new());

/// Given every attempt of `charge`; a service would log or count here.
fn record(event: &Event<'_>) {
    let Event { attempt, outcome, decision, .. } = *event;
    let tokens = event.budget.map_or(0.0, Budget::tokens);
    lock(&SEEN).push(Seen { attempt, outcome, decision, tokens });
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().expect("nothing panics while it holds this lock")
}

/// Makes one charge. Returns its attempts and the result.
async fn charge(client: &PaymentsClient, name: &str, cents: i64) -> (Vec<Seen>, Charged) {
    let charge = Charge { idempotency_key: name.to_owned(), cents };
    lock(&SEEN).clear();
    let result = client.charge(&charge).await;
    (lock(&SEEN).clone(), result)
}

/// As [`charge`], and prints what happened.
async fn show(client: &PaymentsClient, name: &str, cents: i64) -> (Vec<Seen>, bool) {
    println!("\n  {name}");
    let (seen, result) = charge(client, name, cents).await;
    for Seen { attempt, outcome, decision, tokens } in &seen {
        let outcome = outcome.to_string();
        let next = match decision {
            Decision::Again { delay } => format!("again in {} ms", delay.as_millis()),
            last => last.to_string(),
        };
        println!("    attempt {attempt}: {outcome:<16} -> {next:<16} budget {tokens:>4.1}");
    }
    match &result {
        Ok(receipt) => println!("    the caller has {receipt}"),
        Err(error) => println!("    the caller has the error: {error}"),
    }
    (seen, result.is_ok())
}

/// The attempts of a call, and the decision that ended it.
fn end(seen: &[Seen]) -> (usize, Option<Decision>) {
    (seen.len(), seen.last().map(|seen| seen.decision))
}

/// The claims of the closing lines that did not come true.
#[derive(Default)]
struct Claims(Vec<&'static str>);

impl Claims {
    fn check(&mut self, holds: bool, claim: &'static str) {
        if !holds {
            self.0.push(claim);
        }
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<ExitCode, Box<dyn std::error::Error>> {
    let mut claims = Claims::default();
    let server = Server::default();
    let (address, running) = server.start(SocketAddr::from(([127, 0, 0, 1], 0))).await?;
    let client = PaymentsClient::new(address)?;
    let succeeded = Some(Decision::Succeeded);

    println!("Every call may make 4 attempts. All calls share a budget of 10 tokens: a failure");
    println!("takes 1, a success adds 0.1, and at 5 or less nothing is retried (\"throttled\").");

    println!("\n1. The server has its usual small failures");

    server.next([Mood::Busy]);
    let (seen, ok) = show(&client, "answers 503 with `Retry-After: 1`, then 200", 100).await;
    claims.check(ok && end(&seen) == (2, succeeded), "the 503 was tried again, once");
    let waited = match seen.first().map(|seen| seen.decision) {
        Some(Decision::Again { delay }) => delay,
        _ => Duration::ZERO,
    };
    claims.check(waited >= Duration::from_secs(1), "the wait was at least what Retry-After asked");

    server.next([Mood::DropConnection]);
    let (seen, ok) = show(&client, "drops the connection, then 200", 200).await;
    claims.check(ok && end(&seen) == (2, succeeded), "the dropped connection was tried again");

    server.next([Mood::Slow]);
    let (seen, ok) = show(&client, "takes the charge, but its answer comes too late", 300).await;
    claims.check(ok && end(&seen) == (2, succeeded), "the late answer was tried again");
    claims.check(server.charges() == 3, "three charges were made, none of them twice");

    let before = PAYMENTS.tokens();
    let (seen, _) = show(&client, "answers 400: the request is wrong", -1).await;
    claims.check(end(&seen) == (1, Some(Decision::Stopped)), "the 400 was not repeated");
    claims.check(before == PAYMENTS.tokens(), "the 400 left the budget alone");

    println!("\n2. The server is down: nothing listens");
    running.abort();
    let _aborted = running.await;

    let calls = 8;
    let mut counts = Vec::new();
    for call in 1..=calls {
        let (seen, ok) = show(&client, &format!("call {call}"), 400).await;
        claims.check(!ok, "calls to a server that is down fail");
        counts.push(seen.len());
        if call > 2 {
            let alone = end(&seen) == (1, Some(Decision::Throttled));
            claims.check(alone, "the budget ended the retries: one attempt for each call");
        }
    }
    let attempts: usize = counts.iter().sum();
    claims.check(counts[0] > 1, "the first call to the server that is down was still retried");
    claims.check(PAYMENTS.tokens() == 0.0, "the outage emptied the budget");

    println!("\n3. The server is back: its successes fill the budget");
    let (_, running) = server.start(address).await?;
    let mut successes = 0;
    while PAYMENTS.tokens() <= f64::from(PAYMENTS.max_tokens() / 2) + 1.0 && successes < 100 {
        let (seen, result) = charge(&client, &format!("success {successes}"), 500).await;
        claims.check(result.is_ok() && seen.len() == 1, "the server that is back answers");
        successes += 1;
    }
    println!("\n  {successes} successes at the first attempt: budget {:.1}", PAYMENTS.tokens());
    claims.check(successes == 61, "61 successes of 0.1 tokens filled it to more than half");

    server.next([Mood::DropConnection]);
    let (seen, ok) = show(&client, "drops a connection, then 200", 600).await;
    claims.check(ok && end(&seen) == (2, succeeded), "after the outage a failure is retried again");
    running.abort();

    if claims.0.is_empty() {
        println!("\nWhat this showed:");
        println!("- Small failures did not reach the caller; Retry-After was respected.");
        println!("- A 400 was not repeated: the classifier says what may be.");
        println!("- An outage got {attempts} attempts from {calls} calls, not {}:", calls * 4);
        println!("  the budget ended the retries, and the callers had their errors at once.");
        println!("- After {successes} successes a failure was retried again, all by itself.");
        return Ok(ExitCode::SUCCESS);
    }
    for claim in claims.0 {
        eprintln!("this should have happened and did not: {claim}");
    }
    Ok(ExitCode::FAILURE)
}

/// How the server treats one attempt, if not well.
#[derive(Clone, Copy, PartialEq)]
enum Mood {
    Busy,
    DropConnection,
    Slow,
}

/// A payment server in a bad mood.
#[derive(Clone, Default)]
struct Server {
    moods: Arc<Mutex<VecDeque<Mood>>>,
    /// The idempotency key of every charge that was made.
    charged: Arc<Mutex<Vec<String>>>,
}

impl Server {
    async fn start(&self, address: SocketAddr) -> std::io::Result<(SocketAddr, JoinHandle<()>)> {
        let listener = TcpListener::bind(address).await?;
        let address = listener.local_addr()?;
        let router = Router::new().route("/charges", post(answer)).with_state(self.clone());
        let listener = MoodyListener { listener, server: self.clone() };
        let running = async { axum::serve(listener, router).await.expect("serving does not end") };
        Ok((address, tokio::spawn(running)))
    }

    /// How the next attempts are treated.
    fn next(&self, moods: impl IntoIterator<Item = Mood>) {
        lock(&self.moods).extend(moods);
    }

    fn mood_if(&self, wanted: impl Fn(Mood) -> bool) -> Option<Mood> {
        let mut moods = lock(&self.moods);
        let mood = *moods.front()?;
        wanted(mood).then(|| moods.pop_front())?
    }

    fn charges(&self) -> usize {
        lock(&self.charged).len()
    }

    /// Makes the charge, unless it has been made. Returns the number of its receipt.
    fn charge(&self, key: &str) -> usize {
        let mut charged = lock(&self.charged);
        charged.iter().position(|known| known == key).unwrap_or_else(|| {
            charged.push(key.to_owned());
            charged.len() - 1
        })
    }
}

async fn answer(State(server): State<Server>, headers: HeaderMap, cents: String) -> Response {
    if !cents.parse::<i64>().is_ok_and(|cents| cents > 0) {
        return (StatusCode::BAD_REQUEST, "a charge is a number of cents above 0").into_response();
    }
    let mood = server.mood_if(|mood| mood != Mood::DropConnection);
    if mood == Some(Mood::Busy) {
        return (StatusCode::SERVICE_UNAVAILABLE, [(header::RETRY_AFTER, "1")]).into_response();
    }
    let key = headers.get("idempotency-key").and_then(|key| key.to_str().ok()).unwrap_or_default();
    let receipt = server.charge(key) + 1;
    if mood == Some(Mood::Slow) {
        tokio::time::sleep(Duration::from_secs(5)).await;
    }
    format!("receipt {receipt}").into_response()
}

/// Accepts connections, and drops those that meet a mood for that.
struct MoodyListener {
    listener: TcpListener,
    server: Server,
}

impl Listener for MoodyListener {
    type Io = TcpStream;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (TcpStream, SocketAddr) {
        loop {
            let connection = Listener::accept(&mut self.listener).await;
            if self.server.mood_if(|mood| mood == Mood::DropConnection).is_none() {
                return connection;
            }
        }
    }

    fn local_addr(&self) -> std::io::Result<SocketAddr> {
        self.listener.local_addr()
    }
}
