//! Files, with the names of `std::fs`. In a check each [node](crate::node) has a disk of its own.
//!
//! A node that [restarts](crate::node::spawn_restarting) after a crash finds on its disk what was synced: what is in a file after
//! [`File::sync_all`], its name after the same of its directory, which is opened like a file. Of what was done since, the
//! disk keeps a beginning, and the search tries all of them. [`Faults`](crate::Faults) allows more: changes that are missing although
//! later ones are there, and writes that are cut off. Renaming is atomic. Directories are there at once and for ever.
//!
//! A disk is empty when an execution begins. Threads outside all nodes have a disk together. Outside a check, files are std's.

mod disk;

pub(crate) use disk::{Disk, recover};

use crate::node::may_crash;
use crate::runtime::{self, Runtime};
use disk::{FileId, plain, with};
use std::fmt;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// An open file or directory, as `std::fs::File`.
///
/// ```
/// use mazurka::fs::{self, File};
/// use std::io::{Read, Seek, Write};
///
/// mazurka::check(|| {
///     let mut file = File::options().read(true).write(true).create(true).open("log").unwrap();
///     file.write_all(b"one").unwrap();
///     file.sync_all().unwrap();
///     File::open(".").unwrap().sync_all().unwrap(); // the name
///     file.rewind().unwrap();
///     let mut text = String::new();
///     file.read_to_string(&mut text).unwrap();
///     assert_eq!(text, "one");
/// });
/// ```
pub struct File {
    inner: Inner,
}

enum Inner {
    Std(std::fs::File),
    Directory(PathBuf),
    Controlled {
        file: FileId,
        position: Arc<Mutex<usize>>,
        options: OpenOptions,
    },
}

/// How a file is opened, as `std::fs::OpenOptions`.
#[derive(Clone, Debug, Default)]
pub struct OpenOptions {
    read: bool,
    write: bool,
    append: bool,
    truncate: bool,
    create: bool,
    create_new: bool,
}

