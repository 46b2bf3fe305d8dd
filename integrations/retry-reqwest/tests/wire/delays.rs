//! Delays that a server asks for.

use std::time::SystemTime;

use reqwest::Method;
use retry_runtime::http::{HttpPolicy, HttpPolicyPatch};
use retry_runtime::{Decision, PolicyPatch};
use scripted_server::{Server, Step};

use super::{SECOND, client, request, send};

#[tokio::test(start_paused = true)]
async fn retry_after_is_obeyed_in_every_form() {
    let soon = httpdate::fmt_http_date(SystemTime::now() + 20 * SECOND);
    for (header, value, least, most) in [
        ("retry-after", "7", 7000, 7010),
        ("retry-after", "0.314", 314, 325),
        ("retry-after-ms", "250", 250, 260),
        ("retry-after", "0", 100, 110),
        ("retry-after", soon.as_str(), 15_000, 20_010),
        ("retry-after", "Sun, 06 Nov 1994 08:49:37 GMT", 100, 110),
        ("retry-after", "tomorrow", 375, 510),
        ("retry-after", "", 375, 510),
    ] {
        let server = Server::start([Step::busy(header, value), Step::status(200)]).await;
        let get = || request(Method::GET, &server.url(""));
        let done = send(&client(), HttpPolicy::ANY_5XX_EXACT, get).await;
        assert_eq!(done.result.unwrap().status(), 200);
        let waited = done.waited.as_millis();
        assert!((least..=most).contains(&waited), "{header}: {value}: {waited} ms");
    }
}

#[tokio::test(start_paused = true)]
async fn a_time_limit_shorter_than_the_servers_delay_returns_at_once() {
    let server = Server::start([Step::busy("retry-after", "20")]).await;
    let patch = HttpPolicyPatch::new().policy(PolicyPatch::new().within(10 * SECOND));
    let policy = HttpPolicy::DEFAULT.merge(&patch).unwrap();
    let done = send(&client(), policy, || request(Method::GET, &server.url(""))).await;
    assert_eq!(done.result.unwrap().status(), 503);
    assert_eq!((server.requests(), done.decision), (1, Decision::Expired));
    assert!(done.waited < SECOND, "{:?}", done.waited);
}
