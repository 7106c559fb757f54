//! What is wrong with a record that was followed, or with a question about the run.

use super::Following;
use crate::commands::detect::formulas;
use crate::commands::detect::undefined::default_hint_for;
use crate::diagnostic::Diagnostic;
use crate::exit::Error;
use crate::input::InputOptions;
use mazurka_trace::{Finding, MonitorError, Place, Problem, Question, QuestionId, Severity, Spot};
use std::fs::File;
use std::io::{BufRead, BufReader};

impl Following<'_> {
    /// What is wrong with a record that was just read, or with a question.
    pub(super) fn refused(&self, error: MonitorError, record: Option<(Place, &[u8])>) -> Error {
        let question = |id: QuestionId| self.queries.question(id);
        let mut all = Diagnostic::new();
        match error {
            MonitorError::Predicate { question: id, errors } => {
                all.predicate(question(id).modality, question(id).predicate.text(), &errors);
            }
            MonitorError::Undefined {
                question: id,
                error,
                record,
            } => {
                let Question { modality, predicate } = question(id);
                all.heading(&error.message)
                    .expression(*modality, predicate.text(), error.span, None);
                if let Some((process, event)) = record {
                    all.note(match event {
                        0 => format!("in the initial state of `{process}`"),
                        n => format!("after event {n} of `{process}`"),
                    });
                }
                default_hint_for(&mut all, predicate);
            }
            MonitorError::Problems(problems) => {
                for problem in problems {
                    all.finding(&self.finding(problem, record));
                }
            }
            MonitorError::Formula { formula, error } => {
                return formulas::refused(self.queries.formula(formula).text(), &error);
            }
            MonitorError::Unheard { question: id, process } => {
                let Question { modality, predicate } = question(id);
                all.heading(format!("there is no record of process `{process}`"));
                let at = predicate.text().find(&process);
                if let Some(at) = at {
                    all.expression(*modality, predicate.text(), at..at + process.len(), None);
                }
            }
            error => {
                all.heading(error);
            }
        }
        all.into()
    }

    /// A problem with its place: in the line that was read last, or in an earlier one, which
    /// a file still has. For standard input, only the number of the byte is left.
    fn finding(&self, problem: Problem, record: Option<(Place, &[u8])>) -> Finding {
        let line = |place: Place| match record.filter(|(last, _)| *last == place) {
            Some((_, line)) => Some((self.lines, line.to_vec())),
            None => self.read_again(place),
        };
        let spot = line(problem.place).map(|(number, line)| {
            let text = String::from_utf8_lossy(&line);
            let part = || self.reader?.locate(&text, problem.part.as_ref()?);
            let at = problem.at.or_else(part).unwrap_or(0);
            Spot::in_line(self.name.clone(), number, &line, at as usize)
        });
        let message = match spot.is_none() && problem.place != Place::NOWHERE {
            true => format!("{} (in the record at byte {})", problem.message, problem.place.offset),
            false => problem.message,
        };
        let related = problem.related.into_iter().filter_map(|(place, what)| {
            let (number, line) = line(place)?;
            Some((Spot::in_line(self.name.clone(), number, &line, 0), what))
        });
        Finding {
            severity: Severity::Error,
            rule: problem.rule.id(),
            message,
            expected: problem.expected,
            spot,
            related: related.collect(),
        }
    }

    /// A line of a file that was read before, with its number.
    fn read_again(&self, place: Place) -> Option<(u64, Vec<u8>)> {
        let path = &self.options.input.traces[0];
        if place == Place::NOWHERE || InputOptions::is_standard_input(path) {
            return None;
        }
        let mut file = BufReader::new(File::open(path).ok()?);
        let (mut number, mut offset, mut line) = (0, 0, Vec::new());
        loop {
            line.clear();
            let length = file.read_until(b'\n', &mut line).ok()? as u64;
            number += 1;
            if length == 0 {
                return None;
            }
            if place.offset < offset + length {
                let line = line.get(usize::try_from(place.offset - offset).ok()?..)?;
                return Some((number, line.get(..place.length as usize)?.to_vec()));
            }
            offset += length;
        }
    }
}
