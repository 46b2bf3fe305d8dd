//! `timer`: another clock, for everything that a call does with time.
//! One subject, so in one file, however long.

use std::future::{Ready, pending, ready};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use retry_runtime::{
    Backoff, Decision, Event, Outcome, Policy, Retrier, Timer, TokioTimer, on_err, retry,
};

use crate::support::{Error, classify, ms};

/// A clock that stands still but for its own sleeps, which are over at once.
struct Fake {
    start: Instant,
    passed: Mutex<Duration>,
    sleeps: Mutex<Vec<Duration>>,
}

impl Fake {
    fn new() -> Fake {
        Fake { start: Instant::now(), passed: Mutex::default(), sleeps: Mutex::default() }
    }

    fn pass(&self, time: Duration) {
        *self.passed.lock().unwrap() += time;
    }

    /// Since it was made.
    fn passed(&self) -> Duration {
        *self.passed.lock().unwrap()
    }

    /// How long each sleep was asked to be, in milliseconds.
    fn sleeps(&self) -> Vec<u128> {
        self.sleeps.lock().unwrap().iter().map(Duration::as_millis).collect()
    }
}

impl Timer for Fake {
    type Sleep = Ready<()>;

    fn now(&self) -> Instant {
        self.start + self.passed()
    }

    fn sleep(&self, delay: Duration) -> Ready<()> {
        self.pass(delay);
        self.sleeps.lock().unwrap().push(delay);
        ready(())
    }
}

#[tokio::test(start_paused = true)]
async fn waits_limits_and_events_are_on_this_clock_alone() {
    type Line = (Decision, Duration);
    #[retry(
        attempts = 9,
        budget = none,
        classify = classify,
        schedule = Backoff::linear(100ms, 1s),
        within = 1s,
        timer = clock,
        attempt = this,
        observe = |event: &Event<'_>| lines.lock().unwrap().push((event.decision, event.elapsed)),
    )]
    async fn call(
        clock: &Fake,
        left: &mut Vec<Duration>,
        lines: &Mutex<Vec<Line>>,
    ) -> Result<(), Error> {
        clock.pass(ms(50));
        left.extend(this.remaining());
        Err(Error::Again)
    }
    let (clock, mut left, lines) = (Fake::new(), vec![], Mutex::default());
    let before = tokio::time::Instant::now();
    call(&clock, &mut left, &lines).await.unwrap_err();
    assert_eq!(clock.sleeps(), [100, 200, 300]);
    assert_eq!(left, [ms(950), ms(800), ms(550), ms(200)]);
    let again = |millis| Decision::Again { delay: ms(millis) };
    assert_eq!(
        lines.into_inner().unwrap(),
        [
            (again(100), ms(50)),
            (again(200), ms(200)),
            (again(300), ms(450)),
            (Decision::Expired, ms(800)),
        ]
    );
    assert_eq!(before.elapsed(), Duration::ZERO, "tokio's clock was not waited on");
}

#[tokio::test(start_paused = true)]
async fn a_deadline_and_the_limit_of_a_policy_are_on_this_clock() {
    #[retry(
        policy = Policy::new(9).within(Duration::from_secs(60)),
        budget = none,
        classify = classify,
        schedule = Backoff::constant(100ms),
        deadline = clock.now() + ms(250),
        timer = clock,
    )]
    async fn earlier_deadline(clock: &Fake) -> Result<(), Error> {
        Err(Error::Again)
    }
    #[retry(
        policy = Policy::new(9).within(ms(350)),
        budget = none,
        classify = classify,
        schedule = Backoff::constant(100ms),
        timer = clock,
    )]
    async fn policy_limit(clock: &Fake) -> Result<(), Error> {
        Err(Error::Again)
    }
    let clock = Fake::new();
    earlier_deadline(&clock).await.unwrap_err();
    assert_eq!(clock.sleeps(), [100, 100]);
    let clock = Fake::new();
    policy_limit(&clock).await.unwrap_err();
    assert_eq!(clock.sleeps(), [100, 100, 100]);
}

