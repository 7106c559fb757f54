//! Fig. 8.1: dining philosophers, full and reduced.
//!
//! The thesis plots the states of the full state space and of a selective search
//! with persistent and sleep sets, without a proviso, for growing tables, and
//! concludes: from exponential to polynomial. It does not say which algorithm or
//! which objects; we run Algorithm 4 with forks as locks and as variables, each
//! also with the first necessary enabling set instead of the cheapest, and
//! Algorithms 1 and 2 for comparison. (Algorithm 3 gives the counts of 4 here.)

use crate::philosophers::{Fork, philosophers};
use crate::registry::Entry;
use crate::result::{Experiment, Parameter, Point, Published, Quantity, Series};
use crate::sweep::{Failure, Method, Progress, Setup, Sweep};
use mazurka_core::{Algorithm, Enabling, Model};

/// The full state space of 14 philosophers has 4,782,968 states and must fit.
const FULL_LIMIT: u64 = 5_000_000;
/// A reduced search is given up after this many states: its growth is then clear.
const REDUCED_LIMIT: u64 = 1_000_000;

const FULL: usize = 0;
const LOCKS: usize = 1;
const LOCKS_SLEEP: usize = 2;
const VARIABLES: usize = 3;
const VARIABLES_SLEEP: usize = 4;
const FIRST_LOCKS: usize = 5;
const FIRST_VARIABLES: usize = 6;
const ALGORITHM_1: usize = 7;
const ALGORITHM_2: usize = 8;

