//! The table and its summary.

use super::tools::{Answer, Searched, Verdict};
use crate::peers::table::geometric_mean;
use std::fmt::Write;

/// Below this a rate is noise: SPIN measures in hundredths of a second.
const SECONDS: f64 = 0.05;
/// Below this the fixed costs of a search are more than those of its states.
const STATES: u64 = 10_000;

/// A model and its answers.
pub struct Row {
    pub name: String,
    /// `None` without SPIN.
    pub spin: Option<Result<Answer, String>>,
    pub ours: Result<Answer, String>,
}

impl Row {
    /// Both answers, if there are both.
    fn pair(&self) -> Option<(&Answer, &Answer)> {
        Some((self.spin.as_ref()?.as_ref().ok()?, self.ours.as_ref().ok()?))
    }

    /// The ratio of our number of states to SPIN's, if both searches are complete.
    fn states(&self, search: fn(&Answer) -> &Searched) -> Option<f64> {
        let (spin, ours) = self.pair()?;
        let (spin, ours) = (search(spin), search(ours));
        (spin.complete && ours.complete).then(|| ours.states as f64 / spin.states as f64)
    }

    /// The same, reduced, for models with so many states in SPIN: a state more or less is nothing to them.
    fn states_from(&self, least: u64) -> Option<f64> {
        let (spin, _) = self.pair()?;
        (spin.reduced.states >= least).then(|| self.states(reduced))?
    }

    /// The ratio of our rate to SPIN's, without reduction, if both searches are long enough.
    fn rate(&self) -> Option<f64> {
        let (spin, ours) = self.pair()?;
        Some(rate(&ours.full)? / rate(&spin.full)?)
    }

    /// The ratio of our memory to SPIN's, without reduction, if both searches are large enough.
    fn memory(&self) -> Option<f64> {
        let (spin, ours) = self.pair()?;
        Some(memory(&ours.full)? / memory(&spin.full)?)
    }

    /// The ratio of our time to SPIN's, if both have the answer.
    fn time(&self) -> Option<f64> {
        let (spin, ours) = self.pair()?;
        let is_answer = |verdict| matches!(verdict, Verdict::Holds | Verdict::Violated);
        let answered = is_answer(spin.reduced.verdict) && is_answer(ours.reduced.verdict);
        answered.then(|| ours.seconds / spin.seconds)
    }

    /// Whether one search says that the model holds and another that it does not.
    fn is_contradictory(&self) -> bool {
        let answers = [
            self.spin.as_ref().and_then(|a| a.as_ref().ok()),
            self.ours.as_ref().ok(),
        ];
        let verdicts: Vec<Verdict> = answers
            .iter()
            .flatten()
            .flat_map(|answer| [answer.reduced.verdict, answer.full.verdict])
            .collect();
        verdicts.contains(&Verdict::Holds) && verdicts.contains(&Verdict::Violated)
    }
}

/// States per second.
fn rate(search: &Searched) -> Option<f64> {
    (search.seconds >= SECONDS).then(|| search.states as f64 / search.seconds)
}

/// Bytes per state.
fn memory(search: &Searched) -> Option<f64> {
    (search.states >= STATES).then_some(search.bytes_per_state)
}

/// The rows of the table.
pub struct Table {
    pub rows: Vec<Row>,
    has_spin: bool,
}

impl Table {
    pub fn new(has_spin: bool) -> Self {
        Self {
            rows: Vec::new(),
            has_spin,
        }
    }

    pub fn heading(&self) -> String {
        let mut out = String::new();
        let groups = [
            "verdict",
            "reduced",
            "full",
            "kstates/s full",
            "B/state full",
            "MB full",
            "answer s",
        ];
        let widths = [18, 27, 27, 21, 17, 17, 17];
        let _ = write!(out, "{:<34}", "");
        for (group, width) in groups.iter().zip(widths) {
            let _ = write!(out, "  {group:<width$}");
        }
        let _ = writeln!(out);
        let _ = write!(out, "{:<34}", "model");
        for (k, width) in widths.into_iter().enumerate() {
            let has_ratio = matches!(k, 1..=3);
            let part = if has_ratio { (width - 7) / 2 } else { (width - 1) / 2 };
            let ratio = if has_ratio {
                format!(" {:>5}", "ratio")
            } else {
                String::new()
            };
            let _ = write!(out, "  {:>part$} {:>part$}{ratio}", "SPIN", "ours");
        }
        trimmed(&out) + "\n"
    }

