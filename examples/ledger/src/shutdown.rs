//! The end of the service: SIGTERM, SIGINT.

use std::io;
use std::time::Duration;

use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;

/// Whether the service is to end, for everyone who waits.
#[derive(Clone, Debug)]
pub struct Shutdown {
    requested: watch::Receiver<bool>,
}

impl Shutdown {
    /// Requested by SIGTERM and SIGINT.
    pub fn on_signals() -> io::Result<Shutdown> {
        let (sender, shutdown) = Shutdown::by_hand();
        let (mut term, mut int) =
            (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
        tokio::spawn(async move {
            tokio::select! {
                _ = term.recv() => {}
                _ = int.recv() => {}
            }
            sender.send_replace(true);
            // A sender that is dropped would not be heard.
            std::future::pending::<()>().await;
        });
        Ok(shutdown)
    }

    /// Requested by `send_replace(true)`.
    pub fn by_hand() -> (watch::Sender<bool>, Shutdown) {
        let (sender, requested) = watch::channel(false);
        (sender, Shutdown { requested })
    }

    /// Completes when the end is requested; never, if nobody can request it any more.
    pub async fn requested(&self) {
        if self.requested.clone().wait_for(|requested| *requested).await.is_err() {
            std::future::pending().await
        }
    }

    /// Completes when what still runs has had its time.
    pub async fn overdue(&self) {
        self.requested().await;
        tokio::time::sleep(Duration::from_millis(800)).await;
    }
}
