//! The recipe for dead letters: what becomes of a job, by the last outcome of its call and the
//! number of its deliveries.

use std::time::Duration;

use retry_runtime::{Decision, Outcome};

/// How often a job is delivered before it counts as poison.
pub const MAX_DELIVERIES: u32 = 3;

/// What becomes of a job after a delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    Done,
    /// Delivered again after a while.
    Back(Duration),
    /// The worker is told to end: delivered again at once, and not counted.
    Returned,
    /// To the dead letters: it can never succeed.
    Buried,
    /// Perhaps carried out: somebody looks, and it is never delivered again by itself.
    Apart,
}

impl Fate {
    /// Not by the decision alone: in an outage good jobs end as `Exhausted`, and poison ends
    /// as `Throttled`.
    pub fn of(outcome: Outcome, decision: Option<Decision>, deliveries: u32) -> Fate {
        match outcome {
            Outcome::Success => Fate::Done,
            Outcome::Stop => Fate::Buried,
            Outcome::Fail => Fate::Apart,
            _ if decision == Some(Decision::Cancelled) => Fate::Returned,
            _ if deliveries >= MAX_DELIVERIES => Fate::Buried,
            _ => Fate::Back(Duration::from_millis(100) * 2_u32.pow(deliveries)),
        }
    }

    /// A bounded label for metrics.
    pub const fn as_str(self) -> &'static str {
        match self {
            Fate::Done => "done",
            Fate::Back(_) => "back",
            Fate::Returned => "returned",
            Fate::Buried => "buried",
            Fate::Apart => "apart",
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use retry_runtime::{Decision, Outcome};

    use super::Fate;

    #[test]
    fn a_good_job_is_not_buried_in_an_outage_and_poison_is_in_the_end() {
        let ends = [Decision::Exhausted, Decision::Throttled, Decision::Expired];
        for decision in ends {
            let fate = |deliveries| Fate::of(Outcome::Retry, Some(decision), deliveries);
            assert_eq!(fate(1), Fate::Back(Duration::from_millis(200)));
            assert_eq!(fate(2), Fate::Back(Duration::from_millis(400)));
            assert_eq!(fate(3), Fate::Buried);
        }
    }

    #[test]
    fn what_may_have_been_carried_out_is_never_delivered_again() {
        for deliveries in 1..9 {
            let fate = Fate::of(Outcome::Fail, Some(Decision::Failed), deliveries);
            assert_eq!(fate, Fate::Apart);
        }
        assert_eq!(Fate::of(Outcome::Stop, Some(Decision::Stopped), 1), Fate::Buried);
    }

    #[test]
    fn a_shutdown_returns_a_job_and_does_not_count() {
        for deliveries in [1, 3, 9] {
            let fate = Fate::of(Outcome::Retry, Some(Decision::Cancelled), deliveries);
            assert_eq!(fate, Fate::Returned);
        }
    }
}