    /// A row as text.
    pub fn line(&self, row: &Row) -> String {
        let mut out = format!("{:<34}", row.name);
        if let Err(reason) = &row.ours {
            let _ = write!(out, "  refused by us: {reason}");
        }
        if let Some(Err(reason)) = &row.spin {
            let _ = write!(out, "  refused by SPIN: {reason}");
        }
        let Ok(ours) = &row.ours else { return out };
        let spin = match &row.spin {
            Some(Err(_)) => return out,
            Some(Ok(spin)) => Some(spin),
            None => None,
        };
        let spins = |show: &dyn Fn(&Answer) -> String| spin.map_or("-".to_string(), show);
        let verdict = |answer: &Answer| match answer.reduced.verdict {
            Verdict::Unreduced => "no POR".to_string(),
            verdict => format!("{verdict:?}").to_lowercase(),
        };
        let _ = write!(out, "  {:>8} {:>8}", spins(&verdict), verdict(ours));
        let _ = write!(out, "{}", if row.is_contradictory() { '!' } else { ' ' });
        for search in [reduced as fn(&Answer) -> &Searched, full] {
            let states = |answer: &Answer| {
                let search = search(answer);
                format!("{}{}", if search.complete { "" } else { ">" }, search.states)
            };
            let _ = write!(
                out,
                "  {:>10} {:>10} {:>5}",
                spins(&states),
                states(ours),
                ratio(row.states(search))
            );
        }
        let speed = |answer: &Answer| rate(&answer.full).map_or("-".to_string(), |rate| format!("{:.0}", rate / 1e3));
        let _ = write!(
            out,
            "  {:>7} {:>7} {:>5}",
            spins(&speed),
            speed(ours),
            ratio(row.rate())
        );
        let size = |answer: &Answer| memory(&answer.full).map_or("-".to_string(), |bytes| format!("{bytes:.0}"));
        let _ = write!(out, "  {:>8} {:>8}", spins(&size), size(ours));
        let total = |answer: &Answer| format!("{:.1}", answer.full.megabytes);
        let _ = write!(out, "  {:>8} {:>8}", spins(&total), total(ours));
        let time = |answer: &Answer| format!("{:.3}", answer.seconds);
        let _ = write!(out, "  {:>8} {:>8}", spins(&time), time(ours));
        trimmed(&out)
    }

    /// Geometric means and counts.
    pub fn summary(&self) -> String {
        let mut out = String::new();
        let refused = |row: &&Row| row.ours.is_err() || matches!(row.spin, Some(Err(_)));
        let refused = self.rows.iter().filter(refused).count();
        let _ = writeln!(out, "{} models, {refused} of them refused by one tool", self.rows.len());
        let wrong: Vec<&str> = self
            .rows
            .iter()
            .filter(|row| row.is_contradictory())
            .map(|row| row.name.as_str())
            .collect();
        let _ = match wrong.is_empty() {
            true => writeln!(out, "no two searches of a model contradict each other"),
            false => writeln!(out, "searches contradict each other (!): {}", wrong.join(", ")),
        };
        if !self.has_spin {
            out.push_str("no comparison: SPIN and gcc cannot be started\n");
            return out;
        }
        out += &self.means();
        let _ = writeln!(
            out,
            "States are compared where both searches came to their ends, rates where both took {SECONDS} s, and\n\
             memory where both have {STATES} states. SPIN's bytes per state leave out its hash table and stack,\n\
             which MB includes; ours include everything. An answer of SPIN includes generating and compiling."
        );
        out
    }

    /// Geometric means, each over the models that it is about.
    fn means(&self) -> String {
        let all = |ratio: &dyn Fn(&Row) -> Option<f64>| -> Vec<f64> { self.rows.iter().filter_map(ratio).collect() };
        let lines = [
            (
                "stored states, reduced",
                all(&|row| row.states(reduced)),
                "fewer",
                false,
            ),
            ("  100 states or more", all(&|row| row.states_from(100)), "fewer", false),
            (
                "  1000 states or more",
                all(&|row| row.states_from(1000)),
                "fewer",
                false,
            ),
            ("stored states, full", all(&|row| row.states(full)), "fewer", false),
            ("states per second, full", all(&Row::rate), "more", true),
            ("bytes per state, full", all(&Row::memory), "fewer", false),
            ("seconds to the answer", all(&Row::time), "fewer", false),
        ];
        let mut out = String::from("ours as a multiple of SPIN's, geometric means:\n");
        for (what, ratios, word, is_more) in lines {
            let Some(mean) = geometric_mean(&ratios) else {
                let _ = writeln!(out, "  {what:<24}     -  no model to compare");
                continue;
            };
            let better = ratios
                .iter()
                .filter(|ratio| if is_more { **ratio > 1.0 } else { **ratio < 1.0 });
            let same = ratios.iter().filter(|ratio| **ratio == 1.0).count();
            let _ = writeln!(
                out,
                "  {what:<24} {mean:>7.3}  {} models: {word} on {}, the same on {same}",
                ratios.len(),
                better.count()
            );
        }
        out
    }
}

