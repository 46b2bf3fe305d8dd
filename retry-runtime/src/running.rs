//! Running a call: the whole loop around a closure.

use core::fmt;
use core::future::Future;
use core::pin::pin;
use core::time::Duration;

use crate::attempt::Attempt;
use crate::blocking;
use crate::call::Call;
use crate::classify::Classify;
use crate::clock::Waits;
use crate::decision::Decision;
use crate::event::EventKind;
use crate::outcome::Outcome;
use crate::reason::{Told, Written};
use crate::retrier::{Retrier, SharedBudget};
use crate::timer::Timer;
use crate::waiting::{begins_cancelled, is_cancelled, unless, wait};

/// A call that judges results by itself, as [`Call::run`] needs it: that of a
/// [`Retrier`], or one with [`Call::classify`].
#[diagnostic::on_unimplemented(
    message = "this call has no classifier for `{R}`",
    label = "no classifier for `{R}`",
    note = "the call of a `Retrier` judges by its classifier, which has to implement `Classify<{R}>`; that of a `Policy` has none: write `call.classify(&classifier)`, or `call.run_with(classifier, ..)`"
)]
pub trait HasClassifier<R: ?Sized> {
    /// What `result` means, as the classifier judges it.
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

impl<T: Timer, C> Call<'_, T, C> {
    /// Decides on a result that the classifier of the call has judged, and may explain.
    #[track_caller]
    fn decide_judged<R>(&mut self, result: &R, outcome: Outcome, cancelled: bool) -> Decision
    where
        C: HasClassifier<R>,
    {
        let (attempt, decision) = self.settle(outcome, cancelled, None);
        let text = |f: &mut fmt::Formatter<'_>| self.classifier().explained(result, f);
        let told = Told { text: Some(&Written(text)), status: None };
        self.tell(EventKind::Attempt, attempt, decision, None, told);
        decision
    }
}

