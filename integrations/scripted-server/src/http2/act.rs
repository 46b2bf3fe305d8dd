//! The server's action for a request.

use std::time::Duration;

/// One thing that the server does after it has read a whole request.
#[derive(Clone, Debug)]
pub enum Act {
    /// Sends HEADERS with this status.
    Head(u16, Vec<(&'static str, String)>),
    /// Sends DATA.
    Data(Vec<u8>),
    /// Sends HEADERS that end the stream.
    Trailers(Vec<(&'static str, String)>),
    /// Ends the stream.
    End,
    /// Sends RST_STREAM with a code.
    Reset(u32),
    /// Sends GOAWAY with a code, whose last stream is the one before this request's.
    GoAwayBelow(u32),
    /// Sends GOAWAY with a code, whose last stream is this request's.
    GoAwayHere(u32),
    /// Sends bytes that may be anything.
    Bytes(Vec<u8>),
    /// Waits.
    Wait(Duration),
    /// Waits for [`Server::release`].
    Hold,
    /// Closes the connection.
    Close,
    /// Resets the connection.
    Abort,
    /// Does nothing more, and keeps the connection.
    Hang,
}

impl Act {
    /// A whole answer with a status and a short body.
    #[must_use]
    pub fn answer(status: u16) -> Vec<Act> {
        Act::answer_with(status, Vec::new())
    }

    /// A whole answer with headers.
    #[must_use]
    pub fn answer_with(status: u16, headers: Vec<(&'static str, String)>) -> Vec<Act> {
        vec![Act::Head(status, headers), Act::Data(b"body".to_vec()), Act::End]
    }

    /// An answer of gRPC in trailers alone: its status, and no message.
    #[must_use]
    pub fn grpc_status(code: u16) -> Vec<Act> {
        let headers = vec![("content-type", "application/grpc".into())];
        let mut headers: Vec<_> = headers;
        headers.push(("grpc-status", code.to_string()));
        vec![Act::Head(200, headers), Act::End]
    }

    /// The head of an answer of gRPC.
    #[must_use]
    pub fn grpc_head() -> Act {
        Act::Head(200, vec![("content-type", "application/grpc".into())])
    }

    /// A message of gRPC, uncompressed.
    #[must_use]
    pub fn grpc_message(bytes: &[u8]) -> Act {
        let length = u32::try_from(bytes.len()).expect("a short message").to_be_bytes();
        Act::Data([&[0], &length[..], bytes].concat())
    }

    /// Trailers of gRPC.
    #[must_use]
    pub fn grpc_trailers(code: u16) -> Act {
        Act::Trailers(vec![("grpc-status", code.to_string())])
    }
}
