//! A library that is compiled with and without the attribute: `tests/warnings.rs`
//! makes a comment of each line that begins with `#[crate::retry(` for the second,
//! and the warnings must be the same ones at the same places. So each attribute is on
//! a line of its own, and whole. In one file, though a long one, so that it is compiled once
//! for each edition, with and without.

#![warn(unused, missing_docs, unused_qualifications, let_underscore_drop, unreachable_pub)]
#![warn(clippy::all, clippy::pedantic, clippy::nursery, clippy::cargo)]
// A function that waits between its attempts is async in earnest: see `levels`.
#![allow(clippy::unused_async)]
#![warn(clippy::allow_attributes, clippy::allow_attributes_without_reason)]
#![warn(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]
#![warn(clippy::shadow_same, clippy::shadow_reuse, clippy::shadow_unrelated)]
#![warn(clippy::let_underscore_untyped, clippy::let_underscore_must_use)]
#![warn(clippy::question_mark_used, clippy::arithmetic_side_effects, clippy::as_conversions)]
#![warn(clippy::default_numeric_fallback, clippy::std_instead_of_core, clippy::str_to_string)]
#![warn(clippy::clone_on_ref_ptr, clippy::absolute_paths, clippy::missing_trait_methods)]
#![warn(clippy::wildcard_enum_match_arm, clippy::pattern_type_mismatch, clippy::else_if_without_else)]
#![warn(clippy::single_call_fn, clippy::multiple_inherent_impl, clippy::min_ident_chars)]
#![warn(clippy::unused_trait_names, clippy::infinite_loop, clippy::semicolon_outside_block)]

pub use retry_runtime::{Budget, Outcome, retry};

/// Shared by every function here.
pub static BUDGET: Budget = Budget::new(10, 0.1);

/// Says that any result is a success.
pub const fn succeed<T>(_: &T) -> Outcome {
    Outcome::Success
}

/// Says what a result means.
pub const fn judge<T, E>(result: &Result<T, E>) -> Outcome {
    if result.is_ok() { Outcome::Success } else { Outcome::Retry }
}

/// What the lints are about: unused things.
pub mod unused {
    #[crate::retry(attempts = 3, budget = crate::BUDGET, classify = crate::judge)]
    async fn dead_code() -> Result<u8, u8> {
        Ok(1)
    }

    struct Hidden;

    impl Hidden {
        #[crate::retry(attempts = 3, budget = crate::BUDGET, classify = crate::judge)]
        async fn dead_method(&self) -> Result<u8, u8> {
            Ok(1)
        }
    }

    /// Variables and parameters.
    #[crate::retry(attempts = 3, budget = crate::BUDGET, classify = crate::judge)]
    pub async fn unused_variables(left: u8, (right, _): (String, u8), list: &mut Vec<u8>) -> Result<u8, u8> {
        let inside = 1;
        Ok(2)
    }

    /// A parameter that `clone` names and the body does not.
    #[crate::retry(attempts = 3, budget = crate::BUDGET, classify = crate::judge, clone(text))]
    pub async fn unused_and_cloned(text: String) -> Result<u8, u8> {
        Ok(2)
    }

    /// Some `mut` too many.
    #[crate::retry(attempts = 3, budget = crate::BUDGET, classify = crate::judge, clone(list))]
    pub async fn unused_mut(list: Vec<u8>, text: &str) -> Result<usize, u8> {
        let mut length = list.len();
        let shown = text;
        Ok(length.wrapping_add(shown.len()))
    }

    /// Results and values that are not looked at.
    #[crate::retry(attempts = 3, budget = crate::BUDGET, classify = crate::judge)]
    pub async fn unused_must_use(number: u8) -> Result<u8, u8> {
        unused_variables(1, (String::new(), 1), &mut Vec::new()).await;
        number.wrapping_add(1);
        Ok(number)
    }

    /// A clone that nobody reads.
    #[crate::retry(attempts = 3, budget = crate::BUDGET, classify = crate::judge, clone(text))]
    pub async fn unread_clone(mut text: String) -> Result<u8, u8> {
        text = String::from("1");
        text.parse().map_err(|_| 1)
    }

