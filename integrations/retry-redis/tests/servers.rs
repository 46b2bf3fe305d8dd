//! The classifier against real servers: `.ci/servers run cargo test -p retry-redis`.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use redis::aio::MultiplexedConnection;
use redis::{AsyncTypedCommands, Client, RedisError, RedisResult, cmd, pipe};
use retry_redis::{Classifier, ErrorKind, error_kind};
use retry_runtime::{Backoff, Budget, Outcome, Policy, Retrier};
use test_servers::Server;
use tokio::sync::{Mutex, MutexGuard};

/// One test after another: they change what the server allows.
static SERVER: Mutex<()> = Mutex::const_new(());

async fn alone() -> MutexGuard<'static, ()> {
    SERVER.lock().await
}

async fn connect(server: &Server) -> RedisResult<MultiplexedConnection> {
    Client::open(server.address())?.get_multiplexed_async_connection().await
}

fn kind<T: std::fmt::Debug>(result: RedisResult<T>) -> ErrorKind {
    error_kind(&result.expect_err("it is refused"))
}

fn policy(attempts: u32) -> Policy {
    Policy::new(attempts)
        .backoff(Backoff::exponential(Duration::from_millis(5), Duration::from_millis(200)))
}

async fn configure(redis: &mut MultiplexedConnection, key: &str, value: &str) {
    cmd("CONFIG").arg("SET").arg(key).arg(value).exec_async(redis).await.unwrap();
}

#[tokio::test]
async fn refusals_have_their_kinds() {
    let Some(server) = Server::find("redis") else { return };
    let _alone = alone().await;
    let mut redis = connect(&server).await.unwrap();
    redis.set("text", "a").await.unwrap();
    redis.del("list").await.unwrap();
    redis.rpush("list", "a").await.unwrap();

    assert_eq!(kind(redis.incr("list", 1).await), ErrorKind::Caller);
    let wrong_type: RedisResult<u64> = cmd("GET").arg("text").query_async(&mut redis).await;
    assert_eq!(kind(wrong_type), ErrorKind::Unrecognised);

    configure(&mut redis, "min-replicas-to-write", "9").await;
    let refused = redis.set("text", "b").await;
    configure(&mut redis, "min-replicas-to-write", "0").await;
    assert_eq!(kind(refused), ErrorKind::Refused);

    configure(&mut redis, "maxmemory", "1").await;
    let refused = redis.set("text", "b").await;
    // A pipeline of which a part was carried out, and a transaction, which was not.
    let mixed = pipe().get("text").set("text", "b").exec_async(&mut redis).await;
    let discarded = pipe().atomic().get("text").set("text", "b").exec_async(&mut redis).await;
    configure(&mut redis, "maxmemory", "0").await;
    assert_eq!(kind(refused), ErrorKind::Refused);
    assert_eq!(kind(mixed), ErrorKind::PerhapsRun);
    assert_eq!(kind(discarded), ErrorKind::Refused);
    assert_eq!(redis.get("text").await.unwrap().as_deref(), Some("a"));

    let unknown = pipe().atomic().set("text", "b").cmd("GTE").exec_async(&mut redis).await;
    assert_eq!(kind(unknown), ErrorKind::Caller);
    assert_eq!(redis.get("text").await.unwrap().as_deref(), Some("a"));
}

#[tokio::test]
async fn a_command_that_waits_fails_at_the_connections_own_limit() {
    let Some(server) = Server::find("redis") else { return };
    let _alone = alone().await;
    let mut redis = connect(&server).await.unwrap();
    let mut take = cmd("BLMOVE");
    take.arg("nothing").arg("taken").arg("LEFT").arg("RIGHT").arg(1);
    let taken: RedisResult<Option<String>> = take.query_async(&mut redis).await;
    assert_eq!(kind(taken), ErrorKind::PerhapsRun);
    redis.set_response_timeout(Duration::from_secs(5));
    let taken: RedisResult<Option<String>> = take.query_async(&mut redis).await;
    assert_eq!(taken, Ok(None));
}

