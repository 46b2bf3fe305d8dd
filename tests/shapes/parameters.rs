//! Parameters: freshness for each attempt, patterns, `cfg`, generics, lifetimes.

#![allow(
    clippy::non_minimal_cfg,
    clippy::toplevel_ref_arg,
    reason = "patterns and conditions of every kind"
)]

use core::cell::{Cell, RefCell};
use core::fmt::Display;
use core::future::Future;

use retry_runtime::retry;

use super::{BUDGET, judge, must_be_send, run};

#[retry(attempts = 3, budget = BUDGET, classify = judge, clone(text, list))]
async fn consumed(text: String, mut list: Vec<u8>) -> Result<String, &'static str> {
    list.push(1);
    let consumed = text;
    if list.len() == 1 && consumed.len() < 2 { Err("again") } else { Ok(consumed) }
}

#[retry(attempts = 3, budget = BUDGET, classify = judge, clone(count), attempt = attempt)]
async fn every_attempt_sees_the_callers_value(
    mut count: u32,
    seen: &mut Vec<u32>,
) -> Result<u32, &'static str> {
    count += 1;
    seen.push(count);
    if attempt.number() < 3 { Err("again") } else { Ok(count) }
}

#[retry(attempts = 3, budget = BUDGET, classify = judge, clone(..))]
async fn async_move(text: String, other: String) -> Result<usize, &'static str> {
    fn needs_static<F: Future<Output = usize> + 'static>(future: F) -> F {
        future
    }
    Ok(needs_static(async move { text.len() + other.len() }).await)
}

#[retry(attempts = 3, budget = BUDGET, classify = judge)]
async fn borrows_from_an_argument<'a>(
    text: &'a str,
    count: &mut u32,
) -> Result<&'a str, &'static str> {
    *count += 1;
    if *count < 3 { Err("again") } else { Ok(&text[1..]) }
}

#[retry(attempts = 3, budget = BUDGET, classify = judge)]
async fn mutable_references(
    mut bytes: &[u8],
    mut target: &mut Vec<u8>,
) -> Result<u8, &'static str> {
    let mut spare = Vec::new();
    while let [first, rest @ ..] = bytes {
        target.push(*first);
        bytes = rest;
    }
    if target.len() < 4 {
        return Err("again");
    }
    target = &mut spare;
    target.push(9);
    Ok(target[0])
}

struct Json<T>(T);

#[derive(Clone)]
struct Point {
    x: u8,
    y: u8,
}

#[retry(attempts = 3, budget = BUDGET, classify = judge, clone(name, first, x))]
async fn extractors(
    Json(name): Json<String>,
    (mut first, second): (Vec<u8>, String),
    Point { x, y: why }: Point,
    [a, .., b]: [u8; 3],
) -> Result<usize, &'static str> {
    first.push(x + why + a + b);
    let consumed: String = name;
    Ok(first.len() + consumed.len() + second.len())
}

struct NotClone;

#[retry(attempts = 3, budget = BUDGET, classify = judge, clone(..))]
async fn ignored(_: NotClone, _name: u8) -> Result<u8, &'static str> {
    Ok(1)
}

/// Adds itself to a list when it is dropped.
struct Leaves<'l>(&'l RefCell<Vec<&'static str>>);

impl Drop for Leaves<'_> {
    fn drop(&mut self) {
        self.0.borrow_mut().push("argument");
    }
}

#[retry(attempts = 3, budget = BUDGET, classify = judge)]
async fn ignored_until_the_call_ends(
    _: Leaves<'_>,
    _name: Leaves<'_>,
    list: &RefCell<Vec<&'static str>>,
) -> Result<usize, &'static str> {
    list.borrow_mut().push("attempt");
    if list.borrow().len() < 3 { Err("again") } else { Ok(list.borrow().len()) }
}

struct Noisy(u8);

impl Drop for Noisy {
    fn drop(&mut self) {
        self.0 = 0;
    }
}

#[retry(attempts = 3, budget = BUDGET, classify = judge)]
async fn partial_pattern((number, _): (u8, Noisy)) -> Result<u8, &'static str> {
    Ok(number)
}

#[retry(attempts = 3, budget = BUDGET, classify = judge)]
async fn ref_bindings(
    ref text: String,
    &(ref count, least): &(u8, u8),
) -> Result<usize, &'static str> {
    if *count < least { Err("again") } else { Ok(text.len()) }
}

#[retry(attempts = 3, budget = BUDGET, classify = judge)]
async fn nested_patterns(
    &(a, ref b): &(u8, String),
    ((c, d), e): ((u8, u8), &(u8, u8)),
) -> Result<u8, &'static str> {
    let (f, g) = e;
    Ok(a + c + d + *f + *g + u8::try_from(b.len()).map_err(|_| "stop")?)
}

#[retry(attempts = 3, budget = BUDGET, classify = judge)]
async fn reborrowed_under_a_tuple((first, second): (&mut u8, &mut u8)) -> Result<u8, &'static str> {
    fn bump(number: &mut u8) {
        *number += 1;
    }
    bump(first);
    bump(second);
    if *first < 3 { Err("again") } else { Ok(*second) }
}

