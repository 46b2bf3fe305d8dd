//! Time of the processor, as the kernel counts it.

use std::time::Duration;

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeVal;
use nix::time::{ClockId, clock_gettime};

fn of(who: UsageWho) -> Duration {
    let usage = getrusage(who).expect("the kernel counts for this process");
    let duration = |time: TimeVal| {
        Duration::new(time.tv_sec().unsigned_abs(), time.tv_usec().unsigned_abs() as u32 * 1000)
    };
    duration(usage.user_time()) + duration(usage.system_time())
}

/// Of this process since it began.
pub fn of_process() -> Duration {
    of(UsageWho::RUSAGE_SELF)
}

/// Of every child that has ended and was waited for, with theirs.
pub fn of_children() -> Duration {
    of(UsageWho::RUSAGE_CHILDREN)
}

/// Of this thread.
pub fn of_thread() -> Duration {
    clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).expect("threads have a clock").into()
}
