//! Answers about a run that goes on, announced one by one.

use super::formula::{FormulaAnswer, FormulaView, formula_text};
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
use mazurka_core::Limit;
use mazurka_trace::{Announcement, Finding, Modality, Question, Sighting};
use serde::Serialize;
use std::time::Duration;

/// A run that was watched, as far as it was.
#[derive(Clone, Copy, Debug)]
pub struct LiveRun<'a> {
    /// What to call its input.
    pub trace: &'a str,
    /// How many processes were heard of.
    pub processes: usize,
    /// How many events have arrived.
    pub events: u64,
    /// How many records were read.
    pub records: u64,
    /// Why watching ended, if it was not the end of the input or of the questions.
    pub limit: Option<Limit>,
    /// Why the rest of the input cannot be used, if it cannot.
    pub broken: Option<&'a str>,
    /// What is odd about the run or about what was asked.
    pub warnings: &'a [Finding],
    /// How long it took.
    pub time: Duration,
}

/// A question and what was announced, if anything was.
#[derive(Clone, Debug)]
pub struct LiveAnswer {
    /// The question.
    pub question: Question,
    /// The answer, and how long after the beginning it came.
    pub announced: Option<(Announcement, Duration)>,
}

/// An announcement, as soon as it is made.
pub fn announcement_text(
    question: &Question,
    announcement: &Announcement,
    time: Duration,
    at_end: bool,
    options: &TextOptions,
) -> String {
    let records = counted(announcement.records, "record", "records");
    let when = match at_end {
        true => format!("at the end, after {records}: "),
        false => format!("after {records}: "),
    };
    let mut text = when + &verdict_line(question, Some(announcement.answer));
    match &announcement.witness {
        None => text += &format!("  {}\n", meaning(question.modality, Some(announcement.answer))),
        Some(sighting) => {
            text += &cut_line(question.modality, false);
            text += &rows_text(&rows(question, sighting), options);
        }
    }
    // The linear algorithms look at no global states.
    let states = match announcement.states {
        0 => String::new(),
        n => format!(", {}", counted(n, "state", "states")),
    };
    let effort = format!(
        "method {}{states}, {} after the beginning",
        announcement.method,
        duration(time)
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

/// What there is to say when watching has ended.
pub fn live_text(run: &LiveRun<'_>, answers: &[LiveAnswer], formulas: &[FormulaAnswer]) -> String {
    let mut text = String::new();
    for formula in formulas.iter().filter(|f| f.answer.is_none()) {
        text += &formula_text(formula);
    }
    for answer in answers.iter().filter(|a| a.announced.is_none()) {
        text += &verdict_line(&answer.question, None);
        text += &match (run.limit, run.broken) {
            (Some(limit), _) => format!("  {}\n", unanswered_query(limit)),
            (None, Some(_)) => "  There is no answer: the input cannot be used to its end.\n".to_owned(),
            (None, None) => String::new(),
        };
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
pub fn announcement_json(question: &Question, announcement: &Announcement, time: Duration) -> String {
    on_one_line(&AnnouncementView {
        query: announcement.question,
        records: announcement.records,
        answer: announced(question, announcement, time),
    })
}

/// That a formula was settled, as one line of JSON.
pub fn formula_json(records: u64, formula: &FormulaAnswer) -> String {
    #[derive(Serialize)]
    struct View<'a> {
        records: u64,
        #[serde(flatten)]
        answer: FormulaView<'a>,
    }
    on_one_line(&View {
        records,
        answer: FormulaView::new(formula),
    })
}

/// All answers when watching has ended, as one line of JSON.
pub fn live_json(run: &LiveRun<'_>, answers: &[LiveAnswer], formulas: &[FormulaAnswer]) -> String {
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
            .chain(formulas.iter().map(|f| AnyView::Formula(FormulaView::new(f))))
            .collect(),
    })
}

fn query<'a>(run: &LiveRun<'_>, answer: &'a LiveAnswer) -> QueryView<'a> {
    let question = &answer.question;
    match &answer.announced {
        Some((announcement, time)) => announced(question, announcement, *time),
        None => QueryView::unanswered(question, run.limit, run.time),
    }
}

fn announced<'a>(question: &'a Question, announcement: &'a Announcement, time: Duration) -> QueryView<'a> {
    let modality: Modality = question.modality;
    QueryView {
        modality: modality.to_string(),
        predicate: question.predicate.text(),
        answer: Some(announcement.answer),
        verdict: verdict(modality, Some(announcement.answer)),
        method: announcement.method.to_string(),
        states: announcement.states,
        // On-line detection counts states only.
        transitions: 0,
        seconds: time.as_secs_f64(),
        witness: announcement.witness.as_ref().map(sighted),
        limit: None,
        remarks: &[],
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
