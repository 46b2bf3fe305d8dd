//! A layer of settings over an HTTP policy, and what makes the sum valid.

use core::time::Duration;

use super::statuses::is_status;
use super::{HttpPolicy, Methods, OverMax, ServerDelay, StatusSet, Switch};
use crate::ConfigError;

/// Changes to an [`HttpPolicy`]: every field optional. A field that is present
/// wins, one that is absent leaves what is there. A patch is a set of changes, a
/// policy is finished: layers that are to stay mergeable stay patches.
///
/// ```
/// use retry_runtime::http::{HttpPatch, HttpPolicy};
///
/// let service = HttpPatch::new().max_retries(5).statuses([429, 503]);
/// let call = HttpPatch::new().max_retries(1);
/// let policy = HttpPolicy::DEFAULT.merge(&service)?.merge(&call)?;
/// assert_eq!(policy, HttpPolicy::DEFAULT.merge(&service.merge(&call))?);
/// assert_eq!(policy.max_retries, 1);
/// assert_eq!(policy.statuses.iter().collect::<Vec<_>>(), [429, 503]);
///
/// let wrong = HttpPatch::new().backoff_jitter(1.5).statuses([20, 503]);
/// let error = HttpPolicy::DEFAULT.merge(&wrong).unwrap_err();
/// assert_eq!(error.fields().collect::<Vec<_>>(), ["backoff_jitter", "statuses"]);
/// # Ok::<(), retry_runtime::ConfigError>(())
/// ```
///
/// In a configuration (feature `serde`) the names are those of the fields. Durations
/// have units, a switch is `auto`, `yes` or `no`, statuses can be ranges, and a list
/// may be text with commas, for environment variables. An [`HttpPolicy`] is read in
/// the same way, as changes to its default.
///
/// ```
/// # #[cfg(feature = "serde")] {
/// use retry_runtime::http::HttpPolicy;
///
/// let policy: HttpPolicy = toml::from_str(r#"
///     max_retries = 3
///     backoff_initial = "250ms"
///     statuses = [429, "502-504"]
///     retry_timeout_errors = "no"
///     methods = "idempotent"
///     within = "none"
/// "#).unwrap();
/// assert_eq!(policy.statuses.iter().count(), 4);
/// assert_eq!(policy.within, None);
/// # }
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HttpPatch {
    pub(super) max_retries: Option<u32>,
    pub(super) backoff_initial: Option<Duration>,
    pub(super) backoff_max: Option<Duration>,
    pub(super) backoff_jitter: Option<f64>,
    pub(super) statuses: Option<Vec<u16>>,
    pub(super) retry_statuses: Option<Switch>,
    pub(super) respect_retry_after: Option<bool>,
    pub(super) retry_after_min: Option<Duration>,
    pub(super) retry_after_max: Option<Duration>,
    pub(super) retry_after_over_max: Option<OverMax>,
    pub(super) retry_after_as: Option<ServerDelay>,
    pub(super) retry_connection_errors: Option<Switch>,
    pub(super) retry_timeout_errors: Option<Switch>,
    pub(super) retry_unsent: Option<bool>,
    pub(super) methods: Option<Methods>,
    /// `Some(None)` takes the time limit away.
    pub(super) within: Option<Option<Duration>>,
}

pub(super) const RETRIES: &str = "0 to 4294967293";
pub(super) const JITTER: &str = "a fraction of 0 to 1";
pub(super) const STATUSES: &str = "each 100 to 999";

/// One setter for each field, documented by the field of [`HttpPolicy`].
macro_rules! setters {
    ($($name:ident: $type:ty,)*) => {$(
        #[doc = concat!("Sets [`HttpPolicy::", stringify!($name), "`].")]
        #[must_use]
        pub const fn $name(mut self, $name: $type) -> HttpPatch {
            self.$name = Some($name);
            self
        }
    )*};
}

impl HttpPatch {
    /// No change.
    #[must_use]
    pub fn new() -> HttpPatch {
        HttpPatch::default()
    }

