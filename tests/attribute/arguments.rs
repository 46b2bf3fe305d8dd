//! Arguments of a call in its attempts.

use std::cell::Cell;
use std::time::Duration;

use retry_runtime::{Backoff, Outcome, retry};

use crate::support::{Calls, Error, classify};

/// An argument that tells how often it was cloned.
#[derive(Debug)]
struct Counted<'a>(&'a Cell<u32>);

impl Clone for Counted<'_> {
    fn clone(&self) -> Self {
        self.0.set(self.0.get() + 1);
        Counted(self.0)
    }
}

fn consume<T>(_: T) {}

#[tokio::test(start_paused = true)]
async fn a_value_that_the_body_only_reads_is_not_cloned() {
    #[retry(attempts = 3, budget = none, classify = classify, schedule = Backoff::none())]
    async fn call(value: Counted<'_>, calls: &Calls) -> Result<u32, Error> {
        let clones = value.0.get();
        if calls.next() < 3 { Err(Error::Again) } else { Ok(clones) }
    }
    let clones = Cell::new(0);
    assert_eq!(call(Counted(&clones), &Calls::new()).await, Ok(0));
}

#[tokio::test(start_paused = true)]
async fn clone_gives_each_attempt_the_value_of_the_caller() {
    #[retry(
        attempts = 3,
        budget = none,
        classify = |_| Outcome::Retry,
        schedule = Backoff::none(),
        clone(text, value),
    )]
    async fn call(text: String, value: Counted<'_>, other: Vec<u8>, lens: &mut Vec<usize>) {
        // Both are consumed.
        lens.push(text.into_bytes().len() + other.len());
        consume(value);
    }
    let (clones, mut lens) = (Cell::new(0), Vec::new());
    call("ab".into(), Counted(&clones), vec![1], &mut lens).await;
    assert_eq!(lens, [3, 3, 3]);
    assert_eq!(clones.get(), 3);
}

#[tokio::test(start_paused = true)]
async fn clone_of_all_clones_every_value() {
    #[retry(attempts = 3, budget = none, classify = classify, schedule = Backoff::none(), clone(..))]
    async fn call(
        text: String,
        (value, number): (Counted<'_>, u32),
        calls: &Calls,
    ) -> Result<String, Error> {
        consume(value);
        let number = number + calls.next();
        if number < 13 { Err(Error::Again) } else { Ok(text + "!") }
    }
    let clones = Cell::new(0);
    let text = call("done".into(), (Counted(&clones), 10), &Calls::new()).await;
    assert_eq!(text, Ok("done!".into()));
    assert_eq!(clones.get(), 3);
}

#[tokio::test(start_paused = true)]
async fn a_mut_value_that_is_cloned_starts_afresh_at_each_attempt() {
    #[retry(
        attempts = 3,
        budget = none,
        classify = |_| Outcome::Retry,
        schedule = Backoff::none(),
        clone(values, number),
    )]
    async fn call(mut values: Vec<u8>, mut number: u32, seen: &mut Vec<(usize, u32)>) {
        values.push(9);
        number += 1;
        seen.push((values.len(), number));
    }
    let mut seen = Vec::new();
    call(vec![1], 1, &mut seen).await;
    assert_eq!(seen, [(2, 2), (2, 2), (2, 2)]);
}

#[tokio::test(start_paused = true)]
async fn a_name_that_a_pattern_binds_can_be_cloned() {
    struct Point {
        x: String,
        y: String,
    }
    struct Wrapper(Vec<u8>);
    #[retry(
        attempts = 2,
        budget = none,
        classify = |_| Outcome::Retry,
        schedule = Backoff::none(),
        clone(x, second, bytes),
    )]
    async fn call(
        Point { x, y: why }: Point,
        (first, mut second): (u32, String),
        Wrapper(bytes): Wrapper,
        [one, _]: [u32; 2],
        seen: &mut Vec<String>,
    ) {
        second.push('2');
        let bytes = String::from_utf8(bytes).unwrap();
        seen.push(x + &why + &second + &bytes + &(first + one).to_string());
    }
    let mut seen = Vec::new();
    let point = Point { x: "x".into(), y: "y".into() };
    call(point, (1, "s".into()), Wrapper(b"b".to_vec()), [3, 4], &mut seen).await;
    assert_eq!(seen, ["xys2b4", "xys2b4"]);
}

#[tokio::test(start_paused = true)]
async fn a_unique_reference_is_reborrowed_for_each_attempt() {
    fn add(values: &mut Vec<u32>) -> usize {
        values.push(0);
        values.len()
    }
    #[retry(attempts = 3, budget = none, classify = classify, schedule = Backoff::none())]
    async fn call(values: &mut Vec<u32>) -> Result<usize, Error> {
        // Moved, not reborrowed: without a type the compiler does not do it.
        let moved = values;
        let len = add(moved);
        if len < 3 { Err(Error::Again) } else { Ok(len) }
    }
    let mut values = Vec::new();
    assert_eq!(call(&mut values).await, Ok(3));
    assert_eq!(values.len(), 3);
}

