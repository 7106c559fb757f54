//! Which form fits better depends on the sample.
//!
//! The paper fits curves to averages of 5 to 100 runs, and finds that a polynomial fits one case better than an
//! exponential, with sums of squares 0.0155 and 0.0173. So close a result may be another one for other runs. Here
//! the runs are divided into samples, and curves are fitted to the averages of each; and curves are fitted to all
//! runs, each being a point.

use super::lines;
use crate::fit::Form::{self, Exponential, Polynomial};
use crate::result::Series;
use std::ops::RangeInclusive;

/// How many samples the runs are divided into.
const SAMPLES: usize = 10;

/// Per value of N: the transitions of the runs, in the order of the seeds.
type Runs = [(f64, Vec<u64>)];

/// For the cases in which the paper compares both forms: what the runs say.
pub(super) fn remarks(series: &[Series], runs: &[Vec<(f64, Vec<u64>)>]) -> Vec<String> {
    let both = series
        .iter()
        .zip(runs)
        .zip(lines())
        .filter(|(_, line)| line.published.len() > 1);
    both.filter_map(|((series, runs), line)| remark(series, runs, &line.fitted))
        .collect()
}

fn remark(series: &Series, runs: &Runs, fitted: &RangeInclusive<u64>) -> Option<String> {
    let range = *fitted.start() as f64..=*fitted.end() as f64;
    let runs: Vec<_> = runs.iter().filter(|(n, _)| range.contains(n)).collect();
    let count = runs.iter().map(|(_, each)| each.len()).min()?;
    let each: Vec<(f64, f64)> = (runs.iter())
        .flat_map(|(n, each)| each.iter().map(|t| (*n, *t as f64)))
        .collect();
    let squares = |form: Form| form.fit(&each)?.squares;
    let (exponential, polynomial) = (squares(Exponential)?, squares(Polynomial)?);
    let better = match polynomial < exponential {
        true => "polynomial",
        false => "exponential",
    };
    let mut text = format!(
        "Fitted to all runs rather than to averages ({}), the sums of squares are {exponential:.2} for the exponential \
         form and {polynomial:.2} for the polynomial one: the {better} form fits better",
        series.name
    );
    let size = count / SAMPLES;
    if size > 0 {
        let averages = |k: usize| -> Vec<(f64, f64)> {
            let average = |each: &[u64]| each.iter().sum::<u64>() as f64 / each.len() as f64;
            runs.iter()
                .map(|(n, each)| (*n, average(&each[k * size..(k + 1) * size])))
                .collect()
        };
        let is_polynomial = |points: &[(f64, f64)]| {
            let squares = |form: Form| form.fit(points)?.squares;
            Some(squares(Polynomial)? < squares(Exponential)?)
        };
        let polynomial = (0..SAMPLES)
            .filter(|k| is_polynomial(&averages(*k)) == Some(true))
            .count();
        text += &format!(". Of {SAMPLES} samples of {size} runs, the polynomial one fits {polynomial} better");
    }
    Some(text + ".")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(f: impl Fn(f64, f64) -> f64) -> Vec<(f64, Vec<u64>)> {
        let runs = |n: f64| (0..20).map(|k| f(n, f64::from(k)).round() as u64).collect();
        (3..=8).map(f64::from).map(|n| (n, runs(n))).collect()
    }

    #[test]
    fn the_form_of_the_runs_is_recognised() {
        let series = Series::new("both", vec![]);
        let powers = curve(|n, k| (1000.0 + k) * n.powi(2));
        let said = remark(&series, &powers, &(3..=8)).unwrap();
        assert!(said.contains("the polynomial form fits better"), "{said}");
        assert!(
            said.ends_with("Of 10 samples of 2 runs, the polynomial one fits 10 better."),
            "{said}"
        );
        let exponentials = curve(|n, k| (1000.0 + k) * n.exp());
        let said = remark(&series, &exponentials, &(3..=8)).unwrap();
        assert!(said.contains("the exponential form fits better"), "{said}");
        assert!(said.ends_with("fits 0 better."), "{said}");
    }

    #[test]
    fn few_runs_are_no_samples() {
        let few = [(3.0, vec![5, 6]), (4.0, vec![8, 9]), (5.0, vec![20, 30])];
        let said = remark(&Series::new("both", vec![]), &few, &(3..=8)).unwrap();
        assert!(!said.contains("samples"), "{said}");
        assert_eq!(remark(&Series::new("both", vec![]), &[], &(3..=8)), None);
    }
}