    setters! {
        max_retries: u32,
        backoff_initial: Duration,
        backoff_max: Duration,
        backoff_jitter: f64,
        retry_statuses: Switch,
        respect_retry_after: bool,
        retry_after_min: Duration,
        retry_after_max: Duration,
        retry_after_over_max: OverMax,
        retry_after_as: ServerDelay,
        retry_connection_errors: Switch,
        retry_timeout_errors: Switch,
        retry_unsent: bool,
        methods: Methods,
    }

    /// Sets [`HttpPolicy::statuses`], in place of those of the layer below.
    #[must_use]
    pub fn statuses(mut self, statuses: impl IntoIterator<Item = u16>) -> HttpPatch {
        self.statuses = Some(statuses.into_iter().collect());
        self
    }

    /// Sets [`HttpPolicy::within`], the time limit of a call.
    #[must_use]
    pub const fn within(mut self, limit: Duration) -> HttpPatch {
        self.within = Some(Some(limit));
        self
    }

    /// No time limit, even if the layer below has one.
    #[must_use]
    pub const fn without_time_limit(mut self) -> HttpPatch {
        self.within = Some(None);
        self
    }

    /// This patch with the changes of `over`: still a patch.
    #[must_use]
    pub fn merge(&self, over: &HttpPatch) -> HttpPatch {
        HttpPatch {
            max_retries: over.max_retries.or(self.max_retries),
            backoff_initial: over.backoff_initial.or(self.backoff_initial),
            backoff_max: over.backoff_max.or(self.backoff_max),
            backoff_jitter: over.backoff_jitter.or(self.backoff_jitter),
            statuses: over.statuses.as_ref().or(self.statuses.as_ref()).cloned(),
            retry_statuses: over.retry_statuses.or(self.retry_statuses),
            respect_retry_after: over.respect_retry_after.or(self.respect_retry_after),
            retry_after_min: over.retry_after_min.or(self.retry_after_min),
            retry_after_max: over.retry_after_max.or(self.retry_after_max),
            retry_after_over_max: over.retry_after_over_max.or(self.retry_after_over_max),
            retry_after_as: over.retry_after_as.or(self.retry_after_as),
            retry_connection_errors: over.retry_connection_errors.or(self.retry_connection_errors),
            retry_timeout_errors: over.retry_timeout_errors.or(self.retry_timeout_errors),
            retry_unsent: over.retry_unsent.or(self.retry_unsent),
            methods: over.methods.or(self.methods),
            within: over.within.or(self.within),
        }
    }

    /// Checks what can be checked without the layer below, for patches that are
    /// kept as patches.
    ///
    /// # Errors
    ///
    /// One error that names every field that no base could make valid.
    pub fn validate(&self) -> Result<(), ConfigError> {
        let mut errors = ConfigError::none();
        self.check(self, &mut errors);
        errors.into_result()
    }

    /// Checks `whole`, which is this patch or this patch over a base; of two
    /// settings that do not go together, the one that this patch sets is named.
    pub(super) fn check(&self, whole: &HttpPatch, errors: &mut ConfigError) {
        if let Some(retries) = whole.max_retries.filter(|retries| *retries > u32::MAX - 2) {
            errors.add("max_retries", &retries, RETRIES);
        }
        if let Some(jitter) = whole.backoff_jitter.filter(|jitter| !(0.0..=1.0).contains(jitter)) {
            errors.add("backoff_jitter", &jitter, JITTER);
        }
        let wrong: Vec<_> = self.statuses.iter().flatten().filter(|s| !is_status(**s)).collect();
        if !wrong.is_empty() {
            errors.add("statuses", &format_args!("{wrong:?}"), STATUSES);
        }
        // A zero here means no backoff, and does not have to go with the other.
        let backoff = [whole.backoff_initial, whole.backoff_max];
        if backoff.iter().all(|setting| setting.is_none_or(|delay| !delay.is_zero())) {
            let only_low = self.backoff_max.is_none() && self.backoff_initial.is_some();
            check_order(errors, ["backoff_initial", "backoff_max"], backoff, only_low);
        }
        let bounds = [whole.retry_after_min, whole.retry_after_max];
        let only_low = self.retry_after_max.is_none() && self.retry_after_min.is_some();
        check_order(errors, ["retry_after_min", "retry_after_max"], bounds, only_low);
    }
}