#[tokio::test(start_paused = true)]
async fn a_zero_wait_yields_and_does_not_touch_the_timer() {
    #[retry(attempts = 3, budget = none, classify = classify, schedule = Backoff::none(), timer = clock)]
    async fn call(clock: &Fake, turns: &Mutex<Vec<&'static str>>) -> Result<(), Error> {
        turns.lock().unwrap().push("attempt");
        Err(Error::Again)
    }
    let (clock, turns) = (Fake::new(), Mutex::new(vec![]));
    let other = async {
        for _ in 0..2 {
            turns.lock().unwrap().push("other");
            tokio::task::yield_now().await;
        }
    };
    let (result, ()) = tokio::join!(biased; call(&clock, &turns), other);
    result.unwrap_err();
    assert_eq!(clock.sleeps(), [] as [u128; 0]);
    assert_eq!(*turns.lock().unwrap(), ["attempt", "other", "attempt", "other", "attempt"]);
}

#[tokio::test(start_paused = true)]
async fn a_wait_on_another_timer_can_be_cancelled() {
    /// Never over, as if the time stood still.
    struct Stopped(Instant);
    impl Timer for Stopped {
        type Sleep = std::future::Pending<()>;
        fn now(&self) -> Instant {
            self.0
        }
        fn sleep(&self, _delay: Duration) -> Self::Sleep {
            pending()
        }
    }
    #[retry(
        attempts = 3,
        budget = none,
        classify = classify,
        timer = Stopped(Instant::now()),
        cancel = tokio::time::sleep(ms(40)),
        observe = |event| seen.lock().unwrap().push(event.decision),
    )]
    async fn call(seen: &Mutex<Vec<Decision>>) -> Result<(), Error> {
        Err(Error::In(ms(100)))
    }
    let seen = Mutex::default();
    call(&seen).await.unwrap_err();
    let seen = seen.into_inner().unwrap();
    assert_eq!(seen, [Decision::Again { delay: ms(100) }, Decision::Cancelled]);
}

#[tokio::test(start_paused = true)]
async fn an_attempt_is_bounded_on_this_clock() {
    #[retry(
        attempts = 3,
        budget = none,
        classify = classify,
        schedule = Backoff::constant(100ms),
        timer = clock,
        attempt_timeout = 2s,
        on_timeout = Err(Error::Again),
    )]
    async fn call(clock: &Fake) -> Result<(), Error> {
        pending().await
    }
    let clock = Fake::new();
    assert_eq!(call(&clock).await, Err(Error::Again));
    assert_eq!(clock.sleeps(), [2000, 100, 2000, 100, 2000]);
}

static CLOCK: std::sync::LazyLock<Arc<Fake>> = std::sync::LazyLock::new(|| Arc::new(Fake::new()));

/// Keeps its timer in a field, as a client does.
struct Client<T> {
    timer: T,
    made: u32,
}

impl<T: Timer> Client<T> {
    #[retry(attempts = 3, budget = none, classify = classify, timer = self.timer, within = 1m)]
    async fn shared(&self) -> Result<(), Error> {
        Err(Error::In(ms(10)))
    }

    // The body has `self` to itself, and so has the sleep that bounds it.
    #[retry(
        attempts = 3,
        budget = none,
        classify = classify,
        timer = self.timer,
        attempt_timeout = 1s,
        on_timeout = Err(Error::In(ms(10))),
    )]
    async fn unique(&mut self) -> Result<(), Error> {
        self.make();
        pending().await
    }

    fn make(&mut self) {
        self.made += 1;
    }
}

impl<T: Timer + Clone> Client<T> {
    #[retry(
        attempts = 3,
        budget = none,
        classify = classify,
        timer = self.timer.clone(),
        attempt = this,
    )]
    async fn cloned(&self) -> Result<u32, Error> {
        if this.remaining().is_none() && this.is_first() {
            Err(Error::In(ms(10)))
        } else {
            Ok(this.number())
        }
    }
}

#[retry(attempts = 2, budget = none, classify = classify, timer = CLOCK, attempt = this, within = 1m)]
async fn of_a_static() -> Result<Option<Duration>, Error> {
    if this.is_first() { Err(Error::In(ms(10))) } else { Ok(this.remaining()) }
}

#[retry(attempts = 2, budget = none, classify = classify, timer = timer, attempt = this)]
async fn of_a_parameter(timer: Arc<Fake>) -> Result<u32, Error> {
    if this.is_first() { Err(Error::In(ms(30))) } else { Ok(timer.sleeps().len() as u32) }
}

