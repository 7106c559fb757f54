//! Panels: transitions by the parameter, a panel for each family of systems.
//!
//! Both axes are logarithmic. Every polynomial of one term is a straight line, and what grows faster bends upwards. A
//! measured average is a mark with a faint bar from the least to the greatest count. The best fitted curve is a line,
//! thin outside the range that it was fitted to. The published curve is dashed. Single searches without a curve are
//! joined by a line. A series has the same colour in every panel.

use super::{Canvas, Drawn, FONT, Look, headings, top, write};
use crate::amounts::grouped;
use mazurka_experiments::{Experiment, Fit, Parameter, Point, Quantity, Series};
use plotters::coord::combinators::BindKeyPoints;
use plotters::coord::ranged1d::Ranged;
use plotters::prelude::*;

const WIDTH: u32 = 1100;
const HEIGHT: u32 = 400;
/// Where headings and legend end.
const TOP: u32 = 128;
const COLUMNS: usize = 2;
/// A digit of a label of the horizontal axis is about this many pixels wide, as is the space
/// between two labels.
const DIGIT: f64 = 8.0;

/// The height that the panels need.
pub(super) fn size(experiment: &Experiment) -> (u32, u32) {
    let rows = experiment.families().len().div_ceil(COLUMNS) as u32;
    (WIDTH, TOP + rows * HEIGHT + 8)
}

pub(super) fn draw(canvas: &Canvas<'_>, experiment: &Experiment) -> Drawn {
    headings(canvas, experiment)?;
    let mut names: Vec<&str> = Vec::new();
    for series in &experiment.series {
        if !names.contains(&&*series.name) {
            names.push(&series.name);
        }
    }
    legend(canvas, experiment, &names)?;
    let families = experiment.families();
    let (_, body) = canvas.split_vertically(TOP);
    let rows = families.len().div_ceil(COLUMNS).max(1);
    for (area, family) in body.split_evenly((rows, COLUMNS)).iter().zip(families) {
        panel(canvas, area, experiment, family, &names)?;
    }
    Ok(())
}

/// A line with the names, and below it what the kinds of lines mean.
fn legend(canvas: &Canvas<'_>, experiment: &Experiment, names: &[&str]) -> Drawn {
    let (mut x, mut y) = (28, 80);
    for (k, name) in names.iter().enumerate() {
        // What does not fit goes beside the second line.
        if x + 42 + 8 * name.len() as i32 > 1090 && y < 100 {
            (x, y) = (620, 106);
        }
        let look = Look::new(k);
        canvas.draw(&PathElement::new(vec![(x, y), (x + 34, y)], look.stroke()))?;
        look.mark(canvas, (x + 17, y))?;
        write(canvas, (x + 42, y - 8), 15, name)?;
        // The width of a letter is an estimate, since fonts are not known here.
        x += 42 + 8 * name.len() as i32 + 26;
    }
    let (mut x, y) = (28, 106);
    let grey = RGBColor(90, 90, 90);
    let mut entry = |text: &str, element: &dyn Fn(i32) -> Drawn| -> Drawn {
        element(x)?;
        write(canvas, (x + 42, y - 7), 13, text)?;
        x += 42 + 7 * text.len() as i32 + 20;
        Ok(())
    };
    let spreads = (experiment.series.iter().flat_map(|s| &s.points)).any(|p| p.spread.is_some());
    let what = if spreads { "average" } else { "measured" };
    entry(what, &|x| Look::new(0).mark(canvas, (x + 17, y)))?;
    if spreads {
        entry("least to greatest", &|x| {
            let bar = vec![(x + 17, y - 9), (x + 17, y + 9)];
            Ok(canvas.draw(&PathElement::new(bar, grey.mix(0.4).stroke_width(3)))?)
        })?;
    }
    if experiment.series.iter().any(|s| !s.fits.is_empty()) {
        entry("fitted curve, thin beyond its range", &|x| {
            canvas.draw(&PathElement::new(vec![(x, y), (x + 20, y)], grey.stroke_width(2)))?;
            Ok(canvas.draw(&PathElement::new(vec![(x + 20, y), (x + 34, y)], grey.stroke_width(1)))?)
        })?;
    }
    if experiment.published.series.iter().any(|s| !s.fits.is_empty()) {
        entry("published curve", &|x| {
            for dash in 0..3 {
                let at = x + 12 * dash;
                canvas.draw(&PathElement::new(vec![(at, y), (at + 8, y)], grey.stroke_width(2)))?;
            }
            Ok(())
        })?;
    }
    Ok(())
}

