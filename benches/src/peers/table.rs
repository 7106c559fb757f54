//! The table and its summary.

use super::tools::{Cost, Verdict};
use std::fmt::Write;

/// How many of the worst rows the summary names.
const WORST: usize = 5;

/// A model and its answers.
pub struct Row {
    pub name: String,
    /// `None` without SPIN.
    pub spin: Option<Result<Cost, String>>,
    pub ours: Result<Cost, String>,
}

/// A quantity that is compared.
#[derive(Clone, Copy)]
pub struct Quantity {
    /// Its name in the summary.
    name: &'static str,
    /// Of a tool's answer.
    of: fn(&Cost) -> f64,
}

const STATES: Quantity = Quantity {
    name: "stored states",
    of: |cost| cost.states as f64,
};
const TRANSITIONS: Quantity = Quantity {
    name: "transitions",
    of: |cost| cost.transitions as f64,
};
const CPU: Quantity = Quantity {
    name: "CPU s, search",
    of: |cost| cost.cpu,
};
const CPU_ALL: Quantity = Quantity {
    name: "CPU s, with compilation",
    of: |cost| cost.cpu_with_compilation,
};
const WALL: Quantity = Quantity {
    name: "wall s, search",
    of: |cost| cost.wall,
};
const BYTES: Quantity = Quantity {
    name: "bytes per state",
    of: |cost| cost.bytes_per_state,
};
const PEAK: Quantity = Quantity {
    name: "peak memory",
    of: |cost| cost.megabytes,
};

/// What has a mean in the summary.
const MEANS: [Quantity; 7] = [STATES, TRANSITIONS, CPU, CPU_ALL, WALL, BYTES, PEAK];

/// Columns of a quantity: heading, width of a number, digits after the point.
const COLUMNS: [(Quantity, &str, usize, usize); 7] = [
    (STATES, "states", 9, 0),
    (TRANSITIONS, "transitions", 10, 0),
    (CPU, "CPU s", 6, 2),
    (CPU_ALL, "CPU s, all", 6, 2),
    (WALL, "wall s", 6, 2),
    (BYTES, "B/state", 4, 0),
    (PEAK, "peak MB", 5, 0),
];

impl Row {
    /// Both answers, if there are both.
    fn pair(&self) -> Option<(&Cost, &Cost)> {
        Some((self.spin.as_ref()?.as_ref().ok()?, self.ours.as_ref().ok()?))
    }

    fn answers(&self) -> impl Iterator<Item = &Cost> {
        let spin = self.spin.as_ref().and_then(|answer| answer.as_ref().ok());
        spin.into_iter().chain(self.ours.as_ref().ok())
    }

    /// Ours divided by SPIN's, whether or not the searches came to their ends.
    fn ratio(&self, what: Quantity) -> Option<f64> {
        let (spin, ours) = self.pair()?;
        let ratio = (what.of)(ours) / (what.of)(spin);
        (ratio.is_finite() && ratio > 0.0).then_some(ratio)
    }

    /// Whether one tool says that the model is right and the other that it is not.
    pub fn is_contradictory(&self) -> bool {
        let has = |verdict| self.answers().any(|cost| cost.verdict == verdict);
        has(Verdict::Holds) && has(Verdict::Violated)
    }

    /// Which group of the summary it belongs to.
    fn group(&self) -> Group {
        let Some((spin, ours)) = self.pair() else {
            return Group::Refused;
        };
        match () {
            () if !spin.complete || !ours.complete => Group::Limited,
            () if spin.verdict == Verdict::Unreduced => Group::Unreduced,
            () if spin.verdict != ours.verdict => Group::Contradictory,
            () if spin.failed_assertion || ours.failed_assertion => Group::Assertion,
            () if spin.verdict == Verdict::Holds => Group::Holds,
            () => Group::Violated,
        }
    }
}

