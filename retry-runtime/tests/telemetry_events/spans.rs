//! Spans are the user's, by `#[tracing::instrument]` above or below `#[retry]`.

use std::sync::Mutex;

use retry_runtime::{Backoff, Outcome, Policy, retry};
use tracing::{Event, Subscriber};
use tracing_attributes::instrument;
use tracing_subscriber::layer::{Context, Layer, SubscriberExt};
use tracing_subscriber::util::SubscriberInitExt;

use crate::classify;
use crate::lines::lines_of;

const AT_ONCE: Policy = Policy::new(3).backoff(Backoff::none());

#[tokio::test(start_paused = true)]
async fn a_span_for_each_attempt_can_say_which_it_is() {
    #[instrument(skip_all, fields(http.request.resend_count = attempt.number() - 1))]
    #[retry(policy = AT_ONCE, budget = none, classify = classify, attempt = attempt)]
    async fn fetch() -> Result<u32, Outcome> {
        if attempt.is_first() { Err(Outcome::Retry) } else { Ok(2) }
    }
    let (_, lines) = lines_of(fetch()).await;
    assert_eq!(lines[0], "span fetch: http.request.resend_count=0");
    assert!(lines[1].starts_with("WARN retry_runtime retry.again: "));
    assert_eq!(lines[2], "span fetch: http.request.resend_count=1");
    assert!(lines[3].starts_with("INFO retry_runtime retry.recovered: "));
}

#[tokio::test(start_paused = true)]
async fn a_span_for_each_call_is_around_its_events() {
    struct InSpan(Mutex<Vec<bool>>);
    impl<S> Layer<S> for &'static InSpan
    where
        S: Subscriber + for<'a> tracing_subscriber::registry::LookupSpan<'a>,
    {
        fn on_event(&self, event: &Event<'_>, context: Context<'_, S>) {
            self.0.lock().unwrap().push(context.event_span(event).is_some());
        }
    }
    #[retry(policy = AT_ONCE, budget = none, classify = classify)]
    #[instrument]
    async fn fetch() -> Result<u32, Outcome> {
        Err(Outcome::Retry)
    }
    let seen: &InSpan = Box::leak(Box::new(InSpan(Mutex::default())));
    let _guard = tracing_subscriber::registry().with(seen).set_default();
    let _ = fetch().await;
    assert_eq!(*seen.0.lock().unwrap(), [true, true, true]);
}
