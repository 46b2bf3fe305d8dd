//! Events carry an error's text where the key `err` asks for it.

use std::fmt;

use retry_runtime::Classify;

use super::*;

/// The field `error` of each event, `-` where there is none.
fn texts(lines: &[String]) -> Vec<&str> {
    let text =
        |line| str::split_once(line, " error=").and_then(|(_, text)| text.split(" retry.").next());
    lines.iter().map(|line| text(line).unwrap_or("-")).collect()
}

#[tokio::test(start_paused = true)]
async fn the_text_is_told_where_the_key_asks_for_it_and_only_there() {
    #[retry(policy = SECONDS, budget = none, classify_err = |_| Outcome::Retry, err)]
    async fn asked(
        results: &[Result<u32, &'static str>],
        left: &mut usize,
    ) -> Result<u32, &'static str> {
        *left += 1;
        results[*left - 1]
    }
    #[retry(policy = SECONDS, budget = none, classify_err = |_| Outcome::Retry)]
    async fn unasked() -> Result<u32, &'static str> {
        Err("secret")
    }
    let (_, lines) = lines_of(asked(&[Err("refused"), Err("reset"), Err("gone")], &mut 0)).await;
    assert_eq!(texts(&lines), ["refused", "reset", "gone"]);
    let (_, lines) = lines_of(asked(&[Err("refused"), Ok(1)], &mut 0)).await;
    assert_eq!(texts(&lines), ["refused", "-"]);
    let (_, lines) = lines_of(unasked()).await;
    assert_eq!(lines.len(), 3);
    assert!(!lines.concat().contains("secret"), "{lines:?}");
}

#[tokio::test(start_paused = true)]
async fn a_long_text_is_cut() {
    #[retry(attempts = 1, budget = none, classify_err = |_| Outcome::Stop, err)]
    async fn call() -> Result<u32, String> {
        Err("\u{e9}".repeat(5000))
    }
    let (_, lines) = lines_of(call()).await;
    assert_eq!(texts(&lines), ["\u{e9}".repeat(1000)]);
}

#[tokio::test(start_paused = true)]
async fn an_explanation_is_the_observers_and_a_wait_that_is_cut_has_the_error() {
    struct Explains;
    impl Classify<Result<u32, &'static str>> for Explains {
        fn classify(&self, _: &Result<u32, &'static str>) -> Outcome {
            Outcome::Retry
        }
        fn explain(
            &self,
            _: &Result<u32, &'static str>,
            f: &mut fmt::Formatter<'_>,
        ) -> fmt::Result {
            f.write_str("explained")
        }
    }
    #[retry(policy = SECONDS, budget = none, classify = Explains, observe = |event| seen.extend(event.error.map(|error| error.to_string())))]
    async fn explained(seen: &mut Vec<String>) -> Result<u32, &'static str> {
        Err("refused")
    }
    #[retry(policy = SECONDS, budget = none, classify = Explains, cancel = tokio::time::sleep(Duration::from_millis(5)), err)]
    async fn cut() -> Result<u32, &'static str> {
        Err("refused")
    }
    let mut seen = Vec::new();
    let (_, lines) = lines_of(explained(&mut seen)).await;
    assert_eq!(texts(&lines), ["-", "-", "-"]);
    assert_eq!(seen, ["explained", "explained", "explained"]);
    let (_, lines) = lines_of(cut()).await;
    assert_eq!(texts(&lines), ["refused", "refused"]);
}
