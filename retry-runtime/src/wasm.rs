//! The timer of a browser or of node: `setTimeout`.

use core::future::Future;
use core::pin::Pin;
use core::task::{Context, Poll, ready};
use core::time::Duration;

use gloo_timers::future::TimeoutFuture;

use crate::time::Instant;
use crate::timer::Timer;

/// The timer of a browser, a worker or node on `wasm32-unknown-unknown`: the clock is
/// `performance.now`, and a wait is a `setTimeout`.
///
/// With the feature `wasm` it is the default timer on that target, so the same annotated function
/// runs under tokio and in a browser. Name it for the key `timer`,
/// [`Call::timer`](crate::Call::timer) and generic code. Its futures are not `Send`, because
/// JavaScript's values are not.
///
/// ```no_run
/// use retry_runtime::{Budget, Outcome, WasmTimer, retry};
///
/// static PAYMENTS: Budget = Budget::new(10, 0.1);
///
/// #[retry(attempts = 4, budget = PAYMENTS, classify_err = |_| Outcome::Retry, timer = WasmTimer)]
/// async fn charge(cents: u32) -> Result<u32, std::io::Error> {
///     Ok(cents)
/// }
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct WasmTimer;

impl Timer for WasmTimer {
    type Sleep = WasmSleep;

    /// # Panics
    ///
    /// Where there is no `performance` in the global scope.
    fn now(&self) -> Instant {
        Instant::now()
    }

    fn sleep(&self, delay: Duration) -> WasmSleep {
        WasmSleep { until: Instant::now().checked_add(delay), timeout: timeout(delay) }
    }

    /// A millisecond.
    fn resolution(&self) -> Duration {
        Duration::from_millis(1)
    }
}

/// The wait of a [`WasmTimer`].
#[derive(Debug)]
pub struct WasmSleep {
    /// `None` is a time that no clock will show.
    until: Option<Instant>,
    timeout: TimeoutFuture,
}

impl Future for WasmSleep {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        loop {
            ready!(Pin::new(&mut self.timeout).poll(cx));
            // A timeout may fire before its time, and a long wait takes several.
            let left = match self.until {
                Some(until) => until.saturating_duration_since(Instant::now()),
                None => Duration::MAX,
            };
            if left.is_zero() {
                return Poll::Ready(());
            }
            self.timeout = timeout(left);
        }
    }
}

/// `setTimeout` counts whole milliseconds in 31 bits, and fires at once for more.
const LONGEST: u128 = i32::MAX as u128;

fn timeout(delay: Duration) -> TimeoutFuture {
    let millis = delay.as_nanos().div_ceil(1_000_000).min(LONGEST);
    TimeoutFuture::new(u32::try_from(millis).unwrap_or(u32::MAX))
}
