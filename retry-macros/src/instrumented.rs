//! The body that `#[tracing::instrument]` above `#[retry]` makes.

use proc_macro2::{Group, TokenStream, TokenTree};

use crate::tokens::{is_braces, is_punct, is_word, regrouped};

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
/// attributes' own tokens change, never the user's: a body without that name is
/// returned as it came.
pub fn borrowing(block: &Group, reborrow: &TokenStream) -> Group {
    let tokens: Vec<TokenTree> = block.stream().into_iter().collect();
    let Some(start) =
        tokens.iter().position(|token| is_word(Some(token), "__tracing_instrument_future"))
    else {
        return block.clone();
    };
    let (before, rest) = tokens.split_at(start);
    let inside = rest.iter().position(is_braces);
    let Some(inside) = inside.filter(|inside| ends_in_async_move(&rest[..*inside])) else {
        return block.clone();
    };
    let mut changed = before.to_vec();
    changed.extend_from_slice(&rest[..inside - 1]);
    if let TokenTree::Group(future) = &rest[inside] {
        changed.push(TokenTree::Group(reborrowing(&without_inner_move(future), reborrow)));
    }
    changed.extend_from_slice(&rest[inside + 1..]);
    regrouped(block, changed.into_iter().collect())
}

/// Input: `{ match async move { BODY }.await { .. } }`, or one of the two `let`s
/// that `ret` begins with. A user's body that begins so awaits its block at once
/// too, and may borrow as well.
fn without_inner_move(future: &Group) -> Group {
    let tokens: Vec<TokenTree> = future.stream().into_iter().collect();
    let Some(inside) = tokens.iter().position(is_braces) else { return future.clone() };
    let opening: Vec<String> = tokens[..inside].iter().map(ToString::to_string).collect();
    let opening = opening.join(" ");
    let is_ours = opening == "match async move"
        || opening == "let __match_scrutinee = async move"
        || opening == "let x = async move";
    let awaits = matches!(tokens.get(inside + 2), Some(token) if is_word(Some(token), "await"));
    if !(is_ours && awaits) {
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

fn ends_in_async_move(tokens: &[TokenTree]) -> bool {
    matches!(tokens, [.., first, second] if is_word(Some(first), "async") && is_word(Some(second), "move"))
}
