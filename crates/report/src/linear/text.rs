//! Whether a history is linearizable, as text.

use super::{LAST, LinearRun, Lines, picture, shown};
use crate::amounts::{counted, duration};
use crate::limits::unanswered_query;
use crate::line::one_line;
use crate::style::{NAME, of_verdict, styled};
use mazurka_core::{Doubt, Verdict};
use mazurka_linear::formats::{Ended, Judged};
use mazurka_linear::{OperationId, Violation};

/// The answers as text with styles. `verbose` shows the whole linearizations.
pub fn linear_text(run: &LinearRun<'_>, verbose: bool) -> String {
    let lines = Lines::new(run.text);
    let verdict = run.verdict();
    let answer = match verdict {
        Verdict::Holds => "linearizable",
        Verdict::Violated => "not linearizable",
        Verdict::Inconclusive(_) => "not known",
    };
    let mut text = format!(
        "{} as {}: {}\n",
        styled(NAME, &one_line(run.trace)),
        run.object.name(),
        styled(of_verdict(verdict.name()), answer)
    );
    if run.recorded.is_some() {
        text += &format!("  {}\n", size(run));
    }
    if let Some(limit) = run.limit {
        text += &format!("  {}\n", unanswered_query(limit));
    }
    for part in run.judged {
        text += &answer_of(run, &lines, part, verbose);
    }
    text
}

/// How large the history is, and how it was searched.
fn size(run: &LinearRun<'_>) -> String {
    let mut all = vec![counted(run.count(|_| true), "operation", "operations")];
    let unknown = run.count(|ended| matches!(ended, Ended::Unknown | Ended::Never));
    let failed = run.count(|ended| *ended == Ended::Failed);
    if unknown > 0 {
        all.push(format!("{unknown} with an unknown outcome"));
    }
    if failed > 0 {
        all.push(format!("{failed} failed"));
    }
    let keys = run.judged.iter().filter(|part| part.key.is_some()).count() as u64;
    if keys > 0 {
        all.push(format!("{} checked", counted(keys, "key", "keys")));
    }
    let states: u64 = run.judged.iter().map(|part| part.outcome.statistics.states).sum();
    if states > 0 {
        all.push(counted(states, "configuration", "configurations"));
    }
    all.push(duration(
        run.judged.iter().map(|part| part.outcome.statistics.time).sum(),
    ));
    all.join(", ")
}

fn answer_of(run: &LinearRun<'_>, lines: &Lines, part: &Judged, verbose: bool) -> String {
    let key = part
        .key
        .as_ref()
        .map_or(String::new(), |key| format!("key {}: ", one_line(key)));
    if let Verdict::Inconclusive(Doubt::Limit(limit)) = part.outcome.verdict {
        return format!("\n  {key}{}\n", unanswered_query(limit));
    }
    if let Some(order) = part.outcome.linearization.as_ref().filter(|_| verbose) {
        return format!("\n  {key}linearization: {}\n", listed(run, lines, order, None));
    }
    match (&part.outcome.violation, part.outcome.verdict) {
        (Some(violation), _) => violated(run, lines, part, violation, &key, verbose),
        (None, Verdict::Violated) => format!("\n  {key}a limit was reached before it could be said why\n"),
        _ => String::new(),
    }
}

fn violated(
    run: &LinearRun<'_>,
    lines: &Lines,
    part: &Judged,
    violation: &Violation,
    key: &str,
    verbose: bool,
) -> String {
    let culprit = run.operation(violation.operation);
    let line = lines.of(culprit.offsets.1.unwrap_or(culprit.offsets.0));
    let mut text = format!(
        "\n  {key}line {line}: no order of the operations so far explains that process {} returns from `{}`\n\n",
        one_line(&culprit.process.to_string()),
        one_line(&shown(culprit, None)),
    );
    text += &picture::drawn(run, lines, violation, &run.relevant(part, violation));
    text.push('\n');
    if let Some(reason) = &violation.reason {
        let mut words = reason.text.clone();
        for (k, id) in reason.operations.iter().enumerate() {
            words = words.replace(&format!("{{{k}}}"), &named(run, lines, *id));
        }
        text += &format!("  Why: {words}.\n");
    }
    let order = &violation.before;
    let from = if verbose { 0 } else { order.len().saturating_sub(LAST) };
    let shown_part = match from {
        0 => String::new(),
        _ => format!(" (the last {LAST} of {})", order.len()),
    };
    if !order.is_empty() {
        let end = culprit.moments.1;
        text += &format!(
            "  Up to there this order explains everything{shown_part}: {}.\n",
            listed(run, lines, &order[from..], end)
        );
    }
    text
}

fn named(run: &LinearRun<'_>, lines: &Lines, id: OperationId) -> String {
    let operation = run.operation(id);
    format!(
        "`{}` (line {})",
        one_line(&shown(operation, None)),
        lines.of(operation.offsets.0)
    )
}

fn listed(run: &LinearRun<'_>, lines: &Lines, ids: &[OperationId], moment: Option<u32>) -> String {
    let one = |id: &OperationId| {
        let operation = run.operation(*id);
        format!(
            "`{}` (line {})",
            one_line(&shown(operation, moment)),
            lines.of(operation.offsets.0)
        )
    };
    ids.iter().map(one).collect::<Vec<_>>().join(", ")
}
