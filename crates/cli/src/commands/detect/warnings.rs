//! What is odd about a run or about what is asked of it: said on standard error, in the
//! JSON and on the page. The answers are right all the same.

use super::Options;
use crate::diagnostic::finding_text;
use crate::output::remark;
use mazurka_trace::{
    Asked, Computation, Finding, Monitor, Question, SltlFormula, never_assigned as unassigned, unread_defaults,
};
use std::collections::BTreeSet;

/// The variables that something reads.
pub(super) fn variables(questions: &[Question], formulas: &[SltlFormula]) -> BTreeSet<String> {
    let read = questions.iter().flat_map(|q| q.predicate.variables());
    read.chain(formulas.iter().flat_map(SltlFormula::variables)).collect()
}

/// Defaults of variables that nothing reads. Who counts global states reads none.
pub(super) fn defaults(options: &Options, questions: &[Question], formulas: &[SltlFormula]) -> Vec<Finding> {
    unread_defaults(&options.input.defaults, &variables(questions, formulas))
}

/// Processes that never assign what is read of them.
pub(super) fn never_assigned(
    computation: &Computation,
    questions: &[Question],
    formulas: &[SltlFormula],
) -> Vec<Finding> {
    let names: Vec<&str> = computation.names().iter().map(String::as_str).collect();
    let assigns = |process: &str, variable: &str| {
        let p = names.iter().position(|name| *name == process);
        let v = computation.variable(variable);
        p.zip(v).is_some_and(|(p, v)| !computation.assignments(p, v).is_empty())
    };
    asked(questions, formulas)
        .flat_map(|asked| unassigned(asked, &names, &assigns))
        .collect()
}

/// The same of a run that was followed.
pub(super) fn never_assigned_so_far(
    monitor: &Monitor,
    questions: &[Question],
    formulas: &[SltlFormula],
) -> Vec<Finding> {
    let (names, assigns) = (monitor.names(), |p: &str, v: &str| monitor.has_assigned(p, v));
    asked(questions, formulas)
        .flat_map(|asked| unassigned(asked, &names, &assigns))
        .collect()
}

fn asked<'a>(questions: &'a [Question], formulas: &'a [SltlFormula]) -> impl Iterator<Item = Asked<'a>> {
    let questions = questions.iter().map(Asked::Question);
    questions.chain(formulas.iter().map(Asked::Formula))
}

/// Says them on standard error, unless nobody wants to hear.
pub(super) fn say(warnings: &[Finding], quiet: bool) {
    if !quiet {
        for warning in warnings {
            remark(&format!("{}\n", finding_text(warning)));
        }
    }
}
