//! Why an attempt did not succeed: `err`, and what a classifier explains.
//! One subject, so in one file, however long.

use std::cell::Cell;
use std::error::Error as StdError;
use std::fmt::{self, Debug, Display};
use std::io;
use std::ops::Deref;
use std::sync::Mutex;

use retry_runtime::{
    Backoff, Classify, Decision, Event, EventKind, NoBudget, Outcome, Policy, Retrier, retry,
};
use tokio::time::sleep;

use crate::support::{self, Calls, ms};

/// The texts of the events, `-` for none.
#[derive(Default)]
struct Texts(Mutex<Vec<String>>);

impl Texts {
    fn push(&self, event: &Event<'_>) {
        let text = event.error.map_or_else(|| "-".to_owned(), |error| error.to_string());
        self.0.lock().unwrap().push(text);
    }

    fn all(self) -> Vec<String> {
        self.0.into_inner().unwrap()
    }
}

/// A client's error, which does not say what is behind it.
#[derive(Debug)]
struct Client(io::Error);

impl Display for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("error sending request")
    }
}

impl StdError for Client {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        Some(&self.0)
    }
}

fn refused() -> Client {
    Client(io::Error::new(io::ErrorKind::ConnectionRefused, "connection refused"))
}

const CHAIN: &str = "error sending request: connection refused";

#[tokio::test(start_paused = true)]
async fn an_error_is_told_with_its_sources_and_a_success_without() {
    #[retry(
        attempts = 4,
        budget = none,
        classify_err = |_| Outcome::Retry,
        schedule = Backoff::none(),
        err,
        observe = |event| texts.push(event),
    )]
    async fn call(calls: &Calls, texts: &Texts) -> Result<u32, Client> {
        if calls.next() < 3 { Err(refused()) } else { Ok(3) }
    }
    let texts = Texts::default();
    call(&Calls::new(), &texts).await.unwrap();
    assert_eq!(texts.all(), [CHAIN, CHAIN, "-"]);
}

#[tokio::test(start_paused = true)]
async fn without_the_key_nothing_is_told() {
    #[retry(
        attempts = 2,
        budget = none,
        classify = |result: &Result<(), Client>| if result.is_ok() { Outcome::Success } else { Outcome::Retry },
        schedule = Backoff::none(),
        observe = |event| texts.push(event),
    )]
    async fn call(texts: &Texts) -> Result<(), Client> {
        Err(refused())
    }
    fn judge(_: &Result<(), Client>) -> Outcome {
        Outcome::Retry
    }
    #[retry(
        attempts = 2,
        budget = none,
        classify = judge,
        schedule = Backoff::none(),
        observe = |event| texts.push(event),
    )]
    async fn by_a_function(texts: &Texts) -> Result<(), Client> {
        Err(refused())
    }
    let texts = Texts::default();
    call(&texts).await.unwrap_err();
    by_a_function(&texts).await.unwrap_err();
    assert_eq!(texts.all(), ["-", "-", "-", "-"]);
}

#[tokio::test(start_paused = true)]
async fn the_line_that_everybody_wants_can_be_written() {
    fn line(event: &Event<'_>) -> Option<String> {
        let Decision::Again { delay } = event.decision else { return None };
        let (attempt, max, error) = (event.attempt, event.max_attempts?, event.error?);
        Some(format!("attempt {attempt} of {max}: {error}, again in {:.1} s", delay.as_secs_f64()))
    }
    #[retry(
        attempts = 5,
        budget = none,
        classify_err = |_| Outcome::Retry,
        schedule = Backoff::constant(1300ms),
        err,
        observe = |event| lines.lock().unwrap().extend(line(event)),
    )]
    async fn call(lines: &Mutex<Vec<String>>) -> io::Result<()> {
        Err(io::ErrorKind::ConnectionRefused.into())
    }
    let lines = Mutex::default();
    call(&lines).await.unwrap_err();
    let lines = lines.into_inner().unwrap();
    assert_eq!(lines.len(), 4);
    assert_eq!(lines[1], "attempt 2 of 5: connection refused, again in 1.3 s");
}

/// As the error of the crate `anyhow`: it is no `Error`, and derefs to one.
struct Anything(Box<dyn StdError + Send + Sync>);

impl Deref for Anything {
    type Target = dyn StdError + Send + Sync;

    fn deref(&self) -> &Self::Target {
        &*self.0
    }
}

impl Display for Anything {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Display::fmt(&self.0, f)
    }
}

