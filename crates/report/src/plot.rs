//! Experiments as plots: states over the parameter, on a logarithmic scale.
//!
//! Several methods often give the same numbers. Such series are drawn as one line
//! with all their names beside it in the legend; lines on top of each other would
//! hide that. The legend has a column of its own and never covers a line.

use crate::text::grouped;
use mazurka_experiments::{Experiment, Parameter, Point, Series};
use plotters::coord::Shift;
use plotters::prelude::*;

const SIZE: (u32, u32) = (960, 540);
/// Where the headings end.
const TOP: i32 = 64;
/// Where the legend starts.
const LEGEND: i32 = 690;
const FONT: &str = "sans-serif";

/// Colours that colour-blind people can tell apart (Okabe and Ito).
const COLOURS: [RGBColor; 7] = [
    RGBColor(0, 0, 0),
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
];

/// The experiment as an SVG picture.
pub fn experiment_svg(experiment: &Experiment) -> String {
    let mut svg = String::new();
    {
        let canvas = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
        draw(&canvas, experiment).expect("a string takes every picture");
    }
    svg
}

type Canvas<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Drawn = Result<(), Box<dyn std::error::Error>>;

fn draw(canvas: &Canvas<'_>, experiment: &Experiment) -> Drawn {
    canvas.fill(&WHITE)?;
    write(canvas, (28, 16), 20, &experiment.title)?;
    write(canvas, (28, 42), 14, &format!("after {}", experiment.published.source))?;
    let (_, body) = canvas.split_vertically(TOP);
    let (left, _) = body.split_horizontally(LEGEND - 20);

    let parameters = experiment.parameters();
    let counts = experiment
        .series
        .iter()
        .flat_map(|s| s.points.iter().filter_map(|p| p.states));
    let top = 10f64.powf((counts.max().unwrap_or(1) as f64 * 1.2).log10().ceil().max(1.0));
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

    let mut y = TOP + 28;
    for (k, line) in lines(&experiment.series).iter().enumerate() {
        let look = Look::new(k);
        let at = |p: &Point| {
            let column = parameters
                .iter()
                .position(|n| *n == p.n)
                .expect("a parameter of the experiment");
            // Where the search was given up the line leaves the plot.
            (column as i32, p.states.map_or(top, |states| states as f64))
        };
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
        canvas.draw(&PathElement::new(vec![(LEGEND, y), (LEGEND + 34, y)], look.stroke()))?;
        look.mark(canvas, (LEGEND + 17, y))?;
        for name in &line.names {
            write(canvas, (LEGEND + 44, y - 8), 15, name)?;
            y += 22;
        }
        y += 14;
    }
    canvas.present()?;
    Ok(())
}

fn write(canvas: &Canvas<'_>, at: (i32, i32), size: u32, text: &str) -> Drawn {
    let style = (FONT, size).into_font().color(&BLACK);
    canvas.draw(&Text::new(text.to_string(), at, style))?;
    Ok(())
}

/// Series that are one line.
struct Line<'a> {
    longest: &'a Series,
    names: Vec<String>,
}

/// The lines to draw. A series that has the states of another one as far as it
/// goes belongs to its line.
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

/// How a line looks.
struct Look {
    colour: RGBColor,
    shape: Shape,
}

#[derive(Clone, Copy)]
enum Shape {
    Circle,
    Square,
    Triangle,
    Diamond,
}

impl Look {
    fn new(index: usize) -> Self {
        Self {
            colour: COLOURS[index % COLOURS.len()],
            shape: [Shape::Circle, Shape::Square, Shape::Triangle, Shape::Diamond][index % 4],
        }
    }

    fn stroke(&self) -> ShapeStyle {
        self.colour.stroke_width(2)
    }

    /// A mark at a pixel, with a white edge.
    fn mark(&self, canvas: &Canvas<'_>, (x, y): (i32, i32)) -> Drawn {
        for (r, colour) in [(5, WHITE), (4, self.colour)] {
            let style = colour.filled();
            let corners = match self.shape {
                Shape::Circle => {
                    canvas.draw(&Circle::new((x, y), r, style))?;
                    continue;
                }
                Shape::Square => vec![(x - r, y - r), (x + r, y - r), (x + r, y + r), (x - r, y + r)],
                Shape::Triangle => vec![(x, y - r - 1), (x + r + 1, y + r), (x - r - 1, y + r)],
                Shape::Diamond => vec![(x, y - r - 1), (x + r + 1, y), (x, y + r + 1), (x - r - 1, y)],
            };
            canvas.draw(&Polygon::new(corners, style))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::sample;

    #[test]
    fn names_and_labels_are_in_the_picture() {
        let svg = experiment_svg(&sample());
        assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
        for text in [
            "full",
            "persistent (locks)",
            "A sample, full and reduced",
            "A paper, Fig. 1",
            "processes",
            "states",
            "unbounded",
            "&gt; 1,000,000",
            "100,000",
        ] {
            assert!(svg.contains(text), "{text}");
        }
        assert!(svg.contains("font-family=\"sans-serif\""));
    }

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

    #[test]
    fn nothing_measured_is_an_empty_plot() {
        let mut experiment = sample();
        experiment.series.iter_mut().for_each(|s| s.points.clear());
        assert!(experiment_svg(&experiment).contains("</svg>"));
        experiment.series.clear();
        experiment.published.series.clear();
        assert!(experiment_svg(&experiment).contains("</svg>"));
    }

    #[test]
    fn the_same_result_gives_the_same_picture() {
        assert_eq!(experiment_svg(&sample()), experiment_svg(&sample()));
    }
}
