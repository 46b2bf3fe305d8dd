//! The attempts of one request through the layer, and the waits between them.

use core::fmt;
use core::future::{Future, poll_fn};
use core::pin::pin;
use core::time::Duration;
use std::sync::Arc;

use tower_service::Service;

use super::ending::{Account, Books, CallEnd, Ending, OpenCall, without_another};
use super::exchange::Exchange;
use super::settings::{CallSettings, Settings, either};
use crate::call::Call;
use crate::clock::TokioTimer;
use crate::decision::Decision;
use crate::outcome::Outcome;
use crate::policy::Policy;
use crate::reason::{Told, Written};
use crate::retrier::SharedBudget;
use crate::telemetry::{self, Watch};
use crate::timer::Timer;
use crate::waiting::{Unpaid, has_completed, is_ready, unless, wait, yield_once};

/// The longest that the wait is spent on reading a response that is not wanted:
/// meanwhile the response holds its connection.
const DISCARD: Duration = Duration::from_millis(100);

impl<X, B> Settings<X, B>
where
    X: Send + Sync + 'static,
    B: SharedBudget + Send + Sync + 'static,
{
    /// One call. `ready` is what the service said of its readiness for the first attempt;
    /// `given` goes before what the exchange says.
    pub(super) async fn attempts<S, Request>(
        self: Arc<Self>,
        mut service: S,
        mut ready: Result<(), S::Error>,
        mut request: Request,
        given: CallSettings,
    ) -> Result<X::Answer, S::Error>
    where
        S: Service<Request> + Clone,
        X: Exchange<Request, S::Response, S::Error>,
    {
        let asked = given.or(self.exchange.settings(&request));
        let policy = asked.policy.unwrap_or(self.policy);
        let mut call = self.call(&policy, &asked);
        let can_cancel = asked.cancel.is_some() || self.cancel.is_some();
        let signal = either(
            asked.cancel.as_ref().map(|signal| signal()),
            self.cancel.as_ref().map(|signal| signal()),
        );
        let mut cancel = pin!(signal);
        let seen = self.exchange.see(&request);
        let mut repeated_at_once = 0;
        let mut watch = Watch::new(&self.name);
        loop {
            let is_last = policy.attempts().is_some_and(|limit| call.attempt() >= limit);
            let mut copy = match is_last && !X::REPEATS_AT_ONCE {
                true => None,
                false => self.exchange.copy(&mut request),
            };
            self.exchange.prepare(&seen, &mut request, call.handle());
            let mut result = send(&mut service, ready, request).await;
            if X::REPEATS_AT_ONCE && self.exchange.repeats_at_once(&seen, &result) {
                if let Some(mut again) = copy.take() {
                    drop(result);
                    copy = self.exchange.copy(&mut again);
                    self.exchange.prepare(&seen, &mut again, call.handle());
                    repeated_at_once += 1;
                    telemetry::repeated_at_once(&self.name);
                    ready = readiness(&mut service).await;
                    result = send(&mut service, ready, again).await;
                }
            }
            let end = |decision, attempts| {
                Ending::Ended(CallEnd { decision, attempts, repeated_at_once })
            };
            let mut outcome = self.exchange.classify(&seen, &result);
            if let (Outcome::Success, Ok(response)) = (outcome, &result) {
                if self.exchange.is_open(&seen, response) {
                    // What is left of the call is the reader's.
                    watch.end();
                    let account = Account {
                        policy,
                        budget: asked.budget.clone(),
                        attempt: call.attempt(),
                        started: call.started(),
                        status: self.exchange.status(response),
                    };
                    let books: Arc<dyn Books + Send + Sync> = self.clone();
                    let ending = Ending::Open(OpenCall::new(books, account, repeated_at_once));
                    return result.map(|response| self.exchange.finish(seen, response, ending));
                }
            }
            if copy.is_none() && !is_last {
                outcome = without_another(outcome);
            }
            let cancelled = can_cancel
                && outcome.asks_again()
                && has_completed(cancel.as_mut(), Unpaid::of(outcome, call.paying())).await;
            // In a block, so that nothing of it is kept over the wait.
            let decision = {
                let explain = |f: &mut fmt::Formatter<'_>| self.exchange.explain(&seen, &result, f);
                let status = result.as_ref().ok().and_then(|answer| self.exchange.status(answer));
                let text = Written(explain);
                let told = Told { text: Some(&text), status };
                call.decide_told(outcome, cancelled, None, told)
            };
            watch.decided(&self.name, decision, call.attempt());
            let (Decision::Again { delay }, Some(next)) = (decision, copy) else {
                let end = end(decision, call.attempt());
                return result.map(|response| self.exchange.finish(seen, response, end));
            };
            request = next;
            if can_cancel {
                // The result is kept: a wait that is cut short returns it.
                if !unless(cancel.as_mut(), wait(TokioTimer, delay)).await {
                    call.cut();
                    watch.end();
                    let end = end(Decision::Cancelled, call.attempt());
                    return result.map(|response| self.exchange.finish(seen, response, end));
                }
                if let Ok(response) = result {
                    is_ready(pin!(self.exchange.discard(response))).await;
                }
            } else if let Ok(response) = result {
                wait_while(self.exchange.discard(response), delay).await;
            } else {
                drop(result);
                wait(TokioTimer, delay).await;
            }
            ready = readiness(&mut service).await;
        }
    }

    fn call<'s>(&'s self, policy: &Policy, asked: &'s CallSettings) -> Call<'s> {
        let budget = asked.budget.as_deref().or_else(|| self.budget.shared_budget());
        let call = match budget {
            Some(budget) => policy.call(budget),
            None => policy.call_without_budget(),
        };
        let mut call = call.named(&self.name);
        if let Some(observer) = &self.observer {
            call = call.observe(&**observer);
        }
        match asked.deadline {
            Some(deadline) => call.deadline(deadline),
            None => call,
        }
    }
}

