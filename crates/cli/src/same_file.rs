//! Checks that a file that is followed is still the one whose beginning was read.
//!
//! Logs are rotated: renamed and begun anew, or copied and cut (`copytruncate`). Reading
//! on as if nothing had happened would miss records, and lead to "holds" for a run that was
//! not seen. The name must still stand for the file that was opened; the file must not
//! be shorter than what was read of it; and the last bytes that were read must still be
//! where they were, which shows a file that was cut and has grown again since.

use std::fs::{self, File, Metadata};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::PathBuf;

/// How many bytes are compared.
const COMPARED: usize = 256;

/// A file that is followed.
pub(super) struct SameFile {
    file: File,
    path: PathBuf,
    /// How much was read, and the end of it.
    position: u64,
    last: Vec<u8>,
}

/// What was read from a file.
pub(super) enum Next {
    Bytes(Vec<u8>),
    /// Nothing new.
    End,
    /// It is not the same file any more: what happened to it.
    Lost(&'static str),
}

impl SameFile {
    pub(super) fn new(file: File, path: PathBuf) -> Self {
        Self {
            file,
            path,
            position: 0,
            last: Vec::new(),
        }
    }

    /// Reads on.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub(super) fn next(&mut self, buffer: &mut [u8]) -> io::Result<Next> {
        let opened = self.file.metadata()?;
        if !opened.is_file() {
            // Pipes and devices have no name that could stand for something else.
            let read = self.file.read(buffer)?;
            return Ok(match read {
                0 => Next::End,
                n => Next::Bytes(buffer[..n].to_vec()),
            });
        }
        // The known end and the new bytes are read at once, so that nothing happens in between.
        let known = self.last.len();
        self.file.seek(SeekFrom::Start(self.position - known as u64))?;
        let read = self.file.read(buffer)?;
        if read < known {
            return Ok(Next::Lost("was made shorter"));
        }
        if buffer[..known] != self.last {
            return Ok(Next::Lost("was written anew"));
        }
        if read == known {
            return Ok(self.named(&opened).map_or(Next::End, Next::Lost));
        }
        let new = &buffer[known..read];
        self.position += new.len() as u64;
        self.last = buffer[read.saturating_sub(COMPARED)..read].to_vec();
        Ok(Next::Bytes(new.to_vec()))
    }

    /// What happened to the file, if its name does not stand for it any more. What is left of it is read first.
    fn named(&self, opened: &Metadata) -> Option<&'static str> {
        match fs::metadata(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Some("was removed"),
            Ok(named) if !is_same(&named, opened) => Some("was replaced by another file"),
            _ => None,
        }
    }
}

#[cfg(unix)]
fn is_same(a: &Metadata, b: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (a.dev(), a.ino()) == (b.dev(), b.ino())
}

/// Whether two files are the same. Where files have no numbers, the time of their creation decides.
#[cfg(not(unix))]
fn is_same(a: &Metadata, b: &Metadata) -> bool {
    a.created().ok() == b.created().ok()
}
