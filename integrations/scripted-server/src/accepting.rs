//! Connections, accepted on loopback until the server refuses them or ends.

use std::net::SocketAddr;
use std::time::Duration;

use tokio::net::{TcpListener, TcpSocket, TcpStream, ToSocketAddrs};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// How many connections may wait to be accepted: as many as tokio's own listeners have.
const BACKLOG: u32 = 1024;

/// An address at which connections are accepted.
#[derive(Clone)]
pub(crate) struct Door {
    address: SocketAddr,
    commands: UnboundedSender<Command>,
}

enum Command {
    Refuse(Duration),
    #[cfg(feature = "http2")]
    Stop,
}

/// What accepts the connections of a [`Door`], once it runs.
pub(crate) struct Accepting {
    listener: TcpListener,
    address: SocketAddr,
    commands: UnboundedReceiver<Command>,
}

impl Door {
    pub(crate) async fn open(address: impl ToSocketAddrs) -> (Door, Accepting) {
        let listener = TcpListener::bind(address).await.expect("a free port");
        let address = listener.local_addr().expect("a bound port");
        let (sender, commands) = unbounded_channel();
        (Door { address, commands: sender }, Accepting { listener, address, commands })
    }

    pub(crate) const fn address(&self) -> SocketAddr {
        self.address
    }

    /// `http://127.0.0.1:port/path`.
    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}/{path}", self.address)
    }

    /// Refuses every new connection for this long. Those that are open stay open.
    pub(crate) fn refuse(&self, time: Duration) {
        self.command(Command::Refuse(time));
    }

    /// Refuses every new connection from now on.
    #[cfg(feature = "http2")]
    pub(crate) async fn close(&self) {
        self.command(Command::Stop);
        while TcpStream::connect(self.address).await.is_ok() {
            tokio::task::yield_now().await;
        }
    }

    fn command(&self, command: Command) {
        // The server runs as long as there is a runtime.
        let _ = self.commands.send(command);
    }
}

impl Accepting {
    /// Hands each connection to `serve`, until the server ends.
    pub(crate) async fn run(mut self, mut serve: impl FnMut(TcpStream)) {
        loop {
            tokio::select! {
                accepted = self.listener.accept() => match accepted {
                    Ok((stream, _)) => serve(stream),
                    Err(_) => return,
                },
                Some(command) = self.commands.recv() => match command {
                    Command::Refuse(time) => {
                        drop(self.listener);
                        self.listener = refuse_for(self.address, time).await;
                    }
                    #[cfg(feature = "http2")]
                    Command::Stop => return,
                },
            }
        }
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