/// Makes the setters of the options.
macro_rules! options {
    ($($(#[$doc:meta])+ $option:ident)+) => {
        $($(#[$doc])+
        pub fn $option(&mut self, $option: bool) -> &mut OpenOptions {
            self.$option = $option;
            self
        })+
    };
}

impl OpenOptions {
    /// None of the options.
    pub fn new() -> OpenOptions {
        OpenOptions::default()
    }

    options! {
        /// To read.
        read
        /// To write.
        write
        /// To write at the end, wherever that is then.
        append
        /// To begin with an empty file.
        truncate
        /// To make the file if there is none.
        create
        /// To make the file, which must not be there.
        create_new
    }

    /// Opens the file.
    #[track_caller]
    pub fn open(&self, path: impl AsRef<Path>) -> io::Result<File> {
        let Some(rt) = runtime::current() else {
            let mut options = std::fs::OpenOptions::new();
            options.read(self.read).write(self.write).append(self.append);
            options
                .truncate(self.truncate)
                .create(self.create)
                .create_new(self.create_new);
            let inner = Inner::Std(options.open(path)?);
            return Ok(File { inner });
        };
        let writes = self.write || self.append;
        if !writes && (!self.read || self.create || self.create_new || self.truncate) {
            return Err(io::Error::from(io::ErrorKind::InvalidInput));
        }
        let path = plain(path.as_ref());
        let changes = self.create || self.create_new || self.truncate;
        let inner = with(&rt, changes, |disk| {
            if disk.has_directory(&path) && !writes {
                return Ok(Inner::Directory(path));
            }
            let file = match disk.find(&path) {
                Ok(_) if self.create_new => return Err(io::Error::from(io::ErrorKind::AlreadyExists)),
                Ok(file) => file,
                Err(_) if self.create || self.create_new => disk.create(&path)?,
                Err(error) => return Err(error),
            };
            if self.truncate {
                disk.set_length(file, 0);
            }
            Ok(Inner::Controlled {
                file,
                position: Arc::default(),
                options: self.clone(),
            })
        });
        Ok(File { inner: inner? })
    }
}

impl File {
    /// Opens a file to read it, or a directory to sync it.
    #[track_caller]
    pub fn open(path: impl AsRef<Path>) -> io::Result<File> {
        OpenOptions::new().read(true).open(path)
    }

    /// Opens a file to write it, made or emptied before.
    #[track_caller]
    pub fn create(path: impl AsRef<Path>) -> io::Result<File> {
        OpenOptions::new().write(true).create(true).truncate(true).open(path)
    }

    /// Makes a file to read and write it. Fails if it is there.
    #[track_caller]
    pub fn create_new(path: impl AsRef<Path>) -> io::Result<File> {
        OpenOptions::new().read(true).write(true).create_new(true).open(path)
    }

    /// The options of opening a file.
    pub fn options() -> OpenOptions {
        OpenOptions::new()
    }

    /// Waits until what was done to the file, or to the names in the directory, is on the disk.
    #[track_caller]
    pub fn sync_all(&self) -> io::Result<()> {
        if let Inner::Std(file) = &self.inner {
            return file.sync_all();
        }
        if let Some(rt) = runtime::current() {
            may_crash(&rt);
            with(&rt, true, |disk| match &self.inner {
                Inner::Std(_) => {}
                Inner::Directory(path) => disk.sync_directory(path),
                Inner::Controlled { file, .. } => disk.sync(*file),
            });
        }
        Ok(())
    }

    /// In a check, the same as [`sync_all`](File::sync_all).
    #[track_caller]
    pub fn sync_data(&self) -> io::Result<()> {
        match &self.inner {
            Inner::Std(file) => file.sync_data(),
            _ => self.sync_all(),
        }
    }

    /// Cuts the file off, or adds zeros.
    #[track_caller]
    pub fn set_len(&self, size: u64) -> io::Result<()> {
        if let Inner::Std(file) = &self.inner {
            return file.set_len(size);
        }
        let (rt, file, ..) = self.controlled(|options| options.write || options.append)?;
        let size = usize::try_from(size).map_err(io::Error::other)?;
        with(&rt, true, |disk| disk.set_length(file, size));
        Ok(())
    }

    /// Another handle of the same open file.
    pub fn try_clone(&self) -> io::Result<File> {
        let inner = match &self.inner {
            Inner::Std(file) => Inner::Std(file.try_clone()?),
            Inner::Directory(path) => Inner::Directory(path.clone()),
            Inner::Controlled {
                file,
                position,
                options,
            } => Inner::Controlled {
                file: *file,
                position: Arc::clone(position),
                options: options.clone(),
            },
        };
        Ok(File { inner })
    }

    /// What an operation on a controlled file needs, if its options allow the operation.
    fn controlled(
        &self,
        allow: impl Fn(&OpenOptions) -> bool,
    ) -> io::Result<(std::rc::Rc<Runtime>, FileId, Position<'_>)> {
        let Inner::Controlled {
            file,
            position,
            options,
        } = &self.inner
        else {
            return Err(io::Error::from(io::ErrorKind::IsADirectory));
        };
        if !allow(options) {
            return Err(io::Error::from(io::ErrorKind::PermissionDenied));
        }
        let rt = runtime::current().ok_or_else(|| io::Error::from(io::ErrorKind::Interrupted))?;
        Ok((rt, *file, Position(position, options.append)))
    }
}

/// Where a handle reads and writes, and whether it writes at the end.
struct Position<'a>(&'a Mutex<usize>, bool);

impl Position<'_> {
    fn lock(&self) -> MutexGuard<'_, usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Read for &File {
    #[track_caller]
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if let Inner::Std(file) = &self.inner {
            return { file }.read(buffer);
        }
        let (rt, file, position) = self.controlled(|options| options.read)?;
        Ok(with(&rt, false, |disk| {
            let mut at = position.lock();
            let rest = disk.bytes(file).get(*at..).unwrap_or_default();
            let n = rest.len().min(buffer.len());
            buffer[..n].copy_from_slice(&rest[..n]);
            *at += n;
            n
        }))
    }
}

