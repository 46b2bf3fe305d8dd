//! The value of `schedule`: a `Schedule`, or what derefs to one.

use core::ops::Deref;
use core::time::Duration;

use crate::schedule::{Schedule, delay_of};

/// The wait by a schedule.
#[inline]
pub fn schedule<S: WaitSchedule + ?Sized>(
    schedule: &S,
    step: u32,
    floor: Option<Duration>,
) -> Duration {
    schedule.wait(step, floor)
}

/// The wait by a closure, whose parameter needs no type.
#[inline]
pub fn schedule_by<F>(schedule: F, step: u32, floor: Option<Duration>) -> Duration
where
    F: Fn(u32) -> Duration,
{
    delay_of(&schedule, step, floor)
}

/// What `schedule` needs: `Schedule`, with a message for the attribute.
#[diagnostic::on_unimplemented(
    message = "`schedule` needs a `Schedule`, such as a `Backoff` or a function of the step that returns a `Duration`, and this is `{Self}`",
    label = "no `Schedule`",
    note = "of what points to a `Schedule` by more than one step write `schedule = &**value`"
)]
pub trait WaitSchedule {
    /// The wait.
    fn wait(&self, step: u32, floor: Option<Duration>) -> Duration;
}

#[diagnostic::do_not_recommend]
impl<S: Schedule + ?Sized> WaitSchedule for S {
    fn wait(&self, step: u32, floor: Option<Duration>) -> Duration {
        delay_of(self, step, floor)
    }
}

/// A value, of which method resolution finds the schedule: rustc takes the first of three traits
/// that its type allows. A blanket implementation of `Schedule` for what derefs to one would
/// overlap with that for functions.
pub struct ScheduleOf<'s, S: ?Sized>(pub &'s S);

/// The value itself is a schedule.
pub trait ScheduleItself<'s> {
    /// The schedule.
    type Schedule: ?Sized;
    /// The schedule.
    fn found(&self) -> &'s Self::Schedule;
}

impl<'s, S: Schedule + ?Sized> ScheduleItself<'s> for &ScheduleOf<'s, S> {
    type Schedule = S;
    #[inline(always)]
    fn found(&self) -> &'s S {
        self.0
    }
}

/// The value derefs to a schedule: a reference, a `Box`, an `Arc`.
pub trait ScheduleBehind<'s> {
    /// The schedule.
    type Schedule: ?Sized;
    /// The schedule.
    fn found(&self) -> &'s Self::Schedule;
}

impl<'s, D: Deref<Target: Schedule> + ?Sized> ScheduleBehind<'s> for &&ScheduleOf<'s, D> {
    type Schedule = D::Target;
    #[inline(always)]
    fn found(&self) -> &'s D::Target {
        self.0
    }
}

/// It is none, which `schedule` says.
pub trait NoSchedule<'s> {
    /// The value.
    type Value: ?Sized;
    /// The value.
    fn found(&self) -> &'s Self::Value;
}

impl<'s, V: ?Sized> NoSchedule<'s> for ScheduleOf<'s, V> {
    type Value = V;
    #[inline(always)]
    fn found(&self) -> &'s V {
        self.0
    }
}
