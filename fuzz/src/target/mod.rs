//! The targets: one file per kind of input. A target is a function from bytes to a fingerprint, which panics if something is
//! wrong.

mod check;
mod detect;
mod formula;
mod import;
mod promela;

use std::hash::{DefaultHasher, Hash, Hasher};

/// Code under test that reads input.
pub struct Target {
    /// Its name on the command line, and the folder of its corpus.
    pub name: &'static str,
    /// What it reads.
    pub about: &'static str,
    /// Files and folders of the repository that it begins with, besides its own corpus.
    pub samples: &'static [&'static str],
    /// Words of the language.
    pub words: &'static [&'static str],
    /// Makes an input from a seed, where there is a generator.
    pub generate: Option<fn(u64) -> Vec<u8>>,
    /// Reads an input, and returns a fingerprint: inputs with the same one are of one kind. Panics if something is
    /// wrong.
    pub run: fn(&[u8]) -> u64,
}

/// All targets.
pub fn all() -> Vec<Target> {
    let mut all = vec![
        promela::target(),
        promela::formula(),
        check::target(),
        formula::target(),
    ];
    all.extend(import::targets());
    all.extend(detect::targets());
    all
}

/// The fingerprint of a reaction.
fn fingerprint(of: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    of.hash(&mut hasher);
    hasher.finish()
}

/// How large something is, roughly.
fn magnitude(size: usize) -> u32 {
    usize::BITS - size.leading_zeros()
}

/// The text of an input.
fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
