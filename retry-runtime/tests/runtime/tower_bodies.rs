//! The layer over HTTP and the bodies of answers: a call is credited when its answer has
//! come whole, and never when it breaks off.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};

use bytes::Bytes;
use http::{Method, Request, Response};
use http_body::{Body, Frame, SizeHint};
use http_body_util::{BodyExt, Full};
use hyper_util::client::legacy::Client;
use hyper_util::rt::TokioExecutor;
use retry_runtime::http::{ErrorKind, HttpPolicy, HttpPolicyPatch};
use retry_runtime::tower::{CallEnd, Ending, Exchange, Http, ResponseBody, RetryLayer};
use retry_runtime::{Backoff, Budget, Decision, Outcome, PolicyPatch};
use scripted_server::{Server, Step};
use tower::{Layer, Service, ServiceExt, service_fn};

/// A body of these frames, with this length; `Pending` comes after the last without an end.
#[derive(Clone, Debug)]
struct Scripted {
    frames: VecDeque<Poll<Result<&'static str, &'static str>>>,
    length: Option<u64>,
    ends_with_the_last: bool,
}

fn scripted(frames: &[Poll<Result<&'static str, &'static str>>], length: Option<u64>) -> Scripted {
    Scripted { frames: frames.iter().copied().collect(), length, ends_with_the_last: false }
}

const fn data(text: &'static str) -> Poll<Result<&'static str, &'static str>> {
    Poll::Ready(Ok(text))
}

impl Body for Scripted {
    type Data = Bytes;
    type Error = &'static str;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, &'static str>>> {
        match self.frames.pop_front() {
            Some(frame) => frame.map(|text| {
                Some(text.map(|text| Frame::data(Bytes::from_static(text.as_bytes()))))
            }),
            None => Poll::Ready(None),
        }
    }

    fn is_end_stream(&self) -> bool {
        self.ends_with_the_last && self.frames.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        self.length.map_or_else(SizeHint::default, SizeHint::with_exact)
    }
}

type Seen = Arc<Mutex<Vec<(u32, Outcome, Decision, Option<String>)>>>;

/// What became of a call: its answer, its budget, and what an observer saw.
struct Answered {
    response: Response<ResponseBody<Scripted>>,
    budget: Arc<Budget>,
    seen: Seen,
}

impl Answered {
    fn tokens(&self) -> f64 {
        self.budget.tokens()
    }
}

/// A call with nine tokens that is answered with `status` and `body`.
async fn answered(method: Method, status: u16, body: Scripted) -> Answered {
    let budget = Arc::new(Budget::new(10, 0.5));
    let mut before = HttpPolicy::DEFAULT.policy().call(&budget);
    let _charged = before.decide(Outcome::Fail);
    let seen = Seen::default();
    let log = seen.clone();
    let kind = |_: &Infallible| ErrorKind::Other;
    let layer = RetryLayer::http(HttpPolicy::DEFAULT, budget.clone(), kind).observe(move |event| {
        let reason = event.error.map(ToString::to_string);
        log.lock().unwrap().push((event.attempt, event.outcome, event.decision, reason));
    });
    let service = service_fn(move |_: Request<String>| {
        let body = body.clone();
        async move { Ok::<_, Infallible>(Response::builder().status(status).body(body).unwrap()) }
    });
    let request = Request::builder().method(method).body(String::new()).unwrap();
    let response = layer.layer(service).oneshot(request).await.unwrap();
    Answered { response, budget, seen }
}

