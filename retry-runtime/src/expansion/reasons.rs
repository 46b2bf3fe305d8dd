//! The text of an event, as `err` or a classifier gives it. It is made only where an attempt
//! did not succeed and somebody is told.

use core::error::Error;
use core::fmt::{self, Debug, Display, Formatter};
use core::ops::Deref;

use crate::reason::{unless_empty, with_sources};

/// What an event says of an error.
pub trait Reason {
    /// Whether `err` gives it, so that `tracing` may have it too.
    #[doc(hidden)]
    const IS_ASKED_FOR: bool;

    /// Hands the text on, once.
    #[doc(hidden)]
    fn tell(self, told: &mut dyn FnMut(Option<&dyn Display>));
}

/// What `err` needs of a function's return type.
#[diagnostic::on_unimplemented(
    message = "`err` needs a function that returns a `Result`, and this one returns `{Self}`",
    label = "there is no error to tell of",
    note = "write `err = |result| ..`, which is given a reference to the whole return value and returns a text"
)]
pub trait Erring {
    /// The error of the result.
    type Error;
    /// The error, if the result is one.
    fn error(&self) -> Option<&Self::Error>;
}

impl<T, E> Erring for Result<T, E> {
    type Error = E;
    #[inline]
    fn error(&self) -> Option<&E> {
        self.as_ref().err()
    }
}

/// What `err` needs of an error.
#[diagnostic::on_unimplemented(
    message = "`err` tells of an error by its `Display`, which `{Self}` does not have",
    label = "no `Display` for `{Self}`",
    note = "implement `Display`, or write `err(Debug)`, or `err = |result| ..` for a text of your own"
)]
pub trait Displayed {
    /// Its text.
    fn show(&self, f: &mut Formatter<'_>) -> fmt::Result;
}

#[diagnostic::do_not_recommend]
impl<E: Display> Displayed for E {
    fn show(&self, f: &mut Formatter<'_>) -> fmt::Result {
        Display::fmt(self, f)
    }
}

/// What `err(Debug)` needs of an error.
#[diagnostic::on_unimplemented(
    message = "`err(Debug)` tells of an error by its `Debug`, which `{Self}` does not have",
    label = "no `Debug` for `{Self}`",
    note = "derive `Debug`, or write `err = |result| ..` for a text of your own"
)]
pub trait Debugged {
    /// Its text.
    fn show(&self, f: &mut Formatter<'_>) -> fmt::Result;
}

#[diagnostic::do_not_recommend]
impl<E: Debug> Debugged for E {
    fn show(&self, f: &mut Formatter<'_>) -> fmt::Result {
        Debug::fmt(self, f)
    }
}

/// What `err = f` needs of what `f` returns.
#[diagnostic::on_unimplemented(
    message = "`err = f` needs an `f` that returns a text, and `{Self}` is none",
    label = "`{Self}` does not implement `Display`",
    note = "return a `String`, a `&str`, another value that implements `Display`, or an `Option` of one"
)]
pub trait Text {
    /// The text.
    fn text(&self) -> &dyn Display;
}

#[diagnostic::do_not_recommend]
impl<D: Display> Text for D {
    fn text(&self) -> &dyn Display {
        self
    }
}

/// An error, and how its text is written.
pub struct OfError<'r, E> {
    error: Option<&'r E>,
    show: fn(&E, &mut Formatter<'_>) -> fmt::Result,
}

impl<E> Clone for OfError<'_, E> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<E> Copy for OfError<'_, E> {}

/// The error of a result, by its `Display`.
pub fn err<R>(result: &R) -> OfError<'_, R::Error>
where
    R: Erring,
    R::Error: Displayed,
{
    OfError { error: result.error(), show: Displayed::show }
}

/// The error of a result, by its `Debug`.
pub fn err_debug<R>(result: &R) -> OfError<'_, R::Error>
where
    R: Erring,
    R::Error: Debugged,
{
    OfError { error: result.error(), show: Debugged::show }
}

