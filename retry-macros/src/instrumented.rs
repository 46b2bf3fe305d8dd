//! The body that `#[tracing::instrument]` above `#[retry]` makes.

use proc_macro2::{Group, TokenStream, TokenTree};

use crate::tokens::{is_braces, is_punct, is_word, regrouped, squeezed};

/// Lets the future that an attempt is instrumented as borrow what it uses.
///
/// Input: `let __tracing_instrument_future = async move { BODY };`
/// Output: `let __tracing_instrument_future = async { BODY };`
///
/// The attribute moves everything into a future that it awaits at once. In an
/// attempt that would take `&mut self` away from the next one, and there is no
/// other name to reborrow it by. With `err` or `ret` there is a second such block
/// inside the first. Under `#[async_trait]` the future begins with `let __self = self;`,
/// which has to reborrow: `reborrow` is what stands before `self` then. Only the
/// attributes' own tokens change, never the user's: only the whole of what the attribute
/// writes is taken for it.
pub fn borrowing(block: &Group, reborrow: &TokenStream) -> Group {
    let tokens: Vec<TokenTree> = block.stream().into_iter().collect();
    let Some(start) =
        tokens.iter().position(|token| is_word(Some(token), "__tracing_instrument_future"))
    else {
        return block.clone();
    };
    let (before, rest) = tokens.split_at(start);
    let Some(inside) = rest.iter().position(is_braces) else { return block.clone() };
    let squeezed = |tokens: &[TokenTree]| squeezed(&tokens.iter().cloned().collect());
    let is_whole = squeezed(&rest[..inside]) == "__tracing_instrument_future=asyncmove"
        && is_word(before.last(), "let")
        && squeezed(&rest[inside + 1..]).starts_with(";if!__tracing_attr_span.is_disabled(){")
        && squeezed(&rest[inside + 1..]).ends_with("else{__tracing_instrument_future.await}");
    if !is_whole {
        return block.clone();
    }
    let mut changed = before.to_vec();
    changed.extend_from_slice(&rest[..inside - 1]);
    if let TokenTree::Group(future) = &rest[inside] {
        changed.push(TokenTree::Group(reborrowing(&without_inner_move(future), reborrow)));
    }
    changed.extend_from_slice(&rest[inside + 1..]);
    regrouped(block, changed.into_iter().collect())
}

/// With `err`, `ret` or both there is another future in the first.
///
/// Input: `{ match async move { BODY }.await { .. } }`, or one of the two `let`s that `ret`
/// begins with, and all that the attribute writes after it.
fn without_inner_move(future: &Group) -> Group {
    let tokens: Vec<TokenTree> = future.stream().into_iter().collect();
    let Some(inside) = tokens.iter().position(is_braces) else { return future.clone() };
    let squeezed = |tokens: &[TokenTree]| squeezed(&tokens.iter().cloned().collect());
    let after = squeezed(&tokens[inside + 1..]);
    let judges = "{#[allow(clippy::unit_arg)]Ok(x)=>";
    let is_whole = match squeezed(&tokens[..inside]).as_str() {
        "matchasyncmove" => after.starts_with(&format!(".await{judges}")),
        "let__match_scrutinee=asyncmove" => {
            after.starts_with(&format!(".await;match__match_scrutinee{judges}"))
        }
        "letx=asyncmove" => {
            after.starts_with(".await;::tracing::event!(") && after.ends_with(");x")
        }
        _ => false,
    };
    if !is_whole {
        return future.clone();
    }
    let mut changed = tokens;
    changed.remove(inside - 1);
    regrouped(future, changed.into_iter().collect())
}

/// Input: `{ let __self = self; .. }`, at any depth
/// Output: `{ let __self = &mut *self; .. }`
fn reborrowing(group: &Group, reborrow: &TokenStream) -> Group {
    let tokens: Vec<TokenTree> = group.stream().into_iter().collect();
    let mut changed = Vec::new();
    for (index, token) in tokens.iter().enumerate() {
        if let TokenTree::Group(inner) = token {
            changed.push(TokenTree::Group(reborrowing(inner, reborrow)));
            continue;
        }
        // `let __self = self`, or with `mut`.
        if let [.., word, name, equals] = &tokens[..index] {
            let is_bound = is_word(Some(name), "__self")
                && (is_word(Some(word), "let") || is_word(Some(word), "mut"));
            if is_word(Some(token), "self") && is_bound && is_punct(Some(equals), '=') {
                changed.extend(reborrow.clone());
            }
        }
        changed.push(token.clone());
    }
    regrouped(group, changed.into_iter().collect())
}