/// Rows that are comparable in the same way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Group {
    Holds,
    /// A deadlock, or a formula that does not hold.
    Violated,
    /// After a failed assertion SPIN goes on, and mazurka does not.
    Assertion,
    /// A tool hit a limit.
    Limited,
    /// SPIN found its reduction to be invalid.
    Unreduced,
    Contradictory,
    Refused,
}

/// The rows of the table.
pub struct Table {
    pub rows: Vec<Row>,
    has_spin: bool,
    /// Searches end at the first violation, so those that find one say little about the rest.
    stops_at_violations: bool,
}

impl Table {
    pub fn new(has_spin: bool, stops_at_violations: bool) -> Self {
        let rows = Vec::new();
        Self {
            rows,
            has_spin,
            stops_at_violations,
        }
    }

    pub fn heading(&self) -> String {
        let mut first = format!("{:<40}  {:<17}", "", "verdict");
        let mut second = format!("{:<40}  {:>8} {:>8}", "model", "SPIN", "ours");
        for (_, name, width, _) in COLUMNS {
            let _ = write!(first, "  {name:<all$}", all = 2 * width + 9);
            let _ = write!(
                second,
                "  {:>width$} {:>width$} {:>6}",
                "SPIN",
                "ours",
                "ratio",
                width = width + 1
            );
        }
        format!("{}\n{}\n", first.trim_end(), second.trim_end())
    }

    /// A row as text. What belongs to a search that hit a limit has a `>`.
    pub fn line(&self, row: &Row) -> String {
        let mut out = format!("{:<40}", row.name);
        if let Err(reason) = &row.ours {
            let _ = write!(out, "  refused by us: {reason}");
        }
        if let Some(Err(reason)) = &row.spin {
            let _ = write!(out, "  refused by SPIN: {reason}");
        }
        let (Ok(ours), None | Some(Ok(_))) = (&row.ours, &row.spin) else {
            return out;
        };
        let spin = row.pair().map(|(spin, _)| spin);
        let verdict = |cost: &Cost| match cost.verdict {
            Verdict::Unreduced => "no POR".to_string(),
            verdict => format!("{verdict:?}").to_lowercase(),
        };
        let mark = if row.is_contradictory() { '!' } else { ' ' };
        let _ = write!(
            out,
            "  {:>8} {:>7}{mark}",
            spin.map_or("-".to_string(), verdict),
            verdict(ours)
        );
        for (what, _, width, digits) in COLUMNS {
            let show = |cost: &Cost| {
                let limit = if cost.complete { "" } else { ">" };
                format!("{limit}{:.digits$}", (what.of)(cost))
            };
            let spin = spin.map_or("-".to_string(), show);
            let ratio = row.ratio(what).map_or("-".to_string(), |ratio| format!("{ratio:.2}"));
            let _ = write!(
                out,
                "  {spin:>width$} {:>width$} {ratio:>6}",
                show(ours),
                width = width + 1
            );
        }
        out.trim_end().to_string()
    }

    /// Means, the worst rows, and what has been left out of the means.
    pub fn summary(&self) -> String {
        let mut out = format!("{} rows\n", self.rows.len());
        let wrong: Vec<&str> = self.names(
            &self
                .rows
                .iter()
                .filter(|row| row.is_contradictory())
                .collect::<Vec<_>>(),
        );
        let _ = match wrong.is_empty() {
            true => writeln!(out, "the tools do not contradict each other"),
            false => writeln!(out, "THE TOOLS CONTRADICT EACH OTHER (!): {}", wrong.join(", ")),
        };
        if !self.has_spin {
            out.push_str("no comparison: SPIN and gcc cannot be started\n");
            return out;
        }
        if self.stops_at_violations {
            out += &self.means("formulas that hold", &self.group(&[Group::Holds]));
            out += &self.means(
                "formulas with a counterexample, the first one",
                &self.group(&[Group::Violated]),
            );
        } else {
            out += &self.means("all states", &self.group(&[Group::Holds, Group::Violated]));
        }
        out += &self.lower_bound();
        out += &self.worst();
        out + &self.left_out()
    }

