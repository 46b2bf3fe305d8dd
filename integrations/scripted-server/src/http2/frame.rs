//! Frames (RFC 9113, section 4), read and written.

use tokio::io::{AsyncRead, AsyncReadExt};

pub(super) const FLAG_ACK: u8 = 0x1;
pub(super) const FLAG_END_STREAM: u8 = 0x1;
pub(super) const FLAG_END_HEADERS: u8 = 0x4;
pub(super) const FLAG_PADDED: u8 = 0x8;
pub(super) const FLAG_PRIORITY: u8 = 0x20;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Data,
    Headers,
    Reset,
    Settings,
    Ping,
    Other,
}

pub(super) struct Frame {
    pub(super) kind: Kind,
    pub(super) flags: u8,
    pub(super) stream: u32,
    pub(super) payload: Vec<u8>,
}

impl Frame {
    /// The next frame; `None` at the end of the connection.
    pub(super) async fn read(reader: &mut (impl AsyncRead + Unpin)) -> Option<Frame> {
        let mut head = [0; 9];
        reader.read_exact(&mut head).await.ok()?;
        let length = u32::from_be_bytes([0, head[0], head[1], head[2]]);
        let mut payload = vec![0; usize::try_from(length).ok()?];
        reader.read_exact(&mut payload).await.ok()?;
        let kind = match head[3] {
            0 => Kind::Data,
            1 => Kind::Headers,
            3 => Kind::Reset,
            4 => Kind::Settings,
            6 => Kind::Ping,
            _ => Kind::Other,
        };
        let stream = u32::from_be_bytes([head[5], head[6], head[7], head[8]]) & (u32::MAX >> 1);
        Some(Frame { kind, flags: head[4], stream, payload })
    }
}

fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).expect("a short frame").to_be_bytes();
    let head = [length[1], length[2], length[3], kind, flags];
    [&head[..], &stream.to_be_bytes(), payload].concat()
}

pub(super) fn settings(max_streams: Option<u32>) -> Vec<u8> {
    let setting = max_streams.map(|most| [&[0, 3][..], &most.to_be_bytes()].concat());
    frame(4, 0, 0, &setting.unwrap_or_default())
}

pub(super) fn settings_ack() -> Vec<u8> {
    frame(4, FLAG_ACK, 0, &[])
}

pub(super) fn ping_ack(payload: &[u8]) -> Vec<u8> {
    frame(6, FLAG_ACK, 0, payload)
}

pub(super) fn window_update(stream: u32, increment: u32) -> Vec<u8> {
    frame(8, 0, stream, &increment.to_be_bytes())
}

pub(super) fn data(stream: u32, bytes: &[u8], end: bool) -> Vec<u8> {
    frame(0, if end { FLAG_END_STREAM } else { 0 }, stream, bytes)
}

pub(super) fn headers(stream: u32, headers: &[(&str, String)], end: bool) -> Vec<u8> {
    let flags = FLAG_END_HEADERS | if end { FLAG_END_STREAM } else { 0 };
    let mut block = Vec::new();
    for (name, value) in headers {
        // A literal that is not indexed, with a new name (RFC 7541, 6.2.2).
        block.push(0);
        string(&mut block, name);
        string(&mut block, value);
    }
    frame(1, flags, stream, &block)
}

/// A string literal without Huffman coding (RFC 7541, 5.2), its length as an integer
/// with a prefix of seven bits (5.1).
fn string(block: &mut Vec<u8>, text: &str) {
    let mut length = text.len();
    if length < 127 {
        block.push(u8::try_from(length).expect("less than 127"));
    } else {
        block.push(127);
        length -= 127;
        while length >= 128 {
            block.push(u8::try_from(length % 128).expect("less than 128") | 128);
            length /= 128;
        }
        block.push(u8::try_from(length).expect("less than 128"));
    }
    block.extend_from_slice(text.as_bytes());
}

pub(super) fn reset(stream: u32, code: u32) -> Vec<u8> {
    frame(3, 0, stream, &code.to_be_bytes())
}

pub(super) fn go_away(last_stream: u32, code: u32) -> Vec<u8> {
    frame(7, 0, 0, &[last_stream.to_be_bytes(), code.to_be_bytes()].concat())
}
