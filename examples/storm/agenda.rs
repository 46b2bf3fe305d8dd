//! Future events, in order.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use crate::Nanos;

/// Events by time, and at the same time in the order in which they were added: the
/// second rule makes every run the same.
pub(crate) struct Agenda<E> {
    entries: BinaryHeap<Entry<E>>,
    added: u64,
}

struct Entry<E> {
    at: Nanos,
    number: u64,
    event: E,
}

impl<E> Agenda<E> {
    pub(crate) fn new() -> Agenda<E> {
        Agenda { entries: BinaryHeap::new(), added: 0 }
    }

    pub(crate) fn add(&mut self, at: Nanos, event: E) {
        self.entries.push(Entry { at, number: self.added, event });
        self.added += 1;
    }

    /// The next event and its time.
    pub(crate) fn next(&mut self) -> Option<(Nanos, E)> {
        self.entries.pop().map(|entry| (entry.at, entry.event))
    }
}

// The heap gives its greatest entry first, so the earlier one is the greater.
impl<E> Ord for Entry<E> {
    fn cmp(&self, other: &Entry<E>) -> Ordering {
        (other.at, other.number).cmp(&(self.at, self.number))
    }
}

impl<E> PartialOrd for Entry<E> {
    fn partial_cmp(&self, other: &Entry<E>) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<E> PartialEq for Entry<E> {
    fn eq(&self, other: &Entry<E>) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl<E> Eq for Entry<E> {}

#[cfg(test)]
mod tests {
    use super::Agenda;

    #[test]
    fn the_earlier_event_comes_first_and_of_two_at_once_the_one_added_first() {
        let mut agenda = Agenda::new();
        for (at, event) in [(20, 'c'), (10, 'a'), (20, 'd'), (10, 'b')] {
            agenda.add(at, event);
        }
        let order: String = std::iter::from_fn(|| agenda.next()).map(|(_, event)| event).collect();
        assert_eq!(order, "abcd");
    }
}
