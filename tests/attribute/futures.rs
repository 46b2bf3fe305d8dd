//! The future of an annotated function beside that of the plain one: whether it
//! is `Send`, and how large it is.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use retry_runtime::{Backoff, Budget, Outcome, Policy, Retrier, retry, retry_block};

use crate::support::{Calls, Error, classify};

fn sendable<F: Future + Send>(future: F) -> F {
    future
}

#[tokio::test(start_paused = true)]
async fn it_can_be_sent_with_an_error_that_cannot() {
    #[derive(Debug)]
    struct Local(#[allow(dead_code)] Rc<str>);
    static BUDGET: Budget = Budget::new(10, 0.1);
    #[retry(
        attempts = 3,
        budget = BUDGET,
        classify_err = |_| Outcome::Retry,
        schedule = Backoff::constant(10ms),
        within = 1s,
        observe = |_| (),
        attempt = this,
    )]
    async fn call(calls: &Calls) -> Result<u32, Local> {
        calls.next();
        tokio::task::yield_now().await;
        if this.number() < 3 { Err(Local("no".into())) } else { Ok(this.number()) }
    }
    assert_eq!(sendable(call(&Calls::new())).await.unwrap(), 3);
}

#[tokio::test(start_paused = true)]
async fn it_can_be_sent_with_arguments_that_cannot_be_shared() {
    #[derive(Clone)]
    struct Tally {
        count: Cell<u32>,
    }
    #[retry(attempts = 3, budget = none, classify = classify, schedule = Backoff::constant(10ms))]
    async fn cell(count: Cell<u32>) -> Result<u32, Error> {
        count.set(count.get() + 1);
        tokio::task::yield_now().await;
        if count.get() < 3 { Err(Error::Again) } else { Ok(count.get()) }
    }
    #[retry(attempts = 3, budget = none, classify = classify, schedule = Backoff::constant(10ms))]
    async fn closure(next: impl Fn() -> u32 + Send) -> Result<u32, Error> {
        let number = next();
        tokio::task::yield_now().await;
        if number < 3 { Err(Error::Again) } else { Ok(number) }
    }
    #[retry(attempts = 3, budget = none, classify = classify, schedule = Backoff::constant(10ms))]
    async fn boxed<T: Send>(
        next: Box<dyn Fn() -> u32 + Send>,
        (value, log): (Option<T>, RefCell<Vec<u32>>),
    ) -> Result<(bool, usize), Error> {
        log.borrow_mut().push(next());
        tokio::task::yield_now().await;
        let len = log.borrow().len();
        if len < 3 { Err(Error::Again) } else { Ok((value.is_some(), len)) }
    }
    #[retry(attempts = 3, budget = none, classify = classify, schedule = Backoff::constant(10ms), clone(tally))]
    async fn cloned(tally: Tally, calls: &Calls) -> Result<u32, Error> {
        tally.count.set(tally.count.get() + 1);
        tokio::task::yield_now().await;
        if calls.next() < 3 { Err(Error::Again) } else { Ok(tally.count.get()) }
    }
    let counter = || {
        let count = Cell::new(0);
        move || {
            count.set(count.get() + 1);
            count.get()
        }
    };
    assert_eq!(sendable(cell(Cell::new(0))).await, Ok(3));
    assert_eq!(sendable(closure(counter())).await, Ok(3));
    let log = RefCell::default();
    assert_eq!(sendable(boxed(Box::new(counter()), (Some(1), log))).await, Ok((true, 3)));
    let tally = Tally { count: Cell::new(0) };
    assert_eq!(sendable(cloned(tally, &Calls::new())).await, Ok(1));
}

#[tokio::test(start_paused = true)]
async fn it_can_be_sent_with_a_cancellation() {
    #[retry(
        attempts = 3,
        budget = none,
        classify = classify,
        schedule = Backoff::constant(10ms),
        cancel = stop,
    )]
    async fn call(calls: &Calls, stop: tokio::sync::oneshot::Receiver<()>) -> Result<u32, Error> {
        let number = calls.next();
        if number < 3 { Err(Error::Again) } else { Ok(number) }
    }
    let (_keep, stop) = tokio::sync::oneshot::channel();
    assert_eq!(sendable(call(&Calls::new(), stop)).await, Ok(3));
}

#[tokio::test(start_paused = true)]
async fn a_body_that_cannot_be_sent_is_as_good() {
    #[retry(attempts = 3, budget = none, classify = |_| Outcome::Retry, schedule = Backoff::none())]
    async fn call(shared: Rc<Cell<u32>>) -> Rc<Cell<u32>> {
        let held = Rc::clone(&shared);
        tokio::task::yield_now().await;
        held.set(held.get() + 1);
        held
    }
    assert_eq!(call(Rc::default()).await.get(), 3);
}

