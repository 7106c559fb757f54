//! Table 8.1 of the thesis: four protocols, six searches, states and transitions.
//!
//! The thesis computes persistent sets by "an algorithm similar to Algorithm 2". We show our
//! Algorithm 2 beside the published figures, and Algorithm 4, which `mazurka check` uses by
//! default, beside both; searches without persistent sets are the same for the two. One
//! state is stored for each step, as in the thesis. Two of the protocols are those of SPIN's
//! examples, two are models of our own (header of `thesis_protocol.rs`).

use crate::combination::Combination;
use crate::registry::Entry;
use crate::result::{Experiment, Parameter, Point, Published, Quantity, Series};
use crate::sweep::{Failure, Progress, Setup};
use crate::thesis_protocol::{ModelSearch, Searched, ThesisProtocol};
use mazurka_core::Storage;
use mazurka_promela::Model;
use mazurka_promela::verify::PersistentAlgorithm;

/// A protocol, and its published (states, transitions) in the order of [`Combination::ALL`].
struct Example {
    protocol: ThesisProtocol,
    published: [(u64, u64); 6],
}

const EXAMPLES: [Example; 4] = [
    Example {
        protocol: ThesisProtocol::Pftp,
        published: [
            (446_982, 1_257_317),
            (446_982, 622_364),
            (276_722, 482_722),
            (249_994, 351_633),
            (279_808, 490_228),
            (250_514, 352_371),
        ],
    },
    Example {
        protocol: ThesisProtocol::Mulog(3),
        published: [
            (38_181, 111_668),
            (38_181, 38_241),
            (18_537, 38_906),
            (17_984, 18_057),
            (18_537, 38_906),
            (17_984, 18_057),
        ],
    },
    Example {
        protocol: ThesisProtocol::Abra,
        published: [
            (149_816, 372_010),
            (149_816, 176_469),
            (32_289, 40_931),
            (27_781, 34_381),
            (40_472, 52_355),
            (36_913, 46_934),
        ],
    },
    Example {
        protocol: ThesisProtocol::Dtp,
        published: [
            (251_409, 648_467),
            (251_409, 269_912),
            (9_904, 10_351),
            (9_904, 10_351),
            (9_904, 10_351),
            (9_904, 10_351),
        ],
    },
];

/// How persistent sets are computed, and what the series is called.
const ALGORITHMS: [(PersistentAlgorithm, &str); 2] = [
    (PersistentAlgorithm::Overman, "Algorithm 2"),
    (PersistentAlgorithm::Conditional, "Algorithm 4"),
];

/// The series that the published figures belong to.
const AS_PUBLISHED: &str = ALGORITHMS[0].1;

