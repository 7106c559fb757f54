//! Loads a model from a file or text.

use crate::check;
use crate::compile;
use crate::diagnostic::{Diagnostic, Errors, Severity};
use crate::model::{Ltl, Model};
use crate::parser;
use crate::preprocess::{self, Reader};
use crate::source::{Sources, Span};
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Options for loading a model.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Macros that are defined before the first line, as with `-D NAME=VALUE`. The value is 1 if none
    /// is given.
    pub defines: Vec<(String, Option<String>)>,
    /// Whether messages that are sent to full channels are lost.
    pub lossy: bool,
}

/// A model without errors.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Loaded {
    /// The model.
    pub model: Model,
    /// Warnings about the model.
    pub warnings: Vec<Diagnostic>,
}

/// Loads a model from a text that includes no files.
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

/// Loads a model from a text. `files` reads the files that it includes; the path it gets is
/// relative to the folder of the including file, where the text itself is the file `name`.
///
/// ```
/// use mazurka_promela::{Options, load_with};
/// use std::io;
/// use std::path::Path;
///
/// let files = |path: &Path| match path.to_str() {
///     Some("models/limits.h") => Ok(b"#define N 3".to_vec()),
///     _ => Err(io::ErrorKind::NotFound.into()),
/// };
/// let text = "#include \"limits.h\"\nactive [N] proctype P() { skip }";
/// let loaded = load_with("models/m.pml", text, &Options::default(), &files)?;
/// assert_eq!(loaded.model.proctypes[0].active, 3);
/// # Ok::<(), mazurka_promela::Errors>(())
/// ```
pub fn load_with(
    name: &str,
    text: impl Into<String>,
    options: &Options,
    files: &dyn Fn(&Path) -> io::Result<Vec<u8>>,
) -> Result<Loaded, Errors> {
    read(Path::new(name), text.into(), options, files)
}

/// Loads a model from a file. Included files are looked up relative to the file that includes them.
///
/// The outer error says that the file cannot be read, the inner one that its text has errors.
///
/// ```
/// use mazurka_promela::{Options, load_path};
///
/// assert!(load_path("no-such-file.pml", &Options::default()).is_err());
/// ```
pub fn load_path(path: impl AsRef<Path>, options: &Options) -> io::Result<Result<Loaded, Errors>> {
    let path = path.as_ref();
    let text = preprocess::decoded(&bounded(File::open(path)?)?);
    Ok(read(path, text, options, &included))
}

/// Reads a file, up to one byte more than a model may have: some files have no end.
fn bounded(file: File) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.take(preprocess::BYTES as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Reads an included file. Pipes and devices are refused, since reading from them may take for ever.
fn included(path: &Path) -> io::Result<Vec<u8>> {
    if !std::fs::metadata(path)?.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    bounded(File::open(path)?)
}

/// Parses a formula about a model, which may use the macros of the model. Errors refer to
/// a file called `--ltl`, which is added to the sources of the model.
///
/// ```
/// use mazurka_promela::{Options, load, parse_ltl};
///
/// let text = "byte x; active proctype P() { x = 1; done: skip }";
/// let mut model = load("m.pml", text, &Options::default())?.model;
/// let ltl = parse_ltl(&mut model, "given", "<> P@done && [] (x < 2)")?;
/// assert_eq!(ltl.atoms.len(), 2);
/// # Ok::<(), mazurka_promela::Errors>(())
/// ```
pub fn parse_ltl(model: &mut Model, name: &str, text: &str) -> Result<Ltl, Errors> {
    let nothing = |_: &Path| Err(io::Error::from(io::ErrorKind::NotFound));
    let sources = std::mem::take(&mut model.sources);
    let definitions = model.definitions.clone();
    let read = preprocess::preprocess(Path::new("--ltl"), text.to_owned(), definitions, &nothing, sources);
    model.sources = read.sources;
    let mut diagnostics = read.diagnostics;
    let written = parser::written(&read.tokens);
    let span = match (&read.tokens[..], read.tokens.last()) {
        ([first, ..], Some(last)) => first.span.to(last.span),
        _ => Span::default(),
    };
    let proctypes = model.proctypes.iter().map(|proctype| proctype.name.as_str().into());
    let (formula, expansions, found) = parser::parse_formula(read.tokens, read.expansions, proctypes);
    diagnostics.extend(found);
    if let Some(formula) = formula {
        let (ltl, found) = check::check_formula(model, &expansions, &formula, (name.to_owned(), written, span));
        diagnostics.extend(found);
        if has_no_error(&diagnostics) {
            return Ok(ltl);
        }
    }
    let sources = model.sources.clone();
    Err(Errors { sources, diagnostics })
}

/// Whether there are at most warnings.
fn has_no_error(found: &[Diagnostic]) -> bool {
    found.iter().all(|found| found.severity == Severity::Warning)
}

fn read(path: &Path, text: String, options: &Options, reader: Reader<'_>) -> Result<Loaded, Errors> {
    let define = |(name, value): &(String, Option<String>)| {
        let value = value.as_deref().unwrap_or("1").replace('\n', " ");
        format!("#define {name} {value}\n")
    };
    let directives = options.defines.iter().map(define).collect();
    let text = preprocess::preprocess(path, text, directives, reader, Sources::default());
    let sources = text.sources;
    let mut diagnostics = text.diagnostics;
    let usable = has_no_error(&diagnostics);
    let tree = parser::parse(text.tokens, text.expansions);
    diagnostics.extend(tree.diagnostics);
    // After an error, names that were not read would only cause more errors.
    if usable && has_no_error(&diagnostics) {
        let (mut model, found) = check::check(&tree.units, &tree.expansions);
        diagnostics.extend(found);
        if has_no_error(&diagnostics) {
            diagnostics.extend(compile::refused(&model));
        }
        if has_no_error(&diagnostics) {
            model.sources = sources;
            model.lossy = options.lossy;
            model.definitions = text.definitions;
            let warnings = diagnostics;
            return Ok(Loaded { model, warnings });
        }
    }
    Err(Errors { sources, diagnostics })
}