    /// An assignment that nobody reads.
    #[crate::retry(attempts = 3, budget = crate::BUDGET, classify = crate::judge)]
    pub async fn unused_assignments(number: u8) -> Result<u8, u8> {
        let mut last = number;
        if number > 1 {
            return Err(last);
        }
        last = 2;
        Ok(number)
    }

    /// What cannot be reached.
    #[crate::retry(attempts = 3, budget = crate::BUDGET, classify = crate::judge)]
    pub async fn unreachable_code(number: u8) -> Result<u8, u8> {
        return Ok(number);
        Err(number)
    }

    /// Braces, parentheses, a label, an import, a macro and a doc comment.
    #[crate::retry(attempts = 3, budget = crate::BUDGET, classify = crate::judge)]
    pub async fn unused_syntax(number: u8) -> Result<u8, u8> {
        use std::collections::HashMap;
        macro_rules! helper {
            () => {};
        }
        let doubled = u8::from({ number > 1 });
        let grouped = (doubled);
        'label: loop {
            /// Of nothing.
            break;
        }
        Ok(grouped)
    }

    /// Paths that are longer than they need be, in the body and in the signature.
    #[crate::retry(attempts = 3, budget = crate::BUDGET, classify = crate::judge)]
    pub async fn unused_qualifications(number: u8) -> core::result::Result<u8, u8> {
        use std::cmp::max;
        Ok(std::cmp::max(max(1, number), number))
    }

    /// A function inside that nobody calls.
    #[crate::retry(attempts = 3, budget = crate::BUDGET, classify = crate::judge)]
    pub async fn dead_code_inside(number: u8) -> Result<u8, u8> {
        fn helper() {}
        Ok(number)
    }
}

/// Expectations and levels on the function.
pub mod levels {
    /// Fulfilled by the parameter.
    #[crate::retry(attempts = 3, budget = crate::BUDGET, classify = crate::judge)]
    #[expect(unused_variables, reason = "it is about the expectation")]
    pub async fn expectation_fulfilled(number: u8) -> Result<u8, u8> {
        Ok(1)
    }

    /// The same, above the attribute.
    #[expect(unused_variables, reason = "it is about the expectation")]
    #[crate::retry(attempts = 3, budget = crate::BUDGET, classify = crate::judge)]
    pub async fn expectation_above_fulfilled(number: u8) -> Result<u8, u8> {
        Ok(1)
    }

    /// Nothing is unused here.
    #[crate::retry(attempts = 3, budget = crate::BUDGET, classify = crate::judge, clone(text))]
    #[expect(unused_variables, unused_mut, reason = "it is about the expectation")]
    pub async fn expectation_unfulfilled(mut text: String) -> Result<String, u8> {
        text.push('x');
        Ok(text)
    }

    /// A lint of Clippy, expected.
    #[crate::retry(attempts = 3, budget = crate::BUDGET, classify = crate::judge, clone(text))]
    #[expect(clippy::shadow_reuse, reason = "it is about the expectation")]
    pub async fn expectation_of_shadowing_unfulfilled(text: String) -> Result<String, u8> {
        Ok(text)
    }

    /// The same, fulfilled by the body.
    #[crate::retry(attempts = 3, budget = crate::BUDGET, classify = crate::judge, clone(text))]
    #[expect(clippy::shadow_reuse, clippy::unwrap_used, reason = "it is about the expectation")]
    pub async fn expectation_of_clippy_fulfilled(text: String) -> Result<u8, u8> {
        let text = text.parse().unwrap();
        Ok(text)
    }

    #[crate::retry(attempts = 3, budget = crate::BUDGET, classify = crate::judge)]
    #[expect(dead_code, reason = "it is about the expectation")]
    async fn expectation_of_dead_code() -> Result<u8, u8> {
        Ok(1)
    }

    /// Nobody should call it.
    #[crate::retry(attempts = 3, budget = crate::BUDGET, classify = crate::judge)]
    #[deprecated(note = "there is a better one")]
    pub async fn is_deprecated(number: u8) -> Result<u8, u8> {
        Ok(number)
    }

    /// The result must be used, with these words.
    #[crate::retry(attempts = 3, budget = crate::BUDGET, classify = crate::succeed)]
    #[must_use = "it counts"]
    pub async fn is_must_use(number: u8) -> u8 {
        number
    }

