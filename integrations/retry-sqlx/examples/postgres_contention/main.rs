//! Twenty clients transfer between ten accounts of PostgreSQL, in serializable
//! transactions. The same load four times: conflicts free of charge, conflicts that are paid
//! like failures, no budget, and backon. Then eight clients insert rows while the server
//! is restarted.
//!
//! `.ci/servers run cargo run -p retry-sqlx --example postgres_contention`, or with the address of a
//! server, which is not restarted:
//! `cargo run -p retry-sqlx --example postgres_contention postgres://user@host/database`.

mod load;
mod restart;

use load::{Figures, Ledger, Retries};
use restart::Rows;
use retry_runtime::Policy;
use test_servers::Server;

#[tokio::main]
async fn main() {
    let given = std::env::args().nth(1);
    // It may be restarted.
    let ours = if given.is_none() { Server::find("postgres") } else { None };
    let Some(address) = given.or_else(|| Some(ours.as_ref()?.address().to_owned())) else {
        eprintln!("the address of a PostgreSQL server is missing");
        std::process::exit(64);
    };
    println!("20 clients, 10 accounts, serializable transactions of 10 attempts");
    let ledger = Ledger::open(&address, "contention_example").await;
    const POLICY: Policy = load::of(Policy::new(10));
    let mut runs = Vec::new();
    println!("{}", Figures::HEADING);
    for retries in [
        Retries::Free(POLICY),
        Retries::Paid(POLICY),
        Retries::Unlimited(POLICY),
        Retries::Backon(10),
    ] {
        let figures = ledger.load(&retries).await;
        println!("{figures}");
        runs.push(figures);
    }
    ledger.audit(&runs).await;
    println!("every transfer that succeeded is there once, and no other");

    let Some(server) = ours else { return };
    println!("\n8 clients, single inserts of 12 attempts, two restarts of the server");
    println!("{}", Rows::HEADING);
    for rows in restart::compare(&server).await {
        println!("{rows}");
    }
}
