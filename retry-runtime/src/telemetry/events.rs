//! Events of `tracing`. Each has a call site of its own, because its level and its
//! fields are constants of the call site.

use core::num::NonZeroU32;

use tracing::field::display;
use tracing::{info, warn};

use super::report::Report;
use crate::budget::Budget;
use crate::decision::Decision;
use crate::outcome::Outcome;
use crate::reason::Cut;

pub(super) fn send(report: &Report<'_>) {
    if report.decision == Decision::Succeeded && report.attempt == 1 {
        return;
    }
    // A field whose value is `None` is not recorded.
    let name = Some(report.name).filter(|name| !name.is_empty());
    let outcome = report.outcome.as_ref().map(Outcome::as_str);
    let decision = report.decision.as_str();
    let budget = report.budget.and_then(Budget::name);
    let max_attempts = report.max_attempts.map(NonZeroU32::get);
    let tokens = report.budget.map(Budget::tokens);
    let error = report.error.map(|error| display(Cut(error)));
    match report.decision {
        Decision::Again { delay } if report.outcome.is_some_and(|o| !o.is_failure()) => info!(
            name: "retry.again",
            target: "retry_runtime",
            {
                retry.name = name,
                retry.attempt = report.attempt,
                retry.max_attempts = max_attempts,
                retry.outcome = outcome,
                retry.decision = decision,
                http.response.status_code = report.status,
                retry.delay = delay.as_secs_f64(),
                error,
                retry.budget.name = budget,
                retry.budget.tokens = tokens
            },
            "attempt was well, another follows"
        ),
        Decision::Again { delay } => warn!(
            name: "retry.again",
            target: "retry_runtime",
            {
                retry.name = name,
                retry.attempt = report.attempt,
                retry.max_attempts = max_attempts,
                retry.outcome = outcome,
                retry.decision = decision,
                http.response.status_code = report.status,
                retry.delay = delay.as_secs_f64(),
                error,
                retry.budget.name = budget,
                retry.budget.tokens = tokens
            },
            "attempt failed, another follows"
        ),
        Decision::Succeeded => info!(
            name: "retry.recovered",
            target: "retry_runtime",
            {
                retry.name = name,
                retry.attempt = report.attempt,
                retry.max_attempts = max_attempts,
                retry.decision = decision,
                http.response.status_code = report.status,
                retry.budget.name = budget,
                retry.budget.tokens = tokens
            },
            "call succeeded after a retry"
        ),
        _ => warn!(
            name: "retry.failed",
            target: "retry_runtime",
            {
                error.type = decision,
                error,
                retry.name = name,
                retry.attempt = report.attempt,
                retry.max_attempts = max_attempts,
                retry.outcome = outcome,
                retry.decision = decision,
                http.response.status_code = report.status,
                retry.budget.name = budget,
                retry.budget.tokens = tokens
            },
            "call failed"
        ),
    }
}

/// A call whose future was dropped.
pub(super) fn dropped(name: &str, attempt: u32) {
    let name = Some(name).filter(|name| !name.is_empty());
    info!(
        name: "retry.dropped",
        target: "retry_runtime",
        { retry.name = name, retry.attempt = attempt, retry.decision = "dropped" },
        "call was dropped"
    );
}
