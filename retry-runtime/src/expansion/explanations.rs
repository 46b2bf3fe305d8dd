//! The text of an event where nobody asks for one by `err`: what the classifier explains.

use core::fmt::{self, Display, Formatter};

use super::reasons::Reason;
use crate::classify::Classify;
use crate::reason::unless_empty;

/// A classifier and the result that it explains.
pub struct OfClassifier<'r, R: ?Sized, C: ?Sized>(pub &'r R, pub &'r C);

impl<R: ?Sized, C: ?Sized> Clone for OfClassifier<'_, R, C> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<R: ?Sized, C: ?Sized> Copy for OfClassifier<'_, R, C> {}

/// By the classifier. What is none has had its error where it classifies, so it is no
/// second one here.
pub trait Explains {
    /// Hands the text on.
    fn explain(self, told: &mut dyn FnMut(Option<&dyn Display>));
}

impl<R: ?Sized, C: Classify<R> + ?Sized> Explains for &OfClassifier<'_, R, C> {
    fn explain(self, told: &mut dyn FnMut(Option<&dyn Display>)) {
        told(unless_empty(&Explanation(self.0, self.1)));
    }
}

/// By what is no classifier.
pub trait SaysNothing {
    /// Says so.
    fn explain(self, told: &mut dyn FnMut(Option<&dyn Display>));
}

impl<R: ?Sized, C: ?Sized> SaysNothing for OfClassifier<'_, R, C> {
    fn explain(self, told: &mut dyn FnMut(Option<&dyn Display>)) {
        told(None);
    }
}

/// What a classifier says of a result.
struct Explanation<'r, R: ?Sized, C: ?Sized>(&'r R, &'r C);

impl<R: ?Sized, C: Classify<R> + ?Sized> Display for Explanation<'_, R, C> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.1.explain(self.0, f)
    }
}

/// A reason that nobody asked for: told to an observer alone.
pub struct Unasked<F>(F);

/// What a classifier has to say, asked only when somebody is told.
pub fn unasked<F: FnOnce(&mut dyn FnMut(Option<&dyn Display>))>(tell: F) -> Unasked<F> {
    Unasked(tell)
}

impl<F: FnOnce(&mut dyn FnMut(Option<&dyn Display>))> Reason for Unasked<F> {
    const IS_ASKED_FOR: bool = false;

    fn tell(self, told: &mut dyn FnMut(Option<&dyn Display>)) {
        (self.0)(told);
    }
}
