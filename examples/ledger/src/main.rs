//! A ledger as a service: accounts and transfers over HTTP, on SQLite without any set-up,
//! or on PostgreSQL.
//!
//! ```sh
//! cargo run -p retry-ledger
//! DATABASE_URL=postgres://user@host/database cargo run -p retry-ledger
//! ```
//!
//! Where to look: `database.rs` has the ten methods whose calls are retried, `settings.rs`
//! reads the settings of the retries, `api.rs` knows neither. `GET /metrics` shows the
//! retries to Prometheus. SIGTERM ends the service within a second, whatever waits.

mod accounts;
mod api;
mod database;
mod settings;
mod shutdown;

use std::process::ExitCode;

use metrics_exporter_prometheus::{Matcher, PrometheusBuilder};
use retry_runtime::telemetry::{ATTEMPTS_PER_CALL, describe_metrics};
use tokio::net::TcpListener;

use crate::database::Database;
use crate::settings::Settings;
use crate::shutdown::Shutdown;

type Error = Box<dyn std::error::Error + Send + Sync>;

#[tokio::main]
async fn main() -> ExitCode {
    match run().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("ledger: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn run() -> Result<(), Error> {
    tracing_subscriber::fmt()
        .with_max_level(tracing_subscriber::filter::LevelFilter::WARN)
        .with_writer(std::io::stderr)
        .init();
    let attempts = [1.0, 2.0, 3.0, 5.0, 10.0];
    let recorder = PrometheusBuilder::new()
        .set_buckets_for_metric(Matcher::Full(ATTEMPTS_PER_CALL.into()), &attempts)?
        .install_recorder()?;
    describe_metrics();

    let settings = Settings::read()?;
    let shutdown = Shutdown::on_signals()?;
    let database = tokio::select! {
        database = Database::open(&settings, shutdown.clone()) => database?,
        () = shutdown.overdue() => return Ok(()),
    };
    let api = api::router(database, move || recorder.render());
    let listener = TcpListener::bind(&settings.listen).await?;
    println!("listening on http://{}", listener.local_addr()?);
    // Calls that wait for another attempt end at once; who still writes has a second.
    let stopped = shutdown.clone();
    let serve =
        axum::serve(listener, api).with_graceful_shutdown(async move { stopped.requested().await });
    tokio::select! {
        result = serve => result?,
        () = shutdown.overdue() => {}
    }
    Ok(())
}