    /// Calls what is deprecated, and drops what must be used.
    #[crate::retry(attempts = 3, budget = crate::BUDGET, classify = crate::judge)]
    pub async fn calls_both(number: u8) -> Result<u8, u8> {
        is_must_use(number).await;
        is_must_use(number);
        is_deprecated(number).await
    }

    #[crate::retry(attempts = 3, budget = crate::BUDGET, classify = crate::judge)]
    pub async fn missing_docs(number: u8) -> Result<u8, u8> {
        Ok(number)
    }

    /// Which is not stable on an async function.
    #[crate::retry(attempts = 3, budget = crate::BUDGET, classify = crate::judge)]
    #[track_caller]
    pub async fn track_caller(number: u8) -> Result<u8, u8> {
        Ok(number)
    }

    /// Without an `.await` of its own.
    #[warn(clippy::unused_async)]
    #[crate::retry(attempts = 3, budget = crate::BUDGET, classify = crate::judge)]
    pub async fn unused_async(number: u8) -> Result<u8, u8> {
        Ok(number)
    }

    /// Lints of signatures.
    #[crate::retry(attempts = 3, budget = crate::BUDGET, classify = crate::judge)]
    pub async extern "C" fn improper_ctypes(number: u8) -> Result<u8, u8> {
        Ok(number)
    }

    /// No warning at all, or the crate is refused.
    pub mod forbidding {
        #![forbid(unused, warnings, missing_docs, unsafe_code)]
        #![forbid(clippy::shadow_same, clippy::shadow_reuse, clippy::shadow_unrelated)]

        /// A typical function.
        ///
        /// # Errors
        ///
        /// Those of the text.
        #[crate::retry(attempts = 3, budget = crate::BUDGET, classify = crate::judge, clone(text))]
        pub async fn nothing_to_say(text: String, list: &mut Vec<u8>) -> Result<usize, String> {
            list.push(0);
            if list.is_empty() { Err(text) } else { Ok(list.len()) }
        }
    }
}

/// Clippy's lints, in bodies and in signatures.
pub mod clippy {
    use std::cell::Cell;
    use std::future::Future;
    use std::pin::Pin;
    use std::rc::Rc;

    /// In the middle of a body.
    #[crate::retry(attempts = 3, budget = crate::BUDGET, classify = crate::judge)]
    pub async fn unwrap_and_clones(text: &str, shared: &Rc<u8>) -> Result<u8, u8> {
        let number: u8 = text.parse().unwrap();
        let owned = text.to_string().clone();
        let other = shared.clone();
        let first = text.as_bytes()[0];
        if owned.len() == 0 {
            panic!("empty");
        }
        Ok(number + *other + first)
    }

    /// Names that hide others.
    #[crate::retry(attempts = 3, budget = crate::BUDGET, classify = crate::judge, clone(text))]
    pub async fn shadowing(text: String, number: u8, list: &mut Vec<u8>) -> Result<usize, u8> {
        let text = text;
        let number = number.wrapping_add(1);
        let list = list.len();
        let number = list.wrapping_add(number.into());
        let list = 1_usize.wrapping_add(2);
        let number = number.wrapping_add(list);
        Ok(text.len().wrapping_add(number))
    }

    /// Parameters that begin with an underscore, and are used.
    #[crate::retry(attempts = 3, budget = crate::BUDGET, classify = crate::judge)]
    pub async fn used_underscore(_number: u8, _text: Rc<str>, _list: &mut Vec<u8>, _vec: Vec<Rc<u8>>) -> Result<usize, u8> {
        _list.push(_number);
        Ok(_text.len().wrapping_add(_vec.len()))
    }

    /// The same, where an attempt borrows uniquely.
    #[crate::retry(attempts = 3, budget = crate::BUDGET, classify = crate::judge)]
    pub async fn used_underscore_uniquely(_number: Cell<u8>, _pinned: Pin<&mut Cell<u8>>) -> Result<u8, u8> {
        _pinned.replace(1);
        Ok(_number.get())
    }

    /// A type that the expansion cannot write out.
    #[crate::retry(attempts = 3, budget = crate::BUDGET, classify = crate::judge)]
    pub async fn impl_trait_in_the_result(number: u8) -> Result<impl Iterator<Item = u8>, u8> {
        Ok(core::iter::once(number))
    }

