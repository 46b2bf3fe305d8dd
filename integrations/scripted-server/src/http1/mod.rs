//! A server of HTTP/1.

mod message;

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

pub use self::message::Received;
use crate::accepting::Door;
use crate::steps::Steps;

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

/// What says what to do with a request.
enum Script {
    Steps(Steps<Step>),
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
    door: Door,
    state: Arc<Mutex<State>>,
}

impl Server {
    /// Starts a server on a free port of loopback.
    ///
    /// # Panics
    ///
    /// If there is none, or the script is empty.
    pub async fn start(script: impl IntoIterator<Item = Step>) -> Server {
        Server::listen(Script::Steps(Steps::new(script))).await
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
        let (door, accepting) = Door::open(("127.0.0.1", 0)).await;
        let state = State { script, received: Vec::new(), connections: 0 };
        let server = Server { door, state: Arc::new(Mutex::new(state)) };
        let running = server.clone();
        tokio::spawn(accepting.run(move |stream| {
            running.with(|state| state.connections += 1);
            if !running.closes_on_accept() {
                tokio::spawn(running.clone().serve(stream));
            }
        }));
        server
    }

    /// Refuses every new connection for this long. Those that are open stay open.
    pub fn refuse(&self, time: Duration) {
        self.door.refuse(time);
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
            Script::Steps(steps) if matches!(steps.peek(), Step::CloseOnAccept) => {
                steps.next();
                true
            }
            _ => false,
        })
    }

    fn step(&self, request: Received) -> Step {
        self.with(|state| match &mut state.script {
            Script::Steps(steps) => {
                state.received.push(request);
                steps.next()
            }
            Script::Decide(decide) => decide(&request),
        })
    }

    async fn serve(self, mut stream: TcpStream) {
        while let Some(request) = message::read_request(&mut stream).await {
            let bytes = match self.step(request) {
                Step::Answer(status, headers, body) => message::answer(status, &headers, body),
                Step::Slow(delay) => {
                    tokio::time::sleep(delay).await;
                    message::answer(200, &[], "late")
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
