//! The places of the records of events, in words.

use super::RecordedRun;
use crate::line::one_line;
use mazurka_trace::{Event, Place};
use std::collections::HashMap;

/// The records of some events.
pub(super) struct Records<'a> {
    run: RecordedRun<'a>,
    lines: HashMap<Event, (Place, Option<u64>)>,
}

impl<'a> Records<'a> {
    /// Looks up the records of events. Event 0 of a process is its initial state.
    pub(super) fn of(run: RecordedRun<'a>, events: impl IntoIterator<Item = Event>) -> Self {
        let place = |e: Event| Some((e, run.computation.place(e.process, e.index)?));
        let found: Vec<(Event, Place)> = events.into_iter().filter_map(place).collect();
        let places: Vec<Place> = found.iter().map(|(_, place)| *place).collect();
        let lines = run.sources.lines(&places);
        let lines = found
            .into_iter()
            .zip(lines)
            .map(|((e, place), line)| (e, (place, line)));
        Self {
            run,
            lines: lines.collect(),
        }
    }

    /// The file and the line of a record.
    pub(super) fn spot(&self, event: Event) -> Option<(String, Option<u64>)> {
        let (place, line) = self.lines.get(&event)?;
        Some((self.run.sources.name(place.file), *line))
    }

    /// The text of a record as it is in the input.
    pub(super) fn text(&self, event: Event) -> Option<String> {
        let (place, _) = self.lines.get(&event)?;
        self.run.sources.text(*place)
    }

    /// The place of a record: the line, and the file if there are several.
    pub(super) fn wording(&self, event: Event) -> Option<String> {
        let (file, line) = self.spot(event)?;
        let line = line?;
        Some(match self.run.sources.len() {
            1 => format!("line {line}"),
            _ => format!("{}:{line}", one_line(&file)),
        })
    }
}