impl Write for &File {
    #[track_caller]
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if let Inner::Std(file) = &self.inner {
            return { file }.write(bytes);
        }
        let (rt, file, position) = self.controlled(|options| options.write || options.append)?;
        with(&rt, true, |disk| {
            let mut at = position.lock();
            if position.1 {
                *at = disk.bytes(file).len();
            }
            disk.write(file, *at, bytes);
            *at += bytes.len();
        });
        Ok(bytes.len())
    }

    #[track_caller]
    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        match &self.inner {
            Inner::Std(file) => { file }.write_all(bytes),
            // Nothing is written in parts.
            _ => self.write(bytes).map(drop),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Seek for &File {
    #[track_caller]
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        if let Inner::Std(file) = &self.inner {
            return { file }.seek(to);
        }
        let (rt, file, position) = self.controlled(|_| true)?;
        let length = match to {
            SeekFrom::End(_) => with(&rt, false, |disk| disk.bytes(file).len()),
            _ => 0,
        };
        let mut at = position.lock();
        let sum = |start: usize, by: i64| i64::try_from(start).ok()?.checked_add(by);
        let target = match to {
            SeekFrom::Start(n) => i64::try_from(n).ok(),
            SeekFrom::End(by) => sum(length, by),
            SeekFrom::Current(by) => sum(*at, by),
        };
        let target = target.and_then(|n| usize::try_from(n).ok());
        *at = target.ok_or_else(|| io::Error::from(io::ErrorKind::InvalidInput))?;
        Ok(*at as u64)
    }
}

impl Read for File {
    #[track_caller]
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        (&*self).read(buffer)
    }
}

impl Write for File {
    #[track_caller]
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        (&*self).write(bytes)
    }

    #[track_caller]
    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        (&*self).write_all(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Seek for File {
    #[track_caller]
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        (&*self).seek(to)
    }
}

impl fmt::Debug for File {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("File").finish_non_exhaustive()
    }
}

/// Reads a whole file.
#[track_caller]
pub fn read(path: impl AsRef<Path>) -> io::Result<Vec<u8>> {
    match runtime::current() {
        None => std::fs::read(path),
        Some(rt) => with(&rt, false, |disk| {
            let file = disk.find(&plain(path.as_ref()))?;
            Ok(disk.bytes(file).to_vec())
        }),
    }
}

/// Reads a whole file as text.
#[track_caller]
pub fn read_to_string(path: impl AsRef<Path>) -> io::Result<String> {
    String::from_utf8(read(path)?).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
}

/// Makes or empties a file, and writes it.
#[track_caller]
pub fn write(path: impl AsRef<Path>, contents: impl AsRef<[u8]>) -> io::Result<()> {
    match runtime::current() {
        None => std::fs::write(path, contents),
        Some(_) => File::create(path)?.write_all(contents.as_ref()),
    }
}

/// Gives a file another name, and takes that from the file that has it, in one.
#[track_caller]
pub fn rename(from: impl AsRef<Path>, to: impl AsRef<Path>) -> io::Result<()> {
    match runtime::current() {
        None => std::fs::rename(from, to),
        Some(rt) => with(&rt, true, |disk| {
            disk.rename(&plain(from.as_ref()), &plain(to.as_ref()))
        }),
    }
}

/// Takes its name from a file.
#[track_caller]
pub fn remove_file(path: impl AsRef<Path>) -> io::Result<()> {
    match runtime::current() {
        None => std::fs::remove_file(path),
        Some(rt) => with(&rt, true, |disk| disk.remove(&plain(path.as_ref()))),
    }
}

/// True if there is a file or directory of this name.
#[track_caller]
pub fn exists(path: impl AsRef<Path>) -> io::Result<bool> {
    match runtime::current() {
        None => std::fs::exists(path),
        Some(rt) => Ok(with(&rt, false, |disk| {
            let path = plain(path.as_ref());
            disk.find(&path).is_ok() || disk.has_directory(&path)
        })),
    }
}

/// Makes a directory and those that it is in, where there are none. In a check, they are on the disk at once.
#[track_caller]
pub fn create_dir_all(path: impl AsRef<Path>) -> io::Result<()> {
    match runtime::current() {
        None => std::fs::create_dir_all(path),
        Some(rt) => with(&rt, true, |disk| {
            let path = plain(path.as_ref());
            for directory in path.ancestors() {
                if disk.find(directory).is_ok() {
                    return Err(io::Error::from(io::ErrorKind::AlreadyExists));
                }
                disk.make_directory(directory);
            }
            Ok(())
        }),
    }
}
