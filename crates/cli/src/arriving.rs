//! Bytes as they arrive, without waiting for them for ever.
//!
//! A thread reads, so that the one that takes the bytes can react to other things, such as
//! Ctrl-C, while nothing arrives. A file may grow: its end is final only after
//! nothing has come for a while.

use crate::same_file::{Next, SameFile};
use std::fs::File;
use std::io::{self, Read};
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

/// How long to wait for bytes before reacting to other things.
const PATIENCE: Duration = Duration::from_millis(50);
/// How often to look whether a file has grown.
const POLL: Duration = Duration::from_millis(50);
/// How many bytes are read at once.
const CHUNK: usize = 1 << 16;
/// How many chunks may wait to be taken.
const AHEAD: usize = 16;

/// A source of bytes.
pub(crate) struct Arriving {
    chunks: Receiver<io::Result<Piece>>,
}

/// What the thread that reads sends.
enum Piece {
    Bytes(Vec<u8>),
    Lost(&'static str),
}

/// What has arrived.
pub(crate) enum Arrival {
    Bytes(Vec<u8>),
    /// The file is another one now: what happened to it.
    Lost(&'static str),
    /// Nothing, for now.
    Nothing,
    End,
}

impl Arriving {
    pub(crate) fn standard_input() -> Self {
        Self::from(|sender| read(&mut io::stdin().lock(), &sender))
    }

    /// A file, which ends when it has not grown for `wait`. It has to stay the file that it is:
    /// if it is made shorter, replaced or removed, what comes next is not known.
    pub(crate) fn file(file: File, path: PathBuf, wait: Duration) -> Self {
        Self::from(move |sender| {
            let (mut file, mut buffer) = (SameFile::new(file, path), vec![0; CHUNK]);
            let mut last_growth = Instant::now();
            loop {
                let piece = match file.next(&mut buffer) {
                    Ok(Next::End) if last_growth.elapsed() >= wait => return,
                    Ok(Next::End) => {
                        thread::sleep(POLL);
                        continue;
                    }
                    Ok(Next::Bytes(bytes)) => Ok(Piece::Bytes(bytes)),
                    Ok(Next::Lost(why)) => Ok(Piece::Lost(why)),
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                    Err(error) => Err(error),
                };
                let is_last = !matches!(piece, Ok(Piece::Bytes(_)));
                // If the receiver is gone, nobody wants more.
                if sender.send(piece).is_err() || is_last {
                    return;
                }
                last_growth = Instant::now();
            }
        })
    }

    fn from(reader: impl FnOnce(SyncSender<io::Result<Piece>>) + Send + 'static) -> Self {
        let (sender, chunks) = sync_channel(AHEAD);
        thread::spawn(move || reader(sender));
        Self { chunks }
    }

    /// What has arrived since the last time.
    pub(crate) fn next(&self) -> io::Result<Arrival> {
        match self.chunks.recv_timeout(PATIENCE) {
            Ok(Ok(Piece::Bytes(bytes))) => Ok(Arrival::Bytes(bytes)),
            Ok(Ok(Piece::Lost(why))) => Ok(Arrival::Lost(why)),
            Ok(Err(error)) => Err(error),
            Err(RecvTimeoutError::Timeout) => Ok(Arrival::Nothing),
            Err(RecvTimeoutError::Disconnected) => Ok(Arrival::End),
        }
    }
}

/// Reads up to the end.
fn read(reader: &mut impl Read, sender: &SyncSender<io::Result<Piece>>) {
    let mut buffer = vec![0; CHUNK];
    loop {
        let piece = match reader.read(&mut buffer) {
            Ok(0) => return,
            Ok(n) => Ok(Piece::Bytes(buffer[..n].to_vec())),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => Err(error),
        };
        let failed = piece.is_err();
        if sender.send(piece).is_err() || failed {
            return;
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
                Arrival::Lost(why) => panic!("it {why}"),
                Arrival::End => return all,
            }
        }
    }

    fn follow(file: &tempfile::NamedTempFile, wait: u64) -> Arriving {
        let path = file.path().to_path_buf();
        Arriving::file(file.reopen().unwrap(), path, Duration::from_secs(wait))
    }

    #[test]
    fn a_file_that_grows_is_read_on() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(b"one ").unwrap();
        let arriving = follow(&file, 2);
        assert!(matches!(arriving.next().unwrap(), Arrival::Bytes(bytes) if bytes == b"one "));
        file.write_all(b"two").unwrap();
        assert_eq!(take(&arriving), b"two");
    }

    /// What is said of a file after something is done to it.
    fn lost(change: impl FnOnce(&mut tempfile::NamedTempFile)) -> &'static str {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(b"one two").unwrap();
        let arriving = follow(&file, 60);
        assert!(matches!(arriving.next().unwrap(), Arrival::Bytes(_)));
        change(&mut file);
        loop {
            match arriving.next().unwrap() {
                Arrival::Nothing => {}
                Arrival::Lost(why) => return why,
                Arrival::Bytes(bytes) => panic!("{} arrived", String::from_utf8_lossy(&bytes)),
                Arrival::End => panic!("it has ended"),
            }
        }
    }

    #[test]
    fn a_file_that_is_not_the_same_any_more_is_noticed() {
        assert_eq!(lost(|file| file.as_file().set_len(1).unwrap()), "was made shorter");
        assert_eq!(lost(|file| std::fs::remove_file(file.path()).unwrap()), "was removed");
        assert_eq!(
            lost(|file| {
                let other = file.path().with_extension("new");
                std::fs::write(&other, "one two").unwrap();
                std::fs::rename(other, file.path()).unwrap();
            }),
            "was replaced by another file"
        );
        // As if it had been cut, and then more were written than there was.
        let anew = |file: &mut tempfile::NamedTempFile| {
            let mut other = std::fs::OpenOptions::new().write(true).open(file.path()).unwrap();
            other.write_all(b"three four five").unwrap();
        };
        assert_eq!(lost(anew), "was written anew");
    }
}
