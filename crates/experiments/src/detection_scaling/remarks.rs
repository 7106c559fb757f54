//! What the measurements of the scaling experiment show.

use super::{LARGEST, Line, fits, lines};
use crate::fit::Form::{self, Exponential, Polynomial};
use crate::level::Level;
use crate::result::{Parameter, Point, Series};

/// What the measurements show. Each sentence is written only if they do.
pub(super) fn remarks(series: &[Series], seeds: [u64; 2]) -> Vec<String> {
    let mut remarks = Vec::new();
    if series.iter().all(|s| s.points.is_empty()) {
        return remarks;
    }
    let [without, with] = seeds;
    remarks.push(if without == with {
        format!("Averages over {with} runs.")
    } else {
        format!("Averages over {without} runs without persistent sets and {with} runs with them.")
    });
    let measured: Vec<_> = (series.iter().zip(lines()))
        .filter(|(s, line)| !s.fits.is_empty() && !line.published.is_empty())
        .collect();
    let name = |s: &Series| format!("{} ({})", protocol_of(s), s.name);
    let polynomial: Vec<_> = (measured.iter())
        .filter(|(s, _)| s.best_fit().is_some_and(|f| f.form == Polynomial))
        .map(|(s, _)| name(s))
        .collect();
    if !measured.is_empty() {
        let exponential = measured.len() - polynomial.len();
        let exceptions = match &polynomial[..] {
            [] => String::new(),
            some => format!("; the polynomial one for {}", some.join(", ")),
        };
        remarks.push(format!(
            "The exponential form fits better in {exponential} of the {} published cases{exceptions}.",
            measured.len()
        ));
        let similar = measured.iter().all(|(s, line)| {
            let states = Series {
                fits: fits(&line.fitted, &s.points, |p| p.states),
                ..(*s).clone()
            };
            states.best_fit().map(|f| f.form) == s.best_fit().map(|f| f.form)
        });
        if similar {
            remarks.push("For N_S the same forms fit better as for N_T.".to_string());
        }
    }
    remarks.extend(slopes(&measured));
    if let Some(text) = unreduced(&measured) {
        remarks.push(text);
        remarks.push("was chosen with that curve in view. The other curves were not considered for it.".to_string());
    }
    remarks.extend(rare(series));
    remarks.extend(largest(series));
    remarks
}

/// How the curves compare with the largest number of processes that was measured.
fn largest(series: &[Series]) -> Vec<String> {
    let of = |level: Level| {
        let position = Level::ALL.iter().position(|l| *l == level)?;
        let series = series.get(position)?;
        Some((series, series.at(Parameter::Number(LARGEST))?.transitions?))
    };
    let (Some((both, measured)), Some((_, by_sequences))) = (of(Level::Both), of(Level::Sequences)) else {
        return vec![];
    };
    let curves: Vec<_> = (both.fits.iter())
        .map(|fit| {
            let form = match fit.form {
                Form::Linear => "linear",
                Exponential => "exponential",
                Polynomial => "polynomial",
            };
            format!("{:.0} (the {form} curve)", fit.at(LARGEST as f64))
        })
        .collect();
    let mut remarks = vec![format!(
        "Database partitioning with n = {LARGEST} and S = 50 takes {measured} transitions with persistent and sleep \
         sets, {by_sequences} by sequences."
    )];
    if !curves.is_empty() {
        remarks.push(format!(
            "The curves, continued from n = 8, would give {}.",
            curves.join(" and ")
        ));
    }
    remarks
}

/// The protocol's name alone: a family's name begins with it.
fn protocol_of(series: &Series) -> &str {
    let family = series.family.as_deref().unwrap_or_default();
    family.split(',').next().unwrap_or_default()
}

/// How far the slopes of the exponential curves are from the published ones.
fn slopes(measured: &[(&Series, &Line)]) -> Option<String> {
    let ratios: Vec<f64> = (measured.iter())
        .filter_map(|(s, line)| {
            let ours = s.fits.iter().find(|f| f.form == Exponential)?;
            let theirs = line.published.iter().find(|(form, ..)| *form == Exponential)?;
            Some(ours.a / theirs.1)
        })
        .collect();
    let least = ratios.iter().copied().reduce(f64::min)?;
    let most = ratios.iter().copied().reduce(f64::max)?;
    Some(format!(
        "The slopes of ln N_T are {least:.2} to {most:.2} times the published ones."
    ))
}

/// How near the counts without persistent sets are to the published curves.
fn unreduced(measured: &[(&Series, &Line)]) -> Option<String> {
    let ratios: Vec<f64> = (measured.iter())
        .filter(|(_, line)| line.level == Level::None)
        .flat_map(|(s, line)| {
            let curve = line.curves().next()?;
            let ratio = move |p: &Point| match p.n {
                Parameter::Number(n) => Some(p.transitions? as f64 / curve.at(n as f64)),
                _ => None,
            };
            Some(s.points.iter().filter_map(ratio).collect::<Vec<_>>())
        })
        .flatten()
        .collect();
    let least = ratios.iter().copied().reduce(f64::min)?;
    let most = ratios.iter().copied().reduce(f64::max)?;
    Some(format!(
        "Without optimisation, N_T is {least:.2} to {most:.2} times the published curve. This is partly by choice: our \
         definition of an event"
    ))
}

/// The average that depends most on a rare run, if one is more than twice the median.
fn rare(series: &[Series]) -> Option<String> {
    let strange = |s: &Series, p: &Point| {
        let (average, spread) = (p.transitions?, p.spread?);
        let excess = average as f64 / spread.median.max(1) as f64;
        (excess > 2.0).then(|| {
            let text = format!(
                "Averages depend on rare runs: {} ({}), n = {}: half of the runs take at most {} transitions, one takes {}.",
                protocol_of(s),
                s.name,
                p.n,
                spread.median,
                spread.most
            );
            (excess, text)
        })
    };
    (series.iter())
        .flat_map(|s| s.points.iter().filter_map(move |p| strange(s, p)))
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, text)| text)
}

#[cfg(test)]
mod tests {
    use super::super::EXAMPLES;
    use super::*;

    #[test]
    fn no_remark_without_measurements() {
        let nothing: Vec<_> = EXAMPLES.iter().flat_map(|e| e.series(|_| vec![])).collect();
        assert_eq!(remarks(&nothing, [20, 100]), Vec::<String>::new());
    }

    #[test]
    fn a_rare_run_is_pointed_out() {
        let mut series = Series::new("sleep", vec![Point::new(Parameter::Number(7), 10, 50)]).of("db, S = 3");
        assert_eq!(rare(std::slice::from_ref(&series)), None);
        series.points[0].spread = Some(crate::Spread {
            least: 1,
            median: 20,
            most: 900,
        });
        let text = rare(&[series]).unwrap();
        assert!(
            text.contains("db (sleep), n = 7: half of the runs take at most 20 transitions, one takes 900"),
            "{text}"
        );
    }
}
