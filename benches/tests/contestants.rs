//! The contestants do the same work: what is compared is how, and not how much.

use retry_bench::contestants::{CONTESTANTS, LIMITED, PLAIN};
use retry_bench::work::{ATTEMPTS, Busy, Work};
use tokio::runtime::Builder;

#[test]
fn each_makes_one_attempt_where_it_succeeds() {
    for contestant in CONTESTANTS.iter().chain(&LIMITED) {
        for call in [contestant.ready, contestant.yields] {
            let work = Work::default();
            assert_eq!((call(&work), work.asked()), (Ok(7), 1), "{}", contestant.name);
        }
    }
}

#[test]
fn each_makes_four_attempts_before_it_gives_up() {
    let runtime = Builder::new_current_thread().enable_time().build().unwrap();
    let _entered = runtime.enter();
    for contestant in CONTESTANTS.iter().chain(&LIMITED) {
        if contestant.name == PLAIN.name {
            continue;
        }
        let call = |work: &Work| match contestant.on_timer {
            Some(on_timer) => on_timer(&runtime, work),
            None => (contestant.ready)(work),
        };
        let work = Work::default();
        work.fail(ATTEMPTS - 1);
        assert_eq!((call(&work), work.asked()), (Ok(7), ATTEMPTS), "{}", contestant.name);
        work.fail(ATTEMPTS);
        assert_eq!((call(&work), work.asked()), (Err(Busy), 2 * ATTEMPTS), "{}", contestant.name);
    }
}

#[test]
fn no_budget_refuses_what_the_benchmark_asks_for() {
    for contestant in CONTESTANTS.iter().filter(|one| one.on_timer.is_none()).skip(1) {
        let work = Work::default();
        for _ in 0..2000 {
            work.fail(ATTEMPTS - 1);
            assert_eq!((contestant.ready)(&work), Ok(7), "{}", contestant.name);
        }
    }
}
