//! A global state as text: a row for each process, with its record and its variables.

use crate::TextOptions;
use crate::line::{one_line, padding, shortened, width};
use crate::style::{FAINT, NAME, READ, styled};
use mazurka_trace::Value;

/// The number of rows that are shown, unless all are requested.
const ROWS: usize = 20;
/// The number of processes that do not matter and are named on one line.
const NAMED: usize = 8;
/// The greatest number of columns of a name.
const NAMES: usize = 32;

/// The local state of a process.
pub(super) struct Row {
    pub(super) process: String,
    /// The number of events that it has executed.
    pub(super) state: u32,
    /// Whether the answer rests on it.
    pub(super) matters: bool,
    /// The place of the record of the last event, and its text.
    pub(super) record: Option<(Option<String>, String)>,
    pub(super) variables: Vec<Variable>,
}

/// A variable of a local state.
pub(super) struct Variable {
    pub(super) name: String,
    pub(super) value: String,
    /// Whether the answer rests on it.
    pub(super) matters: bool,
}

impl Variable {
    pub(super) fn new(name: &str, value: &Value, matters: bool) -> Self {
        Self {
            name: one_line(name),
            value: one_line(&value.to_string()),
            matters,
        }
    }
}

/// The rows. Processes that do not matter share one line, unless `-v` asks for all.
pub(super) fn rows_text(rows: &[Row], options: &TextOptions) -> String {
    let (shown, others): (Vec<&Row>, Vec<&Row>) = rows.iter().partition(|row| row.matters || options.verbose);
    let most = if options.verbose { usize::MAX } else { ROWS };
    let names = shown.iter().take(most).map(|row| width(&name(row))).max().unwrap_or(0);
    let states = shown
        .iter()
        .take(most)
        .map(|row| width(&after(row.state)))
        .max()
        .unwrap_or(0);
    let mut text = String::new();
    for row in shown.iter().take(most) {
        text += &row_text(row, names, states, options);
    }
    if shown.len() > most {
        text += &format!("    and {} more processes (-v lists them)\n", shown.len() - most);
    }
    if !others.is_empty() {
        let list: Vec<String> = others
            .iter()
            .map(|row| format!("{} {}", name(row), after(row.state)))
            .collect();
        let list = match others.len() {
            n if n <= NAMED => format!("others: {}", list.join(", ")),
            n => format!("{n} other processes (-v lists them)"),
        };
        let list = shortened(&list, options.width.saturating_sub(4));
        text += &format!("    {}\n", styled(FAINT, &list));
    }
    text
}

fn row_text(row: &Row, names: usize, states: usize, options: &TextOptions) -> String {
    let (process, after) = (name(row), after(row.state));
    let margin = 4 + names + 2;
    let mut text = format!("    {}{}  {after}", styled(NAME, &process), padding(&process, names));
    if let Some((spot, record)) = &row.record {
        let spot = spot.as_ref().map_or(String::new(), |spot| format!("{spot}: "));
        let columns = options.width.saturating_sub(margin + states + 2 + width(&spot));
        text += &format!("{}  {spot}", padding(&after, states));
        text += &shortened(record, columns);
    }
    text = format!("{}\n", text.trim_end());
    let variables = variables_text(&row.variables, margin, options);
    if !variables.is_empty() {
        text += &format!("{}{variables}\n", " ".repeat(margin));
    }
    text
}

/// As many variables as fit on a line, beginning with those that matter. With `-v`, all of them.
fn variables_text(variables: &[Variable], margin: usize, options: &TextOptions) -> String {
    let (first, rest): (Vec<_>, Vec<_>) = variables.iter().partition(|v| v.matters);
    let columns = options.width.saturating_sub(margin).max(20);
    let (mut text, mut used) = (String::new(), 0);
    for (k, variable) in first.into_iter().chain(rest).enumerate() {
        let mut shown = format!("{}={}", variable.name, variable.value);
        let gap = if k > 0 { 2 } else { 0 };
        if used + gap + width(&shown) > columns {
            if options.verbose && k > 0 {
                text += &format!("\n{}", " ".repeat(margin));
                used = 0;
            } else if k > 0 {
                text += &styled(FAINT, " …");
                break;
            }
            if !options.verbose {
                shown = shortened(&shown, columns);
            }
        } else if k > 0 {
            text += "  ";
            used += gap;
        }
        used += width(&shown);
        text += &styled(if variable.matters { READ } else { FAINT }, &shown);
    }
    text
}

fn name(row: &Row) -> String {
    shortened(&one_line(&row.process), NAMES)
}

fn after(state: u32) -> String {
    match state {
        0 => "initially".to_owned(),
        n => format!("after event {n}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::style::plain;

    fn row(process: &str, state: u32, matters: bool) -> Row {
        let record = Some((
            Some("line 7".to_owned()),
            "a long line of a log that goes on".to_owned(),
        ));
        Row {
            process: process.to_owned(),
            state,
            matters,
            record: record.filter(|_| state > 0),
            variables: vec![
                Variable::new("x", &Value::Int(1), false),
                Variable::new("leader", &Value::Bool(true), true),
            ],
        }
    }

    #[test]
    fn columns_are_aligned_and_lines_shortened() {
        let rows = [row("a", 12, true), row("node", 0, true), row("c", 3, false)];
        let options = TextOptions {
            width: 50,
            verbose: false,
        };
        let expected = "
    a     after event 12  line 7: a long line of …
          leader=true  x=1
    node  initially
          leader=true  x=1
    others: c after event 3
";
        assert_eq!(plain(&rows_text(&rows, &options)), expected[1..]);
    }

    #[test]
    fn all_processes_with_v() {
        let rows: Vec<Row> = (0..30).map(|k| row(&format!("p{k}"), 1, k < 2)).collect();
        let options = |verbose| TextOptions { width: 80, verbose };
        let short = plain(&rows_text(&rows, &options(false)));
        assert!(short.ends_with("    28 other processes (-v lists them)\n"), "{short}");
        assert_eq!(rows_text(&rows, &options(true)).lines().count(), 60);
    }
}
