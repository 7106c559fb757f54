//! Lines: states by the parameter, on a logarithmic scale.
//!
//! Several methods often give the same numbers. Such series are drawn as one line
//! with all their names beside it in the legend. Lines on top of each other would
//! hide this. The legend has a column of its own and never covers a line.

use super::{Canvas, Drawn, FONT, Look, headings, top, write};
use crate::amounts::grouped;
use mazurka_experiments::{Experiment, Parameter, Point, Series};
use plotters::prelude::*;

pub(super) const SIZE: (u32, u32) = (960, 540);
/// Where the headings end.
const TOP: i32 = 64;
/// Where the legend starts.
const LEGEND: i32 = 690;

pub(super) fn draw(canvas: &Canvas<'_>, experiment: &Experiment) -> Drawn {
    headings(canvas, experiment)?;
    let (_, body) = canvas.split_vertically(TOP);
    let (left, _) = body.split_horizontally(LEGEND - 20);

    let parameters = experiment.parameters();
    let counts = experiment
        .series
        .iter()
        .flat_map(|s| s.points.iter().filter_map(|p| p.states));
    let top = top(counts.max());
    let mut chart = ChartBuilder::on(&left)
        .margin(12)
        .x_label_area_size(52)
        .y_label_area_size(96)
        .build_cartesian_2d(-1..parameters.len() as i32, (1f64..top).log_scale())?;
    let label = |column: &i32| {
        let parameter = usize::try_from(*column).ok().and_then(|c| parameters.get(c));
        parameter.map(Parameter::to_string).unwrap_or_default()
    };
    chart
        .configure_mesh()
        .x_labels(parameters.len() + 2)
        .x_label_formatter(&label)
        .y_labels(10)
        .y_label_formatter(&|states| grouped(*states as u64))
        .x_desc(&experiment.parameter)
        .y_desc("states")
        .label_style((FONT, 15))
        .axis_desc_style((FONT, 16))
        .bold_line_style(RGBColor(225, 225, 225))
        .light_line_style(TRANSPARENT)
        .draw()?;

    let at = |p: &Point| {
        let column = parameters.iter().position(|n| *n == p.n);
        let column = column.expect("a parameter of the experiment");
        // Where the search was given up, the line leaves the plot.
        (column as i32, p.states.map_or(top, |states| states as f64))
    };
    let mut y = TOP + 28;
    for (k, line) in lines(&experiment.series).iter().enumerate() {
        let look = Look::new(k);
        let points = &line.longest.points;
        chart.draw_series(LineSeries::new(points.iter().map(at), look.stroke()))?;
        for point in points {
            let (x, y) = chart.backend_coord(&at(point));
            match point.states {
                Some(_) => look.mark(canvas, (x, y))?,
                None => {
                    let more_than = line.longest.cut.map(|cut| format!("> {}", grouped(cut.more_than)));
                    write(canvas, (x + 8, y + 4), 14, &more_than.unwrap_or_default())?;
                }
            }
        }
        y = legend(canvas, line, &look, y)?;
    }
    Ok(())
}

/// Draws the entry of a line in the legend. Returns where the next entry begins.
fn legend(canvas: &Canvas<'_>, line: &Line<'_>, look: &Look, mut y: i32) -> Result<i32, Box<dyn std::error::Error>> {
    canvas.draw(&PathElement::new(vec![(LEGEND, y), (LEGEND + 34, y)], look.stroke()))?;
    look.mark(canvas, (LEGEND + 17, y))?;
    for name in &line.names {
        write(canvas, (LEGEND + 44, y - 8), 15, name)?;
        y += 22;
    }
    Ok(y + 14)
}

/// Series that share a line.
struct Line<'a> {
    longest: &'a Series,
    names: Vec<String>,
}

/// The lines to draw. If one series begins with all points of another, they share a line.
fn lines(series: &[Series]) -> Vec<Line<'_>> {
    let mut lines: Vec<Line<'_>> = Vec::new();
    for s in series {
        let same = lines.iter_mut().find(|line| {
            let (short, long) = ordered(s, line.longest);
            !short.points.is_empty()
                && short
                    .points
                    .iter()
                    .zip(&long.points)
                    .all(|(a, b)| (a.n, a.states) == (b.n, b.states))
        });
        match same {
            Some(line) => {
                let (short, long) = ordered(s, line.longest);
                let last = short.points.last().filter(|_| short.points.len() < long.points.len());
                line.names.push(match last {
                    Some(last) if std::ptr::eq(short, s) => format!("{} (up to {})", s.name, last.n),
                    _ => s.name.clone(),
                });
                line.longest = long;
            }
            None => lines.push(Line {
                longest: s,
                names: vec![s.name.clone()],
            }),
        }
    }
    lines
}

/// The shorter one first.
fn ordered<'a>(a: &'a Series, b: &'a Series) -> (&'a Series, &'a Series) {
    if a.points.len() <= b.points.len() {
        (a, b)
    } else {
        (b, a)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn series_with_the_same_states_are_one_line() {
        let point = |n, states| Point::new(Parameter::Number(n), states, 0);
        let series = [
            Series::new("a", vec![point(1, 1), point(2, 2)]),
            Series::new("b", vec![point(1, 1), point(2, 3)]),
            Series::new("c", vec![point(1, 1), point(2, 2), point(3, 3)]),
            Series::new("d", vec![point(1, 1), point(2, 3)]),
            Series::new("e", vec![point(1, 1)]),
        ];
        let names: Vec<_> = lines(&series).into_iter().map(|l| l.names).collect();
        assert_eq!(names, [vec!["a", "c", "e (up to 1)"], vec!["b", "d"]]);
    }
}
