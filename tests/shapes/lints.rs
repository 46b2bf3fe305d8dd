//! The lints of strict crates, which the root of this test forbids or denies, on
//! code that would bring them out.

#![forbid(unused, warnings, missing_docs, unsafe_code)]

use core::future::ready;

use retry_runtime::{Outcome, retry};

use super::{BUDGET, judge, run};

#[retry(attempts = 3, budget = BUDGET, classify = judge)]
async fn explicit_return(number: u8) -> Result<u8, &'static str> {
    ready(()).await;
    if number > 200 {
        return Err("stop");
    }
    Ok(number)
}

#[retry(attempts = 3, budget = BUDGET, classify = judge)]
#[rustfmt::skip]
async fn one_line(number: u8) -> Result<u8, &'static str> { Ok(number) }

#[retry(attempts = 3, budget = BUDGET, classify = judge)]
async fn no_unused_mut(mut list: &mut Vec<u8>, mut text: &str) -> Result<usize, &'static str> {
    let mut other = Vec::new();
    text = &text[1..];
    list.push(1);
    list = &mut other;
    list.push(u8::try_from(text.len()).map_err(|_| "stop")?);
    Ok(list.len())
}

#[retry(attempts = 3, budget = BUDGET, classify = judge, clone(_kept))]
async fn underscored(_kept: String, _also: Vec<u8>) -> Result<u8, &'static str> {
    Ok(1)
}

/// An attempt that never judges, and whose keys do not know it.
#[retry(attempts = 3, budget = BUDGET, classify = judge, attempt = attempt)]
async fn only_looked_at() -> Result<u8, &'static str> {
    ready(()).await;
    if attempt.is_first() { Err("again") } else { Ok(2) }
}

/// One that judges, known to a key too.
#[retry(attempts = 3, budget = BUDGET, classify = |_| of(attempt.number()), attempt = attempt)]
async fn judged() -> Result<u8, &'static str> {
    let number = attempt.number();
    if number < 2 {
        attempt.judge(Outcome::RepeatIn(core::time::Duration::ZERO));
    }
    ready(()).await;
    Ok(1)
}

/// One that the keys alone know.
#[retry(attempts = 3, budget = BUDGET, classify = |_| of(attempt.number()), attempt = attempt)]
async fn known_to_keys() -> Result<u8, &'static str> {
    Ok(1)
}

const fn of(number: u32) -> Outcome {
    if number < 2 { Outcome::RetryIn(core::time::Duration::ZERO) } else { Outcome::Success }
}

/// Clippy forgives an implementation the types of its trait.
mod types_of_a_trait {
    use std::collections::HashMap;

    use retry_runtime::retry;

    use super::{BUDGET, judge, run};

    #[allow(clippy::type_complexity)]
    trait Handlers {
        async fn all(
            &self,
        ) -> Result<Option<HashMap<String, Vec<Box<dyn Fn(u8) -> Result<u8, String>>>>>, &'static str>;
    }

    impl Handlers for u8 {
        #[retry(attempts = 3, budget = BUDGET, classify = judge)]
        async fn all(
            &self,
        ) -> Result<Option<HashMap<String, Vec<Box<dyn Fn(u8) -> Result<u8, String>>>>>, &'static str>
        {
            if *self > 0 { Err("stop") } else { Ok(None) }
        }
    }

    #[test]
    fn they_behave() {
        assert!(run(0.all()).is_ok_and(|handlers| handlers.is_none()));
    }
}

/// Temporaries of the tail are dropped as the edition of the user's crate says.
mod tail_temporaries {
    use std::cell::RefCell;

    use retry_runtime::retry;

    use super::{BUDGET, judge, run};

    struct Noisy<'a>(&'a RefCell<Vec<&'static str>>, &'static str);

    impl Noisy<'_> {
        fn number(&self) -> u8 {
            u8::from(!self.1.is_empty())
        }
    }

    impl Drop for Noisy<'_> {
        fn drop(&mut self) {
            self.0.borrow_mut().push(self.1);
        }
    }

    async fn plain(log: &RefCell<Vec<&'static str>>) -> Result<u8, &'static str> {
        let _local = Noisy(log, "local");
        Ok(Noisy(log, "temporary").number())
    }

    #[retry(attempts = 3, budget = BUDGET, classify = judge)]
    async fn retried(log: &RefCell<Vec<&'static str>>) -> Result<u8, &'static str> {
        let _local = Noisy(log, "local");
        Ok(Noisy(log, "temporary").number())
    }

    #[test]
    fn the_order_is_that_of_the_plain_function() {
        let (expected, found) = (RefCell::default(), RefCell::default());
        assert_eq!(run(plain(&expected)), run(retried(&found)));
        assert_eq!(expected, found);
    }
}

#[test]
fn they_behave() {
    assert_eq!(run(explicit_return(1)), Ok(1));
    assert_eq!(run(one_line(1)), Ok(1));
    assert_eq!(run(only_looked_at()), Ok(2));
    assert_eq!(run(judged()), Ok(1));
    assert_eq!(run(known_to_keys()), Ok(1));
    assert_eq!(run(no_unused_mut(&mut vec![], "abc")), Ok(1));
    assert_eq!(run(underscored(String::new(), vec![])), Ok(1));
}
