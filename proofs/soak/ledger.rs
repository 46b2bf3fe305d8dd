//! The account of every attempt, as three parties tell it: the body that made it, the
//! observer that was told of its decision, and the server that read its request.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use retry_runtime::http::ErrorKind;

/// Which attempt of which call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Id {
    /// The number of the call.
    pub call: u64,
    /// The number of the attempt, from 1.
    pub attempt: u32,
}

impl Id {
    /// As the header carries it.
    #[must_use]
    pub fn to_header(self) -> String {
        format!("{}.{}", self.call, self.attempt)
    }

    /// From a header.
    #[must_use]
    pub fn from_header(text: &str) -> Option<Id> {
        let (call, attempt) = text.split_once('.')?;
        Some(Id { call: call.parse().ok()?, attempt: attempt.parse().ok()? })
    }
}

/// How an attempt ended for its body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// With an answer, or with something in place of one: the server had the request.
    Answered,
    /// Without a connection: the server cannot have had it.
    NotSent,
    /// With a connection that was lost, or too late: nobody knows.
    Unknown,
    /// The call was dropped while it ran, or before it was decided on.
    Dropped,
}

impl From<ErrorKind> for End {
    fn from(kind: ErrorKind) -> End {
        match kind {
            ErrorKind::Connect | ErrorKind::NotProcessed => End::NotSent,
            ErrorKind::Response => End::Answered,
            _ => End::Unknown,
        }
    }
}

#[derive(Debug)]
struct Entry {
    since: Instant,
    end: Option<End>,
    observed: u32,
    seen: u32,
}

/// Sums of what was settled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sums {
    /// Attempts that bodies made.
    pub attempts: u64,
    /// Of these, attempts that observers were told of.
    pub observed: u64,
    /// Of these, attempts whose request the server read.
    pub seen: u64,
    /// Attempts without a connection.
    pub not_sent: u64,
    /// Attempts with an uncertain end whose request the server never read.
    pub unseen: u64,
    /// Attempts whose call was dropped while they ran.
    pub dropped: u64,
}

/// Attempts that are not settled yet, the sums of those that are, and what was wrong.
#[derive(Debug, Default)]
pub struct Ledger {
    open: HashMap<Id, Entry>,
    sums: Sums,
    violations: Vec<String>,
}

impl Ledger {
    /// A body begins.
    pub fn begin(&mut self, id: Id) {
        let entry = Entry { since: Instant::now(), end: None, observed: 0, seen: 0 };
        if self.open.insert(id, entry).is_some() {
            self.violation(format!("{id:?} was made twice"));
        }
    }

    /// A body has its result, or was dropped.
    pub fn end(&mut self, id: Id, end: End) {
        let before = self.open.get_mut(&id).map(|entry| entry.end.replace(end));
        if before != Some(None) {
            self.violation(format!("{id:?} ended as {end:?} after {before:?}"));
        }
    }

    /// Its call was dropped after it had ended and before it was decided on.
    pub fn leave_undecided(&mut self, id: Id) {
        match self.open.get_mut(&id) {
            Some(entry) if entry.end.is_some() => entry.end = Some(End::Dropped),
            _ => self.violation(format!("{id:?} was left undecided, and had not ended")),
        }
    }

    /// An observer was told of it.
    pub fn observe(&mut self, id: Id) {
        match self.open.get_mut(&id) {
            Some(entry) => entry.observed += 1,
            None => self.violation(format!("an observer was told of {id:?}, which nobody made")),
        }
    }

    /// The server has read its request.
    pub fn see(&mut self, id: Id) {
        match self.open.get_mut(&id) {
            Some(entry) => entry.seen += 1,
            None => self.violation(format!("the server had {id:?}, which nobody made")),
        }
    }

    /// Closes the accounts of the attempts that are older than this.
    pub fn settle(&mut self, age: Duration) {
        let now = Instant::now();
        let is_old = |entry: &Entry| now.duration_since(entry.since) >= age;
        let old: Vec<Id> =
            self.open.iter().filter(|(_, entry)| is_old(entry)).map(|(id, _)| *id).collect();
        for id in old {
            if let Some(entry) = self.open.remove(&id) {
                self.close(id, &entry);
            }
        }
    }

