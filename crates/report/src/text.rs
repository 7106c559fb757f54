//! Experiments as text: a table, and what it shows.

use crate::amounts::grouped;
use crate::table::Table;
use mazurka_experiments::{Cached, Experiment, Fit, Form, Parameter, Point, Quantity, Series};
use std::time::Duration;

/// The experiment as text: the published figures beside the measured ones.
pub fn experiment_text(experiment: &Experiment) -> String {
    let shows = match experiment.quantity {
        Quantity::States => "states",
        Quantity::StatesAndTransitions => "states / transitions",
        Quantity::Transitions => "transitions",
        Quantity::TransitionsAndStates => "transitions / states",
    };
    let mut text = format!("{}: {}\n", experiment.name, experiment.title);
    if !by_level(experiment) {
        text += &format!("n is the {}; ", experiment.parameter);
    }
    text += &format!("the table counts {shows}\n\n");
    for (k, family) in experiment.families().into_iter().enumerate() {
        if let Some(family) = family {
            let gap = if k > 0 { "\n" } else { "" };
            text += &format!("{gap}{family}:\n");
        }
        text += &table(experiment, family).render();
    }
    if experiment.interrupted {
        text += "(interrupted: measurements are missing)\n";
    }
    if let Some(stores) = stores(experiment) {
        text += &format!("\n{stores}");
    }
    if let Some(curves) = curves(experiment) {
        text += &format!("\n{curves}");
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

/// Whether the parameter is a name rather than a number: the name of a level of optimisation or of a search.
fn by_level(experiment: &Experiment) -> bool {
    (experiment.parameters().first()).is_some_and(|n| n.is_name())
}

fn table(experiment: &Experiment, family: Option<&str>) -> Table {
    let parameters = experiment.parameters_of(family);
    let names = parameters.iter().map(Parameter::to_string).collect();
    let mut table = Table::new();
    if by_level(experiment) {
        table.words(&experiment.parameter, names);
    } else {
        table.column("n", names);
    }
    for series in experiment.series.iter().filter(|s| s.family.as_deref() == family) {
        let cells = |series: &Series| {
            (parameters.iter())
                .map(|&n| cell(series, n, experiment.quantity))
                .collect()
        };
        // Searches with a cache have a table of their own, with their times.
        let has_times = |series: &Series| series.points.iter().any(|p| p.time.is_some() && p.cached.is_none());
        let times = |series: &Series| {
            let time = |&n| series.at(n).and_then(|p| p.time).map(seconds).unwrap_or_default();
            parameters.iter().map(time).collect()
        };
        let mut add = |heading: &str, series: &Series| {
            table.column(heading, cells(series));
            if has_times(series) {
                table.column("seconds", times(series));
            }
        };
        add(&series.name, series);
        if let Some(published) = experiment.published_of(series).filter(|s| !s.points.is_empty()) {
            add("published", published);
        }
    }
    table
}

/// A time in seconds, with a tenth, or two digits where it is short.
fn seconds(time: Duration) -> String {
    let (whole, tenths) = (time.as_secs(), time.subsec_millis() / 100);
    if whole < 10 {
        return format!("{:.2}", time.as_secs_f64());
    }
    format!("{}.{tenths}", grouped(whole))
}

/// What happened to the states in searches that forget some, if there are such searches. Published searches have
/// lines of their own.
fn stores(experiment: &Experiment) -> Option<String> {
    let kinds = [(&experiment.series, ""), (&experiment.published.series, "published")];
    let lines: Vec<_> = (kinds.into_iter())
        .flat_map(|(series, kind)| series.iter().map(move |s| (s, kind)))
        .flat_map(|(series, kind)| series.points.iter().map(move |p| (series, kind, p)))
        .filter_map(|(series, kind, point)| Some((series, kind, point, point.cached?)))
        .collect();
    if lines.is_empty() {
        return None;
    }
    let number = |f: &dyn Fn(&Point, &Cached) -> u64| lines.iter().map(|(_, _, p, c)| grouped(f(p, c))).collect();
    let mut table = Table::new();
    if experiment.families().iter().any(Option::is_some) {
        let families = lines.iter().map(|(s, ..)| s.family.clone().unwrap_or_default());
        table.words("", families.collect());
    }
    table.words("", lines.iter().map(|(s, ..)| s.name.clone()).collect());
    table.column("n", lines.iter().map(|(_, _, p, _)| p.n.to_string()).collect());
    table.column("stored", number(&|_, c| c.stored));
    table.column("cleared", number(&|_, c| c.cleared));
    table.column("matched", number(&|_, c| c.matched));
    table.column("transitions", number(&|p, _| p.transitions.unwrap_or_default()));
    if lines.iter().any(|(_, _, p, _)| p.time.is_some()) {
        let times = lines.iter().map(|(_, _, p, _)| p.time.map(seconds).unwrap_or_default());
        table.column("seconds", times.collect());
    }
    table.words("", lines.iter().map(|(_, kind, ..)| kind.to_string()).collect());
    Some(format!(
        "States stored at the end, states cleared, and transitions to a stored state:\n{}",
        table.render()
    ))
}

/// The curves through the measurements beside the published ones, if there are any.
fn curves(experiment: &Experiment) -> Option<String> {
    let measured: Vec<_> = experiment.series.iter().filter(|s| !s.fits.is_empty()).collect();
    let several = measured.iter().any(|s| s.fits.len() > 1);
    let linear = measured.first()?.fits.iter().all(|f| f.form == Form::Linear);
    let mut text = String::from("Least-squares curves through the numbers of transitions");
    text += match (linear, several) {
        (true, _) => ":\n",
        (false, false) => ", and the sums of the squared differences of logarithms:\n",
        (false, true) => ", and the sums of the squared differences of logarithms\n(* fits better):\n",
    };
    let mut table = Table::new();
    if experiment.families().len() > 1 {
        table.words("", family_names(experiment, &measured));
    }
    table.words("", measured.iter().map(|s| s.name.clone()).collect());
    let range = |s: &&Series| format!("{}..{}", s.fits[0].range.0, s.fits[0].range.1);
    table.words("n", measured.iter().map(range).collect());
    for form in [Form::Linear, Form::Exponential, Form::Polynomial] {
        if measured.iter().any(|s| fitted(s, form).is_some()) {
            curve_columns(&mut table, experiment, &measured, form, several);
        }
    }
    text += &table.render();
    Some(text)
}

/// The names of the families of some series: up to the first comma, if that tells the families apart.
fn family_names(experiment: &Experiment, series: &[&Series]) -> Vec<String> {
    let families = experiment.families();
    let short = |family: &str| family.split(',').next().unwrap_or_default().to_string();
    let mut names: Vec<_> = families.iter().flatten().map(|f| short(f)).collect();
    names.dedup();
    let is_short = names.len() == families.len();
    let name = |family: &str| match is_short {
        true => short(family),
        false => family.to_string(),
    };
    let name = |s: &&Series| s.family.as_deref().map(name).unwrap_or_default();
    series.iter().map(name).collect()
}

/// The curves of one form through some series, how well they fit, and the published ones. If there are `several` forms,
/// the best is marked.
fn curve_columns(table: &mut Table, experiment: &Experiment, series: &[&Series], form: Form, several: bool) {
    let heading = match form {
        Form::Linear => "line",
        Form::Exponential => "exponential",
        Form::Polynomial => "polynomial",
    };
    let curve = |s: &&Series| fitted(s, form).map(|f| f.to_string()).unwrap_or_default();
    table.words(heading, series.iter().map(curve).collect());
    if form != Form::Linear {
        let squares = |s: &&Series| {
            let best = several && s.best_fit().is_some_and(|f| f.form == form);
            let mark = if best { "*" } else { "" };
            let squares = fitted(s, form).and_then(squares);
            squares.map(|q| format!("{mark}{q}")).unwrap_or_default()
        };
        table.column("squares", series.iter().map(squares).collect());
    }
    let published = |s: &&Series| fitted(experiment.published_of(s)?, form);
    if series.iter().any(|s| published(s).is_some()) {
        let curve = |s: &&Series| match published(s) {
            None => String::new(),
            Some(fit) => match squares(fit) {
                None => fit.to_string(),
                Some(squares) => format!("{fit}  {squares}"),
            },
        };
        table.words("published", series.iter().map(curve).collect());
    }
}

/// The curve of this form through a series.
fn fitted(series: &Series, form: Form) -> Option<&Fit> {
    series.fits.iter().find(|f| f.form == form)
}

fn squares(fit: &Fit) -> Option<String> {
    Some(format!("{:.4}", fit.squares?))
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
            (Quantity::TransitionsAndStates, Some(transitions)) => {
                format!("{} / {}", grouped(transitions), grouped(states))
            }
            (Quantity::Transitions, Some(transitions)) => grouped(transitions),
            _ => grouped(states),
        },
        Some(_) => "infinite".to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{averages, caches, levels, sample};

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
    fn families_have_tables_and_curves_have_one() {
        let text = experiment_text(&averages());
        assert_eq!(
            text,
            "\
averages: Averages by the number of processes
n is the number of processes; the table counts transitions

db, S = 25:
n       none
-  ---------
3        362
6  1,392,646

ps, S = 60:
n  none
-  ----
3    16

Least-squares curves through the numbers of transitions, and the sums of the squared differences of logarithms:
          n     exponential        squares  published
--  ----  ----  -----------------  -------  -----------------
db  none  3..6  e^(2.75 n - 2.50)   0.2500  e^(2.80 n - 2.57)

Published (A paper, Fig. 6):
  It grows.
"
        );
    }

    #[test]
    fn what_a_cache_did() {
        let text = experiment_text(&caches());
        let expected = "
                  n   stored  cleared  matched  transitions
--------  ---------  -------  -------  -------  -----------  ---------
PS+SLEEP        100      100       40       10          150
PS+SLEEP  unbounded      120        0        9          129
PS+SLEEP  unbounded  654,600        0    6,189      660,789  published
";
        assert!(text.contains(expected), "{text}");
    }

    #[test]
    fn times_have_columns() {
        let mut experiment = sample();
        experiment.series[0].points[0].time = Some(Duration::from_millis(1_234));
        experiment.published.series[0].points[0].time = Some(Duration::from_millis(60_633_100));
        let text = experiment_text(&experiment);
        let lines: Vec<_> = text.lines().skip(4).take(3).collect();
        let expected = [
            "        n         full  seconds  published   seconds     (locks)",
            "---------  -----------  -------  ---------  --------  ----------",
            "        2            8     1.23          8  60,633.1           8",
        ];
        assert_eq!(lines, expected, "{text}");
        let mut experiment = caches();
        experiment.series[0].points[0].time = Some(Duration::from_millis(90));
        let text = experiment_text(&experiment);
        assert!(text.contains("matched  transitions  seconds\n"), "{text}");
        assert_eq!(text.matches("seconds").count(), 1, "{text}");
    }

    #[test]
    fn levels_are_words() {
        let text = experiment_text(&levels());
        let table: Vec<_> = text.lines().skip(3).take(5).collect();
        let expected = [
            "optimisation       db, N = 5         published",
            "------------  ----------------  ----------------",
            "none          325,262 / 83,962  343,170 / 88,281",
            "sleep          83,961 / 83,962",
            "sequences              44 / 45",
        ];
        assert_eq!(table[0].split_whitespace().last(), Some("published"));
        assert_eq!(table[1..], expected[1..], "{text}");
        assert!(!text.contains("n is the"));
    }

    #[test]
    fn an_interrupted_experiment_says_so() {
        let mut experiment = sample();
        experiment.interrupted = true;
        assert!(experiment_text(&experiment).contains("interrupted"));
    }
}
