//! An end for an attempt, and a timer: what they borrow, infer and bring out of lints.

use core::future::{Ready, pending, ready};
use core::time::Duration;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

use retry_runtime::{Outcome, Timer, retry};

use super::{BUDGET, judge, must_be_send, run};

/// Stands still, and every sleep is over at once.
#[derive(Clone, Debug, Default)]
struct Still {
    _not_copy: String,
}

impl Timer for Still {
    type Sleep = Ready<&'static str>;

    fn now(&self) -> Instant {
        Instant::now()
    }

    fn sleep(&self, _delay: Duration) -> Self::Sleep {
        ready("the output is of no matter")
    }
}

struct Client {
    timer: Arc<Still>,
    limit: Duration,
    log: Vec<String>,
}

impl Client {
    #[retry(
        attempts = 3,
        budget = BUDGET,
        classify = judge,
        timer = self.timer,
        within = 1m,
        attempt_timeout = self.limit,
        on_timeout = {
            self.log.push(name.to_owned());
            Err("again")
        },
    )]
    async fn unique(&mut self, name: &str) -> Result<u8, &'static str> {
        self.log.push(name.to_uppercase());
        pending().await
    }

    #[retry(
        attempts = 3,
        budget = BUDGET,
        classify = judge,
        timer = Still::default(),
        attempt = this,
        attempt_timeout = 10ms * this.number(),
        on_timeout = Err(if this.is_first() { "again" } else { "stop" }),
        clone(name),
    )]
    async fn in_full(self: Arc<Self>, mut name: String) -> Result<Vec<String>, &'static str> {
        name.push('!');
        if this.number() > 1 {
            return Ok(vec![name]);
        }
        pending().await
    }
}

fn too_long<T>() -> Result<T, &'static str> {
    Err("stop")
}

// A path as the value, and a type that only the function's result names.
#[retry(
    attempts = 3,
    budget = BUDGET,
    classify = judge,
    timer = Still::default(),
    attempt_timeout = 1s,
    on_timeout = too_long(),
)]
async fn inferred(hangs: bool) -> Result<impl Iterator<Item = u8>, &'static str> {
    if hangs {
        pending::<()>().await;
    }
    Ok([1, 2].into_iter())
}

#[retry(
    attempts = 3,
    budget = BUDGET,
    classify = |&result| if result > 0 { Outcome::Success } else { Outcome::Stop },
    timer = Rc::new(Still::default()),
    attempt_timeout = 1s,
    on_timeout = Default::default(),
    cancel = pending::<()>(),
)]
async fn defaulted<T: Copy + Into<u64>>(number: T) -> u64 {
    ready(()).await;
    number.into()
}

#[test]
fn they_behave() {
    let timer = Arc::new(Still::default());
    let mut client = Client { timer, limit: Duration::from_millis(1), log: vec![] };
    assert_eq!(run(must_be_send(client.unique("a"))), Err("again"));
    assert_eq!(client.log, ["A", "a", "A", "a", "A", "a"]);
    let shared = Arc::new(client);
    assert_eq!(run(must_be_send(shared.in_full("b".to_owned()))), Ok(vec!["b!".to_owned()]));
    assert_eq!(run(must_be_send(inferred(true))).err(), Some("stop"));
    assert_eq!(run(inferred(false)).map(Iterator::sum::<u8>), Ok(3));
    assert_eq!(run(defaulted(5_u8)), 5);
}
