//! A server of HTTP/2 on loopback that writes frames: for each request those of its
//! script. h2's own server follows the protocol, so it cannot answer a stream that it
//! has refused, or close a connection in the middle of a frame.

mod act;
#[allow(missing_docs)]
pub mod code;
mod connection;
mod frame;

use std::net::SocketAddr;
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::io::AsyncReadExt;
use tokio::net::tcp::OwnedReadHalf;
use tokio::net::{TcpStream, ToSocketAddrs};
use tokio::sync::{Notify, broadcast};

pub use self::act::Act;
use self::connection::Connection;
use self::frame::{FLAG_ACK, FLAG_END_HEADERS, FLAG_END_STREAM, FLAG_PADDED, FLAG_PRIORITY};
use self::frame::{Frame, Kind};
use crate::accepting::Door;
use crate::steps::Steps;

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
    script: Steps<Vec<Act>>,
    received: Vec<Received>,
    connections: usize,
}

/// A running server. It ends with the runtime of the test.
#[derive(Clone)]
pub struct Server {
    door: Door,
    state: Arc<Mutex<State>>,
    max_streams: Option<u32>,
    answers_pings: bool,
    close: broadcast::Sender<()>,
    release: Arc<Notify>,
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
        let (script, received) = (Steps::new(script), Vec::new());
        let (door, accepting) = Door::open(address).await;
        let state = Arc::new(Mutex::new(State { script, received, connections: 0 }));
        let ((close, _), release) = (broadcast::channel(1), Arc::new(Notify::new()));
        let server = Server { door, state, max_streams, answers_pings, close, release };
        let running = server.clone();
        tokio::spawn(accepting.run(move |stream| {
            running.with(|state| state.connections += 1);
            tokio::spawn(running.clone().serve(stream));
        }));
        server
    }

    /// `http://127.0.0.1:port/path`.
    #[must_use]
    pub fn url(&self, path: &str) -> String {
        self.door.url(path)
    }

    /// Where the server listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.door.address()
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
        self.door.close().await;
        self.close_connections();
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
            state.script.next()
        })
    }

    async fn serve(self, stream: TcpStream) {
        // Each act is a write of its own, which no other waits for.
        let _ = stream.set_nodelay(true);
        let mut closing = self.close.subscribe();
        let (reader, writer) = stream.into_split();
        let connection = Connection::new(writer);
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
