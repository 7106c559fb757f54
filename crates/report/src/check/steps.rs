//! The steps of a counterexample, one per line.
//!
//! If a process executes several steps in a row, only the first shows its name. This makes visible where
//! control passes from one process to another. Steps that the violation does not depend on are folded.

use super::{CheckedModel, line, owned, partner_name, process_name};
use crate::TextOptions;
use crate::amounts::{counted, grouped};
use crate::line::{one_line, padding, shortened, width};
use crate::style::{FAINT, NAME, READ, styled};
use mazurka_promela::verify::{ExchangeKind, ShownStep, StepId, Violation};
use std::ops::Range;

/// The numbers of first and last steps that are shown, unless all are requested.
const FIRST: usize = 10;
const LAST: usize = 20;
/// The greatest number of columns of a process's name.
const NAMES: usize = 24;

/// The steps, with the cycle marked.
pub(super) fn steps_text(view: &CheckedModel<'_>, violation: &Violation, options: &TextOptions) -> String {
    let mut text = format!("  {}\n", heading(violation));
    let left_out = left_out(violation, options);
    let columns = Columns::of(view, violation, &left_out, options);
    let mut last = None;
    for (id, step) in violation.numbered_steps() {
        if let Some(gap) = left_out.iter().find(|gap| gap.steps.start == id.index()) {
            let more = format!("{:>numbers$}  {}", "⋮", gap.words(), numbers = columns.numbers);
            text += &format!("    {}\n", styled(FAINT, &more));
            last = None;
        }
        if !is_shown(&left_out, id) {
            continue;
        }
        if violation.cycle_start == Some(id) {
            text += &columns.rule("from here on for ever:");
        }
        let process = process_name(step);
        let is_other = last.as_ref() != Some(&process);
        text += &columns.line(
            line(view.sources, step.span),
            (id, step),
            &effects(violation, id),
            is_other,
        );
        last = Some(process);
    }
    match violation.cycle_start {
        Some(start) if start.index() >= violation.steps.len() => text += &columns.rule("for ever in this state"),
        Some(start) => text += &columns.rule(&format!("and again from step {}", start.number())),
        None => {}
    }
    text
}

fn heading(violation: &Violation) -> String {
    let steps = counted(violation.steps.len() as u64, "step", "steps");
    match (violation.steps.len(), violation.cycle_start.map(StepId::index)) {
        (0, None) => "The initial state shows it.".to_owned(),
        (0, Some(_)) => "The initial state shows it, if nothing ever happens.".to_owned(),
        (1, None) => "1 step leads there:".to_owned(),
        (_, None) => format!("{steps} lead there:"),
        (n, Some(start)) if start >= n => format!("{steps}, after which nothing happens:"),
        (1, Some(_)) => "1 step, repeated for ever:".to_owned(),
        (_, Some(0)) => format!("{steps}, repeated for ever:"),
        (n, Some(start)) if n - start == 1 => format!("{steps}, of which the last is repeated:"),
        (n, Some(start)) => format!(
            "{steps}, of which the last {} are repeated:",
            grouped((n - start) as u64)
        ),
    }
}

/// Steps that are not shown.
struct Gap {
    steps: Range<usize>,
    /// Whether they do not matter; otherwise there are too many.
    irrelevant: bool,
}

impl Gap {
    /// The line in their place.
    fn words(&self) -> String {
        let count = grouped(self.steps.len() as u64);
        match self.irrelevant {
            true => format!("{count} steps that do not matter here (-v shows them)"),
            false => format!("{count} more (-v lists them, --shortest looks for fewer)"),
        }
    }
}

/// The steps that are not shown: those that do not matter, and the middle if there are still many. The beginning of a cycle is
/// always shown.
fn left_out(violation: &Violation, options: &TextOptions) -> Vec<Gap> {
    if options.verbose {
        return Vec::new();
    }
    let folded = irrelevant(violation);
    let steps = violation.steps.len();
    let lines = steps - folded.iter().map(|fold| fold.len() - 1).sum::<usize>();
    let middle = match violation.cycle_start.map(StepId::index) {
        _ if lines <= FIRST + LAST => [0..0, 0..0],
        Some(start) if (FIRST..steps - LAST).contains(&start) => [FIRST..start, start + LAST / 2..steps - LAST / 2],
        _ => [FIRST..steps - LAST, steps..steps],
    };
    // Omitting a single step saves no room, since a line says that it is omitted.
    let middle: Vec<Range<usize>> = middle.into_iter().filter(|gap| gap.len() > 1).collect();
    let is_shown = |fold: &Range<usize>| middle.iter().all(|gap| fold.end <= gap.start || gap.end <= fold.start);
    let folded = folded.into_iter().filter(is_shown).map(|steps| (steps, true));
    let gaps = folded.chain(middle.iter().map(|steps| (steps.clone(), false)));
    gaps.map(|(steps, irrelevant)| Gap { steps, irrelevant }).collect()
}

