//! The delays that a server asks for. Its bytes may be anything.

use std::time::Duration;

use prost::Message;
use tonic::Status;
use tonic_types::pb;

/// What the header `grpc-retry-pushback-ms` says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pushback {
    None,
    After(Duration),
    Refused,
}

/// gRFC A6: one value, an ASCII signed 32-bit number of milliseconds without needless
/// zeros. Anything else says not to retry, like a negative one.
pub(crate) fn pushback(status: &Status) -> Pushback {
    let mut values = status.metadata().get_all("grpc-retry-pushback-ms").iter();
    let (first, second) = (values.next(), values.next());
    let Some(value) = first else { return Pushback::None };
    let text = value.to_str().unwrap_or_default();
    let is_plain = text == "0" || text.starts_with(|first: char| ('1'..='9').contains(&first));
    match text.parse::<i32>().ok().and_then(|number| u64::try_from(number).ok()) {
        Some(millis) if is_plain && second.is_none() => {
            Pushback::After(Duration::from_millis(millis))
        }
        _ => Pushback::Refused,
    }
}

/// The delay of the first `google.rpc.RetryInfo` in the details; `None` if there is
/// none, or it is zero, negative or no duration.
pub(crate) fn retry_info(status: &Status) -> Option<Duration> {
    // Not by `StatusExt`: it negates the seconds that the server has sent.
    let details = pb::Status::decode(status.details()).ok()?.details;
    let info = details.into_iter().find(|any| {
        // The type is what follows the last slash, whatever comes before.
        any.type_url.rsplit('/').next() == Some("google.rpc.RetryInfo")
    })?;
    let delay = pb::RetryInfo::decode(info.value.as_slice()).ok()?.retry_delay?;
    let (seconds, nanos) = (u64::try_from(delay.seconds).ok()?, u32::try_from(delay.nanos).ok()?);
    let valid = nanos < 1_000_000_000 && (seconds, nanos) != (0, 0);
    valid.then(|| Duration::new(seconds, nanos))
}
