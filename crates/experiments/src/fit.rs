//! Least-squares fits to measurements.
//!
//! The paper of Stoller, Unnikrishnan and Liu (long version, section 7) asks how the
//! number of transitions depends on the number of processes: it fits a line to ln y
//! against x (`y = e^(a x + b)`) and one to ln y against ln x (`y = x^a e^b`), and
//! prefers the one with the smaller sum of squared differences. Both differences are
//! between values of ln y, so the sums compare. The dependence on the number of states
//! is fitted by a line to y against x.

use std::fmt;

/// How y depends on x.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// `y = a x + b`.
    Linear,
    /// `ln y = a x + b`.
    Exponential,
    /// `ln y = a ln x + b`.
    Polynomial,
}

/// A curve that was fitted to points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fit {
    /// The form.
    pub form: Form,
    /// The slope of the line.
    pub a: f64,
    /// The value of the line at 0.
    pub b: f64,
    /// The sum of squared differences; `None` if the source does not give it.
    pub squares: Option<f64>,
    /// The smallest and the largest x that it was fitted to.
    pub range: (f64, f64),
}

impl Form {
    /// The curve of this form with the least squares.
    ///
    /// `None` if there is not exactly one: fewer than two different x are given, or the
    /// form needs the logarithm of a number that is not positive.
    ///
    /// ```
    /// use mazurka_experiments::Form;
    ///
    /// let fit = Form::Polynomial.fit(&[(1.0, 3.0), (2.0, 12.0), (3.0, 27.0)]).expect("positive");
    /// assert!((fit.a - 2.0).abs() < 1e-9);
    /// ```
    pub fn fit(self, points: &[(f64, f64)]) -> Option<Fit> {
        let line: Vec<_> = points
            .iter()
            .map(|&(x, y)| (self.abscissa(x), self.ordinate(y)))
            .collect();
        if line.iter().any(|(x, y)| !x.is_finite() || !y.is_finite()) {
            return None;
        }
        let n = line.len() as f64;
        let mean = |f: fn(&(f64, f64)) -> f64| line.iter().map(f).sum::<f64>() / n;
        let (mx, my) = (mean(|p| p.0), mean(|p| p.1));
        // Deviations from the means rather than sums of products: those cancel.
        let sxx: f64 = line.iter().map(|(x, _)| (x - mx).powi(2)).sum();
        let sxy: f64 = line.iter().map(|(x, y)| (x - mx) * (y - my)).sum();
        let first = line.first()?.0;
        if line.iter().all(|(x, _)| *x == first) {
            return None;
        }
        let a = sxy / sxx;
        let b = my - a * mx;
        let squares = line.iter().map(|(x, y)| (y - (a * x + b)).powi(2)).sum();
        let xs = points.iter().map(|(x, _)| *x);
        Some(Fit {
            form: self,
            a,
            b,
            squares: Some(squares),
            range: (
                xs.clone().fold(f64::INFINITY, f64::min),
                xs.fold(f64::NEG_INFINITY, f64::max),
            ),
        })
    }

    fn abscissa(self, x: f64) -> f64 {
        match self {
            Self::Linear | Self::Exponential => x,
            Self::Polynomial => x.ln(),
        }
    }

    fn ordinate(self, y: f64) -> f64 {
        match self {
            Self::Linear => y,
            Self::Exponential | Self::Polynomial => y.ln(),
        }
    }
}

impl Fit {
    /// The y of the curve at `x`.
    pub fn at(&self, x: f64) -> f64 {
        let line = self.a * self.form.abscissa(x) + self.b;
        match self.form {
            Form::Linear => line,
            Form::Exponential | Form::Polynomial => line.exp(),
        }
    }

    /// The part of the variance of the points that the line explains (R²): 1 if it goes
    /// through all of them. `None` if they do not vary.
    pub fn determination(&self, points: &[(f64, f64)]) -> Option<f64> {
        let ys: Vec<_> = points.iter().map(|(_, y)| self.form.ordinate(*y)).collect();
        let mean = ys.iter().sum::<f64>() / ys.len() as f64;
        let variance: f64 = ys.iter().map(|y| (y - mean).powi(2)).sum();
        let left: f64 = (points.iter().zip(&ys))
            .map(|((x, _), y)| (y - self.a * self.form.abscissa(*x) - self.b).powi(2))
            .sum();
        (variance > 0.0).then(|| 1.0 - left / variance)
    }
}

