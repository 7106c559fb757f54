//! Reading traces.
//!
//! A *line format* is parsed record by record into any [`Sink`]; a *document*
//! format is read as a whole first, since its records are told in another order
//! than they stand in. Either way a [`Recorder`] checks what is told.

mod clock_log;
pub mod clocked;
mod document;
mod doubt;
mod error;
mod expression;
mod govector;
mod json;
mod lines;
mod lint;
pub mod native;
mod recognise;
mod seen;
mod shiviz;
mod sink;
mod spans;
mod spoken;

pub use error::{ImportError, Rejected};
pub use lint::{Extent, Finding, Lint, Severity, Spot, lint};
pub use sink::Sink;

use crate::computation::Computation;
use crate::narrow::short;
use crate::problem::{Part, Place, Problem, ProblemCount, Rule};
use crate::recorder::{Lost, Recorder, Recording};
use crate::sources::Sources;
use doubt::Doubt;
use lines::Lines;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// What an input is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Format {
    /// mazurka's own JSON Lines.
    Mazurka,
    /// Logs for ShiViz, taken apart by a regular expression.
    Shiviz,
    /// Logs of GoVector.
    Govector,
    /// JSON Lines with vector timestamps.
    Clocked,
    /// Spans of OpenTelemetry, OTLP in JSON.
    Otlp,
    /// Spans of Jaeger.
    Jaeger,
    /// Spans of Zipkin, version 2.
    Zipkin,
}

impl Format {
    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Mazurka => "mazurka",
            Self::Shiviz => "shiviz",
            Self::Govector => "govector",
            Self::Clocked => "clocks",
            Self::Otlp => "otlp",
            Self::Jaeger => "jaeger",
            Self::Zipkin => "zipkin",
        }
    }
}

