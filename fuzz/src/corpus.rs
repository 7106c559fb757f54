//! The inputs that a run begins with.
//!
//! The models, traces and samples of the repository are read where they are. Inputs whose only purpose is to cause
//! trouble are in `fuzz/corpus`, in a folder named after the target. To add an input, add a file.

use crate::target::Target;
use std::io;
use std::path::{Path, PathBuf};

/// The inputs of a target, in the order of their names; at least one.
pub fn of(target: &Target) -> io::Result<Vec<Vec<u8>>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut files: Vec<PathBuf> = Vec::new();
    let own = Path::new("fuzz/corpus").join(target.name);
    for place in target.samples.iter().map(Path::new).chain([own.as_path()]) {
        let place = root.join(place);
        if place.is_dir() {
            let mut entries = std::fs::read_dir(&place)?
                .map(|entry| entry.map(|entry| entry.path()))
                .collect::<io::Result<Vec<_>>>()?;
            entries.sort();
            files.extend(entries.into_iter().filter(|path| path.is_file()));
        } else if place.is_file() {
            files.push(place);
        }
    }
    let mut inputs = files.iter().map(std::fs::read).collect::<io::Result<Vec<_>>>()?;
    inputs.push(Vec::new());
    Ok(inputs)
}