#[tokio::test]
async fn a_success_is_credited_when_its_body_has_come_whole() {
    let body = scripted(&[data("two"), data("parts")], Some(8));
    let mut answered = answered(Method::GET, 200, body).await;
    let end = *answered.response.extensions().get::<CallEnd>().unwrap();
    assert_eq!((end.decision, end.attempts), (Decision::Succeeded, 1));
    for _ in 0..2 {
        assert_eq!((answered.tokens(), answered.seen.lock().unwrap().len()), (9.0, 0));
        answered.response.body_mut().frame().await.unwrap().unwrap();
    }
    assert!(answered.response.body_mut().frame().await.is_none());
    assert_eq!(answered.tokens(), 9.5);
    let seen = [(1, Outcome::Success, Decision::Succeeded, None)];
    assert_eq!(*answered.seen.lock().unwrap(), seen);
    // Once, whatever is asked later.
    assert!(answered.response.body_mut().frame().await.is_none());
    drop(answered.response);
    assert_eq!(answered.budget.tokens(), 9.5);
}

#[tokio::test]
async fn a_body_that_says_its_end_with_the_last_frame_is_settled_by_that() {
    let body = Scripted { ends_with_the_last: true, ..scripted(&[data("whole")], None) };
    let mut answered = answered(Method::GET, 200, body).await;
    assert!(!answered.response.body().is_end_stream());
    answered.response.body_mut().frame().await.unwrap().unwrap();
    assert!(answered.response.body().is_end_stream());
    assert_eq!(answered.tokens(), 9.5);
}

#[tokio::test]
async fn a_body_that_is_at_its_end_is_settled_with_the_head() {
    let body = Scripted { ends_with_the_last: true, ..scripted(&[], None) };
    let answered = answered(Method::GET, 204, body).await;
    assert!(answered.response.body().is_end_stream());
    assert_eq!((answered.tokens(), answered.seen.lock().unwrap().len()), (9.5, 1));
}

#[tokio::test]
async fn a_body_that_breaks_off_is_charged_and_its_error_is_the_callers() {
    for frames in [&[Poll::Ready(Err("reset"))][..], &[data("some"), Poll::Ready(Err("reset"))]] {
        let mut answered = answered(Method::GET, 200, scripted(frames, None)).await;
        let error = answered.response.body_mut().collect().await.unwrap_err();
        assert_eq!((error, answered.tokens()), ("reset", 8.0));
        let seen = answered.seen.lock().unwrap().clone();
        let reason = Some("the body broke off".to_string());
        assert_eq!(seen, [(1, Outcome::Fail, Decision::Failed, reason)]);
    }
}

#[tokio::test]
async fn a_body_that_ends_short_of_its_length_is_charged() {
    for frames in [&[][..], &[data("seven b")]] {
        let mut answered = answered(Method::GET, 200, scripted(frames, Some(8))).await;
        answered.response.body_mut().collect().await.unwrap();
        assert_eq!(answered.tokens(), 8.0, "{frames:?}");
    }
}

#[tokio::test]
async fn an_answer_without_a_body_by_its_kind_is_whole_whatever_its_length_says() {
    for (method, status) in [(Method::HEAD, 200), (Method::GET, 304)] {
        let mut answered = answered(method, status, scripted(&[], Some(8))).await;
        answered.response.body_mut().collect().await.unwrap();
        assert_eq!(answered.tokens(), 9.5, "{status}");
    }
}

