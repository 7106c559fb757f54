//! An execution as text: one column per thread, with the steps that matter.

use crate::report::{Step, ThreadNumber, Violation};
use std::fmt::{self, Write};

/// Columns are not wider than this.
const WIDE: usize = 44;
/// Nor are lines, if possible.
const LINE: usize = 80;

pub(crate) fn violation(violation: &Violation, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    writeln!(f, "{}: {}", violation.kind, violation.message)?;
    writeln!(f)?;
    f.write_str(&columns(&violation.threads, &violation.steps))?;
    if !violation.token.is_empty() {
        writeln!(f)?;
        write!(
            f,
            "run it again: MAZURKA_REPLAY={} cargo test <name of the test>",
            violation.token
        )?;
    }
    Ok(())
}

fn text(step: &Step) -> String {
    // The file's name and line say enough in a narrow column.
    let at = step.at.rsplit(['/', '\\']).next().unwrap_or(&step.at);
    let place: Vec<&str> = at.split(':').take(2).collect();
    format!("{}  {}", step.what, place.join(":"))
}

/// The threads that perform some of the steps.
pub(crate) fn present(threads: &[String], steps: &[&Step]) -> Vec<ThreadNumber> {
    let all = (0..).map(ThreadNumber).take(threads.len());
    all.filter(|t| steps.iter().any(|s| s.thread == *t)).collect()
}

/// The steps, each in its thread's column.
pub(crate) fn columns(threads: &[String], steps: &[Step]) -> String {
    let shown: Vec<&Step> = steps.iter().filter(|s| s.matters).collect();
    let columns = present(threads, &shown);
    let widths: Vec<usize> = columns
        .iter()
        .map(|&t| {
            let steps = shown.iter().filter(|s| s.thread == t).map(|s| text(s).chars().count());
            steps
                .chain([threads[t.index()].chars().count()])
                .max()
                .unwrap_or(0)
                .min(WIDE)
        })
        .collect();
    let digits = shown.len().to_string().len();
    let names = columns.iter().map(|t| threads[t.index()].chars().count());
    let widths = narrowed(widths, &names.collect::<Vec<_>>(), LINE - 2 - digits);
    let mut out = String::new();
    let line = |out: &mut String, number: &str, cells: &mut dyn Iterator<Item = String>| {
        let _ = write!(out, "  {number:>digits$}");
        let mut row = String::new();
        for (cell, width) in cells.zip(&widths) {
            let _ = write!(row, "  {cell:<width$}");
        }
        out.push_str(row.trim_end());
        out.push('\n');
    };
    line(&mut out, "", &mut columns.iter().map(|t| threads[t.index()].clone()));
    for (i, step) in shown.iter().enumerate() {
        // A step that is wider than its column goes on over those after it, which are empty.
        let own = columns.iter().take_while(|t| **t <= step.thread);
        let mut cells = own.map(|t| if *t == step.thread { text(step) } else { String::new() });
        line(&mut out, &(i + 1).to_string(), &mut cells);
    }
    let hidden = steps.len() - shown.len();
    if hidden > 0 {
        let _ = match hidden {
            1 => writeln!(out, "  (1 step that does not matter is left out)"),
            _ => writeln!(out, "  ({hidden} steps that do not matter are left out)"),
        };
    }
    out
}

/// Makes columns narrower if a line is wider than `most`, but not narrower than their `names`. The last one has the room that is
/// left.
fn narrowed(mut widths: Vec<usize>, names: &[usize], most: usize) -> Vec<usize> {
    loop {
        let line: usize = widths.iter().map(|width| width + 2).sum();
        let before_last = widths.len().saturating_sub(1);
        let can_shrink = (0..before_last).filter(|k| widths[*k] > names[*k]);
        let Some(widest) = can_shrink.max_by_key(|k| widths[*k]).filter(|_| line > most) else {
            return widths;
        };
        widths[widest] -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_per_thread() {
        let step = |thread, what: &str, matters| Step {
            thread: ThreadNumber(thread),
            what: what.into(),
            at: "tests/x.rs:7:13".into(),
            matters,
        };
        let steps = [
            step(0, "lock Mutex 1", true),
            step(1, "lock Mutex 2", true),
            step(2, "load", false),
        ];
        let names = ["main".into(), "thread 1".into(), "thread 2".into()];
        assert_eq!(
            columns(&names, &steps),
            "     main                  thread 1\n  1  lock Mutex 1  x.rs:7\n  2                        lock Mutex 2  x.rs:7\n  (1 step that does not matter is left out)\n"
        );
    }

    #[test]
    fn lines_fit_a_terminal_if_names_are_short() {
        let step = |thread| Step {
            thread: ThreadNumber(thread),
            what: "update Atomic 1: 4 to 5".into(),
            at: "src/queue.rs:107:13".into(),
            matters: true,
        };
        let names: Vec<String> = (0..4).map(|t| format!("thread {t}")).collect();
        let text = columns(&names, &[step(3), step(0), step(1), step(2)]);
        assert!(text.lines().all(|line| line.chars().count() <= LINE), "{text}");
        let columns: Vec<usize> = text.lines().skip(1).map(|line| line.find("update").unwrap()).collect();
        assert_eq!(columns, [43, 5, 18, 31], "{text}");
        assert!(text.contains("queue.rs:107"), "{text}");
    }
}
