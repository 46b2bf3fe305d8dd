//! Running a call: the whole loop around a closure.

mod judge;
mod no_classifier;
#[cfg(any(
    all(feature = "tokio", not(all(target_family = "wasm", target_os = "unknown"))),
    all(feature = "wasm", target_family = "wasm", target_os = "unknown")
))]
mod retrier;
mod task;
mod thread;

#[doc(hidden)]
pub use self::no_classifier::Judged;

use core::fmt;

use crate::call::Call;
use crate::classify::Classify;
use crate::decision::Decision;
use crate::outcome::Outcome;
use crate::reason::{Told, Written};
use crate::timer::Timer;

/// A call with a classifier, as [`Call::run`] needs it: that of a
/// [`Retrier`](crate::Retrier), or one with [`Call::classify`].
pub trait WithClassifier: Copy {}

impl<C: ?Sized> WithClassifier for &C {}

/// A call whose classifier judges this result.
#[diagnostic::on_unimplemented(
    message = "the classifier of this call does not classify `{R}`",
    label = "no `Classify<{R}>`",
    note = "a classifier gets a reference to the whole result: implement `Classify<{R}>` for it, or write `call.run_with(classifier, ..)` with another; for a function of the error alone write `on_err(f)`"
)]
pub trait HasClassifier<R: ?Sized>: WithClassifier {
    /// The outcome of `result`, by the classifier.
    fn judge(&self, result: &R) -> Outcome;
    /// What the classifier says of it.
    #[doc(hidden)]
    fn explained(&self, result: &R, f: &mut fmt::Formatter<'_>) -> fmt::Result;
}

#[diagnostic::do_not_recommend]
impl<R: ?Sized, C: Classify<R> + ?Sized> HasClassifier<R> for &C {
    #[inline]
    fn judge(&self, result: &R) -> Outcome {
        self.classify(result)
    }

    fn explained(&self, result: &R, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.explain(result, f)
    }
}

impl<T: Timer + Copy, C> Call<'_, T, C> {
    /// Decides on a result that the classifier of the call has judged, and may explain.
    #[inline]
    #[track_caller]
    fn decide_judged<R>(&mut self, result: &R, outcome: Outcome, cancelled: bool) -> Decision
    where
        C: HasClassifier<R>,
    {
        let classifier = *self.classifier();
        let explain = |f: &mut fmt::Formatter<'_>| classifier.explained(result, f);
        self.decide_explained(outcome, cancelled, explain)
    }

    /// The wait was cut short after a result that the classifier may explain.
    fn cut_judged<R>(&mut self, result: &R)
    where
        C: HasClassifier<R>,
    {
        let classifier = *self.classifier();
        let text = Written(|f: &mut fmt::Formatter<'_>| classifier.explained(result, f));
        self.cut_told(Told { text: Some(&text), status: None });
    }
}
