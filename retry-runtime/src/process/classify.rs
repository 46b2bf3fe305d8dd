//! Classification of a command's end.

use core::fmt;
use core::time::Duration;
use std::io;
use std::process::{ExitStatus, Output};

use super::{CommandEnd, ExitPolicy};
use crate::classify::Classify;
use crate::outcome::Outcome;

impl ExitPolicy {
    /// The outcome of `end`. `hint` is the wait asked for by the step, such as the `Retry-After` of
    /// its server: if another run follows, the wait is at least the hint, up to the cap. A hint
    /// makes no failure retryable.
    ///
    /// ```
    /// use retry_runtime::Outcome;
    /// use retry_runtime::process::{CommandEnd, ExitPolicy};
    /// use std::time::Duration;
    ///
    /// let steps = ExitPolicy::DEFAULT;
    /// let hint = Some(Duration::from_secs(30));
    /// let failed = CommandEnd::Exited(1);
    /// assert_eq!(steps.outcome(&failed, None), Outcome::Retry);
    /// assert_eq!(steps.outcome(&failed, hint), Outcome::RetryAfter(Duration::from_secs(30)));
    /// assert_eq!(steps.outcome(&CommandEnd::Exited(78), hint), Outcome::Stop);
    ///
    /// let a_day = Some(Duration::from_secs(86_400));
    /// assert_eq!(steps.outcome(&failed, a_day), Outcome::RetryAfter(Duration::from_secs(300)));
    /// ```
    pub fn outcome(&self, end: &CommandEnd, hint: Option<Duration>) -> Outcome {
        let is_retryable = match end {
            CommandEnd::Exited(0) => return Outcome::Success,
            CommandEnd::Exited(code) => self.is_retryable_exit(*code),
            CommandEnd::Signaled(signal) => !self.stop_signals().contains(signal),
            CommandEnd::TimedOut => true,
            CommandEnd::SpawnFailed(error) => may_start_next_time(error),
        };
        match self.honoured(hint) {
            _ if !is_retryable => Outcome::Stop,
            Duration::ZERO => Outcome::Retry,
            floor => Outcome::RetryAfter(floor),
        }
    }
}

/// Whether the reason that a command could not be started may pass. What is not
/// known to pass is taken to stay: a missing file or permission, a file that is
/// no program, arguments that are too long.
fn may_start_next_time(error: &io::Error) -> bool {
    use io::ErrorKind::{
        ExecutableFileBusy, Interrupted, OutOfMemory, ResourceBusy, TimedOut, WouldBlock,
    };
    // EMFILE and ENFILE, out of file handles, have no kind of their own. Every
    // Unix has the same numbers for them.
    let out_of_handles = cfg!(unix) && matches!(error.raw_os_error(), Some(23 | 24));
    out_of_handles
        || matches!(
            error.kind(),
            WouldBlock | Interrupted | ExecutableFileBusy | OutOfMemory | ResourceBusy | TimedOut
        )
}

impl Classify<CommandEnd> for ExitPolicy {
    fn classify(&self, end: &CommandEnd) -> Outcome {
        self.outcome(end, None)
    }

    /// How the command ended.
    fn explain(&self, end: &CommandEnd, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{end}")
    }
}

impl Classify<ExitStatus> for ExitPolicy {
    fn classify(&self, status: &ExitStatus) -> Outcome {
        self.classify(&CommandEnd::from(*status))
    }

    fn explain(&self, status: &ExitStatus, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.explain(&CommandEnd::from(*status), f)
    }
}

impl Classify<Output> for ExitPolicy {
    fn classify(&self, output: &Output) -> Outcome {
        self.classify(&output.status)
    }

    fn explain(&self, output: &Output, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.explain(&output.status, f)
    }
}

impl<T> Classify<io::Result<T>> for ExitPolicy
where
    ExitPolicy: Classify<T>,
{
    fn classify(&self, result: &io::Result<T>) -> Outcome {
        match result {
            Ok(ended) => self.classify(ended),
            Err(error) if may_start_next_time(error) => Outcome::Retry,
            Err(_) => Outcome::Stop,
        }
    }

    fn explain(&self, result: &io::Result<T>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match result {
            Ok(ended) => self.explain(ended, f),
            // As `CommandEnd::SpawnFailed` says it.
            Err(error) => write!(f, "not started: {error}"),
        }
    }
}
