//! Nor does the loop around a closure or a block, async or blocking.

use std::future::{pending, ready};
use std::time::Duration;

use retry_runtime::{Backoff, Budget, Outcome, Policy, Retrier, on_err};

use crate::call::{allocations, finish};

static BUDGET: Budget = Budget::new(100, 1.0);
const AT_ONCE: Policy = Policy::new(4).backoff(Backoff::none());

fn retry(_: &u8) -> Outcome {
    Outcome::Retry
}

#[test]
fn no_run_allocates() {
    let retrier = Retrier::new(AT_ONCE, Budget::new(100, 1.0), on_err(retry));
    let busy = |attempt: u32| if attempt < 3 { Err(1) } else { Ok(attempt) };
    let count = allocations(|| {
        finish(retrier.run(async |attempt| busy(attempt.number())));
        finish(retrier.call().run_unless(pending::<()>(), async |_| Err::<(), u8>(1)));
        finish(AT_ONCE.call(&BUDGET).run_with(on_err(retry), |_| ready(Err::<(), u8>(1))));
        finish(AT_ONCE.call(&BUDGET).run_judged(|_| ready((1, Outcome::Repeat))));
        let _ = retrier.run_blocking(|attempt| busy(attempt.number()));
        let cancelled = |delay: Duration| delay > Duration::from_secs(9);
        let _ = retrier.call().run_blocking_unless(cancelled, |_| Err::<(), u8>(1));
    });
    assert_eq!(count, 0);
}

#[cfg(feature = "macros")]
#[test]
fn no_block_and_no_blocking_function_allocates() {
    use retry_runtime::retry_block;

    #[retry_runtime::retry(attempts = 3, budget = BUDGET, classify_err = retry, schedule = Backoff::none(), blocking)]
    fn blocking(made: &mut u32) -> Result<(), u8> {
        *made += 1;
        Err(1)
    }
    let count = allocations(|| {
        let mut made = 0;
        finish(retry_block!(
            attempts = 3,
            budget = BUDGET,
            classify_err = retry,
            schedule = Backoff::none(),
            async {
                made += 1;
                Err::<(), u8>(1)
            }
        ));
        let _ = blocking(&mut made);
        assert_eq!(made, 6);
    });
    assert_eq!(count, 0);
}