impl fmt::Display for Fit {
    /// The curve as a formula in n, its coefficients with three digits.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let a = digits(self.a);
        let sign = if self.b < 0.0 { '-' } else { '+' };
        let b = digits(self.b.abs());
        match self.form {
            Form::Linear => write!(f, "{a} n {sign} {b}"),
            Form::Exponential => write!(f, "e^({a} n {sign} {b})"),
            Form::Polynomial => write!(f, "n^{a} e^{}", digits(self.b)),
        }
    }
}

/// A number with three digits, and with all digits before the point if it has more.
fn digits(x: f64) -> String {
    #[expect(clippy::cast_possible_truncation, reason = "the logarithm of a number is below 400")]
    let magnitude = if x == 0.0 { 0 } else { x.abs().log10().floor() as i32 };
    let after_the_point = usize::try_from(2 - magnitude).unwrap_or(0);
    format!("{x:.after_the_point$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-9
    }

    #[test]
    fn each_form_recovers_its_own_curves() {
        let xs = [3.0, 4.0, 5.0, 6.0, 9.0];
        for form in [Form::Linear, Form::Exponential, Form::Polynomial] {
            let curve = Fit {
                form,
                a: 2.8,
                b: -2.57,
                squares: None,
                range: (3.0, 9.0),
            };
            let fit = form.fit(&xs.map(|x| (x, curve.at(x)))).unwrap();
            assert!(
                close(fit.a, curve.a) && close(fit.b, curve.b) && close(fit.squares.unwrap(), 0.0),
                "{fit:?}"
            );
            assert_eq!(fit.range, curve.range);
        }
    }

    #[test]
    fn a_line_explains_what_it_explains() {
        let explained = |points: &[(f64, f64)]| Form::Linear.fit(points).unwrap().determination(points);
        assert_eq!(explained(&[(1.0, 2.0), (2.0, 4.0), (3.0, 6.0)]), Some(1.0));
        // The best line is the mean.
        assert_eq!(explained(&[(1.0, 2.0), (2.0, 5.0), (3.0, 2.0)]), Some(0.0));
        assert_eq!(explained(&[(1.0, 2.0), (2.0, 2.0)]), None);
    }

    #[test]
    fn formulas_have_three_digits() {
        let text = |form, a, b| {
            let range = (1.0, 2.0);
            let fit = Fit {
                form,
                a,
                b,
                squares: None,
                range,
            };
            fit.to_string()
        };
        assert_eq!(text(Form::Exponential, 2.8, -2.57), "e^(2.80 n - 2.57)");
        assert_eq!(text(Form::Exponential, 0.301, 4.06), "e^(0.301 n + 4.06)");
        assert_eq!(text(Form::Polynomial, 1.54, 3.16), "n^1.54 e^3.16");
        assert_eq!(text(Form::Linear, 4389.4, -10234.6), "4389 n - 10235");
        assert_eq!(text(Form::Linear, 0.0, 12.34), "0.00 n + 12.3");
    }

    #[test]
    fn squares_are_those_of_the_logarithms() {
        // ln y is 0, 3, 0 at -1, 0, 1: the line is 1, the differences -1, 2, -1.
        let fit = Form::Exponential
            .fit(&[(-1.0, 1.0), (0.0, 3f64.exp()), (1.0, 1.0)])
            .unwrap();
        assert!(
            close(fit.a, 0.0) && close(fit.b, 1.0) && close(fit.squares.unwrap(), 6.0),
            "{fit:?}"
        );
    }

    #[test]
    fn no_neighbouring_line_is_better() {
        let points = [(1.0, 2.0), (2.0, 3.0), (4.0, 9.0), (7.0, 8.0)];
        let fit = Form::Linear.fit(&points).unwrap();
        let squares = |a: f64, b: f64| points.iter().map(|(x, y)| (y - a * x - b).powi(2)).sum::<f64>();
        assert!(close(squares(fit.a, fit.b), fit.squares.unwrap()));
        for (da, db) in [(0.01, 0.0), (-0.01, 0.0), (0.0, 0.01), (0.0, -0.01), (0.01, -0.04)] {
            assert!(squares(fit.a + da, fit.b + db) > fit.squares.unwrap());
        }
    }

    #[test]
    fn there_is_not_always_a_best_curve() {
        assert_eq!(Form::Linear.fit(&[]), None);
        assert_eq!(Form::Linear.fit(&[(1.0, 2.0), (1.0, 3.0)]), None);
        assert_eq!(Form::Exponential.fit(&[(1.0, 0.0), (2.0, 3.0)]), None);
        assert_eq!(Form::Polynomial.fit(&[(0.0, 1.0), (2.0, 3.0)]), None);
    }
}
