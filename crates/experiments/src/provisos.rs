//! The two provisos of the thesis compared (section 6.5), on its protocols.
//!
//! Def. 6.2 asks that a persistent set contains a transition that does not lead to the current
//! path. Def. 6.15 looks at the terminal components of the reduced state space when they
//! are complete, and adds what was enabled and never executed there. Either makes the reduced state
//! space a trace automaton. The thesis says that none is best, and has figures for the first only.
//! Searches without a proviso are enough for deadlocks.

use crate::combination::Combination;
use crate::registry::Entry;
use crate::result::{Experiment, Parameter, Published, Quantity, Series};
use crate::sweep::{Failure, Progress, Setup};
use crate::thesis_table;

/// No proviso, Def. 6.2, Def. 6.15.
const COMBINATIONS: [Combination; 3] = [
    Combination::Persistent,
    Combination::PersistentProviso,
    Combination::PersistentComponent,
];

pub(crate) fn run(
    entry: &Entry,
    setup: &Setup<'_>,
    progress: &mut dyn FnMut(Progress<'_>),
) -> Result<Experiment, Failure> {
    let examples = thesis_table::examples(setup);
    let (series, interrupted) = thesis_table::measured(examples, &COMBINATIONS, setup, progress)?;
    Ok(Experiment {
        name: entry.name.to_string(),
        title: entry.description.to_string(),
        parameter: "search".to_string(),
        quantity: Quantity::StatesAndTransitions,
        remarks: remarks(&series),
        series,
        published: Published {
            source: entry.source.to_string(),
            claims: vec![
                "There is no best proviso: it is impossible to predict which one explores fewer states.".to_string(),
                "That of Def. 6.15 (COMPONENT) costs nothing where no terminal component ignores a transition;"
                    .to_string(),
                "that of Def. 6.2 (PROV) may cost something wherever there are cycles.".to_string(),
            ],
            series: thesis_table::published(examples, &COMBINATIONS),
        },
        interrupted,
    })
}

/// What holds of the numbers of states without a proviso, with that of Def. 6.2, and with that of Def. 6.15.
type Case = fn(u64, u64, u64) -> bool;

/// What the measurements show. Each sentence is written only if they do.
fn remarks(series: &[Series]) -> Vec<String> {
    let states = |s: &Series, c| s.at(Parameter::Combination(c)).and_then(|p| p.states);
    let names = |holds: Case| {
        let those = series.iter().filter(|s| {
            let [none, stack, component] = COMBINATIONS.map(|c| states(s, c));
            matches!((none, stack, component), (Some(n), Some(s), Some(c)) if holds(n, s, c))
        });
        let named = those.map(|s| format!("{} ({})", s.family.as_deref().unwrap_or_default(), s.name));
        named.collect::<Vec<_>>().join(", ")
    };
    let sentences: [(&str, Case); 4] = [
        ("Neither proviso adds a state", |none, stack, component| {
            none == stack && none == component
        }),
        (
            "That of Def. 6.15 adds no state, that of Def. 6.2 does",
            |none, stack, component| none == component && none < stack,
        ),
        ("Both add states, that of Def. 6.15 fewer", |none, stack, component| {
            none < component && component < stack
        }),
        ("That of Def. 6.2 is cheaper", |_, stack, component| stack < component),
    ];
    let said = sentences.into_iter().map(|(sentence, holds)| (sentence, names(holds)));
    said.filter(|(_, names)| !names.is_empty())
        .map(|(sentence, names)| format!("{sentence}: {names}."))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::result::Point;

    fn series(counts: [u64; 3]) -> Series {
        let points = COMBINATIONS.into_iter().zip(counts);
        let points = points.map(|(c, states)| Point::new(Parameter::Combination(c), states, states));
        Series::new("Algorithm 4", points.collect()).of("P")
    }

    #[test]
    fn each_case_has_its_sentence() {
        for (counts, expected) in [
            ([5, 5, 5], "Neither proviso adds a state: P (Algorithm 4)."),
            (
                [5, 6, 5],
                "That of Def. 6.15 adds no state, that of Def. 6.2 does: P (Algorithm 4).",
            ),
            ([5, 7, 6], "Both add states, that of Def. 6.15 fewer: P (Algorithm 4)."),
            ([5, 6, 7], "That of Def. 6.2 is cheaper: P (Algorithm 4)."),
        ] {
            assert_eq!(remarks(&[series(counts)]), [expected]);
        }
        assert!(remarks(&[Series::new("Algorithm 4", vec![])]).is_empty());
    }
}
