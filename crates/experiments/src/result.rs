//! What an experiment measured, and what its source printed.

use std::fmt;

/// An experiment's result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Experiment {
    /// Its name, as in the [registry](crate::all).
    pub name: String,
    /// What it measures, in one line.
    pub title: String,
    /// What the parameter `n` counts.
    pub parameter: String,
    /// What the source shows of each search.
    pub quantity: Quantity,
    /// The measurements.
    pub series: Vec<Series>,
    /// The source's own figures, for the series that it gives figures for.
    pub published: Published,
    /// What to see in the measurements, one sentence each; checked against them.
    pub remarks: Vec<String>,
    /// Whether it was interrupted: measurements are missing.
    pub interrupted: bool,
}

/// What to show of a search; both are measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// The number of states.
    States,
    /// The numbers of states and of transitions.
    StatesAndTransitions,
}

/// The searches of one method, in the order of the parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Series {
    /// The method.
    pub name: String,
    /// What was measured.
    pub points: Vec<Point>,
    /// Where the method was given up; there are no counts from there on.
    pub cut: Option<Cut>,
}

/// One search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Point {
    /// The parameter.
    pub n: Parameter,
    /// States. `None`: published as infinite, or measured and given up ([`Series::cut`]).
    pub states: Option<u64>,
    /// Transitions; `None` as for the states.
    pub transitions: Option<u64>,
}

/// A search that was given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cut {
    /// The parameter.
    pub n: Parameter,
    /// There are more states than this.
    pub more_than: u64,
}

/// The parameter of a family of systems.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Parameter {
    /// A number: of processes, of places in a channel.
    Number(u64),
    /// No bound.
    Unbounded,
}

/// What the source printed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Published {
    /// Where.
    pub source: String,
    /// What it says, one sentence each.
    pub claims: Vec<String>,
    /// Its figures; a series has the name of the measured one that it belongs to.
    pub series: Vec<Series>,
}

impl Experiment {
    /// All parameters, in order.
    pub fn parameters(&self) -> Vec<Parameter> {
        let all = self.series.iter().chain(&self.published.series);
        let mut parameters: Vec<_> = all
            .flat_map(|s| s.points.iter().map(|p| p.n).chain(s.cut.map(|c| c.n)))
            .collect();
        parameters.sort_unstable();
        parameters.dedup();
        parameters
    }
}

impl Series {
    /// A series with these points.
    pub fn new(name: impl Into<String>, points: Vec<Point>) -> Self {
        Self {
            name: name.into(),
            points,
            cut: None,
        }
    }

    /// The measurement at `n`.
    pub fn at(&self, n: Parameter) -> Option<&Point> {
        self.points.iter().find(|p| p.n == n)
    }

    /// Whether there are counts and `states` gives each of them.
    pub(crate) fn fits(&self, states: impl Fn(u64) -> u64) -> bool {
        !self.points.is_empty()
            && self.points.iter().all(|p| match (p.n, p.states) {
                (Parameter::Number(n), Some(measured)) => measured == states(n),
                _ => true,
            })
    }
}

impl Point {
    /// A search that ended.
    pub fn new(n: Parameter, states: u64, transitions: u64) -> Self {
        Self {
            n,
            states: Some(states),
            transitions: Some(transitions),
        }
    }

    /// A state space without a count.
    pub fn uncounted(n: Parameter) -> Self {
        Self {
            n,
            states: None,
            transitions: None,
        }
    }
}

impl fmt::Display for Parameter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(n) => write!(f, "{n}"),
            Self::Unbounded => f.write_str("unbounded"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Parameter::{Number, Unbounded};

    #[test]
    fn fits_looks_at_every_count() {
        let mut squares = Series::new(
            "squares",
            vec![Point::new(Number(2), 4, 0), Point::new(Number(3), 9, 0)],
        );
        assert!(squares.fits(|n| n * n));
        squares.points.push(Point::uncounted(Unbounded));
        assert!(squares.fits(|n| n * n));
        squares.points.push(Point::new(Number(4), 17, 0));
        assert!(!squares.fits(|n| n * n));
        assert!(!Series::new("nothing", vec![]).fits(|n| n));
    }
}
