//! A sweep: one family of systems, several methods, many sizes.
//!
//! The sizes are the outer loop, so an interrupted sweep has whole rows, and the
//! long searches come last.

use crate::result::{Cut, Parameter, Point, Series};
use crate::simulation::SimulationError;
use mazurka_core::{Algorithm, Enabling, Limit, Limits, Model, ProvisoKind, Search, SearchError};
use mazurka_trace::DetectError;
use std::sync::atomic::{AtomicBool, Ordering};

/// How to run an experiment.
///
/// ```
/// use mazurka_experiments::{Setup, find};
/// let setup = Setup { quick: true, ..Setup::default() };
/// let experiment = find("philosophers").expect("it is listed").run(&setup, &mut |_| ())?;
/// assert!(!experiment.interrupted);
/// # Ok::<(), mazurka_experiments::Failure>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Setup<'a> {
    /// Whether to run only the sizes that take little time.
    pub quick: bool,
    /// Stop as soon as this is true.
    pub interrupt: Option<&'a AtomicBool>,
}

/// How far an experiment is.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Progress<'a> {
    /// The number of searches that are done.
    pub done: usize,
    /// The number of all searches.
    pub total: usize,
    /// The method of the search that starts now.
    pub series: &'a str,
    /// The parameter of the search that starts now.
    pub n: Parameter,
}

/// Why an experiment has no result.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Failure {
    /// A search failed.
    #[error("{series}, n = {n}: {error}")]
    Search {
        /// The method.
        series: String,
        /// The parameter.
        n: Parameter,
        /// Why.
        error: SearchError,
    },
    /// A search is wrong: it found more or fewer deadlocks than the system has.
    #[error("{series}, n = {n}: the search found {found} deadlocks, the system has {expected}")]
    Deadlocks {
        /// The method.
        series: String,
        /// The parameter.
        n: Parameter,
        /// How many were found.
        found: usize,
        /// How many there are.
        expected: usize,
    },
    /// A Promela model cannot be used.
    #[error("{model}: {why}")]
    Model {
        /// The model.
        model: String,
        /// What is wrong.
        why: String,
    },
    /// A search of a Promela model failed.
    #[error("{series}, n = {n}: {why}")]
    ModelSearch {
        /// The model and the method.
        series: String,
        /// The parameter.
        n: Parameter,
        /// Why.
        why: String,
    },
    /// A protocol cannot be simulated.
    #[error(transparent)]
    Simulation(#[from] SimulationError),
    /// A search for bad global states failed.
    #[error("{series}, n = {n}, seed {seed}: {error}")]
    Detection {
        /// The method.
        series: String,
        /// The parameter.
        n: Parameter,
        /// The run.
        seed: u64,
        /// Why.
        error: Box<DetectError>,
    },
    /// A search is wrong: it found a bad global state where there is none.
    #[error("{series}, n = {n}, seed {seed}: the search found a violation of an invariant that holds")]
    Violation {
        /// The method.
        series: String,
        /// The parameter.
        n: Parameter,
        /// The run.
        seed: u64,
    },
}

/// A way to search a family of systems.
pub(crate) struct Method {
    pub(crate) name: &'static str,
    pub(crate) model: fn(Parameter) -> Model,
    pub(crate) algorithm: Algorithm,
    pub(crate) enabling: Enabling,
    pub(crate) sleep: bool,
    /// The method is given up when a search has more states than this.
    pub(crate) limit: u64,
}

/// Several methods on the same sizes.
pub(crate) struct Sweep<'a> {
    pub(crate) parameters: &'a [Parameter],
    pub(crate) methods: &'a [Method],
    /// How many deadlocks each system has.
    pub(crate) deadlocks: usize,
}

/// What a sweep measured.
pub(crate) struct Swept {
    pub(crate) series: Vec<Series>,
    pub(crate) interrupted: bool,
}

