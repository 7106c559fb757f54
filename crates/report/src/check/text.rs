//! Answers as text: a line for each property, then what is wrong.

use super::snapshots::snapshots_text;
use super::steps::steps_text;
use super::{CheckedModel, excerpt, line, words};
use crate::TextOptions;
use crate::amounts::{bytes, counted, duration, grouped};
use crate::limits::unanswered;
use crate::line::{one_line, padding, shortened, width};
use crate::style::{FAINT, NAME, of_verdict, styled};
use mazurka_core::{End, Statistics};
use mazurka_promela::verify::{PropertyResult, ReductionUsed, Trial, Unreached, Untrue, Verdict, Violation};

/// The greatest number of columns of a property's name.
const NAMES: usize = 40;

/// The answers.
pub fn checked_text(view: &CheckedModel<'_>, options: &TextOptions) -> String {
    let mut text = format!("{}\n", styled(NAME, &one_line(view.model)));
    if view.checked.properties.is_empty() {
        text += "  inconclusive: nothing was checked\n";
    }
    text += &rows_text(&view.checked.properties, options);
    for property in &view.checked.properties {
        for violation in &property.violations {
            text += &format!("\n{}", violation_text(view, property, violation, options));
        }
    }
    for promise in view.checked.properties.iter().flat_map(|p| &p.untrue) {
        text += &format!("\n{}", untrue_text(view, promise));
    }
    // The searches for different properties miss mostly the same statements.
    let unreached = view.checked.properties.iter().find(|p| !p.unreached.is_empty());
    if let Some(property) = unreached {
        text += &format!("\n{}", unreached_text(view, &property.unreached, options));
    }
    text
}

/// The state of a search, for the progress line.
pub fn progress_text(property: &str, so_far: &Statistics) -> String {
    let seconds = so_far.time.as_secs_f64().max(1e-3);
    #[expect(clippy::cast_possible_truncation, reason = "a rate that is only shown")]
    let rate = (so_far.states as f64 / seconds) as u64;
    format!(
        "{}: {}, {}/s, depth {}, {}",
        shortened(&one_line(property), NAMES),
        counted(so_far.states, "state", "states"),
        grouped(rate),
        grouped(so_far.depth as u64),
        bytes(so_far.bytes),
    )
}

/// A line for each property, with remarks.
fn rows_text(properties: &[PropertyResult], options: &TextOptions) -> String {
    let rows: Vec<[String; 6]> = properties.iter().map(cells).collect();
    let widths: [usize; 6] = std::array::from_fn(|c| rows.iter().map(|row| width(&row[c])).max().unwrap_or(0));
    let mut text = String::new();
    for (property, row) in properties.iter().zip(&rows) {
        let pad = |c: usize| padding(&row[c], widths[c]);
        let verdict = styled(of_verdict(&row[1]), &row[1]);
        text += &format!("  {}{}  {verdict}{}", row[0], pad(0), pad(1));
        for (c, cell) in row.iter().enumerate().skip(2) {
            text += &format!("  {}{cell}", pad(c));
        }
        text.push('\n');
        for remark in remarks(property, options) {
            text += &format!("    {remark}\n");
        }
    }
    text
}

fn cells(property: &PropertyResult) -> [String; 6] {
    let statistics = &property.statistics;
    [
        shortened(&one_line(&property.name), NAMES),
        property.verdict.name().to_owned(),
        counted(statistics.states, "state", "states"),
        counted(statistics.transitions, "transition", "transitions"),
        format!("depth {}", grouped(statistics.depth as u64)),
        duration(statistics.time),
    ]
}

/// Remarks about a property.
fn remarks(property: &PropertyResult, options: &TextOptions) -> Vec<String> {
    let mut remarks = Vec::new();
    if let Some(reason) = &property.refusal {
        return vec![format!("Not checked: {}.", one_line(reason))];
    }
    match (property.verdict, property.end) {
        (Verdict::Violated, End::Limit(limit)) => remarks.push(format!("There may be more: {limit}.")),
        (_, End::Limit(limit)) => remarks.push(format!("{} What was explored has no violation.", unanswered(limit))),
        (Verdict::Inconclusive(_), _) => remarks.push("Not answered: not every execution was explored.".to_owned()),
        _ => {}
    }
    if let Some(note) = &property.reduction.note {
        remarks.push(format!("Note: {}.", one_line(note)));
    }
    if options.verbose {
        let statistics = &property.statistics;
        let effort = format!(
            "{}; {} matched, {}",
            reduction(&property.reduction),
            counted(statistics.matched, "transition", "transitions"),
            bytes(statistics.bytes),
        );
        remarks.push(styled(FAINT, &effort));
    }
    remarks
}