/// The ranges of several steps that do not matter.
fn irrelevant(violation: &Violation) -> Vec<Range<usize>> {
    let mut ranges = Vec::new();
    let mut first = 0;
    for run in violation.steps.chunk_by(|one, next| one.matters == next.matters) {
        if !run[0].matters && run.len() > 1 {
            ranges.push(first..first + run.len());
        }
        first += run.len();
    }
    ranges
}

fn is_shown(left_out: &[Gap], step: StepId) -> bool {
    !left_out.iter().any(|gap| gap.steps.contains(&step.index()))
}

/// The widths of the columns.
pub(super) struct Columns {
    numbers: usize,
    names: usize,
    lines: usize,
    statements: usize,
    effects: usize,
}

impl Columns {
    fn of(view: &CheckedModel<'_>, violation: &Violation, left_out: &[Gap], options: &TextOptions) -> Self {
        let shown = || {
            let shown = violation.numbered_steps().filter(|(id, _)| is_shown(left_out, *id));
            shown.map(|(_, step)| step)
        };
        let widest = |of: &dyn Fn(&ShownStep) -> String| shown().map(|s| width(&of(s))).max().unwrap_or(0);
        let numbers = violation.steps.len().to_string().len();
        let names = widest(&|s| process_name(s)).min(NAMES);
        let lines = widest(&|s| line(view.sources, s.span));
        let left = options.width.saturating_sub(4 + numbers + 2 + names + 2 + lines + 2);
        // Long statements must leave room for their effects.
        let most = if options.verbose { left } else { left * 3 / 5 };
        let statements = widest(&|s| one_line(&s.statement)).min(most.max(16));
        let effects = match options.verbose {
            true => usize::MAX,
            false => left.saturating_sub(statements + 2).max(16),
        };
        Self {
            numbers,
            names,
            lines,
            statements,
            effects,
        }
    }

    /// Widths for steps that are not known yet.
    pub(super) fn unknown(options: &TextOptions) -> Self {
        let left = options.width.saturating_sub(40);
        Self {
            numbers: 5,
            names: 14,
            lines: 8,
            statements: (left * 2 / 5).max(16),
            effects: if options.verbose {
                usize::MAX
            } else {
                (left * 3 / 5).max(16)
            },
        }
    }

    /// The line of a step, with the name of its process if `named`.
    pub(super) fn line(&self, line: String, (id, step): (StepId, &ShownStep), effects: &str, named: bool) -> String {
        let process = match named {
            true => shortened(&process_name(step), NAMES),
            false => String::new(),
        };
        let statement = shortened(&one_line(&step.statement), self.statements);
        let effects = shortened(effects, self.effects);
        let text = format!(
            "    {:>numbers$}  {}{}  {}{}  {statement}{}  {}",
            id.number(),
            styled(NAME, &process),
            padding(&process, self.names),
            styled(FAINT, &line),
            padding(&line, self.lines),
            padding(&statement, self.statements),
            styled(READ, &effects),
            numbers = self.numbers,
        );
        format!("{}\n", text.trim_end())
    }

    /// A line between the steps.
    fn rule(&self, words: &str) -> String {
        let dashes = "─".repeat(self.numbers);
        format!("    {}\n", styled(NAME, &format!("{dashes}  {words}")))
    }
}

/// What a step does: the message, what it prints, what it assigns.
pub(super) fn effects(violation: &Violation, id: StepId) -> String {
    effects_of(violation.step(id), message(violation, id))
}

/// What a step does, with a description of its message.
pub(super) fn effects_of(step: &ShownStep, message: Option<String>) -> String {
    let mut parts: Vec<String> = message.into_iter().collect();
    if !step.printed.is_empty() {
        parts.push(format!("prints {}", one_line(&step.printed)));
    }
    if !step.changes.is_empty() {
        parts.push(changes(step).collect::<Vec<_>>().join(", "));
    }
    parts.join("; ")
}

/// What a step assigns. Variables of its own process have short names.
pub(super) fn changes(step: &ShownStep) -> impl Iterator<Item = String> {
    let process = process_name(step);
    step.changes.iter().map(move |(name, value)| {
        let name = match owned(name) {
            (Some(owner), own) if owner == process => own,
            _ => name,
        };
        format!("{} = {}", one_line(name), one_line(value))
    })
}

