//! The half of a connection that is written to.

use std::sync::Arc;

use tokio::io::AsyncWriteExt;
use tokio::net::tcp::OwnedWriteHalf;
use tokio::sync::{Mutex as AsyncMutex, Notify};

use super::{Act, frame};

/// The half of a connection that is written to; none after it was closed.
#[derive(Clone)]
pub(super) struct Connection {
    writer: Arc<AsyncMutex<Option<OwnedWriteHalf>>>,
    pub(super) aborted: Arc<Notify>,
}

impl Connection {
    pub(super) fn new(writer: OwnedWriteHalf) -> Connection {
        let writer = Arc::new(AsyncMutex::new(Some(writer)));
        Connection { writer, aborted: Arc::new(Notify::new()) }
    }

    pub(super) async fn act(&self, stream: u32, acts: Vec<Act>, release: &Notify) {
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

    pub(super) async fn send(&self, bytes: Vec<u8>) {
        if let Some(writer) = &mut *self.writer.lock().await {
            // The client may be gone, which its test will see.
            let _ = writer.write_all(&bytes).await;
        }
    }

    pub(super) async fn close(&self, abort: bool) {
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
