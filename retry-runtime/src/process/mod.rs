//! Retrying processes: the exit codes, signals and failures to start after which a command is run
//! again, and the waits.
//!
//! [`ExitPolicy`] is a [`Policy`](crate::Policy) and a classifier in one value:
//!
//! ```no_run
//! use retry_runtime::process::{CommandEnd, ExitPolicy};
//! use std::process::Command;
//!
//! let steps = ExitPolicy::DEFAULT;
//! let mut call = steps.policy().call_without_budget();
//! let end = loop {
//!     let end = CommandEnd::from(Command::new("./deploy").status());
//!     if !call.again_blocking(steps.outcome(&end, None)) {
//!         break end;
//!     }
//! };
//! std::process::exit(end.shell_code());
//! ```
//!
//! or the settings of a [`Retrier`](crate::Retrier), for `#[retry(retrier = ..)]`:
//! `Retrier::new(*steps.policy(), NoBudget, steps)`.
//!
//! # Outcomes
//!
//! | end | outcome |
//! |---|---|
//! | exit code 0 | `Success` |
//! | an exit code in `non_retryable_exit_codes` (78, `EX_CONFIG`) | `Stop` |
//! | any other exit code | `Retry`, or `RetryAfter` with the step's hint |
//! | killed by INT, TERM or HUP (`stop_signals`): somebody asked for a stop | `Stop` |
//! | killed by another signal | `Retry` |
//! | our own timeout | `Retry` |
//! | could not be started, and would not be the next time: not found, not permitted, not executable | `Stop` |
//! | could not be started for now: out of processes, memory or file handles, file busy | `Retry` |
//!
//! A shell whose child was killed by signal n exits with the code 128 + n. That is an exit code
//! like any other here, because a program may use those codes too: for a shell script, list the
//! codes that are final.
//!
//! # Coming from Go
//!
//! The behaviour, and the defaults, are those of the `retry` package of a Go
//! pipeline engine:
//!
//! | there | here |
//! |---|---|
//! | `Default` | [`ExitPolicy::DEFAULT`]: 8 attempts, exponential from 1 s to 60 s, 78 is final |
//! | `MaxHonoredRetryAfter` | [`HINT_CAP`], and the setting [`hint_cap`](ExitPolicyPatch::hint_cap) |
//! | `Policy.Attempts` | [`Policy::attempts`](crate::Policy::attempts) of [`ExitPolicy::policy`] |
//! | `Policy.Backoff`, `BackoffExp`, `BackoffLinear`, `BackoffNone` | `backoff` = `exponential` (or `exp`), `linear`, `none`; and `constant` |
//! | `Policy.Initial`, `Policy.Max` | `initial`, `max` |
//! | `Policy.NonRetryableExitCodes` | [`ExitPolicy::non_retryable_exit_codes`] |
//! | `ir.RetryPolicy` | [`ExitPolicyPatch`] |
//! | `Merge(def, override)` | [`ExitPolicy::merge`] |
//! | `BackoffFor(attempt)` | [`ExitPolicy::backoff_for`] |
//! | `EffectiveBackoff(attempt, retryAfter, seed)` | [`ExitPolicy::effective_backoff`] |
//! | `IsRetryableExit(code)` | [`ExitPolicy::is_retryable_exit`] |
//!
//! Intended differences:
//!
//! * An explicit zero is a value, not "inherit": `attempts = 0` is an error, and
//!   `non_retryable_exit_codes = []` retries every code. A field that is absent inherits. One error
//!   has every mistake, not only the first.
//! * The additive jitter is 0.2 of the wait; there it has no number.
//! * A seed is a number. A node path becomes one by
//!   [`seed_from`](crate::seed_from).
//! * The number of a draw is that of the attempt that failed, as in every
//!   [`Schedule`](crate::Schedule), one less than that of the attempt to come.
//! * Signals, timeouts and failures to start have outcomes of their own.
//! * A copy is deep by itself, so that nothing can change the default.

mod classify;
mod end;
mod patch;
mod policy;
mod rules;
#[cfg(feature = "serde")]
mod section;

pub use end::CommandEnd;
pub use patch::ExitPolicyPatch;
pub use policy::{ExitPolicy, HINT_CAP};
