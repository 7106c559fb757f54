//! What is known about a run that is followed, for the summary at the end.

use super::Options;
use crate::exit::Exit;
use crate::output::{Format, print, print_styled};
use mazurka_core::Limit;
use mazurka_report::detection::{LiveAnswer, LiveFormula, LiveRun, live_json, live_text};
use mazurka_trace::{Finding, Queries, Question, SltlFormula};
use std::time::Duration;

/// What was announced, and how much was read.
#[derive(Debug, Default)]
pub(super) struct Board {
    pub(super) answers: Vec<LiveAnswer>,
    pub(super) formulas: Vec<LiveFormula>,
    pub(super) processes: usize,
    pub(super) events: u64,
    pub(super) records: u64,
    pub(super) time: Duration,
}

impl Board {
    /// Notes what is asked; nothing is announced yet.
    pub(super) fn ask(&mut self, queries: &Queries) {
        let answer = |question: &Question| LiveAnswer {
            question: question.clone(),
            announced: None,
        };
        let formula = |formula: &SltlFormula| LiveFormula {
            formula: formula.clone(),
            announced: None,
        };
        self.answers = queries.questions.iter().map(answer).collect();
        self.formulas = queries.formulas.iter().map(formula).collect();
    }

    /// Whether an answer was given.
    pub(super) fn has_announced(&self) -> bool {
        self.answers.iter().any(|a| a.announced.is_some()) || self.formulas.iter().any(|f| f.announced.is_some())
    }

    /// How many queries have no answer.
    pub(super) fn open(&self) -> usize {
        self.answers.iter().filter(|a| a.announced.is_none()).count()
            + self.formulas.iter().filter(|f| f.announced.is_none()).count()
    }

    /// The exit code, if this limit was reached.
    pub(super) fn exit(&self, limit: Option<Limit>) -> Exit {
        let questions = self.answers.iter().filter_map(|a| {
            let announced = a.announced.as_ref()?;
            Some((a.question.modality.judgement(announced.verdict), announced.end))
        });
        let formulas = self.formulas.iter().filter_map(|f| f.announced.as_ref());
        let formulas = formulas.map(|announced| (announced.verdict, announced.end));
        let exit = Exit::of(questions.chain(formulas));
        limit.map_or(exit, |limit| exit.max(Exit::of_limit(limit)))
    }

    /// Prints what there is to say when watching has ended.
    pub(super) fn print(&self, options: &Options, limit: Option<Limit>, broken: Option<&str>, warnings: &[Finding]) {
        let (title, name) = (options.input.title(), options.input.name());
        let run = LiveRun {
            trace: match options.output.format {
                Format::Text => &title,
                Format::Json => &name,
            },
            processes: self.processes,
            events: self.events,
            records: self.records,
            limit,
            broken,
            warnings,
            time: self.time,
        };
        match options.output.format {
            Format::Text => print_styled(&live_text(&run, &self.answers, &self.formulas)),
            Format::Json => print(&live_json(&run, &self.answers, &self.formulas)),
        }
    }
}