    /// Awaits one future, and gives nothing.
    #[crate::retry(attempts = 3, budget = crate::BUDGET, classify = crate::succeed)]
    pub async fn awaits_and_gives_nothing() {
        core::future::ready(()).await;
    }

    /// The same, as its tail.
    #[crate::retry(attempts = 3, budget = crate::BUDGET, classify = crate::succeed)]
    pub async fn awaits_at_its_end() {
        core::future::ready(()).await
    }

    /// The same, with a result.
    #[crate::retry(attempts = 3, budget = crate::BUDGET, classify = crate::judge)]
    pub async fn awaits_alone() -> Result<u8, u8> {
        core::future::ready(Ok(1)).await
    }

    /// Gives a future.
    #[crate::retry(attempts = 3, budget = crate::BUDGET, classify = crate::succeed)]
    pub async fn gives_a_future() -> impl Future<Output = u8> {
        core::future::ready(1)
    }

    /// Gives nothing, in words.
    #[crate::retry(attempts = 3, budget = crate::BUDGET, classify = crate::succeed)]
    pub async fn unit(number: u8) -> () {
        if number == 0 {
            return ();
        }
        return;
    }

    /// Names of one letter, that each attempt binds anew.
    #[crate::retry(attempts = 3, budget = crate::BUDGET, classify = crate::judge, clone(e))]
    pub async fn single_chars(a: &mut u8, b: &mut u8, mut c: &str, d: &mut u8, e: String) -> Result<u8, u8> {
        *a = 1;
        *b = 2;
        *d = 3;
        c = c.trim();
        Ok(a.wrapping_add(*b).wrapping_add(*d).wrapping_mul(c.len() as u8).max(e.len() as u8))
    }

    /// Is not safe inside.
    #[crate::retry(attempts = 3, budget = crate::BUDGET, classify = crate::judge)]
    pub async fn unsafe_code(number: *const u8) -> Result<u8, u8> {
        let found = unsafe { number.as_ref() };
        found.copied().map_or(Err(1), |value| Ok(value))
    }

    /// Statements.
    #[crate::retry(attempts = 3, budget = crate::BUDGET, classify = crate::judge)]
    pub async fn statements(number: u8) -> Result<u8, u8> {
        let _ = Some(number);
        let _ = crate::judge::<u8, u8>(&Ok(number));
        let value = Ok::<u8, u8>(number)?;
        let unit = ();
        unit;
        match value {
            0 => {}
            _ => return Err(value),
        }
        if value == 1 {
            return Ok(1);
        } else {
            Ok(value as u8)
        }
    }

    /// A `return` before the end.
    #[crate::retry(attempts = 3, budget = crate::BUDGET, classify = crate::judge)]
    pub async fn early_return(number: u8) -> Result<u8, u8> {
        let closure = |x: u8| {
            return x;
        };
        if number == 0 {
            return Err(closure(number));
        }
        Ok(number)
    }

    /// Explicit returns alone: nothing for `implicit_return` to say.
    #[warn(clippy::implicit_return)]
    #[crate::retry(attempts = 3, budget = crate::BUDGET, classify = crate::judge)]
    #[expect(clippy::needless_return, reason = "the style of those who deny implicit returns")]
    pub async fn explicit_return_in_a_branch(number: u8) -> Result<u8, u8> {
        if number == 0 {
            return Err(number);
        }
        loop {
            if number > 1 {
                let closure = |x: u8| {
                    return x;
                };
                return Ok(closure(number));
            }
        }
    }

    /// Implicit ones, in a function that asks for explicit ones.
    #[warn(clippy::implicit_return)]
    #[crate::retry(attempts = 3, budget = crate::BUDGET, classify = crate::judge)]
    pub async fn implicit_return(number: u8) -> Result<u8, u8> {
        if number == 0 { Err(number) } else { Ok(number) }
    }