/// What a step does with a message.
pub(super) fn message(violation: &Violation, id: StepId) -> Option<String> {
    let exchange = violation.step(id).exchange.as_ref()?;
    let message = one_line(&exchange.message);
    let sent = exchange.sent_by.map(|by| format!(" from step {}", by.number()));
    let partner = exchange
        .partner
        .map(|pid| format!(" to {}", partner_name(violation, pid, id)));
    Some(match exchange.kind {
        ExchangeKind::Send => format!("sends {message}"),
        ExchangeKind::Receive => format!("receives {message}{}", sent.unwrap_or_default()),
        ExchangeKind::Copy => format!("reads {message}{}", sent.unwrap_or_default()),
        ExchangeKind::Rendezvous => format!("hands {message}{}", partner.unwrap_or_default()),
    })
}

#[cfg(test)]
mod tests {
    use super::super::sample::Sample;
    use super::*;
    use crate::style::plain;

    fn text(sample: &Sample, width: usize, verbose: bool) -> String {
        plain(&steps_text(
            &sample.view(),
            sample.violation(),
            &TextOptions { width, verbose },
        ))
    }

    #[test]
    fn a_cycle_is_marked() {
        let expected = "
  3 steps, of which the last 2 are repeated:
    1  Sender[0]    line 5   n++   n = 2
    ─  from here on for ever:
    2               line 4   c!1   hands 1 to Receiver[1]; Receiver[1]:got = 1
    3  Receiver[1]  line 11  skip
    ─  and again from step 2
";
        assert_eq!(text(&Sample::cycle(), 80, false), expected[1..]);
    }

    #[test]
    fn the_last_state_for_ever() {
        let mut sample = Sample::cycle();
        sample.checked.properties[0].violations[0].cycle_start = Some(StepId::new(3));
        let text = text(&sample, 80, false);
        assert!(text.starts_with("  3 steps, after which nothing happens:\n"), "{text}");
        assert!(text.ends_with("    ─  for ever in this state\n"), "{text}");
    }

    #[test]
    fn of_many_steps_the_first_and_the_last() {
        let sample = Sample::long(2000);
        let short = text(&sample, 80, false);
        assert_eq!(short.lines().count(), 1 + FIRST + 1 + LAST);
        assert!(short.contains("       ⋮  1,970 more (-v lists them, --shortest looks for fewer)\n"));
        assert!(short.lines().all(|line| width(line) <= 80), "{short}");
        assert_eq!(text(&sample, 80, true).lines().count(), 2001);
    }

    #[test]
    fn steps_that_do_not_matter_are_folded() {
        let mut sample = Sample::handshake();
        let steps = &mut sample.checked.properties[0].violations[0].steps;
        steps[1].matters = false;
        assert_eq!(text(&sample, 80, false).lines().count(), 6, "one alone is shown");
        let steps = &mut sample.checked.properties[0].violations[0].steps;
        (steps[1].matters, steps[2].matters, steps[3].matters) = (false, false, false);
        let expected = "
  5 steps lead there:
    1  Sender[0]    line 4   c!1               sends 1; c = [1]
    ⋮  3 steps that do not matter here (-v shows them)
    5  Receiver[1]  line 10  assert(got == 2)
";
        assert_eq!(text(&sample, 80, false), expected[1..]);
        assert_eq!(text(&sample, 80, true).lines().count(), 6);
    }

    #[test]
    fn of_many_steps_that_matter_the_first_and_the_last() {
        let mut sample = Sample::long(100);
        let steps = &mut sample.checked.properties[0].violations[0].steps;
        steps[5..80].iter_mut().for_each(|step| step.matters = false);
        let short = text(&sample, 80, false);
        assert!(
            short.contains("  75 steps that do not matter here (-v shows them)\n"),
            "{short}"
        );
        assert_eq!(short.lines().count(), 1 + 5 + 1 + 20);
        let steps = &mut sample.checked.properties[0].violations[0].steps;
        steps[8..80].iter_mut().for_each(|step| step.matters = true);
        let short = text(&sample, 80, false);
        assert!(short.contains("  3 steps that do not matter here"), "{short}");
        assert!(short.contains("  70 more (-v lists them"), "{short}");
    }

    #[test]
    fn the_beginning_of_a_long_cycle_is_shown() {
        let mut sample = Sample::long(2000);
        for start in [15, 1000, 1975] {
            sample.checked.properties[0].violations[0].cycle_start = Some(StepId::new(start));
            let text = text(&sample, 80, false);
            assert!(text.contains(&format!("for ever:\n    {:>4}  ", start + 1)), "{text}");
            assert!(text.lines().count() < 40, "{text}");
        }
    }

    #[test]
    fn nothing_has_to_happen() {
        let mut sample = Sample::long(0);
        assert_eq!(text(&sample, 80, false), "  The initial state shows it.\n");
        sample.checked.properties[0].violations[0].steps = Sample::long(1).violation().steps.clone();
        assert!(text(&sample, 80, false).starts_with("  1 step leads there:\n"));
    }
}
