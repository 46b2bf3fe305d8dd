//! gRPC's own histories of retry throttling, as the public tests of grpc-go,
//! grpc-java and gRPC's C core tell them, replayed through calls of this crate.

use std::time::Duration;

use retry_runtime::{Budget, Decision, Outcome, Policy};

const UNAVAILABLE: Outcome = Outcome::RetryIn(Duration::from_millis(10));

/// grpc-java's `onQualifiedFailureThenCheckIsAboveThreshold`, by another call
/// on the same channel.
fn fail(budget: &Budget) -> bool {
    !Policy::unlimited().call(budget).decide(UNAVAILABLE).is_final()
}

fn succeed(budget: &Budget) {
    let _ = Policy::new(1).call(budget).decide(Outcome::Success);
}

#[test]
fn grpc_go_four_attempts_and_ten_tokens() {
    // The server answers its n-th request, from 0, with OK for these n.
    let ok = [0, 3, 6, 10, 11, 12, 13, 14, 16, 18];
    let budget = Budget::new(10, 0.5);
    let policy = Policy::new(4);
    let mut request = 0;
    // For each call: whether it succeeds, its last request, the tokens after it.
    let calls = [
        (true, 0, 10.0),
        (true, 3, 8.5),
        (true, 6, 7.0),
        (false, 8, 5.0),
        (false, 9, 4.0),
        (true, 10, 4.5),
        (true, 11, 5.0),
        (true, 12, 5.5),
        (true, 13, 6.0),
        (true, 14, 6.5),
        (true, 16, 6.0),
        (false, 17, 5.0),
    ];
    for (succeeds, last_request, tokens) in calls {
        let mut call = policy.call(&budget);
        let decision = loop {
            let outcome = if ok.contains(&request) { Outcome::Success } else { UNAVAILABLE };
            request += 1;
            let decision = call.decide(outcome);
            if decision.is_final() {
                break decision;
            }
        };
        assert_eq!(decision == Decision::Succeeded, succeeds, "call to request {last_request}");
        assert_eq!(request - 1, last_request);
        assert_eq!(budget.tokens(), tokens, "after request {last_request}");
    }
}

#[test]
fn grpc_java_four_tokens_and_a_ratio_of_four_fifths() {
    let budget = Budget::new(4, 0.8);
    let failures = |expected: &[(bool, f64)]| {
        for &(granted, tokens) in expected {
            assert_eq!((fail(&budget), budget.tokens()), (granted, tokens));
        }
    };
    failures(&[(true, 3.0), (false, 2.0), (false, 1.0), (false, 0.0), (false, 0.0), (false, 0.0)]);
    for tokens in [0.8, 1.6, 2.4, 3.2, 4.0, 4.0, 4.0] {
        succeed(&budget);
        assert_eq!(budget.tokens(), tokens);
    }
    failures(&[(true, 3.0), (false, 2.0)]);
}

/// The state of grpc-java's tests of throttled streams: one other call on the
/// channel has failed, so 3 of 4 tokens are left.
fn three_of_four() -> Budget {
    let budget = Budget::new(4, 0.8);
    assert!(fail(&budget));
    assert_eq!(budget.tokens(), 3.0);
    budget
}

#[test]
fn grpc_java_throttled_streams() {
    let policy = Policy::new(4);
    for (outcome, decision, tokens) in [
        // A retryable status, without and with a pushback.
        (Outcome::Retry, Decision::Throttled, 2.0),
        (Outcome::RetryIn(Duration::from_millis(123)), Decision::Throttled, 2.0),
        // A pushback that says "do not retry" counts, whatever the status.
        (Outcome::Fail, Decision::Failed, 2.0),
        // A status that is not retryable, without a pushback, does not count.
        (Outcome::Stop, Decision::Stopped, 3.0),
    ] {
        let budget = three_of_four();
        assert_eq!(policy.call(&budget).decide(outcome), decision, "{outcome}");
        assert_eq!(budget.tokens(), tokens, "{outcome}");
        assert!(!fail(&budget), "{outcome}");
    }
}

#[test]
fn grpc_java_a_throttled_stream_that_succeeds_pays_in() {
    let budget = three_of_four();
    assert!(!fail(&budget));
    assert!(!fail(&budget));
    assert_eq!(budget.tokens(), 1.0);
    succeed(&budget);
    assert_eq!(budget.tokens(), 1.8);
    succeed(&budget);
    assert_eq!(budget.tokens(), 2.6);
}

#[test]
fn grpc_core_four_tokens_and_a_ratio_of_eight_fifths() {
    let budget = Budget::new(4, 1.6);
    let history = "F+ S F+ F- F- F- F- S S F+ F- S F- S F+";
    let mut tokens = Vec::new();
    for step in history.split(' ') {
        if step == "S" {
            succeed(&budget);
        } else {
            assert_eq!(fail(&budget), step == "F+", "after {tokens:?}");
        }
        tokens.push(budget.tokens());
    }
    assert_eq!(tokens, [3.0, 4.0, 3.0, 2.0, 1.0, 0.0, 0.0, 1.6, 3.2, 2.2, 1.2, 2.8, 1.8, 3.4, 2.4]);
}
