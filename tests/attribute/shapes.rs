//! Functions of every shape: generic, of traits, with `impl Trait`, from macros.

use std::fmt::{Debug, Display};

use retry_runtime::{Backoff, Outcome, retry};

use crate::support::{Calls, Error, classify};

#[tokio::test(start_paused = true)]
async fn generic_functions() {
    #[retry(attempts = 3, budget = none, classify = classify, schedule = Backoff::none())]
    async fn call<'a, T, F, const N: usize>(
        calls: &Calls,
        make: F,
        items: &'a [T; N],
    ) -> Result<(&'a T, String), Error>
    where
        T: Debug,
        F: Fn(&T) -> String,
    {
        let number = calls.next() as usize;
        if number < N { Err(Error::Again) } else { Ok((&items[N - 1], make(&items[0]))) }
    }
    let found = call(&Calls::new(), |item| format!("{item:?}"), &['a', 'b', 'c']).await;
    assert_eq!(found, Ok((&'c', "'a'".to_owned())));
}

#[tokio::test(start_paused = true)]
async fn impl_trait_as_an_argument_and_as_the_result() {
    #[retry(attempts = 3, budget = none, classify = classify, schedule = Backoff::none())]
    async fn taken(name: impl AsRef<str>, calls: &Calls) -> Result<usize, Error> {
        if calls.next() < 3 { Err(Error::Again) } else { Ok(name.as_ref().len()) }
    }
    #[retry(attempts = 3, budget = none, classify = |_| Outcome::Retry, schedule = Backoff::none())]
    async fn given(calls: &Calls) -> impl Iterator<Item = u32> {
        0..calls.next()
    }
    #[retry(attempts = 3, budget = none, classify = classify, schedule = Backoff::none())]
    async fn inside(calls: &Calls) -> Result<impl Display, Error> {
        let number = calls.next();
        if number < 2 {
            return Err(Error::Again);
        }
        Ok(number)
    }
    assert_eq!(taken(String::from("four"), &Calls::new()).await, Ok(4));
    assert_eq!(given(&Calls::new()).await.collect::<Vec<_>>(), [0, 1, 2]);
    assert_eq!(inside(&Calls::new()).await.ok().unwrap().to_string(), "2");
}

#[tokio::test(start_paused = true)]
async fn methods_of_traits_with_a_default_body_and_in_an_impl() {
    trait Api {
        const ATTEMPTS: u32;
        fn calls(&self) -> &Calls;

        #[retry(attempts = Self::ATTEMPTS, budget = none, classify = classify, schedule = Backoff::none())]
        async fn default_body(&self) -> Result<u32, Error> {
            Err(Error::Numbered(self.calls().next()))
        }

        async fn of_the_impl(&self) -> Result<u32, Error>;
    }
    struct Client(Calls);
    impl Api for Client {
        const ATTEMPTS: u32 = 4;
        fn calls(&self) -> &Calls {
            &self.0
        }

        #[retry(attempts = 2, budget = none, classify = classify, schedule = Backoff::none())]
        async fn of_the_impl(&self) -> Result<u32, Error> {
            Err(Error::Numbered(self.calls().next()))
        }
    }
    assert_eq!(Client(Calls::new()).default_body().await, Err(Error::Numbered(4)));
    assert_eq!(Client(Calls::new()).of_the_impl().await, Err(Error::Numbered(2)));
}

#[tokio::test(start_paused = true)]
async fn functions_that_a_macro_makes() {
    macro_rules! client {
        ($($name:ident: $attempts:literal, $budget:expr, |$result:pat_param| $judge:expr => $ok:ty $body:block)*) => {
            $(
                #[retry(attempts = $attempts, budget = $budget, classify = |$result| $judge, schedule = Backoff::constant(5ms))]
                async fn $name(calls: &Calls) -> Result<$ok, Error> {
                    calls.next();
                    $body
                }
            )*
        };
    }
    static BUDGET: retry_runtime::Budget = retry_runtime::Budget::new(10, 0.1);
    client! {
        twice: 2, BUDGET, |_| Outcome::Retry => u32 { Err(Error::Again) }
        thrice: 3, BUDGET, |_| Outcome::Retry => String { Ok("kept".to_owned()) }
    }
    let calls = Calls::new();
    assert_eq!(twice(&calls).await, Err(Error::Again));
    assert_eq!(calls.at(), [0, 5]);
    assert_eq!(thrice(&calls).await, Ok("kept".to_owned()));
    assert_eq!(calls.at(), [0, 5, 5, 10, 15]);
    assert_eq!(BUDGET.tokens(), 5.0);
}

#[tokio::test(start_paused = true)]
async fn a_name_that_hides_the_prelude_does_not_reach_the_expansion() {
    mod hostile {
        #![allow(dead_code)]
        // Everything the expansion could name by a short path, and nothing else.
        use super::{Calls, Error, classify};
        use ::std::result::Result;

        pub struct Option;
        pub struct Some;
        pub struct Clone;
        pub mod core {}
        pub mod std {}

        #[retry_runtime::retry(
            attempts = 3,
            budget = none,
            classify = classify,
            schedule = |_| ::std::time::Duration::ZERO,
            clone(text)
        )]
        pub async fn call(text: String, calls: &Calls) -> Result<String, Error> {
            if calls.next() < 3 { Result::Err(Error::Again) } else { Result::Ok(text) }
        }
    }
    assert_eq!(hostile::call("t".into(), &Calls::new()).await, Ok("t".into()));
}

#[tokio::test(start_paused = true)]
async fn attributes_and_documents_of_the_function_stay() {
    /// Gives a number.
    #[must_use = "a number that nobody reads"]
    #[retry(attempts = 2, budget = none, classify = classify, schedule = Backoff::none())]
    #[inline]
    #[allow(clippy::unused_async)]
    pub(crate) async fn call(calls: &Calls) -> Result<u32, Error> {
        //! Says more.
        if calls.next() < 2 { Err(Error::Again) } else { Ok(1) }
    }
    assert_eq!(call(&Calls::new()).await, Ok(1));
}
