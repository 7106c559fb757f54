//! Bars: transitions by level of optimisation, a published bar beside each measured one.
//!
//! The bars of a series have its colour, published ones are light; every bar has its
//! number above it, because a logarithmic axis makes differences look small.

use super::{COLOURS, Canvas, Drawn, FONT, headings, top, write};
use crate::amounts::grouped;
use mazurka_experiments::{Experiment, Parameter, Series};
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

pub(super) const SIZE: (u32, u32) = (1200, 540);
/// Where headings and legend end.
const TOP: i32 = 100;
/// The part of a group's width that is not used.
const GAP: f64 = 0.05;

pub(super) fn draw(canvas: &Canvas<'_>, experiment: &Experiment) -> Drawn {
    headings(canvas, experiment)?;
    let levels = experiment.parameters();
    let mut bars: Vec<(&Series, ShapeStyle)> = Vec::new();
    let mut x = 28;
    for (k, series) in experiment.series.iter().enumerate() {
        let colour = COLOURS[(k + 1) % COLOURS.len()];
        let published = experiment.published_of(series);
        let kinds = [
            Some((series, colour.filled(), series.name.clone())),
            published.map(|s| (s, colour.mix(0.4).filled(), "published".to_string())),
        ];
        for (series, style, name) in kinds.into_iter().flatten() {
            canvas.draw(&Rectangle::new([(x, 74), (x + 14, 88)], style))?;
            write(canvas, (x + 22, 74), 15, &name)?;
            // The width of a letter is an estimate: there are no fonts here to ask.
            x += 22 + 8 * name.len() as i32 + 24;
            bars.push((series, style));
        }
    }
    let counts = bars
        .iter()
        .flat_map(|(s, _)| s.points.iter().filter_map(|p| p.transitions));
    let top = top(counts.max());
    let (_, body) = canvas.split_vertically(TOP);
    let mut chart = ChartBuilder::on(&body)
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
            .filter_map(|(s, style)| Some((s.at(level)?.transitions?, *style)))
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
