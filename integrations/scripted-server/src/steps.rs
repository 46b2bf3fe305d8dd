//! The steps of a script, one for each request.

use std::collections::VecDeque;

/// Steps in turn; the last one is for every request that follows.
pub(crate) struct Steps<S>(VecDeque<S>);

impl<S: Clone> Steps<S> {
    pub(crate) fn new(steps: impl IntoIterator<Item = S>) -> Steps<S> {
        let steps: VecDeque<S> = steps.into_iter().collect();
        assert!(!steps.is_empty(), "a script needs a step");
        Steps(steps)
    }

    pub(crate) fn peek(&self) -> &S {
        &self.0[0]
    }

    pub(crate) fn next(&mut self) -> S {
        match self.0.len() {
            1 => self.0[0].clone(),
            _ => self.0.pop_front().expect("a step"),
        }
    }
}
