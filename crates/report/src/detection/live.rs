//! Answers about a run that goes on, announced one by one.

use super::formula::{self, FormulaView};
use super::json::{AnyView, QueryView, WitnessView, verdict};
use super::meaning;
use super::state::{Row, Variable, rows_text};
use super::text::{cut_line, verdict_line};
use crate::TextOptions;
use crate::amounts::{counted, duration};
use crate::json::on_one_line;
use crate::limits::unanswered_query;
use crate::line;
use crate::lint::FindingView;
use crate::style::{FAINT, NAME, styled};
use mazurka_core::{Doubt, Limit, Verdict};
use mazurka_trace::{Announcement, Finding, Question, Sighting, SltlAnswer, SltlFormula};
use serde::Serialize;
use std::time::Duration;

/// A run, up to where it was watched.
#[derive(Clone, Copy, Debug)]
pub struct LiveRun<'a> {
    /// What to call its input.
    pub trace: &'a str,
    /// The number of processes that have records.
    pub processes: usize,
    /// The number of events that have arrived.
    pub events: u64,
    /// The number of records that were read.
    pub records: u64,
    /// The limit that ended the watching, if one did.
    pub limit: Option<Limit>,
    /// Why the rest of the input cannot be used, if it cannot.
    pub broken: Option<&'a str>,
    /// What is odd about the run or about what was asked.
    pub warnings: &'a [Finding],
    /// The time that it took.
    pub time: Duration,
}

/// A question and what was announced, if anything was.
#[derive(Clone, Debug)]
pub struct LiveAnswer {
    /// The question.
    pub question: Question,
    /// The answer. Its time is counted from the beginning.
    pub announced: Option<Announcement>,
}

/// A formula and what was announced, if anything was.
#[derive(Clone, Debug)]
pub struct LiveFormula {
    /// The formula.
    pub formula: SltlFormula,
    /// The answer. Its time is counted from the beginning.
    pub announced: Option<SltlAnswer>,
}

/// An announcement as text.
pub fn announcement_text(
    question: &Question,
    announcement: &Announcement,
    at_end: bool,
    options: &TextOptions,
) -> String {
    let records = counted(announcement.records, "record", "records");
    let when = match at_end {
        true => format!("at the end, after {records}: "),
        false => format!("after {records}: "),
    };
    let truth = announcement.verdict.truth();
    let mut text = when + &verdict_line(question, truth);
    match &announcement.witness {
        None => text += &format!("  {}\n", meaning(question.modality, truth)),
        Some(sighting) => {
            text += &cut_line(question.modality, false);
            text += &rows_text(&rows(question, sighting), options);
        }
    }
    // The linear algorithms look at no global states.
    let states = match announcement.statistics.states {
        0 => String::new(),
        n => format!(", {}", counted(n, "state", "states")),
    };
    let effort = format!(
        "method {}{states}, {} after the beginning",
        announcement.method,
        duration(announcement.statistics.time)
    );
    text + &format!("  {}\n", styled(FAINT, &effort))
}

fn rows(question: &Question, sighting: &Sighting) -> Vec<Row> {
    let read = question.predicate.variables();
    let row = |(process, state): (&String, &u32)| {
        let variables = sighting.variables.get(process);
        let read = |(name, value): (&String, _)| Variable::new(name, value, read.contains(name));
        Row {
            process: process.clone(),
            state: *state,
            matters: variables.is_some(),
            record: None,
            variables: variables.into_iter().flatten().map(read).collect(),
        }
    };
    sighting.cut.iter().map(row).collect()
}

