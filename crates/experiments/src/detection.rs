//! How many transitions and states detection explores, on average.
//!
//! The question is always the same: does the protocol's invariant hold in every global
//! state that a run could have passed through? Both protocols keep their
//! invariants (headers of `database_partition.rs` and `primary_secondary.rs`), so every
//! search is a complete one, and one that finds a violation is a defect. Averages are
//! over the runs of the seeds 0, 1, 2 and so on, rounded to whole numbers. A run with more
//! states is the continuation of the run of the same seed with fewer.
//!
//! The searches of one average are shared among the cores. A sum does not depend on the
//! order in which they finish, so neither does the result.

use crate::level::Level;
use crate::protocol::Protocol;
use crate::result::{Cut, Parameter, Point, Series, Spread};
use crate::sweep::{Failure, Progress, Setup};
use mazurka_core::{Limit, Limits};
use mazurka_trace::{DetectError, Modality, Predicate, Question, Settings, detect};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

/// Runs of a protocol, and how to search them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Searches {
    pub(crate) protocol: Protocol,
    /// The number of processes, N.
    pub(crate) processes: usize,
    /// The number of local states, S.
    pub(crate) states: u32,
    pub(crate) how: How,
    /// The number of runs.
    pub(crate) seeds: u64,
}

/// A way to search.
#[derive(Clone, Copy, Debug)]
pub(crate) struct How {
    /// Everything but the limits.
    pub(crate) settings: Settings<'static>,
    /// A search with more states is given up, and the average is not known.
    pub(crate) most: Option<u64>,
    /// Where the method cannot be used, it would take more states than this.
    pub(crate) unsuitable: Option<u64>,
}

impl From<Level> for How {
    fn from(level: Level) -> Self {
        Self {
            settings: level.search(),
            most: None,
            unsuitable: None,
        }
    }
}

/// The averages that belong to one line of a table: the number of the series that each
/// belongs to, and what is searched for it.
pub(crate) struct Row {
    pub(crate) n: Parameter,
    pub(crate) cells: Vec<(usize, Searches)>,
}

/// Measures the rows and adds their points to the series. Returns whether it was
/// interrupted; the row that was being measured is then missing as a whole.
pub(crate) fn measure(
    rows: &[Row],
    series: &mut [Series],
    setup: &Setup<'_>,
    progress: &mut dyn FnMut(Progress<'_>),
) -> Result<bool, Failure> {
    measure_each(rows, series, setup, progress, &mut |_, _, _| ())
}

/// As [`measure`], and tells `each` what the runs behind a point of a series explored, in the order of the seeds.
pub(crate) fn measure_each(
    rows: &[Row],
    series: &mut [Series],
    setup: &Setup<'_>,
    progress: &mut dyn FnMut(Progress<'_>),
    each: &mut dyn FnMut(usize, Parameter, &[Explored]),
) -> Result<bool, Failure> {
    let total = rows.iter().map(|row| row.cells.len()).sum();
    let mut done = 0;
    for row in rows {
        let mut points = Vec::new();
        for (column, searches) in &row.cells {
            let Series { name, family, .. } = &series[*column];
            let name = match family {
                Some(family) => format!("{family}: {name}"),
                None => name.clone(),
            };
            progress(Progress {
                done,
                total,
                series: &name,
                n: row.n,
            });
            let given_up = series[*column].cut.is_some();
            match searches.runs(row.n, &name, setup, given_up)? {
                Runs::Interrupted => return Ok(true),
                Runs::GivenUp(more_than) => {
                    series[*column].cut.get_or_insert(Cut { n: row.n, more_than });
                }
                Runs::Explored(explored) => {
                    each(*column, row.n, &explored);
                    points.extend(point(row.n, &explored).map(|point| (*column, point)));
                }
            }
            done += 1;
        }
        for (column, point) in points {
            series[column].points.push(point);
        }
    }
    Ok(false)
}

/// What one search explored.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Explored {
    seed: u64,
    states: u64,
    pub(crate) transitions: u64,
}

/// What the searches of several runs explored.
pub(crate) enum Runs {
    Explored(Vec<Explored>),
    /// One of them has more states than this.
    GivenUp(u64),
    Interrupted,
}

impl Searches {
    /// What is explored, in the order of the seeds. A method that was given up for smaller runs is not tried.
    pub(crate) fn runs(&self, n: Parameter, series: &str, setup: &Setup<'_>, given_up: bool) -> Result<Runs, Failure> {
        if given_up {
            return Ok(Runs::GivenUp(self.how.most.unwrap_or(0)));
        }
        let question = Question {
            modality: Modality::Always,
            predicate: Predicate::parse(self.protocol.invariant()).expect("a correct predicate"),
        };
        let next = AtomicU64::new(0);
        let work = || {
            let mut explored = Vec::new();
            loop {
                let seed = next.fetch_add(1, Ordering::Relaxed);
                if seed >= self.seeds {
                    return Ok(Runs::Explored(explored));
                }
                match self.search(&question, seed, n, series, setup)? {
                    Runs::Explored(one) => explored.extend(one),
                    ended => return Ok(ended),
                }
            }
        };
        let workers = thread::available_parallelism()
            .map_or(1, |k| k.get() as u64)
            .min(self.seeds);
        let results: Vec<Result<_, Failure>> = thread::scope(|scope| {
            let handles: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
            (handles.into_iter())
                .map(|h| h.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
                .collect()
        });
        let mut explored = Vec::new();
        for result in results {
            match result? {
                Runs::Explored(some) => explored.extend(some),
                ended => return Ok(ended),
            }
        }
        explored.sort_unstable_by_key(|one| one.seed);
        Ok(Runs::Explored(explored))
    }

    /// One search.
    fn search(
        &self,
        question: &Question,
        seed: u64,
        n: Parameter,
        series: &str,
        setup: &Setup<'_>,
    ) -> Result<Runs, Failure> {
        if setup.interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed)) {
            return Ok(Runs::Interrupted);
        }
        let computation = self.protocol.run(self.processes, self.states, seed)?.computation();
        let settings = Settings {
            limits: Limits {
                interrupt: setup.interrupt,
                states: self.how.most,
                ..Limits::default()
            },
            ..self.how.settings
        };
        let answer = match (detect(&computation, question, &settings), self.how.unsuitable) {
            (Ok(answer), _) => answer,
            (Err(DetectError::Unsuitable { .. }), Some(more_than)) => return Ok(Runs::GivenUp(more_than)),
            (Err(error), _) => {
                return Err(Failure::Detection {
                    series: series.to_string(),
                    n,
                    seed,
                    error: Box::new(error),
                });
            }
        };
        match answer.verdict.truth() {
            Some(true) => Ok(Runs::Explored(vec![Explored {
                seed,
                states: answer.statistics.states,
                transitions: answer.statistics.transitions,
            }])),
            Some(false) => Err(Failure::Violation {
                series: series.to_string(),
                n,
                seed,
            }),
            None => Ok(match (answer.end.limit(), self.how.most) {
                (Some(Limit::States), Some(more_than)) => Runs::GivenUp(more_than),
                _ => Runs::Interrupted,
            }),
        }
    }
}

