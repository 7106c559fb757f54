//! Reading traces.
//!
//! A *line format* is parsed record by record into any [`Sink`]. A *document
//! format* is first read as a whole, since its records are not told in the order of the
//! text. Either way, a [`crate::Recorder`] checks what it is told.
//!
//! Each format is one file in `formats/`, which defines everything about it
//! (`importer.rs`); `formats/mod.rs` lists them. Nothing else knows a format by name.

mod clock_log;
mod document;
mod doubt;
mod error;
mod expression;
mod finding;
mod format;
mod formats;
mod importer;
mod json;
mod lines;
mod lint;
mod reading;
mod recognise;
mod seen;
mod sink;
mod spans;
mod text_variables;

pub use error::{ImportError, Rejected};
pub use finding::{Finding, Severity, Spot};
pub use format::Format;
pub use formats::{clocked, native};
pub use importer::LineParser;
pub use lint::{Extent, Lint, lint};
pub use sink::Sink;

use crate::computation::Computation;
use crate::ids::ExecutionId;
use crate::recorder::Recording;
use crate::sources::Sources;
use reading::{Context, Reading, read};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// What counts as a process in traces that are made of spans.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ProcessBy {
    /// Each span: events are ordered only as the spans say.
    #[default]
    Span,
    /// Each service: its events are ordered by their timestamps.
    Service,
    /// Each instance of a service: its events are ordered by their timestamps.
    Instance,
}

/// How to read an input.
#[derive(Clone, Debug, Default)]
pub struct ImportOptions {
    /// What it is written in; recognised if `None`.
    pub format: Option<Format>,
    /// The regular expression of ShiViz logs, with groups `host` and `clock`.
    pub shiviz_regex: Option<String>,
    /// The regular expression that separates the executions of a ShiViz log.
    pub shiviz_delimiter: Option<String>,
    /// What counts as a process in traces that are made of spans.
    pub process_by: ProcessBy,
    /// What to record.
    pub recording: Recording,
    /// Reading ends early when this is set.
    pub interrupt: Option<Arc<AtomicBool>>,
}

/// Where the input is.
#[derive(Clone, Debug)]
pub enum Input {
    /// Files; a directory stands for the files in it, sorted by name.
    Paths(Vec<PathBuf>),
    /// Text that was read already, such as standard input.
    Text {
        /// What to call it in messages.
        name: String,
        /// The text.
        bytes: Vec<u8>,
    },
}

/// What was read.
#[derive(Debug)]
#[non_exhaustive]
pub struct Imported {
    /// What the input is written in.
    pub format: Format,
    /// Its executions, at least one.
    pub executions: Vec<Execution>,
    /// Where their text is.
    pub sources: Sources,
    /// Warnings: an order or a value that was meant may be lost.
    pub warnings: Vec<Finding>,
}

impl Imported {
    /// The executions, in order.
    pub fn execution_ids(&self) -> impl Iterator<Item = ExecutionId> + use<> {
        (0..self.executions.len()).map(ExecutionId::new)
    }

    /// An execution.
    pub fn execution(&self, id: ExecutionId) -> &Execution {
        &self.executions[id.index()]
    }
}

/// One execution of an input.
#[derive(Debug)]
#[non_exhaustive]
pub struct Execution {
    /// What it is called, if the input says so: a trace id, or the name that the
    /// delimiter of a ShiViz log gives it.
    pub name: Option<String>,
    /// What happened.
    pub computation: Computation,
}

/// Reading stops after this many problems.
const GIVE_UP: usize = 20;

/// Reads an input.
///
/// ```
/// use mazurka_trace::{ImportOptions, Input, import};
/// let bytes = br#"{"process":"p1","event":"ask","send":["m"]}
/// {"process":"p2","event":"hear","recv":["m"]}
/// "#;
/// let input = Input::Text { name: "example".into(), bytes: bytes.to_vec() };
/// let imported = import(input, &ImportOptions::default()).unwrap();
/// let computation = &imported.executions[0].computation;
/// let p2 = computation.process("p2").unwrap();
/// assert_eq!(computation.causality().causes(p2, 1).len(), 1);
/// ```
///
/// # Errors
/// If it cannot be read, is in no known format, or breaks rules of its format.
pub fn import(input: Input, options: &ImportOptions) -> Result<Imported, ImportError> {
    let sources = open(input)?;
    let reading = read(&sources, options, GIVE_UP)?;
    let format = reading.format;
    match reading.finish(&sources, options, GIVE_UP) {
        Ok((executions, warnings)) => Ok(Imported {
            format,
            executions: executions.into_iter().map(|(execution, _)| execution).collect(),
            sources,
            warnings,
        }),
        Err((problems, count)) => Err(ImportError::Problems {
            format,
            sources,
            problems,
            count,
        }),
    }
}

/// The files of an input.
pub(crate) fn open(input: Input) -> Result<Sources, ImportError> {
    let mut sources = Sources::default();
    let paths = match input {
        Input::Text { name, bytes } => {
            sources.add_text(name, bytes);
            return Ok(sources);
        }
        Input::Paths(paths) => paths,
    };
    for path in paths {
        let failed = |error| ImportError::Io {
            path: path.clone(),
            error,
        };
        if !std::fs::metadata(&path).map_err(failed)?.is_dir() {
            sources.add_file(path);
            continue;
        }
        let mut files = Vec::new();
        for entry in std::fs::read_dir(&path).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let hidden = entry.file_name().to_string_lossy().starts_with('.');
            if !hidden && entry.path().is_file() {
                files.push(entry.path());
            }
        }
        files.sort();
        if files.is_empty() {
            return Err(ImportError::EmptyDirectory(path));
        }
        files.into_iter().for_each(|file| sources.add_file(file));
    }
    if sources.len() >= usize::from(u16::MAX) {
        return Err(ImportError::TooManyFiles(sources.len()));
    }
    Ok(sources)
}