/// The summary when watching has ended.
pub fn live_text(run: &LiveRun<'_>, answers: &[LiveAnswer], formulas: &[LiveFormula]) -> String {
    let open = Verdict::Inconclusive(run.limit.map_or(Doubt::Unexplored, Doubt::Limit));
    let formulas = formulas.iter().filter(|f| f.announced.is_none());
    let formulas = formulas.map(|f| formula::verdict_line(&f.formula, open));
    let questions = answers.iter().filter(|a| a.announced.is_none());
    let questions = questions.map(|a| verdict_line(&a.question, None));
    let why = match (run.limit, run.broken) {
        (Some(limit), _) => format!("  {}\n", unanswered_query(limit)),
        (None, Some(_)) => "  There is no answer: the input cannot be used to its end.\n".to_owned(),
        (None, None) => String::new(),
    };
    let mut text = String::new();
    for line in formulas.chain(questions) {
        text += &line;
        text += &why;
    }
    let name = styled(NAME, &line::one_line(run.trace));
    text + &format!(
        "{name}: {} of {}, {}, {}\n",
        counted(run.events, "event", "events"),
        counted(run.processes as u64, "process", "processes"),
        counted(run.records, "record", "records"),
        duration(run.time)
    )
}

#[derive(Serialize)]
struct AnnouncementView<'a> {
    query: usize,
    records: u64,
    #[serde(flatten)]
    answer: QueryView<'a>,
}

/// An announcement as one line of JSON.
pub fn announcement_json(question: &Question, announcement: &Announcement) -> String {
    on_one_line(&AnnouncementView {
        query: announcement.question.index(),
        records: announcement.records,
        answer: announced(question, announcement),
    })
}

/// The answer about a formula that was settled, as one line of JSON.
pub fn formula_json(records: u64, formula: &SltlFormula, answer: &SltlAnswer) -> String {
    #[derive(Serialize)]
    struct View<'a> {
        records: u64,
        #[serde(flatten)]
        answer: FormulaView<'a>,
    }
    on_one_line(&View {
        records,
        answer: FormulaView::new(formula, answer),
    })
}

/// All answers when watching has ended, as one line of JSON.
pub fn live_json(run: &LiveRun<'_>, answers: &[LiveAnswer], formulas: &[LiveFormula]) -> String {
    #[derive(Serialize)]
    struct View<'a> {
        trace: &'a str,
        processes: usize,
        events: u64,
        records: u64,
        #[serde(skip_serializing_if = "Option::is_none")]
        error: Option<&'a str>,
        warnings: Vec<FindingView<'a>>,
        queries: Vec<AnyView<'a>>,
    }
    on_one_line(&View {
        trace: run.trace,
        processes: run.processes,
        events: run.events,
        records: run.records,
        error: run.broken,
        warnings: run.warnings.iter().map(FindingView::new).collect(),
        queries: (answers.iter().map(|answer| AnyView::Query(query(run, answer))))
            .chain(formulas.iter().map(|formula| AnyView::Formula(checked(run, formula))))
            .collect(),
    })
}

fn query<'a>(run: &LiveRun<'_>, answer: &'a LiveAnswer) -> QueryView<'a> {
    let question = &answer.question;
    match &answer.announced {
        Some(announcement) => announced(question, announcement),
        None => QueryView::unanswered(question, run.limit, run.time),
    }
}

fn checked<'a>(run: &LiveRun<'_>, LiveFormula { formula, announced }: &'a LiveFormula) -> FormulaView<'a> {
    match announced {
        Some(answer) => FormulaView::new(formula, answer),
        None => FormulaView::unanswered(formula, run.limit, run.time),
    }
}

fn announced<'a>(question: &'a Question, announcement: &'a Announcement) -> QueryView<'a> {
    let truth = announcement.verdict.truth();
    QueryView {
        answer: truth,
        verdict: verdict(question.modality, truth),
        method: announcement.method.to_string(),
        // On-line detection counts states only.
        states: announcement.statistics.states,
        witness: announcement.witness.as_ref().map(sighted),
        ..QueryView::unanswered(question, announcement.limit(), announcement.statistics.time)
    }
}

fn sighted(sighting: &Sighting) -> WitnessView<'_> {
    let variables = sighting.variables.iter().map(|(process, variables)| {
        let variables = variables.iter().map(|(name, value)| (name.as_str(), value.to_json()));
        (process.as_str(), variables.collect())
    });
    WitnessView::Sighting {
        cut: &sighting.cut,
        variables: variables.collect(),
    }
}
