//! The outcome of each status, as a server sends it.

use std::time::Duration;

use retry_runtime::{Classify, Outcome};
use retry_tonic::Classifier;
use tonic::{Code, Status};
use tonic_types::{ErrorDetails, StatusExt};

fn with_pushback(code: Code, values: &[&str]) -> Status {
    let mut status = Status::new(code, "");
    for value in values {
        status.metadata_mut().append("grpc-retry-pushback-ms", value.parse().unwrap());
    }
    status
}

fn with_info(code: Code, delay: Duration) -> Status {
    Status::with_error_details(code, "", ErrorDetails::with_retry_info(Some(delay)))
}

fn codes() -> impl Iterator<Item = Code> {
    (1..=16).map(Code::from)
}

#[test]
fn by_default_unavailable_alone_is_retried() {
    for code in codes() {
        let expected = if code == Code::Unavailable { Outcome::Retry } else { Outcome::Stop };
        assert_eq!(Classifier::A6.classify_status(&Status::new(code, "")), expected, "{code:?}");
    }
    assert_eq!(Classifier::A6.classify(&Ok::<_, Status>(1)), Outcome::Success);
}

#[test]
fn the_codes_of_otlp_are_those_of_its_specification() {
    for code in codes() {
        let expected = match code {
            Code::Cancelled
            | Code::DeadlineExceeded
            | Code::Aborted
            | Code::OutOfRange
            | Code::Unavailable
            | Code::DataLoss => Outcome::Retry,
            _ => Outcome::Stop,
        };
        assert_eq!(Classifier::OTLP.classify_status(&Status::new(code, "")), expected, "{code:?}");
    }
}

#[test]
fn codes_are_those_that_were_named_last() {
    let classifier = Classifier::OTLP.codes(&[Code::Internal]);
    assert_eq!(classifier.classify_status(&Status::internal("")), Outcome::Retry);
    assert_eq!(classifier.classify_status(&Status::unavailable("")), Outcome::Stop);
}

#[test]
fn a_pushback_is_waited_exactly() {
    for (value, millis) in [("0", 0), ("5", 5), ("1500", 1500), ("2147483647", 2_147_483_647)] {
        let outcome = Classifier::A6.classify_status(&with_pushback(Code::Unavailable, &[value]));
        assert_eq!(outcome, Outcome::RetryIn(Duration::from_millis(millis)), "{value}");
    }
}

#[test]
fn a_pushback_that_is_negative_or_unusable_ends_the_call_and_counts() {
    for values in [
        &["-1"][..],
        &["-2147483648"],
        &["abc"],
        &[""],
        &["2147483648"],
        &["+5"],
        &["007"],
        &["-0"],
        &["00"],
        &["1.5"],
        &["1e3"],
        &["5 "],
        &["5", "5"],
    ] {
        for code in [Code::Unavailable, Code::Internal] {
            let outcome = Classifier::A6.classify_status(&with_pushback(code, values));
            assert_eq!(outcome, Outcome::Fail, "{code:?} {values:?}");
        }
    }
}

#[test]
fn a_pushback_makes_no_code_retryable() {
    let status = with_pushback(Code::Internal, &["5"]);
    assert_eq!(Classifier::A6.classify_status(&status), Outcome::Stop);
}

#[test]
fn retry_info_is_the_least_that_is_waited_and_zero_counts_as_absent() {
    let second = Duration::from_secs(1);
    let judge = |status: &Status| Classifier::A6.classify_status(status);
    assert_eq!(judge(&with_info(Code::Unavailable, second)), Outcome::RetryAfter(second));
    assert_eq!(judge(&with_info(Code::Unavailable, Duration::ZERO)), Outcome::Retry);
    assert_eq!(judge(&with_info(Code::Internal, second)), Outcome::Stop);
}

#[test]
fn an_exhausted_server_is_retried_by_the_list_or_where_its_retry_info_counts() {
    let (second, exhausted) = (Duration::from_secs(1), Code::ResourceExhausted);
    for (classifier, with, without) in [
        (Classifier::A6, Outcome::Stop, Outcome::Stop),
        (Classifier::A6.codes(&[exhausted]), Outcome::RetryAfter(second), Outcome::Retry),
        (Classifier::OTLP, Outcome::RetryAfter(second), Outcome::Stop),
        (
            Classifier::A6.exhausted_with_retry_info(true),
            Outcome::RetryAfter(second),
            Outcome::Stop,
        ),
    ] {
        let judge = |delay| classifier.classify_status(&with_info(exhausted, delay));
        assert_eq!(judge(second), with, "{classifier:?}");
        assert_eq!(judge(Duration::ZERO), without, "{classifier:?}");
    }
}

/// The details of a status, with a delay that no library would make.
fn with_raw_delay(seconds: i64, nanos: i32) -> Status {
    // google.rpc.Status { details: [Any { type_url, value: RetryInfo { retry_delay } }] }
    fn field(number: u8, bytes: &[u8]) -> Vec<u8> {
        let length = u8::try_from(bytes.len()).expect("a short field");
        [&[number << 3 | 2, length][..], bytes].concat()
    }
    fn varint(number: u8, mut value: u64) -> Vec<u8> {
        let mut bytes = vec![number << 3];
        while value >= 128 {
            bytes.push(u8::try_from(value % 128).unwrap() | 128);
            value /= 128;
        }
        bytes.push(u8::try_from(value).unwrap());
        bytes
    }
    let delay = [varint(1, seconds.cast_unsigned()), varint(2, i64::from(nanos).cast_unsigned())];
    let info = field(1, &delay.concat());
    let url = field(1, b"type.googleapis.com/google.rpc.RetryInfo");
    let details = field(3, &[url, field(2, &info)].concat());
    Status::with_details(Code::Unavailable, "", details.into())
}

#[test]
fn a_retry_info_that_is_no_duration_counts_as_absent() {
    let judge = |seconds, nanos| Classifier::A6.classify_status(&with_raw_delay(seconds, nanos));
    let whole = Outcome::RetryAfter(Duration::new(7, 500_000_000));
    assert_eq!(judge(7, 500_000_000), whole);
    let longest = Outcome::RetryAfter(Duration::from_secs(i64::MAX.cast_unsigned()));
    assert_eq!(judge(i64::MAX, 0), longest);
    for (seconds, nanos) in [
        (i64::MIN, 0),
        (i64::MIN, i32::MIN),
        (i64::MIN, i32::MAX),
        (-1, 0),
        (0, -1),
        (1, -1),
        (0, 1_000_000_000),
        (i64::MAX, i32::MAX),
        (0, 0),
    ] {
        assert_eq!(judge(seconds, nanos), Outcome::Retry, "{seconds} s, {nanos} ns");
    }
}

#[test]
fn a_pushback_goes_before_retry_info() {
    let mut status = with_info(Code::Unavailable, Duration::from_secs(1));
    status.metadata_mut().insert("grpc-retry-pushback-ms", "20".parse().unwrap());
    let outcome = Classifier::A6.classify_status(&status);
    assert_eq!(outcome, Outcome::RetryIn(Duration::from_millis(20)));
}

#[test]
fn details_that_are_no_message_are_passed_over() {
    let status = Status::with_details(Code::Unavailable, "", b"\xff\xff\xff".as_slice().into());
    assert_eq!(Classifier::A6.classify_status(&status), Outcome::Retry);
}
