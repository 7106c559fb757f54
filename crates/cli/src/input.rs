//! Options that say what to read, and reading it.

use crate::arriving::{Arrival, Arriving};
use crate::diagnostic::Diagnostic;
use crate::exit::Error;
use crate::interrupt;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use mazurka_trace::{Format, ImportError, ImportOptions, Input, Keep, Lint, ProcessBy, Recording, Rejected, Value};
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::Duration;

/// What to read, and how.
#[derive(Clone, Debug, Args)]
pub(crate) struct InputOptions {
    /// Files with the records of one run, or a directory of them; `-` reads standard input
    #[arg(value_name = "TRACE", required = true)]
    pub(crate) traces: Vec<PathBuf>,

    /// What the input is written in
    #[arg(long, value_parser = formats(), value_name = "FORMAT", default_value = AUTO, help_heading = "Input")]
    pub(crate) input: InputFormat,

    /// For ShiViz logs: a regular expression with groups `host` and `clock`
    #[arg(long, value_name = "R", help_heading = "Input")]
    shiviz_regex: Option<String>,

    /// For ShiViz logs: a regular expression for what separates executions
    #[arg(long, value_name = "R", help_heading = "Input")]
    shiviz_delimiter: Option<String>,

    /// For spans: what counts as a process
    #[arg(long, value_enum, value_name = "WHAT", default_value_t = By::Span, help_heading = "Input")]
    process_by: By,

    /// Order events whose times are further apart than this, such as `5ms`: the most by which clocks differ
    #[arg(long, value_name = "DURATION", value_parser = skew, help_heading = "Input")]
    pub(crate) skew: Option<Duration>,

    /// Put in events that clocks know but that have no record
    #[arg(long, help_heading = "Input")]
    pub(crate) holes: bool,

    /// Initial value of a variable that has none, as JSON or as plain text
    #[arg(long = "default", value_name = "NAME=VALUE", value_parser = default_value, help_heading = "Input")]
    pub(crate) defaults: Vec<(String, Value)>,
}

/// A format, or none in particular.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InputFormat(Option<Format>);

impl InputFormat {
    pub(crate) fn format(self) -> Option<Format> {
        self.0
    }
}

/// The name that stands for no format in particular.
const AUTO: &str = "auto";

/// Reads a format by its name. Those of spans are listed last.
fn formats() -> impl TypedValueParser<Value = InputFormat> {
    let mut all = Format::ALL.to_vec();
    all.sort_by_key(|format| format.is_spans());
    let known = all.into_iter().map(|format| {
        PossibleValue::new(format.name())
            .aliases(format.aliases())
            .help(format.description())
    });
    let auto = PossibleValue::new(AUTO).help("Recognised by its beginning");
    PossibleValuesParser::new(std::iter::once(auto).chain(known)).map(|name| InputFormat(Format::named(&name)))
}

/// What counts as a process in spans.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum By {
    /// Each span
    Span,
    /// Each service
    Service,
    /// Each instance of a service
    Instance,
}

fn skew(text: &str) -> Result<Duration, String> {
    humantime::parse_duration(text)
        .map_err(|_| format!("`{text}` is not a duration; expected one such as `5ms` or `1s`"))
}

fn default_value(text: &str) -> Result<(String, Value), String> {
    let (name, value) = text
        .split_once('=')
        .ok_or("expected NAME=VALUE, such as `leader=false`")?;
    if name.trim().is_empty() {
        return Err("there is no name before `=`".to_owned());
    }
    let value = match serde_json::from_str::<serde_json::Value>(value) {
        Ok(json) => Value::from(json),
        Err(_) => Value::string(value),
    };
    Ok((name.trim().to_owned(), value))
}

/// What to call standard input.
const STANDARD_INPUT: &str = "standard input";
/// Above this many bytes only the variables in question are kept.
const LARGE: u64 = 256 << 20;

impl InputOptions {
    /// What to call the input in a message.
    pub(crate) fn title(&self) -> String {
        match &self.traces[..] {
            [path] if Self::is_standard_input(path) => STANDARD_INPUT.to_owned(),
            _ => self.name(),
        }
    }

    /// What the input is called on the command line.
    pub(crate) fn name(&self) -> String {
        let names: Vec<String> = self.traces.iter().map(|path| path.display().to_string()).collect();
        names.join(", ")
    }

    pub(crate) fn is_standard_input(path: &Path) -> bool {
        path.as_os_str() == "-"
    }

    /// The files that are read: also those in a directory.
    pub(crate) fn files(&self) -> Vec<PathBuf> {
        let inside = |path: &PathBuf| match fs::read_dir(path) {
            Ok(entries) => entries.flatten().map(|entry| entry.path()).collect(),
            Err(_) => vec![path.clone()],
        };
        self.traces.iter().flat_map(inside).collect()
    }

