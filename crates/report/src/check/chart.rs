//! A counterexample as a message sequence chart: the layout.
//!
//! Each process is a vertical line. Each step is a box on the line of its process, below
//! the previous step. A message is an arrow from the step that sends it down to the
//! step that receives it. A rendezvous is one row with a box on both lines and a level
//! arrow between them. The middle of a very long counterexample is omitted, and a row
//! says so.

use super::{CheckedModel, lanes, partner_name, place, process_name, steps};
use crate::amounts::counted;
use crate::line::{one_line, shortened, width};
use crate::page::visible;
use mazurka_promela::verify::{ExchangeKind, ShownStep, StepId, Violation};
use std::iter;
use std::ops::Range;

/// If there are more steps than this, the middle is omitted.
const MOST: usize = 4000;

/// Sizes in pixels: a character, the space between boxes on neighbouring lines, the rows.
const CHARACTER: f64 = 6.65;
const GAP: f64 = 64.0;
const MARGIN: f64 = 84.0;
const LINE: f64 = 15.0;
const PAD: f64 = 5.0;
const BETWEEN: f64 = 12.0;
/// Characters in a box.
const LEAST: usize = 12;
const WIDEST: usize = 34;
/// Characters beside an arrow.
const LABEL: usize = 8;

/// The chart.
pub(super) struct Chart {
    pub(super) width: f64,
    pub(super) height: f64,
    pub(super) lanes: Vec<Lane>,
    pub(super) boxes: Vec<StepBox>,
    pub(super) arrows: Vec<Arrow>,
    pub(super) gaps: Vec<GapRow>,
    pub(super) cycle: Option<Cycle>,
    /// What is wrong, below the last step.
    pub(super) end: EndRow,
    /// The steps that have a row.
    pub(super) held: Vec<Range<usize>>,
}

/// The line of a process.
pub(super) struct Lane {
    pub(super) name: String,
    pub(super) x: f64,
    /// The name, shortened to the room that there is.
    pub(super) short: String,
    pub(super) left: f64,
    pub(super) width: f64,
}

/// A step on the line of a process.
pub(super) struct StepBox {
    pub(super) step: StepId,
    /// Its number and its line, for the first box of the row.
    pub(super) number: Option<(usize, u32)>,
    pub(super) tone: &'static str,
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) width: f64,
    pub(super) height: f64,
    pub(super) title: String,
    pub(super) lines: Vec<TextLine>,
}

/// A line in a box.
pub(super) struct TextLine {
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) class: &'static str,
    pub(super) text: String,
}

/// A message.
pub(super) struct Arrow {
    pub(super) path: String,
    /// The steps at its ends.
    pub(super) from: StepId,
    pub(super) to: StepId,
    pub(super) class: &'static str,
    pub(super) label: String,
    pub(super) label_x: f64,
    pub(super) label_y: f64,
    pub(super) anchor: &'static str,
}

/// A row for steps that are omitted.
pub(super) struct GapRow {
    pub(super) y: f64,
    pub(super) text: String,
}

/// The bracket around the steps that are repeated.
pub(super) struct Cycle {
    pub(super) path: String,
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) text: &'static str,
}

/// What is wrong.
pub(super) struct EndRow {
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) text: String,
}

/// A row of the chart.
struct RowPlace {
    y: f64,
    height: f64,
}

/// The steps that have a row: all, or the first and the last.
pub(super) fn held(steps: usize, most: usize) -> Vec<Range<usize>> {
    match steps <= most {
        true => iter::once(0..steps).collect(),
        false => vec![0..most / 2, steps - most / 2..steps],
    }
}

impl Chart {
    pub(super) fn of(view: &CheckedModel<'_>, violation: &Violation) -> Self {
        Self::with(view, violation, MOST)
    }

