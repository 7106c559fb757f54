//! Tracks: the local states of a process that a predicate can tell apart.
//!
//! Each cell sees a process as a list of stretches, in each of which its class stays the
//! same. A track is the common refinement: a new local state begins wherever a class of
//! some cell changes.

/// A class for every stretch of a process: from which event on, which class.
pub(super) type Stretches = Vec<(u32, u32)>;

/// The local states of a process that the predicate can tell apart.
#[derive(Clone, Debug, Default)]
pub(super) struct Track {
    /// The events that begin them, the first at 0.
    pub(super) changes: Vec<u32>,
    /// How many classes each has, and the classes.
    pub(super) stride: usize,
    pub(super) classes: Vec<u32>,
}

impl Track {
    /// The refinement of the stretches of every cell.
    pub(super) fn join(slots: &[Stretches]) -> Self {
        let mut changes: Vec<u32> = slots.iter().flatten().map(|(event, _)| *event).collect();
        changes.push(0);
        changes.sort_unstable();
        changes.dedup();
        let mut track = Self {
            stride: slots.len(),
            classes: vec![0; changes.len() * slots.len()],
            changes,
        };
        for (s, stretches) in slots.iter().enumerate() {
            let mut at = 0;
            for (state, change) in track.changes.iter().enumerate() {
                while at + 1 < stretches.len() && stretches[at + 1].0 <= *change {
                    at += 1;
                }
                track.classes[state * track.stride + s] = stretches[at].1;
            }
        }
        track
    }

    /// Makes every event begin a local state. `rows` has `words` words for each local state;
    /// returns the same for the new ones.
    pub(super) fn expand(&mut self, events: u32, rows: &[u64], words: usize) -> Vec<u64> {
        let mut classes = Vec::with_capacity((events as usize + 1) * self.stride);
        let mut expanded = Vec::with_capacity((events as usize + 1) * words);
        let mut state = 0;
        for event in 0..=events {
            if self.changes.get(state + 1) == Some(&event) {
                state += 1;
            }
            classes.extend_from_slice(&self.classes[state * self.stride..(state + 1) * self.stride]);
            expanded.extend_from_slice(&rows[state * words..(state + 1) * words]);
        }
        self.classes = classes;
        self.changes = (0..=events).collect();
        expanded
    }
}
