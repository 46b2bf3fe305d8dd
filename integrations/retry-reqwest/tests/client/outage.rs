//! A server that answers no call well: the budget is empty before long, no failed call
//! raises it, and no POST is carried out twice.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use reqwest::{Method, Url};
use retry_reqwest::Client;
use retry_runtime::Budget;
use retry_runtime::http::HttpPolicy;
use scripted_server::{Server, Step};

use super::{http, request};

const SECOND: Duration = Duration::from_secs(1);
const CALLS: usize = 20;

fn forms() -> Vec<Step> {
    vec![
        Step::status(500),
        Step::status(501),
        Step::status(503),
        Step::status(599),
        Step::busy("retry-after", "1"),
        Step::CloseOnAccept,
        Step::Close,
        Step::Reset,
        Step::Garbage,
        Step::CutBody,
        Step::Slow(3600 * SECOND),
        Step::Answer(302, vec![("location", "/again".into())], ""),
    ]
}

/// Twenty calls of one method, whose answers are read to their ends.
async fn calls(http: reqwest::Client, method: &Method, url: &str, form: &str) {
    let budget = Arc::new(Budget::new(10, 0.1));
    let client = Client::new(http, HttpPolicy::DEFAULT, Arc::clone(&budget));
    for call in 0..CALLS {
        let before = budget.tokens();
        let mut request = request(method.clone(), url);
        request.headers_mut().insert("x-call", call.into());
        if let Ok(answer) = client.execute(request).await {
            let _read = answer.bytes().await;
        }
        assert!(budget.tokens() < before || before == 0.0, "{method} {form}: call {call}");
    }
    assert_eq!(budget.tokens(), 0.0, "{method} {form}");
}

fn impatient() -> reqwest::ClientBuilder {
    http().timeout(2 * SECOND)
}

/// How often the server had a POST of one call.
fn most_posts(server: &Server) -> usize {
    let mut counts: HashMap<String, usize> = HashMap::new();
    for one in server.received().iter().filter(|one| one.method() == "POST") {
        let call = one.header("x-call").expect("the number of the call");
        *counts.entry(call.to_owned()).or_default() += 1;
    }
    counts.into_values().max().unwrap_or(0)
}

#[tokio::test(start_paused = true)]
async fn an_outage_of_any_form_empties_the_budget() {
    for step in forms() {
        for method in [Method::GET, Method::POST] {
            let server = Server::start([step.clone()]).await;
            let form = format!("{step:?}");
            calls(impatient().build().unwrap(), &method, &server.url(""), &form).await;
            assert!(most_posts(&server) <= 1, "{form}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn so_does_one_that_changes_its_form_with_every_request() {
    for seed in 1..=8_u64 {
        let (forms, mut state) = (forms(), seed.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let steps = std::iter::repeat_with(|| {
            // xorshift64
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            let form = usize::try_from(state % forms.len() as u64).unwrap();
            forms[form].clone()
        });
        let steps: Vec<Step> = steps.take(400).collect();
        for method in [Method::GET, Method::POST] {
            let server = Server::start(steps.clone()).await;
            let form = format!("seed {seed}");
            calls(impatient().build().unwrap(), &method, &server.url(""), &form).await;
            assert!(most_posts(&server) <= 1, "{form}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn so_does_a_host_that_is_never_reached() {
    // Dropped at once, so nothing listens there.
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let proxy = || reqwest::Proxy::all(format!("http://{free}")).unwrap();
    let plain = Server::start([Step::status(200)]).await;
    let tls = Url::parse(&plain.url("")).unwrap();
    let tls = format!("https://{}:{}/", tls.host_str().unwrap(), tls.port().unwrap());
    // Longer than a label may be: no server of names is asked.
    let no_name = format!("http://{}/", "a".repeat(64));
    for method in [Method::GET, Method::POST] {
        let direct = || impatient().build().unwrap();
        calls(direct(), &method, &format!("http://{free}/"), "refused").await;
        calls(direct(), &method, &no_name, "no such name").await;
        let proxied = impatient().proxy(proxy()).build().unwrap();
        calls(proxied, &method, &no_name, "the proxy is down").await;
        let trusted = rcgen::generate_simple_self_signed(vec!["localhost".to_string()]).unwrap();
        let trusted = reqwest::Certificate::from_der(trusted.cert.der()).unwrap();
        let secure = impatient().tls_certs_only([trusted]).build().unwrap();
        calls(secure, &method, &tls, "no TLS").await;
    }
    assert_eq!(plain.requests(), 0);
}
