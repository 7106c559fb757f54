//! Experiments for people: a table, and what to see in it.

use crate::table::Table;
use mazurka_experiments::{Experiment, Parameter, Point, Quantity, Series};

/// The experiment as text: the published figures beside the measured ones.
pub fn experiment_text(experiment: &Experiment) -> String {
    let shows = match experiment.quantity {
        Quantity::States => "states",
        Quantity::StatesAndTransitions => "states / transitions",
    };
    let mut text = format!("{}: {}\n", experiment.name, experiment.title);
    text += &format!("n is the {}; the table counts {shows}\n\n", experiment.parameter);
    text += &table(experiment).render();
    if experiment.interrupted {
        text += "(interrupted: measurements are missing)\n";
    }
    text += &format!("\nPublished ({}):\n", experiment.published.source);
    for claim in &experiment.published.claims {
        text += &format!("  {claim}\n");
    }
    if !experiment.remarks.is_empty() {
        text += "Measured:\n";
        for remark in &experiment.remarks {
            text += &format!("  {remark}\n");
        }
    }
    text
}

fn table(experiment: &Experiment) -> Table {
    let parameters = experiment.parameters();
    let mut table = Table::new();
    table.column("n", parameters.iter().map(Parameter::to_string).collect());
    for series in &experiment.series {
        let cells = parameters
            .iter()
            .map(|&n| cell(series, n, experiment.quantity))
            .collect();
        table.column(&series.name, cells);
        if let Some(published) = experiment.published.series.iter().find(|s| s.name == series.name) {
            let cells = parameters
                .iter()
                .map(|&n| cell(published, n, experiment.quantity))
                .collect();
            table.column("published", cells);
        }
    }
    table
}

/// The counts at `n`, or how many states there were when the search was given up.
fn cell(series: &Series, n: Parameter, quantity: Quantity) -> String {
    if let Some(cut) = series.cut.filter(|c| c.n == n) {
        return format!("> {}", grouped(cut.more_than));
    }
    match series.at(n) {
        None => String::new(),
        Some(&Point {
            states: Some(states),
            transitions,
            ..
        }) => match (quantity, transitions) {
            (Quantity::StatesAndTransitions, Some(transitions)) => {
                format!("{} / {}", grouped(states), grouped(transitions))
            }
            _ => grouped(states),
        },
        Some(_) => "infinite".to_string(),
    }
}

/// A number with a comma between thousands.
pub(crate) fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut text = String::new();
    for (k, digit) in digits.chars().enumerate() {
        if k > 0 && (digits.len() - k).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::sample;

    #[test]
    fn published_beside_measured() {
        let text = experiment_text(&sample());
        assert_eq!(
            text,
            "\
sample: A sample, full and reduced
n is the number of processes; the table counts states

                                   persistent
        n         full  published     (locks)
---------  -----------  ---------  ----------
        2            8          8           8
       12      531,440                    368
unbounded  > 1,000,000

Published (A paper, Fig. 1):
  It is reduced.
Measured:
  It is reduced indeed.
"
        );
    }

    #[test]
    fn transitions_where_the_source_has_them() {
        let mut experiment = sample();
        experiment.quantity = Quantity::StatesAndTransitions;
        assert!(experiment_text(&experiment).contains("531,440 / 4,251,516"));
    }

    #[test]
    fn an_interrupted_experiment_says_so() {
        let mut experiment = sample();
        experiment.interrupted = true;
        assert!(experiment_text(&experiment).contains("interrupted"));
    }

    #[test]
    fn thousands_are_grouped() {
        assert_eq!(
            [0, 999, 1000, 4_782_968].map(grouped),
            ["0", "999", "1,000", "4,782,968"]
        );
    }
}
