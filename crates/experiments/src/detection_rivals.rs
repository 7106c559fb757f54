//! Algorithms for Possibly, side by side.
//!
//! Stoller, Unnikrishnan and Liu compare their persistent sets with other algorithms in words (long version, sections 1, 7,
//! 8 and 9). Here all of them look for violations of the invariants of their two protocols, in
//! the same runs:
//!
//! * Cooper and Marzullo (1991) build the lattice of all global states;
//! * Jégou, Medina and Nourine (1995) enumerate it, in linear space ([`Method::Enumerate`] visits it in another order);
//! * Garg and Waldecker (1994) find conjunctions of conditions on one process each. The predicate is put in disjunctive
//!   normal form, and each disjunct is detected by itself. This is not possible for database partitioning, where conditions read
//!   two processes;
//! * Stoller and Schneider (1995) try the states of a fixed set of processes;
//! * conditional stubborn sets (Godefroid's thesis, 4.7) replace the paper's persistent sets, with sleep sets besides;
//! * the paper's persistent sets, with sleep sets;
//! * and sequences of events, the default of `mazurka detect`, which leaves out the events that cannot change the predicate. All
//!   others look at all events.
//!
//! What is counted is what each of them looks at: global states; for Garg and Waldecker the local states that are gone
//! through, summed over the disjuncts; for fixed sets the combinations of their states.

use crate::detection::{How, Row, Searches, measure};
use crate::level::Level;
use crate::protocol::Protocol;
use crate::registry::Entry;
use crate::result::{Experiment, Parameter, Published, Quantity, Series};
use crate::sweep::{Failure, Progress, Setup};
use mazurka_trace::{Method, Settings};
use std::ops::RangeInclusive;

/// An algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rival {
    CooperMarzullo,
    Jegou,
    GargWaldecker,
    FixedSets,
    Stubborn,
    Persistent,
    Sequences,
}

use Rival::{CooperMarzullo, FixedSets, GargWaldecker, Jegou, Persistent, Sequences, Stubborn};

/// No disjunctive normal form with more disjuncts is made.
const DISJUNCTS: u64 = 4096;

impl Rival {
    const ALL: [Self; 7] = [
        CooperMarzullo,
        Jegou,
        GargWaldecker,
        FixedSets,
        Stubborn,
        Persistent,
        Sequences,
    ];

    fn name(self) -> &'static str {
        match self {
            CooperMarzullo => "Cooper Marzullo",
            Jegou => "Jégou et al.",
            GargWaldecker => "Garg Waldecker",
            FixedSets => "fixed sets",
            Stubborn => "conditional stubborn",
            Persistent => "persistent+sleep",
            Sequences => "sequences",
        }
    }

    fn how(self) -> How {
        let by = |method| Settings {
            method,
            all_events: true,
            ..Settings::default()
        };
        let settings = match self {
            CooperMarzullo => Level::None.search(),
            Jegou => by(Method::Enumerate),
            GargWaldecker => by(Method::Conjunctive),
            FixedSets => by(Method::Decompose),
            Stubborn => by(Method::Stubborn),
            Persistent => Level::Both.search(),
            Sequences => Level::Sequences.search(),
        };
        How {
            settings,
            most: Some(MOST),
            unsuitable: (self == GargWaldecker).then_some(DISJUNCTS),
        }
    }
}

/// An algorithm that looks at more states is given up.
const MOST: u64 = 5_000_000;

struct Example {
    protocol: Protocol,
    /// S.
    states: u32,
    sizes: RangeInclusive<u64>,
    /// The largest N with `--quick`.
    quick: u64,
    rivals: &'static [Rival],
}

const EXAMPLES: [Example; 2] = [
    Example {
        protocol: Protocol::PrimarySecondary,
        states: 25,
        sizes: 3..=9,
        quick: 5,
        rivals: &Rival::ALL,
    },
    Example {
        protocol: Protocol::DatabasePartition,
        states: 25,
        sizes: 3..=9,
        quick: 5,
        rivals: &[CooperMarzullo, Jegou, FixedSets, Stubborn, Persistent, Sequences],
    },
];

impl Example {
    fn family(&self) -> String {
        format!("{}, S = {}", self.protocol.name(), self.states)
    }
}

