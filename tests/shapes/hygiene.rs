//! Names: of the user's items, of our own, of the runtime crate.

#![allow(clippy::never_loop, reason = "labels are what is tested")]

use super::run;

/// A crate's root under another name.
mod reexported {
    pub use retry_runtime as renamed;
}

mod shadowed_prelude {
    use retry_runtime::Outcome;

    pub type Result<T> = core::result::Result<T, u8>;
    #[expect(dead_code)]
    pub enum Option {
        Some,
        None,
    }
    #[expect(dead_code, non_snake_case)]
    fn Ok() {}
    #[expect(dead_code, non_snake_case)]
    fn Some() {}
    #[expect(dead_code)]
    trait Clone {}
    #[expect(dead_code)]
    struct Duration;

    #[retry_runtime::retry(attempts = 3, budget = super::super::BUDGET, classify = |result: &Result<u8>| {
        if result.is_ok() { Outcome::Success } else { Outcome::Stop }
    }, clone(text), within = 30s)]
    pub async fn shadowed(text: String) -> Result<u8> {
        core::result::Result::Ok(u8::try_from(text.len()).unwrap_or_default())
    }
}

mod modules_named_like_crates {
    mod core {}
    mod std {}
    mod retry_runtime {}
    mod alloc {}

    #[::retry_runtime::retry(attempts = 3, budget = super::super::BUDGET, classify = super::super::judge)]
    pub async fn beside_them(number: u8) -> Result<u8, &'static str> {
        Ok(number)
    }
}

#[no_implicit_prelude]
mod no_implicit_prelude {
    use ::core::result::Result;
    use ::std::string::String;
    use ::std::vec::Vec;

    use super::super::{BUDGET, judge};

    const ATTEMPTS: u32 = 3;

    #[::retry_runtime::retry(
        attempts = ATTEMPTS,
        budget = BUDGET,
        classify = judge,
        clone(text),
        within = 30s,
        schedule = ::retry_runtime::Backoff::none(),
        cancel = ::core::future::pending::<()>(),
        observe = |_| {},
        attempt = attempt,
    )]
    pub async fn without_a_prelude(
        text: String,
        list: &mut Vec<u8>,
    ) -> Result<usize, &'static str> {
        list.push(1);
        let length = text.len();
        ::core::mem::drop(text);
        if attempt.is_first() {
            return Result::Err("again");
        }
        Result::Ok(list.len() + length)
    }
}

#[retry_runtime::retry(attempts = 3, budget = super::BUDGET, classify = super::judge)]
async fn use_in_the_body(number: u8) -> Result<u8, &'static str> {
    use core::fmt::Result as Shown;
    #[expect(dead_code)]
    type Result = Shown;
    Ok(number)
}

#[retry_runtime::retry(attempts = 3, budget = super::BUDGET, classify = super::judge)]
async fn labels(numbers: &[u8]) -> Result<u8, &'static str> {
    let mut last = 0;
    'outer: for number in numbers {
        loop {
            if *number > 2 {
                break 'outer;
            }
            last = *number;
            continue 'outer;
        }
    }
    let value = 'block: {
        if last == 0 {
            break 'block 1;
        }
        last
    };
    Ok(value)
}

#[retry_runtime::retry(attempts = 3, budget = super::BUDGET, classify = super::judge, crate = crate::shapes::hygiene::reexported::renamed, within = 1m)]
async fn crate_under_another_name(number: u8) -> Result<u8, &'static str> {
    Ok(number)
}

#[retry_runtime::retry(attempts = 3, budget = super::BUDGET, classify = super::judge, clone(delay))]
async fn named_like_our_own(
    result: u8,
    delay: u8,
    __retry_call: u8,
    __retry_result: u8,
    __retry_delay: u8,
    attempt: u8,
    floor: u8,
) -> Result<u8, &'static str> {
    Ok(result + delay + __retry_call + __retry_result + __retry_delay + attempt + floor)
}

#[retry_runtime::retry(attempts = 3, budget = super::BUDGET, classify = super::judge, clone(r#type))]
async fn raw_identifiers(r#type: String, r#match: &mut u8, r#gen: u8) -> Result<u8, &'static str> {
    *r#match += r#gen;
    let length = u8::try_from(r#type.len()).map_err(|_| "stop")?;
    if *r#match < 3 { Err("again") } else { Ok(length) }
}

#[test]
fn they_behave() {
    assert_eq!(run(shadowed_prelude::shadowed("ab".into())), Ok(2));
    let mut list = vec![];
    let without = no_implicit_prelude::without_a_prelude("a".into(), &mut list);
    assert_eq!(run(without), Ok(3));
    assert_eq!(run(modules_named_like_crates::beside_them(1)), Ok(1));
    assert_eq!(run(use_in_the_body(1)), Ok(1));
    assert_eq!(run(labels(&[1, 2, 3])), Ok(2));
    assert_eq!(run(crate_under_another_name(1)), Ok(1));
    assert_eq!(run(named_like_our_own(1, 1, 1, 1, 1, 1, 1)), Ok(7));
    assert_eq!(run(raw_identifiers("ab".into(), &mut 0, 1)), Ok(2));
}