fn reduced(answer: &Answer) -> &Searched {
    &answer.reduced
}

fn full(answer: &Answer) -> &Searched {
    &answer.full
}

fn ratio(ratio: Option<f64>) -> String {
    ratio.map_or("-".to_string(), |ratio| format!("{ratio:.2}"))
}

/// A text without blanks at the ends of lines.
fn trimmed(text: &str) -> String {
    text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(verdict: Verdict, states: u64) -> Answer {
        let search = |states| Searched {
            verdict,
            complete: verdict != Verdict::Stopped,
            states,
            seconds: 0.1,
            bytes_per_state: 40.0,
            megabytes: 1.5,
        };
        Answer {
            reduced: search(states),
            full: search(states * 10),
            seconds: 0.25,
        }
    }

    fn row(name: &str, spin: Option<Result<Answer, String>>, ours: Result<Answer, String>) -> Row {
        Row {
            name: name.to_string(),
            spin,
            ours,
        }
    }

    #[test]
    fn a_table_has_lines_and_means() {
        let mut table = Table::new(true);
        table.rows = vec![
            row(
                "a",
                Some(Ok(answer(Verdict::Holds, 4000))),
                Ok(answer(Verdict::Holds, 1000)),
            ),
            row(
                "b",
                Some(Ok(answer(Verdict::Holds, 1000))),
                Ok(answer(Verdict::Holds, 1000)),
            ),
            row(
                "c",
                Some(Ok(answer(Verdict::Stopped, 9000))),
                Ok(answer(Verdict::Holds, 10)),
            ),
            row("d", Some(Err("no".to_string())), Ok(answer(Verdict::Holds, 10))),
        ];
        let line = table.line(&table.rows[0]);
        let words: Vec<&str> = line.split_whitespace().collect();
        assert_eq!(words[..6], ["a", "holds", "holds", "4000", "1000", "0.25"]);
        assert_eq!(words[6..12], ["40000", "10000", "0.25", "400", "100", "0.25"]);
        assert!(table.line(&table.rows[2]).contains(" >9000 "));
        assert!(table.line(&table.rows[3]).contains("refused by SPIN: no"));
        let summary = table.summary();
        assert!(
            summary.starts_with("4 models, 1 of them refused by one tool\nno two searches"),
            "{summary}"
        );
        assert!(
            summary.contains("reduced     0.500  2 models: fewer on 1, the same on 1\n"),
            "{summary}"
        );
        assert!(
            summary.contains("  1000 states or more      0.500  2 models"),
            "{summary}"
        );
        let tiny = row("e", Some(Ok(answer(Verdict::Holds, 3))), Ok(answer(Verdict::Holds, 2)));
        table.rows.push(tiny);
        let summary = table.summary();
        assert!(
            summary.contains("  100 states or more       0.500  2 models"),
            "{summary}"
        );
    }

    #[test]
    fn contradictions_stand_out() {
        let mut table = Table::new(true);
        table.rows = vec![row(
            "a",
            Some(Ok(answer(Verdict::Holds, 5))),
            Ok(answer(Verdict::Violated, 5)),
        )];
        assert!(table.line(&table.rows[0]).contains("violated! "));
        assert!(table.summary().contains("contradict each other (!): a\n"));
    }

    #[test]
    fn without_spin_there_is_no_comparison() {
        let mut table = Table::new(false);
        table.rows = vec![row("a", None, Ok(answer(Verdict::Holds, 5)))];
        assert!(table.line(&table.rows[0]).contains("  holds"));
        let summary = table.summary();
        assert!(
            summary.ends_with("no comparison: SPIN and gcc cannot be started\n"),
            "{summary}"
        );
    }
}
