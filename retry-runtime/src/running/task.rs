//! The loop around a closure that gives a future.

use core::fmt::Formatter;
use core::future::Future;
use core::pin::pin;

use crate::attempt::Attempt;
use crate::call::Call;
use crate::classify::Classify;
use crate::clock::Waits;
use crate::decision::Decision;
use crate::outcome::Outcome;
use crate::running::judge::{ByItself, Given, Judge, OfCall};
use crate::running::{HasClassifier, WithClassifier};
use crate::waiting::{Cancellation, begins_cancelled, completes, is_cancelled, wait, wait_unless};

impl<T: Waits + Copy, C: WithClassifier> Call<'_, T, C> {
    /// Makes the whole call: runs `attempt`, judges its result by the classifier of the call, and
    /// waits, until the call ends. It returns the last result. Afterwards the call has the reason
    /// for its end ([`decision`](Call::decision)) and the number of attempts
    /// ([`attempt`](Call::attempt)).
    ///
    /// Use it for a loop in the middle of a function, with other work before and after it:
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
    ///         let result = call
    ///             .run(async |attempt| self.send(&request, attempt.number()).await)
    ///             .await;
    ///         let (attempts, why) = (call.attempt(), call.decision());
    ///         result.map_err(|source| GaveUp { attempts, why, source })
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
    /// An attempt is run more than once. A closure that **moves what it captured** into its future
    /// has nothing left for the second run (E0507: "cannot move out of"): write no `move`, so that
    /// the future borrows.
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
    /// A closure that **changes what it captured** lends it to its future, which `FnMut` cannot
    /// express ("async closure does not implement `FnMut` because it captures state from its
    /// environment"). For state shared by the attempts write
    /// [`retry_block!`](macro@crate::retry_block), whose block borrows local variables by `&mut`;
    /// or keep it in a `Cell`.
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
    pub fn run<R, F>(&mut self, attempt: impl FnMut(Attempt<T>) -> F) -> impl Future<Output = R>
    where
        F: Future<Output = R>,
        C: HasClassifier<R>,
    {
        let judge = OfCall(*self.classifier());
        self.run_by(judge, attempt)
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
    #[allow(clippy::manual_async_fn)] // An `async fn` would hold its arguments twice.
    pub fn run_unless<R, F>(
        &mut self,
        cancel: impl Future,
        mut attempt: impl FnMut(Attempt<T>) -> F,
    ) -> impl Future<Output = R>
    where
        F: Future<Output = R>,
        C: HasClassifier<R>,
    {
        async move {
            self.assert_open();
            let mut watch = self.watch();
            let mut cancel: Cancellation<'_, _> = (completes, pin!(Some(cancel)));
            begins_cancelled(&mut cancel).await;
            loop {
                let result = attempt(self.handle()).await;
                let outcome = self.classifier().judge(&result);
                let cancelled =
                    outcome.asks_again() && is_cancelled(&mut cancel, outcome, self.paying()).await;
                let decision = self.decide_judged(&result, outcome, cancelled);
                self.tell_watch(&mut watch);
                let Decision::Again { delay } = decision else { return result };
                if !wait_unless(*self.timing(), &mut cancel, delay).await {
                    self.cut_judged(&result);
                    watch.end();
                    return result;
                }
            }
        }
    }
}

impl<T: Waits + Copy, C> Call<'_, T, C> {
    /// The loop of `run`, `run_with` and `run_judged`.
    #[allow(clippy::manual_async_fn)] // An `async fn` would hold its arguments twice.
    fn run_by<F: Future, J: Judge<F::Output>>(
        &mut self,
        judge: J,
        mut attempt: impl FnMut(Attempt<T>) -> F,
    ) -> impl Future<Output = J::Result> {
        async move {
            self.assert_open();
            let mut watch = self.watch();
            loop {
                let delay = {
                    let (result, outcome) = judge.judge(attempt(self.handle()).await);
                    let explain = |f: &mut Formatter<'_>| judge.explain(&result, f);
                    let decision = self.decide_explained(outcome, false, explain);
                    self.tell_watch(&mut watch);
                    match decision {
                        Decision::Again { delay } => delay,
                        _ => return result,
                    }
                };
                wait(*self.timing(), delay).await;
            }
        }
    }

    /// As [`run`](Call::run), judged by `classifier` instead of that of the call: a function of the
    /// whole result, or a value that implements [`Classify`]. A closure needs the type of its
    /// parameter.
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
    pub fn run_with<R, F>(
        &mut self,
        classifier: impl Classify<R>,
        attempt: impl FnMut(Attempt<T>) -> F,
    ) -> impl Future<Output = R>
    where
        F: Future<Output = R>,
    {
        self.run_by(Given(classifier), attempt)
    }

    /// As [`run`](Call::run), for an attempt that judges itself: it returns its result and the
    /// outcome. Use it where only the body can decide, as for a setup error which is final, though
    /// the same error of the request would be retried.
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
    pub fn run_judged<R, F>(
        &mut self,
        attempt: impl FnMut(Attempt<T>) -> F,
    ) -> impl Future<Output = R>
    where
        F: Future<Output = (R, Outcome)>,
    {
        self.run_by(ByItself, attempt)
    }
}
