//! The text of an error: why an attempt ended as it did.

use core::error::Error;
use core::fmt::{self, Display, Write};

/// Writes `text`, and after it the text of each source, joined by `": "`. A source whose
/// text the one before ends with is not repeated.
pub(crate) fn with_sources(
    text: &dyn Display,
    mut source: Option<&(dyn Error + 'static)>,
    f: &mut fmt::Formatter<'_>,
) -> fmt::Result {
    if source.is_none() {
        return text.fmt(f);
    }
    // A chain that goes in circles ends.
    const LONGEST: usize = 64;
    let mut parent = text.to_string();
    f.write_str(&parent)?;
    for _ in 0..LONGEST {
        let Some(error) = source else { break };
        let text = error.to_string();
        if !parent.ends_with(&text) {
            write!(f, ": {text}")?;
        }
        parent = text;
        source = error.source();
    }
    Ok(())
}

/// Reasons: details of a result beside its outcome.
#[derive(Clone, Copy, Default)]
pub(crate) struct Told<'a> {
    /// Its text, for an observer. It may turn out empty.
    pub(crate) text: Option<&'a dyn Display>,
    /// The status of an answer of HTTP, for telemetry.
    pub(crate) status: Option<u16>,
}

/// A text that a function writes.
pub(crate) struct Written<F>(pub(crate) F);

impl<F: Fn(&mut fmt::Formatter<'_>) -> fmt::Result> Display for Written<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (self.0)(f)
    }
}

/// The text, unless it is empty.
pub(crate) fn unless_empty(text: &dyn Display) -> Option<&dyn Display> {
    /// Ends at the first character.
    struct Empty;
    impl Write for Empty {
        fn write_str(&mut self, text: &str) -> fmt::Result {
            if text.is_empty() { Ok(()) } else { Err(fmt::Error) }
        }
    }
    write!(Empty, "{text}").is_err().then_some(text)
}

/// The first thousand characters of a text: what telemetry takes of one.
#[cfg(feature = "tracing")]
pub(crate) struct Cut<'a>(pub(crate) &'a dyn Display);

#[cfg(feature = "tracing")]
impl Display for Cut<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        struct Limited<'f, 'b> {
            to: &'f mut fmt::Formatter<'b>,
            left: usize,
            failed: bool,
        }
        impl Write for Limited<'_, '_> {
            fn write_str(&mut self, text: &str) -> fmt::Result {
                let end = text.char_indices().nth(self.left).map(|(index, _)| index);
                let part = &text[..end.unwrap_or(text.len())];
                self.left -= part.chars().count();
                let written = self.to.write_str(part);
                self.failed |= written.is_err();
                // What is left is not even made.
                if end.is_some() { Err(fmt::Error) } else { written }
            }
        }
        let mut limited = Limited { to: f, left: 1000, failed: false };
        let _cut = write!(limited, "{}", self.0);
        if limited.failed { Err(fmt::Error) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug)]
    struct Chain(&'static str, Option<Box<Chain>>);

    impl Display for Chain {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str(self.0)
        }
    }

    impl Error for Chain {
        fn source(&self) -> Option<&(dyn Error + 'static)> {
            self.1.as_deref().map(|source| source as &dyn Error)
        }
    }

    fn text(texts: &[&'static str]) -> String {
        let link = |source, text: &&'static str| Some(Box::new(Chain(text, source)));
        let chain = texts.iter().rev().fold(None, link).unwrap();
        struct Shown(Box<Chain>);
        impl Display for Shown {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                with_sources(&self.0, self.0.source(), f)
            }
        }
        Shown(chain).to_string()
    }

    #[test]
    fn sources_are_joined_and_none_is_said_twice() {
        assert_eq!(text(&["send"]), "send");
        assert_eq!(text(&["send", "connect", "refused"]), "send: connect: refused");
        assert_eq!(
            text(&["send: connect: refused", "connect: refused", "refused"]),
            "send: connect: refused"
        );
        assert_eq!(text(&["send", "refused by peer", "refused"]), "send: refused by peer: refused");
        assert_eq!(
            text(&["send: refused", "refused", "os error 111"]),
            "send: refused: os error 111"
        );
        assert_eq!(text(&["send", "", "refused"]), "send: refused");
    }

    #[test]
    fn a_chain_that_goes_in_circles_ends() {
        #[derive(Debug)]
        struct Circle;
        impl Display for Circle {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("round")
            }
        }
        impl Error for Circle {
            fn source(&self) -> Option<&(dyn Error + 'static)> {
                Some(&Circle)
            }
        }
        struct Shown;
        impl Display for Shown {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                with_sources(&"and", Circle.source(), f)
            }
        }
        assert_eq!(Shown.to_string(), "and: round");
    }

    #[test]
    fn an_empty_text_is_none() {
        assert!(unless_empty(&"").is_none());
        assert!(unless_empty(&format_args!("{}{}", "", "")).is_none());
        assert_eq!(unless_empty(&"why").map(ToString::to_string).as_deref(), Some("why"));
    }

    #[cfg(feature = "tracing")]
    #[test]
    fn a_text_is_cut_at_a_thousand_characters() {
        let cut = |text: &str| Cut(&text).to_string();
        assert_eq!(cut("short"), "short");
        let exact = "\u{e9}".repeat(1000);
        assert_eq!(cut(&exact), exact);
        assert_eq!(cut(&format!("{exact}more")), exact);
        let pieces = format_args!("{}{}{}", &exact[..1000], &exact[1000..], "more").to_string();
        assert_eq!(cut(&pieces), exact);
    }

    #[cfg(feature = "tracing")]
    #[test]
    fn the_pieces_of_a_text_are_cut_together() {
        struct Endless;
        impl Display for Endless {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                loop {
                    f.write_str("abcdefg")?;
                }
            }
        }
        assert_eq!(Cut(&Endless).to_string().len(), 1000);
    }
}
