//! A disk: what a node reads back at once, and what it will find after a crash.
//!
//! Everything that a node does to its disk is a *change*, in order: bytes are written, the length of a file is set, names are given
//! to files and taken from them. A change is there for the node at once, and on the disk for certain only when it was synced: what is in
//! a file by a sync of the file, and its name by a sync of the directory, as POSIX says (Pillai, Chidambaram, Alagappan, Al-Kiswany,
//! Arpaci-Dusseau, Arpaci-Dusseau, *All File Systems Are Not Created Equal*, OSDI 2014). All names that one change concerns are changed
//! together, so renaming is atomic.
//!
//! In a crash the disk keeps a beginning of the changes that were not synced. With [`Faults::reordered_writes`](crate::Faults) some of
//! them before the last one that it keeps are missing, and with `torn_writes` some writes are cut off.

use crate::net::place::Place;
use crate::net::{fault, node_of};
use crate::runtime::Runtime;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::panic::Location;
use std::path::{Component, Path, PathBuf};
use std::rc::Rc;

/// The number of a file, whatever its names are.
pub(super) type FileId = usize;

/// Which file has which name.
type Names = BTreeMap<PathBuf, FileId>;

/// A disk of an execution.
#[derive(Default)]
pub(crate) struct Disk {
    object: Option<Rc<Place>>,
    directories: BTreeSet<PathBuf>,
    now: Contents,
    synced: Contents,
    /// What distinguishes the two, in the order in which it was done.
    changes: Vec<Change>,
}

/// What is on a disk.
#[derive(Clone, Default)]
struct Contents {
    names: Names,
    files: BTreeMap<FileId, Vec<u8>>,
}

#[derive(Clone)]
enum Change {
    Write(FileId, usize, Vec<u8>),
    Length(FileId, usize),
    Names(Vec<(PathBuf, Option<FileId>)>),
}

impl Contents {
    fn change(&mut self, change: &Change) {
        match change {
            Change::Write(file, at, bytes) => {
                let content = self.files.entry(*file).or_default();
                let end = at + bytes.len();
                if content.len() < end {
                    content.resize(end, 0);
                }
                content[*at..end].copy_from_slice(bytes);
            }
            Change::Length(file, length) => self.files.entry(*file).or_default().resize(*length, 0),
            Change::Names(names) => {
                for (name, file) in names {
                    match file {
                        Some(file) => self.names.insert(name.clone(), *file),
                        None => self.names.remove(name),
                    };
                }
            }
        }
    }
}

impl Disk {
    fn change(&mut self, change: Change) {
        self.now.change(&change);
        self.changes.push(change);
    }

    /// The file of this name.
    pub(super) fn find(&self, name: &Path) -> io::Result<FileId> {
        let found = self.now.names.get(name).copied();
        found.ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))
    }

    /// True if there is a directory of this name.
    pub(super) fn has_directory(&self, name: &Path) -> bool {
        name.as_os_str().is_empty() || name == Path::new("/") || self.directories.contains(name)
    }

    /// Makes an empty file of a name that no file has.
    pub(super) fn create(&mut self, name: &Path) -> io::Result<FileId> {
        if !self.has_directory(parent(name)) {
            return Err(io::Error::from(io::ErrorKind::NotFound));
        }
        if self.has_directory(name) {
            return Err(io::Error::from(io::ErrorKind::IsADirectory));
        }
        let file = self.now.files.len();
        self.now.files.insert(file, Vec::new());
        self.change(Change::Names(vec![(name.to_owned(), Some(file))]));
        Ok(file)
    }

    /// Makes a directory. It is on the disk at once.
    pub(super) fn make_directory(&mut self, name: &Path) {
        self.directories.insert(name.to_owned());
    }

    pub(super) fn remove(&mut self, name: &Path) -> io::Result<()> {
        self.find(name)?;
        self.change(Change::Names(vec![(name.to_owned(), None)]));
        Ok(())
    }

    pub(super) fn rename(&mut self, from: &Path, to: &Path) -> io::Result<()> {
        let file = self.find(from)?;
        if !self.has_directory(parent(to)) {
            return Err(io::Error::from(io::ErrorKind::NotFound));
        }
        if from != to {
            let names = vec![(from.to_owned(), None), (to.to_owned(), Some(file))];
            self.change(Change::Names(names));
        }
        Ok(())
    }

    pub(super) fn bytes(&self, file: FileId) -> &[u8] {
        self.now.files.get(&file).map_or(&[], |bytes| &bytes[..])
    }

    pub(super) fn write(&mut self, file: FileId, at: usize, bytes: &[u8]) {
        if !bytes.is_empty() {
            self.change(Change::Write(file, at, bytes.to_vec()));
        }
    }

    pub(super) fn set_length(&mut self, file: FileId, length: usize) {
        if self.bytes(file).len() != length {
            self.change(Change::Length(file, length));
        }
    }

    /// What was done to the inside of a file is on the disk for certain.
    pub(super) fn sync(&mut self, file: FileId) {
        self.settle(|change| matches!(change, Change::Write(f, ..) | Change::Length(f, _) if *f == file));
    }

    /// What was done to the names in a directory is on the disk for certain.
    pub(super) fn sync_directory(&mut self, directory: &Path) {
        self.settle(|change| match change {
            Change::Names(names) => names.iter().any(|(name, _)| parent(name) == directory),
            _ => false,
        });
    }

    fn settle(&mut self, which: impl Fn(&Change) -> bool) {
        let changes = std::mem::take(&mut self.changes);
        let (settled, open) = changes.into_iter().partition(which);
        self.changes = open;
        let settled: Vec<Change> = settled;
        for change in &settled {
            self.synced.change(change);
        }
    }
}

