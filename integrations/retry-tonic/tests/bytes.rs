//! No bytes of a server panic: whatever it writes into its status, its details and its
//! pushback is judged.

use bytes::Bytes;
use proptest::prelude::*;
use retry_runtime::Outcome;
use retry_tonic::Classifier;
use tonic::metadata::MetadataValue;
use tonic::{Code, Status};

const CLASSIFIERS: [Classifier; 2] = [Classifier::A6, Classifier::OTLP];

/// A field of a message that holds bytes, of any length below 2^14.
fn field(number: u8, bytes: &[u8]) -> Vec<u8> {
    let (low, high) = (bytes.len() % 128, bytes.len() / 128);
    let length = [u8::try_from(low).unwrap() | 128, u8::try_from(high).unwrap()];
    [&[number << 3 | 2], &length[..], bytes].concat()
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

proptest! {
    #[test]
    fn any_details(code in 0..=20i32, details in prop::collection::vec(any::<u8>(), 0..200)) {
        let status = Status::with_details(Code::from(code), "", Bytes::from(details));
        for classifier in CLASSIFIERS {
            let _judged = classifier.classify_status(&status);
        }
    }

    #[test]
    fn any_retry_info(info in prop::collection::vec(any::<u8>(), 0..40)) {
        let any = [field(1, b"type.googleapis.com/google.rpc.RetryInfo"), field(2, &info)].concat();
        let status = Status::with_details(Code::Unavailable, "", field(3, &any).into());
        for classifier in CLASSIFIERS {
            prop_assert!(classifier.classify_status(&status).is_failure());
        }
    }

    #[test]
    fn any_delay(seconds in any::<i64>(), nanos in any::<i32>()) {
        let nanos = i64::from(nanos).cast_unsigned();
        let delay = [varint(1, seconds.cast_unsigned()), varint(2, nanos)].concat();
        let info = field(1, &delay);
        let any = [field(1, b"type.googleapis.com/google.rpc.RetryInfo"), field(2, &info)].concat();
        let status = Status::with_details(Code::Unavailable, "", field(3, &any).into());
        let outcome = Classifier::A6.classify_status(&status);
        prop_assert!(matches!(outcome, Outcome::Retry | Outcome::RetryAfter(_)));
        if let Outcome::RetryAfter(delay) = outcome {
            prop_assert_eq!(i128::from(delay.as_secs()), i128::from(seconds));
        }
    }

    #[test]
    fn any_pushback(values in prop::collection::vec("[ -~]{0,14}", 0..3)) {
        let mut status = Status::unavailable("");
        for value in &values {
            let value = MetadataValue::try_from(value.as_str()).unwrap();
            status.metadata_mut().append("grpc-retry-pushback-ms", value);
        }
        let outcome = Classifier::A6.classify_status(&status);
        if values.len() != 1 {
            let expected = if values.is_empty() { Outcome::Retry } else { Outcome::Fail };
            prop_assert_eq!(outcome, expected);
        }
    }

    #[test]
    fn any_number_as_pushback(number in any::<i64>()) {
        let mut status = Status::unavailable("");
        let value = MetadataValue::try_from(number.to_string()).unwrap();
        status.metadata_mut().insert("grpc-retry-pushback-ms", value);
        let expected = match i32::try_from(number).map(u32::try_from) {
            Ok(Ok(millis)) => {
                Outcome::RetryIn(std::time::Duration::from_millis(millis.into()))
            }
            _ => Outcome::Fail,
        };
        prop_assert_eq!(Classifier::A6.classify_status(&status), expected);
    }

    #[test]
    fn any_message(message in "\\PC{0,80}", number in any::<u16>()) {
        let prefix = "grpc-status header missing, mapped from HTTP status code ";
        for text in [message.clone(), format!("{prefix}{message}"), format!("{prefix}{number}")] {
            for classifier in CLASSIFIERS {
                let _judged = classifier.classify_status(&Status::unknown(text.clone()));
            }
        }
    }
}