/// The averages of several searches, if there are any.
fn point(n: Parameter, explored: &[Explored]) -> Option<Point> {
    let mut transitions: Vec<_> = explored.iter().map(|e| e.transitions).collect();
    transitions.sort_unstable();
    let count = transitions.len() as u64;
    let average = |sum: u64| (sum + count / 2) / count;
    Some(Point {
        spread: Some(Spread {
            least: *transitions.first()?,
            median: transitions[(transitions.len() - 1) / 2],
            most: *transitions.last()?,
        }),
        ..Point::new(
            n,
            average(explored.iter().map(|e| e.states).sum()),
            average(transitions.iter().sum()),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicBool;

    const N: [Parameter; 2] = [Parameter::Number(3), Parameter::Number(4)];

    fn rows(seeds: u64) -> Vec<Row> {
        let cell = |processes, level: Level| Searches {
            protocol: Protocol::DatabasePartition,
            processes,
            states: 10,
            how: level.into(),
            seeds,
        };
        [3, 4]
            .map(|n| Row {
                n: Parameter::Number(n as u64),
                cells: vec![(0, cell(n, Level::None)), (1, cell(n, Level::Both))],
            })
            .into()
    }

    fn series() -> [Series; 2] {
        [Level::None, Level::Both].map(|level| Series::new(level.name(), vec![]))
    }

    #[test]
    fn averages_are_rounded_and_know_their_spread() {
        let explored = [(4, 3), (6, 8), (9, 12)].map(|(states, transitions)| Explored {
            seed: 0,
            states,
            transitions,
        });
        let point = point(N[0], &explored).unwrap();
        assert_eq!((point.states, point.transitions), (Some(6), Some(8)));
        let spread = Spread {
            least: 3,
            median: 8,
            most: 12,
        };
        assert_eq!(point.spread, Some(spread));
    }

    #[test]
    fn the_same_seeds_give_the_same_averages() {
        let [mut once, mut again] = [series(), series()];
        assert!(!measure(&rows(9), &mut once, &Setup::default(), &mut |_| ()).unwrap());
        measure(&rows(9), &mut again, &Setup::default(), &mut |_| ()).unwrap();
        assert_eq!(once, again);
        let [none, both] = &once;
        for n in N {
            assert!(both.at(n).unwrap().transitions < none.at(n).unwrap().transitions);
        }
    }

    #[test]
    fn an_interrupted_measurement_has_whole_rows() {
        let interrupt = AtomicBool::new(false);
        let setup = Setup {
            interrupt: Some(&interrupt),
            ..Setup::default()
        };
        let mut series = series();
        let interrupted = measure(&rows(3), &mut series, &setup, &mut |p| {
            interrupt.store(p.done == 3, Ordering::Relaxed);
        });
        assert!(interrupted.unwrap());
        for s in &series {
            assert_eq!(s.points.iter().map(|p| p.n).collect::<Vec<_>>(), N[..1], "{}", s.name);
        }
    }
}
