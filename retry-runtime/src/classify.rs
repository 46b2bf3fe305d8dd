//! The `Classify` trait.

use core::fmt;

use crate::outcome::Outcome;

/// Judges the whole result of an attempt: a classifier in a value, for a
/// [`Retrier`](crate::Retrier). There is no default: what may be repeated depends
/// on the call, and only its owner knows.
///
/// Any `Fn(&R) -> Outcome` is a classifier, and a unit struct can serve the
/// results of many functions:
///
/// ```
/// use retry_runtime::{Classify, Outcome};
///
/// # struct ClientError { status: u16 }
/// struct Http;
///
/// impl<T> Classify<Result<T, ClientError>> for Http {
///     fn classify(&self, result: &Result<T, ClientError>) -> Outcome {
///         match result {
///             Ok(_) => Outcome::Success,
///             Err(error) if matches!(error.status, 429 | 502..=504) => Outcome::Retry,
///             Err(_) => Outcome::Stop,
///         }
///     }
/// }
///
/// let busy: Result<String, _> = Err(ClientError { status: 503 });
/// assert_eq!(Http.classify(&busy), Outcome::Retry);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not classify `{R}`",
    label = "this classifier does not judge the result of the function",
    note = "a classifier gets a reference to the whole result: implement `Classify<{R}>`, or give a `fn(&{R}) -> Outcome`; for a function of the error alone write `on_err(f)`"
)]
pub trait Classify<R: ?Sized> {
    /// The outcome of `result`.
    fn classify(&self, result: &R) -> Outcome;

    /// Writes why an attempt with this result did not succeed: the text of
    /// [`Event::error`](crate::Event::error). Nothing by default. The key `err`, where it is
    /// given, is asked instead.
    ///
    /// ```
    /// use retry_runtime::{Classify, Outcome, Policy, Retrier, NoBudget, retry};
    /// use std::fmt;
    ///
    /// struct Status;
    ///
    /// impl Classify<u16> for Status {
    ///     fn classify(&self, status: &u16) -> Outcome {
    ///         if *status < 500 { Outcome::Success } else { Outcome::Fail }
    ///     }
    ///
    ///     fn explain(&self, status: &u16, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    ///         write!(f, "the server answered {status}")
    ///     }
    /// }
    ///
    /// static SERVER: Retrier<Status, NoBudget> = Retrier::new(Policy::new(3), NoBudget, Status);
    ///
    /// #[retry(retrier = SERVER, observe = |event| why.extend(event.error.map(|e| e.to_string())))]
    /// async fn ask(why: &mut Vec<String>) -> u16 {
    ///     501
    /// }
    ///
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let mut why = Vec::new();
    /// ask(&mut why).await;
    /// assert_eq!(why, ["the server answered 501"]);
    /// # });
    /// ```
    fn explain(&self, result: &R, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let _ = (result, f);
        Ok(())
    }
}

#[diagnostic::do_not_recommend]
impl<R: ?Sized, F> Classify<R> for F
where
    F: Fn(&R) -> Outcome + ?Sized,
{
    fn classify(&self, result: &R) -> Outcome {
        self(result)
    }
}

/// A classifier of `Result<T, E>` from a function of the error: `Ok` is
/// [`Success`](Outcome::Success).
///
/// ```
/// use retry_runtime::{Classify, Outcome, on_err};
/// use std::io;
///
/// let classifier = on_err(|error: &io::Error| match error.kind() {
///     io::ErrorKind::ConnectionRefused => Outcome::Retry,
///     _ => Outcome::Stop,
/// });
/// assert_eq!(classifier.classify(&Ok::<u8, io::Error>(1)), Outcome::Success);
/// ```
pub const fn on_err<F>(classify: F) -> OnErr<F> {
    OnErr(classify)
}

/// The classifier made by [`on_err`].
#[derive(Clone, Copy)]
pub struct OnErr<F>(F);

impl<F> fmt::Debug for OnErr<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OnErr").finish_non_exhaustive()
    }
}

impl<T, E, F> Classify<Result<T, E>> for OnErr<F>
where
    F: Fn(&E) -> Outcome,
{
    fn classify(&self, result: &Result<T, E>) -> Outcome {
        match result {
            Ok(_) => Outcome::Success,
            Err(error) => (self.0)(error),
        }
    }
}
