//! How detection grows with the number of processes.
//!
//! The paper plots ln N_T against N for both protocols and four levels of optimisation
//! and fits curves to it (long version, section 7, Figs 6 and 7). The fits here are over
//! the published ranges of N; larger N are measured where the searches stay small, and
//! their points are in no fit.
//!
//! The averages of the searches with persistent sets depend on rare runs. Of the runs of
//! database partitioning with N = 10, S = 50 and seeds 0 to 99, one needs 42,565,888
//! transitions with persistent sets alone and 3,750,451 with sleep sets besides, while half
//! of them need a few hundred. Searches with persistent sets alone therefore end at N = 9.
//! By sequences of events none of these runs needs more than 38.

mod remarks;
mod samples;

use crate::detection::{Row, Searches, measure_each};
use crate::fit::{Fit, Form};
use crate::level::Level;
use crate::protocol::Protocol;
use crate::registry::Entry;
use crate::result::{Experiment, Parameter, Point, Published, Quantity, Series};
use crate::sweep::{Failure, Progress, Setup};
use remarks::remarks;
use std::ops::RangeInclusive;

/// The measurements of a protocol at one level.
struct Line {
    level: Level,
    /// S.
    states: u32,
    /// The values of N that the curves are fitted to.
    fitted: RangeInclusive<u64>,
    /// The largest N with `--quick`.
    quick: u64,
    /// Larger N.
    beyond: &'static [u64],
    /// The published curves: form, a, b, sum of squares.
    published: &'static [(Form, f64, f64, Option<f64>)],
}

impl Line {
    /// The published curves.
    fn curves(&self) -> impl Iterator<Item = Fit> {
        let range = (*self.fitted.start() as f64, *self.fitted.end() as f64);
        self.published.iter().map(move |&(form, a, b, squares)| Fit {
            form,
            a,
            b,
            squares,
            range,
        })
    }
}

/// A protocol and its measurements.
struct Example {
    protocol: Protocol,
    family: &'static str,
    lines: [Line; 6],
}

use Form::{Exponential, Polynomial};

static EXAMPLES: [Example; 2] = [
    Example {
        protocol: Protocol::DatabasePartition,
        family: "database-partition, S = 25 without persistent sets, S = 50 with them",
        lines: [
            Line {
                level: Level::None,
                states: 25,
                fitted: 3..=6,
                quick: 5,
                beyond: &[],
                published: &[(Exponential, 2.80, -2.57, None)],
            },
            Line {
                level: Level::Sleep,
                states: 25,
                fitted: 3..=6,
                quick: 5,
                beyond: &[],
                published: &[(Exponential, 2.48, -2.26, None)],
            },
            Line {
                level: Level::Persistent,
                states: 50,
                fitted: 3..=8,
                quick: 8,
                beyond: &[9],
                published: &[(Exponential, 0.540, 3.35, None)],
            },
            Line {
                level: Level::Inserted,
                states: 50,
                fitted: 3..=8,
                quick: 8,
                beyond: &[],
                published: &[
                    (Exponential, 0.301, 4.06, Some(0.0173)),
                    (Polynomial, 1.54, 3.16, Some(0.0155)),
                ],
            },
            Line {
                level: Level::Both,
                states: 50,
                fitted: 3..=8,
                quick: 8,
                beyond: &[9, 10, 12, 16, 24, LARGEST],
                published: &[
                    (Exponential, 0.301, 4.06, Some(0.0173)),
                    (Polynomial, 1.54, 3.16, Some(0.0155)),
                ],
            },
            Line {
                level: Level::Sequences,
                states: 50,
                fitted: 3..=8,
                quick: 8,
                beyond: &[9, 10, 12, 16, 24, LARGEST],
                published: &[],
            },
        ],
    },
    Example {
        protocol: Protocol::PrimarySecondary,
        family: "primary-secondary, S = 60",
        lines: [
            primary_secondary(Level::None, &[], &[(Exponential, 1.55, 1.12, None)]),
            primary_secondary(Level::Sleep, &[], &[(Exponential, 1.35, 1.20, None)]),
            primary_secondary(Level::Persistent, &[], &[(Exponential, 0.925, 3.07, None)]),
            primary_secondary(Level::Inserted, &[], &[(Exponential, 0.888, 2.85, None)]),
            primary_secondary(Level::Both, &[10, 11, 12], &[(Exponential, 0.888, 2.85, None)]),
            primary_secondary(Level::Sequences, &[10, 11, 12], &[]),
        ],
    },
];

const fn primary_secondary(
    level: Level,
    beyond: &'static [u64],
    published: &'static [(Form, f64, f64, Option<f64>)],
) -> Line {
    Line {
        level,
        states: 60,
        fitted: 4..=9,
        quick: 7,
        beyond,
        published,
    }
}

/// A number of processes that is too large for searches without persistent sets.
const LARGEST: u64 = 32;