#[tokio::test(start_paused = true)]
async fn a_mut_reference_is_bound_afresh_for_each_attempt() {
    #[retry(attempts = 3, budget = none, classify = |_| Outcome::Retry, schedule = Backoff::none())]
    async fn call(mut text: &str, mut slots: &mut [u32], seen: &mut Vec<String>) {
        text = text.trim();
        while let [slot, rest @ ..] = slots {
            *slot += 1;
            slots = rest;
        }
        seen.push(format!("{text}{}", slots.len()));
    }
    let (mut slots, mut seen) = ([0, 10], Vec::new());
    call(" a ", &mut slots, &mut seen).await;
    assert_eq!(seen, ["a0", "a0", "a0"]);
    assert_eq!(slots, [3, 13]);
}

#[tokio::test(start_paused = true)]
async fn the_keys_see_an_argument_that_is_cloned() {
    #[retry(
        attempts = 3,
        budget = none,
        classify = |_| if text.len() == 2 { Outcome::Retry } else { Outcome::Stop },
        schedule = Backoff::none(),
        clone(text),
    )]
    async fn call(mut text: String, calls: &Calls) {
        text.push_str("longer, for this attempt alone");
        assert_eq!(text.len(), 32);
        calls.next();
    }
    let calls = Calls::new();
    call("ab".into(), &calls).await;
    assert_eq!(calls.count(), 3);
}

#[tokio::test(start_paused = true)]
async fn names_of_the_user_do_not_meet_those_of_the_expansion() {
    #[retry(attempts = 2, budget = none, classify = classify, schedule = Backoff::none())]
    async fn call(delay: u32, result: u32, outcome: &mut u32, rt: u32) -> Result<u32, Error> {
        let (attempt, floor, call) = (*outcome + 1, 1, 1);
        *outcome += 1;
        if attempt < 2 { Err(Error::Again) } else { Ok(delay + result + rt + floor + call) }
    }
    assert_eq!(call(1, 2, &mut 0, 3).await, Ok(8));
}

#[tokio::test(start_paused = true)]
async fn an_argument_behind_a_cfg_may_be_absent() {
    #[retry(attempts = 2, budget = none, classify = classify, schedule = Backoff::none(), clone(here))]
    async fn call(
        #[cfg(test)] here: String,
        #[cfg(not(test))] here: std::convert::Infallible,
        calls: &Calls,
    ) -> Result<String, Error> {
        if calls.next() < 2 { Err(Error::Again) } else { Ok(here) }
    }
    assert_eq!(call("here".into(), &Calls::new()).await, Ok("here".into()));
}

/// A value that begins with a path such as `<T as Trait>::f` has commas of its own.
#[tokio::test(start_paused = true)]
async fn the_commas_of_a_qualified_path_belong_to_its_value() {
    struct Wait<A, B, C>(std::marker::PhantomData<(A, B, C)>);
    trait Make {
        fn make() -> Backoff;
    }
    impl<A, B, C> Make for Wait<A, B, C> {
        fn make() -> Backoff {
            Backoff::constant(Duration::from_secs(7))
        }
    }
    #[retry(
        attempts = 2,
        budget = none,
        classify = classify,
        schedule = <Wait<u8, u16, u32> as Make>::make(),
    )]
    async fn call(calls: &Calls) -> Result<(), Error> {
        Err(Error::Numbered(calls.next()))
    }
    let calls = Calls::new();
    assert_eq!(call(&calls).await, Err(Error::Numbered(2)));
    assert_eq!(calls.now(), 7000);
}

/// What only a key uses is lent to it, whatever `clone(..)` says of the body's.
#[tokio::test(start_paused = true)]
async fn a_parameter_that_only_a_key_uses_is_not_cloned() {
    struct NotClone(Duration);
    #[retry(
        attempts = 2,
        budget = none,
        classify = classify,
        schedule = |_| wait.0,
        clone(text, wait),
    )]
    async fn call(calls: &Calls, text: String, wait: NotClone) -> Result<(), Error> {
        drop(text);
        Err(Error::Numbered(calls.next()))
    }
    let calls = Calls::new();
    let wait = NotClone(Duration::from_secs(3));
    assert_eq!(call(&calls, String::new(), wait).await, Err(Error::Numbered(2)));
    assert_eq!(calls.now(), 3000);
}

/// Nor does `mut` on it let an attempt's changes leak: no attempt sees it.
#[tokio::test(start_paused = true)]
async fn a_mut_parameter_may_be_for_a_key_alone() {
    #[retry(
        attempts = 9,
        budget = none,
        classify = classify,
        schedule = |_| Duration::from_secs(1),
        cancel = stop.recv(),
    )]
    async fn call(calls: &Calls, mut stop: tokio::sync::mpsc::Receiver<()>) -> Result<(), Error> {
        Err(Error::Numbered(calls.next()))
    }
    let calls = Calls::new();
    let (sender, stop) = tokio::sync::mpsc::channel(1);
    let stopping = async {
        tokio::time::sleep(Duration::from_millis(1500)).await;
        sender.send(()).await.unwrap();
    };
    let (result, ()) = tokio::join!(call(&calls, stop), stopping);
    assert_eq!(result, Err(Error::Numbered(2)));
}
