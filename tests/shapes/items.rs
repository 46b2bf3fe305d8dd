//! Functions that macros make, other attributes, and qualifiers.

use retry_runtime::retry;

use super::{BUDGET, judge, run};

macro_rules! fragments {
    ($name:ident, $argument:ident: $type:ty, $attempts:literal, $value:expr, $budget:path, $judge:expr) => {
        #[retry(attempts = $attempts, budget = $budget, classify = $judge)]
        async fn $name($argument: $type, other: &mut u8) -> Result<u8, &'static str> {
            *other += 1;
            if *other < 3 { Err("again") } else { Ok(*$argument + $value) }
        }
    };
}
fragments!(of_fragments, number: &mut u8, 3, 1 + 1, BUDGET, judge);

macro_rules! whole_block {
    ($name:ident $body:block) => {
        #[retry(attempts = 3, budget = BUDGET, classify = judge)]
        async fn $name() -> Result<u8, &'static str> $body
    };
}
whole_block!(of_a_block { Ok(1) });

macro_rules! own_names {
    ($name:ident) => {
        #[retry(attempts = 3, budget = BUDGET, classify = judge, clone(inner))]
        async fn $name(inner: String, count: &mut u8) -> Result<usize, &'static str> {
            *count += 1;
            let inner: String = inner;
            if *count < 3 { Err("again") } else { Ok(inner.len()) }
        }
    };
}
own_names!(of_own_names);

macro_rules! twins {
    ($name:ident, $first:ident) => {
        #[retry(attempts = 3, budget = BUDGET, classify = judge)]
        async fn $name($first: &mut u8, other: &mut u8) -> Result<u8, &'static str> {
            *$first += 1;
            *other += 2;
            if *$first < 3 { Err("again") } else { Ok(*$first + *other) }
        }
    };
}
twins!(of_names_that_look_the_same, other);

macro_rules! bail {
    ($error:expr) => {
        return Err($error)
    };
}

#[retry(attempts = 3, budget = BUDGET, classify = judge)]
async fn macro_that_returns(count: &mut u8) -> Result<u8, &'static str> {
    *count += 1;
    if *count < 3 {
        bail!("again");
    }
    Ok(*count)
}

#[retry(attempts = 3, budget = BUDGET, classify = judge)]
async fn inner_attributes(number: u8) -> Result<u8, &'static str> {
    #![expect(unused_variables)]
    //! Documentation inside.
    let unused = 1;
    Ok(number)
}

#[retry(attempts = 3, budget = BUDGET, classify = judge)]
#[tracing_attributes::instrument]
async fn span_for_each_attempt(number: u8, text: &str) -> Result<usize, &'static str> {
    Ok(text.len() + usize::from(number))
}

#[tracing_attributes::instrument(skip(text))]
#[retry(attempts = 3, budget = BUDGET, classify = judge, clone(number))]
async fn span_for_each_call(number: u8, text: &str) -> Result<usize, &'static str> {
    Ok(text.len() + usize::from(number))
}

/// An attribute below looks its parameters up by name.
#[retry(attempts = 3, budget = BUDGET, classify = judge, clone(text))]
#[tracing_attributes::instrument(skip_all, fields(length = text.len(), count = *count))]
async fn looked_up_by_another_attribute(
    text: String,
    count: &mut usize,
) -> Result<usize, &'static str> {
    *count += 1;
    let consumed = text;
    if *count < 3 { Err("again") } else { Ok(consumed.len() + *count) }
}

#[retry(attempts = 3, budget = BUDGET, classify = judge)]
#[expect(unsafe_code, dead_code)]
async unsafe fn unsafe_function(number: u8) -> Result<u8, &'static str> {
    Ok(number)
}

#[retry(attempts = 3, budget = BUDGET, classify = judge)]
#[expect(improper_ctypes_definitions)]
async extern "C" fn extern_function(number: u8) -> Result<u8, &'static str> {
    Ok(number)
}

#[retry(attempts = 3, budget = BUDGET, classify = judge)]
async fn attributes_stay(number: u8) -> Result<u8, &'static str> {
    Ok(number)
}

#[test]
fn they_behave() {
    assert_eq!(run(of_fragments(&mut 1, &mut 0)), Ok(3));
    assert_eq!(run(of_a_block()), Ok(1));
    assert_eq!(run(of_own_names("ab".into(), &mut 0)), Ok(2));
    assert_eq!(run(of_names_that_look_the_same(&mut 0, &mut 0)), Ok(9));
    assert_eq!(run(macro_that_returns(&mut 0)), Ok(3));
    assert_eq!(run(inner_attributes(1)), Ok(1));
    assert_eq!(run(span_for_each_attempt(1, "a")), Ok(2));
    assert_eq!(run(span_for_each_call(1, "a")), Ok(2));
    assert_eq!(run(looked_up_by_another_attribute("ab".into(), &mut 0)), Ok(5));
    let _not_polled = extern_function(1);
    assert_eq!(run(attributes_stay(1)), Ok(1));
}
