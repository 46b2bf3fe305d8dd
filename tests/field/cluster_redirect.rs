//! redis 1.2, the synchronous cluster connection's `request`: a redirection is followed at
//! once (`MOVED` after the slots were read anew, `ASK` with the command that goes before it),
//! a busy cluster is waited for, and a broken connection is made again. Attempts hand on
//! where the next one goes; each kind counts, and the wait grows with that count.

use std::cell::{Cell, RefCell};
use std::time::Duration;

use retry_runtime::{NoBudget, Outcome, Policy, Retrier};

#[derive(Clone, Copy, Debug, PartialEq)]
enum Error {
    Moved(&'static str),
    Ask(&'static str),
    TryAgain,
    Broken,
    WrongType,
}

#[derive(Clone, Copy)]
enum Redirect {
    Moved(&'static str),
    Ask(&'static str),
}

struct Cluster {
    retries: u32,
    answers: Vec<Result<u32, Error>>,
    log: RefCell<Vec<String>>,
    refreshed: Cell<u32>,
    waits: RefCell<Vec<Duration>>,
}

impl Cluster {
    fn new(retries: u32, answers: &[Result<u32, Error>]) -> Cluster {
        Cluster {
            retries,
            answers: answers.to_vec(),
            log: RefCell::default(),
            refreshed: Cell::new(0),
            waits: RefCell::default(),
        }
    }

    fn send(&self, node: &str) -> Result<u32, Error> {
        let mut log = self.log.borrow_mut();
        log.push(node.to_owned());
        let sent = log.iter().filter(|line| !line.starts_with("reconnect")).count();
        self.answers[sent - 1]
    }

    /// Without jitter: `2^retry` microseconds.
    fn wait_time_for_retry(&self, retry: u32) -> Duration {
        let wait = Duration::from_micros(1 << retry);
        self.waits.borrow_mut().push(wait);
        wait
    }

    fn request(&self) -> Result<u32, Error> {
        let retries = Cell::new(0);
        let classify = |result: &Result<u32, Error>| {
            retries.set(retries.get() + 1);
            match result {
                Ok(_) => Outcome::Success,
                // The node that answers is well.
                Err(Error::Moved(_) | Error::Ask(_)) => Outcome::RepeatIn(Duration::ZERO),
                Err(Error::Broken) => Outcome::RetryIn(Duration::ZERO),
                Err(Error::TryAgain) if retries.get() > self.retries => Outcome::Retry,
                Err(Error::TryAgain) => Outcome::RetryIn(self.wait_time_for_retry(retries.get())),
                Err(Error::WrongType) => Outcome::Stop,
            }
        };
        let retrier = Retrier::new(Policy::with_retries(self.retries), NoBudget, classify);
        let mut redirected = None;
        retrier.run_blocking(|_| {
            let node = match redirected.take() {
                None => "home".to_owned(),
                Some(Redirect::Moved(node)) => node.to_owned(),
                Some(Redirect::Ask(node)) => format!("asking {node}"),
            };
            let result = self.send(&node);
            match result {
                Err(Error::Moved(node)) => {
                    self.refreshed.set(self.refreshed.get() + 1);
                    redirected = Some(Redirect::Moved(node));
                }
                Err(Error::Ask(node)) => redirected = Some(Redirect::Ask(node)),
                Err(Error::Broken) => self.log.borrow_mut().push(format!("reconnect {node}")),
                _ => {}
            }
            result
        })
    }
}

#[test]
fn redirections_are_followed_and_forgotten() {
    let answers = [Err(Error::Moved("b")), Err(Error::Ask("c")), Err(Error::TryAgain), Ok(7)];
    let cluster = Cluster::new(16, &answers);
    assert_eq!(cluster.request(), Ok(7));
    assert_eq!(*cluster.log.borrow(), ["home", "b", "asking c", "home"]);
    assert_eq!(cluster.refreshed.get(), 1);
    // The wait is that of the third retry, although the first two did not wait.
    assert_eq!(*cluster.waits.borrow(), [Duration::from_micros(8)]);
}

#[test]
fn a_broken_connection_is_made_again_before_the_next_attempt() {
    let cluster = Cluster::new(16, &[Err(Error::Broken), Ok(7)]);
    assert_eq!(cluster.request(), Ok(7));
    assert_eq!(*cluster.log.borrow(), ["home", "reconnect home", "home"]);
}

#[test]
fn the_number_of_retries_counts_every_kind() {
    let answers = [Err(Error::Moved("b")), Err(Error::TryAgain), Err(Error::TryAgain), Ok(7)];
    let cluster = Cluster::new(2, &answers);
    assert_eq!(cluster.request(), Err(Error::TryAgain));
    assert_eq!(cluster.log.borrow().len(), 3);
    assert_eq!(cluster.waits.borrow().len(), 1);
}

#[test]
fn any_other_error_is_final() {
    let cluster = Cluster::new(16, &[Err(Error::WrongType), Ok(7)]);
    assert_eq!(cluster.request(), Err(Error::WrongType));
    assert_eq!(cluster.log.borrow().len(), 1);
}
