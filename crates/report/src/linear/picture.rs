//! Operations as bars on a line of time.
//!
//! ```text
//!   line  process
//!      1  0        write 1   ├─────┤
//!      3  1        read = 0     ├─────┤  <--
//! ```
//!
//! Only the moments of the operations that are shown take room, all of them the same.

use super::{LinearRun, Lines, shown};
use crate::line::one_line;
use crate::style::{BAD, styled};
use mazurka_linear::{OperationId, Violation};
use unicode_width::UnicodeWidthStr;

/// Columns from one moment to the next.
const STEP: usize = 3;
/// Texts of operations are cut at this width.
const WIDE: usize = 32;

/// The operations as bars, up to the return of the one that cannot be placed.
pub(super) fn drawn(run: &LinearRun<'_>, lines: &Lines, violation: &Violation, ids: &[OperationId]) -> String {
    let end = run.operation(violation.operation).moments.1.unwrap_or(u32::MAX);
    let mut moments: Vec<u32> = ids.iter().map(|id| run.operation(*id).moments.0).collect();
    moments.extend(
        ids.iter()
            .filter_map(|id| run.operation(*id).moments.1)
            .filter(|m| *m <= end),
    );
    moments.sort_unstable();
    moments.dedup();
    let column = |moment: u32| moments.partition_point(|m| *m < moment) * STEP;
    let rows: Vec<[String; 3]> = (ids.iter().map(|id| run.operation(*id)))
        .map(|o| {
            [
                lines.of(o.offsets.0).to_string(),
                one_line(&o.process.to_string()),
                cut(&shown(o, Some(end + 1))),
            ]
        })
        .collect();
    let titles = ["line", "process", ""];
    let width = |k: usize| {
        rows.iter()
            .map(|row| row[k].width())
            .chain([titles[k].width()])
            .max()
            .unwrap_or(0)
    };
    let widths = [width(0), width(1), width(2)];
    let mut text = format!("  {:>w$}  process\n", titles[0], w = widths[0]);
    for (id, [line, process, what]) in ids.iter().zip(&rows) {
        let operation = run.operation(*id);
        let from = column(operation.moments.0);
        let bar = match operation.moments.1.filter(|m| *m <= end) {
            Some(to) => format!("├{}┤", "─".repeat((column(to) - from).saturating_sub(1))),
            None => format!("├{}╌╌", "─".repeat(moments.len() * STEP - from)),
        };
        let pad = |text: &str, width: usize| format!("{text}{}", " ".repeat(width - text.width()));
        let (bar, mark) = match *id == violation.operation {
            true => (styled(BAD, &bar), "  <--"),
            false => (bar, ""),
        };
        let (process, what) = (pad(process, widths[1]), pad(what, widths[2]));
        text += &format!(
            "  {line:>w$}  {process}  {what}  {}{bar}{mark}\n",
            " ".repeat(from),
            w = widths[0]
        );
    }
    text
}

fn cut(text: &str) -> String {
    let text = one_line(text);
    match text.chars().count() {
        n if n > WIDE => text.chars().take(WIDE - 1).chain(['…']).collect(),
        _ => text,
    }
}
