//! A server of HTTP/1 on loopback for tests: it does with each request what its
//! script says, and keeps what it was sent. Real servers do not close a connection in
//! the middle of a body when a test would like them to. The
//! feature `http2` adds one of HTTP/2.

#[cfg(feature = "http2")]
pub mod http2;

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// What the server does with a request. After the last step it repeats that.
#[derive(Clone, Debug)]
pub enum Step {
    /// Answers with a status, headers and a body, and keeps the connection.
    Answer(u16, Vec<(&'static str, String)>, &'static str),
    /// Accepts a connection and closes it without reading. It counts no request.
    CloseOnAccept,
    /// Reads the request and closes the connection.
    Close,
    /// Reads the request and resets the connection.
    Reset,
    /// Answers 200, sends less than the body that it announced, and closes.
    CutBody,
    /// Answers what is not HTTP.
    Garbage,
    /// Reads the request and says nothing for this long; then it answers 200.
    Slow(Duration),
}

impl Step {
    /// An answer with nothing but its status and a short body.
    #[must_use]
    pub fn status(status: u16) -> Step {
        Step::Answer(status, Vec::new(), "body")
    }

    /// An answer 503 that asks its client to wait.
    #[must_use]
    pub fn busy(header: &'static str, value: impl Into<String>) -> Step {
        Step::Answer(503, vec![(header, value.into())], "busy")
    }
}

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

/// What says what to do with a request.
enum Script {
    Steps(VecDeque<Step>),
    Decide(Box<dyn FnMut(&Received) -> Step + Send>),
}

struct State {
    script: Script,
    received: Vec<Received>,
    connections: usize,
}

/// A running server. It ends with the runtime of the test.
#[derive(Clone)]
pub struct Server {
    address: SocketAddr,
    state: Arc<Mutex<State>>,
    refusals: UnboundedSender<Duration>,
}

/// How many connections may wait to be accepted: as many as tokio's own listeners have.
const BACKLOG: u32 = 1024;

impl Server {
    /// Starts a server on a free port of loopback.
    ///
    /// # Panics
    ///
    /// If there is none, or the script is empty.
    pub async fn start(script: impl IntoIterator<Item = Step>) -> Server {
        let script: VecDeque<Step> = script.into_iter().collect();
        assert!(!script.is_empty(), "a script needs a step");
        Server::listen(Script::Steps(script)).await
    }

    /// Starts a server that asks `decide` what to do with each request, and keeps none
    /// of them: for long runs.
    ///
    /// # Panics
    ///
    /// If there is no free port.
    pub async fn deciding(decide: impl FnMut(&Received) -> Step + Send + 'static) -> Server {
        Server::listen(Script::Decide(Box::new(decide))).await
    }

    async fn listen(script: Script) -> Server {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("a free port");
        let address = listener.local_addr().expect("a bound port");
        let state = State { script, received: Vec::new(), connections: 0 };
        let (refusals, refused) = unbounded_channel();
        let server = Server { address, state: Arc::new(Mutex::new(state)), refusals };
        let accepting = server.clone();
        tokio::spawn(async move { accepting.accept(listener, refused).await });
        server
    }

    /// Refuses every new connection for this long. Those that are open stay open.
    pub fn refuse(&self, time: Duration) {
        // The server runs as long as there is a runtime.
        let _ = self.refusals.send(time);
    }

    async fn accept(&self, mut listener: TcpListener, mut refusals: UnboundedReceiver<Duration>) {
        loop {
            let accepted = tokio::select! {
                accepted = listener.accept() => accepted,
                Some(time) = refusals.recv() => {
                    drop(listener);
                    listener = refuse_for(self.address, time).await;
                    continue;
                }
            };
            let Ok((stream, _)) = accepted else { return };
            self.with(|state| state.connections += 1);
            if self.closes_on_accept() {
                continue;
            }
            let serving = self.clone();
            tokio::spawn(async move { serving.serve(stream).await });
        }
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

    /// The requests that were read, in order.
    #[must_use]
    pub fn received(&self) -> Vec<Received> {
        self.with(|state| state.received.clone())
    }

    /// How many requests were read.
    #[must_use]
    pub fn requests(&self) -> usize {
        self.with(|state| state.received.len())
    }

    /// How many connections were accepted.
    #[must_use]
    pub fn connections(&self) -> usize {
        self.with(|state| state.connections)
    }

    fn with<T>(&self, read: impl FnOnce(&mut State) -> T) -> T {
        read(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Whether the script's next step needs no request. If so, that step is over.
    fn closes_on_accept(&self) -> bool {
        self.with(|state| match &mut state.script {
            Script::Steps(steps) if matches!(steps[0], Step::CloseOnAccept) => {
                next(steps);
                true
            }
            _ => false,
        })
    }

    fn step(&self, request: Received) -> Step {
        self.with(|state| match &mut state.script {
            Script::Steps(steps) => {
                state.received.push(request);
                next(steps)
            }
            Script::Decide(decide) => decide(&request),
        })
    }

    async fn serve(&self, mut stream: TcpStream) {
        while let Some(request) = read_request(&mut stream).await {
            let bytes = match self.step(request) {
                Step::Answer(status, headers, body) => answer(status, &headers, body),
                Step::Slow(delay) => {
                    tokio::time::sleep(delay).await;
                    answer(200, &[], "late")
                }
                Step::CutBody => {
                    let _ =
                        stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\ncut").await;
                    return;
                }
                Step::Garbage => {
                    let _ = stream.write_all(b"this is not the protocol\r\n\r\n").await;
                    return;
                }
                Step::Reset => {
                    // Closed with a lingering time of zero, a socket sends RST.
                    let _ = stream.set_zero_linger();
                    return;
                }
                Step::Close | Step::CloseOnAccept => return,
            };
            if stream.write_all(&bytes).await.is_err() {
                return;
            }
        }
    }
}

/// The first step, which the last one is for ever.
fn next(steps: &mut VecDeque<Step>) -> Step {
    match steps.len() {
        1 => steps[0].clone(),
        _ => steps.pop_front().expect("a step"),
    }
}

/// Keeps the address, so that nobody else gets it, without listening, and then
/// listens again.
async fn refuse_for(address: SocketAddr, time: Duration) -> TcpListener {
    let socket = TcpSocket::new_v4().expect("a socket");
    socket.set_reuseaddr(true).expect("an option that every system has");
    socket.bind(address).expect("the address is still ours");
    tokio::time::sleep(time).await;
    socket.listen(BACKLOG).expect("a bound socket")
}

fn answer(status: u16, headers: &[(&'static str, String)], body: &str) -> Vec<u8> {
    let mut text = format!("HTTP/1.1 {status} Scripted\r\ncontent-length: {}\r\n", body.len());
    for (name, value) in headers {
        text.push_str(&format!("{name}: {value}\r\n"));
    }
    text.push_str("\r\n");
    text.push_str(body);
    text.into_bytes()
}

/// Reads a request with its whole body; `None` at the end of the connection.
async fn read_request(stream: &mut TcpStream) -> Option<Received> {
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
