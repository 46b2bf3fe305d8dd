//! Right code, each kind of annotated function once. `check.py` asks an editor about each
//! word, and asks again where the attributes are blank: the answers have to be the same.

use std::sync::Arc;
use std::time::Duration;

use retry_runtime::{Backoff, Budget, Classify, Event, Outcome, Policy, Retrier, retry, retry_block};

pub struct Request {
    pub id: u64,
}

pub struct Receipt {
    pub id: u64,
}

#[derive(Debug)]
pub struct Refused;

pub type Charged = Result<Receipt, Refused>;

pub static PAYMENTS: Budget = Budget::new(10, 0.1);
pub static RETRIER: Retrier<Http> = Retrier::new(POLICY, Budget::new(10, 0.1), Http);
pub const POLICY: Policy = Policy::new(4);
pub const LIMIT: Duration = Duration::from_secs(30);

pub struct Http;

impl Classify<Charged> for Http {
    fn classify(&self, result: &Charged) -> Outcome {
        classify_charge(result)
    }
}

pub fn classify_charge(result: &Charged) -> Outcome {
    if result.is_ok() { Outcome::Success } else { Outcome::Retry }
}

pub fn log_event(_event: &Event<'_>) {}

pub async fn send(request: &Request, note: &str) -> Charged {
    if note.is_empty() { Err(Refused) } else { Ok(Receipt { id: request.id }) }
}

/// A function with a budget and a classifier by name.
#[retry(attempts = 4, budget = PAYMENTS, classify = classify_charge)]
pub async fn charge(request: &Request, cents: u64, note: String) -> Charged {
    let doubled = cents * 2;
    let receipt = send(request, &note).await?;
    if doubled > receipt.id {
        return Err(Refused);
    }
    Ok(receipt)
}

#[retry(policy = POLICY, budget = *budget, classify = |result| judge(request, result), schedule = Backoff::constant(LIMIT), within = limit, observe = log_event, clone(note), name = "shop.judged")]
pub async fn judged(request: &Request, note: String, mut count: &u64, budget: &Arc<Budget>, limit: Duration) -> Charged {
    count = &request.id;
    let length = note.into_bytes().len() as u64 + *count;
    send(request, "again").await.map(|receipt| Receipt { id: receipt.id + length })
}

fn judge(request: &Request, result: &Charged) -> Outcome {
    if request.id == 0 { Outcome::Stop } else { classify_charge(result) }
}

#[retry(retrier = RETRIER, cancel = stopped(flag), attempt_timeout = LIMIT, on_timeout = Err(Refused))]
pub async fn bounded<T: AsRef<str>>(request: &Request, text: T, flag: bool, sink: &mut Vec<u8>) -> Charged {
    let length = text.as_ref().len();
    sink.push(length as u8);
    send(request, text.as_ref()).await
}

#[retry(retrier = RETRIER, cancel = stop)]
pub async fn until(request: &Request, stop: impl Future<Output = ()>) -> Charged {
    send(request, "until").await
}

async fn stopped(flag: bool) {
    if !flag {
        std::future::pending::<()>().await
    }
}

#[retry(attempts = 2, budget = PAYMENTS, classify_err = |_error| Outcome::Retry, err(Debug), blocking)]
pub fn blocking(request: &Request, (first, second): (u64, u64)) -> Charged {
    let id = request.id + first + second;
    Ok(Receipt { id })
}

pub struct Client {
    budget: Budget,
    retrier: Retrier<Http>,
    prefix: String,
}

impl Client {
    #[retry(attempts = 3, budget = self.budget, classify = Http)]
    pub async fn refund(&self, request: &Request, cents: u64) -> Charged {
        let receipt = send(request, &self.prefix).await?;
        Ok(Receipt { id: receipt.id + cents })
    }

    #[retry(retrier = self.retrier)]
    pub async fn rename(&mut self, request: &Request, prefix: &str) -> Charged {
        self.prefix.push_str(prefix);
        send(request, &self.prefix).await
    }

    #[retry(retrier = self.retrier, blocking, cancel = |delay| self.stopped(delay))]
    pub fn count(&mut self, request: &Request, mut text: &str, order: Request) -> Charged {
        text = text.trim();
        self.prefix.push_str(text);
        Ok(Receipt { id: request.id + order.id })
    }

    fn stopped(&self, delay: Duration) -> bool {
        self.prefix.is_empty() && !delay.is_zero()
    }

    pub async fn in_a_block(&self, request: &Request) -> Charged {
        let mut sent = 0;
        let result = retry_block!(retrier = self.retrier, within = LIMIT, async {
            sent += 1;
            let receipt = send(request, &self.prefix).await?;
            Ok::<_, Refused>(receipt)
        })
        .await;
        if sent > 3 { Err(Refused) } else { result }
    }
}

pub struct Shop {
    retrier: Retrier<Http>,
}

#[retry(retrier = self.retrier, within = LIMIT)]
impl Shop {
    #[retry]
    pub async fn buy(&self, request: &Request, note: &str) -> Charged {
        send(request, note).await
    }

    #[retry(attempts = 2)]
    pub async fn sell(&self, request: &Request, note: &str) -> Charged {
        let receipt = send(request, note).await?;
        Ok(receipt)
    }

    pub async fn once(&self, request: &Request) -> Charged {
        send(request, "once").await
    }
}