/// Calls a function whose error is made by `$make`, and gives the text of its event.
macro_rules! text {
    ($error:ty, $make:expr) => {{
        // On one line: rustfmt indents it further each time within a macro.
        #[retry(attempts = 1, budget = none, classify_err = |_| Outcome::Stop, err, observe = |event| texts.push(event))]
        async fn call(texts: &Texts) -> Result<(), $error> {
            Err($make)
        }
        let texts = Texts::default();
        let _ = call(&texts).await;
        texts.all().remove(0)
    }};
}

#[tokio::test(start_paused = true)]
async fn every_kind_of_error_is_told() {
    assert_eq!(text!(Client, refused()), CHAIN);
    assert_eq!(text!(std::sync::Arc<Client>, refused().into()), CHAIN);
    assert_eq!(text!(Box<dyn StdError>, refused().into()), CHAIN);
    assert_eq!(text!(Box<dyn StdError + Send + Sync>, refused().into()), CHAIN);
    assert_eq!(text!(Anything, Anything(refused().into())), CHAIN);
    assert_eq!(text!(&'static str, "no luck"), "no luck");
    assert_eq!(text!(String, "no luck".to_owned()), "no luck");
    assert_eq!(text!(u16, 503), "503");
    assert_eq!(text!(String, String::new()), "-", "an empty text is none");
}

#[tokio::test(start_paused = true)]
async fn an_error_whose_type_is_a_parameter_is_told_as_far_as_its_bounds_go() {
    #[retry(
        attempts = 1,
        budget = none,
        classify_err = |_| Outcome::Stop,
        err,
        observe = |event| texts.push(event),
    )]
    async fn with_sources<E: StdError + Clone>(error: E, texts: &Texts) -> Result<(), E> {
        Err(error.clone())
    }
    #[retry(
        attempts = 1,
        budget = none,
        classify_err = |_| Outcome::Stop,
        err,
        observe = |event| texts.push(event),
    )]
    async fn by_itself<E: Display + Clone>(error: E, texts: &Texts) -> Result<(), E> {
        Err(error.clone())
    }
    let (error, texts) = (std::sync::Arc::new(refused()), Texts::default());
    with_sources(error.clone(), &texts).await.unwrap_err();
    let _ = by_itself(error, &texts).await;
    assert_eq!(texts.all(), [CHAIN, "error sending request"]);
}

#[tokio::test(start_paused = true)]
async fn an_error_without_display_is_told_by_its_debug_or_by_a_function() {
    #[retry(attempts = 1, budget = none, classify = support::classify, err(Debug), observe = |event| texts.push(event))]
    async fn by_debug(texts: &Texts) -> Result<(), support::Error> {
        Err(support::Error::Numbered(7))
    }
    #[retry(
        attempts = 1,
        budget = none,
        classify = support::classify,
        err = |result| format!("it was {:?}", result.as_ref().unwrap_err()),
        observe = |event| texts.push(event),
    )]
    async fn by_a_function(texts: &Texts) -> Result<(), support::Error> {
        Err(support::Error::Stop)
    }
    let texts = Texts::default();
    by_debug(&texts).await.unwrap_err();
    by_a_function(&texts).await.unwrap_err();
    assert_eq!(texts.all(), ["Numbered(7)", "it was Stop"]);
}

#[tokio::test(start_paused = true)]
async fn a_function_tells_of_what_is_no_result_only_where_it_is_no_success() {
    fn judge(status: &u16) -> Outcome {
        if *status == 200 { Outcome::Success } else { Outcome::Repeat }
    }
    #[retry(
        attempts = 9,
        budget = none,
        classify = judge,
        schedule = Backoff::none(),
        err = |status| {
            asked.set(asked.get() + 1);
            (*status != 202).then(|| format!("{status} {name}"))
        },
        observe = |event| texts.push(event),
    )]
    async fn poll(calls: &Calls, asked: &Cell<u32>, name: &str, texts: &Texts) -> u16 {
        [201, 202, 203, 200][calls.next() as usize - 1]
    }
    let (asked, texts) = (Cell::new(0), Texts::default());
    assert_eq!(poll(&Calls::new(), &asked, "job", &texts).await, 200);
    assert_eq!(texts.all(), ["201 job", "-", "203 job", "-"]);
    assert_eq!(asked.get(), 3, "once for each attempt that is no success");
}

#[tokio::test(start_paused = true)]
async fn a_text_may_borrow_from_the_result_and_be_made_by_a_named_function() {
    fn message(result: &Result<(), String>) -> Option<&str> {
        result.as_ref().err().map(String::as_str)
    }
    #[retry(attempts = 1, budget = none, classify_err = |_| Outcome::Stop, err = message, observe = |event| texts.push(event))]
    async fn call(texts: &Texts) -> Result<(), String> {
        Err("why".to_owned())
    }
    let texts = Texts::default();
    call(&texts).await.unwrap_err();
    assert_eq!(texts.all(), ["why"]);
}