    /// Too many lines, branches and arguments.
    #[crate::retry(attempts = 3, budget = crate::BUDGET, classify = crate::judge)]
    pub async fn too_many_arguments(a: u8, b: u8, c: u8, d: u8, e: u8, f: u8, g: u8, h: bool, i: bool) -> Result<u8, u8> {
        if a == b { if c == d { return Err(e); } }
        Ok(a.max(b).max(c).max(d).max(e).max(f).max(g).max(h.into()).max(i.into()))
    }

    /// Types that are more than is needed.
    #[crate::retry(attempts = 3, budget = crate::BUDGET, classify = crate::judge)]
    #[expect(dead_code, reason = "what is public may not change")]
    async fn types(text: &String, list: &Vec<u8>, boxed: Box<Vec<u8>>, value: String, option: Option<Option<u8>>) -> Result<u8, ()> {
        let length = text.len() + list.len() + boxed.len() + value.len();
        u8::try_from(length).map_err(|_| ())
    }

    /// Does not wait for anything.
    #[crate::retry(attempts = 3, budget = crate::BUDGET, classify = crate::judge)]
    pub async fn format_arguments(number: u8) -> Result<String, u8> {
        println!("{}", number);
        let lock = std::sync::Mutex::new(number);
        let guard = lock.lock().expect("not poisoned");
        core::future::ready(()).await;
        Ok(format!("{}", *guard))
    }

    /// A long body.
    #[crate::retry(attempts = 3, budget = crate::BUDGET, classify = crate::judge)]
    pub async fn a_long_body(list: &[u8]) -> Result<u8, u8> {
        let mut sum = 0;
        for index in 0..list.len() {
            if list[index] > 1 {
                while sum < 10 {
                    if sum == 3 { sum += 1; } else if sum == 4 { sum += 2; } else { sum += 3; }
                }
            }
            match sum { 1 => { sum = 2; } 2 => { sum = 3; } 3 => { sum = 4; } 4 => sum = 5, _ => {} }
            if sum > 5 && index > 3 || sum < 2 { sum = 1; }
            if sum > 6 { sum = 2; }
            if sum > 7 { if sum > 8 { sum = 3; } }
            if sum > 9 { if sum > 10 { sum = 4; } else { sum = 5; } }
            if sum > 11 { if sum > 12 { sum = 4; } else { sum = 5; } }
            if sum > 11 { if sum > 12 { sum = 4; } else { sum = 5; } }
            if sum > 11 { if sum > 12 { sum = 4; } else { sum = 5; } }
            if sum > 11 { if sum > 12 { sum = 4; } else { sum = 5; } }
        }
        Ok(sum)
    }

    /// With methods.
    #[derive(Clone, Default)]
    pub struct Client {
        /// What it counts.
        pub count: u8,
    }

    impl Client {
        /// Does not use its receiver.
        #[crate::retry(attempts = 3, budget = crate::BUDGET, classify = crate::judge)]
        #[expect(dead_code, reason = "what is public may not change")]
        async fn unused_self(&self) -> Result<u8, u8> {
            Ok(1)
        }

        /// Could take a shared reference.
        #[crate::retry(attempts = 3, budget = crate::BUDGET, classify = crate::judge)]
        #[expect(dead_code, reason = "what is public may not change")]
        async fn needless_pass_by_ref_mut(&mut self, other: &mut Client) -> Result<u8, u8> {
            Ok(self.count.max(other.count))
        }

        /// By a box.
        #[crate::retry(attempts = 3, budget = crate::BUDGET, classify = crate::judge)]
        pub async fn boxed_local(self: Box<Self>) -> Result<Client, u8> {
            Ok(Client { count: self.count })
        }

        /// By a name that asks for another receiver.
        #[crate::retry(attempts = 3, budget = crate::BUDGET, classify = crate::judge)]
        pub async fn into_count(&self) -> Result<u8, u8> {
            let count = self.count;
            return Err(count)?;
        }
    }

    /// With a method of its own.
    #[async_trait::async_trait]
    pub trait Api {
        /// Of every implementation.
        async fn get(&mut self, text: String, unused: u8) -> Result<u8, u8>;
    }

    #[async_trait::async_trait]
    impl Api for Client {
        #[crate::retry(attempts = 3, budget = crate::BUDGET, classify = crate::judge)]
        async fn get(&mut self, text: String, unused: u8) -> Result<u8, u8> {
            let inside = text.len();
            let shown = text.parse::<u8>().unwrap();
            let shown = shown.wrapping_add(1);
            self.count += 1;
            Ok(shown)
        }
    }