/// The directory of a name.
pub(super) fn parent(name: &Path) -> &Path {
    name.parent().unwrap_or(Path::new(""))
}

/// A path without `.` and `..`.
pub(super) fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                plain.pop();
            }
            other => plain.push(other),
        }
    }
    plain
}

/// Does something to the disk of the current thread's node. It is a step of the search.
#[track_caller]
pub(super) fn with<R>(rt: &Runtime, changes: bool, f: impl FnOnce(&mut Disk) -> R) -> R {
    let name: Rc<str> = match node_of(rt) {
        0 => Rc::from(""),
        node => Rc::clone(&rt.network.borrow().member(node).name),
    };
    let object = {
        let mut network = rt.network.borrow_mut();
        let disk = network.disks.entry(Rc::clone(&name)).or_default();
        let object = || match &*name {
            "" => Place::new("the disk"),
            name => Place::new(&format!("the disk of {name}")),
        };
        Rc::clone(disk.object.get_or_insert_with(object))
    };
    object.access(rt, changes, Location::caller());
    f(rt.network.borrow_mut().disks.entry(name).or_default())
}

/// The node of the current thread has restarted. The search chooses what its disk has kept.
#[track_caller]
pub(crate) fn recover(rt: &Runtime) {
    let changes = {
        let network = rt.network.borrow();
        let disk = network.disks.get(&network.member(node_of(rt)).name);
        disk.map_or(Vec::new(), |disk| disk.changes.clone())
    };
    let kept = keeps(rt, changes);
    with(rt, true, |disk| {
        for change in &kept {
            disk.synced.change(change);
        }
        disk.changes.clear();
        // Numbers of files are not used again.
        let known = disk.now.files.keys().map(|file| (*file, Vec::new())).collect();
        disk.now = disk.synced.clone();
        let mut files: BTreeMap<FileId, Vec<u8>> = known;
        files.append(&mut disk.now.files);
        disk.now.files = files;
    });
}

/// Which of the changes that were not synced the disk keeps in a crash.
#[track_caller]
fn keeps(rt: &Runtime, mut changes: Vec<Change>) -> Vec<Change> {
    if changes.is_empty() {
        return changes;
    }
    // The natural case is that nothing is lost.
    let lost = crate::choose(changes.len() + 1);
    changes.truncate(changes.len() - lost);
    let mut position = 0;
    while position + 1 < changes.len() {
        let missing = fault(rt, changes.len() - 1 - position, |f| &mut f.reordered_writes);
        if missing == 0 {
            break;
        }
        position += missing - 1;
        changes.remove(position);
    }
    for change in &mut changes {
        if let Change::Write(_, _, bytes) = change {
            let cut = fault(rt, bytes.len() - 1, |f| &mut f.torn_writes);
            bytes.truncate(bytes.len() - cut);
        }
    }
    changes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_synced_by_its_directory_and_bytes_by_their_file() {
        let mut disk = Disk::default();
        let name = Path::new("a");
        let file = disk.create(name).unwrap();
        disk.write(file, 0, b"hi");
        disk.sync(file);
        assert_eq!((disk.synced.names.len(), disk.changes.len()), (0, 1));
        disk.sync_directory(Path::new(""));
        assert_eq!(disk.synced.files[&disk.synced.names[name]], b"hi");
        assert!(disk.changes.is_empty());
    }

    #[test]
    fn paths_are_compared_without_dots() {
        assert_eq!(plain(Path::new("./a/../b")), Path::new("b"));
        assert_eq!(parent(&plain(Path::new("b"))), Path::new(""));
    }
}
