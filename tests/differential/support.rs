//! The support code of the generated program: types, classifiers, the log, the comparison.

use std::any::Any;
use std::cell::RefCell;
use std::fmt::Debug;
use std::future::{Future, Pending, pending};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use retry_runtime::{Budget, Classify, Outcome, Policy, Retrier, Timer};

pub static BUDGET: Budget = Budget::new(1000, 1.0);
pub const POLICY: Policy = Policy::new(3);
pub static RETRIER: Retrier<Judge> = Retrier::new(Policy::new(3), Budget::new(1000, 1.0), Judge);

thread_local! {
    static LOG: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
}

pub fn log(text: String) {
    LOG.with_borrow_mut(|log| log.push(text));
}

/// Says when it is dropped.
#[derive(Debug)]
pub struct Noisy(pub &'static str);

impl Noisy {
    pub fn number(&self, number: u64) -> u64 {
        log(format!("{} is asked for {number}", self.0));
        number
    }
}

impl Drop for Noisy {
    fn drop(&mut self) {
        log(format!("{} is dropped", self.0));
    }
}

#[derive(Clone, Debug)]
pub struct Pair {
    pub left: u64,
    pub right: String,
}

#[derive(Clone, Debug)]
pub struct Wrap<T>(pub T);

#[derive(Clone, Debug)]
pub enum Either {
    Left(String),
    Right(String),
}

/// One type for the plain functions and one for those that are annotated.
#[derive(Clone)]
pub struct Service<const ANNOTATED: bool> {
    pub count: u64,
    pub names: Vec<u64>,
}

impl<const ANNOTATED: bool> Service<ANNOTATED> {
    pub fn new() -> Self {
        Service { count: 5, names: vec![2, 3] }
    }

    pub fn total(&self) -> u64 {
        total(&self.names).wrapping_add(self.count)
    }

    pub fn bump(&mut self, by: u64) -> u64 {
        self.count = self.count.wrapping_add(by);
        self.count
    }
}

impl<const ANNOTATED: bool> Debug for Service<ANNOTATED> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Service({}, {:?})", self.count, self.names)
    }
}

pub fn total(numbers: &[u64]) -> u64 {
    numbers.iter().fold(0, |sum, number| sum.wrapping_add(*number))
}

pub fn check(number: u64) -> Result<u64, String> {
    log(format!("checks {number}"));
    if number % 5 == 4 { Err(format!("{number} is refused")) } else { Ok(number) }
}

pub fn maybe(number: u64) -> Option<u64> {
    log(format!("looks for {number}"));
    if number % 5 == 3 { None } else { Some(number / 2) }
}

pub fn take<T>(value: T) -> T {
    value
}

pub fn touch<T: ?Sized>(_: &T) {}

pub fn budget_for<T: ?Sized>(_: &T) -> &'static Budget {
    &BUDGET
}

/// Pending once.
pub fn pause() -> impl Future<Output = ()> {
    let mut polls = 0;
    std::future::poll_fn(move |_| {
        log(format!("poll {polls}"));
        polls += 1;
        if polls > 1 { Poll::Ready(()) } else { Poll::Pending }
    })
}

/// Like `serde_json::json!`: names stand where a macro alone knows what they mean.
#[macro_export]
macro_rules! object {
    ({ $($key:ident : $value:expr),* $(,)? }) => {{
        let mut text = String::new();
        $( text.push_str(&format!("{}={:?};", stringify!($key), $value)); )*
        text
    }};
    (.$name:ident) => { format!("{:?}", $name) };
}

#[macro_export]
macro_rules! bail {
    ($($text:tt)*) => { return Err(format!($($text)*).into()) };
}

#[macro_export]
macro_rules! same {
    ($($item:tt)*) => { $($item)* };
}

/// Ends every call after its first attempt.
pub trait Judged {
    fn outcome(&self) -> Outcome {
        Outcome::Success
    }
}

impl Judged for u64 {}

impl Judged for () {}

impl<T, E> Judged for Result<T, E> {
    fn outcome(&self) -> Outcome {
        if self.is_ok() { Outcome::Success } else { Outcome::Stop }
    }
}

impl<T> Judged for Option<T> {
    fn outcome(&self) -> Outcome {
        if self.is_some() { Outcome::Success } else { Outcome::Fail }
    }
}

pub fn judge<T: Judged>(result: &T) -> Outcome {
    result.outcome()
}

pub fn stop<E: ?Sized>(_: &E) -> Outcome {
    Outcome::Stop
}

#[derive(Clone, Copy)]
pub struct Judge;

impl<T: Judged> Classify<T> for Judge {
    fn classify(&self, result: &T) -> Outcome {
        result.outcome()
    }
}

/// A sleep of it never ends, so no attempt runs out of time.
pub struct Frozen;

impl Timer for Frozen {
    type Sleep = Pending<()>;

    fn now(&self) -> Instant {
        Instant::now()
    }

    fn sleep(&self, _: Duration) -> Pending<()> {
        pending()
    }
}

pub fn in_an_hour() -> Instant {
    Instant::now() + Duration::from_secs(3600)
}

pub fn run<T>(mut future: Pin<&mut dyn Future<Output = T>>) -> T {
    let mut context = Context::from_waker(Waker::noop());
    for _ in 0..1000 {
        if let Poll::Ready(value) = future.as_mut().poll(&mut context) {
            return value;
        }
        log("pending".to_owned());
    }
    panic!("the future does not end");
}

/// The result of a call, and what the caller sees of its arguments.
pub fn seen(result: &dyn Debug, state: &[&dyn Debug]) -> String {
    format!("returns {result:?}, leaves {state:?}")
}

fn effects(drive: fn() -> String) -> String {
    LOG.take();
    let text = catch_unwind(AssertUnwindSafe(drive)).unwrap_or_else(|panic| {
        let panic: &dyn Any = &*panic;
        let text = panic.downcast_ref::<String>().map(String::as_str);
        format!("panics: {}", text.or_else(|| panic.downcast_ref().copied()).unwrap_or("?"))
    });
    format!("{text}, after {:?}", LOG.take())
}

/// A line for each function, with what both did if it is not the same.
pub fn compare(cases: &[(fn() -> String, fn() -> String)]) {
    std::panic::set_hook(Box::new(|_| {}));
    for (number, (plain, annotated)) in cases.iter().enumerate() {
        let (plain, annotated) = (effects(*plain), effects(*annotated));
        if plain == annotated {
            println!("same {number} {}", plain.replace('\n', " "));
        } else {
            println!("differs {number} plain {plain} annotated {annotated}");
        }
    }
}