#[tokio::test]
async fn a_body_that_nobody_asked_for_is_judged_by_its_head() {
    let answered = answered(Method::GET, 200, scripted(&[data("unread")], Some(6))).await;
    drop(answered.response);
    assert_eq!(answered.budget.tokens(), 9.5);
    assert_eq!(answered.seen.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn a_body_that_is_left_while_it_is_read_says_nothing() {
    for frames in [&[Poll::Pending][..], &[data("some"), data("more")]] {
        let mut answered = answered(Method::GET, 200, scripted(frames, None)).await;
        let body = Pin::new(answered.response.body_mut());
        let _first = body.poll_frame(&mut Context::from_waker(Waker::noop()));
        drop(answered.response);
        assert_eq!(answered.budget.tokens(), 9.0, "{frames:?}");
        assert!(answered.seen.lock().unwrap().is_empty(), "{frames:?}");
    }
}

#[tokio::test]
async fn an_answer_that_is_no_success_is_settled_with_its_head() {
    for (status, tokens) in [(404, 9.0), (501, 8.0)] {
        let answered = answered(Method::GET, status, scripted(&[data("why")], None)).await;
        assert_eq!(answered.tokens(), tokens, "{status}");
        drop(answered.response);
        assert_eq!((answered.budget.tokens(), answered.seen.lock().unwrap().len()), (tokens, 1));
    }
}

#[tokio::test]
async fn an_exchange_that_wraps_http_has_the_last_word_on_what_succeeds() {
    /// Every answer is busy.
    #[derive(Clone)]
    struct Busy<X>(X);
    impl<X, B, D, E> Exchange<Request<B>, Response<D>, E> for Busy<X>
    where
        X: Exchange<Request<B>, Response<D>, E>,
    {
        type Seen = X::Seen;
        type Answer = X::Answer;
        fn see(&self, request: &Request<B>) -> X::Seen {
            self.0.see(request)
        }
        fn copy(&self, request: &mut Request<B>) -> Option<Request<B>> {
            self.0.copy(request)
        }
        fn classify(&self, _: &X::Seen, _: &Result<Response<D>, E>) -> Outcome {
            Outcome::Retry
        }
        fn is_open(&self, seen: &X::Seen, response: &Response<D>) -> bool {
            self.0.is_open(seen, response)
        }
        fn finish(&self, seen: X::Seen, response: Response<D>, ending: Ending) -> X::Answer {
            self.0.finish(seen, response, ending)
        }
    }
    let budget = Arc::new(Budget::new(10, 0.1));
    let http = Http::new(HttpPolicy::DEFAULT, |_: &Infallible| ErrorKind::Other);
    let policy = HttpPolicy::DEFAULT.policy().backoff(Backoff::none());
    let layer = RetryLayer::with(policy, budget.clone(), Busy(http));
    let service = service_fn(|_: Request<String>| async {
        Ok::<_, Infallible>(Response::new(String::from("answer")))
    });
    let answer = layer.layer(service).oneshot(Request::new(String::new())).await.unwrap();
    assert_eq!(answer.extensions().get::<CallEnd>().unwrap().decision, Decision::Exhausted);
    assert_eq!(budget.tokens(), 7.0);
}

#[tokio::test]
async fn an_outage_of_answers_that_are_cut_empties_the_budget_over_a_socket() {
    let server = Server::start([Step::CutBody]).await;
    let client = Client::builder(TokioExecutor::new()).build_http::<Full<Bytes>>();
    let budget = Arc::new(Budget::new(10, 0.1));
    let patch = HttpPolicyPatch::new().policy(PolicyPatch::new().backoff("none"));
    let policy = HttpPolicy::DEFAULT.merge(&patch).unwrap();
    let kind = |_: &hyper_util::client::legacy::Error| ErrorKind::ConnectionLost;
    let mut client = RetryLayer::http(policy, budget.clone(), kind).layer(client);
    for _ in 0..20 {
        let before = budget.tokens();
        let request = Request::get(server.url("")).body(Full::default()).unwrap();
        let answer = client.ready().await.unwrap().call(request).await.unwrap();
        assert!(answer.into_body().collect().await.is_err());
        assert!(budget.tokens() < before || budget.tokens() == 0.0);
    }
    assert_eq!((budget.tokens(), server.requests()), (0.0, 20));
}

#[tokio::test]
async fn without_watching_the_answer_has_its_own_body() {
    let budget = Arc::new(Budget::new(10, 0.1));
    let kind = |_: &io::Error| ErrorKind::Other;
    let layer = RetryLayer::http(HttpPolicy::DEFAULT, budget.clone(), kind).judge_heads();
    let service = service_fn(|_: Request<String>| async {
        Ok::<_, io::Error>(Response::new(String::from("answer")))
    });
    let answer = layer.layer(service).oneshot(Request::new(String::new())).await.unwrap();
    assert_eq!(answer.extensions().get::<CallEnd>().unwrap().decision, Decision::Succeeded);
    assert_eq!((answer.into_body().as_str(), budget.tokens()), ("answer", 10.0));
}
