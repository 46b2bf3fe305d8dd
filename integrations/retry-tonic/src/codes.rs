//! Sets of codes, and the codes that gRPC gives to what came without one.

use h2::Reason;
use http::StatusCode;
use tonic::Code;

/// A set of codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Codes {
    /// Bit n stands for the code n.
    bits: u32,
}

impl Codes {
    pub(crate) const fn of(codes: &[Code]) -> Codes {
        let mut bits = 0;
        let mut index = 0;
        while index < codes.len() {
            bits |= 1 << codes[index] as u32;
            index += 1;
        }
        Codes { bits }
    }

    pub(crate) const fn contains(self, code: Code) -> bool {
        self.bits & (1 << code as u32) != 0
    }
}

/// The code of an answer of HTTP that has no status of gRPC: a proxy's (gRPC's document
/// `http-grpc-status-mapping.md`).
pub(crate) fn of_http(status: StatusCode) -> Code {
    match status.as_u16() {
        400 => Code::Internal,
        401 => Code::Unauthenticated,
        403 => Code::PermissionDenied,
        404 => Code::Unimplemented,
        429 | 502 | 503 | 504 => Code::Unavailable,
        _ => Code::Unknown,
    }
}

/// The code of a stream that was reset (gRPC's document `PROTOCOL-HTTP2.md`, "Errors").
pub(crate) fn of_reset(reason: Reason) -> Code {
    match reason {
        Reason::NO_ERROR
        | Reason::PROTOCOL_ERROR
        | Reason::INTERNAL_ERROR
        | Reason::FLOW_CONTROL_ERROR
        | Reason::SETTINGS_TIMEOUT
        | Reason::FRAME_SIZE_ERROR
        | Reason::COMPRESSION_ERROR
        | Reason::CONNECT_ERROR => Code::Internal,
        Reason::REFUSED_STREAM => Code::Unavailable,
        Reason::CANCEL => Code::Cancelled,
        Reason::ENHANCE_YOUR_CALM => Code::ResourceExhausted,
        Reason::INADEQUATE_SECURITY => Code::PermissionDenied,
        _ => Code::Unknown,
    }
}
