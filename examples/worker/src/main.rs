//! A worker that delivers the jobs of a queue to an HTTP API that misbehaves:
//! `cargo run -p retry-worker`. The queue is embedded, or in Redis where `REDIS_URL` says so:
//! `REDIS_URL=redis://127.0.0.1/ cargo run -p retry-worker`.
//!
//! Where to look: `fate.rs` has the recipe for dead letters, `redis_queue.rs` the operations
//! of a queue that can be repeated, `deliver` below the call by hand whose last outcome
//! decides. At the end it prints where the jobs are, and what Prometheus would read.

mod api;
mod fate;
mod queue;
mod redis_queue;

use std::sync::Arc;
use std::time::Duration;

use metrics_exporter_prometheus::{Matcher, PrometheusBuilder};
use retry_runtime::telemetry::{ATTEMPTS_PER_CALL, describe_metrics};
use retry_runtime::{Backoff, Budget, Policy};
use tokio::sync::watch;

use crate::fate::Fate;
use crate::queue::{Counts, Delivery, Embedded, Queue, Result};
use crate::redis_queue::InRedis;

const WORKERS: usize = 4;

/// The API's budget. With the reserve, a queue that is quiet after an outage need not wait for
/// sixty successes until a job is retried again.
static API: Budget = Budget::new(40, 0.1).named("api").one_retry_every(Duration::from_secs(10));
const POLICY: Policy = Policy::new(3)
    .backoff(Backoff::exponential(Duration::from_millis(20), Duration::from_millis(200)));

#[tokio::main]
async fn main() -> Result<()> {
    let recorder = PrometheusBuilder::new()
        .set_buckets_for_metric(Matcher::Full(ATTEMPTS_PER_CALL.into()), &[1.0, 2.0, 3.0])?
        .install_recorder()?;
    describe_metrics();
    let (stop, stopped) = watch::channel(false);
    tokio::spawn(async move {
        let mut term = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate())
            .expect("SIGTERM can be heard");
        tokio::select! {
            _ = term.recv() => {}
            _ = tokio::signal::ctrl_c() => {}
        }
        stop.send_replace(true);
        // A sender that is dropped would not be heard.
        std::future::pending::<()>().await;
    });
    let render = recorder.clone();
    let (url, _) = api::misbehaving(move || render.render()).await?;
    println!("the API, and /metrics: {url}");
    let counts = match std::env::var("REDIS_URL") {
        Ok(address) => run(InRedis::open(&address, "worker")?, &url, stopped).await?,
        Err(_) => run(Embedded::default(), &url, stopped).await?,
    };
    println!("{counts}\n\n{}", recorder.render());
    Ok(())
}

/// The jobs of the example: 60 that are good, 2 that never are, 2 that are poison, and 2 of
/// which nobody knows.
fn jobs() -> Vec<String> {
    let of = |kind: &'static str, count: u32| (1..=count).map(move |n| format!("{kind}-{n}"));
    of("charge", 60).chain(of("invalid", 2)).chain(of("poison", 2)).chain(of("letter", 2)).collect()
}

/// Works until the queue is empty, or `stopped` is true.
async fn run<Q: Queue>(queue: Q, url: &str, stopped: watch::Receiver<bool>) -> Result<Counts> {
    queue.push(jobs()).await?;
    let client = Arc::new(api::Client::new(format!("{url}/jobs"))?);
    let workers: Vec<_> = (0..WORKERS)
        .map(|worker| {
            let (queue, client, stopped) = (queue.clone(), client.clone(), stopped.clone());
            tokio::spawn(async move { work(worker, &queue, &client, &stopped).await })
        })
        .collect();
    for worker in workers {
        worker.await??;
    }
    queue.counts().await
}

async fn work<Q: Queue>(
    worker: usize,
    queue: &Q,
    client: &api::Client,
    stopped: &watch::Receiver<bool>,
) -> Result<()> {
    while !*stopped.borrow() {
        let Some(delivery) = queue.take(worker).await? else {
            if queue.counts().await?.open == 0 {
                break;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
            continue;
        };
        let fate = deliver(&delivery, client, stopped).await;
        metrics::counter!("worker_jobs_total", "fate" => fate.as_str()).increment(1);
        queue.settle(worker, &delivery, fate).await?;
    }
    Ok(())
}

/// One delivery: a call of up to three attempts, whose last outcome says what becomes of it.
async fn deliver(
    delivery: &Delivery,
    client: &api::Client,
    stopped: &watch::Receiver<bool>,
) -> Fate {
    let mut call = POLICY.call(&API).named("worker.deliver");
    loop {
        let result = client.send(&delivery.job).await;
        let outcome = api::judge(&delivery.job, &result);
        let mut stopped = stopped.clone();
        if !call.again_unless(outcome, stopped.wait_for(|stopped| *stopped)).await {
            return Fate::of(outcome, call.decision(), delivery.deliveries);
        }
    }
}

#[cfg(test)]
mod tests;