pub(crate) fn run(
    entry: &Entry,
    setup: &Setup<'_>,
    progress: &mut dyn FnMut(Progress<'_>),
) -> Result<Experiment, Failure> {
    let seeds = |level| match level {
        _ if setup.quick => 5,
        Level::None | Level::Sleep => 20,
        _ => 100,
    };
    let mut series: Vec<_> = EXAMPLES.iter().flat_map(|e| e.series(|_| vec![])).collect();
    let rows: Vec<_> = (EXAMPLES.iter().enumerate())
        .flat_map(|(k, example)| example.rows(k * Level::ALL.len(), &seeds, setup.quick))
        .collect();
    let mut runs: Vec<Vec<(f64, Vec<u64>)>> = vec![Vec::new(); series.len()];
    let interrupted = measure_each(&rows, &mut series, setup, progress, &mut |column, n, explored| {
        if let Parameter::Number(n) = n {
            runs[column].push((n as f64, explored.iter().map(|e| e.transitions).collect()));
        }
    })?;
    for (series, line) in series.iter_mut().zip(lines()) {
        series.fits = fits(&line.fitted, &series.points, |p| p.transitions);
    }
    Ok(Experiment {
        name: entry.name.to_string(),
        title: entry.description.to_string(),
        parameter: "number of processes".to_string(),
        quantity: Quantity::Transitions,
        remarks: {
            let mut all = remarks(&series, [seeds(Level::None), seeds(Level::Both)]);
            all.extend(samples::remarks(&series, &runs));
            all
        },
        series,
        published: published(entry),
        interrupted,
    })
}

/// In the order of the series.
fn lines() -> impl Iterator<Item = &'static Line> {
    EXAMPLES.iter().flat_map(|e| &e.lines)
}

impl Example {
    fn series(&self, fits: impl Fn(&Line) -> Vec<Fit>) -> Vec<Series> {
        (self.lines.iter())
            .map(|line| Series {
                fits: fits(line),
                ..Series::new(line.level.name(), vec![]).of(self.family)
            })
            .collect()
    }

    /// One row for each N. The first of the protocol's series has the number `first`.
    fn rows(&self, first: usize, seeds: &dyn Fn(Level) -> u64, quick: bool) -> Vec<Row> {
        let sizes = |line: &Line| -> Vec<u64> {
            let all = line.fitted.clone().chain(line.beyond.iter().copied());
            all.filter(|n| !quick || *n <= line.quick).collect()
        };
        let mut all: Vec<_> = self.lines.iter().flat_map(sizes).collect();
        all.sort_unstable();
        all.dedup();
        let row = |n: u64| Row {
            n: Parameter::Number(n),
            cells: (self.lines.iter().enumerate())
                .filter(|(_, line)| sizes(line).contains(&n))
                .map(|(k, line)| {
                    let searches = Searches {
                        protocol: self.protocol,
                        processes: usize::try_from(n).expect("a number of processes"),
                        states: line.states,
                        how: line.level.into(),
                        seeds: seeds(line.level),
                    };
                    (first + k, searches)
                })
                .collect(),
        };
        all.into_iter().map(row).collect()
    }
}

/// The curves of both forms through the points of the published range, if there are
/// enough to tell the forms apart.
fn fits(range: &RangeInclusive<u64>, points: &[Point], count: impl Fn(&Point) -> Option<u64>) -> Vec<Fit> {
    let points: Vec<_> = (points.iter())
        .filter_map(|p| match p.n {
            Parameter::Number(n) if range.contains(&n) => Some((n as f64, count(p)? as f64)),
            _ => None,
        })
        .collect();
    if points.len() < 3 {
        return vec![];
    }
    [Exponential, Polynomial]
        .into_iter()
        .filter_map(|form| form.fit(&points))
        .collect()
}

fn published(entry: &Entry) -> Published {
    let series = EXAMPLES.iter().flat_map(|e| e.series(|line| line.curves().collect()));
    Published {
        source: entry.source.to_string(),
        claims: vec![
            "The exponential form fits N_T better than the polynomial one in all cases except one:".to_string(),
            "database partitioning with persistent and sleep sets (sums of squares 0.0173 and 0.0155).".to_string(),
            "The results for N_S are similar.".to_string(),
        ],
        series: series.filter(|s| !s.fits.is_empty()).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::quick;

    #[test]
    fn persistent_sets_flatten_the_growth() {
        let experiment = quick("detection-scaling");
        assert_eq!(experiment.series.len(), 12);
        let slope = |family: usize, level: Level| {
            let position = Level::ALL.iter().position(|l| *l == level).unwrap();
            experiment.series[Level::ALL.len() * family + position].fits[0].a
        };
        for family in 0..2 {
            assert!(slope(family, Level::Sleep) < slope(family, Level::None));
            assert!(slope(family, Level::Both) < 0.75 * slope(family, Level::Sleep));
            assert!(slope(family, Level::Sequences) < slope(family, Level::Both));
        }
    }

    #[test]
    fn published_curves_are_beside_the_measured_ones() {
        let experiment = quick("detection-scaling");
        let [exponential, polynomial] = &experiment.published_of(&experiment.series[4]).unwrap().fits[..] else {
            panic!("two curves");
        };
        assert_eq!(exponential.to_string(), "e^(0.301 n + 4.06)");
        assert_eq!(polynomial.to_string(), "n^1.54 e^3.16");
        assert_eq!(experiment.published.series.len(), 10);
        assert_eq!(
            experiment.published_of(&experiment.series[5]),
            None,
            "sequences are ours"
        );
        // The curve without optimisation gives the published N_T of N = 9 within 40 %.
        let curve = experiment.published_of(&experiment.series[6]).unwrap().fits[0];
        assert!((curve.at(9.0) / 3_878_663.0 - 1.0).abs() < 0.4);
    }
}
