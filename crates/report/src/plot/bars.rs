//! Bars: transitions by level of optimisation, a published bar beside each measured one.
//!
//! The bars of a series have its colour, and published ones are light. Every bar has its number above it, because a
//! logarithmic axis makes differences look small.

use super::{COLOURS, Canvas, Drawn, FONT, headings, top, write};
use crate::amounts::grouped;
use mazurka_experiments::{Experiment, Parameter, Series};
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

const WIDTH: u32 = 1200;
const HEIGHT: u32 = 440;
/// Where headings and legend end.
const TOP: u32 = 100;
/// The part of a group's width that is not used.
const GAP: f64 = 0.05;

/// The height that the families need, one below the other.
pub(super) fn size(experiment: &Experiment) -> (u32, u32) {
    (WIDTH, TOP + HEIGHT * experiment.families().len().max(1) as u32)
}

pub(super) fn draw(canvas: &Canvas<'_>, experiment: &Experiment) -> Drawn {
    headings(canvas, experiment)?;
    let families = experiment.families();
    let (_, body) = canvas.split_vertically(TOP);
    for (k, (area, family)) in (body.split_evenly((families.len().max(1), 1)).iter().zip(&families)).enumerate() {
        let bars = bars(experiment, *family);
        if k == 0 {
            legend(canvas, &bars)?;
        }
        chart(canvas, area, experiment, *family, &bars)?;
    }
    Ok(())
}

/// A series, the look of its bars, and its name in the legend.
struct Bars<'a> {
    series: &'a Series,
    style: ShapeStyle,
    name: &'a str,
}

fn bars<'a>(experiment: &'a Experiment, family: Option<&str>) -> Vec<Bars<'a>> {
    let mut bars = Vec::new();
    let of = experiment.series.iter().filter(|s| s.family.as_deref() == family);
    for (k, series) in of.enumerate() {
        let colour = COLOURS[(k + 1) % COLOURS.len()];
        bars.push(Bars {
            series,
            style: colour.filled(),
            name: &series.name,
        });
        bars.extend(experiment.published_of(series).map(|published| Bars {
            series: published,
            style: colour.mix(0.4).filled(),
            name: "published",
        }));
    }
    bars
}

fn legend(canvas: &Canvas<'_>, bars: &[Bars<'_>]) -> Drawn {
    let mut x = 28;
    for Bars { style, name, .. } in bars {
        canvas.draw(&Rectangle::new([(x, 74), (x + 14, 88)], *style))?;
        write(canvas, (x + 22, 74), 15, name)?;
        // The width of a letter is an estimate, since fonts are not known here.
        x += 22 + 8 * name.len() as i32 + 24;
    }
    Ok(())
}

fn chart(
    canvas: &Canvas<'_>,
    area: &Canvas<'_>,
    experiment: &Experiment,
    family: Option<&str>,
    bars: &[Bars<'_>],
) -> Drawn {
    let levels = experiment.parameters_of(family);
    let counts = bars
        .iter()
        .flat_map(|b| b.series.points.iter().filter_map(|p| p.transitions));
    let top = top(counts.max());
    let mut builder = ChartBuilder::on(area);
    if let Some(family) = family {
        builder.caption(family, (FONT, 15));
    }
    let mut chart = builder
        .margin(12)
        .x_label_area_size(52)
        .y_label_area_size(96)
        .build_cartesian_2d(0f64..levels.len().max(1) as f64, (1f64..top).log_scale())?;
    chart
        .configure_mesh()
        .disable_x_mesh()
        .x_labels(0)
        .y_labels(10)
        .y_label_formatter(&|count| grouped(*count as u64))
        .x_desc(&experiment.parameter)
        .y_desc("transitions")
        .label_style((FONT, 15))
        .axis_desc_style((FONT, 16))
        .bold_line_style(RGBColor(225, 225, 225))
        .light_line_style(TRANSPARENT)
        .draw()?;
    let centred = (FONT, 11).into_font().color(&BLACK);
    let centred = centred.pos(Pos::new(HPos::Center, VPos::Bottom));
    let named = (FONT, 15).into_font().color(&BLACK);
    let named = named.pos(Pos::new(HPos::Center, VPos::Top));
    for (group, &level) in levels.iter().enumerate() {
        let (x, y) = chart.backend_coord(&(group as f64 + 0.5, 1.0));
        canvas.draw(&Text::new(Parameter::to_string(&level), (x, y + 8), named.clone()))?;
        // A level without a published figure does not leave its place empty.
        let here: Vec<_> = (bars.iter())
            .filter_map(|b| Some((b.series.at(level)?.transitions?, b.style)))
            .collect();
        let width = (1.0 - GAP) / bars.len().max(1) as f64;
        let start = group as f64 + 0.5 - width * here.len() as f64 / 2.0;
        for (k, (count, style)) in here.into_iter().enumerate() {
            let left = start + width * k as f64;
            let corners = [(left + 0.01, 1.0), (left + width - 0.01, (count as f64).max(1.0))];
            let [a, b] = corners.map(|at| chart.backend_coord(&at));
            canvas.draw(&Rectangle::new([a, b], style))?;
            let above = ((a.0 + b.0) / 2, b.1 - 3);
            canvas.draw(&Text::new(grouped(count), above, centred.clone()))?;
        }
    }
    Ok(())
}
