//! Polls a job: `cargo run -p retry-examples --example poll`.
//!
//! A job server takes uploads and runs jobs. Its store has failed, so every upload fails; its
//! jobs run on. A job that still runs is no failure, so the poll repeats free of charge
//! (`Outcome::Repeat`): it goes on although the uploads have emptied the budget that both
//! share, and it does not fill the budget either. A poll whose server fails is a failure like
//! any other (`Outcome::Retry`), and paid.

use std::process::ExitCode;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use retry_runtime::{Backoff, Budget, Decision, Event, Outcome, retry};

/// How often the server says that the job still runs.
const LOOKS: u32 = 40;

/// A job server, as far as its client can see.
#[derive(Default)]
struct Server {
    looks: AtomicU32,
}

#[derive(Debug, PartialEq)]
enum Job {
    Running { percent: u32 },
    Done,
}

#[derive(Debug)]
struct Unavailable;

impl Server {
    async fn upload(&self, _bytes: &[u8]) -> Result<(), Unavailable> {
        Err(Unavailable)
    }

    async fn status(&self) -> Result<Job, Unavailable> {
        match self.looks.fetch_add(1, Relaxed) {
            LOOKS.. => Ok(Job::Done),
            look => Ok(Job::Running { percent: 100 * look / LOOKS }),
        }
    }
}

struct Client {
    server: Server,
    /// One for the server, shared by every call to it.
    budget: Budget,
}

impl Client {
    #[retry(
        attempts = 3,
        budget = self.budget,
        classify_err = |_| Outcome::Retry,
        schedule = Backoff::constant(10ms),
        observe = |event| *last = Some(event.decision),
    )]
    async fn upload_once(
        &self,
        bytes: &[u8],
        last: &mut Option<Decision>,
    ) -> Result<(), Unavailable> {
        self.server.upload(bytes).await
    }

    /// An upload, and why its call ended.
    async fn upload(&self, bytes: &[u8]) -> Result<(), Decision> {
        let mut last = None;
        let result = self.upload_once(bytes, &mut last).await;
        result.map_err(|Unavailable| last.unwrap_or(Decision::Stopped))
    }

    /// What ends a poll is a limit in time, not a number of looks.
    #[retry(
        attempts = unlimited,
        within = 60s,
        budget = self.budget,
        classify = |result: &Result<Job, Unavailable>| match result {
            Ok(Job::Done) => Outcome::Success,
            Ok(Job::Running { .. }) => Outcome::Repeat,
            Err(Unavailable) => Outcome::Retry,
        },
        schedule = Backoff::constant(10ms),
        err = |result| result.as_ref().ok().map(|job| format!("{job:?}")),
        observe = log,
    )]
    async fn wait_until_done(&self) -> Result<Job, Unavailable> {
        self.server.status().await
    }
}

/// Every tenth look is a line.
fn log(event: &Event<'_>) {
    if let Some(why) = event.error.filter(|_| event.attempt % 10 == 0) {
        println!("look {}: {why}, {}", event.attempt, event.decision);
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let client = Client { server: Server::default(), budget: Budget::new(10, 0.1) };
    let uploads = async {
        let mut ends = Vec::new();
        for _ in 0..10 {
            ends.extend(client.upload(b"more").await.err());
        }
        ends
    };
    let (job, ends) = tokio::join!(client.wait_until_done(), uploads);

    let throttled = ends.iter().filter(|end| **end == Decision::Throttled).count();
    println!("uploads: {} of 10 failed, {throttled} of them throttled", ends.len());
    let looks = client.server.looks.load(Relaxed);
    println!("job: {job:?} after {looks} looks, with {} tokens left", client.budget.tokens());
    match job {
        Ok(Job::Done) => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    }
}
