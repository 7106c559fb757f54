//! Reads the files of an input into recorders, one for each execution, and checks each as a whole.

use super::doubt::{self, Doubt};
use super::importer::Reads;
use super::sink::Sink;
use super::{Execution, Finding, Format, ImportError, ImportOptions, document, lines, recognise, spans};
use crate::problem::{Part, Place, Problem, ProblemCount, Rule};
use crate::recorder::{Lost, Recorder};
use crate::sources::Sources;
use std::sync::atomic::Ordering;

/// Locates a part of a record in it, given the number of its file and its text.
pub(crate) type Locate = Box<dyn Fn(u16, &str, &Part) -> Option<u32>>;

/// What was read of each execution, before it is checked as a whole.
pub(crate) struct Reading {
    pub(crate) format: Format,
    pub(super) executions: Vec<(Option<String>, Recorder)>,
    pub(super) locate: Locate,
    /// Whether reading was given up because of too many problems.
    pub(super) gave_up: bool,
    /// Warnings: an order or a value may be lost.
    pub(super) doubts: Vec<Doubt>,
}

/// An execution, and the receives whose sends are missing.
pub(crate) type Finished = (Execution, Lost);

impl Reading {
    /// A reading of an input that cannot be read at all.
    pub(crate) fn failed(context: &Context<'_>, problem: Problem) -> Self {
        let mut recorder = context.recorder();
        recorder.problem(problem);
        Self::of(context, vec![(None, recorder)])
    }

    /// A reading of a format that cannot locate parts of its records.
    pub(crate) fn of(context: &Context<'_>, executions: Vec<(Option<String>, Recorder)>) -> Self {
        let problems: usize = executions.iter().map(|(_, recorder)| recorder.problems()).sum();
        Self {
            format: context.format,
            executions,
            locate: Box::new(|_, _, _| None),
            gave_up: problems >= context.limit,
            doubts: Vec::new(),
        }
    }

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
            let untimed = |(execution, _): &Finished| execution.computation.skew().is_none_or(|skew| skew.timed == 0);
            if options.recording.skew.is_some() && executions.iter().all(untimed) {
                warnings.push(doubt::skew_without_times());
            }
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

/// The problem that an input has no records.
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
    pub(super) sources: &'a Sources,
    pub(super) options: &'a ImportOptions,
    pub(super) format: Format,
    pub(super) limit: usize,
}

impl Context<'_> {
    pub(super) fn recorder(&self) -> Recorder {
        Recorder::new(self.options.recording.clone())
    }

    pub(super) fn check_interrupt(&self) -> Result<(), ImportError> {
        match &self.options.interrupt {
            Some(flag) if flag.load(Ordering::Relaxed) => Err(ImportError::Interrupted),
            _ => Ok(()),
        }
    }

    pub(super) fn failed(&self, file: u16, error: std::io::Error) -> ImportError {
        self.sources.failed(file, error)
    }
}

impl Sources {
    /// The error for a file that cannot be read.
    pub(super) fn failed(&self, file: u16, error: std::io::Error) -> ImportError {
        ImportError::Io {
            path: self.name(file).into(),
            error,
        }
    }
}

/// Reads all files. The importer is chosen here, once for all records.
pub(crate) fn read(sources: &Sources, options: &ImportOptions, limit: usize) -> Result<Reading, ImportError> {
    let format = match options.format {
        Some(format) => format,
        None => recognise::recognise(sources, options)?,
    };
    let context = Context {
        sources,
        options,
        format,
        limit,
    };
    match &format.importer().reads {
        Reads::Lines(parser) => lines::read(&context, *parser),
        Reads::Documents(read) => document::read(&context, |documents| read(&context, documents)),
        Reads::Spans(parser) => document::read(&context, |documents| spans::read(&context, parser, documents)),
    }
}
