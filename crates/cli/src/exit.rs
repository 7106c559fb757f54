//! Exit codes, and errors with their exit codes.

use crate::diagnostic::Diagnostic;
use mazurka_core::{Doubt, End, Limit, Verdict};
use mazurka_experiments::{Failure, SimulationError};
use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

/// How the program ends. Of several, the last one listed here counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Exit {
    /// Answered, and nothing is wrong.
    Success,
    /// A limit was reached before there was an answer.
    Inconclusive,
    /// The command line or the input is wrong.
    Usage,
    /// A violation was found, or a result contradicts what is known.
    Violation,
    /// Ctrl-C.
    Interrupted,
}

impl Exit {
    /// The exit code for several answers: verdicts, and how the searches for them ended.
    pub(crate) fn of(answers: impl IntoIterator<Item = (Verdict, End)>) -> Self {
        let codes = answers.into_iter().map(|answer| match answer {
            (_, End::Limit(Limit::Interrupt)) => Self::Interrupted,
            (Verdict::Holds, _) => Self::Success,
            (Verdict::Violated, _) => Self::Violation,
            (Verdict::Inconclusive(Doubt::Refused), _) => Self::Usage,
            (Verdict::Inconclusive(_), _) => Self::Inconclusive,
        });
        codes.max().unwrap_or(Self::Success)
    }

    /// The exit code if this limit was reached before there was an answer.
    pub(crate) fn of_limit(limit: Limit) -> Self {
        Self::of([(Verdict::Inconclusive(limit.into()), End::Limit(limit))])
    }

    /// The code.
    pub(crate) fn code(self) -> i32 {
        i32::from(u8::from(self))
    }
}

impl From<Exit> for u8 {
    fn from(exit: Exit) -> Self {
        match exit {
            Exit::Success => 0,
            Exit::Violation => 1,
            Exit::Usage => 2,
            Exit::Inconclusive => 3,
            Exit::Interrupted => 130,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        u8::from(exit).into()
    }
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// Standard output cannot be written to.
    #[error("cannot write to standard output: {0}")]
    Output(#[source] io::Error),
    /// What should be a directory for results is not one.
    #[error("cannot write results to `{}`: it is not a directory", .0.display())]
    NotDirectory(PathBuf),
    /// A file or directory cannot be written.
    #[error("cannot write `{}`: {error}", path.display())]
    Write {
        /// Which.
        path: PathBuf,
        /// Why.
        #[source]
        error: io::Error,
    },
    /// The input, a predicate or a combination of options is wrong.
    #[error("{0}")]
    Diagnostic(Diagnostic),
    /// A protocol cannot be simulated like this.
    #[error("{0}; see --processes and --states")]
    Simulation(#[from] SimulationError),
    /// Ctrl-C before there was anything to say.
    #[error("interrupted while the input was read")]
    Interrupted,
    /// There is no such subcommand.
    #[error("there is no subcommand `{0}`; `mazurka help` lists them")]
    NoSubcommand(String),
    /// An experiment cannot be right.
    #[error("experiment {name}: {failure}")]
    Experiment {
        /// Which.
        name: &'static str,
        /// Why.
        #[source]
        failure: Failure,
    },
}

impl Error {
    pub(crate) fn exit(&self) -> Exit {
        match self {
            Self::Experiment { .. } => Exit::Violation,
            Self::Interrupted => Exit::Interrupted,
            Self::Output(_)
            | Self::NotDirectory(_)
            | Self::Write { .. }
            | Self::Diagnostic(_)
            | Self::Simulation(_)
            | Self::NoSubcommand(_) => Exit::Usage,
        }
    }

    /// Whether the reader of our output has gone, as `head` does: no reason to complain.
    pub(crate) fn is_closed_pipe(&self) -> bool {
        matches!(self, Self::Output(error) if error.kind() == io::ErrorKind::BrokenPipe)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_answer_is_the_exit_code() {
        let holds = (Verdict::Holds, End::Complete);
        let violated = (Verdict::Violated, End::Stopped);
        let inconclusive = |limit: Limit| (Verdict::Inconclusive(limit.into()), End::Limit(limit));
        let refused = (Verdict::Inconclusive(Doubt::Refused), End::Stopped);
        assert_eq!(Exit::of([]), Exit::Success);
        assert_eq!(Exit::of([holds, holds]), Exit::Success);
        assert_eq!(Exit::of([holds, inconclusive(Limit::Time)]), Exit::Inconclusive);
        assert_eq!(Exit::of([violated, inconclusive(Limit::Time)]), Exit::Violation);
        assert_eq!(Exit::of([violated, inconclusive(Limit::Interrupt)]), Exit::Interrupted);
        assert_eq!(Exit::of([violated, refused]), Exit::Violation);
        assert_eq!(Exit::of([holds, inconclusive(Limit::States), refused]), Exit::Usage);
    }
}
