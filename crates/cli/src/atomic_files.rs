//! Writes files so that nobody ever sees half of one.
//!
//! Every file is written under a temporary name in its directory, and they are
//! renamed only when all of them are there. A failure removes what is left. A file that
//! replaces another one may be read and written by the same people.

use crate::diagnostic::Diagnostic;
use crate::exit::Error;
use crate::output::shown;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// A directory to write into; created if it is missing.
///
/// # Errors
/// If it is something else, or cannot be created.
pub(crate) fn directory(path: &Path) -> Result<(), Error> {
    match fs::metadata(path) {
        Ok(found) if found.is_dir() => Ok(()),
        Ok(_) => Err(Error::NotDirectory(path.to_path_buf())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => fs::create_dir_all(path).map_err(failed(path)),
        Err(error) => Err(failed(path)(error)),
    }
}

/// Writes files, given by name and content, into a directory.
///
/// # Errors
/// If one cannot be written; then no new file is left behind.
pub(crate) fn write(directory: &Path, files: &[(String, String)]) -> Result<(), Error> {
    let mut pending = Vec::new();
    for (name, content) in files {
        pending.push(Pending::new(directory, name, content)?);
    }
    pending.into_iter().try_for_each(Pending::rename)
}

/// Checks that a file can be written, as far as that is possible without writing it, so that
/// a wrong path is reported before the search.
///
/// # Errors
/// If it cannot.
pub(crate) fn check(path: &Path) -> Result<(), Error> {
    if is_special(path) {
        return Ok(());
    }
    let (directory, name) = split(path)?;
    // What is pending is removed when it is dropped.
    Pending::new(&directory, &name, "").map(drop)
}

/// Checks that files can be written ([`check`]), and that none of them is another one or an input of the same run, under
/// whatever name. Devices and pipes may be named several times.
///
/// # Errors
/// If one cannot be written, or would overwrite what is still needed.
pub(crate) fn check_outputs<'a>(
    outputs: impl IntoIterator<Item = &'a Path>,
    inputs: impl IntoIterator<Item = &'a Path>,
) -> Result<(), Error> {
    let inputs: Vec<&Path> = inputs.into_iter().collect();
    let mut others: Vec<&Path> = Vec::new();
    for output in outputs {
        if !is_special(output) {
            let is_same = |other: &&&Path| is_same(output, other);
            let clash = |what: &str| Diagnostic::error(format!("`{}` is {what} of this run", shown(output)));
            if inputs.iter().any(|other| is_same(&other)) {
                return Err(clash("an input").into());
            }
            if others.iter().any(|other| is_same(&other)) {
                return Err(clash("another output").into());
            }
            others.push(output);
        }
        check(output)?;
    }
    Ok(())
}

/// Whether two names stand for one file, which need not exist.
fn is_same(one: &Path, other: &Path) -> bool {
    if let Ok(same) = same_file::is_same_file(one, other) {
        return same;
    }
    let place = |path: &Path| {
        let (directory, name) = split(path).ok()?;
        Some((fs::canonicalize(directory).ok()?, name))
    };
    place(one).is_some_and(|place_of_one| Some(place_of_one) == place(other))
}

/// Writes a file.
///
/// # Errors
/// If it cannot be written; then nothing is.
pub(crate) fn write_file(path: &Path, content: String) -> Result<(), Error> {
    if is_special(path) {
        // A device or a pipe cannot be replaced by a file.
        return fs::write(path, content).map_err(failed(path));
    }
    let (directory, name) = split(path)?;
    write(&directory, &[(name, content)])
}

/// Whether a path is there and neither a file nor a directory.
fn is_special(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir())
}

/// The directory of a file, and its name there.
fn split(path: &Path) -> Result<(PathBuf, String), Error> {
    if path.is_dir() {
        return Err(failed(path)(io::ErrorKind::IsADirectory.into()));
    }
    // A link to a file stays one: what it points to is replaced.
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let name = path.file_name().and_then(|name| name.to_str());
    let name = name.ok_or_else(|| failed(&path)(io::ErrorKind::InvalidFilename.into()))?;
    let directory = path.parent().filter(|p| !p.as_os_str().is_empty());
    Ok((directory.unwrap_or(Path::new(".")).to_path_buf(), name.to_owned()))
}

/// A file under a temporary name.
struct Pending {
    temporary: PathBuf,
    path: PathBuf,
}

impl Pending {
    fn new(directory: &Path, name: &str, content: &str) -> Result<Self, Error> {
        let pending = Self {
            temporary: directory.join(format!(".{name}.{}.tmp", std::process::id())),
            path: directory.join(name),
        };
        let written = File::create(&pending.temporary).and_then(|mut file| {
            if let Ok(replaced) = fs::metadata(&pending.path) {
                file.set_permissions(replaced.permissions())?;
            }
            file.write_all(content.as_bytes())?;
            file.sync_all()
        });
        written.map_err(failed(&pending.path))?;
        Ok(pending)
    }

    fn rename(self) -> Result<(), Error> {
        fs::rename(&self.temporary, &self.path).map_err(failed(&self.path))
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        // After a successful renaming there is nothing to remove.
        let _ = fs::remove_file(&self.temporary);
    }
}

fn failed(path: &Path) -> impl FnOnce(io::Error) -> Error {
    let path = path.to_path_buf();
    |error| Error::Write { path, error }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(directory: &Path) -> Vec<String> {
        let entries = fs::read_dir(directory).unwrap();
        let mut names: Vec<_> = entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn all_files_or_none() {
        let dir = tempfile::tempdir().unwrap();
        let file = |name: &str| (name.to_string(), "content".to_string());
        write(dir.path(), &[file("a"), file("b")]).unwrap();
        assert_eq!(names(dir.path()), ["a", "b"]);

        let error = write(dir.path(), &[file("c"), file("no/such/directory")]).unwrap_err();
        assert!(error.to_string().contains("no/such/directory"), "{error}");
        assert_eq!(names(dir.path()), ["a", "b"]);
    }

    #[test]
    fn an_output_is_neither_an_input_nor_another_output() {
        let dir = tempfile::tempdir().unwrap();
        let path = |name: &str| dir.path().join(name);
        fs::write(path("in"), "").unwrap();
        fs::write(path("out"), "").unwrap();
        fs::hard_link(path("in"), path("linked")).unwrap();
        let checked = |outputs: &[&str]| {
            let outputs: Vec<PathBuf> = outputs.iter().map(|name| path(name)).collect();
            check_outputs(outputs.iter().map(PathBuf::as_path), [&*path("in")])
        };
        checked(&["out", "new"]).unwrap();
        for wrong in ["in", "./in", "linked", "x/../in"] {
            fs::create_dir_all(path("x")).unwrap();
            assert!(checked(&[wrong]).is_err(), "{wrong}");
        }
        for wrong in [["out", "out"], ["new", "./new"], ["new", "x/../new"]] {
            let error = checked(&wrong).unwrap_err();
            assert!(error.to_string().contains("another output"), "{error}");
        }
    }

    #[test]
    fn a_directory_is_made_and_a_file_is_not_one() {
        let dir = tempfile::tempdir().unwrap();
        let deep = dir.path().join("x/y");
        directory(&deep).unwrap();
        directory(&deep).unwrap();
        let file = deep.join("file");
        fs::write(&file, "").unwrap();
        assert!(matches!(directory(&file), Err(Error::NotDirectory(_))));
    }
}
