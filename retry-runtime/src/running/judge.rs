//! Judges of an attempt: the classifier of the call, another one, or the attempt itself. So
//! there is one loop for all of them.

use core::fmt::{self, Formatter};

use crate::classify::Classify;
use crate::outcome::Outcome;
use crate::running::HasClassifier;

/// Judges what an attempt gave, and explains it.
pub(super) trait Judge<A> {
    /// The result of the call, if this attempt is the last.
    type Result;
    /// The result, and its outcome.
    fn judge(&self, given: A) -> (Self::Result, Outcome);
    /// Writes why the attempt did not succeed.
    fn explain(&self, result: &Self::Result, f: &mut Formatter<'_>) -> fmt::Result;
}

/// The classifier of the call.
pub(super) struct OfCall<C>(pub(super) C);

impl<R, C: HasClassifier<R>> Judge<R> for OfCall<C> {
    type Result = R;

    #[inline(always)]
    fn judge(&self, result: R) -> (R, Outcome) {
        let outcome = self.0.judge(&result);
        (result, outcome)
    }

    fn explain(&self, result: &R, f: &mut Formatter<'_>) -> fmt::Result {
        self.0.explained(result, f)
    }
}

/// Another classifier.
pub(super) struct Given<C>(pub(super) C);

impl<R, C: Classify<R>> Judge<R> for Given<C> {
    type Result = R;

    #[inline(always)]
    fn judge(&self, result: R) -> (R, Outcome) {
        let outcome = self.0.classify(&result);
        (result, outcome)
    }

    fn explain(&self, result: &R, f: &mut Formatter<'_>) -> fmt::Result {
        self.0.explain(result, f)
    }
}

/// The attempt itself, which explains nothing.
pub(super) struct ByItself;

impl<R> Judge<(R, Outcome)> for ByItself {
    type Result = R;

    #[inline(always)]
    fn judge(&self, judged: (R, Outcome)) -> (R, Outcome) {
        judged
    }

    fn explain(&self, _: &R, _: &mut Formatter<'_>) -> fmt::Result {
        Ok(())
    }
}
