//! The clock: tokio's, which a test can pause, or std's without tokio.

use std::time::Instant;

/// The time now. Outside a tokio runtime tokio's clock is std's.
#[cfg(feature = "tokio")]
pub(crate) fn now() -> Instant {
    tokio::time::Instant::now().into_std()
}

/// The time now.
#[cfg(not(feature = "tokio"))]
pub(crate) fn now() -> Instant {
    Instant::now()
}
