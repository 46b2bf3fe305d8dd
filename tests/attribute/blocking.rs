//! The key `blocking`: functions that are not async. Their waits are real time, of a few
//! milliseconds; nothing here depends on how fast it passes.

use std::cell::{Cell, RefCell};
use std::fmt::Debug;
use std::io;
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

use retry_runtime::{
    Attempt, Backoff, Budget, Decision, Event, EventKind, Outcome, Policy, Retrier, retry,
};

use crate::support::{Error, classify, outcome};

const MILLISECOND: Duration = Duration::from_millis(1);
static DISK: Budget = Budget::new(100, 0.1);

struct Store {
    retrier: Retrier<fn(&io::Result<usize>) -> Outcome>,
    stop: Receiver<()>,
    reads: Cell<u32>,
    seen: RefCell<Vec<(EventKind, u32, Decision)>>,
}

fn classify_io(result: &io::Result<usize>) -> Outcome {
    match result {
        Ok(_) => Outcome::Success,
        Err(error) if error.kind() == io::ErrorKind::TimedOut => Outcome::Retry,
        Err(_) => Outcome::Stop,
    }
}

impl Store {
    fn new(delay: Duration) -> (mpsc::Sender<()>, Store) {
        let (sender, stop) = mpsc::channel();
        let policy = Policy::new(3).backoff(Backoff::constant(delay));
        let retrier = Retrier::new(policy, Budget::new(10, 0.1), classify_io as _);
        (sender, Store { retrier, stop, reads: Cell::new(0), seen: RefCell::default() })
    }

    #[retry(retrier = self.retrier, attempt = attempt, blocking)]
    fn read(&self, good: u32) -> io::Result<usize> {
        self.reads.set(attempt.number());
        if attempt.number() < good {
            return Err(io::ErrorKind::TimedOut.into());
        }
        let parsed: usize = "7".parse().map_err(io::Error::other)?;
        Ok(parsed)
    }

    #[retry(
        blocking,
        retrier = self.retrier,
        cancel = |delay| self.stop.recv_timeout(delay).is_ok(),
        observe = |event: &Event<'_>| {
            self.seen.borrow_mut().push((event.kind, event.attempt, event.decision))
        },
    )]
    fn wait(&self, press: &mut Option<mpsc::Sender<()>>) -> io::Result<usize> {
        if let Some(sender) = press.take() {
            thread::spawn(move || {
                thread::sleep(MILLISECOND);
                sender.send(())
            });
        }
        Err(io::ErrorKind::TimedOut.into())
    }
}

#[test]
fn a_function_is_retried_on_its_thread() {
    let (_sender, store) = Store::new(MILLISECOND * 2);
    let start = Instant::now();
    assert_eq!(store.read(3).unwrap(), 7);
    assert!(start.elapsed() >= MILLISECOND * 4);
    assert_eq!((store.reads.get(), store.retrier.budget().unwrap().tokens()), (3, 8.1));
    assert_eq!(store.read(9).unwrap_err().kind(), io::ErrorKind::TimedOut);
    assert_eq!(store.reads.get(), 3);
}

#[test]
fn a_signal_ends_its_wait() {
    let (sender, store) = Store::new(Duration::from_secs(3600));
    let error = store.wait(&mut Some(sender)).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::TimedOut);
    let again = Decision::Again { delay: Duration::from_secs(3600) };
    let expected = [(EventKind::Attempt, 1, again), (EventKind::WaitCut, 1, Decision::Cancelled)];
    assert_eq!(*store.seen.borrow(), expected);
}

/// What is asked: nothing before the first attempt, zero before a decision, then the wait.
#[retry(
    attempts = 3,
    budget = none,
    classify = classify,
    schedule = Backoff::constant(1ms),
    cancel = |delay| {
        asked.borrow_mut().push(delay);
        asked.borrow().len() > 3
    },
    blocking,
)]
fn asking(asked: &RefCell<Vec<Duration>>, made: &mut u32) -> Result<(), Error> {
    *made += 1;
    Err(Error::Again)
}

