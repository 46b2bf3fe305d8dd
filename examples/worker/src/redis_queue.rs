//! A queue in Redis. Each operation looks first for what an attempt before it may have done,
//! so that it can be repeated after a broken connection.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use redis::aio::{ConnectionManager, ConnectionManagerConfig};
use redis::{AsyncTypedCommands, Client, RedisResult, pipe};
use retry_redis::Classifier;
use retry_runtime::{Backoff, Budget, Policy, Retrier, retry};

use crate::fate::Fate;
use crate::queue::{Counts, Delivery, Queue, Result};

/// A restart of the server is waited for, for about ten seconds.
static QUEUE: Retrier<Classifier> = Retrier::new(
    Policy::new(30)
        .backoff(Backoff::exponential(Duration::from_millis(10), Duration::from_millis(500))),
    Budget::new(200, 0.1).named("queue"),
    Classifier::IDEMPOTENT_WRITE,
);

/// Moves what is due from the delayed jobs to the waiting ones: atomic, because every worker
/// does it.
const PROMOTE: &str = "
    local due = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', ARGV[1])
    for _, job in ipairs(due) do
        redis.call('ZREM', KEYS[1], job)
        redis.call('RPUSH', KEYS[2], job)
    end";

/// A queue in Redis, whose keys begin with `prefix`.
#[derive(Clone)]
pub struct InRedis {
    redis: ConnectionManager,
    prefix: String,
}

impl InRedis {
    /// It connects when it is used first, by its calls' retries and not by its own.
    pub fn open(address: &str, prefix: &str) -> RedisResult<InRedis> {
        let config = ConnectionManagerConfig::new()
            .set_number_of_retries(0)
            .set_connection_timeout(Some(Duration::from_secs(1)))
            .set_response_timeout(Some(Duration::from_secs(1)));
        let redis = ConnectionManager::new_lazy_with_config(Client::open(address)?, config)?;
        Ok(InRedis { redis, prefix: prefix.to_owned() })
    }

    fn key(&self, name: &str) -> String {
        format!("{}:{name}", self.prefix)
    }

    fn taken(&self, worker: usize) -> String {
        self.key(&format!("taken:{worker}"))
    }

    #[retry(retrier = QUEUE, name = "queue.take")]
    async fn try_take(&self, worker: usize) -> RedisResult<Option<Delivery>> {
        let mut redis = self.redis.clone();
        let taken = self.taken(worker);
        let job = match redis.lindex(&taken, 0).await? {
            Some(job) => job,
            None => {
                redis::cmd("EVAL")
                    .arg(PROMOTE)
                    .arg(2)
                    .arg(self.key("delayed"))
                    .arg(self.key("waiting"))
                    .arg(milliseconds(Duration::ZERO))
                    .exec_async(&mut redis)
                    .await?;
                let moved: Option<String> = redis::cmd("LMOVE")
                    .arg(self.key("waiting"))
                    .arg(&taken)
                    .arg("LEFT")
                    .arg("RIGHT")
                    .query_async(&mut redis)
                    .await?;
                let Some(job) = moved else { return Ok(None) };
                job
            }
        };
        // Counted twice if an answer is lost: a job may be buried a delivery too early.
        let deliveries = redis.hincr(self.key("deliveries"), &job, 1).await?;
        Ok(Some(Delivery { job, deliveries: deliveries as u32 }))
    }

    #[retry(retrier = QUEUE, name = "queue.settle")]
    async fn try_settle(&self, worker: usize, delivery: &Delivery, fate: Fate) -> RedisResult<()> {
        let mut redis = self.redis.clone();
        let (taken, job) = (self.taken(worker), &delivery.job);
        if redis.lindex(&taken, 0).await?.as_ref() != Some(job) {
            return Ok(()); // The attempt before has settled it.
        }
        let mut all = pipe();
        all.atomic().lrem(&taken, 1, job);
        match fate {
            Fate::Done => all.rpush(self.key("done"), job),
            Fate::Buried => all.rpush(self.key("buried"), job),
            Fate::Apart => all.rpush(self.key("apart"), job),
            Fate::Back(delay) => all.zadd(self.key("delayed"), job, milliseconds(delay)),
            Fate::Returned => {
                all.hincr(self.key("deliveries"), job, -1).lpush(self.key("waiting"), job)
            }
        };
        all.exec_async(&mut redis).await
    }

    #[retry(retrier = QUEUE, name = "queue.push")]
    async fn try_push(&self, jobs: &[String]) -> RedisResult<()> {
        // A list that is there was pushed by the attempt before.
        let mut redis = self.redis.clone();
        if redis.llen(self.key("waiting")).await? == 0 {
            redis.rpush(self.key("waiting"), jobs).await?;
        }
        Ok(())
    }

    #[retry(retrier = QUEUE, name = "queue.counts")]
    async fn try_counts(&self) -> RedisResult<Counts> {
        let mut redis = self.redis.clone();
        let mut open = redis.llen(self.key("waiting")).await?;
        open += redis.zcard(self.key("delayed")).await?;
        for worker in 0..crate::WORKERS {
            open += redis.llen(self.taken(worker)).await?;
        }
        Ok(Counts {
            open,
            done: redis.llen(self.key("done")).await?,
            buried: redis.llen(self.key("buried")).await?,
            apart: redis.llen(self.key("apart")).await?,
        })
    }
}

/// The time in `delay` from now, as a score.
fn milliseconds(delay: Duration) -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    (since + delay).as_millis() as u64
}

impl Queue for InRedis {
    async fn push(&self, jobs: Vec<String>) -> Result<()> {
        Ok(self.try_push(&jobs).await?)
    }

    async fn take(&self, worker: usize) -> Result<Option<Delivery>> {
        Ok(self.try_take(worker).await?)
    }

    async fn settle(&self, worker: usize, delivery: &Delivery, fate: Fate) -> Result<()> {
        Ok(self.try_settle(worker, delivery, fate).await?)
    }

    async fn counts(&self) -> Result<Counts> {
        Ok(self.try_counts().await?)
    }
}
