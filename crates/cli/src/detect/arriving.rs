//! Bytes as they arrive, without waiting for them in vain.
//!
//! A thread reads; who takes the bytes can look after other things in between, such as
//! Ctrl-C, though nothing arrives. A file may grow: its end is final only after
//! nothing has come for a while.

use std::fs::File;
use std::io::{self, Read};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

/// How long to wait for bytes before looking after other things.
const PATIENCE: Duration = Duration::from_millis(50);
/// How often to look whether a file has grown.
const POLL: Duration = Duration::from_millis(50);
/// How many bytes are read at once.
const CHUNK: usize = 1 << 16;
/// How many chunks may wait to be taken.
const AHEAD: usize = 16;

/// A source of bytes.
pub(crate) struct Arriving {
    chunks: Receiver<io::Result<Vec<u8>>>,
}

/// What has arrived.
pub(crate) enum Arrival {
    Bytes(Vec<u8>),
    /// Nothing, for now.
    Nothing,
    End,
}

impl Arriving {
    pub(crate) fn standard_input() -> Self {
        Self::from(|sender| read(&mut io::stdin().lock(), &sender))
    }

    /// A file, which ends when it has not grown for `wait`.
    pub(crate) fn file(mut file: File, wait: Duration) -> Self {
        Self::from(move |sender| {
            let mut last_growth = Instant::now();
            let mut position = 0;
            loop {
                let read = read(&mut file, &sender);
                if read > 0 {
                    position += read;
                    last_growth = Instant::now();
                }
                if last_growth.elapsed() >= wait {
                    return read;
                }
                if file
                    .metadata()
                    .is_ok_and(|found| found.is_file() && found.len() < position)
                {
                    let error = io::Error::other("it was made shorter while it was followed");
                    let _ = sender.send(Err(error));
                    return read;
                }
                thread::sleep(POLL);
            }
        })
    }

    fn from(reader: impl FnOnce(SyncSender<io::Result<Vec<u8>>>) -> u64 + Send + 'static) -> Self {
        let (sender, chunks) = sync_channel(AHEAD);
        thread::spawn(move || reader(sender));
        Self { chunks }
    }

    /// What has arrived since the last time.
    pub(crate) fn next(&self) -> io::Result<Arrival> {
        match self.chunks.recv_timeout(PATIENCE) {
            Ok(chunk) => chunk.map(Arrival::Bytes),
            Err(RecvTimeoutError::Timeout) => Ok(Arrival::Nothing),
            Err(RecvTimeoutError::Disconnected) => Ok(Arrival::End),
        }
    }
}

/// Reads up to the end; how many bytes that was.
fn read(reader: &mut impl Read, sender: &SyncSender<io::Result<Vec<u8>>>) -> u64 {
    let (mut buffer, mut total) = (vec![0; CHUNK], 0);
    loop {
        match reader.read(&mut buffer) {
            Ok(0) => return total,
            Ok(n) => {
                total += n as u64;
                if sender.send(Ok(buffer[..n].to_vec())).is_err() {
                    // Nobody wants more.
                    return total;
                }
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => {
                let _ = sender.send(Err(error));
                return total;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn take(arriving: &Arriving) -> Vec<u8> {
        let mut all = Vec::new();
        loop {
            match arriving.next().unwrap() {
                Arrival::Bytes(bytes) => all.extend(bytes),
                Arrival::Nothing => {}
                Arrival::End => return all,
            }
        }
    }

    #[test]
    fn a_file_that_grows_is_read_on() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(b"one ").unwrap();
        let arriving = Arriving::file(file.reopen().unwrap(), Duration::from_secs(2));
        assert!(matches!(arriving.next().unwrap(), Arrival::Bytes(bytes) if bytes == b"one "));
        file.write_all(b"two").unwrap();
        assert_eq!(take(&arriving), b"two");
    }

    #[test]
    fn a_file_that_shrinks_is_an_error() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(b"one two").unwrap();
        let arriving = Arriving::file(file.reopen().unwrap(), Duration::from_secs(60));
        assert!(matches!(arriving.next().unwrap(), Arrival::Bytes(_)));
        file.as_file().set_len(1).unwrap();
        let error = loop {
            match arriving.next() {
                Ok(Arrival::Nothing) => {}
                Ok(_) => panic!("nothing has arrived"),
                Err(error) => break error,
            }
        };
        assert!(error.to_string().contains("shorter"), "{error}");
    }
}
