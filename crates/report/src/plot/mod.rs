//! Experiments as plots.
//!
//! There are three kinds, depending on what was measured: bars if the parameter is a level of
//! optimisation or a combination of methods, panels side by side if there are several families of systems, and lines
//! otherwise. In all of them, the axis of counts is logarithmic.

mod bars;
mod lines;
mod panels;

use mazurka_experiments::Experiment;
use plotters::coord::Shift;
use plotters::prelude::*;

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
    let by_level = (experiment.parameters().first()).is_some_and(|n| n.is_name());
    let families = experiment.families().iter().any(Option::is_some);
    let (size, draw): (_, fn(&Canvas<'_>, &Experiment) -> Drawn) = match (by_level, families) {
        (true, _) => (bars::size(experiment), bars::draw),
        (false, true) => (panels::size(experiment), panels::draw),
        (false, false) => (lines::SIZE, lines::draw),
    };
    let mut svg = String::new();
    {
        let canvas = SVGBackend::with_string(&mut svg, size).into_drawing_area();
        let drawn = draw(&canvas, experiment).and_then(|()| Ok(canvas.present()?));
        drawn.expect("a string takes every picture");
    }
    svg
}

type Canvas<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Drawn = Result<(), Box<dyn std::error::Error>>;

/// A white page with a title and the source.
fn headings(canvas: &Canvas<'_>, experiment: &Experiment) -> Drawn {
    canvas.fill(&WHITE)?;
    write(canvas, (28, 16), 20, &experiment.title)?;
    write(canvas, (28, 42), 14, &format!("after {}", experiment.published.source))
}

/// The next power of ten above a count, with some room.
fn top(most: Option<u64>) -> f64 {
    10f64.powf((most.unwrap_or(1) as f64 * 1.2).log10().ceil().max(1.0))
}

fn write(canvas: &Canvas<'_>, at: (i32, i32), size: u32, text: &str) -> Drawn {
    let style = (FONT, size).into_font().color(&BLACK);
    canvas.draw(&Text::new(text.to_string(), at, style))?;
    Ok(())
}

/// The look of a line.
pub(super) struct Look {
    pub(super) colour: RGBColor,
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
    pub(super) fn new(index: usize) -> Self {
        Self {
            colour: COLOURS[index % COLOURS.len()],
            shape: [Shape::Circle, Shape::Square, Shape::Triangle, Shape::Diamond][index % 4],
        }
    }

    pub(super) fn stroke(&self) -> ShapeStyle {
        self.colour.stroke_width(2)
    }

    /// A mark at a pixel, with a white edge.
    pub(super) fn mark(&self, canvas: &Canvas<'_>, (x, y): (i32, i32)) -> Drawn {
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
    use crate::sample::{averages, levels, sample};

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

    #[test]
    fn each_family_has_a_panel_and_the_legend_has_each_name_once() {
        let svg = experiment_svg(&averages());
        for text in [
            "db, S = 25",
            "ps, S = 60",
            "transitions",
            "number of processes",
            "published curve",
        ] {
            assert!(svg.contains(text), "{text}");
        }
        assert_eq!(svg.matches("none\n").count(), 1);
    }

    #[test]
    fn levels_are_bars_beside_the_published_ones() {
        let svg = experiment_svg(&levels());
        for text in [
            "325,262",
            "343,170",
            "sequences",
            "db, N = 5",
            "optimisation",
            "published",
        ] {
            assert!(svg.contains(text), "{text}");
        }
    }

    #[test]
    fn no_measurements_are_no_panels() {
        for mut experiment in [averages(), levels()] {
            experiment.series.iter_mut().for_each(|s| {
                s.points.clear();
                s.fits.clear();
            });
            assert!(experiment_svg(&experiment).contains("</svg>"));
        }
    }
}
