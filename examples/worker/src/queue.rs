//! Queues of jobs, and the one that is embedded.

use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::sync::{Arc, Mutex};

use tokio::time::Instant;

use crate::fate::Fate;

pub type Result<T> = std::result::Result<T, Box<dyn std::error::Error + Send + Sync>>;

/// A job that was taken, for the n-th time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delivery {
    pub job: String,
    pub deliveries: u32,
}

/// How many jobs are where.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Waiting, delayed or taken.
    pub open: usize,
    pub done: usize,
    pub buried: usize,
    pub apart: usize,
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Counts { open, done, buried, apart } = self;
        write!(f, "{done} done, {buried} buried, {apart} held apart, {open} open")
    }
}

/// A queue that delivers a job again until it is settled.
pub trait Queue: Clone + Send + Sync + 'static {
    fn push(&self, jobs: Vec<String>) -> impl Future<Output = Result<()>> + Send;
    /// A job for `worker`: the one that it has taken and not settled, or the next.
    fn take(&self, worker: usize) -> impl Future<Output = Result<Option<Delivery>>> + Send;
    fn settle(
        &self,
        worker: usize,
        delivery: &Delivery,
        fate: Fate,
    ) -> impl Future<Output = Result<()>> + Send;
    fn counts(&self) -> impl Future<Output = Result<Counts>> + Send;
}

/// A queue in memory, which ends with the program.
#[derive(Clone, Debug, Default)]
pub struct Embedded {
    jobs: Arc<Mutex<Jobs>>,
}

#[derive(Debug, Default)]
struct Jobs {
    waiting: VecDeque<String>,
    delayed: Vec<(Instant, String)>,
    taken: HashMap<usize, Delivery>,
    deliveries: HashMap<String, u32>,
    counts: Counts,
}

impl Queue for Embedded {
    async fn push(&self, jobs: Vec<String>) -> Result<()> {
        self.jobs.lock().unwrap().waiting.extend(jobs);
        Ok(())
    }

    async fn take(&self, worker: usize) -> Result<Option<Delivery>> {
        let mut jobs = self.jobs.lock().unwrap();
        if let Some(taken) = jobs.taken.get(&worker) {
            return Ok(Some(taken.clone()));
        }
        let now = Instant::now();
        let (due, later) =
            std::mem::take(&mut jobs.delayed).into_iter().partition(|(at, _)| *at <= now);
        jobs.delayed = later;
        let due: Vec<(Instant, String)> = due;
        jobs.waiting.extend(due.into_iter().map(|(_, job)| job));
        let Some(job) = jobs.waiting.pop_front() else { return Ok(None) };
        let deliveries = jobs.deliveries.entry(job.clone()).or_insert(0);
        *deliveries += 1;
        let delivery = Delivery { job, deliveries: *deliveries };
        jobs.taken.insert(worker, delivery.clone());
        Ok(Some(delivery))
    }

    async fn settle(&self, worker: usize, delivery: &Delivery, fate: Fate) -> Result<()> {
        let mut jobs = self.jobs.lock().unwrap();
        jobs.taken.remove(&worker);
        let job = delivery.job.clone();
        match fate {
            Fate::Done => jobs.counts.done += 1,
            Fate::Buried => jobs.counts.buried += 1,
            Fate::Apart => jobs.counts.apart += 1,
            Fate::Back(delay) => jobs.delayed.push((Instant::now() + delay, job)),
            Fate::Returned => {
                jobs.deliveries.entry(job.clone()).and_modify(|count| *count -= 1);
                jobs.waiting.push_front(job);
            }
        }
        Ok(())
    }

    async fn counts(&self) -> Result<Counts> {
        let jobs = self.jobs.lock().unwrap();
        let open = jobs.waiting.len() + jobs.delayed.len() + jobs.taken.len();
        Ok(Counts { open, ..jobs.counts })
    }
}
