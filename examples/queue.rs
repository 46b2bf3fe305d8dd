//! A queue's worker, through an outage and with messages that never succeed:
//! `cargo run -p retry-examples --example queue`.
//!
//! A message that is put back and delivered again is a retry that no budget sees. So it is
//! put back with a delay that grows, and for so many deliveries only. What becomes of a
//! message follows from what its last attempt *means*, not from why the call ended: a call
//! that is throttled says nothing about its message, and one that has used up its attempts
//! may have met an outage.
//!
//! The clock is tokio's, paused: the hours of this program are over at once.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::time::Duration;

use retry_runtime::{Backoff, Budget, Jitter, Outcome, Schedule, retry};
use tokio::time::{Instant, sleep_until};

/// What becomes of a message after a delivery.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fate {
    /// It did what it was for.
    Done,
    /// Delivered again, after this long.
    PutBack(Duration),
    /// Where somebody looks at it: it is wrong, or it never succeeds.
    DeadLetter,
    /// It may have been carried out: somebody has to find out before it is sent again.
    Held,
}

/// Two and a half hours: far longer than the longest outage that a message has to outlive.
const MOST_DELIVERIES: u32 = 22;

/// Added jitter keeps each delay at least as long as the curve.
const DELAYS: Backoff = Backoff::exponential(Duration::from_secs(5), Duration::from_secs(600))
    .jitter(Jitter::Add(0.25));

/// `outcome` is that of the last attempt, and `deliveries` counts this one. Each message has
/// draws of its own, and the same whenever the program runs.
fn fate(outcome: Outcome, deliveries: u32, message: u32) -> Fate {
    match outcome {
        Outcome::Success => Fate::Done,
        Outcome::Stop => Fate::DeadLetter,
        Outcome::Fail => Fate::Held,
        // `Retry` and `Repeat`: the call was throttled, out of time or attempts, or cancelled.
        _ if deliveries >= MOST_DELIVERIES => Fate::DeadLetter,
        _ => Fate::PutBack(DELAYS.seed(message.into()).delay(deliveries)),
    }
}

/// What is wrong with a message, if anything.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Good,
    /// The server answers 500, each time.
    Poison,
    /// The server answers 422.
    Malformed,
    /// The connection is lost, and nobody knows what the server did.
    Unclear,
}

#[derive(Debug)]
enum Error {
    Unavailable,
    Rejected,
    Lost,
}

fn judge(error: &Error) -> Outcome {
    match error {
        Error::Unavailable => Outcome::Retry,
        Error::Rejected => Outcome::Stop,
        Error::Lost => Outcome::Fail,
    }
}

struct Server {
    start: Instant,
    outage: std::ops::Range<Duration>,
    requests_in_outage: Cell<u32>,
}

impl Server {
    async fn handle(&self, kind: Kind) -> Result<(), Error> {
        if self.outage.contains(&self.start.elapsed()) {
            self.requests_in_outage.set(self.requests_in_outage.get() + 1);
            return Err(Error::Unavailable);
        }
        match kind {
            Kind::Good => Ok(()),
            Kind::Poison => Err(Error::Unavailable),
            Kind::Malformed => Err(Error::Rejected),
            Kind::Unclear => Err(Error::Lost),
        }
    }
}

/// Ten jobs a minute are too few to fill a budget soon after an outage: hence the reserve.
struct Worker {
    server: Server,
    budget: Budget,
}

impl Worker {
    #[retry(
        attempts = 3,
        budget = self.budget,
        classify_err = judge,
        schedule = Backoff::exponential(100ms, 1s).seed(7),
        observe = |event| *last = event.outcome,
    )]
    async fn call(&self, kind: Kind, last: &mut Outcome) -> Result<(), Error> {
        self.server.handle(kind).await
    }

    async fn deliver(&self, kind: Kind, deliveries: u32, message: u32) -> Fate {
        let mut last = Outcome::Success;
        let _result = self.call(kind, &mut last).await;
        fate(last, deliveries, message)
    }
}