impl Format {
    /// The format of an input that begins with this text, as far as that shows it.
    ///
    /// ```
    /// use mazurka_trace::Format;
    /// let line = r#"{"process":"p1","init":true,"vars":{"x":0}}"#;
    /// assert_eq!(Format::of_beginning(line), Ok(Format::Mazurka));
    /// ```
    ///
    /// # Errors
    /// If it begins like no format: what it lacks for each.
    pub fn of_beginning(text: &str) -> Result<Self, Vec<Rejected>> {
        recognise::format_of(text, true)
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What counts as a process in traces that are made of spans.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ProcessBy {
    /// Each span: nothing is ordered but what the spans say.
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
    /// What it is written in; recognised if nothing is said.
    pub format: Option<Format>,
    /// The regular expression of ShiViz logs, with groups `host` and `clock`.
    pub shiviz_regex: Option<String>,
    /// The regular expression that separates the executions of a ShiViz log.
    pub shiviz_delimiter: Option<String>,
    /// What counts as a process in traces that are made of spans.
    pub process_by: ProcessBy,
    /// What to take down.
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
pub struct Imported {
    /// What the input is written in.
    pub format: Format,
    /// Its executions, at least one.
    pub executions: Vec<Execution>,
    /// Where their text is.
    pub sources: Sources,
    /// What is allowed and may yet lose an order or a value that was meant to be told.
    pub warnings: Vec<Finding>,
}

/// One execution of an input.
#[derive(Debug)]
pub struct Execution {
    /// What it is called, if the input says so: a trace id, or what the
    /// delimiter of a ShiViz log says.
    pub name: Option<String>,
    /// What happened.
    pub computation: Computation,
}

/// After this many problems reading is given up.
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
/// assert_eq!(imported.executions[0].computation.causality().causes(1, 1).len(), 1);
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

/// Where a part of a record stands in it, given the number of its file and its text.
type Locate = Box<dyn Fn(u16, &str, &Part) -> Option<u32>>;

/// What was told of each execution, before the whole is checked.
pub(crate) struct Reading {
    pub(crate) format: Format,
    executions: Vec<(Option<String>, Recorder)>,
    locate: Locate,
    /// Whether the rest was not read because of too many problems.
    gave_up: bool,
    /// What may have lost an order or a value.
    doubts: Vec<Doubt>,
}

/// An execution, and the receives whose sends are missing.
pub(crate) type Finished = (Execution, Lost);

impl Reading {
    /// Checks each execution as a whole.
    #[allow(clippy::type_complexity, reason = "what was read, or what is wrong")]
    pub(crate) fn finish(
        self,
        sources: &Sources,
        options: &ImportOptions,
        limit: usize,
    ) -> Result<(Vec<Finished>, Vec<Finding>), (Vec<Problem>, ProblemCount)> {
        let (mut executions, mut problems) = (Vec::new(), Vec::new());
        for (name, recorder) in self.executions {
            if self.gave_up {
                problems.extend(recorder.abandon());
                continue;
            }
            match recorder.finish_with_lost() {
                Ok((computation, lost)) => executions.push((Execution { name, computation }, lost)),
                Err(found) => problems.extend(found),
            }
        }
        if problems.is_empty() && executions.iter().all(|(e, _)| e.computation.processes() == 0) {
            problems.push(no_records(self.format));
        }
        if problems.is_empty() {
            let mut warnings: Vec<Finding> = self.doubts.iter().map(|doubt| doubt.finding(sources)).collect();
            warnings.extend(doubt::without_effect(self.format, options));
            return Ok((executions, warnings));
        }
        let count = ProblemCount {
            found: problems.len(),
            gave_up: self.gave_up,
        };
        problems.truncate(limit);
        for problem in problems.iter_mut().filter(|p| p.at.is_none()) {
            if let (Some(part), Some(text)) = (&problem.part, sources.text(problem.place)) {
                problem.at = (self.locate)(problem.place.file, &text, part);
            }
        }
        Err((problems, count))
    }
}

/// There is nothing in an input.
fn no_records(format: Format) -> Problem {
    let place = Place {
        file: 0,
        offset: 0,
        length: 0,
    };
    let message = format!("there is no record in the input, which was read as {format}");
    let expected =
        "the records of a run; `--input` says what they are written in, `mazurka generate` prints an example";
    Problem::new(Rule::Syntax, place, message).expected(expected).at(0)
}

/// What an importer needs to know.
pub(crate) struct Context<'a> {
    sources: &'a Sources,
    options: &'a ImportOptions,
    limit: usize,
}

impl Context<'_> {
    fn recorder(&self) -> Recorder {
        Recorder::new(self.options.recording.clone())
    }

    fn check_interrupt(&self) -> Result<(), ImportError> {
        match &self.options.interrupt {
            Some(flag) if flag.load(Ordering::Relaxed) => Err(ImportError::Interrupted),
            _ => Ok(()),
        }
    }

    fn failed(&self, file: u16, error: std::io::Error) -> ImportError {
        ImportError::Io {
            path: self.sources.name(file).into(),
            error,
        }
    }
}

/// Reads all files.
pub(crate) fn read(sources: &Sources, options: &ImportOptions, limit: usize) -> Result<Reading, ImportError> {
    let context = Context {
        sources,
        options,
        limit,
    };
    let format = match options.format {
        Some(format) => format,
        None => recognise::recognise(&context)?,
    };
    match format {
        Format::Mazurka => read_lines(
            &context,
            format,
            native::record_or_rest,
            Box::new(|_, text, part| native::locate(text, part)),
        ),
        Format::Clocked => read_lines(
            &context,
            format,
            clocked::record_or_rest,
            Box::new(|_, text, part| clocked::locate(text, part)),
        ),
        _ => document::read(&context, format),
    }
}

/// Reads line by line.
fn read_lines(
    context: &Context<'_>,
    format: Format,
    record: fn(&[u8], Place, bool, &mut Recorder),
    locate: Locate,
) -> Result<Reading, ImportError> {
    let mut recorder = context.recorder();
    'files: for file in context.sources.files() {
        let failed = |error| context.failed(file, error);
        let mut lines = Lines::new(context.sources.open(file).map_err(failed)?);
        let mut count = 0_u32;
        while let Some(line) = lines.next().map_err(failed)? {
            count = count.wrapping_add(1);
            if count.is_multiple_of(4096) {
                context.check_interrupt()?;
            }
            let place = Place {
                file,
                offset: line.offset,
                length: short(line.bytes.len()),
            };
            if line.too_long {
                let message = format!("the line is longer than {} MiB", lines::LONGEST >> 20);
                let problem = Problem::new(Rule::Syntax, place, message);
                recorder.problem(problem.expected("one record on each line, and an end after each").at(0));
                break;
            }
            record(line.bytes, place, line.rest, &mut recorder);
            if recorder.problems() >= context.limit {
                break 'files;
            }
        }
    }
    let gave_up = recorder.problems() >= context.limit;
    Ok(Reading {
        format,
        executions: vec![(None, recorder)],
        locate,
        gave_up,
        doubts: Vec::new(),
    })
}
