//! The work of the macro grows as its input does: the double has the double of it, never the
//! fourfold. What is counted is allocations, and the tokens that come out: a search that looks
//! at every token for every other one makes a text or a list of each. No clock is read.

use std::fmt::Write;

use proc_macro2::{TokenStream, TokenTree};

use super::{expand_block, expand_text};

const ARGUMENTS: &str = "attempts = 4, budget = PAYMENTS, classify_err = classify";

/// What an expansion took and gave.
#[derive(Debug)]
struct Work {
    allocations: u64,
    tokens: usize,
}

fn work(expand: impl FnOnce() -> TokenStream) -> Work {
    let mut tokens = 0;
    let counted = allocation_counter::measure(|| tokens = count(expand()));
    Work { allocations: counted.count_total, tokens }
}

fn count(tokens: TokenStream) -> usize {
    let each = tokens.into_iter().map(|token| match token {
        TokenTree::Group(group) => 1 + count(group.stream()),
        _ => 1,
    });
    each.sum()
}

/// Whether what the last doubling of the input adds is the double of what the one before added.
/// A vector or a map that grows meanwhile is allowed for.
fn is_linear(of: impl Fn(usize) -> Work) {
    const SIZE: usize = 40;
    let [one, two, four] = [SIZE, 2 * SIZE, 4 * SIZE].map(of);
    let tokens = [two.tokens - one.tokens, four.tokens - two.tokens];
    assert!(tokens[0] > 0 && tokens[1] * 10 <= tokens[0] * 21, "{tokens:?} tokens");
    let more = [two.allocations - one.allocations, four.allocations - two.allocations];
    assert!(more[0] > 0 && more[1] * 10 <= more[0] * 23, "{more:?} allocations");
}

/// `part(0) part(1) ..`
fn repeated(times: usize, part: impl Fn(usize) -> String) -> String {
    (0..times).fold(String::new(), |mut text, number| {
        write!(text, "{} ", part(number)).expect("a string takes it");
        text
    })
}

#[test]
fn in_the_parameters() {
    for kind in ["u32", "String", "&str", "&mut String", "(u32, [u8; 4])", "impl Fn(u32) -> u32"] {
        for clone in ["", ", clone(..)"] {
            is_linear(|size| {
                let parameters = repeated(size, |n| format!("p{n}: {kind},"));
                let uses = repeated(size, |n| format!("use_it(&p{n});"));
                let function = format!(
                    "async fn charge({parameters}) -> Result<(), Error> {{ {uses} Ok(()) }}"
                );
                work(|| expand_text(&format!("{ARGUMENTS}{clone}"), &function))
            });
        }
    }
}

#[test]
fn in_the_names_of_clone() {
    is_linear(|size| {
        let parameters = repeated(size, |n| format!("p{n}: String,"));
        let names = repeated(size, |n| format!("p{n},"));
        let function = format!("async fn charge({parameters}) -> Result<(), Error> {{ Ok(()) }}");
        work(|| expand_text(&format!("{ARGUMENTS}, clone({names})"), &function))
    });
}

#[test]
fn in_the_body() {
    let parts: [fn(usize) -> String; 5] = [
        |n| format!("let v{n} = send(p, v)?;"),
        |n| format!("let v = {{ let p = {n}; p + p }};"),
        |n| format!("println!(\"{{p}} {{}}\", {n} + p);"),
        |n| format!("if p > {n} {{ return Err(Error); }}"),
        |n| format!("let f = |a: u32, b{n}| a + b{n} + p;"),
    ];
    for part in parts {
        is_linear(|size| {
            let body = repeated(size, part);
            let function = format!(
                "async fn charge(&mut self, p: u32) -> Result<(), Error> {{ {body} Ok(()) }}"
            );
            work(|| expand_text(ARGUMENTS, &function))
        });
        is_linear(|size| {
            let body = repeated(size, part);
            work(|| expand_block(&format!("{ARGUMENTS}, async {{ {body} Ok(()) }}")))
        });
    }
}

#[test]
fn in_the_depth_of_the_body() {
    is_linear(|size| {
        let (open, close) = ("{ let p = p; ".repeat(size), "}".repeat(size));
        let function =
            format!("async fn charge(p: u32) -> Result<(), Error> {{ {open} {close} Ok(()) }}");
        work(|| expand_text(ARGUMENTS, &function))
    });
}

#[test]
fn in_the_values_of_keys() {
    for key in ["schedule", "cancel", "deadline", "observe", "name", "within", "err"] {
        is_linear(|size| {
            let value = repeated(size, |n| format!("f{n}(p, |x| x + {n}) +"));
            let arguments = format!("{ARGUMENTS}, {key} = {value} p");
            work(|| {
                expand_text(
                    &arguments,
                    "async fn charge(p: u32) -> Result<(), Error> { send(p).await }",
                )
            })
        });
    }
}

#[test]
fn in_the_mistakes() {
    for mistake in ["atempts = 3,", "budget = OTHER,", "within = 3x,", "clone(q),"] {
        is_linear(|size| {
            let mistakes = mistake.repeat(size);
            work(|| {
                expand_text(
                    &format!("{mistakes} {ARGUMENTS}"),
                    "async fn charge(p: u32) -> Result<(), Error> { Ok(()) }",
                )
            })
        });
    }
}

#[test]
fn in_the_methods_of_an_impl() {
    is_linear(|size| {
        let methods = repeated(size, |n| {
            format!(
                "#[retry] async fn m{n}(&self, p: u32) -> Result<(), Error> {{ self.send(p).await }}"
            )
        });
        work(|| expand_text(ARGUMENTS, &format!("impl Client {{ {methods} }}")))
    });
}
