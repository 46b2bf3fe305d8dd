//! A server of HTTP/2 on loopback that writes frames: for each request those of its
//! script. h2's own server follows the protocol, so it cannot answer a stream that it
//! has refused, or close a connection in the middle of a frame.

mod frame;

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream, ToSocketAddrs};
use tokio::sync::{Mutex as AsyncMutex, Notify, broadcast};

use frame::{FLAG_ACK, FLAG_END_HEADERS, FLAG_END_STREAM, FLAG_PADDED, FLAG_PRIORITY};
use frame::{Frame, Kind};

/// The codes of RFC 9113, section 7.
pub mod code {
    #![allow(missing_docs)]
    pub const NO_ERROR: u32 = 0x0;
    pub const PROTOCOL_ERROR: u32 = 0x1;
    pub const INTERNAL_ERROR: u32 = 0x2;
    pub const FLOW_CONTROL_ERROR: u32 = 0x3;
    pub const SETTINGS_TIMEOUT: u32 = 0x4;
    pub const STREAM_CLOSED: u32 = 0x5;
    pub const FRAME_SIZE_ERROR: u32 = 0x6;
    pub const REFUSED_STREAM: u32 = 0x7;
    pub const CANCEL: u32 = 0x8;
    pub const COMPRESSION_ERROR: u32 = 0x9;
    pub const CONNECT_ERROR: u32 = 0xa;
    pub const ENHANCE_YOUR_CALM: u32 = 0xb;
    pub const INADEQUATE_SECURITY: u32 = 0xc;
    pub const HTTP_1_1_REQUIRED: u32 = 0xd;
    /// All of them.
    pub const ALL: [u32; 14] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13];
}

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

/// A request as it came over the wire.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Received {
    /// The pseudo-headers and headers, in order.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
}

impl Received {
    /// The value of a header, or of a pseudo-header (`:method`).
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| &**value)
    }
}

struct State {
    script: VecDeque<Vec<Act>>,
    received: Vec<Received>,
    connections: usize,
}

/// A running server. It ends with the runtime of the test.
#[derive(Clone)]
pub struct Server {
    address: SocketAddr,
    state: Arc<Mutex<State>>,
    max_streams: Option<u32>,
    answers_pings: bool,
    close: broadcast::Sender<()>,
    release: Arc<Notify>,
    stop: Arc<Notify>,
}

impl Server {
    /// Starts a server on a free port of loopback, which does this with each request in
    /// turn, and the last with all that follow.
    ///
    /// # Panics
    ///
    /// If there is no port, or the script is empty.
    pub async fn start(script: impl IntoIterator<Item = Vec<Act>>) -> Server {
        Server::configured(("127.0.0.1", 0), script, None, true).await
    }

    /// As [`start`](Server::start), at an address: behind a proxy that knows it.
    pub async fn start_at(
        address: SocketAddr,
        script: impl IntoIterator<Item = Vec<Act>>,
    ) -> Server {
        Server::configured(address, script, None, true).await
    }

    /// As [`start`](Server::start), with `SETTINGS_MAX_CONCURRENT_STREAMS`.
    pub async fn with_max_streams(
        max_streams: u32,
        script: impl IntoIterator<Item = Vec<Act>>,
    ) -> Server {
        Server::configured(("127.0.0.1", 0), script, Some(max_streams), true).await
    }

    /// As [`start`](Server::start), but no PING is answered.
    pub async fn deaf(script: impl IntoIterator<Item = Vec<Act>>) -> Server {
        Server::configured(("127.0.0.1", 0), script, None, false).await
    }

    async fn configured(
        address: impl ToSocketAddrs,
        script: impl IntoIterator<Item = Vec<Act>>,
        max_streams: Option<u32>,
        answers_pings: bool,
    ) -> Server {
        let script: VecDeque<Vec<Act>> = script.into_iter().collect();
        assert!(!script.is_empty(), "a script needs a step");
        let listener = TcpListener::bind(address).await.expect("a free port");
        let address = listener.local_addr().expect("a bound port");
        let state = State { script, received: Vec::new(), connections: 0 };
        let (close, _) = broadcast::channel(1);
        let state = Arc::new(Mutex::new(state));
        let (release, stop) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
        let server = Server { address, state, max_streams, answers_pings, close, release, stop };
        let accepting = server.clone();
        tokio::spawn(async move {
            loop {
                let accepted = tokio::select! {
                    accepted = listener.accept() => accepted,
                    () = accepting.stop.notified() => return,
                };
                let Ok((stream, _)) = accepted else { return };
                accepting.with(|state| state.connections += 1);
                let serving = accepting.clone();
                tokio::spawn(async move { serving.serve(stream).await });
            }
        });
        server
    }

    /// `http://127.0.0.1:port/path`.
    #[must_use]
    pub fn url(&self, path: &str) -> String {
        format!("http://{}/{path}", self.address)
    }

    /// Where the server listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The requests that were read whole, in order.
    #[must_use]
    pub fn received(&self) -> Vec<Received> {
        self.with(|state| state.received.clone())
    }

    /// How many requests were read whole.
    #[must_use]
    pub fn requests(&self) -> usize {
        self.with(|state| state.received.len())
    }

    /// How many connections were accepted.
    #[must_use]
    pub fn connections(&self) -> usize {
        self.with(|state| state.connections)
    }

    /// Lets one request go on that its script holds, or will hold.
    pub fn release(&self) {
        self.release.notify_one();
    }

    /// Ends the server: its port refuses connections, and those that are open are closed.
    pub async fn stop(self) {
        self.stop.notify_one();
        self.close_connections();
        while TcpStream::connect(self.address).await.is_ok() {
            tokio::task::yield_now().await;
        }
    }

