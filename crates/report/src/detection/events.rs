//! An order of events as text: the last events, or the first and the last ones.

use super::RecordedRun;
use super::place::Records;
use crate::TextOptions;
use crate::amounts::grouped;
use crate::line::{one_line, padding, shortened, width};
use crate::style::{FAINT, styled};
use mazurka_trace::Event;

/// The number of events that are shown at each end, unless all are requested.
const SHOWN: usize = 4;

/// Which end of an order is of interest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ends {
    Last,
    Both,
}

/// The events, one per line, with their places in the order.
pub(super) fn events_text(run: RecordedRun<'_>, events: &[Event], ends: Ends, options: &TextOptions) -> String {
    let most = match ends {
        Ends::Last => SHOWN,
        Ends::Both => 2 * SHOWN,
    };
    // Omitting a single event saves no room, since a line says that it is omitted.
    let left_out = match options.verbose || events.len() <= most + 1 {
        true => 0,
        false => events.len() - most,
    };
    let first = match ends {
        Ends::Last => 0,
        Ends::Both => SHOWN.min(events.len()),
    };
    let shown = |k: &usize| left_out == 0 || *k < first || *k >= first + left_out;
    let records = Records::of(run, (0..events.len()).filter(shown).map(|k| events[k]));
    let name = |e: &Event| shortened(&one_line(run.computation.name(e.process)), 32);
    let of_shown = || (0..events.len()).filter(shown).map(|k| &events[k]);
    let names = of_shown().map(|e| width(&name(e))).max().unwrap_or(0);
    let numbers = events.len().to_string().len();
    let spots: Vec<String> = of_shown().map(|e| records.wording(*e).unwrap_or_default()).collect();
    let spot_width = spots.iter().map(|s| width(s)).max().unwrap_or(0);
    let mut spots = spots.into_iter();
    let mut text = String::new();
    for (k, event) in events.iter().enumerate() {
        if left_out > 0 && k == first {
            let more = format!("{:>numbers$}  {} more (-v lists them)", "⋮", grouped(left_out as u64));
            text += &format!("    {}\n", styled(FAINT, &more));
        }
        if !shown(&k) {
            continue;
        }
        let process = name(event);
        let spot = spots.next().unwrap_or_default();
        let label = run.computation.label(event.process, event.index);
        let what = match label {
            "" => records.text(*event).unwrap_or_default(),
            label => label.to_owned(),
        };
        let margin = 4 + numbers + 2 + names + 2 + spot_width + 2;
        let what = shortened(&one_line(&what), options.width.saturating_sub(margin).max(16));
        let line = format!(
            "    {:>numbers$}  {process}{}  {}{}  {what}",
            k + 1,
            padding(&process, names),
            styled(FAINT, &spot),
            padding(&spot, spot_width),
        );
        text += &format!("{}\n", line.trim_end());
    }
    text
}
