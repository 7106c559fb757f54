//! What an experiment measured, and what its source printed.
//!
//! The types are exhaustive: this crate serves the command and is no stable interface, and tests of reports write whole
//! results down.

use crate::combination::Combination;
use crate::fit::Fit;
use crate::level::Level;
use std::cmp::Ordering;
use std::fmt;
use std::time::Duration;

/// The result of an experiment.
#[derive(Clone, Debug, PartialEq)]
pub struct Experiment {
    /// Its name, as in the [registry](crate::all).
    pub name: String,
    /// What it measures, in one line.
    pub title: String,
    /// What the parameter `n` counts.
    pub parameter: String,
    /// What the source shows for each search.
    pub quantity: Quantity,
    /// The measurements.
    pub series: Vec<Series>,
    /// The source's own figures, for the series that it gives figures for.
    pub published: Published,
    /// What the measurements show, one sentence each; checked against them.
    pub remarks: Vec<String>,
    /// Whether it was interrupted, so that measurements are missing.
    pub interrupted: bool,
}

/// Which counts of a search to show; both are always measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// The number of states.
    States,
    /// The numbers of states and of transitions.
    StatesAndTransitions,
    /// The number of transitions.
    Transitions,
    /// The numbers of transitions and of states.
    TransitionsAndStates,
}

/// The searches of one method, in the order of the parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// The method.
    pub name: String,
    /// The family of systems, where an experiment has several.
    pub family: Option<String>,
    /// What was measured.
    pub points: Vec<Point>,
    /// Where the method was given up; there are no counts from there on.
    pub cut: Option<Cut>,
    /// Curves through the numbers of transitions.
    pub fits: Vec<Fit>,
}

/// One search, or the averages of several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Point {
    /// The parameter.
    pub n: Parameter,
    /// The number of states; `None` if it is published as infinite, or was given up ([`Series::cut`]).
    pub states: Option<u64>,
    /// The number of transitions; `None` as for the states.
    pub transitions: Option<u64>,
    /// For an average: the spread of the numbers of transitions.
    pub spread: Option<Spread>,
    /// For a search with a cache: the counts of the cache.
    pub cached: Option<Cached>,
    /// How long the search took, where the source has times. They depend on the machine.
    pub time: Option<Duration>,
}

/// The counts of a search with a cache, which may forget states (thesis 8.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cached {
    /// The number of states stored at the end.
    pub stored: u64,
    /// How often a state was forgotten.
    pub cleared: u64,
    /// The number of transitions that led to a stored state.
    pub matched: u64,
}

/// The spread of the numbers of transitions of several searches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spread {
    /// The smallest.
    pub least: u64,
    /// At least half of the searches need no more.
    pub median: u64,
    /// The largest.
    pub most: u64,
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
///
/// ```
/// use mazurka_experiments::{Level, Parameter};
/// assert_eq!(Parameter::Number(3).to_string(), "3");
/// assert_eq!(Parameter::Level(Level::Both).to_string(), "persistent+sleep");
/// assert!(Parameter::Number(9) < Parameter::Unbounded);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Parameter {
    /// A number: of processes, of places in a channel.
    Number(u64),
    /// No bound.
    Unbounded,
    /// What a search for bad global states leaves out.
    Level(Level),
    /// Which partial-order methods a search of a model uses.
    Combination(Combination),
}

/// What the source printed.
#[derive(Clone, Debug, PartialEq)]
pub struct Published {
    /// Where it was published.
    pub source: String,
    /// What it says, one sentence each.
    pub claims: Vec<String>,
    /// Its figures; a series has the same name as the measured one.
    pub series: Vec<Series>,
}

impl Experiment {
    /// All parameters, in order.
    pub fn parameters(&self) -> Vec<Parameter> {
        let all = self.series.iter().chain(&self.published.series);
        in_order(all.flat_map(Series::parameters))
    }

    /// The parameters of a family, in order.
    pub fn parameters_of(&self, family: Option<&str>) -> Vec<Parameter> {
        let all = self.series.iter().chain(&self.published.series);
        in_order(
            all.filter(|s| s.family.as_deref() == family)
                .flat_map(Series::parameters),
        )
    }