#[retry(attempts = 3, budget = BUDGET, classify = judge)]
async fn generics<T, const N: usize>(values: [T; N]) -> Result<usize, &'static str>
where
    T: Display + Send,
{
    Ok(values.iter().map(|value| value.to_string().len()).sum())
}

#[retry(attempts = 3, budget = BUDGET, classify = judge)]
async fn lifetimes<'a, 'b: 'a>(
    left: &'a str,
    right: &'b str,
    third: Option<&str>,
) -> Result<&'a str, &'static str> {
    Ok(if third.is_some() { left } else { right })
}

#[retry(attempts = 3, budget = BUDGET, classify = judge)]
async fn elided_lifetime_inside_a_type(
    text: Option<&str>,
    list: &mut [Option<&str>],
) -> Result<usize, &'static str> {
    Ok(text.map_or(0, str::len) + list.len())
}

#[retry(attempts = 3, budget = BUDGET, classify = judge)]
async fn impl_trait(
    shown: impl Display + Send,
    f: impl Fn(u8) -> u8 + Send,
) -> Result<String, &'static str> {
    Ok(format!("{shown}{}", f(1)))
}

#[retry(attempts = 3, budget = BUDGET, classify = judge)]
async fn higher_ranked<F>(f: F) -> Result<usize, &'static str>
where
    F: for<'a> Fn(&'a str) -> &'a str + Send,
{
    Ok(f("abc").len())
}

#[retry(attempts = 3, budget = BUDGET, classify = judge)]
async fn send_but_not_sync(cell: Cell<u8>) -> Result<u8, &'static str> {
    core::future::ready(()).await;
    cell.set(cell.get() + 1);
    core::future::ready(()).await;
    if cell.get() < 3 { Err("again") } else { Ok(cell.get()) }
}

#[retry(attempts = 3, budget = BUDGET, classify = judge, clone(extra))]
async fn cfg_on_parameters(
    #[cfg(all())] text: &mut String,
    #[cfg(any())] missing: Missing,
    #[cfg(all())] mut extra: String,
    #[cfg(any())] mut absent: &mut Missing,
) -> Result<usize, &'static str> {
    extra.push('x');
    text.push('x');
    Ok(text.len() + extra.len())
}

#[retry(attempts = 3, budget = BUDGET, classify = judge)]
async fn all_arrive(a: u8, b: u16, c: u32, d: u64) -> Result<u64, &'static str> {
    Ok(u64::from(a) + u64::from(b) + u64::from(c) + d)
}

#[test]
fn they_behave() {
    assert_eq!(run(must_be_send(consumed("ab".into(), vec![]))), Ok("ab".into()));
    let mut seen = Vec::new();
    assert_eq!(run(every_attempt_sees_the_callers_value(1, &mut seen)), Ok(2));
    assert_eq!(seen, [2, 2, 2]);
    assert_eq!(run(must_be_send(async_move("ab".into(), "c".into()))), Ok(3));
    assert_eq!(run(must_be_send(borrows_from_an_argument("abc", &mut 0))), Ok("bc"));
    let mut target = Vec::new();
    assert_eq!(run(must_be_send(mutable_references(&[1, 2], &mut target))), Ok(9));
    assert_eq!(target, [1, 2, 1, 2]);
    let point = Point { x: 1, y: 2 };
    let extracted = extractors(Json("a".into()), (vec![], "b".into()), point, [1, 2, 3]);
    assert_eq!(run(must_be_send(extracted)), Ok(3));
    assert_eq!(run(ignored(NotClone, 1)), Ok(1));
    let list = RefCell::default();
    let ignored = ignored_until_the_call_ends(Leaves(&list), Leaves(&list), &list);
    assert_eq!(run(ignored), Ok(3));
    assert_eq!(*list.borrow(), ["attempt", "attempt", "attempt", "argument", "argument"]);
    assert_eq!(run(partial_pattern((1, Noisy(1)))), Ok(1));
    assert_eq!(run(ref_bindings("ab".into(), &(3, 3))), Ok(2));
    assert_eq!(run(nested_patterns(&(1, "ab".into()), ((1, 1), &(1, 1)))), Ok(7));
    assert_eq!(run(must_be_send(reborrowed_under_a_tuple((&mut 0, &mut 4)))), Ok(7));
    assert_eq!(run(must_be_send(generics([1, 22]))), Ok(3));
    assert_eq!(run(must_be_send(lifetimes("a", "b", None))), Ok("b"));
    let elided = run(elided_lifetime_inside_a_type(Some("a"), &mut [None]));
    assert_eq!(elided, Ok(2));
    assert_eq!(run(must_be_send(impl_trait(1, |n| n + 1))), Ok("12".into()));
    assert_eq!(run(must_be_send(higher_ranked(|text| &text[1..]))), Ok(2));
    assert_eq!(run(must_be_send(send_but_not_sync(Cell::new(0)))), Ok(3));
    assert_eq!(run(must_be_send(cfg_on_parameters(&mut "a".into(), "b".into()))), Ok(4));
    assert_eq!(run(all_arrive(1, 2, 3, 4)), Ok(10));
}
