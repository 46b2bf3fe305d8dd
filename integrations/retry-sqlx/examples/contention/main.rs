//! Twenty clients transfer between ten accounts of PostgreSQL, in serializable
//! transactions. The same load four times: conflicts free of charge, conflicts that are paid
//! like failures, no budget, and backon.
//!
//! `.ci/servers run cargo run -p retry-sqlx --example contention`, or with the address of a
//! server: `cargo run -p retry-sqlx --example contention postgres://user@host/database`.

mod load;

use load::{Figures, Ledger, Retries};
use retry_runtime::Policy;

#[tokio::main]
async fn main() {
    let address = std::env::args().nth(1).or_else(|| std::env::var("RETRY_TEST_POSTGRES").ok());
    let Some(address) = address else {
        eprintln!("the address of a PostgreSQL server is missing (or `.ci/servers run ..`)");
        std::process::exit(64);
    };
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
}
