//! How detection grows with the length of the run.
//!
//! The paper says that N_T and N_S are linear in S for N = 3 and N = 5, S from 2 to 80, at
//! all four levels and for both protocols (CAV 2000, section 6; long version, section 7):
//! the processes synchronise again and again, so that a new local state is concurrent with
//! recent ones only. It prints no figures for this.
//!
//! A line is fitted to the published range of S. The counts are called linear if the line
//! explains nearly all of their variance there (R²) and if they keep its slope in runs up
//! to four times as long, which a fit to the short ones cannot show.

use crate::detection::{Row, Searches, measure};
use crate::fit::Form;
use crate::level::Level;
use crate::protocol::Protocol;
use crate::registry::Entry;
use crate::result::{Experiment, Parameter, Point, Published, Quantity, Series};
use crate::sweep::{Failure, Progress, Setup};

/// The values of N.
const PROCESSES: [usize; 2] = [3, 5];
/// The values of S in the published range.
const SHORT: [u32; 7] = [2, 5, 10, 20, 40, 60, 80];
/// The values of S beyond it.
const LONG: [u32; 4] = [120, 160, 240, 320];
/// The part of the variance that a line must explain.
const EXPLAINED: f64 = 0.98;
/// The least ratio of the slope of long runs to that of the short ones.
const STEADY: std::ops::RangeInclusive<f64> = 0.8..=1.25;

