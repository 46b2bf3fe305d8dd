//! The end of a command's run.

use core::fmt;
use std::io;
use std::process::{ExitStatus, Output};

/// The end of one run of a command, made from the results of std or tokio.
///
/// ```
/// use retry_runtime::process::CommandEnd;
/// use std::process::Command;
///
/// let end = CommandEnd::from(Command::new("/no/such/command").status());
/// assert!(matches!(end, CommandEnd::SpawnFailed(_)));
/// assert_eq!(end.shell_code(), 127);
/// ```
///
/// With your own time limit, end the old run and its child processes before the next attempt.
/// `kill_on_drop` ends the process alone; the children of a shell would go on. So give the run a
/// process group of its own, and end the group:
///
/// ```
/// # use std::time::Duration;
/// use retry_runtime::process::CommandEnd;
/// use rustix::process::{Pid, Signal, kill_process_group};
///
/// async fn run(limit: Duration) -> CommandEnd {
///     let mut command = tokio::process::Command::new("sh");
///     command.args(["-c", "sleep 1000; echo never"]).process_group(0).kill_on_drop(true);
///     let mut child = match command.spawn() {
///         Ok(child) => child,
///         Err(error) => return CommandEnd::SpawnFailed(error),
///     };
///     let group = child.id().and_then(|id| Pid::from_raw(i32::try_from(id).ok()?));
///     match tokio::time::timeout(limit, child.wait()).await {
///         Ok(ended) => CommandEnd::from(ended),
///         Err(_) => {
///             let _ = group.map(|group| kill_process_group(group, Signal::KILL));
///             let _ = child.wait().await;
///             CommandEnd::TimedOut
///         }
///     }
/// }
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// assert!(matches!(run(Duration::from_millis(50)).await, CommandEnd::TimedOut));
/// # });
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub enum CommandEnd {
    /// It ended by itself, with this code. Windows has 32-bit codes, and those of
    /// crashes are negative.
    Exited(i32),
    /// A signal with this number killed it.
    Signaled(i32),
    /// It was killed because it took longer than its caller allows. That counts
    /// before any code it left.
    TimedOut,
    /// It could not be started, or not be waited for.
    SpawnFailed(io::Error),
}

impl CommandEnd {
    /// Whether it ended with the code 0.
    #[must_use]
    pub const fn is_success(&self) -> bool {
        matches!(self, CommandEnd::Exited(0))
    }

    /// The exit code that a shell would report: the command's own; 128 + n after signal n; 127 for
    /// a command not found, 126 if it could not be started for another reason; 124 if it took too
    /// long, as `timeout(1)` does.
    #[must_use]
    pub fn shell_code(&self) -> i32 {
        match self {
            CommandEnd::Exited(code) => *code,
            CommandEnd::Signaled(signal) => 128 + signal,
            CommandEnd::TimedOut => 124,
            CommandEnd::SpawnFailed(error) if error.kind() == io::ErrorKind::NotFound => 127,
            CommandEnd::SpawnFailed(_) => 126,
        }
    }
}

impl fmt::Display for CommandEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CommandEnd::Exited(code) => write!(f, "exited with code {code}"),
            CommandEnd::Signaled(signal) => write!(f, "killed by signal {signal}"),
            CommandEnd::TimedOut => f.write_str("killed, it took too long"),
            CommandEnd::SpawnFailed(error) => write!(f, "not started: {error}"),
        }
    }
}

impl From<ExitStatus> for CommandEnd {
    fn from(status: ExitStatus) -> CommandEnd {
        match (status.code(), signal(status)) {
            (Some(code), _) => CommandEnd::Exited(code),
            (None, Some(signal)) => CommandEnd::Signaled(signal),
            // Stopped or continued: no ending that std's `wait` returns.
            (None, None) => CommandEnd::Exited(-1),
        }
    }
}

impl From<io::Result<ExitStatus>> for CommandEnd {
    fn from(result: io::Result<ExitStatus>) -> CommandEnd {
        result.map_or_else(CommandEnd::SpawnFailed, CommandEnd::from)
    }
}

impl From<&Output> for CommandEnd {
    fn from(output: &Output) -> CommandEnd {
        CommandEnd::from(output.status)
    }
}

impl From<io::Result<Output>> for CommandEnd {
    fn from(result: io::Result<Output>) -> CommandEnd {
        CommandEnd::from(result.map(|output| output.status))
    }
}

#[cfg(unix)]
fn signal(status: ExitStatus) -> Option<i32> {
    std::os::unix::process::ExitStatusExt::signal(&status)
}

/// Elsewhere every process has an exit code.
#[cfg(not(unix))]
fn signal(_status: ExitStatus) -> Option<i32> {
    None
}