    fn close(&mut self, id: Id, entry: &Entry) {
        let Entry { end, observed, seen, .. } = *entry;
        let is_right = match end {
            None => false,
            Some(End::Answered) => (observed, seen) == (1, 1),
            Some(End::NotSent) => (observed, seen) == (1, 0),
            Some(End::Unknown) => observed == 1 && seen <= 1,
            Some(End::Dropped) => observed == 0 && seen <= 1,
        };
        if !is_right {
            self.violation(format!("{id:?} ended as {end:?}, observed {observed}, seen {seen}"));
        }
        let sums = &mut self.sums;
        sums.attempts += 1;
        sums.observed += u64::from(observed);
        sums.seen += u64::from(seen);
        sums.not_sent += u64::from(end == Some(End::NotSent));
        sums.dropped += u64::from(end == Some(End::Dropped));
        sums.unseen += u64::from(seen == 0 && end != Some(End::NotSent));
    }

    /// Notes what must not be.
    pub fn violation(&mut self, what: String) {
        self.violations.push(what);
    }

    /// The sums, and what was wrong.
    #[must_use]
    pub fn into_parts(self) -> (Sums, Vec<String>) {
        (self.sums, self.violations)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{End, Id, Ledger};

    const ID: Id = Id { call: 7, attempt: 2 };

    /// The violations after these events and a settlement.
    fn violations(events: impl FnOnce(&mut Ledger)) -> usize {
        let mut ledger = Ledger::default();
        events(&mut ledger);
        ledger.settle(Duration::ZERO);
        let (_, violations) = ledger.into_parts();
        violations.len()
    }

    fn attempt(end: End, observed: usize, seen: usize) -> usize {
        violations(|ledger| {
            ledger.begin(ID);
            (0..seen).for_each(|_| ledger.see(ID));
            ledger.end(ID, end);
            (0..observed).for_each(|_| ledger.observe(ID));
        })
    }

    #[test]
    fn attempts_on_which_all_three_agree_are_settled() {
        assert_eq!(attempt(End::Answered, 1, 1), 0);
        assert_eq!(attempt(End::NotSent, 1, 0), 0);
        assert_eq!(attempt(End::Unknown, 1, 0), 0);
        assert_eq!(attempt(End::Unknown, 1, 1), 0);
        assert_eq!(attempt(End::Dropped, 0, 1), 0);
    }

    #[test]
    fn an_answer_to_a_request_that_the_server_never_had_is_found() {
        assert_eq!(attempt(End::Answered, 1, 0), 1);
    }

    #[test]
    fn a_request_that_was_not_sent_and_yet_arrived_is_found() {
        assert_eq!(attempt(End::NotSent, 1, 1), 1);
    }

    #[test]
    fn a_request_that_arrived_twice_is_found() {
        assert_eq!(attempt(End::Answered, 1, 2), 1);
        assert_eq!(attempt(End::Unknown, 1, 2), 1);
    }

    #[test]
    fn an_attempt_that_no_observer_or_two_were_told_of_is_found() {
        assert_eq!(attempt(End::Answered, 0, 1), 1);
        assert_eq!(attempt(End::Answered, 2, 1), 1);
        assert_eq!(attempt(End::Dropped, 1, 1), 1);
    }

    #[test]
    fn an_attempt_that_its_dropped_call_left_undecided_is_settled_without_an_observer() {
        let undecided = |observed: usize| {
            violations(|ledger| {
                ledger.begin(ID);
                ledger.end(ID, End::NotSent);
                (0..observed).for_each(|_| ledger.observe(ID));
                ledger.leave_undecided(ID);
            })
        };
        assert_eq!((undecided(0), undecided(1)), (0, 1));
        assert_eq!(violations(|ledger| ledger.leave_undecided(ID)), 1);
    }

    #[test]
    fn an_attempt_that_never_ended_is_found() {
        assert_eq!(violations(|ledger| ledger.begin(ID)), 1);
    }

    #[test]
    fn what_the_server_or_an_observer_made_up_is_found() {
        assert_eq!(violations(|ledger| ledger.see(ID)), 1);
        assert_eq!(violations(|ledger| ledger.observe(ID)), 1);
        assert_eq!(violations(|ledger| ledger.end(ID, End::Answered)), 1);
    }

    #[test]
    fn a_header_carries_an_id() {
        assert_eq!(Id::from_header(&ID.to_header()), Some(ID));
        assert_eq!(Id::from_header("7"), None);
    }
}