pub(crate) fn run(
    entry: &Entry,
    setup: &Setup<'_>,
    progress: &mut dyn FnMut(Progress<'_>),
) -> Result<Experiment, Failure> {
    let seeds = if setup.quick { 5 } else { 20 };
    let lengths = if setup.quick {
        SHORT.to_vec()
    } else {
        [&SHORT[..], &LONG[..]].concat()
    };
    let mut series = Vec::new();
    let mut rows = Vec::new();
    for protocol in Protocol::ALL {
        for processes in PROCESSES {
            let first = series.len();
            let family = format!("{}, N = {processes}", protocol.name());
            series.extend(Level::ALL.map(|level| Series::new(level.name(), vec![]).of(&family)));
            rows.extend(lengths.iter().map(|&states| {
                Row {
                    n: Parameter::Number(states.into()),
                    cells: (Level::ALL.into_iter().enumerate())
                        .map(|(k, level)| {
                            let searches = Searches {
                                protocol,
                                processes,
                                states,
                                how: level.into(),
                                seeds,
                            };
                            (first + k, searches)
                        })
                        .collect(),
                }
            }));
        }
    }
    let interrupted = measure(&rows, &mut series, setup, progress)?;
    for s in &mut series {
        s.fits = Form::Linear.fit(&short(s, transitions)).into_iter().collect();
    }
    Ok(Experiment {
        name: entry.name.to_string(),
        title: entry.description.to_string(),
        parameter: "number of local states of the longest process".to_string(),
        quantity: Quantity::Transitions,
        remarks: remarks(&series, seeds),
        series,
        published: Published {
            source: entry.source.to_string(),
            claims: vec!["For N = 3 or 5 and S from 2 to 80, N_T and N_S are linear in S in all cases.".to_string()],
            series: vec![],
        },
        interrupted,
    })
}

fn transitions(point: &Point) -> Option<u64> {
    point.transitions
}

fn states(point: &Point) -> Option<u64> {
    point.states
}

fn counts(series: &Series, count: fn(&Point) -> Option<u64>) -> Vec<(f64, f64)> {
    (series.points.iter())
        .filter_map(|p| match p.n {
            Parameter::Number(n) => Some((n as f64, count(p)? as f64)),
            _ => None,
        })
        .collect()
}

/// The counts in the published range.
fn short(series: &Series, count: fn(&Point) -> Option<u64>) -> Vec<(f64, f64)> {
    let mut counts = counts(series, count);
    counts.retain(|(x, _)| *x <= longest_of_the_short());
    counts
}

/// The counts from its end on.
fn long(series: &Series, count: fn(&Point) -> Option<u64>) -> Vec<(f64, f64)> {
    let mut counts = counts(series, count);
    counts.retain(|(x, _)| *x >= longest_of_the_short());
    counts
}

fn longest_of_the_short() -> f64 {
    SHORT[SHORT.len() - 1].into()
}

/// How linear counts are.
#[derive(Clone, Copy, Debug)]
struct Linearity {
    /// R² of the line through the counts of short runs.
    explained: f64,
    /// The slope of long runs, divided by that of the short ones; where there are long runs.
    steady: Option<f64>,
}

impl Linearity {
    fn of(series: &Series, count: fn(&Point) -> Option<u64>) -> Option<Self> {
        let points = short(series, count);
        let line = Form::Linear.fit(&points)?;
        Some(Self {
            explained: line.determination(&points)?,
            steady: Form::Linear.fit(&long(series, count)).map(|l| l.a / line.a),
        })
    }

    fn holds(&self) -> bool {
        self.explained >= EXPLAINED && self.steady.is_none_or(|ratio| STEADY.contains(&ratio))
    }
}

/// What the measurements show. Each sentence is written only if they do.
fn remarks(series: &[Series], seeds: u64) -> Vec<String> {
    let mut remarks = Vec::new();
    if series.iter().all(|s| s.points.is_empty()) {
        return remarks;
    }
    remarks.push(format!(
        "Averages over {seeds} runs (seeds 0 to {}); lines are fitted to S up to {}.",
        seeds - 1,
        longest_of_the_short()
    ));
    for (name, count) in [("N_T", transitions as fn(&Point) -> Option<u64>), ("N_S", states)] {
        let judged: Vec<_> = (series.iter())
            .filter_map(|s| Some((s, Linearity::of(s, count)?)))
            .collect();
        if judged.is_empty() {
            continue;
        }
        let others: Vec<_> = (judged.iter())
            .filter(|(_, linearity)| !linearity.holds())
            .map(|(s, l)| {
                let steady = l.steady.map(|r| format!(", slope x {r:.2}")).unwrap_or_default();
                let family = s.family.as_deref().unwrap_or_default();
                format!("{family} ({}; R² {:.3}{steady})", s.name, l.explained)
            })
            .collect();
        let least = judged.iter().map(|(_, l)| l.explained).fold(1.0, f64::min);
        let ratios: Vec<_> = judged.iter().filter_map(|(_, l)| l.steady).collect();
        let slopes = match (
            ratios.iter().copied().reduce(f64::min),
            ratios.iter().copied().reduce(f64::max),
        ) {
            (Some(least), Some(most)) => {
                format!(", and the slope beyond is {least:.2} to {most:.2} times that of the line")
            }
            _ => String::new(),
        };
        let linear = judged.len() - others.len();
        let exceptions = match &others[..] {
            [] => String::new(),
            some => format!(" Not linear by this measure: {}.", some.join(", ")),
        };
        remarks.push(format!(
            "{name} is linear in S in {linear} of {} cases: R² is at least {least:.3}{slopes}.{exceptions}",
            judged.len()
        ));
    }
    remarks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::quick;

    #[test]
    fn counts_are_linear_in_the_length() {
        let experiment = quick("detection-length");
        assert_eq!(experiment.families().len(), 4);
        assert_eq!(experiment.series.len(), 24);
        for s in &experiment.series {
            assert_eq!(s.points.len(), SHORT.len());
            let linearity = Linearity::of(s, transitions).unwrap();
            assert!(linearity.explained > 0.9, "{:?} {}: {linearity:?}", s.family, s.name);
        }
    }

    fn curve(f: fn(u64) -> u64) -> Series {
        let lengths = SHORT.iter().chain(&LONG).map(|&s| u64::from(s));
        let points = lengths.map(|s| Point::new(Parameter::Number(s), 3 * s, f(s)));
        Series::new("curve", points.collect()).of("made up")
    }

    #[test]
    fn a_line_is_linear_and_a_parabola_is_not() {
        let line = Linearity::of(&curve(|s| 7 * s + 3), transitions).unwrap();
        assert!(line.holds() && line.steady.is_some_and(|r| (r - 1.0).abs() < 1e-9));
        // So weakly bent that a fit to the short runs alone would not show it.
        let bent = Linearity::of(&curve(|s| 100 * s + s * s), transitions).unwrap();
        assert!(bent.explained > EXPLAINED && !bent.holds(), "{bent:?}");
    }

    #[test]
    fn what_is_not_linear_is_named() {
        let said = remarks(&[curve(|s| 7 * s + 3), curve(|s| s * s)], 5);
        assert!(said[1].contains("1 of 2 cases") && said[1].contains("Not linear by this measure: made up (curve"));
        assert!(said[2].starts_with("N_S is linear in S in 2 of 2 cases"), "{said:?}");
        assert!(remarks(&[Series::new("none", vec![])], 5).is_empty());
    }
}
