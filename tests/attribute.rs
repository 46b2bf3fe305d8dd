//! Every way out of an annotated body, under the paused clock.
use retry_runtime::{Backoff, Budget, Classify, Event, Outcome, Policy, Retrier, retry};
use std::cell::Cell;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::time::Duration;

fn classify<T>(r: &Result<T, &'static str>) -> Outcome {
    match r {
        Ok(_) => Outcome::Success,
        Err("stop") => Outcome::Stop,
        Err(_) => Outcome::Retry,
    }
}
static B: Budget = Budget::new(100, 0.1);

struct C {
    n: AtomicU32,
}
impl C {
    #[retry(attempts = 4, budget = B, classify = classify)]
    async fn f(&self, x: &str) -> Result<u32, &'static str> {
        let n = self.n.fetch_add(1, Relaxed);
        if n < 2 {
            return Err("again");
        }
        Ok(n + x.len() as u32)
    }
    #[retry(attempts = 4, budget = B, classify = |r| classify(r), schedule = Backoff::constant(200ms), within = 30s, attempt = a, observe = |e: &Event<'_>| { let _ = e; }, clone(v))]
    async fn g(&mut self, mut v: Vec<u8>, s: String) -> Result<u32, &'static str> {
        v.push(1);
        assert_eq!(v.len(), 1);
        *self.n.get_mut() += 1;
        if a.number() < 3 {
            Err("x")?;
        }
        assert!(s.is_empty());
        Ok(*self.n.get_mut())
    }
}
#[tokio::test(start_paused = true)]
async fn works() {
    let mut c = C { n: AtomicU32::new(0) };
    assert_eq!(c.f("ab").await, Ok(4));
    assert_eq!(c.g(vec![], String::new()).await, Ok(6));
}