#[tokio::test(start_paused = true)]
async fn a_timer_may_be_a_field_a_static_a_parameter_or_a_temporary() {
    let mut client = Client { timer: Arc::new(Fake::new()), made: 0 };
    client.shared().await.unwrap_err();
    assert_eq!(client.timer.sleeps(), [10, 10]);
    client.unique().await.unwrap_err();
    assert_eq!(client.timer.sleeps(), [10, 10, 1000, 10, 1000, 10, 1000]);
    assert_eq!(client.made, 3);
    assert_eq!(client.cloned().await, Ok(2));
    assert_eq!(client.timer.sleeps().len(), 8);
    assert_eq!(of_a_static().await, Ok(Some(Duration::from_secs(60) - ms(10))));
    assert_eq!(of_a_parameter(Arc::new(Fake::new())).await, Ok(1));
}

#[tokio::test(start_paused = true)]
async fn tokios_timer_by_name_is_the_default() {
    let client = Client { timer: TokioTimer, made: 0 };
    let before = tokio::time::Instant::now();
    client.shared().await.unwrap_err();
    assert_eq!(before.elapsed(), ms(20));
}

#[tokio::test(start_paused = true)]
async fn generic_code_can_say_that_its_future_is_sent() {
    async fn spawned<T: Timer<Sleep: Send> + Send + Sync + 'static>(timer: T) -> Result<(), Error> {
        let client = Client { timer, made: 0 };
        tokio::spawn(async move { client.shared().await }).await.unwrap()
    }
    assert_eq!(spawned(Fake::new()).await, Err(Error::In(ms(10))));
    assert_eq!(spawned(TokioTimer).await, Err(Error::In(ms(10))));
}

#[tokio::test(start_paused = true)]
async fn a_timer_can_be_chosen_at_run_time() {
    type Sleep = std::pin::Pin<Box<dyn Future<Output = ()> + Send>>;
    struct Boxed<T>(T);
    impl<T: Timer<Sleep: Send + 'static>> Timer for Boxed<T> {
        type Sleep = Sleep;
        fn now(&self) -> Instant {
            self.0.now()
        }
        fn sleep(&self, delay: Duration) -> Sleep {
            let sleep = self.0.sleep(delay);
            Box::pin(async move {
                sleep.await;
            })
        }
    }
    let timers: [Arc<dyn Timer<Sleep = Sleep> + Send + Sync>; 2] =
        [Arc::new(Boxed(TokioTimer)), Arc::new(Boxed(Fake::new()))];
    for (timer, waited) in timers.into_iter().zip([20, 0]) {
        let before = tokio::time::Instant::now();
        let client = Client { timer, made: 0 };
        tokio::spawn(async move { client.shared().await }).await.unwrap().unwrap_err();
        assert_eq!(before.elapsed(), ms(waited));
    }
}

#[tokio::test(start_paused = true)]
async fn a_retrier_is_used_with_another_timer() {
    let retrier = Retrier::new(
        Policy::new(3).backoff(Backoff::constant(ms(70))).within(ms(100)),
        retry_runtime::NoBudget,
        on_err(|_: &Error| Outcome::Retry),
    );
    #[retry(retrier = retrier, timer = clock)]
    async fn call<C: retry_runtime::Classify<Result<(), Error>>>(
        retrier: &Retrier<C, retry_runtime::NoBudget>,
        clock: &Fake,
    ) -> Result<(), Error> {
        Err(Error::Again)
    }
    let clock = Fake::new();
    call(&retrier, &clock).await.unwrap_err();
    assert_eq!(clock.sleeps(), [70]);
}

#[tokio::test(start_paused = true)]
async fn a_loop_by_hand_waits_on_another_timer() {
    let clock = Fake::new();
    let policy = Policy::new(9).backoff(Backoff::constant(ms(40))).within(ms(100));
    let mut call = policy.call_without_budget().timer(&clock);
    assert!(call.again(Outcome::Retry).await);
    assert!(call.again(Outcome::RetryIn(Duration::ZERO)).await);
    assert_eq!(call.remaining(), Some(ms(60)));
    assert!(call.again_unless(Outcome::Retry, pending::<()>()).await);
    assert!(!call.again(Outcome::Retry).await);
    assert_eq!((call.decision(), call.attempt()), (Some(Decision::Expired), 4));
    assert_eq!(clock.sleeps(), [40, 40]);

    let mut call = policy.call_without_budget().timer(&clock);
    assert!(!call.again_unless(Outcome::Retry, ready(())).await);
    assert_eq!(call.decision(), Some(Decision::Cancelled));
}
