//! Bodies of answers: a call is credited when its answer has come whole.

use std::sync::Arc;

use reqwest::Method;
use retry_reqwest::{Classifier, Client, Requests, error_kind};
use retry_runtime::http::{ErrorKind, HttpPolicy};
use retry_runtime::tower::{CallEnd, RetryLayer};
use retry_runtime::{Backoff, Budget, Decision, retry};
use scripted_server::{Server, Step};
use tokio::time::Instant;

use super::{client, http, request};

/// A step that costs a token, so that a credit can be seen.
fn busy() -> Step {
    Step::status(503)
}

#[tokio::test(start_paused = true)]
async fn an_answer_is_as_reqwest_made_it() {
    let there = vec![("location", "/there?a=1".to_string())];
    let found = Step::Answer(200, vec![("x-kind", "plain".into())], "found");
    let server = Server::start([busy(), Step::Answer(302, there, ""), found]).await;
    let (client, budget) = client(HttpPolicy::DEFAULT);
    let answer = client.execute(request(Method::GET, &server.url("here"))).await.unwrap();
    assert_eq!(answer.url().as_str(), server.url("there?a=1"));
    assert_eq!(answer.status(), 200);
    assert_eq!(answer.version(), reqwest::Version::HTTP_11);
    assert_eq!(answer.headers()["x-kind"], "plain");
    assert_eq!(answer.content_length(), Some(5));
    assert_eq!(answer.remote_addr(), Some(server.address()));
    let end = answer.extensions().get::<CallEnd>().unwrap();
    assert_eq!((end.decision, end.attempts), (Decision::Succeeded, 2));
    assert_eq!(budget.tokens(), 9.0);
    assert_eq!(answer.text().await.unwrap(), "found");
    assert_eq!(budget.tokens(), 9.1);
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_nobody_reads_is_judged_by_its_head() {
    let server = Server::start([busy(), Step::status(200)]).await;
    let (client, budget) = client(HttpPolicy::DEFAULT);
    drop(client.execute(request(Method::GET, &server.url(""))).await.unwrap());
    assert_eq!(budget.tokens(), 9.1);
}

#[tokio::test(start_paused = true)]
async fn an_empty_answer_is_credited_at_once() {
    let server = Server::start([busy(), Step::Answer(200, Vec::new(), "")]).await;
    let (client, budget) = client(HttpPolicy::DEFAULT);
    let answer = client.execute(request(Method::GET, &server.url(""))).await.unwrap();
    assert_eq!((answer.status().as_u16(), budget.tokens()), (200, 9.1));
}

#[tokio::test(start_paused = true)]
async fn a_body_that_is_cut_is_charged_and_reqwest_says_what_it_would_have_said() {
    let server = Server::start([Step::CutBody]).await;
    let (client, budget) = client(HttpPolicy::DEFAULT);
    let answer = client.execute(request(Method::GET, &server.url(""))).await.unwrap();
    let error = answer.text().await.unwrap_err();
    assert!(error.is_decode(), "{error:?}");
    assert_eq!((error_kind(&error), budget.tokens()), (ErrorKind::ConnectionLost, 9.0));
}

#[tokio::test(start_paused = true)]
async fn heads_alone_are_judged_where_that_is_wanted() {
    let server = Server::start([busy(), Step::CutBody]).await;
    let budget = Arc::new(Budget::new(10, 0.1));
    let requests = Requests::new(HttpPolicy::DEFAULT).judge_heads();
    let layer = RetryLayer::with(HttpPolicy::DEFAULT.policy(), Arc::clone(&budget), requests);
    let client = Client::of(http().build().unwrap(), &layer);
    let answer = client.execute(request(Method::GET, &server.url(""))).await.unwrap();
    assert!(answer.extensions().get::<CallEnd>().is_some());
    assert_eq!(budget.tokens(), 9.1);
    answer.text().await.unwrap_err();
    assert_eq!(budget.tokens(), 9.1);
}

/// The function of the documentation (`the whole answer`).
#[tokio::test(start_paused = true)]
async fn a_body_read_within_the_attempt_is_repeated_and_its_server_names_the_wait() {
    const GET: Classifier = Classifier::new(HttpPolicy::DEFAULT.repeatable(true));

    #[retry(
        policy = GET.policy().policy(),
        budget = budget,
        classify = GET.errors(),
        schedule = Backoff::none(),
        attempt = attempt,
    )]
    async fn item(budget: &Budget, http: &reqwest::Client, url: &str) -> reqwest::Result<String> {
        let response = http.get(url).send().await?;
        if !response.status().is_success() {
            attempt.judge(GET.classify_response(&response));
        }
        response.error_for_status()?.text().await
    }

    let named = Step::Answer(503, vec![("retry-after", "3".into())], "");
    let server = Server::start([named, Step::CutBody, Step::status(200)]).await;
    let (budget, http) = (Budget::new(10, 0.1), http().build().unwrap());
    let start = Instant::now();
    assert_eq!(item(&budget, &http, &server.url("")).await.unwrap(), "body");
    assert!(start.elapsed().as_secs() >= 3);
    assert_eq!((server.received().len(), budget.tokens()), (3, 8.1));

    // A status that is final, and the error is reqwest's.
    let server = Server::start([Step::status(404)]).await;
    let error = item(&budget, &http, &server.url("")).await.unwrap_err();
    assert_eq!((error.status().unwrap().as_u16(), server.received().len()), (404, 1));
}