    fn with(view: &CheckedModel<'_>, violation: &Violation, most: usize) -> Self {
        let held = held(violation.steps.len(), most);
        let held_steps = || held.iter().cloned().flatten();
        let (lanes, of_step, of_partner) = columns(violation, held_steps());
        let chart_width = lanes.last().map_or(MARGIN, |lane| lane.left + lane.width) + GAP;
        let mut places: Vec<Option<RowPlace>> = violation.steps.iter().map(|_| None).collect();
        let (mut boxes, mut gaps, mut y) = (Vec::new(), Vec::new(), BETWEEN);
        for (k, range) in held.iter().enumerate() {
            if k > 0 {
                let left_out = (range.start - held[k - 1].end) as u64;
                let text = format!("{} left out", counted(left_out, "step is", "steps are"));
                gaps.push(GapRow { y: y + LINE, text });
                y += 2.0 * LINE + BETWEEN;
            }
            for step in range.clone() {
                let id = StepId::new(step);
                let made = step_box(view, violation, id, &lanes[of_step[step]], y);
                let height = made.height;
                boxes.push(made);
                if let Some(lane) = of_partner[step] {
                    boxes.push(partner_box(violation, id, &lanes[lane], y, height));
                }
                places[step] = Some(RowPlace { y, height });
                y += height + BETWEEN;
            }
        }
        let arrows = arrows(violation, &lanes, &of_step, &of_partner, &places);
        let cycle = cycle(violation, &places, y);
        let end = EndRow {
            x: MARGIN,
            y: y + 2.0,
            text: visible(&violation.message),
        };
        let height = y + 2.0 * LINE + BETWEEN + if cycle.is_some() { LINE } else { 0.0 };
        Self {
            width: chart_width,
            height,
            lanes,
            boxes,
            arrows,
            gaps,
            cycle,
            end,
            held,
        }
    }
}

/// The lines of the processes, and for each step the lines of the step and of its receiver.
fn columns(violation: &Violation, held: impl Iterator<Item = usize>) -> (Vec<Lane>, Vec<usize>, Vec<Option<usize>>) {
    let of_step = lanes(violation.steps.iter().map(process_name));
    let mut names: Vec<String> = Vec::new();
    for (step, lane) in violation.steps.iter().zip(&of_step) {
        if *lane == names.len() {
            names.push(process_name(step));
        }
    }
    let partner = |(id, step): (StepId, &ShownStep)| {
        let pid = step.exchange.as_ref()?.partner?;
        let name = partner_name(violation, pid, id);
        let known = names.iter().position(|other| *other == name);
        Some(known.unwrap_or_else(|| {
            names.push(name);
            names.len() - 1
        }))
    };
    let of_partner: Vec<Option<usize>> = violation.numbered_steps().map(partner).collect();
    let mut widths: Vec<usize> = names.iter().map(|name| width(name).clamp(LEAST, WIDEST)).collect();
    for k in held {
        let lines = box_lines(&violation.steps[k]);
        let wide = lines.iter().map(|(_, text)| width(text)).max().unwrap_or(0).min(WIDEST);
        widths[of_step[k]] = widths[of_step[k]].max(wide);
        if let Some(lane) = of_partner[k] {
            widths[lane] = widths[lane].max(width(&partner_line(&violation.steps[k])).min(WIDEST));
        }
    }
    let mut left = MARGIN;
    let lane = |(name, wide): (String, usize)| {
        let lane = Lane {
            x: left + pixels(wide) / 2.0,
            short: shortened(&one_line(&name), wide),
            name: visible(&name),
            left,
            width: pixels(wide),
        };
        left += lane.width + GAP;
        lane
    };
    (names.into_iter().zip(widths).map(lane).collect(), of_step, of_partner)
}

fn pixels(characters: usize) -> f64 {
    characters as f64 * CHARACTER + 2.0 * PAD
}

/// The text in the box of a step: the statement, what it prints, what it assigns.
fn box_lines(step: &ShownStep) -> Vec<(&'static str, String)> {
    let mut lines = vec![("statement", one_line(&step.statement))];
    if !step.printed.is_empty() {
        lines.push(("printed", format!("“{}”", one_line(&step.printed))));
    }
    let changes = steps::changes(step).map(|change| ("change", change));
    match step.changes.len() {
        n if n <= 3 => lines.extend(changes),
        n => {
            lines.extend(changes.take(2));
            lines.push(("change", format!("and {} more", n - 2)));
        }
    }
    lines
}

fn partner_line(step: &ShownStep) -> String {
    let exchange = step.exchange.as_ref();
    exchange.map_or_else(String::new, |e| one_line(&format!("{}?{}", e.channel, e.message)))
}