/// How the search was reduced, in words.
pub(super) fn reduction(used: &ReductionUsed) -> String {
    let parts = [
        used.persistent
            .map(|algorithm| format!("persistent sets ({algorithm})")),
        used.sleep.then(|| "sleep sets".to_owned()),
        used.proviso.map(|proviso| format!("proviso {proviso}")),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    let reduction = match parts.is_empty() {
        true => "no reduction".to_owned(),
        false => parts.join(", "),
    };
    match used.trial {
        None => reduction,
        Some(_) if used.persistent.is_none() => format!("{reduction}, since it saved next to nothing in a trial"),
        Some(Trial { left_out, of, .. }) => {
            format!("{reduction}, after a trial not started from {left_out} of {of} edges")
        }
    }
}

fn violation_text(
    view: &CheckedModel<'_>,
    property: &PropertyResult,
    violation: &Violation,
    options: &TextOptions,
) -> String {
    let verdict = Verdict::Violated.name();
    let mut text = format!(
        "{}: {}: {}\n",
        styled(of_verdict(verdict), verdict),
        one_line(&property.name),
        one_line(&violation.message)
    );
    if let Some(span) = violation.location {
        text += &excerpt(view.sources, span);
    }
    text + &steps_text(view, violation, options) + &snapshots_text(view, violation, options)
}

/// A broken promise that SPIN would rely on.
fn untrue_text(view: &CheckedModel<'_>, untrue: &Untrue) -> String {
    let word = words::promise(untrue);
    let uses = match untrue.receives {
        true => "receives from",
        false => "sends to",
    };
    let message = format!(
        "this `{word}` of {} is not true: {} {uses} the channel too",
        untrue.process, untrue.by
    );
    let excerpt = excerpt(view.sources, untrue.span);
    let consequence = "no verdict here depends on it; those of SPIN with its reduction do";
    format!("{message}\n{excerpt}  {}\n", styled(FAINT, consequence))
}

/// Statements that are never executed: their number, or a list.
fn unreached_text(view: &CheckedModel<'_>, unreached: &[Unreached], options: &TextOptions) -> String {
    let count = counted(unreached.len() as u64, "statement is", "statements are");
    if !options.verbose {
        return styled(FAINT, &format!("{count} never executed (-v lists them)")) + "\n";
    }
    let mut text = format!("{count} never executed:\n");
    let names = unreached.iter().map(|u| width(&u.process)).max().unwrap_or(0);
    let lines: Vec<String> = unreached.iter().map(|u| line(view.sources, u.span)).collect();
    let widest = lines.iter().map(|line| width(line)).max().unwrap_or(0);
    for (statement, line) in unreached.iter().zip(lines) {
        text += &format!(
            "    {}{}  {}{}  {}\n",
            statement.process,
            padding(&statement.process, names),
            styled(FAINT, &line),
            padding(&line, widest),
            shortened(
                &one_line(&statement.statement),
                options.width.saturating_sub(names + widest + 8)
            ),
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::sample::Sample;
    use super::*;
    use crate::style::plain;
    use std::time::Duration;

    fn text(sample: &Sample, verbose: bool) -> String {
        plain(&checked_text(&sample.view(), &TextOptions { width: 100, verbose }))
    }

    #[test]
    fn a_line_for_each_property_then_what_is_wrong() {
        let expected = r#"
handshake.pml
  safety  violated     13 states     21 transitions   depth 9  1.2 ms
  p_sent  holds     1,234 states  2,345 transitions  depth 56   12 ms
    Note: the formula is not stutter-invariant.

violated: safety: the assertion `got == 2` fails
  --> handshake.pml:10:3
   |
10 |   assert(got == 2);
   |   ^^^^^^^^^^^^^^^^
  5 steps lead there:
    1  Sender[0]    line 4   c!1               sends 1; c = [1]
    2               line 5   n++               n = 2
    3  Receiver[1]  line 9   c?got             receives 1 from step 1; c = [], got = 1
    4  Sender[0]    line 6   printf("sent\n")  prints sent
    5  Receiver[1]  line 10  assert(got == 2)

1 statement is never executed (-v lists them)
"#;
        assert_eq!(text(&Sample::handshake(), false), expected[1..]);
    }

    #[test]
    fn with_v_everything() {
        let all = text(&Sample::handshake(), true);
        for expected in [
            "    persistent sets (stubborn), sleep sets; 8 transitions matched, 4.0 KiB\n",
            "\n1 statement is never executed:\n    Receiver  line 11  skip\n",
        ] {
            assert!(all.contains(expected), "no `{expected}` in\n{all}");
        }
    }

    #[test]
    fn a_limit_is_named_with_what_to_do() {
        let expected = "
handshake.pml
  safety  inconclusive  13 states  21 transitions  depth 9  1.2 ms
    Not answered: the limit on states was reached; --max-states sets it. What was explored has no violation.
";
        assert_eq!(text(&Sample::limited(), false), expected[1..]);
    }

    #[test]
    fn progress_says_how_far_and_how_fast() {
        let so_far = Statistics {
            states: 120_000,
            depth: 1234,
            bytes: 5 << 20,
            time: Duration::from_secs(2),
            ..Statistics::default()
        };
        let expected = "safety: 120,000 states, 60,000/s, depth 1,234, 5.0 MiB";
        assert_eq!(progress_text("safety", &so_far), expected);
    }

    #[test]
    fn no_reduction_is_said_as_such() {
        assert_eq!(reduction(&ReductionUsed::default()), "no reduction");
    }
}
