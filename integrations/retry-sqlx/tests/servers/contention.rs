//! Twenty clients and ten accounts: conflicts are the rule, and the server is well.

use std::time::Duration;

use retry_runtime::Policy;
use test_servers::Server;

use crate::alone;

#[path = "../../examples/postgres_contention/load.rs"]
#[allow(dead_code, reason = "the example compares more variants")]
mod load;

use load::{Figures, Ledger, Retries};

const POLICY: Policy = load::of(Policy::new(10));

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn conflicts_that_are_free_hardly_fail_and_paid_ones_do() {
    let Some(server) = Server::find("postgres") else { return };
    let _alone = alone().await;
    let ledger = Ledger::open(server.address(), "contention").await;

    let free = ledger.load(&Retries::Free(POLICY)).await;
    let paid = ledger.load(&Retries::Paid(POLICY)).await;
    println!("{}\n{free}\n{paid}", Figures::HEADING);
    assert!(free.calls() >= 40, "{free}");
    assert!(free.failed_share() <= 0.05, "{free}");
    assert!(free.conflicts > free.calls() / 10, "no contention: {free}");
    assert_eq!(free.tokens_left, free.tokens, "conflicts took tokens: {free}");
    assert!(paid.failed_share() >= 10.0 * free.failed_share().max(0.01), "{paid}\n{free}");
    ledger.audit(&[free, paid]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_call_fails_that_may_repeat_a_conflict_for_thirty_seconds() {
    let Some(server) = Server::find("postgres") else { return };
    let _alone = alone().await;
    let ledger = Ledger::open(server.address(), "unlimited").await;
    let policy = load::of(Policy::unlimited()).within(Duration::from_secs(30));
    let figures = ledger.load(&Retries::Free(policy)).await;
    println!("{}\n{figures}", Figures::HEADING);
    assert_eq!(figures.failed, 0, "{figures}");
    assert!(figures.conflicts > 0, "no contention: {figures}");
    assert_eq!(figures.tokens_left, figures.tokens, "{figures}");
    ledger.audit(&[figures]).await;
}
