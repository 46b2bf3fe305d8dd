//! The error of a call that has no classifier to be run with. Of a bound on `run` itself rustc
//! would report the call, its future and the wait for it, or a method that is not there.

use core::future::{Future, Ready};
use core::time::Duration;

use crate::attempt::Attempt;
use crate::call::Call;

/// Implemented for nothing.
#[diagnostic::on_unimplemented(
    message = "this call has no classifier",
    label = "no classifier",
    note = "the call of a `Retrier` judges by its classifier, that of a `Policy` has none: write `call.classify(&classifier)`, or `call.run_with(classifier, ..)`"
)]
#[doc(hidden)]
pub trait Judged {}

impl<T> Call<'_, T, ()> {
    #[doc(hidden)]
    pub fn run<R, F>(&mut self, attempt: impl FnMut(Attempt<T>) -> F) -> Ready<R>
    where
        F: Future<Output = R> + Judged,
    {
        let _ = attempt;
        unreachable!("no future is `Judged`")
    }

    #[doc(hidden)]
    pub fn run_unless<R, F>(
        &mut self,
        cancel: impl Future,
        attempt: impl FnMut(Attempt<T>) -> F,
    ) -> Ready<R>
    where
        F: Future<Output = R> + Judged,
    {
        let _ = (cancel, attempt);
        unreachable!("no future is `Judged`")
    }

    #[doc(hidden)]
    pub fn run_blocking<R: Judged>(&mut self, attempt: impl FnMut(Attempt<T>) -> R) -> R {
        let _ = attempt;
        unreachable!("no result is `Judged`")
    }

    #[doc(hidden)]
    pub fn run_blocking_unless<R: Judged>(
        &mut self,
        cancelled: impl FnMut(Duration) -> bool,
        attempt: impl FnMut(Attempt<T>) -> R,
    ) -> R {
        let _ = (cancelled, attempt);
        unreachable!("no result is `Judged`")
    }
}