    /// Where the input is. Standard input and pipes are read here.
    pub(crate) fn open(&self) -> Result<Input, Error> {
        let once: Vec<&PathBuf> = self.traces.iter().filter(|path| is_read_once(path)).collect();
        match (&once[..], &self.traces[..]) {
            ([], _) => Ok(Input::Paths(self.traces.clone())),
            ([path], [_]) => Ok(Input::Text {
                name: self.title(),
                bytes: read_once(path)?,
            }),
            ([path, ..], _) => Err(Diagnostic::error(format!(
                "`{}` is not a file that can be read again, so it has to be the only input",
                path.display()
            ))
            .into()),
        }
    }

    /// How to read it, if these variables are needed; `None` means all.
    pub(crate) fn import(&self, input: &Input, variables: Option<BTreeSet<String>>) -> ImportOptions {
        let size = match input {
            Input::Text { bytes, .. } => bytes.len() as u64,
            Input::Paths(paths) => paths.iter().map(|path| size(path)).sum(),
        };
        ImportOptions {
            format: self.input.format(),
            shiviz_regex: self.shiviz_regex.clone(),
            shiviz_delimiter: self.shiviz_delimiter.clone(),
            process_by: match self.process_by {
                By::Span => ProcessBy::Span,
                By::Service => ProcessBy::Service,
                By::Instance => ProcessBy::Instance,
            },
            recording: Recording {
                keep: variables.filter(|_| size > LARGE).map_or(Keep::All, Keep::Only),
                holes: self.holes,
                defaults: self.defaults.clone(),
                skew: self.skew.map(|skew| skew.as_nanos()),
            },
            interrupt: Some(interrupt::shared().clone()),
        }
    }

    /// What is wrong with the input.
    pub(crate) fn refused(&self, error: ImportError) -> Error {
        let empty = |tried: &[mazurka_trace::Rejected]| tried.iter().any(|rejected| rejected.why == "it is empty");
        match error {
            ImportError::Interrupted => Error::Interrupted,
            ImportError::Problems {
                format,
                sources,
                problems,
                count,
            } => Diagnostic::problems(&self.title(), &Lint::of_problems(format, &sources, &problems, count)).into(),
            ImportError::Unrecognised { name, tried } if empty(&tried) => {
                Diagnostic::error(format!("{name} is empty; expected the records of a run")).into()
            }
            ImportError::Unrecognised { name, tried } => {
                let mut all = unrecognised(&name, &tried);
                all.note("`--input` says what it is written in")
                    .note("`mazurka generate` prints an example");
                all.into()
            }
            error => Diagnostic::error(error).into(),
        }
    }
}

/// What an input lacks to be in each format.
pub(crate) fn unrecognised(name: &str, tried: &[Rejected]) -> Diagnostic {
    let mut all = Diagnostic::error(format!("the format of {name} is not known"));
    for Rejected { format, why, .. } in tried {
        all.note(format!("not {format}: {why}"));
    }
    all
}

/// Whether a path can be read only once.
fn is_read_once(path: &Path) -> bool {
    let special = |found: fs::Metadata| !found.is_file() && !found.is_dir();
    InputOptions::is_standard_input(path) || fs::metadata(path).is_ok_and(special)
}

fn read_once(path: &Path) -> Result<Vec<u8>, Error> {
    let failed = |error: io::Error| {
        let path = path.to_path_buf();
        Diagnostic::error(ImportError::Io { path, error })
    };
    if !InputOptions::is_standard_input(path) {
        let mut bytes = Vec::new();
        let read = File::open(path).and_then(|mut file| file.read_to_end(&mut bytes));
        read.map_err(failed)?;
        return Ok(bytes);
    }
    let (arriving, mut all) = (Arriving::standard_input(), Vec::new());
    loop {
        if interrupt::flag().load(Ordering::Relaxed) {
            return Err(Error::Interrupted);
        }
        match arriving.next().map_err(failed)? {
            Arrival::Bytes(bytes) => all.extend(bytes),
            // Standard input cannot be replaced.
            Arrival::Nothing | Arrival::Lost(_) => {}
            Arrival::End => return Ok(all),
        }
    }
}

/// The bytes of a file, or of the files in a directory.
fn size(path: &Path) -> u64 {
    match fs::metadata(path) {
        Ok(found) if found.is_file() => found.len(),
        Ok(_) => {
            let entries = fs::read_dir(path).into_iter().flatten().flatten();
            entries.filter_map(|e| e.metadata().ok()).map(|found| found.len()).sum()
        }
        Err(_) => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn default_values_are_json_or_text() {
        let value = |text| default_value(text).map(|(name, value)| (name, value.to_string()));
        assert_eq!(value("leader=false"), Ok(("leader".into(), "false".into())));
        assert_eq!(value("role=follower"), Ok(("role".into(), "\"follower\"".into())));
        assert_eq!(value("x=[1,2]"), Ok(("x".into(), "[1,2]".into())));
        assert!(value("leader").unwrap_err().contains("NAME=VALUE"));
        assert!(value("=1").is_err());
    }
}
