//! What is wrong with an input, as JSON and as a sentence.

use crate::amounts::counted;
use crate::json::pretty;
use mazurka_trace::{Finding, Lint, Severity, Spot};
use serde::Serialize;

/// What was found in an input.
pub fn lint_json(trace: &str, lint: &Lint) -> String {
    #[derive(Serialize)]
    struct View<'a> {
        trace: &'a str,
        format: &'static str,
        clean: bool,
        /// The number of errors. If `gave_up`, there may be more.
        errors: usize,
        gave_up: bool,
        executions: Option<usize>,
        processes: Option<usize>,
        events: Option<u64>,
        findings: Vec<FindingView<'a>>,
    }
    pretty(&View {
        trace,
        format: lint.format.name(),
        clean: lint.findings.is_empty(),
        errors: lint.errors.found,
        gave_up: lint.errors.gave_up,
        executions: lint.extent.map(|e| e.executions),
        processes: lint.extent.map(|e| e.processes),
        events: lint.extent.map(|e| e.events),
        findings: lint.findings.iter().map(FindingView::new).collect(),
    })
}

/// What was found in an input, as one line.
///
/// ```
/// use mazurka_trace::{ImportOptions, Input, lint};
/// let bytes = br#"{"process":"p1","recv":["m"]}"#.to_vec();
/// let input = Input::Text { name: "run.jsonl".into(), bytes };
/// let lint = lint(input, &ImportOptions::default()).unwrap();
/// let summary = mazurka_report::lint_summary("run.jsonl", &lint);
/// assert!(summary.contains("it cannot be used; 1 error"));
/// ```
pub fn lint_summary(trace: &str, lint: &Lint) -> String {
    let of = |severity| lint.findings.iter().filter(|f| f.severity == severity).count() as u64;
    let (errors, warnings) = (of(Severity::Error), of(Severity::Warning));
    let listed = match lint.errors.found as u64 > errors {
        true => format!("; the first {errors} are listed"),
        false => String::new(),
    };
    let verdict = match (errors, warnings) {
        (0, 0) => "nothing is wrong".to_owned(),
        (0, n) => format!("it can be used; {}", counted(n, "warning", "warnings")),
        (1, _) if listed.is_empty() && !lint.errors.gave_up => "it cannot be used; 1 error".to_owned(),
        _ => format!("it cannot be used; {}{listed}", lint.errors),
    };
    let Some(extent) = lint.extent else {
        return format!("{trace}: {verdict} [{}]\n", lint.format);
    };
    let executions = match extent.executions {
        1 => String::new(),
        n => format!("{}, ", counted(n as u64, "execution", "executions")),
    };
    format!(
        "{trace}: {executions}{}, {}: {verdict} [{}]\n",
        counted(extent.processes as u64, "process", "processes"),
        counted(extent.events, "event", "events"),
        lint.format
    )
}

/// Something that was found in an input.
#[derive(Serialize)]
pub(crate) struct FindingView<'a> {
    severity: &'static str,
    rule: &'static str,
    message: &'a str,
    expected: Option<&'a str>,
    #[serde(flatten)]
    spot: Option<SpotView<'a>>,
    related: Vec<RelatedView<'a>>,
}

#[derive(Serialize)]
struct SpotView<'a> {
    file: &'a str,
    line: u64,
    column: u64,
    text: &'a str,
}

#[derive(Serialize)]
struct RelatedView<'a> {
    message: &'a str,
    #[serde(flatten)]
    spot: SpotView<'a>,
}

impl<'a> FindingView<'a> {
    pub(crate) fn new(finding: &'a Finding) -> Self {
        let related = finding.related.iter();
        Self {
            severity: match finding.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
            },
            rule: finding.rule,
            message: &finding.message,
            expected: finding.expected.as_deref(),
            spot: finding.spot.as_ref().map(SpotView::new),
            related: related
                .map(|(spot, message)| RelatedView {
                    message,
                    spot: SpotView::new(spot),
                })
                .collect(),
        }
    }
}

impl<'a> SpotView<'a> {
    fn new(spot: &'a Spot) -> Self {
        Self {
            file: &spot.file,
            line: spot.line,
            column: spot.column,
            text: &spot.text,
        }
    }
}