    fn group(&self, groups: &[Group]) -> Vec<&Row> {
        self.rows.iter().filter(|row| groups.contains(&row.group())).collect()
    }

    fn names<'a>(&self, rows: &[&'a Row]) -> Vec<&'a str> {
        rows.iter().map(|row| row.name.as_str()).collect()
    }

    fn means(&self, title: &str, rows: &[&Row]) -> String {
        if rows.is_empty() {
            return format!("{title}: no row to compare\n");
        }
        let mut out = format!("{title}: ours / SPIN's, geometric means of {} rows\n", rows.len());
        for what in MEANS {
            let ratios: Vec<f64> = rows.iter().filter_map(|row| row.ratio(what)).collect();
            let mean = geometric_mean(&ratios).map_or("-".to_string(), |mean| format!("{mean:.3}"));
            let less = ratios.iter().filter(|ratio| **ratio < 1.0).count();
            let (least, most) = ratios.iter().fold((f64::MAX, 0f64), |(a, b), r| (a.min(*r), b.max(*r)));
            let middle = median(&ratios).unwrap_or_default();
            let _ = writeln!(
                out,
                "  {:<24} {mean:>8}  median {middle:.3}, from {least:.3} to {most:.2}; less than SPIN's in {less} of {}",
                what.name,
                ratios.len()
            );
        }
        out
    }

    /// What the mean of processor time is at least, with the rows in which we did not come to an end: without them
    /// we would look better than we are.
    fn lower_bound(&self) -> String {
        let hit_ours = |row: &&&Row| row.pair().is_some_and(|(spin, ours)| spin.complete && !ours.complete);
        let limited = self.group(&[Group::Limited]);
        let limited: Vec<&Row> = limited.iter().filter(hit_ours).copied().collect();
        if limited.is_empty() {
            return String::new();
        }
        let mut rows = self.group(&[Group::Holds, Group::Violated]);
        rows.extend(limited);
        let ratios: Vec<f64> = rows.iter().filter_map(|row| row.ratio(CPU)).collect();
        let mean = geometric_mean(&ratios).unwrap_or_default();
        format!(
            "CPU s, search, with the rows that hit our limit alone: at least {mean:.3} ({} rows)\n",
            ratios.len()
        )
    }

    /// The rows with the highest ratios of processor time, with those that hit our limit.
    fn worst(&self) -> String {
        let groups = [Group::Holds, Group::Violated, Group::Limited];
        let mut rows: Vec<(f64, &Row)> = self
            .group(&groups)
            .into_iter()
            .filter(|row| row.pair().is_some_and(|(spin, _)| spin.complete))
            .filter_map(|row| Some((row.ratio(CPU)?, row)))
            .collect();
        rows.sort_by(|a, b| b.0.total_cmp(&a.0));
        let shown = rows.iter().take(WORST).map(|(ratio, row)| {
            let at_least = if row.ours.as_ref().is_ok_and(|ours| ours.complete) {
                ""
            } else {
                ">"
            };
            format!("{} ({at_least}{ratio:.2})", row.name)
        });
        format!("worst by CPU s, search: {}\n", shown.collect::<Vec<_>>().join(", "))
    }

    /// The rows that have no part in the means, and why.
    fn left_out(&self) -> String {
        let limited = self.group(&[Group::Limited]);
        let by_spin = |row: &&&Row| row.pair().is_some_and(|(spin, _)| !spin.complete);
        let by_us = |row: &&&Row| row.pair().is_some_and(|(_, ours)| !ours.complete);
        let lists = [
            (
                "SPIN hit a limit (>)",
                limited.iter().filter(by_spin).copied().collect(),
            ),
            (
                "mazurka hit a limit (>)",
                limited.iter().filter(by_us).copied().collect(),
            ),
            (
                "an assertion fails, after which SPIN goes on and mazurka does not",
                self.group(&[Group::Assertion]),
            ),
            (
                "SPIN's reduction is invalid for the model (no POR)",
                self.group(&[Group::Unreduced]),
            ),
            ("the verdicts differ", self.group(&[Group::Contradictory])),
            ("a tool refuses the model", self.group(&[Group::Refused])),
        ];
        let mut out = String::from("not in the means:\n");
        for (why, rows) in lists {
            let names = self.names(&rows);
            let _ = writeln!(
                out,
                "  {} because {why}{}{}",
                names.len(),
                if names.is_empty() { "" } else { ": " },
                names.join(", ")
            );
        }
        out
    }
}

