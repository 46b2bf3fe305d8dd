//! Values of the keys about time. Each takes an `Option` too, so that a configuration can say
//! that there is no limit; but not where the limit is all that surely ends the call.

use core::time::Duration;

use crate::time::Instant;

/// What `within` and `attempt_timeout` take.
#[diagnostic::on_unimplemented(
    message = "a time limit is a `Duration` or an `Option<Duration>`, and this is a `{Self}`",
    label = "no `Duration`",
    note = "write a literal with its unit, such as `30s`, or for example `Duration::from_secs(seconds)`"
)]
pub trait TimeLimit {
    /// `None` is no limit.
    fn time_limit(self) -> Option<Duration>;
}

#[diagnostic::do_not_recommend]
impl TimeLimit for Duration {
    #[inline(always)]
    fn time_limit(self) -> Option<Duration> {
        Some(self)
    }
}

#[diagnostic::do_not_recommend]
impl TimeLimit for Option<Duration> {
    #[inline(always)]
    fn time_limit(self) -> Option<Duration> {
        self
    }
}

/// What `within` takes beside `attempts = unlimited`.
#[diagnostic::on_unimplemented(
    message = "beside `attempts = unlimited`, `within` takes a `Duration`, and this is a `{Self}`",
    label = "no `Duration`",
    note = "with `None` nothing might end the call: write a limit for that case too, such as `limit.unwrap_or(30s)`"
)]
pub trait SureTimeLimit {
    /// The limit.
    fn sure_time_limit(self) -> Duration;
}

#[diagnostic::do_not_recommend]
impl SureTimeLimit for Duration {
    #[inline(always)]
    fn sure_time_limit(self) -> Duration {
        self
    }
}

/// What `deadline` takes.
#[diagnostic::on_unimplemented(
    message = "`deadline` takes an `Instant` of std or tokio, or an `Option` of one, and this is a `{Self}`",
    label = "no `Instant`",
    note = "for a limit from the start of the call write `within = 30s`"
)]
pub trait Deadline {
    /// `None` is no limit.
    fn instant(self) -> Option<Instant>;
}

/// What `deadline` takes beside `attempts = unlimited`.
#[diagnostic::on_unimplemented(
    message = "beside `attempts = unlimited`, `deadline` takes an `Instant` of std or tokio, and this is a `{Self}`",
    label = "no `Instant`",
    note = "with `None` nothing might end the call: write a deadline for that case too, or `attempts`"
)]
pub trait SureDeadline {
    /// The limit.
    fn sure_instant(self) -> Instant;
}

macro_rules! instants {
    ($($instant:ty),*) => {$(
        #[diagnostic::do_not_recommend]
        impl Deadline for $instant {
            #[inline(always)]
            fn instant(self) -> Option<Instant> {
                Some(self.into())
            }
        }

        #[diagnostic::do_not_recommend]
        impl Deadline for Option<$instant> {
            #[inline(always)]
            fn instant(self) -> Option<Instant> {
                self.map(Into::into)
            }
        }

        #[diagnostic::do_not_recommend]
        impl SureDeadline for $instant {
            #[inline(always)]
            fn sure_instant(self) -> Instant {
                self.into()
            }
        }
    )*};
}

instants!(Instant);
#[cfg(all(feature = "tokio", not(all(target_family = "wasm", target_os = "unknown"))))]
instants!(tokio::time::Instant);

/// The value of `within` or `attempt_timeout`.
#[inline(always)]
pub fn time_limit<T: TimeLimit>(limit: T) -> Option<Duration> {
    limit.time_limit()
}

/// The value of `within` beside `attempts = unlimited`.
#[inline(always)]
pub fn sure_time_limit<T: SureTimeLimit>(limit: T) -> Option<Duration> {
    Some(limit.sure_time_limit())
}

/// The value of `deadline`.
#[inline(always)]
pub fn deadline<D: Deadline>(deadline: D) -> Option<Instant> {
    deadline.instant()
}

/// The value of `deadline` beside `attempts = unlimited`.
#[inline(always)]
pub fn sure_deadline<D: SureDeadline>(deadline: D) -> Option<Instant> {
    Some(deadline.sure_instant())
}
