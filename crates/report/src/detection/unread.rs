//! What there is to say if a limit is reached before the run was read.

use super::formula::{FormulaAnswer, FormulaView, formula_text};
use super::json::{AnyView, QueryView};
use super::text::verdict_line;
use crate::json::pretty;
use crate::limits::{limit_name, unanswered_query};
use crate::line::one_line;
use crate::style::{NAME, styled};
use mazurka_core::Limit;
use mazurka_trace::{Question, SltlFormula};
use serde::Serialize;
use std::time::Duration;

/// That nothing is answered, as text.
pub fn unread_text(trace: &str, questions: &[Question], formulas: &[SltlFormula], limit: Limit) -> String {
    let mut text = format!("{}: it was not read to its end\n", styled(NAME, &one_line(trace)));
    for question in questions {
        text += &format!("\n{}  {}\n", verdict_line(question, None), unanswered_query(limit));
    }
    for formula in formulas {
        text += &format!("\n{}", formula_text(&FormulaAnswer::unanswered(formula.clone(), limit)));
    }
    text
}

/// That nothing is answered, as JSON of the usual shape.
pub fn unread_json(trace: &str, questions: &[Question], formulas: &[SltlFormula], limit: Limit) -> String {
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
    let formulas: Vec<FormulaAnswer> = formulas
        .iter()
        .map(|formula| FormulaAnswer::unanswered(formula.clone(), limit))
        .collect();
    let queries = questions
        .iter()
        .map(|question| AnyView::Query(QueryView::unanswered(question, Some(limit), Duration::ZERO)));
    pretty(&View {
        trace,
        format: None,
        processes: None,
        events: None,
        limit: limit_name(limit),
        warnings: [],
        queries: queries
            .chain(formulas.iter().map(|f| AnyView::Formula(FormulaView::new(f))))
            .collect(),
    })
}