/// The mean of ratios, such that twice as much and half as much cancel out.
pub fn geometric_mean(ratios: &[f64]) -> Option<f64> {
    let sum: f64 = ratios.iter().map(|ratio| ratio.ln()).sum();
    (!ratios.is_empty()).then(|| (sum / ratios.len() as f64).exp())
}

/// The ratio in the middle, which a few extreme rows do not move.
fn median(ratios: &[f64]) -> Option<f64> {
    let mut sorted = ratios.to_vec();
    sorted.sort_by(f64::total_cmp);
    let half = sorted.len() / 2;
    match sorted.len() {
        0 => None,
        n if n % 2 == 0 => geometric_mean(&sorted[half - 1..=half]),
        _ => Some(sorted[half]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cost(verdict: Verdict, states: u64, cpu: f64) -> Cost {
        Cost {
            verdict,
            complete: verdict != Verdict::Stopped,
            failed_assertion: false,
            states,
            transitions: states * 3,
            cpu,
            cpu_with_compilation: cpu + 1.0,
            wall: cpu,
            bytes_per_state: 40.0,
            megabytes: 150.0,
        }
    }

    fn row(name: &str, spin: Cost, ours: Cost) -> Row {
        Row {
            name: name.to_string(),
            spin: Some(Ok(spin)),
            ours: Ok(ours),
        }
    }

    fn table(rows: Vec<Row>) -> Table {
        let mut table = Table::new(true, false);
        table.rows = rows;
        table
    }

    use Verdict::{Holds, Stopped, Unreduced, Violated};

    #[test]
    fn a_row_has_ratios() {
        let table = table(vec![row("a", cost(Holds, 4000, 2.0), cost(Holds, 1000, 3.0))]);
        let line = table.line(&table.rows[0]);
        let words: Vec<&str> = line.split_whitespace().collect();
        assert_eq!(words[..6], ["a", "holds", "holds", "4000", "1000", "0.25"]);
        assert_eq!(words[6..12], ["12000", "3000", "0.25", "2.00", "3.00", "1.50"]);
        assert_eq!(words[12..18], ["3.00", "4.00", "1.33", "2.00", "3.00", "1.50"]);
        assert_eq!(words[18..], ["40", "40", "1.00", "150", "150", "1.00"]);
        let widths: Vec<usize> = table.heading().lines().skip(1).map(str::len).collect();
        assert_eq!(widths, [line.len()]);
    }

    #[test]
    fn means_are_geometric_and_the_worst_have_names() {
        let table = table(vec![
            row("a", cost(Holds, 100, 1.0), cost(Holds, 400, 2.0)),
            row("b", cost(Violated, 100, 1.0), cost(Violated, 25, 8.0)),
        ]);
        let summary = table.summary();
        assert!(summary.contains("geometric means of 2 rows\n"), "{summary}");
        assert!(summary.contains(
            "stored states               1.000  median 1.000, from 0.250 to 4.00; less than SPIN's in 1 of 2"
        ));
        assert!(
            summary.contains("CPU s, search               4.000  median 4.000, from 2.000 to 8.00"),
            "{summary}"
        );
        assert!(
            summary.contains("worst by CPU s, search: b (8.00), a (2.00)\n"),
            "{summary}"
        );
    }

    #[test]
    fn the_median_is_in_the_middle() {
        assert_eq!(median(&[]), None);
        assert_eq!(median(&[9.0, 0.001, 2.0]), Some(2.0));
        assert!((median(&[8.0, 0.001, 2.0, 100.0]).unwrap() - 4.0).abs() < 1e-9);
    }

    #[test]
    fn rows_at_limits_are_shown_and_counted() {
        let table = table(vec![
            row("a", cost(Holds, 100, 1.0), cost(Stopped, 400, 60.0)),
            row("b", cost(Stopped, 100, 60.0), cost(Holds, 25, 6.0)),
        ]);
        assert!(
            table.line(&table.rows[0]).contains(" >60.00 "),
            "{}",
            table.line(&table.rows[0])
        );
        let summary = table.summary();
        assert!(summary.contains("all states: no row to compare\n"), "{summary}");
        assert!(summary.contains("1 because SPIN hit a limit (>): b\n"), "{summary}");
        assert!(
            summary.contains("that hit our limit alone: at least 60.000 (1 rows)\n"),
            "{summary}"
        );
        assert!(summary.contains("1 because mazurka hit a limit (>): a\n"), "{summary}");
        assert!(summary.contains("worst by CPU s, search: a (>60.00)\n"), "{summary}");
    }

    #[test]
    fn contradictions_stand_out() {
        let table = table(vec![row("a", cost(Holds, 5, 1.0), cost(Violated, 5, 1.0))]);
        assert!(table.line(&table.rows[0]).contains("violated!"));
        let summary = table.summary();
        assert!(summary.contains("CONTRADICT EACH OTHER (!): a\n"), "{summary}");
        assert!(summary.contains("1 because the verdicts differ: a\n"), "{summary}");
    }

    #[test]
    fn an_invalid_reduction_contradicts_nobody() {
        let table = table(vec![row("a", cost(Unreduced, 5, 1.0), cost(Holds, 5, 1.0))]);
        assert!(
            table.line(&table.rows[0]).contains("no POR   holds "),
            "{}",
            table.line(&table.rows[0])
        );
        let summary = table.summary();
        assert!(summary.contains("do not contradict"), "{summary}");
        assert!(
            summary.contains("1 because SPIN's reduction is invalid for the model (no POR): a\n"),
            "{summary}"
        );
    }

    #[test]
    fn failed_assertions_and_refusals_are_named() {
        let failed = Cost {
            failed_assertion: true,
            ..cost(Violated, 5, 1.0)
        };
        let mut table = table(vec![row("a", failed, failed)]);
        let refused = Some(Err("no".to_string()));
        table.rows.push(Row {
            name: "b".to_string(),
            spin: refused,
            ours: Ok(cost(Holds, 5, 1.0)),
        });
        assert!(table.line(&table.rows[1]).contains("refused by SPIN: no"));
        let summary = table.summary();
        assert!(summary.contains("1 because an assertion fails, after which SPIN goes on and mazurka does not: a"));
        assert!(summary.contains("1 because a tool refuses the model: b\n"), "{summary}");
    }

    #[test]
    fn formulas_that_fail_have_means_of_their_own() {
        let mut table = Table::new(true, true);
        table.rows = vec![
            row("a", cost(Holds, 100, 1.0), cost(Holds, 400, 2.0)),
            row("b", cost(Violated, 100, 1.0), cost(Violated, 50, 8.0)),
        ];
        let summary = table.summary();
        assert!(
            summary.contains("formulas that hold: ours / SPIN's, geometric means of 1 rows"),
            "{summary}"
        );
        assert!(
            summary.contains("the first one: ours / SPIN's, geometric means of 1 rows"),
            "{summary}"
        );
    }

    #[test]
    fn without_spin_there_is_no_comparison() {
        let mut table = Table::new(false, false);
        table.rows = vec![Row {
            name: "a".to_string(),
            spin: None,
            ours: Ok(cost(Holds, 5, 1.0)),
        }];
        assert!(
            table.line(&table.rows[0]).contains("  - "),
            "{}",
            table.line(&table.rows[0])
        );
        assert!(
            table
                .summary()
                .ends_with("no comparison: SPIN and gcc cannot be started\n")
        );
    }
}
