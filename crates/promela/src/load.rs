//! From a file to a model.

use crate::check;
use crate::diagnostic::{Diagnostic, Errors, Severity};
use crate::model::Model;
use crate::parser;
use crate::preprocess::{self, Reader};
use std::io;
use std::path::Path;

/// How a model is read.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// What is defined before the first line, as with `-D NAME=VALUE`; 1 if no value
    /// is given.
    pub defines: Vec<(String, Option<String>)>,
}

/// A model that can be used.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The model.
    pub model: Model,
    /// What is legal and surely not meant.
    pub warnings: Vec<Diagnostic>,
}

/// Reads a model from a text that includes no files.
///
/// ```
/// use mazurka_promela::{Options, load};
///
/// let loaded = load("counter.pml", "active proctype P() { byte x; x++ }", &Options::default())?;
/// assert_eq!(loaded.model.proctypes[0].name, "P");
///
/// let errors = load("counter.pml", "active proctype P() { byte count; conut++ }", &Options::default()).unwrap_err();
/// assert_eq!(errors.diagnostics[0].id, "promela::undeclared");
/// assert!(errors.to_string().contains("did you mean `count`?"));
/// # Ok::<(), mazurka_promela::Errors>(())
/// ```
pub fn load(name: &str, text: impl Into<String>, options: &Options) -> Result<Loaded, Errors> {
    let nothing = |_: &Path| Err(io::Error::from(io::ErrorKind::NotFound));
    load_with(name, text, options, &nothing)
}

/// Reads a model from a text; `files` reads what it includes. The path it is given is
/// relative to where the including file is, as `name` says.
pub fn load_with(
    name: &str,
    text: impl Into<String>,
    options: &Options,
    files: &dyn Fn(&Path) -> io::Result<Vec<u8>>,
) -> Result<Loaded, Errors> {
    read(Path::new(name), text.into(), options, files)
}

/// Reads a model from a file, and what it includes from beside it.
pub fn load_path(path: impl AsRef<Path>, options: &Options) -> io::Result<Result<Loaded, Errors>> {
    let path = path.as_ref();
    let text = preprocess::decoded(&std::fs::read(path)?);
    Ok(read(path, text, options, &|path| std::fs::read(path)))
}

fn read(path: &Path, text: String, options: &Options, reader: Reader<'_>) -> Result<Loaded, Errors> {
    let text = preprocess::preprocess(path, text, &options.defines, reader);
    let sources = text.sources;
    let mut diagnostics = text.diagnostics;
    let fine = |found: &[Diagnostic]| found.iter().all(|found| found.severity == Severity::Warning);
    let usable = fine(&diagnostics);
    let tree = parser::parse(text.tokens, text.expansions);
    diagnostics.extend(tree.diagnostics);
    // Names that were not read would only be missed.
    if usable && fine(&diagnostics) {
        let (mut model, found) = check::check(&tree.units, &tree.expansions);
        diagnostics.extend(found);
        if fine(&diagnostics) {
            model.sources = sources;
            let warnings = diagnostics;
            return Ok(Loaded { model, warnings });
        }
    }
    Err(Errors { sources, diagnostics })
}
