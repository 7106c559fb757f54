//! What to say if a limit is reached before the run was read.

use super::formula::{self, FormulaView};
use super::json::{AnyView, QueryView};
use super::pattern::{PatternView, pattern_line};
use super::text::verdict_line;
use crate::json::pretty;
use crate::limits::{limit_name, unanswered_query};
use crate::line::one_line;
use crate::style::{NAME, styled};
use mazurka_core::{Limit, Verdict};
use mazurka_trace::Queries;
use serde::Serialize;
use std::time::Duration;

/// The queries without answers, as text.
pub fn unread_text(trace: &str, queries: &Queries, limit: Limit) -> String {
    let mut text = format!("{}: it was not read to its end\n", styled(NAME, &one_line(trace)));
    for question in &queries.questions {
        text += &format!("\n{}  {}\n", verdict_line(question, None), unanswered_query(limit));
    }
    for formula in &queries.formulas {
        let line = formula::verdict_line(formula, Verdict::Inconclusive(limit.into()));
        text += &format!("\n{line}  {}\n", unanswered_query(limit));
    }
    for pattern in &queries.patterns {
        text += &format!("\n{}  {}\n", pattern_line(pattern, None), unanswered_query(limit));
    }
    text
}

/// The queries without answers, as JSON of the usual shape.
pub fn unread_json(trace: &str, queries: &Queries, limit: Limit) -> String {
    #[derive(Serialize)]
    struct View<'a> {
        trace: &'a str,
        format: Option<&'static str>,
        processes: Option<usize>,
        events: Option<u64>,
        limit: &'static str,
        warnings: [(); 0],
        queries: Vec<AnyView<'a>>,
    }
    let questions = queries
        .questions
        .iter()
        .map(|question| AnyView::Query(QueryView::unanswered(question, Some(limit), Duration::ZERO)));
    let formulas = queries
        .formulas
        .iter()
        .map(|formula| AnyView::Formula(FormulaView::unanswered(formula, Some(limit), Duration::ZERO)));
    let patterns = queries
        .patterns
        .iter()
        .map(|pattern| AnyView::Pattern(PatternView::unanswered(pattern, Some(limit), Duration::ZERO)));
    pretty(&View {
        trace,
        format: None,
        processes: None,
        events: None,
        limit: limit_name(limit),
        warnings: [],
        queries: questions.chain(formulas).chain(patterns).collect(),
    })
}
