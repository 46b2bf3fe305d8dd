//! The soak for a few seconds, with the same checks.

use std::time::Duration;

use retry_soak::{Fault, Settings, soak};

#[test]
fn every_attempt_call_token_and_task_is_accounted_for() {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let settings = Settings {
        time: Duration::from_secs(4),
        callers: 16,
        // Two cycles: the budget is drained twice and filled in between.
        cycle: Duration::from_secs(2),
    };
    let report = runtime.block_on(soak(settings, |_, _| {})).unwrap();
    println!("{report}");
    assert_eq!(report.violations, Vec::<String>::new());

    // Otherwise little was tried.
    for (fault, count) in Fault::ALL.iter().zip(report.faults) {
        assert!(count > 0, "the server never did {fault:?}");
    }
    assert!(report.attempts.not_sent > 0, "no connection was refused");
    assert!(report.attempts.dropped > 0, "no call was dropped");
    for decision in ["succeeded", "stopped", "throttled", "cancelled"] {
        assert!(report.calls.decisions.contains_key(decision), "no call {decision}");
    }
    assert!(report.calls.retries > 0);
}