/// The measurements of a family of systems.
fn panel(
    canvas: &Canvas<'_>,
    area: &Canvas<'_>,
    experiment: &Experiment,
    family: Option<&str>,
    names: &[&str],
) -> Drawn {
    let series: Vec<_> = (experiment.series.iter())
        .filter(|s| s.family.as_deref() == family)
        .collect();
    let xs: Vec<f64> = experiment
        .parameters_of(family)
        .into_iter()
        .filter_map(number)
        .collect();
    let (Some(&first), Some(&last)) = (xs.first(), xs.last()) else {
        return Ok(());
    };
    let (from, to) = (first / 1.12, last * 1.12);
    let points = || series.iter().flat_map(|s| &s.points);
    let top = top(points()
        .filter_map(|p| p.spread.map(|s| s.most).or(count(experiment, p)))
        .max());
    let (width, _) = area.dim_in_pixel();
    let labels = labels(&xs, f64::from(width - 130) / (to / from).ln());
    let mut chart = ChartBuilder::on(area)
        .margin(12)
        .caption(family.unwrap_or_default(), (FONT, 15))
        .x_label_area_size(48)
        .y_label_area_size(92)
        .build_cartesian_2d((from..to).log_scale().with_key_points(labels), (1f64..top).log_scale())?;
    chart
        .configure_mesh()
        .x_label_formatter(&|x| format!("{x:.0}"))
        .y_labels(10)
        .y_label_formatter(&|count| grouped(*count as u64))
        .x_desc(&experiment.parameter)
        .y_desc(match experiment.quantity {
            Quantity::States => "states",
            _ => "transitions",
        })
        .label_style((FONT, 13))
        .axis_desc_style((FONT, 14))
        .bold_line_style(RGBColor(225, 225, 225))
        .light_line_style(TRANSPARENT)
        .draw()?;
    let look = |s: &Series| Look::new(names.iter().position(|n| *n == s.name).unwrap_or_default());
    for s in &series {
        draw_spreads(&mut chart, s, &look(s))?;
        draw_curves(&mut chart, s, experiment.published_of(s), &look(s), top)?;
    }
    for s in &series {
        draw_line(&mut chart, experiment, s, &look(s), top)?;
    }
    for s in &series {
        for at in measured(experiment, s, top) {
            look(s).mark(canvas, chart.backend_coord(&at))?;
        }
    }
    Ok(())
}

/// The parameters that are labels of the horizontal axis: those for which there is room, if a factor of e takes this
/// many pixels.
fn labels(xs: &[f64], scale: f64) -> Vec<f64> {
    let mut labels: Vec<f64> = Vec::new();
    for &x in xs {
        let apart = DIGIT * (format!("{x:.0}").len() + 1) as f64;
        if labels.last().is_none_or(|before| (x / before).ln() * scale >= apart) {
            labels.push(x);
        }
    }
    labels
}

/// A chart whose axes are numbers.
type Chart<'a, 'b, X, Y> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<X, Y>>;

/// At each parameter, a bar from the least to the greatest count.
fn draw_spreads<X, Y>(chart: &mut Chart<'_, '_, X, Y>, series: &Series, look: &Look) -> Drawn
where
    X: Ranged<ValueType = f64>,
    Y: Ranged<ValueType = f64>,
{
    for p in &series.points {
        if let (Some(x), Some(spread)) = (number(p.n), p.spread) {
            let bar = [spread.least, spread.most].map(|y| (x, (y as f64).max(1.0)));
            chart.draw_series(LineSeries::new(bar, look.colour.mix(0.3).stroke_width(3)))?;
        }
    }
    Ok(())
}

/// The fitted curve and the published one, as far as they are visible.
fn draw_curves<X, Y>(
    chart: &mut Chart<'_, '_, X, Y>,
    series: &Series,
    published: Option<&Series>,
    look: &Look,
    top: f64,
) -> Drawn
where
    X: Ranged<ValueType = f64>,
    Y: Ranged<ValueType = f64>,
{
    if let Some(fit) = series.best_fit() {
        let end = series.points.last().and_then(|p| number(p.n)).unwrap_or(fit.range.1);
        for (from, to, stroke) in [(fit.range.0, fit.range.1, 2), (fit.range.1, end, 1)] {
            let curve = curve(fit, from, to).filter(|(_, y)| is_visible(*y, top));
            chart.draw_series(LineSeries::new(curve, look.colour.stroke_width(stroke)))?;
        }
    }
    if let Some(fit) = published.and_then(Series::best_fit) {
        let curve: Vec<_> = curve(fit, fit.range.0, fit.range.1)
            .filter(|(_, y)| is_visible(*y, top))
            .collect();
        let dashes = DashedLineSeries::new(curve, 7, 5, look.colour.stroke_width(2));
        chart.draw_series(dashes)?;
    }
    Ok(())
}

/// A line through single searches, which have no curve.
fn draw_line<X, Y>(
    chart: &mut Chart<'_, '_, X, Y>,
    experiment: &Experiment,
    series: &Series,
    look: &Look,
    top: f64,
) -> Drawn
where
    X: Ranged<ValueType = f64>,
    Y: Ranged<ValueType = f64>,
{
    if series.fits.is_empty() && series.points.iter().all(|p| p.spread.is_none()) {
        chart.draw_series(LineSeries::new(measured(experiment, series, top), look.stroke()))?;
    }
    Ok(())
}

/// The measurements that are visible.
fn measured(experiment: &Experiment, series: &Series, top: f64) -> impl Iterator<Item = (f64, f64)> {
    let points = series.points.iter();
    let points = points.filter_map(|p| Some((number(p.n)?, count(experiment, p)? as f64)));
    points.filter(move |(_, y)| is_visible(*y, top))
}

/// What the table shows first of a search.
fn count(experiment: &Experiment, point: &Point) -> Option<u64> {
    match experiment.quantity {
        Quantity::States => point.states,
        _ => point.transitions,
    }
}

fn is_visible(y: f64, top: f64) -> bool {
    (1.0..=top).contains(&y)
}

/// Points of a curve, at even distances on a logarithmic axis.
fn curve(fit: &Fit, from: f64, to: f64) -> impl Iterator<Item = (f64, f64)> {
    const STEPS: u32 = 24;
    let fit = *fit;
    (0..=STEPS).map(move |k| {
        let x = from * (to / from).powf(f64::from(k) / f64::from(STEPS));
        (x, fit.at(x))
    })
}

fn number(n: Parameter) -> Option<f64> {
    match n {
        Parameter::Number(n) => Some(n as f64),
        _ => None,
    }
}
