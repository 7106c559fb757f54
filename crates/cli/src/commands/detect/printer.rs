//! Prints what a session finds out, as soon as it does.

use super::{Options, warnings};
use crate::output::{Format, print_styled};
use crate::progress::Activity;
use mazurka_report::detection::{
    RecordedRun, answer_text, assumption_text, cuts_text, formula_text, pattern_text, run_text,
};
use mazurka_trace::{
    Answer, Asked, Companion, CutCount, Doubt, ExecutionId, Finding, Imported, Pattern, PatternAnswer, Queries,
    Question, Session, SltlAnswer, SltlFormula, Verdict,
};

/// Prints answers as text, and shows what is being done.
pub(super) struct Printer<'a> {
    options: &'a Options,
    trace: &'a str,
    imported: &'a Imported,
    queries: &'a Queries,
    /// What is odd about the whole input.
    general: &'a [Finding],
    /// The execution whose answers come next.
    execution: ExecutionId,
    /// What is printed with the first answer: if nothing can be answered, nothing is printed.
    heading: String,
    /// What is odd about each execution that was asked about, or about what was asked of it.
    warnings: Vec<Vec<Finding>>,
    line: Option<Activity>,
}

impl<'a> Printer<'a> {
    pub(super) fn new(options: &'a Options, trace: &'a str, session: &'a Session, general: &'a [Finding]) -> Self {
        Self {
            options,
            trace,
            imported: session.imported(),
            queries: session.queries(),
            general,
            execution: ExecutionId::new(0),
            heading: String::new(),
            warnings: Vec::new(),
            line: None,
        }
    }

    /// An execution, for reports.
    pub(super) fn run(&self, execution: ExecutionId) -> RecordedRun<'a> {
        let several = self.imported.executions.len() > 1;
        let found = self.imported.execution(execution);
        RecordedRun {
            trace: self.trace,
            format: self.imported.format,
            execution: several.then_some((execution.index() + 1, found.name.as_deref())),
            computation: &found.computation,
            sources: &self.imported.sources,
        }
    }

    /// The warnings about each execution, in their order.
    pub(super) fn warnings(&self) -> impl Iterator<Item = &[Finding]> {
        self.warnings.iter().map(Vec::as_slice)
    }

    /// Shows what is being done.
    fn show(&mut self, what: String) {
        self.line = Some(Activity::new(what, self.options.output.quiet));
    }

    /// Prints an answer.
    fn print(&mut self, text: impl FnOnce(RecordedRun<'a>) -> String) {
        self.line = None;
        if self.options.output.format == Format::Text {
            let run = self.run(self.execution);
            let text = text(run) + &assumption_text(run);
            print_styled(&format!("{}{text}", self.heading));
            self.heading = "\n".to_owned();
        }
    }
}

impl Companion for Printer<'_> {
    fn execution(&mut self, execution: ExecutionId) {
        let run = self.run(execution);
        let apart = if self.warnings.is_empty() { "" } else { "\n" };
        self.execution = execution;
        self.heading = format!("{apart}{}\n", run_text(run));
        let odd = warnings::never_assigned(run.computation, self.queries);
        warnings::say(&odd, self.options.output.quiet);
        let general = match run.execution {
            None => self.general,
            // Several executions share them.
            Some(_) => &[],
        };
        self.warnings.push([general, &odd].concat());
    }

    fn asking(&mut self, asked: Asked<'_>) {
        self.show(asked.text());
    }

    fn counting(&mut self) {
        self.show("counting global states".to_owned());
    }

    fn answered(&mut self, question: &Question, answer: &Answer) {
        self.line = None;
        if !is_refused(answer.verdict) {
            let text = self.options.output.text(self.options.verbose);
            self.print(|run| answer_text(run, question, answer, &text));
        }
    }

    fn checked(&mut self, formula: &SltlFormula, answer: &SltlAnswer) {
        self.line = None;
        if !is_refused(answer.verdict) {
            self.print(|_| formula_text(formula, answer));
        }
    }

    fn ordered(&mut self, pattern: &Pattern, answer: &PatternAnswer) {
        self.line = None;
        if !is_refused(answer.verdict) {
            let text = self.options.output.text(self.options.verbose);
            self.print(|run| pattern_text(run, pattern, answer, &text));
        }
    }

    fn counted(&mut self, cuts: CutCount) {
        self.print(|_| cuts_text(cuts));
    }
}

/// Whether there is no answer, so that the reason is said at the end, on standard error.
fn is_refused(verdict: Verdict) -> bool {
    verdict == Verdict::Inconclusive(Doubt::Refused)
}
