//! State-space caching: Fig. 8.3 and Tables 8.2 and 8.3 of the thesis.
//!
//! A search that stores the current path and as many other states as there is room for
//! forgets states, and explores them again when it meets them again. Without reduction this
//! makes small caches useless; with persistent and sleep sets most states are met only once,
//! and a cache not much larger than the longest path is enough (section 8.4). The model of
//! MULOG is ours (header of `thesis_protocol.rs`): compare thresholds and proportions, not
//! counts. With one request each it has no cycles; with repeated requests the longest path is
//! ten times as long, more known states are met, and the smallest cache is larger. Without a proviso, searches find every
//! deadlock; PS+SLEEP+PROV is there for its counts (header of `thesis_table.rs`).
//!
//! The parameter is the size of the cache; `unbounded` means that every state is stored.
//! Sizes go downwards, and a method is given up at the first one that makes it explore too
//! much. A size into which the longest path does not fit is not measured: such a search does
//! not finish.

use crate::combination::Combination;
use crate::registry::Entry;
use crate::result::{Cached, Cut, Experiment, Parameter, Point, Published, Quantity, Series};
use crate::sweep::{Failure, Progress, Setup};
use crate::thesis_protocol::{Counts, ModelSearch, Searched, ThesisProtocol};
use mazurka_core::Storage;
use mazurka_promela::Model;
use mazurka_promela::verify::PersistentAlgorithm;
use std::time::Duration;

/// The largest cache of the thesis.
const LARGE: u64 = 300_000;

/// One method on one protocol.
struct Curve {
    protocol: ThesisProtocol,
    combination: Combination,
    /// Algorithm 2 is that of the thesis.
    algorithm: PersistentAlgorithm,
    /// Whether to store every state first.
    unbounded: bool,
    /// The sizes of the cache, downwards.
    sizes: &'static [u64],
    /// A size is given up when more states than this are entered.
    states: u64,
    /// A size is given up after this time.
    time: Duration,
}

/// What the thesis says is enough for MULOG3.
const SMALL: u64 = 150;

/// For three participants, of at most 36,146 states.
const SIZES: [u64; 10] = [20_000, 15_000, 12_000, 10_000, 5_000, 2_000, 1_000, 500, 300, SMALL];

/// For three participants with repeated requests, of at most 94,140 states.
const REPEATED_SIZES: [u64; 5] = [20_000, 15_000, 10_000, 7_000, 5_000];

fn curves(quick: bool) -> Vec<Curve> {
    use Combination::{Dfs, Persistent, PersistentSleep, PersistentSleepProviso};
    use PersistentAlgorithm::{Conditional, Overman};
    use ThesisProtocol::{Mulog, RepeatedMulog};
    let minutes = |n: u64| Duration::from_secs(60 * n);
    let curve = |protocol, combination, sizes| Curve {
        protocol,
        combination,
        algorithm: Overman,
        unbounded: true,
        sizes,
        states: if quick { 300_000 } else { 5_000_000 },
        time: minutes(1),
    };
    let best = |curve| Curve {
        algorithm: Conditional,
        ..curve
    };
    let three = [Dfs, Persistent, PersistentSleep, PersistentSleepProviso];
    let mut curves: Vec<_> = three.map(|c| curve(Mulog(3), c, &SIZES)).into();
    curves.push(best(curve(Mulog(3), PersistentSleep, &SIZES)));
    curves.push(curve(RepeatedMulog(3), PersistentSleep, &REPEATED_SIZES));
    if !quick {
        let sizes = &[100_000, 10_000, 1_000, SMALL];
        curves.push(curve(Mulog(4), Dfs, &[]));
        curves.push(curve(Mulog(4), PersistentSleep, sizes));
        curves.push(curve(Mulog(4), PersistentSleepProviso, sizes));
        curves.push(best(curve(Mulog(4), PersistentSleep, sizes)));
        curves.push(Curve {
            states: 100_000_000,
            time: minutes(10),
            ..best(curve(Mulog(5), PersistentSleep, &[LARGE, 200]))
        });
        curves.push(Curve {
            unbounded: false,
            states: 100_000_000,
            time: minutes(10),
            ..curve(Mulog(5), PersistentSleep, &[LARGE])
        });
    }
    curves
}

