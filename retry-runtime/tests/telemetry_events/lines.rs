//! A subscriber that writes down what it is told.

use std::fmt::Debug;
use std::future::Future;
use std::sync::{Arc, Mutex};

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id};
use tracing::{Event, Subscriber};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt};
use tracing_subscriber::util::SubscriberInitExt;

/// Everything that was reported, one line each: level, target, event and fields. A
/// span is a line when it is opened.
#[derive(Clone, Default)]
pub struct Lines(Arc<Mutex<Vec<String>>>);

impl Lines {
    pub fn all(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }
}

struct Fields(String);

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.0 += &format!(" {}={value:?}", field.name());
    }
}

impl<S: Subscriber> Layer<S> for Lines {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let metadata = event.metadata();
        let start = format!("{} {} {}:", metadata.level(), metadata.target(), metadata.name());
        let mut fields = Fields(start);
        event.record(&mut fields);
        self.0.lock().unwrap().push(fields.0);
    }

    fn on_new_span(&self, attributes: &Attributes<'_>, _: &Id, _: Context<'_, S>) {
        let mut fields = Fields(format!("span {}:", attributes.metadata().name()));
        attributes.record(&mut fields);
        self.0.lock().unwrap().push(fields.0);
    }
}

/// What is reported while `call` runs, on this thread.
pub async fn lines_of<T>(call: impl Future<Output = T>) -> (T, Vec<String>) {
    let lines = Lines::default();
    let subscriber = tracing_subscriber::registry().with(lines.clone());
    let _guard = subscriber.set_default();
    (call.await, lines.all())
}