impl<X, B> Books for Settings<X, B>
where
    X: Send + Sync + 'static,
    B: SharedBudget + Send + Sync + 'static,
{
    fn settle(&self, account: &Account, outcome: Outcome, told: Told<'_>) {
        let asked = CallSettings { budget: account.budget.clone(), ..CallSettings::new() };
        let mut call = self.call(&account.policy, &asked).resumed(account.attempt, account.started);
        let _ = call.decide_told(outcome, false, None, told);
    }

    fn dropped(&self, attempt: u32) {
        // A watch whose call has not ended reports it when it goes.
        let mut watch = Watch::new(&self.name);
        watch.decided(&self.name, Decision::Again { delay: Duration::ZERO }, attempt);
    }
}

/// Sends a request, if the service was ready.
async fn send<S: Service<Request>, Request>(
    service: &mut S,
    ready: Result<(), S::Error>,
    request: Request,
) -> Result<S::Response, S::Error> {
    match ready {
        Ok(()) => service.call(request).await,
        Err(error) => Err(error),
    }
}

/// Asks the service whether it is ready. One that says that it cannot be any more is
/// replaced by its clone, for the attempt after the next.
async fn readiness<S: Service<Request> + Clone, Request>(service: &mut S) -> Result<(), S::Error> {
    let ready = poll_fn(|context| service.poll_ready(context)).await;
    if ready.is_err() {
        *service = service.clone();
    }
    ready
}

/// Waits, and gets rid of a response meanwhile.
async fn wait_while(discard: impl Future<Output = ()>, delay: Duration) {
    if delay.is_zero() {
        is_ready(pin!(discard)).await;
        return yield_once().await;
    }
    let started = TokioTimer.now();
    // What has not arrived by then is not worth its connection.
    let _ = tokio::time::timeout(delay.min(DISCARD), discard).await;
    let left = delay.saturating_sub(TokioTimer.now().saturating_duration_since(started));
    if !left.is_zero() {
        tokio::time::sleep(left).await;
    }
}