pub(crate) fn run(
    entry: &Entry,
    setup: &Setup<'_>,
    progress: &mut dyn FnMut(Progress<'_>),
) -> Result<Experiment, Failure> {
    measured(entry, &curves(setup.quick), setup, progress)
}

fn measured(
    entry: &Entry,
    curves: &[Curve],
    setup: &Setup<'_>,
    progress: &mut dyn FnMut(Progress<'_>),
) -> Result<Experiment, Failure> {
    let mut series = Vec::new();
    let mut interrupted = false;
    let total = curves.iter().map(Curve::searches).sum();
    let mut before = 0;
    for curve in curves {
        let protocol = curve.protocol;
        let mut one = Series::new(curve.name(), vec![]).of(protocol.name());
        if !interrupted {
            let model = protocol.model()?;
            let mut tell = |done, series: &str, n| {
                progress(Progress {
                    done: before + done,
                    total,
                    series,
                    n,
                });
            };
            interrupted = curve.measure(&model, &mut one, setup, &mut tell)?;
        }
        one.points.sort_by_key(|p| p.n);
        series.push(one);
        before += curve.searches();
    }
    Ok(Experiment {
        name: entry.name.to_string(),
        title: entry.description.to_string(),
        parameter: "size of the cache, in states".to_string(),
        quantity: Quantity::Transitions,
        remarks: remarks(&series),
        series,
        published: published(entry),
        interrupted,
    })
}

impl Curve {
    /// The combination, and the algorithm if it is not that of the thesis.
    fn name(&self) -> String {
        match self.algorithm {
            PersistentAlgorithm::Overman => self.combination.name().to_string(),
            _ => format!("{}, Algorithm 4", self.combination.name()),
        }
    }

    fn searches(&self) -> usize {
        self.sizes.len() + usize::from(self.unbounded)
    }

    /// Adds the points to the series. Returns whether it was interrupted.
    fn measure(
        &self,
        model: &Model,
        series: &mut Series,
        setup: &Setup<'_>,
        tell: &mut dyn FnMut(usize, &str, Parameter),
    ) -> Result<bool, Failure> {
        let name = format!("{}: {}", series.family.as_deref().unwrap_or_default(), series.name);
        let sizes = self.sizes.iter().map(|&n| Parameter::Number(n));
        let all = self.unbounded.then_some(Parameter::Unbounded).into_iter().chain(sizes);
        let mut states = None;
        for (done, n) in all.enumerate() {
            let storage = match n {
                // A cache with room for all states is no cache.
                Parameter::Number(size) if states.is_some_and(|states| states <= size) => continue,
                Parameter::Number(size) => Storage::Cache(usize::try_from(size).unwrap_or(usize::MAX)),
                _ => Storage::Exact,
            };
            tell(done, &name, n);
            let search = ModelSearch {
                model,
                combination: self.combination,
                algorithm: self.algorithm,
                storage,
                states: Some(self.states),
                time: Some(self.time),
            };
            match search.run(&name, n, setup)? {
                Searched::Complete(counts) => {
                    if n == Parameter::Unbounded {
                        states = Some(counts.statistics.stored);
                    }
                    series.points.push(point(n, &counts));
                }
                Searched::Limit(counts) => {
                    series.cut = Some(Cut {
                        n,
                        more_than: counts.statistics.states.saturating_sub(1),
                    });
                    // Too many states to store all may still be few enough to forget some.
                    if n != Parameter::Unbounded {
                        break;
                    }
                }
                Searched::NoRoom => break,
                Searched::Interrupt => return Ok(true),
            }
        }
        Ok(false)
    }
}

fn point(n: Parameter, counts: &Counts) -> Point {
    let statistics = &counts.statistics;
    Point {
        cached: Some(Cached {
            stored: statistics.stored,
            cleared: statistics.cleared,
            matched: statistics.matched,
        }),
        ..Point::new(n, statistics.states, statistics.transitions).in_time(counts.time)
    }
}

fn published(entry: &Entry) -> Published {
    let point = |n, stored, cleared, matched, transitions, tenths: u64| Point {
        cached: Some(Cached {
            stored,
            cleared,
            matched,
        }),
        ..Point::new(n, stored + cleared, transitions).in_time(Duration::from_millis(100 * tenths))
    };
    let stored = |combination: Combination, states, transitions, tenths| {
        let point = point(
            Parameter::Unbounded,
            states,
            0,
            transitions - states,
            transitions,
            tenths,
        );
        Series::new(combination.name(), vec![point]).of("MULOG3")
    };
    let both = Combination::PersistentSleep;
    let large = Parameter::Number(LARGE);
    Published {
        source: entry.source.to_string(),
        claims: vec![
            "Fig. 8.3 is a plot without numbers; the text gives these, for MULOG3:".to_string(),
            "With DFS the cache can be reduced to about a third of all states, with PS to about an eighth;".to_string(),
            "with less, the number of transitions explodes.".to_string(),
            "With PS+SLEEP it can be reduced to the length of the longest path, for less than 10 % more transitions."
                .to_string(),
            "MULOG5 can be searched with PS+SLEEP and a cache, and in no other way (64 MB of memory).".to_string(),
        ],
        series: vec![
            stored(Combination::Dfs, 38_181, 111_668, 253),
            stored(Combination::Persistent, 18_537, 38_906, 258),
            stored(both, 17_984, 18_057, 260),
            Series::new(
                both.name(),
                vec![
                    point(large, 300_000, 354_676, 6_198, 660_874, 11_226),
                    point(Parameter::Unbounded, 654_600, 0, 6_189, 660_789, 9_864),
                ],
            )
            .of("MULOG4"),
            Series::new(
                both.name(),
                vec![point(large, 300_000, 28_613_162, 349_904, 29_263_066, 606_331)],
            )
            .of("MULOG5"),
        ],
    }
}

/// What the measurements show. Each sentence is written only if they do.
fn remarks(series: &[Series]) -> Vec<String> {
    let mut remarks = Vec::new();
    for one in series {
        let family = one.family.as_deref().unwrap_or_default();
        let (Some(all), Some(least)) = (one.at(Parameter::Unbounded), one.points.first()) else {
            continue;
        };
        let (Parameter::Number(size), Some(cost), Some(states)) = (least.n, growth(all, least), all.states) else {
            continue;
        };
        remarks.push(format!(
            "{family}, {}: with a cache of {size} states, {:.2} % of all {states}, {cost:.2} times the transitions.",
            one.name,
            100.0 * size as f64 / states as f64,
        ));
    }
    if !remarks.is_empty() {
        remarks.push(
            "(These are the smallest caches that were not given up. Our model of MULOG is not that of the thesis.)"
                .into(),
        );
    }
    let enough = enough(series);
    if !enough.is_empty() {
        remarks.push(format!(
            "A cache of {SMALL} states suffices, with fewer transitions than DFS that stores every state: {}.",
            enough.join("; ")
        ));
    }
    remarks
}

/// The methods that explore less with the small cache than DFS with all states.
fn enough(series: &[Series]) -> Vec<String> {
    let transitions = |s: &Series, n| s.at(n).and_then(|p| p.transitions);
    let all = |family: &Option<String>| {
        let dfs = (series.iter()).find(|s| s.family == *family && s.name == Combination::Dfs.name());
        dfs.and_then(|s| transitions(s, Parameter::Unbounded))
    };
    let those = series.iter().filter(
        |s| matches!((transitions(s, Parameter::Number(SMALL)), all(&s.family)), (Some(few), Some(all)) if few < all),
    );
    let names = those.map(|s| format!("{}, {}", s.family.as_deref().unwrap_or_default(), s.name));
    names.collect()
}

/// How many times the transitions of a search that stores everything.
fn growth(all: &Point, cached: &Point) -> Option<f64> {
    Some(cached.transitions? as f64 / all.transitions?.max(1) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry;

    fn entry() -> &'static Entry {
        registry::find("caching").unwrap()
    }

    /// Two participants: a state space of tests.
    fn small(combination: Combination, sizes: &'static [u64]) -> Series {
        let curve = Curve {
            protocol: ThesisProtocol::RepeatedMulog(2),
            combination,
            algorithm: PersistentAlgorithm::Overman,
            unbounded: true,
            sizes,
            states: 100_000,
            time: Duration::from_secs(60),
        };
        let experiment = measured(entry(), &[curve], &Setup::default(), &mut |_| ()).unwrap();
        assert!(!experiment.interrupted);
        experiment.series.into_iter().next().unwrap()
    }

    #[test]
    fn what_is_forgotten_is_explored_again() {
        for combination in [Combination::Dfs, Combination::PersistentSleep] {
            let series = small(combination, &[400, 200, 100]);
            let all = series.at(Parameter::Unbounded).unwrap();
            assert_eq!(all.cached.unwrap().cleared, 0);
            for p in &series.points {
                let cached = p.cached.unwrap();
                assert!(p.transitions >= all.transitions, "{p:?}");
                assert_eq!(p.states, Some(cached.stored + cached.cleared), "{p:?}");
                if let Parameter::Number(size) = p.n {
                    assert!(cached.stored <= size, "{p:?}");
                }
            }
        }
    }

    #[test]
    fn a_cache_that_the_path_does_not_fit_in_is_not_measured() {
        let series = small(Combination::Dfs, &[2, 1]);
        assert_eq!(series.points.len(), 1, "{series:?}");
        assert_eq!(series.cut, None);
    }

    #[test]
    fn the_published_figures_add_up() {
        for series in published(entry()).series {
            for p in &series.points {
                let Some(cached) = p.cached else { continue };
                assert_eq!(cached.stored + cached.cleared + cached.matched, p.transitions.unwrap());
            }
        }
    }

    /// Section 8.4. Fewer than a tenth more transitions, as published, with Algorithm 4.
    #[test]
    fn a_cache_of_150_states_suffices_for_three_participants() {
        let curve = |combination, algorithm, sizes| Curve {
            protocol: ThesisProtocol::Mulog(3),
            combination,
            algorithm,
            unbounded: true,
            sizes,
            states: 1_000_000,
            time: Duration::from_secs(600),
        };
        let both = Combination::PersistentSleep;
        let curves = [
            curve(Combination::Dfs, PersistentAlgorithm::Overman, &[]),
            curve(both, PersistentAlgorithm::Overman, &[SMALL]),
            curve(both, PersistentAlgorithm::Conditional, &[SMALL]),
        ];
        let experiment = measured(entry(), &curves, &Setup::default(), &mut |_| ()).unwrap();
        assert_eq!(
            enough(&experiment.series),
            ["MULOG3, PS+SLEEP", "MULOG3, PS+SLEEP, Algorithm 4"]
        );
        let [_, second, fourth] = &experiment.series[..] else {
            panic!("three curves")
        };
        let cost = |s: &Series| growth(&s.points[1], &s.points[0]).unwrap();
        assert!(cost(second) < 1.2 && cost(fourth) < 1.1);
    }

    #[test]
    fn no_remark_without_measurements() {
        assert_eq!(remarks(&[Series::new("DFS", vec![])]), Vec::<String>::new());
    }
}