impl<T: Waits + Copy, C> Call<'_, T, C> {
    /// Makes the whole call: runs `attempt`, judges its result by the classifier of the
    /// call, and waits, until there is nothing more to do. It gives the last result, and
    /// the call says afterwards why it ended ([`decision`](Call::decision)) and after how
    /// many attempts ([`attempt`](Call::attempt)).
    ///
    /// This is the form for a loop in the middle of a function, where there is work before
    /// and after it:
    ///
    /// ```
    /// use retry_runtime::{Budget, Decision, Outcome, Policy, Retrier, on_err};
    /// use std::io;
    ///
    /// fn classify_io(error: &io::Error) -> Outcome {
    ///     if error.kind() == io::ErrorKind::TimedOut { Outcome::Retry } else { Outcome::Stop }
    /// }
    ///
    /// #[derive(Debug)]
    /// struct GaveUp { attempts: u32, why: Option<Decision>, source: io::Error }
    ///
    /// struct Client { address: String }
    ///
    /// impl Client {
    ///     async fn send(&self, request: &str, attempt: u32) -> io::Result<String> {
    ///         if attempt < 3 { return Err(io::ErrorKind::TimedOut.into()); }
    ///         Ok(format!("{request} to {}", self.address))
    ///     }
    ///
    ///     async fn get(&self, id: u32) -> Result<String, GaveUp> {
    ///         let request = format!("GET {id}");
    ///         let retrier = Retrier::new(Policy::new(4), Budget::new(10, 0.1), on_err(classify_io));
    ///         let mut call = retrier.call();
    ///         let result = call.run(async |attempt| self.send(&request, attempt.number()).await).await;
    ///         result.map_err(|source| GaveUp { attempts: call.attempt(), why: call.decision(), source })
    ///     }
    /// }
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap().block_on(async {
    /// let client = Client { address: "payments".to_owned() };
    /// assert_eq!(client.get(5).await.unwrap(), "GET 5 to payments");
    /// # });
    /// ```
    ///
    /// The limits, the observer and the name are those of the call. Nothing is allocated,
    /// the future is `Send` if the attempt's future and the classifier let it be, and the
    /// result of an attempt is dropped before the wait that follows it.
    ///
    /// # Two closures that rustc refuses
    ///
    /// An attempt is run more than once. A closure that **moves what it captured** into
    /// its future has nothing left for the second one (E0507: "cannot move out of"): write
    /// no `move`, so that the future borrows.
    ///
    /// ```compile_fail
    /// # use retry_runtime::{Outcome, Policy};
    /// # async fn send(request: String) -> Result<(), ()> { Ok(()) }
    /// # async fn charge(request: String) -> Result<(), ()> {
    /// # let mut call = Policy::new(3).call_without_budget();
    /// call.run_with(|_: &_| Outcome::Success, async move |_| send(request).await).await
    /// # }
    /// ```
    ///
    /// A closure that **changes what it captured** lends it to its future, and `FnMut` has
    /// no way to say so ("async closure does not implement `FnMut` because it captures state
    /// from its environment"). For state that attempts hand on write
    /// [`retry_block!`](macro@crate::retry_block), whose block borrows local variables by
    /// `&mut`; or keep it in a `Cell`.
    ///
    /// ```compile_fail
    /// # use retry_runtime::{Outcome, Policy};
    /// # async fn resume(offset: &mut u64) -> Result<(), ()> { Ok(()) }
    /// # async fn download() -> Result<(), ()> {
    /// # let mut call = Policy::new(3).call_without_budget();
    /// let mut offset = 0;
    /// call.run_with(|_: &_| Outcome::Success, async |_| resume(&mut offset).await).await
    /// # }
    /// ```
    ///
    /// # Panics
    ///
    /// As [`again`](Call::again): if the call is over, and, where there is something to
    /// wait for and no other [`timer`](Call::timer), outside a tokio runtime with its timer
    /// enabled.
    pub async fn run<R, F>(&mut self, mut attempt: impl FnMut(Attempt<T>) -> F) -> R
    where
        F: Future<Output = R>,
        C: HasClassifier<R>,
    {
        let mut watch = self.watch();
        loop {
            let delay = {
                let result = attempt(self.handle()).await;
                let outcome = self.classifier().judge(&result);
                let decision = self.decide_judged(&result, outcome, false);
                self.tell_watch(&mut watch);
                match decision {
                    Decision::Again { delay } => delay,
                    _ => return result,
                }
            };
            wait(*self.timing(), delay).await;
        }
    }

    /// As [`run`](Call::run), judged by `classifier` instead of that of the call: a
    /// function of the whole result, or a value that implements [`Classify`]. A closure
    /// says the type of its parameter.
    ///
    /// ```
    /// use retry_runtime::{Budget, Outcome, Policy};
    ///
    /// static PAYMENTS: Budget = Budget::new(10, 0.1);
    ///
    /// fn classify<T>(result: &Result<T, u16>) -> Outcome {
    ///     match result {
    ///         Ok(_) => Outcome::Success,
    ///         Err(503) => Outcome::Retry,
    ///         Err(_) => Outcome::Stop,
    ///     }
    /// }
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap().block_on(async {
    /// let answer = Policy::new(4)
    ///     .call(&PAYMENTS)
    ///     .run_with(classify, async |attempt| if attempt.is_first() { Err(503) } else { Ok(200) })
    ///     .await;
    /// assert_eq!(answer, Ok(200));
    /// # });
    /// ```
    ///
    /// # Panics
    ///
    /// As [`run`](Call::run).
    pub async fn run_with<R, F>(
        &mut self,
        classifier: impl Classify<R>,
        mut attempt: impl FnMut(Attempt<T>) -> F,
    ) -> R
    where
        F: Future<Output = R>,
    {
        let mut watch = self.watch();
        loop {
            let delay = {
                let result = attempt(self.handle()).await;
                let outcome = classifier.classify(&result);
                let text = |f: &mut fmt::Formatter<'_>| classifier.explain(&result, f);
                let told = Told { text: Some(&Written(text)), status: None };
                let decision = self.decide_told(outcome, false, None, told);
                self.tell_watch(&mut watch);
                match decision {
                    Decision::Again { delay } => delay,
                    _ => return result,
                }
            };
            wait(*self.timing(), delay).await;
        }
    }

    /// As [`run`](Call::run), for an attempt that judges itself: it gives its result and
    /// what that means. For what only the body knows, such as a setup error, which is final
    /// where the same error of the request would be repeated.
    ///
    /// ```
    /// use retry_runtime::{Outcome, Policy};
    ///
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// async fn token() -> Result<u32, &'static str> { Err("no credentials") }
    ///
    /// let mut call = Policy::new(4).call_without_budget();
    /// let result = call
    ///     .run_judged(async |_| match token().await {
    ///         Ok(token) => (Ok(token), Outcome::Success),
    ///         Err(error) => (Err(error), Outcome::Stop),
    ///     })
    ///     .await;
    /// assert_eq!((result, call.attempt()), (Err("no credentials"), 1));
    /// # });
    /// ```
    ///
    /// # Panics
    ///
    /// As [`run`](Call::run).
    pub async fn run_judged<R, F>(&mut self, mut attempt: impl FnMut(Attempt<T>) -> F) -> R
    where
        F: Future<Output = (R, Outcome)>,
    {
        let mut watch = self.watch();
        loop {
            let delay = {
                let (result, outcome) = attempt(self.handle()).await;
                let decision = self.decide(outcome);
                self.tell_watch(&mut watch);
                match decision {
                    Decision::Again { delay } => delay,
                    _ => return result,
                }
            };
            wait(*self.timing(), delay).await;
        }
    }

    /// As [`run`](Call::run), but the call is given up when `cancel` completes: the
    /// attempt that runs is not cut short, a wait is, and the decision is
    /// [`Cancelled`](Decision::Cancelled). `cancel` is polled before the first attempt
    /// (which runs even if it has completed by then), after each that asks for another,
    /// and during the waits.
    ///
    /// ```
    /// use retry_runtime::{Decision, NoBudget, Outcome, Policy, Retrier};
    /// use std::time::Duration;
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap().block_on(async {
    /// let poll = |done: &bool| if *done { Outcome::Success } else { Outcome::Repeat };
    /// let retrier = Retrier::new(Policy::unlimited(), NoBudget, poll);
    /// let mut call = retrier.call();
    /// let shutdown = tokio::time::sleep(Duration::from_secs(60));
    /// let done = call.run_unless(shutdown, async |_| false).await;
    /// assert_eq!((done, call.decision()), (false, Some(Decision::Cancelled)));
    /// # });
    /// ```
    ///
    /// # Panics
    ///
    /// As [`run`](Call::run).
    pub async fn run_unless<R, F>(
        &mut self,
        cancel: impl Future,
        mut attempt: impl FnMut(Attempt<T>) -> F,
    ) -> R
    where
        F: Future<Output = R>,
        C: HasClassifier<R>,
    {
        let mut watch = self.watch();
        let mut cancel = pin!(Some(cancel));
        begins_cancelled(cancel.as_mut()).await;
        loop {
            let result = attempt(self.handle()).await;
            let outcome = self.classifier().judge(&result);
            let cancelled = outcome.asks_again() && is_cancelled(cancel.as_mut()).await;
            let decision = self.decide_judged(&result, outcome, cancelled);
            self.tell_watch(&mut watch);
            let Decision::Again { delay } = decision else { return result };
            let Some(future) = cancel.as_mut().as_pin_mut() else { return result };
            if !unless(future, wait(*self.timing(), delay)).await {
                self.cut();
                watch.end();
                return result;
            }
        }
    }
}

impl<T: Timer + Copy, C> Call<'_, T, C> {
    /// As [`run`](Call::run), for a thread: the waits block it. The limits of the call are
    /// on the clock that the thread sleeps by, [`std::time::Instant`].
    ///
    /// ```
    /// use retry_runtime::{Budget, Outcome, Policy, Retrier, on_err};
    /// use std::io;
    ///
    /// let classifier = on_err(|error: &io::Error| match error.kind() {
    ///     io::ErrorKind::TimedOut => Outcome::RetryIn(std::time::Duration::ZERO),
    ///     _ => Outcome::Stop,
    /// });
    /// let retrier = Retrier::new(Policy::new(3), Budget::new(10, 0.1), classifier);
    /// let mut sent = 0;
    /// let mut call = retrier.call();
    /// let result = call.run_blocking(|_| {
    ///     sent += 1;
    ///     if sent < 3 { Err(io::Error::from(io::ErrorKind::TimedOut)) } else { Ok(sent) }
    /// });
    /// assert_eq!((result.unwrap(), call.attempt()), (3, 3));
    /// ```
    ///
    /// # Panics
    ///
    /// If the call is over.
    #[track_caller]
    pub fn run_blocking<R>(&mut self, mut attempt: impl FnMut(Attempt<T>) -> R) -> R
    where
        C: HasClassifier<R>,
    {
        self.block();
        loop {
            let delay = {
                let result = attempt(self.handle());
                let outcome = self.classifier().judge(&result);
                match self.decide_judged(&result, outcome, false) {
                    Decision::Again { delay } => delay,
                    _ => return result,
                }
            };
            blocking::wait(delay);
        }
    }

    /// As [`run_blocking`](Call::run_blocking), but the call can be given up, also during a
    /// wait: by Ctrl-C, or when the program stops. When `cancelled(delay)` is asked, see
    /// [`again_blocking_unless`](Call::again_blocking_unless).
    ///
    /// ```
    /// use retry_runtime::{Decision, NoBudget, Outcome, Policy, Retrier, on_err};
    /// use std::sync::mpsc;
    ///
    /// let (ctrl_c, stop) = mpsc::channel();
    /// let retrier = Retrier::new(Policy::new(9), NoBudget, on_err(|_: &u8| Outcome::Retry));
    /// let mut call = retrier.call();
    /// let result = call.run_blocking_unless(
    ///     |delay| stop.recv_timeout(delay).is_ok(),
    ///     |_| -> Result<(), u8> {
    ///         ctrl_c.send(()).unwrap();
    ///         Err(1)
    ///     },
    /// );
    /// assert_eq!((result, call.decision()), (Err(1), Some(Decision::Cancelled)));
    /// ```
    ///
    /// # Panics
    ///
    /// If the call is over.
    #[track_caller]
    pub fn run_blocking_unless<R>(
        &mut self,
        mut cancelled: impl FnMut(Duration) -> bool,
        mut attempt: impl FnMut(Attempt<T>) -> R,
    ) -> R
    where
        C: HasClassifier<R>,
    {
        self.block();
        loop {
            let result = attempt(self.handle());
            if !self.again_blocking_unless(self.classifier().judge(&result), &mut cancelled) {
                return result;
            }
        }
    }
}

impl<C, B: SharedBudget> Retrier<C, B> {
    /// Makes a call: see [`Call::run`]. For its limits, observer and name, or to ask it
    /// afterwards why it ended, start with [`call`](Retrier::call).
    ///
    /// ```
    /// use retry_runtime::{Budget, Outcome, Policy, Retrier, on_err};
    ///
    /// static DNS: Retrier<fn(&Result<u32, u8>) -> Outcome> =
    ///     Retrier::new(Policy::new(3), Budget::new(10, 0.1), |result| match result {
    ///         Ok(_) => Outcome::Success,
    ///         Err(_) => Outcome::Retry,
    ///     });
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap().block_on(async {
    /// let address = DNS.run(async |attempt| if attempt.is_first() { Err(1) } else { Ok(7) }).await;
    /// assert_eq!(address, Ok(7));
    /// # });
    /// ```
    ///
    /// # Panics
    ///
    /// Where there is something to wait for, outside a tokio runtime with its timer enabled.
    #[cfg(feature = "tokio")]
    pub async fn run<R, F>(&self, attempt: impl FnMut(Attempt) -> F) -> R
    where
        F: Future<Output = R>,
        C: Classify<R>,
    {
        self.call().run(attempt).await
    }

    /// Makes a call that blocks its thread while it waits: see [`Call::run_blocking`].
    ///
    /// ```
    /// use retry_runtime::{NoBudget, Outcome, Policy, Retrier, on_err};
    ///
    /// let retrier = Retrier::new(Policy::new(3), NoBudget, on_err(|_: &u8| Outcome::Retry));
    /// let answer = retrier.run_blocking(|attempt| if attempt.is_first() { Err(1) } else { Ok(7) });
    /// assert_eq!(answer, Ok(7));
    /// ```
    pub fn run_blocking<R>(&self, attempt: impl FnMut(Attempt) -> R) -> R
    where
        C: Classify<R>,
    {
        self.call().run_blocking(attempt)
    }
}