fn check_order(
    errors: &mut ConfigError,
    [low_name, high_name]: [&str; 2],
    [low, high]: [Option<Duration>; 2],
    low_is_new: bool,
) {
    let (Some(low), Some(high)) = (low, high) else { return };
    if high < low && low_is_new {
        let allowed = format!("at most `{high_name}`, {high:?}");
        errors.add(low_name, &format_args!("{low:?}"), allowed);
    } else if high < low {
        let allowed = format!("at least `{low_name}`, {low:?}");
        errors.add(high_name, &format_args!("{high:?}"), allowed);
    }
}

impl HttpPolicy {
    /// This policy with the changes of `over`. Layers chain: a library's default, a
    /// service's file, a call's own.
    ///
    /// # Errors
    ///
    /// One error that names every field that is invalid, alone or together with
    /// what it is merged into.
    pub fn merge(&self, over: &HttpPatch) -> Result<HttpPolicy, ConfigError> {
        let mut errors = ConfigError::none();
        let merged = self.overlay(over, &mut errors);
        errors.into_result()?;
        Ok(merged)
    }

    /// As [`merge`](HttpPolicy::merge); if a mistake was added, the result is not used.
    pub(super) fn overlay(&self, over: &HttpPatch, errors: &mut ConfigError) -> HttpPolicy {
        over.check(&self.as_patch().merge(over), errors);
        HttpPolicy {
            max_retries: over.max_retries.unwrap_or(self.max_retries),
            backoff_initial: over.backoff_initial.unwrap_or(self.backoff_initial),
            backoff_max: over.backoff_max.unwrap_or(self.backoff_max),
            backoff_jitter: over.backoff_jitter.unwrap_or(self.backoff_jitter),
            statuses: over.statuses.as_ref().map_or(self.statuses, |statuses| {
                let valid = statuses.iter().filter(|status| is_status(**status));
                valid.fold(StatusSet::EMPTY, |set, status| set.with(*status))
            }),
            retry_statuses: over.retry_statuses.unwrap_or(self.retry_statuses),
            respect_retry_after: over.respect_retry_after.unwrap_or(self.respect_retry_after),
            retry_after_min: over.retry_after_min.unwrap_or(self.retry_after_min),
            retry_after_max: over.retry_after_max.unwrap_or(self.retry_after_max),
            retry_after_over_max: over.retry_after_over_max.unwrap_or(self.retry_after_over_max),
            retry_after_as: over.retry_after_as.unwrap_or(self.retry_after_as),
            retry_connection_errors: over
                .retry_connection_errors
                .unwrap_or(self.retry_connection_errors),
            retry_timeout_errors: over.retry_timeout_errors.unwrap_or(self.retry_timeout_errors),
            retry_unsent: over.retry_unsent.unwrap_or(self.retry_unsent),
            methods: over.methods.unwrap_or(self.methods),
            within: over.within.unwrap_or(self.within),
        }
    }

    /// Checks a policy whose fields were set by hand.
    ///
    /// # Errors
    ///
    /// One error that names every field that is out of its range.
    pub fn validate(&self) -> Result<(), ConfigError> {
        self.as_patch().validate()
    }

    /// The settings that have something to check.
    fn as_patch(&self) -> HttpPatch {
        HttpPatch::new()
            .max_retries(self.max_retries)
            .backoff_initial(self.backoff_initial)
            .backoff_max(self.backoff_max)
            .backoff_jitter(self.backoff_jitter)
            .retry_after_min(self.retry_after_min)
            .retry_after_max(self.retry_after_max)
    }
}