pub(crate) fn run(
    entry: &Entry,
    setup: &Setup<'_>,
    progress: &mut dyn FnMut(Progress<'_>),
) -> Result<Experiment, Failure> {
    // PFTP, the first, has more than half of all states.
    let examples = if setup.quick { &EXAMPLES[1..] } else { &EXAMPLES };
    table(entry, examples, setup, progress)
}

/// A column of the table: a search, and which of [`ALGORITHMS`] computes its persistent sets.
type Column = (usize, Combination);

/// Searches without persistent sets are the same for all algorithms: they belong to the first.
fn columns() -> Vec<Column> {
    let all = (0..ALGORITHMS.len()).flat_map(|k| Combination::ALL.map(|c| (k, c)));
    all.filter(|(k, combination)| *k == 0 || combination.is_persistent())
        .collect()
}

fn table(
    entry: &Entry,
    examples: &[Example],
    setup: &Setup<'_>,
    progress: &mut dyn FnMut(Progress<'_>),
) -> Result<Experiment, Failure> {
    let mut series = Vec::new();
    let mut skipped = Vec::new();
    let mut interrupted = false;
    let columns = columns();
    let total = examples.len() * columns.len();
    for (row, example) in examples.iter().enumerate() {
        let family = example.protocol.name();
        let mut measured = ALGORITHMS.map(|(_, name)| Series::new(name, vec![]).of(&family));
        let model = example.protocol.model()?;
        if model.is_none() {
            skipped.push(family.clone());
        }
        for (column, &(k, combination)) in columns.iter().enumerate() {
            let (Some(model), false) = (&model, interrupted) else {
                break;
            };
            let name = format!("{family}: {}", measured[k].name);
            progress(Progress {
                done: row * columns.len() + column,
                total,
                series: &name,
                n: Parameter::Combination(combination),
            });
            match point(&name, model, (k, combination), setup)? {
                Some(point) => measured[k].points.push(point),
                None => interrupted = true,
            }
        }
        series.extend(measured);
    }
    let published = published(entry, examples);
    Ok(Experiment {
        name: entry.name.to_string(),
        title: entry.description.to_string(),
        parameter: "search".to_string(),
        quantity: Quantity::StatesAndTransitions,
        remarks: remarks(&series, &published.series, &skipped),
        series,
        published,
        interrupted,
    })
}

/// Runs the search of one column; `None` if it is interrupted.
fn point(
    name: &str,
    model: &Model,
    (algorithm, combination): Column,
    setup: &Setup<'_>,
) -> Result<Option<Point>, Failure> {
    let search = ModelSearch {
        model,
        combination,
        algorithm: ALGORITHMS[algorithm].0,
        storage: Storage::Exact,
        states: None,
        time: None,
    };
    let n = Parameter::Combination(combination);
    Ok(match search.run(name, n, setup)? {
        Searched::Complete(counts) => Some(Point::new(n, counts.stored, counts.transitions)),
        // There is no bound but the interrupt.
        Searched::Limit(_) | Searched::NoRoom | Searched::Interrupt => None,
    })
}

fn published(entry: &Entry, examples: &[Example]) -> Published {
    let series = examples.iter().map(|example| {
        let points = (Combination::ALL.into_iter().zip(example.published))
            .map(|(c, (states, transitions))| Point::new(Parameter::Combination(c), states, transitions));
        Series::new(AS_PUBLISHED, points.collect()).of(example.protocol.name())
    });
    Published {
        source: entry.source.to_string(),
        claims: vec![
            "Persistent sets (PS) yield the most important reductions of the number of states.".to_string(),
            "Sleep sets (SLEEP) alone do not reduce the number of states (Thm 5.4), but that of transitions."
                .to_string(),
            "The proviso of Def. 6.2 (PROV) usually does not cost much.".to_string(),
            "The best reductions are those of PS+SLEEP.".to_string(),
        ],
        series: series.collect(),
    }
}

/// What the measurements show. Each sentence is written only if they do.
fn remarks(series: &[Series], published: &[Series], skipped: &[String]) -> Vec<String> {
    let mut remarks = Vec::new();
    for name in skipped {
        remarks.push(format!("{name} is skipped: Debian's package `spin` is not installed."));
    }
    let names = |holds: &dyn Fn(&Series) -> bool| {
        let those = series.iter().filter(|s| s.name == AS_PUBLISHED && holds(s));
        those.filter_map(|s| s.family.as_deref()).collect::<Vec<_>>().join(", ")
    };
    let same = names(&|s| {
        let theirs = (published.iter().find(|p| p.family == s.family)).and_then(|p| at(p, Combination::Dfs));
        match (at(s, Combination::Dfs), theirs) {
            // SPIN counts the way into the initial state.
            (Some(our), Some(their)) => {
                our.states == their.states && our.transitions.map(|n| n + 1) == their.transitions
            }
            _ => false,
        }
    });
    if !same.is_empty() {
        remarks.push(format!(
            "The full state space is the published one (SPIN counts one transition more): {same}."
        ));
    }
    let unreduced = names(&|s| {
        let states = |c| at(s, c).map(|p| p.states);
        states(Combination::Dfs).is_some() && states(Combination::Dfs) == states(Combination::Sleep)
    });
    if !unreduced.is_empty() {
        remarks.push(format!("Sleep sets alone visit every state (Thm 5.4): {unreduced}."));
    }
    if series.iter().any(|s| at(s, Combination::Dfs).is_some()) {
        remarks.push(
            "The models of MULOG and ABRA are ours, written from descriptions: only proportions can be compared."
                .to_string(),
        );
        remarks.push("PFTP is the version that SPIN 6 comes with, not that of 1994.".to_string());
        remarks.push(
            "The thesis computes persistent sets by an algorithm that is only similar to Algorithm 2.".to_string(),
        );
    }
    remarks
}

fn at(series: &Series, combination: Combination) -> Option<&Point> {
    series.at(Parameter::Combination(combination))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry;
    use std::sync::atomic::{AtomicBool, Ordering};

    fn entry() -> &'static Entry {
        registry::find("thesis-table").unwrap()
    }

    /// A state space of tests, with the shape of the table.
    const SMALL: [Example; 1] = [Example {
        protocol: ThesisProtocol::Mulog(2),
        published: [(0, 0); 6],
    }];

    #[test]
    fn each_method_leaves_out_what_it_promises() {
        let experiment = table(entry(), &SMALL, &Setup::default(), &mut |_| ()).unwrap();
        assert!(!experiment.interrupted);
        let [second, fourth] = &experiment.series[..] else {
            panic!("two algorithms")
        };
        assert_eq!((second.points.len(), fourth.points.len()), (6, 4));
        let counts = |s: &Series, c| {
            let p = at(s, c).unwrap();
            (p.states.unwrap(), p.transitions.unwrap())
        };
        let full = counts(second, Combination::Dfs);
        let sleep = counts(second, Combination::Sleep);
        assert_eq!(full.0, sleep.0, "Thm 5.4");
        assert!(sleep.1 < full.1);
        for s in [second, fourth] {
            for c in Combination::ALL.into_iter().filter(|c| c.is_persistent()) {
                let (states, transitions) = counts(s, c);
                assert!(states < full.0 && transitions < full.1, "{}: {c:?}", s.name);
            }
            let (all, fewer) = (
                counts(s, Combination::Persistent),
                counts(s, Combination::PersistentSleep),
            );
            assert!(fewer.0 <= all.0 && fewer.1 <= all.1);
        }
    }

    #[test]
    fn an_interrupted_table_keeps_what_it_has() {
        let interrupt = AtomicBool::new(false);
        let setup = Setup {
            interrupt: Some(&interrupt),
            ..Setup::default()
        };
        let experiment = table(entry(), &SMALL, &setup, &mut |p| {
            interrupt.store(p.done == 2, Ordering::Relaxed);
        });
        let experiment = experiment.unwrap();
        assert!(experiment.interrupted);
        assert_eq!(experiment.series[0].points.len(), 2);
    }

    #[test]
    fn the_published_table_has_no_reduction_of_states_by_sleep_sets() {
        for series in published(entry(), &EXAMPLES).series {
            let states = |c| at(&series, c).unwrap().states;
            assert_eq!(states(Combination::Dfs), states(Combination::Sleep));
            assert!(states(Combination::PersistentSleep) <= states(Combination::Persistent));
        }
    }

    #[test]
    fn a_skipped_protocol_is_named() {
        let said = remarks(&[], &[], &["DTP".to_string()]);
        assert_eq!(said, ["DTP is skipped: Debian's package `spin` is not installed."]);
    }

    /// `cargo test --release -p mazurka-experiments -- --ignored published_state_space`
    #[test]
    #[ignore = "half a million transitions, and SPIN's examples"]
    fn dtp_has_the_published_state_space() {
        let Some(model) = ThesisProtocol::Dtp.model().unwrap() else {
            return;
        };
        let search = ModelSearch {
            model: &model,
            combination: Combination::Dfs,
            algorithm: ALGORITHMS[0].0,
            storage: Storage::Exact,
            states: None,
            time: None,
        };
        let n = Parameter::Combination(Combination::Dfs);
        let Searched::Complete(counts) = search.run("DTP", n, &Setup::default()).unwrap() else {
            panic!("no bound")
        };
        assert_eq!((counts.states, counts.transitions + 1), EXAMPLES[3].published[0]);
    }
}
