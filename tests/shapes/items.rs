//! Functions that macros make, other attributes, and qualifiers.

use retry_runtime::retry;

use super::{BUDGET, judge, run};

macro_rules! j1_fragments {
    ($name:ident, $argument:ident: $type:ty, $attempts:literal, $value:expr, $budget:path, $judge:expr) => {
        #[retry(attempts = $attempts, budget = $budget, classify = $judge)]
        async fn $name($argument: $type, other: &mut u8) -> Result<u8, &'static str> {
            *other += 1;
            if *other < 3 { Err("again") } else { Ok(*$argument + $value) }
        }
    };
}
j1_fragments!(j1_of_fragments, number: &mut u8, 3, 1 + 1, BUDGET, judge);

macro_rules! j2_whole_block {
    ($name:ident $body:block) => {
        #[retry(attempts = 3, budget = BUDGET, classify = judge)]
        async fn $name() -> Result<u8, &'static str> $body
    };
}
j2_whole_block!(j2_of_a_block { Ok(1) });

macro_rules! j4_own_names {
    ($name:ident) => {
        #[retry(attempts = 3, budget = BUDGET, classify = judge, clone(inner))]
        async fn $name(inner: String, count: &mut u8) -> Result<usize, &'static str> {
            *count += 1;
            let inner: String = inner;
            if *count < 3 { Err("again") } else { Ok(inner.len()) }
        }
    };
}
j4_own_names!(j4_of_own_names);

macro_rules! bail {
    ($error:expr) => {
        return Err($error)
    };
}

#[retry(attempts = 3, budget = BUDGET, classify = judge)]
async fn b1_macro_that_returns(count: &mut u8) -> Result<u8, &'static str> {
    *count += 1;
    if *count < 3 {
        bail!("again");
    }
    Ok(*count)
}

#[retry(attempts = 3, budget = BUDGET, classify = judge)]
async fn k2_inner_attributes(number: u8) -> Result<u8, &'static str> {
    #![expect(unused_variables)]
    //! Documentation inside.
    let unused = 1;
    Ok(number)
}

#[retry(attempts = 3, budget = BUDGET, classify = judge)]
#[tracing_attributes::instrument]
async fn k4_span_for_each_attempt(number: u8, text: &str) -> Result<usize, &'static str> {
    Ok(text.len() + usize::from(number))
}

#[tracing_attributes::instrument(skip(text))]
#[retry(attempts = 3, budget = BUDGET, classify = judge, clone(number))]
async fn k4_span_for_each_call(number: u8, text: &str) -> Result<usize, &'static str> {
    Ok(text.len() + usize::from(number))
}

#[retry(attempts = 3, budget = BUDGET, classify = judge)]
#[expect(unsafe_code, dead_code)]
async unsafe fn l1_unsafe(number: u8) -> Result<u8, &'static str> {
    Ok(number)
}

#[retry(attempts = 3, budget = BUDGET, classify = judge)]
#[expect(improper_ctypes_definitions)]
async extern "C" fn l2_extern(number: u8) -> Result<u8, &'static str> {
    Ok(number)
}

#[retry(attempts = 3, budget = BUDGET, classify = judge)]
async fn h11_attributes_stay(number: u8) -> Result<u8, &'static str> {
    Ok(number)
}

#[test]
fn they_behave() {
    assert_eq!(run(j1_of_fragments(&mut 1, &mut 0)), Ok(3));
    assert_eq!(run(j2_of_a_block()), Ok(1));
    assert_eq!(run(j4_of_own_names("ab".into(), &mut 0)), Ok(2));
    assert_eq!(run(b1_macro_that_returns(&mut 0)), Ok(3));
    assert_eq!(run(k2_inner_attributes(1)), Ok(1));
    assert_eq!(run(k4_span_for_each_attempt(1, "a")), Ok(2));
    assert_eq!(run(k4_span_for_each_call(1, "a")), Ok(2));
    let _not_polled = l2_extern(1);
    assert_eq!(run(h11_attributes_stay(1)), Ok(1));
}