    /// Closes every connection that is open.
    pub fn close_connections(&self) {
        // Without a connection, nobody listens.
        let _ = self.close.send(());
    }

    fn with<T>(&self, read: impl FnOnce(&mut State) -> T) -> T {
        read(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn next_acts(&self, request: Received) -> Vec<Act> {
        self.with(|state| {
            state.received.push(request);
            match state.script.len() {
                1 => state.script[0].clone(),
                _ => state.script.pop_front().expect("a step"),
            }
        })
    }

    async fn serve(self, stream: TcpStream) {
        // Each act is a write of its own, which no other waits for.
        let _ = stream.set_nodelay(true);
        let mut closing = self.close.subscribe();
        let (reader, writer) = stream.into_split();
        let writer = Arc::new(AsyncMutex::new(Some(writer)));
        let connection = Connection { writer, aborted: Arc::new(Notify::new()) };
        let mut reading = pin!(self.read(reader, &connection));
        loop {
            tokio::select! {
                () = &mut reading => return,
                _ = closing.recv() => connection.close(false).await,
                // The half that reads is dropped with this future.
                () = connection.aborted.notified() => return,
            }
        }
    }

    async fn read(&self, mut reader: OwnedReadHalf, connection: &Connection) {
        let mut preface = [0; 24];
        if reader.read_exact(&mut preface).await.is_err() {
            return;
        }
        connection.send(frame::settings(self.max_streams)).await;
        let mut headers = loona_hpack::Decoder::new();
        let mut open: Vec<(u32, Received)> = Vec::new();
        while let Some(frame) = Frame::read(&mut reader).await {
            let ended = frame.flags & FLAG_END_STREAM != 0;
            match frame.kind {
                Kind::Settings if frame.flags & FLAG_ACK == 0 => {
                    connection.send(frame::settings_ack()).await;
                }
                Kind::Ping if frame.flags & FLAG_ACK == 0 && self.answers_pings => {
                    connection.send(frame::ping_ack(&frame.payload)).await;
                }
                Kind::Headers => {
                    assert!(frame.flags & FLAG_END_HEADERS != 0, "a head in one frame");
                    assert!(frame.flags & (FLAG_PADDED | FLAG_PRIORITY) == 0, "a plain head");
                    let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
                    let mut received = Received { headers: Vec::new(), body: Vec::new() };
                    let decoded = headers.decode(&frame.payload).expect("headers");
                    received.headers =
                        decoded.iter().map(|(name, value)| (text(name), text(value))).collect();
                    open.push((frame.stream, received));
                }
                Kind::Data => {
                    // Room for as much again, on the stream and on the connection.
                    let length = u32::try_from(frame.payload.len()).expect("a frame's length");
                    if length > 0 {
                        connection.send(frame::window_update(0, length)).await;
                        connection.send(frame::window_update(frame.stream, length)).await;
                    }
                    if let Some((_, request)) = find(&mut open, frame.stream) {
                        request.body.extend_from_slice(&frame.payload);
                    }
                }
                Kind::Reset => open.retain(|(stream, _)| *stream != frame.stream),
                _ => continue,
            }
            if !ended || !matches!(frame.kind, Kind::Headers | Kind::Data) {
                continue;
            }
            let Some(at) = open.iter().position(|(stream, _)| *stream == frame.stream) else {
                continue;
            };
            let acts = self.next_acts(open.remove(at).1);
            let acting = connection.clone();
            let release = self.release.clone();
            tokio::spawn(async move { acting.act(frame.stream, acts, &release).await });
        }
    }
}

fn find(open: &mut [(u32, Received)], stream: u32) -> Option<&mut (u32, Received)> {
    open.iter_mut().find(|(id, _)| *id == stream)
}

/// The half of a connection that is written to; none after it was closed.
#[derive(Clone)]
struct Connection {
    writer: Arc<AsyncMutex<Option<OwnedWriteHalf>>>,
    aborted: Arc<Notify>,
}

impl Connection {
    async fn act(&self, stream: u32, acts: Vec<Act>, release: &Notify) {
        for act in acts {
            let bytes = match act {
                Act::Head(status, headers) => {
                    let status = (":status", status.to_string());
                    let headers: Vec<_> = [status].into_iter().chain(headers).collect();
                    frame::headers(stream, &headers, false)
                }
                Act::Trailers(headers) => frame::headers(stream, &headers, true),
                Act::Data(bytes) => frame::data(stream, &bytes, false),
                Act::End => frame::data(stream, &[], true),
                Act::Reset(code) => frame::reset(stream, code),
                Act::GoAwayBelow(code) => frame::go_away(stream.saturating_sub(2), code),
                Act::GoAwayHere(code) => frame::go_away(stream, code),
                Act::Bytes(bytes) => bytes,
                Act::Wait(delay) => {
                    tokio::time::sleep(delay).await;
                    continue;
                }
                Act::Hold => {
                    release.notified().await;
                    continue;
                }
                Act::Close => return self.close(false).await,
                Act::Abort => return self.close(true).await,
                Act::Hang => return,
            };
            self.send(bytes).await;
        }
    }

    async fn send(&self, bytes: Vec<u8>) {
        if let Some(writer) = &mut *self.writer.lock().await {
            // The client may be gone, which its test will see.
            let _ = writer.write_all(&bytes).await;
        }
    }

    async fn close(&self, abort: bool) {
        let Some(writer) = self.writer.lock().await.take() else { return };
        if abort {
            // Closed with a lingering time of zero, a socket sends RST.
            let _ = writer.as_ref().set_zero_linger();
            writer.forget();
            self.aborted.notify_one();
        }
        // Dropped, a half shuts its direction down. The other one reads on, because a
        // socket that is closed with bytes unread sends RST.
    }
}