#[tokio::test]
async fn a_server_that_is_busy_with_a_script_is_waited_for() {
    let Some(server) = Server::find("redis") else { return };
    let _alone = alone().await;
    let mut redis = connect(&server).await.unwrap();
    configure(&mut redis, "busy-reply-threshold", "5").await;
    let mut busy = connect(&server).await.unwrap();
    let script = tokio::spawn(async move {
        let endless = "while true do end";
        cmd("EVAL").arg(endless).arg(0).exec_async(&mut busy).await
    });
    let retrier = Retrier::new(policy(20), Budget::new(100, 0.1), Classifier::WRITE);
    let mut call = retrier.call();
    let mut was_busy = false;
    let result = loop {
        // Until the script runs, the server takes the command.
        let result = redis.set("busy", "1").await;
        match &result {
            Ok(()) if !was_busy => continue,
            Err(_) if !was_busy => {
                was_busy = true;
                cmd("SCRIPT").arg("KILL").exec_async(&mut redis).await.unwrap();
            }
            _ => {}
        }
        if !call.again(retrier.classify(&result)).await {
            break result;
        }
    };
    assert!(result.is_ok(), "{result:?}");
    assert!(call.attempt() > 1);
    assert!(script.await.unwrap().is_err());
    configure(&mut redis, "busy-reply-threshold", "5000").await;
}

/// A failover: the old primary has become a replica, and answers READONLY. The body asks for
/// the primary at the beginning of each attempt.
#[tokio::test]
async fn a_write_follows_the_primary() {
    let Some(server) = Server::find("redis") else { return };
    let Some(replica) = Server::find("redis_replica") else { return };
    let _alone = alone().await;
    let mut nodes = [connect(&server).await.unwrap(), connect(&replica).await.unwrap()];
    let port = |server: &Server| {
        let address = server.address().trim_end_matches('/');
        address.rsplit(':').next().expect("a port").to_owned()
    };
    let follow = |port: String| cmd("REPLICAOF").arg("127.0.0.1").arg(port).to_owned();
    nodes[0].del("failover").await.unwrap();
    cmd("REPLICAOF").arg("NO").arg("ONE").exec_async(&mut nodes[1]).await.unwrap();
    follow(port(&replica)).exec_async(&mut nodes[0]).await.unwrap();

    let retrier = Retrier::new(policy(10), Budget::new(100, 0.1), Classifier::WRITE);
    let mut call = retrier.call();
    let mut primary = 0;
    let mut refusals = 0;
    let result = loop {
        let result = nodes[primary].incr("failover", 1).await;
        if result.is_err() {
            refusals += 1;
            primary = 1 - primary;
        }
        if !call.again(retrier.classify(&result)).await {
            break result;
        }
    };
    // As it was before, for the other tests.
    cmd("REPLICAOF").arg("NO").arg("ONE").exec_async(&mut nodes[0]).await.unwrap();
    follow(port(&server)).exec_async(&mut nodes[1]).await.unwrap();
    assert_eq!(result.unwrap(), 1);
    assert_eq!(refusals, 1);
    assert_eq!(retrier.budget().unwrap().tokens(), 99.1, "a refusal is a failure");
}

const JOBS: u32 = 180;
const WORKERS: u32 = 4;

/// A worker: takes a job into its own list, does it, and removes it from there, the last
/// two in one transaction. What may have been carried out is looked for in the list.
async fn work(server: &Server, worker: u32, retrier: &Retrier<Classifier>, done: &AtomicU32) {
    let mine = format!("taken:{worker}");
    let mut redis = None;
    while done.load(Ordering::Relaxed) < JOBS {
        let mut call = retrier.call();
        let result = loop {
            let result = step(server, &mut redis, &mine).await;
            let outcome = match retrier.classify(&result) {
                // The body looks into its own list first, so that any step may be repeated.
                Outcome::Fail => Outcome::Retry,
                outcome => outcome,
            };
            if result.is_err() {
                redis = None;
            }
            if !call.again(outcome).await {
                break result;
            }
        };
        if result.expect("the server comes back in time").is_none() {
            tokio::time::sleep(Duration::from_millis(5)).await;
            let mut redis = match connect(server).await {
                Ok(redis) => redis,
                Err(_) => continue,
            };
            if let Ok(count) = redis.hlen("done").await {
                done.store(count as u32, Ordering::Relaxed);
            }
        }
    }
}

