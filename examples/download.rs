//! A download as a `Stream` that resumes where the connection broke.
//!
//! What it shows of the library: a [`Call`] that lives in the state of a stream. The loop is
//! not in one function, because the caller asks for one chunk after another; so each chunk
//! that arrives goes to the caller, and each break to [`Call::again`]. A chunk is progress:
//! after it the next break starts a call of its own.

use std::io;
use std::time::Duration;

use bytes::Bytes;
use futures_util::stream::{self, Stream, TryStreamExt};
use retry_runtime::{Backoff, Budget, Call, Outcome, Policy};

/// One for all downloads from this mirror.
static MIRROR: Budget = Budget::new(10, 0.1);

/// Breaks in a row, the first included, and how long a file may stand still.
const POLICY: Policy = Policy::new(4)
    .backoff(Backoff::exponential(Duration::from_millis(100), Duration::from_secs(5)))
    .within(Duration::from_secs(60));

/// A server that sends a file from an offset on.
trait Mirror {
    type Body: Stream<Item = io::Result<Bytes>> + Unpin;

    async fn open(&self, offset: u64) -> io::Result<Self::Body>;
}

fn classify(error: &io::Error) -> Outcome {
    match error.kind() {
        io::ErrorKind::ConnectionReset | io::ErrorKind::TimedOut => Outcome::Retry,
        _ => Outcome::Stop,
    }
}

struct Download<'m, M: Mirror> {
    mirror: &'m M,
    offset: u64,
    body: Option<M::Body>,
    call: Call<'static>,
}

impl<M: Mirror> Download<'_, M> {
    /// One attempt: the next chunk, or `None` at the end of the file.
    async fn chunk(&mut self) -> io::Result<Option<Bytes>> {
        let body = match &mut self.body {
            Some(body) => body,
            closed => closed.insert(self.mirror.open(self.offset).await?),
        };
        body.try_next().await
    }

    async fn next(&mut self) -> io::Result<Option<Bytes>> {
        loop {
            let result = self.chunk().await;
            let outcome = result.as_ref().map_or_else(classify, |_| Outcome::Success);
            if self.call.again(outcome).await {
                self.body = None;
                continue;
            }
            if let Ok(Some(chunk)) = &result {
                self.offset += chunk.len() as u64;
                self.call = POLICY.call(&MIRROR).named("mirror.download");
            }
            return result;
        }
    }
}

/// The chunks of a file. An error is the last item.
fn download<M: Mirror>(mirror: &M) -> impl Stream<Item = io::Result<Bytes>> {
    let call = POLICY.call(&MIRROR).named("mirror.download");
    let start = Download { mirror, offset: 0, body: None, call };
    stream::try_unfold(start, async |mut download| {
        Ok(download.next().await?.map(|chunk| (chunk, download)))
    })
}

/// A mirror that breaks off after each chunk or two.
struct Shaky {
    file: Vec<u8>,
}

impl Mirror for Shaky {
    type Body = stream::Iter<std::vec::IntoIter<io::Result<Bytes>>>;

    async fn open(&self, offset: u64) -> io::Result<Self::Body> {
        println!("GET from {offset}");
        let rest = &self.file[offset as usize..];
        let chunks = rest.chunks(4).map(|chunk| Ok(Bytes::copy_from_slice(chunk)));
        let mut items: Vec<io::Result<Bytes>> = chunks.take(2).collect();
        if rest.len() > 8 {
            items.push(Err(io::ErrorKind::ConnectionReset.into()));
        }
        Ok(stream::iter(items))
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> io::Result<()> {
    let mirror = Shaky { file: b"resumable downloads".to_vec() };
    let mut file = Vec::new();
    let mut chunks = std::pin::pin!(download(&mirror));
    while let Some(chunk) = chunks.try_next().await? {
        file.extend_from_slice(&chunk);
    }
    println!("{}", String::from_utf8_lossy(&file));
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    /// Sends one chunk of `sends` bytes for each connection, or none.
    struct Mirrored {
        sends: Vec<usize>,
        opened: Mutex<Vec<u64>>,
    }

    impl Mirror for Mirrored {
        type Body = stream::Iter<std::vec::IntoIter<io::Result<Bytes>>>;

        async fn open(&self, offset: u64) -> io::Result<Self::Body> {
            let mut opened = self.opened.lock().unwrap();
            let sends = self.sends.get(opened.len()).copied();
            opened.push(offset);
            let broken = || Err(io::ErrorKind::ConnectionReset.into());
            Ok(stream::iter(match sends {
                None => Vec::new(),
                Some(0) => vec![broken()],
                Some(sends) => vec![Ok(Bytes::from(vec![7; sends])), broken()],
            }))
        }
    }

    async fn downloaded(sends: &[usize]) -> (io::Result<usize>, Vec<u64>) {
        MIRROR.reset();
        let mirror = Mirrored { sends: sends.to_vec(), opened: Mutex::default() };
        let sum = |sum, chunk: Bytes| async move { Ok(sum + chunk.len()) };
        let result = download(&mirror).try_fold(0, sum).await;
        (result, mirror.opened.into_inner().unwrap())
    }

    // One test, because the budget is one.
    #[tokio::test(start_paused = true)]
    async fn it_goes_on_where_it_broke_and_gives_up_without_progress() {
        // Five breaks, none of which follows another without a chunk between them.
        let (result, opened) = downloaded(&[10, 20, 30, 40, 50]).await;
        assert_eq!((result.unwrap(), opened), (150, vec![0, 10, 30, 60, 100, 150]));
        // Four attempts without a chunk.
        let (result, opened) = downloaded(&[10, 0, 0, 0, 0, 9]).await;
        assert_eq!(result.unwrap_err().kind(), io::ErrorKind::ConnectionReset);
        assert_eq!(opened, [0, 10, 10, 10]);
    }
}
