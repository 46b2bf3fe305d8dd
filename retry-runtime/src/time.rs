//! The instants and the date of the target: those of std, and in a browser those of
//! [web-time], because std has neither there.
//!
//! [web-time]: https://docs.rs/web-time

#[cfg(feature = "http")]
use std::time::SystemTime;

/// The instant of every clock, limit and deadline: [`std::time::Instant`], and on
/// `wasm32-unknown-unknown`, where that panics, `web_time::Instant`.
///
/// Code for both targets names it by this path:
///
/// ```
/// use retry_runtime::{Budget, Instant, Outcome, retry};
/// # #[derive(Debug)] struct Busy;
///
/// static PAYMENTS: Budget = Budget::new(10, 0.1);
///
/// #[retry(
///     attempts = 4,
///     deadline = deadline,
///     budget = PAYMENTS,
///     classify_err = |_| Outcome::Retry,
/// )]
/// async fn charge(cents: u32, deadline: Instant) -> Result<u32, Busy> {
///     Ok(cents)
/// }
/// # tokio::runtime::Builder::new_current_thread().build().unwrap()
/// #     .block_on(charge(1, Instant::now())).unwrap();
/// ```
#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
pub use std::time::Instant;
#[cfg(all(target_family = "wasm", target_os = "unknown"))]
pub use web_time::Instant;

/// The date now, for headers that name one.
#[cfg(feature = "http")]
pub(crate) fn date() -> SystemTime {
    #[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
    let date = SystemTime::now();
    #[cfg(all(target_family = "wasm", target_os = "unknown"))]
    let date = web_time::web::SystemTimeExt::to_std(web_time::SystemTime::now());
    date
}
