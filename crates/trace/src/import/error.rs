//! Why an input could not be read.

use super::Format;
use crate::problem::{Problem, ProblemCount};
use crate::sources::Sources;
use std::io;
use std::path::PathBuf;

/// Why an input could not be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ImportError {
    /// A file cannot be read.
    #[error("cannot read {}: {error}", path.display())]
    Io {
        /// Which.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// A directory has no files in it.
    #[error("there is no file in {}; expected the files of a run (directories in it are not searched)", .0.display())]
    EmptyDirectory(PathBuf),
    /// There are more files than can be numbered.
    #[error("{0} files are too many; expected at most 65,534, so join some of them")]
    TooManyFiles(usize),
    /// The input breaks rules of its format.
    #[error("{}", summary(problems, *count, sources))]
    Problems {
        /// What it was read as.
        format: Format,
        /// Where its text is.
        sources: Sources,
        /// What is wrong, in the order of the input; only the first problems if there are many.
        problems: Vec<Problem>,
        /// How many problems there are.
        count: ProblemCount,
    },
    /// The input is in no known format.
    #[error("the format of {name} is not known:{}", .tried.iter().map(|r| format!("\n  not {}: {}", r.format, r.why)).collect::<String>())]
    Unrecognised {
        /// What the input is called.
        name: String,
        /// Which formats were tried, and what each lacked.
        tried: Vec<Rejected>,
    },
    /// A regular expression is wrong.
    #[error("the regular expression `{expression}` {why}")]
    BadRegex {
        /// The expression as it was given.
        expression: String,
        /// What is wrong with it.
        why: String,
    },
    /// The interrupt flag was set.
    #[error("interrupted")]
    Interrupted,
}

/// A format that an input is not in.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Rejected {
    /// The format.
    pub format: Format,
    /// What the input lacks.
    pub why: String,
}

fn summary(problems: &[Problem], count: ProblemCount, sources: &Sources) -> String {
    let Some(first) = problems.first() else {
        return format!("the input has {count}");
    };
    let (file, line, column) = sources.line_column(first.place, first.at.unwrap_or(0));
    let more = match (count.found, count.gave_up) {
        (1, false) => String::new(),
        _ => format!(" (in all: {count})"),
    };
    format!("{file}:{line}:{column}: {}{more}", first.message)
}
