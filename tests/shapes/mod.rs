//! Functions of every shape that a retry makes sense for. They are compiled in
//! editions 2021 and 2024, with the lints of a strict crate: no warning may come
//! of the attribute. Each module is named for a kind of fault that attribute
//! macros over async bodies have had.

mod arguments;
mod captures;
mod classifiers;
mod futures;
mod hygiene;
mod inference;
mod items;
mod lints;
mod parameters;
mod receivers;
mod results;
mod time;
mod values;

use core::future::Future;
use core::pin::pin;
use core::task::{Context, Poll, Waker};

use retry_runtime::{Budget, Outcome};

/// Shared by every function here: no test looks at its tokens.
static BUDGET: Budget = Budget::new(1000, 1.0);

/// Retries every error but `"stop"`.
fn judge<T>(result: &Result<T, &'static str>) -> Outcome {
    match result {
        Ok(_) => Outcome::Success,
        Err("stop") => Outcome::Stop,
        Err(_) => Outcome::RetryIn(core::time::Duration::ZERO),
    }
}

/// Drives a future that is never waiting for anything but a yield.
fn run<F: Future>(future: F) -> F::Output {
    let mut pinned = pin!(future);
    let mut context = Context::from_waker(Waker::noop());
    for _ in 0..1000 {
        if let Poll::Ready(value) = pinned.as_mut().poll(&mut context) {
            return value;
        }
    }
    panic!("the future does not end");
}

/// What the plain function's future is, the retried one's must be.
fn must_be_send<T: Send>(value: T) -> T {
    value
}
