//! Results that look as if they borrowed from a `&mut` parameter, and do not; and
//! result types that an annotation cannot have.

use core::fmt::Debug;
use core::pin::Pin;

use retry_runtime::retry;

use super::{BUDGET, judge, run};

/// Hands out what it borrows, for longer than it is borrowed.
struct Words<'a>(&'a str);

impl<'a> Words<'a> {
    fn next(&mut self) -> Result<&'a str, &'static str> {
        let (word, rest) = self.0.split_once(' ').ok_or("stop")?;
        self.0 = rest;
        if word == "skip" { Err("again") } else { Ok(word) }
    }

    #[retry(attempts = 3, budget = BUDGET, classify = judge)]
    async fn of_self(&mut self) -> Result<&'a str, &'static str> {
        self.next()
    }
}

#[retry(attempts = 3, budget = BUDGET, classify = judge)]
async fn of_a_parameter<'a>(words: &mut Words<'a>) -> Result<&'a str, &'static str> {
    words.next()
}

#[retry(attempts = 3, budget = BUDGET, classify = judge)]
async fn of_a_pinned_parameter<'a>(words: Pin<&mut Words<'a>>) -> Result<&'a str, &'static str> {
    words.get_mut().next()
}

type Measure = Box<dyn Fn(&str) -> usize>;

#[retry(attempts = 3, budget = BUDGET, classify = judge)]
async fn closure(count: &mut u8) -> Result<Box<dyn Fn(&str) -> usize>, &'static str> {
    *count += 1;
    let measure: Measure = Box::new(|text| text.len());
    if *count < 3 { Err("again") } else { Ok(measure) }
}

#[retry(attempts = 3, budget = BUDGET, classify = judge)]
async fn function(
    count: &mut u8,
    cut: impl Fn(&str) -> &str + Send,
) -> Result<fn(&str) -> Option<&str>, &'static str> {
    *count += 1;
    if cut("ab").len() + usize::from(*count) < 4 { Err("again") } else { Ok(|text| text.get(1..)) }
}

#[retry(attempts = 3, budget = BUDGET, classify = judge)]
async fn hidden_in_an_object(
    count: &mut u8,
) -> Result<Box<dyn Iterator<Item = impl Debug + use<>>>, &'static str> {
    *count += 1;
    if *count < 3 { Err("again") } else { Ok(Box::new([*count].into_iter())) }
}

#[test]
fn they_behave() {
    let mut words = Words("skip a skip b skip c ");
    assert_eq!(run(words.of_self()), Ok("a"));
    assert_eq!(run(of_a_parameter(&mut words)), Ok("b"));
    assert_eq!(run(of_a_pinned_parameter(Pin::new(&mut words))), Ok("c"));
    assert_eq!(run(closure(&mut 0)).map(|measure| measure("abc")), Ok(3));
    assert_eq!(run(function(&mut 0, |text| &text[1..])).map(|cut| cut("ab")), Ok(Some("b")));
    let shown = run(hidden_in_an_object(&mut 0)).map(|items| format!("{:?}", items.last()));
    assert_eq!(shown, Ok("Some(3)".into()));
}