    /// A function made by a macro.
    #[macro_export]
    macro_rules! made {
        ($name:ident, $body:block) => {
            /// It is made.
            #[$crate::retry(attempts = 3, budget = $crate::BUDGET, classify = $crate::judge)]
            pub async fn $name(number: u8, unused: u8) -> Result<u8, u8> $body
        };
    }
    made!(by_a_macro, {
        let inside = 1;
        let parsed: u8 = "1".parse().unwrap();
        Ok(parsed)
    });
}

/// Functions that block their thread.
pub mod blocking {
    /// Of every kind of parameter.
    #[crate::retry(attempts = 3, budget = crate::BUDGET, classify = crate::judge, blocking)]
    pub fn parameters(text: &str, list: &Vec<u8>, owned: String, sum: &mut u8, _unseen: u8, unused: u8) -> Result<u8, u8> {
        let inside = text.len();
        let first = list[0];
        let length = owned.len() as u8;
        *sum += first;
        let text = owned.trim();
        return Ok(length.wrapping_add(text.len() as u8));
    }

    /// With all that waits.
    #[crate::retry(attempts = 3, budget = crate::BUDGET, classify = crate::judge, blocking, within = 1s, cancel = |delay| delay.is_zero() && sum > 1)]
    pub fn limited(sum: u8, number: u8) -> Result<u8, u8> {
        let parsed: u8 = "1".parse::<u8>().unwrap();
        if sum > 1 {
            if number > 1 {
                return Err(1)?;
            }
        }
        Ok(parsed + number)
    }

    /// With copies of its own.
    #[crate::retry(attempts = 3, budget = crate::BUDGET, classify = crate::judge, blocking, clone(text, bytes))]
    pub fn cloned(mut text: String, bytes: Vec<u8>) -> Result<u8, u8> {
        text.push('a');
        let bytes = bytes.into_iter().map(|byte| byte + 1).collect::<Vec<_>>();
        for index in 0..bytes.len() {
            text.push(char::from(bytes[index]));
        }
        Ok(text.len() as u8)
    }

    /// Of types that are no standard ones by their name.
    #[crate::retry(attempts = 3, budget = crate::BUDGET, classify = crate::judge, blocking)]
    pub fn values(shared: std::sync::Arc<String>, boxed: Box<dyn Fn(u8) -> u8>, counter: Counter) -> Result<u8, u8> {
        Ok(boxed(counter.count).wrapping_add(shared.len() as u8))
    }

    /// Has a number.
    #[derive(Debug)]
    pub struct Counter {
        /// How many.
        pub count: u8,
    }

    impl Counter {
        /// Counts.
        #[crate::retry(attempts = 3, budget = crate::BUDGET, classify = crate::judge, blocking)]
        pub fn next(&mut self, by: u8) -> Result<u8, u8> {
            let mut unused_mut = by;
            self.count += unused_mut;
            match self.count.to_string().as_str() {
                "0" => Err(0),
                text => Ok(text.len() as u8),
            }
        }
    }
}

/// What the attribute takes away, and where: the lint that is named stands there on the plain
/// function alone.
pub mod lost {
    /// The next attempt uses what this one would consume without a copy.
    #[crate::retry(attempts = 3, budget = crate::BUDGET, classify = crate::judge)]
    pub async fn copied(text: String) -> Result<u8, u8> {
        let bytes = text.clone().into_bytes(); // lost: clippy::redundant_clone
        Ok(bytes.len() as u8)
    }

    /// It waits, which no constant can.
    #[crate::retry(attempts = 3, budget = crate::BUDGET, classify = crate::judge, blocking)]
    pub fn constant(number: u8) -> Result<u8, u8> { // lost: clippy::missing_const_for_fn
        Ok(number)
    }

    /// Whether the body takes what `clone` names is not known.
    #[crate::retry(attempts = 3, budget = crate::BUDGET, classify = crate::judge, blocking, clone(text))]
    pub fn read(text: String) -> Result<u8, u8> { // lost: clippy::needless_pass_by_value
        Ok(text.len() as u8)
    }
}