/// How many messages of each kind ended in which way.
type Ends = BTreeMap<(&'static str, &'static str), u32>;

struct Told {
    ends: Ends,
    requests_in_outage: u32,
    /// When the last message was done.
    tokens: f64,
}

/// A message every six seconds for two hours, with an outage of so long after ten minutes.
async fn play(outage: Duration, kind_of: impl Fn(u32) -> Kind) -> Told {
    let start = Instant::now();
    let after_ten_minutes = Duration::from_secs(600);
    let outage = after_ten_minutes..after_ten_minutes + outage;
    let worker = Worker {
        server: Server { start, outage, requests_in_outage: Cell::new(0) },
        budget: Budget::new(10, 0.1).one_retry_every(Duration::from_secs(60)),
    };
    // The queue: by the time of the next delivery.
    let mut queue = BTreeMap::new();
    for number in 0..1200 {
        let due = start + Duration::from_secs(6) * number;
        queue.insert((due, number), (kind_of(number), 1));
    }
    let (mut ends, mut tokens) = (Ends::new(), 0.0);
    while let Some(((due, number), (kind, deliveries))) = queue.pop_first() {
        sleep_until(due).await;
        let end = match worker.deliver(kind, deliveries, number).await {
            Fate::Done => {
                tokens = worker.budget.tokens();
                "done"
            }
            Fate::DeadLetter => "dead letter",
            Fate::Held => "held",
            Fate::PutBack(delay) => {
                let due = Instant::now() + delay;
                queue.insert((due, number), (kind, deliveries + 1));
                continue;
            }
        };
        let kind = match kind {
            Kind::Good => "good",
            Kind::Poison => "poison",
            Kind::Malformed => "malformed",
            Kind::Unclear => "unclear",
        };
        *ends.entry((kind, end)).or_default() += 1;
    }
    let requests_in_outage = worker.server.requests_in_outage.get();
    Told { ends, requests_in_outage, tokens }
}

fn mixed(number: u32) -> Kind {
    match number {
        50 | 90 => Kind::Poison,
        60 => Kind::Malformed,
        70 => Kind::Unclear,
        _ => Kind::Good,
    }
}

#[tokio::main(flavor = "current_thread", start_paused = true)]
async fn main() {
    let told = play(Duration::from_secs(1800), mixed).await;
    println!("1200 messages in two hours, half an hour of it an outage:");
    for ((kind, end), count) in &told.ends {
        println!("{kind:>10} {end:>12} {count:>6}");
    }
    println!("{} requests met the outage", told.requests_in_outage);
    println!("{:.1} of 10 tokens were there when the last message was done", told.tokens);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn an_outage_buries_no_good_message() {
        let told = play(Duration::from_secs(1800), |_| Kind::Good).await;
        assert_eq!(told.ends, Ends::from([(("good", "done"), 1200)]));
        // 300 messages came in the outage. No second of it was a storm.
        assert!(told.requests_in_outage < 2400, "{}", told.requests_in_outage);
        assert!(told.tokens > 5.0, "retries are back: {}", told.tokens);
    }

    #[tokio::test(start_paused = true)]
    async fn every_message_ends_where_it_belongs() {
        let told = play(Duration::from_secs(1800), mixed).await;
        let expected = Ends::from([
            (("good", "done"), 1196),
            (("malformed", "dead letter"), 1),
            (("poison", "dead letter"), 2),
            (("unclear", "held"), 1),
        ]);
        assert_eq!(told.ends, expected);
        assert!(told.tokens > 5.0, "poison does not hold the budget: {}", told.tokens);
    }

    #[test]
    fn a_message_outlives_an_outage_of_two_and_a_half_hours() {
        let waits: Duration = (1..MOST_DELIVERIES).map(|n| DELAYS.curve(n)).sum();
        assert!(waits >= Duration::from_secs(9000), "{waits:?}");
        assert_eq!(fate(Outcome::Retry, MOST_DELIVERIES, 0), Fate::DeadLetter);
    }
}