    /// The families of systems, in the order of the series; `None` where there is just one.
    pub fn families(&self) -> Vec<Option<&str>> {
        let mut families = Vec::new();
        for family in self.series.iter().map(|s| s.family.as_deref()) {
            if !families.contains(&family) {
                families.push(family);
            }
        }
        families
    }

    /// What the source printed for a series.
    pub fn published_of(&self, series: &Series) -> Option<&Series> {
        (self.published.series.iter()).find(|s| s.name == series.name && s.family == series.family)
    }
}

fn in_order(parameters: impl Iterator<Item = Parameter>) -> Vec<Parameter> {
    let mut parameters: Vec<_> = parameters.collect();
    parameters.sort_unstable();
    parameters.dedup();
    parameters
}

impl Series {
    /// A series with these points.
    ///
    /// ```
    /// use mazurka_experiments::{Parameter, Point, Series};
    /// let series = Series::new("full", vec![Point::new(Parameter::Number(2), 8, 10)]).of("forks");
    /// assert_eq!(series.at(Parameter::Number(2)).and_then(|point| point.states), Some(8));
    /// ```
    pub fn new(name: impl Into<String>, points: Vec<Point>) -> Self {
        Self {
            name: name.into(),
            family: None,
            points,
            cut: None,
            fits: Vec::new(),
        }
    }

    /// The same series, for a family of systems.
    pub fn of(self, family: impl Into<String>) -> Self {
        Self {
            family: Some(family.into()),
            ..self
        }
    }

    /// The curve with the least sum of squares; the first one if these are not known.
    pub fn best_fit(&self) -> Option<&Fit> {
        let known = self.fits.iter().filter(|f| f.squares.is_some());
        known
            .min_by(|a, b| a.squares.partial_cmp(&b.squares).unwrap_or(Ordering::Equal))
            .or(self.fits.first())
    }

    fn parameters(&self) -> impl Iterator<Item = Parameter> {
        self.points.iter().map(|p| p.n).chain(self.cut.map(|c| c.n))
    }

    /// The measurement at `n`.
    pub fn at(&self, n: Parameter) -> Option<&Point> {
        self.points.iter().find(|p| p.n == n)
    }

    /// Whether there are counts and each is what `states` gives.
    pub(crate) fn fits(&self, states: impl Fn(u64) -> u64) -> bool {
        !self.points.is_empty()
            && self.points.iter().all(|p| match (p.n, p.states) {
                (Parameter::Number(n), Some(measured)) => measured == states(n),
                _ => true,
            })
    }
}

impl Point {
    /// The counts of a search that was complete.
    pub fn new(n: Parameter, states: u64, transitions: u64) -> Self {
        Self {
            n,
            states: Some(states),
            transitions: Some(transitions),
            spread: None,
            cached: None,
            time: None,
        }
    }

    /// The same search, with its time.
    #[must_use]
    pub fn in_time(self, time: Duration) -> Self {
        Self {
            time: Some(time),
            ..self
        }
    }

    /// A state space without a count.
    pub fn uncounted(n: Parameter) -> Self {
        Self {
            n,
            states: None,
            transitions: None,
            spread: None,
            cached: None,
            time: None,
        }
    }
}

impl Parameter {
    /// Whether it is a name rather than a quantity.
    pub fn is_name(self) -> bool {
        matches!(self, Self::Level(_) | Self::Combination(_))
    }
}

impl fmt::Display for Parameter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(n) => write!(f, "{n}"),
            Self::Unbounded => f.write_str("unbounded"),
            Self::Level(level) => f.write_str(level.name()),
            Self::Combination(combination) => f.write_str(combination.name()),
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

    #[test]
    fn the_best_fit_has_the_least_squares() {
        let fit = |a, squares| Fit {
            form: crate::Form::Linear,
            a,
            b: 0.0,
            squares,
            range: (1.0, 2.0),
        };
        let best = |fits: &[Fit]| {
            let mut series = Series::new("any", vec![]);
            series.fits = fits.to_vec();
            series.best_fit().map(|f| f.a)
        };
        assert_eq!(best(&[fit(1.0, Some(0.3)), fit(2.0, Some(0.2))]), Some(2.0));
        assert_eq!(best(&[fit(1.0, None), fit(2.0, None)]), Some(1.0));
        assert_eq!(best(&[]), None);
    }
}