impl Sweep<'_> {
    /// Runs every search.
    pub(crate) fn run(&self, setup: &Setup<'_>, progress: &mut dyn FnMut(Progress<'_>)) -> Result<Swept, Failure> {
        let mut series: Vec<_> = self.methods.iter().map(|m| Series::new(m.name, Vec::new())).collect();
        let total = self.parameters.len() * self.methods.len();
        for (row, &n) in self.parameters.iter().enumerate() {
            for (column, (method, measured)) in self.methods.iter().zip(&mut series).enumerate() {
                if measured.cut.is_some() {
                    continue;
                }
                progress(Progress {
                    done: row * self.methods.len() + column,
                    total,
                    series: method.name,
                    n,
                });
                match self.search(method, n, setup)? {
                    End::Complete(point) => measured.points.push(point),
                    End::Limit => {
                        measured.cut = Some(Cut {
                            n,
                            more_than: method.limit,
                        });
                        if n == Parameter::Unbounded {
                            measured.points.push(Point::uncounted(n));
                        }
                    }
                    End::Interrupt => {
                        return Ok(Swept {
                            series,
                            interrupted: true,
                        });
                    }
                }
            }
        }
        Ok(Swept {
            series,
            interrupted: false,
        })
    }

    /// One search. Every selective search finds all deadlocks (thesis, Thm 4.3 and
    /// ch. 5), so another number than the system has is a defect.
    fn search(&self, method: &Method, n: Parameter, setup: &Setup<'_>) -> Result<End, Failure> {
        let interrupted = || setup.interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed));
        if interrupted() {
            return Ok(End::Interrupt);
        }
        let model = (method.model)(n);
        let outcome = Search::new(&model)
            .persistent(method.algorithm)
            .enabling(method.enabling)
            .sleep(method.sleep)
            .proviso(ProvisoKind::None)
            .limits(Limits {
                states: Some(method.limit),
                interrupt: setup.interrupt,
                ..Limits::default()
            })
            .run()
            .map_err(|error| Failure::Search {
                series: method.name.to_string(),
                n,
                error,
            })?;
        match outcome.end {
            mazurka_core::End::Complete => {}
            mazurka_core::End::Limit(Limit::Interrupt) => return Ok(End::Interrupt),
            _ => return Ok(End::Limit),
        }
        let found = outcome.deadlocks.len();
        if found != self.deadlocks {
            return Err(Failure::Deadlocks {
                series: method.name.to_string(),
                n,
                found,
                expected: self.deadlocks,
            });
        }
        let counts = outcome.statistics;
        Ok(End::Complete(Point::new(n, counts.states, counts.transitions)))
    }
}

/// How one search ended.
enum End {
    Complete(Point),
    Limit,
    Interrupt,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::philosophers::{Fork, philosophers};

    fn table(n: Parameter) -> Model {
        let Parameter::Number(n) = n else {
            panic!("a table has a size")
        };
        philosophers(n as usize, Fork::Lock)
    }

    const SIZES: [Parameter; 3] = [Parameter::Number(2), Parameter::Number(3), Parameter::Number(4)];

    fn full(limit: u64) -> [Method; 1] {
        [Method {
            name: "full",
            model: table,
            algorithm: Algorithm::AllEnabled,
            enabling: Enabling::Fewest,
            sleep: false,
            limit,
        }]
    }

    fn sweep(methods: &[Method], deadlocks: usize, setup: &Setup<'_>) -> Result<Swept, Failure> {
        Sweep {
            parameters: &SIZES,
            methods,
            deadlocks,
        }
        .run(setup, &mut |_| ())
    }

    #[test]
    fn a_method_is_given_up_at_its_limit() {
        let swept = sweep(&full(26), 1, &Setup::default()).unwrap();
        assert!(!swept.interrupted);
        assert_eq!(swept.series[0].points.len(), 2);
        let at = Cut {
            n: SIZES[2],
            more_than: 26,
        };
        assert_eq!(swept.series[0].cut, Some(at));
    }

    #[test]
    fn a_wrong_number_of_deadlocks_is_a_failure() {
        let failure = sweep(&full(100), 2, &Setup::default()).err().unwrap();
        assert_eq!(
            failure.to_string(),
            "full, n = 2: the search found 1 deadlocks, the system has 2"
        );
    }

    #[test]
    fn an_interrupted_sweep_keeps_what_it_has() {
        let interrupt = AtomicBool::new(false);
        let setup = Setup {
            interrupt: Some(&interrupt),
            ..Setup::default()
        };
        let swept = Sweep {
            parameters: &SIZES,
            methods: &full(100),
            deadlocks: 1,
        }
        .run(&setup, &mut |p| interrupt.store(p.n == SIZES[1], Ordering::Relaxed))
        .unwrap();
        assert!(swept.interrupted);
        assert_eq!(swept.series[0].points, [Point::new(SIZES[0], 8, 10)]);
    }
}