macro_rules! sized {
    ($size:literal $(, $argument:ident)*) => {{
        static BUDGET: Budget = Budget::new(10, 0.1);
        async fn plain($($argument: &u8),*) -> Result<u8, Error> {
            let bytes = [0 $(+ *$argument)*; $size];
            tokio::task::yield_now().await;
            Ok(bytes[$size - 1])
        }
        #[retry(attempts = 4, budget = BUDGET, classify = classify)]
        async fn retried($($argument: &u8),*) -> Result<u8, Error> {
            let bytes = [0 $(+ *$argument)*; $size];
            tokio::task::yield_now().await;
            Ok(bytes[$size - 1])
        }
        $(let $argument = 1;)*
        let (plain, retried) = (plain($(&$argument),*), retried($(&$argument),*));
        let sizes = (size_of_val(&plain), size_of_val(&retried));
        assert_eq!(plain.await, retried.await);
        sizes
    }};
}

/// What the features `tracing` and `metrics` keep to report a call that is dropped, if
/// this build has one of them: a name and a number. Without them it is nothing.
fn watched() -> usize {
    use retry_runtime::__private::{NoLimit, RetryLoop};
    let watched = size_of::<RetryLoop<NoLimit>>() - 2 * size_of::<u32>();
    assert!([0, 24].contains(&watched), "{watched} bytes");
    watched
}

#[tokio::test(start_paused = true)]
async fn it_holds_one_copy_of_the_body_and_little_more() {
    for (plain, retried) in [sized!(128), sized!(256), sized!(1024), sized!(16384)] {
        assert!(retried <= plain + 16 + watched(), "{plain} bytes became {retried}");
    }
}

#[tokio::test(start_paused = true)]
async fn each_argument_costs_what_it_costs_a_block_that_borrows_it() {
    // A coroutine keeps an argument that it needs after a wait twice, and the
    // attempt has a reference to it.
    let (plain, retried) = sized!(128, one);
    assert!(retried <= plain + 16 + 16 + watched(), "{plain} bytes became {retried}");
    let (plain, retried) = sized!(128, one, two);
    assert!(retried <= plain + 16 + 32 + watched(), "{plain} bytes became {retried}");
}

#[tokio::test(start_paused = true)]
async fn a_tiny_body_grows_by_the_timer_alone() {
    for (plain, retried) in [sized!(1), sized!(8), sized!(64)] {
        let most = plain + size_of::<tokio::time::Sleep>() + 16 + watched();
        assert!(retried <= most, "{plain} bytes became {retried}, at most {most}");
    }
    let (_, smallest) = sized!(1);
    assert!(smallest <= 152 + watched(), "{smallest} bytes");
}

/// A body that holds so many bytes over a wait.
async fn holding<const SIZE: usize>() -> Result<u8, Error> {
    let bytes = [0; SIZE];
    tokio::task::yield_now().await;
    Ok(bytes[SIZE - 1])
}

/// The future of `retry_block!`, and of a call that runs a closure, beside that of the
/// attribute with the same body.
#[test]
fn a_block_is_as_large_as_a_function() {
    #[retry(attempts = 3, budget = none, classify = classify)]
    async fn function<const SIZE: usize>() -> Result<u8, Error> {
        holding::<SIZE>().await
    }
    fn sizes<const SIZE: usize>() -> [usize; 3] {
        let block = retry_block!(attempts = 3, budget = none, classify = classify, async {
            holding::<SIZE>().await
        });
        let mut call = Policy::new(3).call_without_budget();
        let run = call.run_with(classify::<u8>, |_| holding::<SIZE>());
        [size_of_val(&function::<SIZE>()), size_of_val(&block), size_of_val(&run)]
    }
    for [function, block, run] in [sizes::<128>(), sizes::<1024>()] {
        assert!(block <= function + 16, "{block} bytes, and the function's {function}");
        assert!(run <= function + 16, "{run} bytes, and the function's {function}");
    }
}

/// The same with a retrier, whose policy and limit are known only at run time.
#[test]
fn the_run_of_a_retrier_is_no_larger_than_a_function() {
    type Classifier = fn(&Result<u8, Error>) -> Outcome;
    static RETRIER: Retrier<Classifier> =
        Retrier::new(Policy::new(3), Budget::new(10, 0.1), classify);
    #[retry(retrier = RETRIER)]
    async fn function<const SIZE: usize>() -> Result<u8, Error> {
        holding::<SIZE>().await
    }
    fn sizes<const SIZE: usize>() -> [usize; 2] {
        let run = RETRIER.run(|_| holding::<SIZE>());
        [size_of_val(&function::<SIZE>()), size_of_val(&run)]
    }
    for [function, run] in [sizes::<128>(), sizes::<1024>()] {
        assert!(run <= function, "{run} bytes, and the function's {function}");
    }
}