pub(crate) fn run(
    entry: &Entry,
    setup: &Setup<'_>,
    progress: &mut dyn FnMut(Progress<'_>),
) -> Result<Experiment, Failure> {
    let largest = if setup.quick { 9 } else { 14 };
    let parameters: Vec<_> = (2..=largest).map(Parameter::Number).collect();
    let swept = Sweep {
        parameters: &parameters,
        methods: &methods(),
        deadlocks: 1,
    }
    .run(setup, progress)?;
    Ok(Experiment {
        name: entry.name.to_string(),
        title: entry.description.to_string(),
        parameter: "number of philosophers".to_string(),
        quantity: Quantity::States,
        remarks: remarks(&swept.series),
        series: swept.series,
        published: published(entry),
        interrupted: swept.interrupted,
    })
}

fn methods() -> [Method; 9] {
    use Algorithm::{AllEnabled, Conditional, Conflicting, Overman};
    let method = |name, model, algorithm, sleep| Method {
        name,
        model,
        algorithm,
        enabling: Enabling::Fewest,
        sleep,
        limit: if algorithm == AllEnabled {
            FULL_LIMIT
        } else {
            REDUCED_LIMIT
        },
    };
    let first = |name, model| Method {
        enabling: Enabling::First,
        ..method(name, model, Conditional, false)
    };
    [
        method("full", locks, AllEnabled, false),
        method("persistent (locks)", locks, Conditional, false),
        method("persistent+sleep (locks)", locks, Conditional, true),
        method("persistent (variables)", variables, Conditional, false),
        method("persistent+sleep (variables)", variables, Conditional, true),
        first("first enabling set (locks)", locks),
        first("first enabling set (variables)", variables),
        method("Algorithm 1 (locks)", locks, Conflicting, false),
        method("Algorithm 2 (locks)", locks, Overman, false),
    ]
}

fn locks(n: Parameter) -> Model {
    table(n, Fork::Lock)
}

fn variables(n: Parameter) -> Model {
    table(n, Fork::Variable)
}

fn table(n: Parameter, fork: Fork) -> Model {
    match n {
        Parameter::Number(n) => philosophers(usize::try_from(n).expect("a small table"), fork),
        _ => unreachable!("every table has a size"),
    }
}

fn published(entry: &Entry) -> Published {
    Published {
        source: entry.source.to_string(),
        claims: vec![
            "Fig. 8.1 is a plot without numbers; the text says that the growth is reduced from exponential to \
             polynomial."
                .to_string(),
            "The full state space of 2 philosophers has 8 states and 10 transitions (2.3, Fig. 2.2).".to_string(),
        ],
        series: vec![Series::new("full", vec![Point::new(Parameter::Number(2), 8, 10)])],
    }
}

/// What the measurements show. Each sentence is written only if they do.
fn remarks(series: &[Series]) -> Vec<String> {
    let mut remarks = Vec::new();
    if series[FULL].fits(|n| {
        u32::try_from(n)
            .ok()
            .and_then(|n| 3u64.checked_pow(n))
            .map_or(0, |all| all - 1)
    }) {
        remarks.push("The full state space has 3^n - 1 states: exponential.".to_string());
    }
    let (plain, sleep) = (&series[LOCKS], &series[LOCKS_SLEEP]);
    match (plain.fits(without_sleep), sleep.fits(with_sleep)) {
        (true, true) => remarks.push(
            "With Algorithm 4, 3n² - 3n + 2 states are left, and 6n - 4 with sleep sets: polynomial.".to_string(),
        ),
        (true, false) => remarks.push("With Algorithm 4, 3n² - 3n + 2 states are left: polynomial.".to_string()),
        (false, true) => {
            remarks.push("With Algorithm 4 and sleep sets, 6n - 4 states are left: linear.".to_string());
        }
        (false, false) => (),
    }
    if same(plain, &series[VARIABLES]) && same(sleep, &series[VARIABLES_SLEEP]) {
        remarks.push("With the cheapest enabling sets, forks as locks or as variables make no difference.".to_string());
    }
    if same(plain, &series[FIRST_LOCKS]) && dominates(&series[FIRST_VARIABLES], &series[FIRST_LOCKS]) {
        remarks.push(
            "With the first enabling sets instead, locks do as well and variables do not: finer tables depend less \
             on the choice (4.8)."
                .to_string(),
        );
    }
    let nothing_gained = follows(&series[ALGORITHM_1], &series[FULL]);
    let in_between = dominates(&series[ALGORITHM_2], plain) && dominates(&series[FULL], &series[ALGORITHM_2]);
    if nothing_gained {
        remarks.push("Algorithm 1 gains nothing.".to_string());
    }
    if in_between {
        remarks.push("Algorithm 2 lies in between.".to_string());
    }
    remarks
}

/// States of the reduced state space, with persistent sets alone.
fn without_sleep(n: u64) -> u64 {
    3 * n * n - 3 * n + 2
}

/// States of the reduced state space, with sleep sets.
fn with_sleep(n: u64) -> u64 {
    6 * n - 4
}

fn same(a: &Series, b: &Series) -> bool {
    !a.points.is_empty() && a.points == b.points
}

/// Whether `a`, as far as it goes, has the states of `b`.
fn follows(a: &Series, b: &Series) -> bool {
    !a.points.is_empty() && a.points.iter().all(|p| b.at(p.n).is_some_and(|q| q.states == p.states))
}

/// Whether `a` never has fewer states than `b`, and more at the largest size.
fn dominates(a: &Series, b: &Series) -> bool {
    let pairs: Vec<_> = (a.points.iter())
        .filter_map(|p| b.at(p.n).map(|q| (p.states, q.states)))
        .collect();
    pairs.iter().all(|(p, q)| p >= q) && pairs.last().is_some_and(|(p, q)| p > q)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::quick;

    #[test]
    fn from_exponential_to_polynomial() {
        let experiment = quick("philosophers");
        assert!(!experiment.interrupted);
        for series in &experiment.series {
            assert_eq!(series.points.len(), 8, "{}", series.name);
        }
        for p in &experiment.series[FULL].points {
            let Parameter::Number(n) = p.n else { panic!() };
            assert_eq!(p.states, Some(3u64.pow(n as u32) - 1));
            let at = |k: usize| experiment.series[k].at(p.n).unwrap().states.unwrap();
            for k in [LOCKS, VARIABLES] {
                assert!(at(k) <= without_sleep(n), "n = {n}, series {k}");
            }
            for k in [LOCKS_SLEEP, VARIABLES_SLEEP] {
                assert!(at(k) <= with_sleep(n), "n = {n}, series {k}");
            }
        }
    }

    #[test]
    fn the_published_state_space_of_two_philosophers() {
        let experiment = quick("philosophers");
        let published = experiment.published.series[0].points[0];
        assert_eq!(experiment.series[FULL].at(published.n), Some(&published));
    }

    #[test]
    fn no_remark_without_measurements() {
        let nothing: Vec<_> = methods().iter().map(|m| Series::new(m.name, vec![])).collect();
        assert_eq!(remarks(&nothing), Vec::<String>::new());
    }
}
