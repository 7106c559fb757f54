//! The table of the paper: transitions and states explored, for both protocols.
//!
//! Stoller, Unnikrishnan and Liu search runs of two protocols for violations of their
//! invariants at four levels of optimisation (CAV 2000, section 6; long version, section
//! 7). We add a fifth, [`Level::Sequences`], which is what `mazurka detect` does by default.
//! Compare the ratios only: the protocols are simulated here from a description that leaves
//! much open (header of `simulation.rs`).

use crate::detection::{Row, Searches, measure};
use crate::level::Level;
use crate::protocol::Protocol;
use crate::registry::Entry;
use crate::result::{Experiment, Parameter, Point, Published, Quantity, Series};
use crate::sweep::{Failure, Progress, Setup};

/// A protocol, its N and S, and the published (N_T, N_S) of all levels but the last. The paper does not say in which
/// order the members of a persistent set are explored, so its figures for both sets are beside both orders.
struct Example {
    protocol: Protocol,
    processes: usize,
    states: u32,
    published: [(u64, u64); 5],
}

const EXAMPLES: [Example; 2] = [
    Example {
        protocol: Protocol::DatabasePartition,
        processes: 5,
        states: 80,
        published: [(343_170, 88_281), (88_280, 88_281), (640, 545), (443, 444), (443, 444)],
    },
    Example {
        protocol: Protocol::PrimarySecondary,
        processes: 9,
        states: 60,
        published: [
            (3_878_663, 752_035),
            (752_034, 752_035),
            (91_874, 61_773),
            (53_585, 53_586),
            (53_585, 53_586),
        ],
    },
];