fn step_box(view: &CheckedModel<'_>, violation: &Violation, id: StepId, lane: &Lane, y: f64) -> StepBox {
    let step = violation.step(id);
    let lines = box_lines(step);
    let effects = steps::effects(violation, id);
    let title = format!(
        "{} {}\n{}\n{effects}",
        process_name(step),
        place(view.sources, step.span),
        step.statement
    );
    StepBox {
        step: id,
        number: Some((id.number(), view.sources.place(step.span).line)),
        tone: match step.exchange.as_ref().map(|e| e.kind) {
            None => "local",
            Some(ExchangeKind::Send | ExchangeKind::Rendezvous) => "sends",
            Some(ExchangeKind::Receive | ExchangeKind::Copy) => "receives",
        },
        x: lane.left,
        y,
        width: lane.width,
        height: 2.0 * PAD + LINE * lines.len() as f64,
        title: visible(title.trim_end()),
        lines: text_lines(lines, lane, y),
    }
}

fn partner_box(violation: &Violation, id: StepId, lane: &Lane, y: f64, height: f64) -> StepBox {
    let line = partner_line(violation.step(id));
    StepBox {
        step: id,
        number: None,
        tone: "receives",
        x: lane.left,
        y,
        width: lane.width,
        height: (2.0 * PAD + LINE).min(height),
        title: line.clone(),
        lines: text_lines(vec![("statement", line)], lane, y),
    }
}

fn text_lines(lines: Vec<(&'static str, String)>, lane: &Lane, y: f64) -> Vec<TextLine> {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "characters that fit a lane of some hundred pixels"
    )]
    let room = ((lane.width - 2.0 * PAD) / CHARACTER).round() as usize;
    let line = |(k, (class, text)): (usize, (&'static str, String))| TextLine {
        x: lane.left + PAD,
        y: y + PAD + LINE * (k as f64 + 0.76),
        class,
        text: shortened(&text, room),
    };
    lines.into_iter().enumerate().map(line).collect()
}

/// The arrows of the messages. A message that is not received on the chart has a short arrow.
fn arrows(
    violation: &Violation,
    lanes: &[Lane],
    of_step: &[usize],
    of_partner: &[Option<usize>],
    places: &[Option<RowPlace>],
) -> Vec<Arrow> {
    let mut arrows = Vec::new();
    let mut received = vec![false; places.len()];
    let middle = |id: StepId| middle(places[id.index()].as_ref());
    let lane = |id: StepId| &lanes[of_step[id.index()]];
    for (id, step) in violation.numbered_steps() {
        let (Some(exchange), Some(y)) = (&step.exchange, middle(id)) else {
            continue;
        };
        let label = shortened(&one_line(&exchange.message), LABEL);
        if let Some(to) = of_partner[id.index()] {
            arrows.push(arrow((id, lane(id), y), (id, &lanes[to], y), "rendezvous", label));
            received[id.index()] = true;
            continue;
        }
        let Some(sender) = exchange.sent_by.filter(|by| *by < id) else {
            continue;
        };
        let Some(from) = middle(sender) else {
            continue;
        };
        received[sender.index()] = true;
        let class = match exchange.kind {
            ExchangeKind::Copy => "copy",
            _ => "message",
        };
        arrows.push(arrow((sender, lane(sender), from), (id, lane(id), y), class, label));
    }
    for (id, step) in violation.numbered_steps() {
        let sends = step.exchange.as_ref().filter(|e| e.kind == ExchangeKind::Send);
        if let (Some(exchange), Some(y), false) = (sends, middle(id), received[id.index()]) {
            arrows.push(unreceived((id, lane(id), y), &exchange.message));
        }
    }
    arrows
}

/// The vertical position at which arrows to or from a row begin and end.
fn middle(row: Option<&RowPlace>) -> Option<f64> {
    Some(row?.y + row?.height.min(2.0 * PAD + LINE) / 2.0)
}

/// A short arrow from a step whose message is not received on the chart.
fn unreceived((step, lane, y): (StepId, &Lane, f64), message: &str) -> Arrow {
    let x = lane.left + lane.width;
    Arrow {
        path: format!("M{x:.1} {y:.1} h26"),
        from: step,
        to: step,
        class: "kept",
        label: shortened(&one_line(message), LABEL),
        label_x: x + 4.0,
        label_y: y - 4.0,
        anchor: "start",
    }
}

