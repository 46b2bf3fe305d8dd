//! No path of a call allocates: not a decision, not a draw, not a wait.
//!
//! A test binary of its own, because the counting allocator that it links is
//! the allocator of the whole process. With `metrics`, an attempt allocates its labels.

#![cfg(all(feature = "tokio", not(feature = "metrics")))]

use std::future::{Future, pending, ready};
use std::task::{Context, Waker};
use std::time::{Duration, Instant};

use allocation_counter::measure;
use retry_runtime::{Backoff, Budget, Event, Jitter, Outcome, Policy};

static BUDGET: Budget = Budget::new(100, 1.0);
const SECONDS: Policy = Policy::new(4);
const AT_ONCE: Policy = Policy::new(4).backoff(Backoff::none());

pub(crate) fn allocations(work: impl FnOnce()) -> u64 {
    measure(work).count_total
}

/// Polls to the end a future that needs no more than to be polled again.
pub(crate) fn finish<F: Future>(future: F) {
    let mut future = std::pin::pin!(future);
    let mut context = Context::from_waker(Waker::noop());
    while future.as_mut().poll(&mut context).is_pending() {}
}

#[test]
fn the_counter_counts() {
    assert_eq!(allocations(|| drop(std::hint::black_box(Box::new(1)))), 1);
}

#[test]
fn no_decision_allocates() {
    let schedule = |_: u32| Duration::from_secs(1);
    let observer = |event: &Event<'_>| assert!(event.attempt > 0);
    let start = Instant::now();
    for outcome in [
        Outcome::Success,
        Outcome::Retry,
        Outcome::RetryAfter(Duration::from_secs(1)),
        Outcome::RetryIn(Duration::from_secs(1)),
        Outcome::Fail,
        Outcome::Stop,
    ] {
        let count = allocations(|| {
            let _ = SECONDS.call(&BUDGET).decide(outcome);
            let _ = SECONDS.call_without_budget().decide(outcome);
            let _ = SECONDS.call(&BUDGET).schedule(&schedule).observe(&observer).decide(outcome);
            let _ = SECONDS.call(&BUDGET).deadline(start).decide(outcome);
            let limited = SECONDS.within(Duration::from_secs(1));
            let _ = limited.call(&BUDGET).starting_at(start).decide_at(outcome, start);
        });
        assert_eq!(count, 0, "{outcome}");
    }
}

#[test]
fn no_draw_allocates_not_even_the_first_of_a_thread() {
    let jitters = [Jitter::None, Jitter::Full, Jitter::Subtract(0.5), Jitter::Add(0.5)];
    let draw = move || {
        allocations(|| {
            for jitter in jitters {
                let plain = Policy::new(2).backoff(Backoff::DEFAULT.jitter(jitter));
                let seeded = Policy::new(2).backoff(Backoff::DEFAULT.jitter(jitter).seed(7));
                let _ = plain.call_without_budget().decide(Outcome::Retry);
                let _ = seeded.call_without_budget().decide(Outcome::Retry);
            }
        })
    };
    assert_eq!(std::thread::spawn(draw).join().unwrap(), 0);
}

#[test]
fn no_zero_wait_allocates() {
    let count = allocations(|| {
        finish(async {
            let mut call = AT_ONCE.call(&BUDGET);
            while call.again(Outcome::Retry).await {}
            let mut call = AT_ONCE.call(&BUDGET);
            while call.again_unless(Outcome::Retry, pending::<()>()).await {}
            let mut call = AT_ONCE.call(&BUDGET);
            call.again_unless(Outcome::Retry, ready(())).await;
            let mut call = AT_ONCE.call(&BUDGET);
            while call.again_blocking(Outcome::Retry) {}
        });
    });
    assert_eq!(count, 0);
}

#[test]
fn no_wait_on_the_timer_allocates() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .unwrap();
    runtime.block_on(async {
        let mut call = SECONDS.call(&BUDGET);
        // Polled by hand, so that what is counted is the wait and not the executor.
        let count = {
            let mut again = std::pin::pin!(call.again(Outcome::RetryIn(Duration::from_secs(9))));
            let mut context = Context::from_waker(Waker::noop());
            let count = allocations(|| {
                assert!(again.as_mut().poll(&mut context).is_pending());
            });
            tokio::time::advance(Duration::from_secs(10)).await;
            count + allocations(|| assert!(again.as_mut().poll(&mut context).is_ready()))
        };
        assert_eq!(count, 0);
    });
}

/// Looks at every field of every event, and keeps nothing.
#[cfg(feature = "tracing")]
mod subscriber {
    use std::fmt::Debug;
    use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

    use tracing::field::{Field, Visit};
    use tracing::{Event, Metadata, Subscriber, span};

    pub struct Looks {
        pub events: &'static Events,
    }

    pub type Events = AtomicU32;

    struct Fields;

    impl Visit for Fields {
        fn record_debug(&mut self, _: &Field, _: &dyn Debug) {}
    }

    impl Subscriber for Looks {
        fn enabled(&self, _: &Metadata<'_>) -> bool {
            true
        }
        fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
            span::Id::from_u64(1)
        }
        fn record(&self, _: &span::Id, _: &span::Record<'_>) {}
        fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}
        fn event(&self, event: &Event<'_>) {
            event.record(&mut Fields);
            self.events.fetch_add(1, Relaxed);
        }
        fn enter(&self, _: &span::Id) {}
        fn exit(&self, _: &span::Id) {}
    }
}

#[cfg(feature = "tracing")]
#[test]
fn no_event_of_tracing_allocates() {
    use std::sync::atomic::Ordering::Relaxed;

    use subscriber::{Events, Looks};
    use tracing_subscriber::util::SubscriberInitExt;

    static EVENTS: Events = Events::new(0);
    let budget = Budget::new(100, 0.1).named("payments");
    let _guard = Looks { events: &EVENTS }.set_default();
    let calls = || {
        let mut call = SECONDS.call(&budget).named("charge");
        let _ = (call.decide(Outcome::Retry), call.decide(Outcome::Success));
        let _ = SECONDS.call(&budget).decide(Outcome::Stop);
    };
    // A call site makes itself known at its first event.
    calls();
    let before = EVENTS.load(Relaxed);
    assert_eq!(allocations(calls), 0);
    assert_eq!(EVENTS.load(Relaxed) - before, 3);
}
