//! The server's faults, in a cycle: mostly nothing, then much, then it is
//! down, then it hangs.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use scripted_server::{Received, Server, Step};

use crate::books::Books;
use crate::ledger::Id;

/// What the server did with a request, for the report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fault {
    /// 200.
    None,
    /// 200, after 20 ms.
    Slow,
    /// 503.
    Busy,
    /// 503 with `Retry-After`.
    BusyFor,
    /// 404, which is nobody's fault but the caller's.
    NotFound,
    /// The connection closed.
    Close,
    /// The connection reset.
    Reset,
    /// The connection closed in the middle of the answer.
    CutBody,
    /// Something other than HTTP.
    Garbage,
    /// Nothing, for longer than the client waits.
    Hang,
}

impl Fault {
    /// Those that a server can have at any time.
    const OCCASIONAL: [Fault; 9] = [
        Fault::Slow,
        Fault::Busy,
        Fault::BusyFor,
        Fault::NotFound,
        Fault::Close,
        Fault::Reset,
        Fault::CutBody,
        Fault::Garbage,
        Fault::Hang,
    ];
    /// All.
    pub const ALL: [Fault; 10] = [
        Fault::None,
        Fault::Slow,
        Fault::Busy,
        Fault::BusyFor,
        Fault::NotFound,
        Fault::Close,
        Fault::Reset,
        Fault::CutBody,
        Fault::Garbage,
        Fault::Hang,
    ];

    fn step(self, random: &mut fastrand::Rng) -> Step {
        match self {
            Fault::None => Step::status(200),
            Fault::Slow => Step::Slow(Duration::from_millis(20)),
            Fault::Busy => Step::status(503),
            Fault::BusyFor => Step::busy("retry-after", random.u32(0..=1).to_string()),
            Fault::NotFound => Step::status(404),
            Fault::Close => Step::Close,
            Fault::Reset => Step::Reset,
            Fault::CutBody => Step::CutBody,
            Fault::Garbage => Step::Garbage,
            Fault::Hang => Step::Slow(Duration::from_secs(1)),
        }
    }
}

/// How often the server did what: in the order of [`Fault::ALL`].
pub type Counts = Arc<Mutex<[u64; 10]>>;

/// Starts the server. Every request is noted in the books.
pub async fn start(books: Arc<Books>, cycle: Duration) -> (Server, Counts) {
    let counts = Counts::default();
    let counting = Arc::clone(&counts);
    let started = Instant::now();
    let mut random = fastrand::Rng::with_seed(1);
    let decide = move |request: &Received| {
        match request.header("attempt-id").and_then(Id::from_header) {
            Some(id) => books.ledger().see(id),
            None => books.ledger().violation("a request without an id".to_owned()),
        }
        let fault = choose(started.elapsed(), cycle, &mut random);
        counting.lock().unwrap()[fault as usize] += 1;
        fault.step(&mut random)
    };
    let server = Server::deciding(decide).await;
    (server, counts)
}

/// The cycle: six tenths nearly well, two tenths shaky, one down, one hanging.
fn choose(elapsed: Duration, cycle: Duration, random: &mut fastrand::Rng) -> Fault {
    let chance = match tenth(elapsed, cycle) {
        0..=5 => 0.05,
        6 | 7 => 0.5,
        // Down: connections from before are reset.
        8 => return Fault::Reset,
        _ => return Fault::Hang,
    };
    if random.f64() < chance {
        Fault::OCCASIONAL[random.usize(..Fault::OCCASIONAL.len())]
    } else {
        Fault::None
    }
}

fn tenth(elapsed: Duration, cycle: Duration) -> u128 {
    elapsed.as_nanos() % cycle.as_nanos() * 10 / cycle.as_nanos()
}

/// Has new connections refused while the server is down, for ever.
pub async fn go_down(server: Server, cycle: Duration) {
    let mut down = tokio::time::interval_at(tokio::time::Instant::now() + cycle * 8 / 10, cycle);
    loop {
        down.tick().await;
        server.refuse(cycle / 10);
    }
}
