//! The whole story, on the embedded queue and on Redis where `.ci/servers` has started it.

use std::time::Duration;

use test_servers::Server;
use tokio::sync::watch;

use crate::queue::{Counts, Embedded, Queue};
use crate::redis_queue::InRedis;
use crate::{api, run};

const END: Counts = Counts { open: 0, done: 60, buried: 4, apart: 2 };

/// Each good job was carried out once, and no letter twice.
async fn story<Q: Queue>(queue: Q) -> (Counts, Vec<(String, u32)>) {
    let (url, carried) = api::misbehaving(String::new).await.unwrap();
    let (_stop, stopped) = watch::channel(false);
    let counts = run(queue, &url, stopped).await.unwrap();
    let twice = carried
        .lock()
        .unwrap()
        .iter()
        .filter(|(_, count)| **count > 1)
        .map(|(job, count)| (job.clone(), *count))
        .collect();
    (counts, twice)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn good_jobs_are_done_poison_is_buried_and_letters_are_held_apart() {
    let (counts, twice) = story(Embedded::default()).await;
    assert_eq!(counts, END, "{counts}");
    assert_eq!(twice, []);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_same_on_redis() {
    let Some(server) = Server::find("redis") else { return };
    let prefix = format!("worker-{}", std::process::id());
    let (counts, twice) = story(InRedis::open(server.address(), &prefix).unwrap()).await;
    assert_eq!(counts, END, "{counts}");
    assert_eq!(twice, []);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_shutdown_returns_what_was_taken() {
    let (stop, stopped) = watch::channel(false);
    // Nobody listens there: every delivery waits for its next attempt.
    let queue = Embedded::default();
    let running = tokio::spawn(run(queue.clone(), "http://127.0.0.1:9", stopped));
    tokio::time::sleep(Duration::from_millis(10)).await;
    stop.send_replace(true);
    let counts = running.await.unwrap().unwrap();
    assert_eq!(counts, Counts { open: 66, ..Counts::default() }, "{counts}");
}