/// An arrow from one box to another. If both are on the same line, it is curved.
fn arrow(from: (StepId, &Lane, f64), to: (StepId, &Lane, f64), class: &'static str, label: String) -> Arrow {
    let ((start, a, y), (end, b, z)) = (from, to);
    let right = a.left <= b.left;
    let x = if right { a.left + a.width } else { a.left };
    let path = match a.left == b.left {
        true => format!("M{x:.1} {y:.1} C{0:.1} {y:.1} {0:.1} {z:.1} {x:.1} {z:.1}", x + 34.0),
        false => {
            let to = if right { b.left } else { b.left + b.width };
            format!("M{x:.1} {y:.1} L{to:.1} {z:.1}")
        }
    };
    let side = if right { 1.0 } else { -1.0 };
    Arrow {
        path,
        from: start,
        to: end,
        class,
        label,
        label_x: x + side * 5.0,
        label_y: y - 4.0,
        anchor: if side > 0.0 { "start" } else { "end" },
    }
}

fn cycle(violation: &Violation, places: &[Option<RowPlace>], bottom: f64) -> Option<Cycle> {
    let start = violation.cycle_start?.index();
    if start >= violation.steps.len() {
        return Some(Cycle {
            path: String::new(),
            x: MARGIN,
            y: bottom + 2.0 * LINE + BETWEEN,
            text: "this last state is repeated for ever",
        });
    }
    // If the first step of the cycle is omitted, the bracket begins at the next step that has a row.
    let first = places[start..].iter().flatten().next()?;
    let (top, bottom) = (first.y, bottom - BETWEEN);
    let x = 12.0;
    Some(Cycle {
        path: format!("M{0:.1} {bottom:.1} H{x} V{top:.1} H{0:.1}", x + 12.0),
        x: x + 12.0,
        y: bottom + 2.0 * LINE + 2.0 * BETWEEN,
        text: "the bracketed steps are repeated for ever",
    })
}

#[cfg(test)]
mod tests {
    use super::super::sample::Sample;
    use super::*;

    fn chart(sample: &Sample, most: usize) -> Chart {
        Chart::with(&sample.view(), sample.violation(), most)
    }

    #[test]
    fn steps_stand_below_each_other_on_the_lines_of_their_processes() {
        let chart = chart(&Sample::handshake(), 100);
        let names: Vec<&str> = chart.lanes.iter().map(|lane| lane.name.as_str()).collect();
        assert_eq!(names, ["Sender[0]", "Receiver[1]"]);
        assert!(chart.boxes.is_sorted_by(|a, b| a.y + a.height < b.y));
        let lane = |k: usize| usize::from(chart.boxes[k].x > chart.lanes[0].x);
        assert_eq!([0, 1, 2, 3, 4].map(lane), [0, 0, 1, 0, 1]);
        let texts: Vec<&str> = chart.boxes[2].lines.iter().map(|l| l.text.as_str()).collect();
        assert_eq!(texts, ["c?got", "c = []", "got = 1"]);
        assert_eq!(chart.arrows.len(), 1);
        assert_eq!(
            (chart.arrows[0].from, chart.arrows[0].to),
            (StepId::FIRST, StepId::new(2))
        );
        assert!(chart.cycle.is_none());
    }

    #[test]
    fn a_rendezvous_is_level_and_a_cycle_has_a_bracket() {
        let chart = chart(&Sample::cycle(), 100);
        assert_eq!(chart.boxes.len(), 4, "the rendezvous has two");
        assert_eq!(chart.boxes[1].y, chart.boxes[2].y);
        assert_eq!(chart.arrows[0].class, "rendezvous");
        let top = format!(" V{:.1} ", chart.boxes[1].y);
        assert!(chart.cycle.unwrap().path.contains(&top));
    }

    #[test]
    fn the_middle_of_a_long_one_is_left_out() {
        let chart = chart(&Sample::long(100), 10);
        assert_eq!(chart.held, [0..5, 95..100]);
        assert_eq!(chart.boxes.len(), 10);
        assert_eq!(chart.gaps.len(), 1);
        assert_eq!(chart.gaps[0].text, "90 steps are left out");
        // The message of step 5 is received by a step that is omitted.
        assert_eq!(chart.arrows.iter().filter(|a| a.class == "kept").count(), 1);
    }

    #[test]
    fn a_message_that_nobody_takes_is_a_short_arrow() {
        let chart = chart(&Sample::long(1), 100);
        assert_eq!(chart.arrows.len(), 1);
        assert_eq!(chart.arrows[0].class, "kept");
    }
}
