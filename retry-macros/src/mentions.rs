//! Whether a body mentions a name: the expansion borrows a parameter only if the
//! body does, so that an unused one is still reported as unused.

use proc_macro2::{Ident, TokenStream, TokenTree};

/// Whether `body` may use a variable called `name`. The body is not parsed, so
/// this errs on the side of yes, but for what is surely something else: a field
/// (`.name`), a path's segment (`::name`) and a key or binding (`name: ..`).
pub fn mentions(body: &TokenStream, name: &Ident) -> bool {
    let name = name.to_string();
    mentioned(body, &name, name.trim_start_matches("r#"))
}

/// Where an expression surely uses the variable `name`: the word is no path
/// (`name::CONSTANT`, `self::CONSTANT`), macro, field or key, and nothing in the
/// expression could bind it anew.
pub fn variable(expression: &TokenStream, name: &Ident) -> Option<Ident> {
    let binds = ["let", "match", "for", "fn", "const", "static", "use"];
    let is_binding = |token: &TokenTree| match token {
        TokenTree::Ident(word) => binds.iter().any(|bind| word == bind),
        TokenTree::Punct(punct) => punct.as_char() == '|',
        _ => false,
    };
    let tokens: Vec<TokenTree> = expression.clone().into_iter().collect();
    if tokens.iter().any(is_binding) {
        return None;
    }
    let is_punct = |index: usize, wanted: &[char]| matches!(tokens.get(index), Some(TokenTree::Punct(found)) if wanted.contains(&found.as_char()));
    tokens.iter().enumerate().find_map(|(index, token)| match token {
        TokenTree::Group(group) => variable(&group.stream(), name),
        TokenTree::Ident(word) if word == name => {
            let is_part = index > 0 && is_punct(index - 1, &['.', ':', '\'']);
            let is_path = is_punct(index + 1, &[':', '!']);
            (!is_part && !is_path).then(|| word.clone())
        }
        _ => None,
    })
}

/// Whether the word `name` is in the tokens at all, as whatever it may be.
pub fn has_word(tokens: &TokenStream, name: &Ident) -> bool {
    let plain = name.to_string();
    let plain = plain.trim_start_matches("r#");
    tokens.clone().into_iter().any(|token| match token {
        TokenTree::Group(group) => has_word(&group.stream(), name),
        TokenTree::Ident(ident) => ident == *name,
        TokenTree::Literal(literal) => literal.to_string().contains(plain),
        TokenTree::Punct(_) => false,
    })
}

fn mentioned(body: &TokenStream, name: &str, plain: &str) -> bool {
    let tokens: Vec<TokenTree> = body.clone().into_iter().collect();
    let punct = |index: usize, wanted: char| matches!(tokens.get(index), Some(TokenTree::Punct(found)) if found.as_char() == wanted);
    tokens.iter().enumerate().any(|(index, token)| match token {
        TokenTree::Group(group) => mentioned(&group.stream(), name, plain),
        TokenTree::Ident(ident) if *ident == name => {
            let after_dot =
                index > 0 && punct(index - 1, '.') && !(index > 1 && punct(index - 2, '.'));
            let after_colons = index > 1 && punct(index - 1, ':') && punct(index - 2, ':');
            let before_colon = punct(index + 1, ':') && !punct(index + 2, ':');
            !(after_dot || after_colons || before_colon)
        }
        TokenTree::Literal(literal) => in_format_string(&literal.to_string(), plain),
        _ => false,
    })
}

/// Whether a string such as `"{name:?}"` captures the name.
fn in_format_string(literal: &str, name: &str) -> bool {
    literal.match_indices(name).any(|(start, _)| {
        let before = literal[..start].chars().next_back();
        let after = literal[start + name.len()..].chars().next();
        // `{name}`, `{name:?}`, `{x:name$}` and `{x:.name$}`.
        matches!(before, Some('{' | ':' | '.' | '>' | '<' | '^' | '0'))
            && matches!(after, Some('}' | ':' | '$' | ' '))
    })
}