pub(crate) fn run(
    entry: &Entry,
    setup: &Setup<'_>,
    progress: &mut dyn FnMut(Progress<'_>),
) -> Result<Experiment, Failure> {
    table(entry, if setup.quick { 2 } else { 40 }, setup, progress)
}

fn table(
    entry: &Entry,
    seeds: u64,
    setup: &Setup<'_>,
    progress: &mut dyn FnMut(Progress<'_>),
) -> Result<Experiment, Failure> {
    let rows = Level::ALL.map(|level| Row {
        n: Parameter::Level(level),
        cells: (EXAMPLES.iter().enumerate())
            .map(|(column, example)| {
                let searches = Searches {
                    protocol: example.protocol,
                    processes: example.processes,
                    states: example.states,
                    how: level.into(),
                    seeds,
                };
                (column, searches)
            })
            .collect(),
    });
    let mut series = EXAMPLES.each_ref().map(|example| Series::new(example.name(), vec![]));
    let interrupted = measure(&rows, &mut series, setup, progress)?;
    let published = published(entry);
    Ok(Experiment {
        name: entry.name.to_string(),
        title: entry.description.to_string(),
        parameter: "optimisation".to_string(),
        quantity: Quantity::TransitionsAndStates,
        remarks: remarks(&series, &published.series, seeds),
        series: series.into(),
        published,
        interrupted,
    })
}

impl Example {
    fn name(&self) -> String {
        format!("{} (N={}, S={})", self.protocol.name(), self.processes, self.states)
    }
}

fn published(entry: &Entry) -> Published {
    let series = EXAMPLES.iter().map(|example| {
        let points = (Level::ALL.into_iter().zip(example.published))
            .map(|(level, (transitions, states))| Point::new(Parameter::Level(level), states, transitions));
        Series::new(example.name(), points.collect())
    });
    Published {
        source: entry.source.to_string(),
        claims: vec![
            "N_T transitions and N_S states are explored, on average over 5 to 100 runs.".to_string(),
            "Persistent and sleep sets together reduce N_T by factors of 775 and 72.".to_string(),
            "Sleep sets eliminate state matches: N_T = N_S - 1.".to_string(),
        ],
        series: series.collect(),
    }
}

/// What the measurements show. Each sentence is written only if they do.
fn remarks(series: &[Series], published: &[Series], seeds: u64) -> Vec<String> {
    let mut remarks = Vec::new();
    if series.iter().all(|s| s.points.is_empty()) {
        return remarks;
    }
    remarks.push(format!(
        "Averages over {seeds} runs of each protocol, rounded (seeds 0 to {}).",
        seeds - 1
    ));
    let names = EXAMPLES.each_ref().map(|e| e.protocol.name());
    let each = |f: &dyn Fn(usize) -> Option<String>| {
        let said: Option<Vec<_>> = (0..names.len()).map(f).collect();
        said.map(|said| said.join(" and "))
    };
    let reduced = each(&|k| {
        let ours = factor(&series[k], Level::Both)?;
        let theirs = factor(&published[k], Level::Both)?;
        Some(format!("{ours:.0} for {} (published: {theirs:.0})", names[k]))
    });
    if let Some(reduced) = reduced {
        remarks.push(format!(
            "Persistent and sleep sets together reduce N_T by factors of {reduced}."
        ));
    }
    let by_sequences = each(&|k| {
        let ours = factor(&series[k], Level::Sequences)?;
        Some(format!("{ours:.0} for {}", names[k]))
    });
    if let Some(factors) = by_sequences {
        remarks.push(format!("Sequences reduce it by factors of {factors}."));
        remarks.push(
            "(That level is ours: one transition takes several of the events that can change the invariant.)"
                .to_string(),
        );
    }
    let sleeps = [Level::Sleep, Level::Both].map(Parameter::Level);
    let points: Option<Vec<_>> = (series.iter()).flat_map(|s| sleeps.map(|level| s.at(level))).collect();
    if points.is_some_and(|p| p.iter().all(|p| p.transitions.map(|n| n + 1) == p.states)) {
        remarks.push("With sleep sets there are no state matches: N_T = N_S - 1.".to_string());
    }
    let unreduced: Option<Vec<f64>> = (series.iter().zip(published))
        .map(|(ours, theirs)| Some(transitions(ours, Level::None)? / transitions(theirs, Level::None)?))
        .collect();
    if let Some(ratios) = unreduced {
        let ratios: Vec<_> = ratios.iter().map(|r| format!("{r:.2}")).collect();
        remarks.push(format!(
            "Without optimisation, N_T is {} times the published one. This is partly by choice: our definition of an event",
            ratios.join(" and ")
        ));
        remarks.push("was chosen with that row in view. The other rows were not considered for it.".to_string());
    }
    remarks
}

fn transitions(series: &Series, level: Level) -> Option<f64> {
    series.at(Parameter::Level(level))?.transitions.map(|n| n as f64)
}

/// By how much a level reduces the number of transitions.
fn factor(series: &Series, level: Level) -> Option<f64> {
    Some(transitions(series, Level::None)? / transitions(series, level)?.max(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry;

    fn entry() -> &'static Entry {
        registry::find("detection-table").unwrap()
    }

    #[test]
    fn the_published_factors_are_those_of_the_published_figures() {
        let factors: Vec<_> = (published(entry()).series.iter())
            .map(|s| factor(s, Level::Both).unwrap().round())
            .collect();
        assert_eq!(factors, [775.0, 72.0]);
    }

    #[test]
    fn no_remark_without_measurements() {
        let nothing = EXAMPLES.each_ref().map(|e| Series::new(e.name(), vec![]));
        let published = published(entry()).series;
        assert_eq!(remarks(&nothing, &published, 20), Vec::<String>::new());
    }

    #[test]
    fn a_remark_says_what_was_measured() {
        let published = published(entry()).series;
        let said = remarks(&published, &published, 20);
        assert_eq!(said.len(), 5, "{said:?}");
        assert!(said[1].contains("775 for database-partition (published: 775) and 72 for primary-secondary"));
        assert!(said[2].contains("N_T = N_S - 1"));
        assert!(said[3].contains("1.00 and 1.00 times"));
    }

    #[test]
    fn each_level_explores_less() {
        let experiment = registry::quick(entry().name);
        assert!(!experiment.interrupted);
        for series in &experiment.series {
            let counts: Vec<_> = series.points.iter().map(|p| p.transitions.unwrap()).collect();
            assert_eq!(counts.len(), Level::ALL.len(), "{}", series.name);
            assert!(counts.is_sorted_by(|a, b| a > b), "{}: {counts:?}", series.name);
        }
        assert_eq!(experiment.remarks.len(), 7, "{:?}", experiment.remarks);
    }

    /// `cargo test --release -p mazurka-experiments -- --ignored reductions`
    #[test]
    #[ignore = "a hundred million transitions"]
    fn the_published_reductions_are_reached() {
        let experiment = table(entry(), 20, &Setup::default(), &mut |_| ()).unwrap();
        for (series, least) in experiment.series.iter().zip([775.0, 72.0]) {
            let factor = factor(series, Level::Both).unwrap();
            assert!(factor >= least, "{}: {factor}", series.name);
        }
    }
}