#[test]
fn the_cancellation_is_asked_with_zero_and_with_the_wait() {
    let (asked, mut made) = (RefCell::default(), 0);
    assert_eq!(asking(&asked, &mut made), Err(Error::Again));
    assert_eq!(made, 2);
    assert_eq!(*asked.borrow(), [Duration::ZERO, MILLISECOND, Duration::ZERO, MILLISECOND]);
}

#[retry(
    attempts = unlimited,
    budget = none,
    classify_err = outcome,
    schedule = Backoff::constant(1ms),
    within = 8ms,
    attempt = attempt,
    blocking
)]
fn limited(left: &mut Vec<Duration>) -> Result<(), Error> {
    let of_default: Attempt = **attempt;
    left.extend(of_default.remaining());
    Err(Error::Again)
}

#[retry(
    attempts = unlimited,
    budget = none,
    classify_err = outcome,
    schedule = Backoff::constant(1ms),
    deadline = tokio::time::Instant::now() + MILLISECOND * 8,
    blocking
)]
fn due(made: &mut u32) -> Result<(), Error> {
    *made += 1;
    Err(Error::Again)
}

#[tokio::test(start_paused = true)]
async fn its_limits_pass_although_tokios_clock_is_paused() {
    tokio::time::advance(Duration::from_secs(3600)).await;
    let mut left = Vec::new();
    assert_eq!(limited(&mut left), Err(Error::Again));
    assert!(left[0] <= MILLISECOND * 8);
    assert!(left.windows(2).all(|pair| pair[1] < pair[0]), "{left:?}");
    let mut made = 0;
    assert_eq!(due(&mut made), Err(Error::Again));
    assert!((1..=9).contains(&made), "{made}");
}

/// Generic, `impl Trait`, references that the result borrows, patterns, clones.
#[retry(attempts = 2, budget = DISK, classify = classify, schedule = Backoff::none(), clone(names), blocking)]
fn shapes<'s, T: AsRef<str> + ?Sized>(
    text: &'s T,
    (mut names, count): (Vec<String>, usize),
    sink: &mut impl Extend<u32>,
    other: impl Fn() -> bool,
) -> Result<(&'s str, usize), Error> {
    names.push(String::new());
    sink.extend([names.len() as u32]);
    if other() { Ok((text.as_ref(), count)) } else { Err(Error::Again) }
}

#[retry(attempts = 1, budget = DISK, classify = classify, blocking)]
fn opaque(count: usize) -> Result<impl Debug, Error> {
    Ok(count)
}

#[retry(attempts = 3, budget = DISK, classify = |done: &bool| if *done { Outcome::Success } else { Outcome::RepeatIn(Duration::ZERO) }, blocking)]
fn no_result(turns: &mut u32) -> bool {
    *turns += 1;
    *turns == 2
}

#[retry(attempts = 1, budget = DISK, classify = |()| Outcome::Success, blocking)]
fn nothing(turns: &mut u32) {
    *turns += 1;
}

trait Load {
    fn load(&self) -> Result<u32, Error>;

    #[retry(attempts = 2, budget = none, classify = classify, schedule = Backoff::none(), blocking)]
    fn twice(&self) -> Result<u32, Error> {
        self.load()
    }
}

impl Load for Cell<u32> {
    #[retry(attempts = 2, budget = none, classify = classify, schedule = Backoff::none(), blocking)]
    fn load(&self) -> Result<u32, Error> {
        self.set(self.get() + 1);
        if self.get() < 4 { Err(Error::Again) } else { Ok(self.get()) }
    }
}

#[test]
fn functions_of_every_shape_are() {
    let turns = Cell::new(0);
    let mut sink: Vec<u32> = Vec::new();
    let other = || {
        turns.set(turns.get() + 1);
        turns.get() == 2
    };
    let (text, count) = shapes("text", (vec!["a".to_owned()], 5), &mut sink, other).unwrap();
    assert_eq!((text, count, sink), ("text", 5, vec![2, 2]));
    assert_eq!(format!("{:?}", opaque(5).unwrap()), "5");
    let mut turns = 0;
    assert!(no_result(&mut turns));
    nothing(&mut turns);
    assert_eq!(turns, 3);
    assert_eq!(Cell::new(0).twice(), Ok(4));
}