/// With its sources, if the error is an `Error`. This trait and the next two are for one
/// method call, which rustc resolves to the first that the error's type allows.
pub trait WithSources: Sized {
    /// The reason.
    type Reason;
    /// The reason.
    fn reason(self) -> Self::Reason;
}

impl<'r, E: Error> WithSources for &&OfError<'r, E> {
    type Reason = OfError<'r, E>;
    fn reason(self) -> OfError<'r, E> {
        OfError { error: self.error, show: |error, f| with_sources(error, error.source(), f) }
    }
}

/// With its sources, if the error points to an `Error`: a `Box<dyn Error>`, and those of
/// the crate `anyhow`.
pub trait WithSourcesBehind: Sized {
    /// The reason.
    type Reason;
    /// The reason.
    fn reason(self) -> Self::Reason;
}

impl<'r, E: Deref<Target: Error>> WithSourcesBehind for &OfError<'r, E> {
    type Reason = OfError<'r, E>;
    fn reason(self) -> OfError<'r, E> {
        OfError {
            error: self.error,
            show: |error, f| with_sources(&&**error, error.deref().source(), f),
        }
    }
}

/// By itself, whatever it is.
pub trait ByItself: Sized {
    /// The reason.
    fn reason(self) -> Self;
}

impl<E> ByItself for OfError<'_, E> {
    fn reason(self) -> Self {
        self
    }
}

impl<E> Display for OfError<'_, E> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.error.map_or(Ok(()), |error| (self.show)(error, f))
    }
}

impl<E> Reason for OfError<'_, E> {
    const IS_ASKED_FOR: bool = true;

    fn tell(self, told: &mut dyn FnMut(Option<&dyn Display>)) {
        told(unless_empty(&self));
    }
}

/// A text of the user's own.
pub struct OfFunction<'r, R, F> {
    result: &'r R,
    tell: F,
}

/// A text that a function makes of the whole result, and hands on.
pub fn err_by<'r, R, F>(result: &'r R, tell: F) -> OfFunction<'r, R, F>
where
    F: FnOnce(&'r R, &mut dyn FnMut(Option<&dyn Display>)),
{
    OfFunction { result, tell }
}

/// What the user's function returns: its parameter needs no type.
pub fn text_of<'r, R, T>(result: &'r R, function: impl FnOnce(&'r R) -> T) -> T {
    function(result)
}

/// Hands on what a function returned: a text, or none.
pub fn tell<D: Text>(told: &mut dyn FnMut(Option<&dyn Display>), text: Option<&D>) {
    told(text.map(Text::text).and_then(unless_empty));
}

/// What a function returned. Of the two traits that rustc finds, the first is for an
/// `Option`.
pub struct Returned<'t, T>(pub &'t T);

/// A text, if there is one.
pub trait Optional<'t> {
    /// What is in the `Option`.
    type Text;
    /// The text.
    fn optional(self) -> Option<&'t Self::Text>;
}

impl<'t, D> Optional<'t> for &Returned<'t, Option<D>> {
    type Text = D;
    fn optional(self) -> Option<&'t D> {
        self.0.as_ref()
    }
}

/// A text.
pub trait Always<'t> {
    /// What it is.
    type Text;
    /// The text.
    fn optional(self) -> Option<&'t Self::Text>;
}

impl<'t, D> Always<'t> for Returned<'t, D> {
    type Text = D;
    fn optional(self) -> Option<&'t D> {
        Some(self.0)
    }
}

impl<T> Clone for Returned<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Returned<'_, T> {}

impl<'r, R, F> Reason for OfFunction<'r, R, F>
where
    F: FnOnce(&'r R, &mut dyn FnMut(Option<&dyn Display>)),
{
    const IS_ASKED_FOR: bool = true;

    fn tell(self, told: &mut dyn FnMut(Option<&dyn Display>)) {
        (self.tell)(self.result, told);
    }
}