/// Does one job, or none if there is none.
async fn step(
    server: &Server,
    connection: &mut Option<MultiplexedConnection>,
    mine: &str,
) -> RedisResult<Option<String>> {
    let redis = match connection {
        Some(redis) => redis,
        None => connection.insert(connect(server).await?),
    };
    let taken = match redis.lindex(mine, 0).await? {
        Some(taken) => Some(taken),
        None => {
            use redis::Direction::{Left, Right};
            let moved: Option<String> =
                cmd("LMOVE").arg("jobs").arg(mine).arg(Left).arg(Right).query_async(redis).await?;
            moved
        }
    };
    let Some(job) = taken else { return Ok(None) };
    // The work takes a moment, in which the server may go.
    tokio::time::sleep(Duration::from_millis(10)).await;
    pipe().atomic().hincr("done", &job, 1).lrem(mine, 1, &job).exec_async(redis).await?;
    Ok(Some(job))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_restart_in_the_middle_of_jobs_loses_none_and_does_none_twice() {
    let Some(server) = Server::find("redis") else { return };
    let _alone = alone().await;
    let mut redis = connect(&server).await.unwrap();
    cmd("FLUSHALL").exec_async(&mut redis).await.unwrap();
    let jobs: Vec<String> = (0..JOBS).map(|job| format!("job:{job}")).collect();
    redis.rpush("jobs", jobs).await.unwrap();

    let retrier = Retrier::new(policy(40), Budget::new(200, 0.1), Classifier::WRITE);
    let done = AtomicU32::new(0);
    let workers = futures_join((0..WORKERS).map(|worker| work(&server, worker, &retrier, &done)));
    let restarts = async {
        for crash in [false, true] {
            tokio::time::sleep(Duration::from_millis(100)).await;
            let server = server.clone();
            let restart = move || {
                if crash {
                    server.kill()
                } else {
                    server.stop()
                }
                server.start();
            };
            tokio::task::spawn_blocking(restart).await.unwrap();
        }
    };
    tokio::join!(workers, restarts);

    let mut redis = connect(&server).await.unwrap();
    let counts = redis.hgetall("done").await.unwrap();
    assert_eq!(counts.len(), JOBS as usize, "a job was lost");
    let twice: Vec<_> = counts.iter().filter(|(_, count)| *count != "1").collect();
    assert!(twice.is_empty(), "done more than once: {twice:?}");
    assert_eq!(redis.llen("jobs").await.unwrap(), 0);
}

/// All of them at once, without another dependency.
async fn futures_join(futures: impl Iterator<Item = impl Future<Output = ()>>) {
    let mut futures: Vec<_> = futures.map(Box::pin).collect();
    std::future::poll_fn(|context| {
        futures.retain_mut(|future| future.as_mut().poll(context).is_pending());
        if futures.is_empty() { std::task::Poll::Ready(()) } else { std::task::Poll::Pending }
    })
    .await;
}

#[tokio::test]
async fn a_server_that_is_down_refuses_and_is_waited_for() {
    let Some(server) = Server::find("redis") else { return };
    let _alone = alone().await;
    server.stop();
    let down: Result<_, RedisError> = connect(&server).await.map(drop);
    let start = server.clone();
    let started = tokio::task::spawn_blocking(move || start.start());
    assert_eq!(kind(down), ErrorKind::Refused);
    let retrier = Retrier::new(policy(100), Budget::new(1000, 1.0), Classifier::WRITE);
    let mut call = retrier.call();
    let result = loop {
        let result = connect(&server).await.map(drop);
        if !call.again(retrier.classify(&result)).await {
            break result;
        }
    };
    assert!(result.is_ok(), "{result:?}");
    started.await.unwrap();
}