pub(crate) fn run(
    entry: &Entry,
    setup: &Setup<'_>,
    progress: &mut dyn FnMut(Progress<'_>),
) -> Result<Experiment, Failure> {
    let seeds = if setup.quick { 2 } else { 10 };
    let mut series = Vec::new();
    let mut rows = Vec::new();
    for example in &EXAMPLES {
        let first = series.len();
        series.extend((example.rivals.iter()).map(|rival| Series::new(rival.name(), vec![]).of(example.family())));
        let sizes = example.sizes.clone().filter(|n| !setup.quick || *n <= example.quick);
        rows.extend(sizes.map(|n| {
            Row {
                n: Parameter::Number(n),
                cells: (example.rivals.iter().enumerate())
                    .map(|(k, rival)| {
                        let searches = Searches {
                            protocol: example.protocol,
                            processes: usize::try_from(n).expect("a number of processes"),
                            states: example.states,
                            how: rival.how(),
                            seeds,
                        };
                        (first + k, searches)
                    })
                    .collect(),
            }
        }));
    }
    let interrupted = measure(&rows, &mut series, setup, progress)?;
    // It is that of the transitions, and states are shown.
    for point in series.iter_mut().flat_map(|s| &mut s.points) {
        point.spread = None;
    }
    Ok(Experiment {
        name: entry.name.to_string(),
        title: entry.description.to_string(),
        parameter: "number of processes".to_string(),
        quantity: Quantity::States,
        remarks: remarks(&series, seeds),
        series,
        published: published(entry),
        interrupted,
    })
}

fn published(entry: &Entry) -> Published {
    let claims = [
        "Algorithms that enumerate all global states take time at least linear in their number.",
        "Garg and Waldecker's algorithm does not apply to database partitioning; for primary-secondary, disjunctive normal",
        "form blows the formula up exponentially.",
        "Fixed sets offer no benefit for either predicate: they have N - 1 processes.",
        "Conditional stubborn sets do not explore fewer states, and are slower to compute by a factor of up to S.",
    ];
    Published {
        source: entry.source.to_string(),
        claims: claims.map(str::to_string).into(),
        series: vec![],
    }
}

/// What the measurements show. Each sentence is written only if they do.
fn remarks(series: &[Series], seeds: u64) -> Vec<String> {
    let mut remarks = Vec::new();
    if series.iter().all(|s| s.points.is_empty()) {
        return remarks;
    }
    remarks.push(format!(
        "Averages over {seeds} runs (seeds 0 to {}), rounded.",
        seeds - 1
    ));
    for example in &EXAMPLES {
        let family = example.family();
        let of = |rival: Rival| {
            series
                .iter()
                .find(|s| s.name == rival.name() && s.family.as_ref() == Some(&family))
        };
        let name = example.protocol.name();
        let all = against(of(FixedSets), of(CooperMarzullo)).map(|ratio| {
            format!("Fixed sets try {ratio:.2} times as many combinations as there are global states ({name}).")
        });
        let stubborn = against(of(Stubborn), of(Persistent)).map(|ratio| {
            format!(
                "Conditional stubborn sets look at {ratio:.2} times as many states as the paper's persistent sets ({name})."
            )
        });
        remarks.extend(all.into_iter().chain(stubborn));
        if let Some(cut) = of(GargWaldecker).and_then(|s| s.cut) {
            remarks.push(format!(
                "The disjunctive normal form has more than {} disjuncts from n = {} on ({name}).",
                cut.more_than, cut.n
            ));
        }
    }
    remarks
}

/// How many times as many states the first of two looks at, at the largest size that both were measured for.
fn against(one: Option<&Series>, other: Option<&Series>) -> Option<f64> {
    let (one, other) = (one?, other?);
    let mut sizes = one.points.iter().rev().map(|p| p.n);
    let both = sizes.find(|n| other.at(*n).is_some())?;
    Some(one.at(both)?.states? as f64 / other.at(both)?.states?.max(1) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::quick;

    #[test]
    fn ours_looks_at_fewer_states_than_any_other() {
        let experiment = quick("detection-rivals");
        assert!(!experiment.interrupted);
        for family in EXAMPLES.each_ref().map(Example::family) {
            let of = |rival: Rival| {
                let all = &mut experiment.series.iter();
                all.find(|s| s.name == rival.name() && s.family.as_ref() == Some(&family))
            };
            let states = |rival: Rival, n: u64| of(rival)?.at(Parameter::Number(n))?.states;
            for n in 3..=5 {
                let [all, enumerated, fixed, stubborn, ours, sequences] =
                    [CooperMarzullo, Jegou, FixedSets, Stubborn, Persistent, Sequences].map(|r| states(r, n).unwrap());
                assert_eq!(all, enumerated, "both look at all of them");
                assert!(
                    ours < all && fixed <= all && ours <= stubborn && sequences < ours,
                    "{family}, {n}"
                );
            }
            if let Some(garg) = of(GargWaldecker) {
                assert_eq!(garg.points.len(), 1, "{garg:?}");
                assert_eq!(garg.cut.unwrap().n, Parameter::Number(4));
            }
        }
        assert!(experiment.remarks.len() >= 5, "{:?}", experiment.remarks);
    }

    #[test]
    fn no_remark_without_measurements() {
        assert_eq!(remarks(&[Series::new("sequences", vec![])], 2), Vec::<String>::new());
    }
}
