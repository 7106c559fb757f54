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
use crate::result::{Parameter, Point, Series, Spread};
use crate::sweep::{Failure, Progress, Setup};
use mazurka_core::Limits;
use mazurka_trace::{Method, Modality, Predicate, Question, Settings, detect};
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
    pub(crate) level: Level,
    /// The number of runs.
    pub(crate) seeds: u64,
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
            match searches.average(row.n, &name, setup)? {
                Some(point) => points.push((*column, point)),
                None => return Ok(true),
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
#[derive(Clone, Copy)]
struct Explored {
    states: u64,
    transitions: u64,
}

impl Searches {
    /// The averages, as a point of a series; `None` if interrupted.
    fn average(&self, n: Parameter, series: &str, setup: &Setup<'_>) -> Result<Option<Point>, Failure> {
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
                    return Ok(Some(explored));
                }
                match self.search(&question, seed, n, series, setup)? {
                    Some(one) => explored.push(one),
                    None => return Ok(None),
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
                Some(some) => explored.extend(some),
                None => return Ok(None),
            }
        }
        Ok(point(n, &explored))
    }

    /// One search; `None` if interrupted.
    fn search(
        &self,
        question: &Question,
        seed: u64,
        n: Parameter,
        series: &str,
        setup: &Setup<'_>,
    ) -> Result<Option<Explored>, Failure> {
        if setup.interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed)) {
            return Ok(None);
        }
        let computation = self.protocol.run(self.processes, self.states, seed)?.computation();
        let settings = Settings {
            method: Method::Search,
            reduction: self.level.reduction(),
            limits: Limits {
                interrupt: setup.interrupt,
                ..Limits::default()
            },
            ..Settings::default()
        };
        let answer = detect(&computation, question, &settings).map_err(|error| Failure::Detection {
            series: series.to_string(),
            n,
            seed,
            error: Box::new(error),
        })?;
        match answer.verdict.truth() {
            Some(true) => Ok(Some(Explored {
                states: answer.statistics.states,
                transitions: answer.statistics.transitions,
            })),
            Some(false) => Err(Failure::Violation {
                series: series.to_string(),
                n,
                seed,
            }),
            // The only limit is the interrupt.
            None => Ok(None),
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
        let cell = |processes, level| Searches {
            protocol: Protocol::DatabasePartition,
            processes,
            states: 10,
            level,
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
        let explored = [(4, 3), (6, 8), (9, 12)].map(|(states, transitions)| Explored { states, transitions });
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
