//! Requests, read, and answers, written.

use tokio::io::AsyncReadExt;
use tokio::net::TcpStream;

/// A request as it came over the wire.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Received {
    /// The first line and the headers.
    pub head: String,
    /// The body.
    pub body: Vec<u8>,
}

impl Received {
    /// The value of a header.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().skip(1).find_map(|line| {
            let (key, value) = line.split_once(':')?;
            key.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }

    /// The method.
    #[must_use]
    pub fn method(&self) -> &str {
        self.head.split(' ').next().unwrap_or_default()
    }
}

pub(super) fn answer(status: u16, headers: &[(&'static str, String)], body: &str) -> Vec<u8> {
    let mut text = format!("HTTP/1.1 {status} Scripted\r\ncontent-length: {}\r\n", body.len());
    for (name, value) in headers {
        text.push_str(&format!("{name}: {value}\r\n"));
    }
    text.push_str("\r\n");
    text.push_str(body);
    text.into_bytes()
}

/// Reads a request with its whole body; `None` at the end of the connection.
pub(super) async fn read_request(stream: &mut TcpStream) -> Option<Received> {
    let mut bytes = Vec::new();
    let end = loop {
        if let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break end + 4;
        }
        read_more(stream, &mut bytes).await?;
    };
    let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let mut request = Received { head, body: bytes.split_off(end) };
    let length = match request.header("content-length") {
        Some(length) => length.parse().ok()?,
        None if request.header("transfer-encoding").is_some() => {
            while !request.body.ends_with(b"0\r\n\r\n") {
                read_more(stream, &mut request.body).await?;
            }
            return Some(request);
        }
        None => 0,
    };
    while request.body.len() < length {
        read_more(stream, &mut request.body).await?;
    }
    Some(request)
}

async fn read_more(stream: &mut TcpStream, bytes: &mut Vec<u8>) -> Option<()> {
    match stream.read_buf(bytes).await {
        Ok(read) if read > 0 => Some(()),
        _ => None,
    }
}