/// Explains itself.
struct Http;

impl Classify<Result<(), u16>> for Http {
    fn classify(&self, result: &Result<(), u16>) -> Outcome {
        match result {
            Ok(()) => Outcome::Success,
            Err(503) => Outcome::Retry,
            Err(_) => Outcome::Stop,
        }
    }

    fn explain(&self, result: &Result<(), u16>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match result {
            Err(status) => write!(f, "the server answered {status}"),
            Ok(()) => Ok(()),
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_classifier_explains_to_the_observer_and_the_key_comes_first() {
    static SERVER: Retrier<Http, NoBudget> =
        Retrier::new(Policy::new(3).backoff(Backoff::none()), NoBudget, Http);
    #[retry(retrier = SERVER, observe = |event| texts.push(event))]
    async fn of_a_retrier(calls: &Calls, texts: &Texts) -> Result<(), u16> {
        if calls.next() == 1 { Err(503) } else { Ok(()) }
    }
    #[retry(attempts = 2, budget = none, classify = Http, observe = |event| texts.push(event))]
    async fn of_a_value(texts: &Texts) -> Result<(), u16> {
        Err(404)
    }
    #[retry(retrier = SERVER, err, observe = |event| texts.push(event))]
    async fn by_the_key(texts: &Texts) -> Result<(), u16> {
        Err(404)
    }
    #[retry(retrier = SERVER, classify = |_| Outcome::Stop, observe = |event| texts.push(event))]
    async fn of_another(texts: &Texts) -> Result<(), u16> {
        Err(404)
    }
    let texts = Texts::default();
    of_a_retrier(&Calls::new(), &texts).await.unwrap();
    of_a_value(&texts).await.unwrap_err();
    by_the_key(&texts).await.unwrap_err();
    of_another(&texts).await.unwrap_err();
    assert_eq!(
        texts.all(),
        ["the server answered 503", "-", "the server answered 404", "404", "-"]
    );
}

#[tokio::test(start_paused = true)]
async fn a_wait_that_is_cut_short_says_why_there_was_a_wait() {
    #[retry(
        attempts = 3,
        budget = none,
        classify = Http,
        schedule = Backoff::constant(9s),
        cancel = sleep(ms(10)),
        observe = |event| seen.lock().unwrap().push((event.kind, event.error.map(ToString::to_string))),
    )]
    async fn explained(seen: &Mutex<Vec<(EventKind, Option<String>)>>) -> Result<(), u16> {
        Err(503)
    }
    #[retry(
        attempts = 3,
        budget = none,
        classify = Http,
        schedule = Backoff::constant(9s),
        cancel = sleep(ms(10)),
        err,
        observe = |event| seen.lock().unwrap().push((event.kind, event.error.map(ToString::to_string))),
    )]
    async fn by_the_key(seen: &Mutex<Vec<(EventKind, Option<String>)>>) -> Result<(), u16> {
        Err(503)
    }
    let seen = Mutex::default();
    explained(&seen).await.unwrap_err();
    by_the_key(&seen).await.unwrap_err();
    let event = |kind, text: &str| (kind, Some(text.to_owned()));
    let long = "the server answered 503";
    assert_eq!(
        seen.into_inner().unwrap(),
        [
            event(EventKind::Attempt, long),
            event(EventKind::WaitCut, long),
            event(EventKind::Attempt, "503"),
            event(EventKind::WaitCut, "503"),
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn the_reason_leaves_the_future_as_sendable_as_it_was() {
    // An error that must not leave its thread, a wait, and nobody who listens.
    struct Local(std::rc::Rc<str>);
    impl Display for Local {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str(&self.0)
        }
    }
    #[retry(attempts = 2, budget = none, classify_err = |_| Outcome::Retry, err)]
    async fn call() -> Result<(), Local> {
        Err(Local("here".into()))
    }
    fn sendable<T: Send>(value: T) -> T {
        value
    }
    assert!(sendable(call()).await.is_err());
}

#[test]
fn an_event_shows_its_error() {
    fn shown(event: &Event<'_>) -> String {
        format!("{event:?}")
    }
    let lines = Mutex::new(Vec::new());
    #[retry(attempts = 1, budget = none, classify_err = |_| Outcome::Stop, err, observe = |event| lines.lock().unwrap().push(shown(event)))]
    async fn call(lines: &Mutex<Vec<String>>) -> Result<(), &'static str> {
        Err("why")
    }
    tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap()
        .block_on(call(&lines))
        .unwrap_err();
    let line = lines.into_inner().unwrap().remove(0);
    assert!(line.contains("error: Some(\"why\")"), "{line}");
}
