//! Weak vector clocks on-line: the local states that a predicate can tell apart.
//!
//! The states of one process that follow each other and look alike to a predicate are one *stretch*. A search goes from
//! stretch to stretch, so it does not look at the events between them (paper, long version, section 8; off-line see
//! [`crate::projection`]). A state is put into a class as soon as it arrives, by what is true of it whatever
//! the other processes do; so no stretch is ever divided or joined later. The last stretch may grow.

use super::live::{Class, Live};
use super::stream::{Clock, Stream};
use crate::narrow::short;
use std::collections::VecDeque;

/// The stretches of each process in the support.
#[derive(Debug, Default)]
pub(super) struct Tracks(Vec<Track>);

/// The stretches of one process.
#[derive(Debug, Default)]
struct Track {
    /// How many stretches were dropped.
    dropped: u32,
    /// The first state of each of the others.
    begins: VecDeque<u32>,
    /// The state that was not looked at yet.
    next: u32,
    /// What the states of the last stretch look like.
    class: Option<Class>,
}

/// What has arrived, as a predicate sees it. Processes are places in the support, and their states are stretches.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sight<'a> {
    pub(super) live: &'a Live,
    pub(super) stream: &'a Stream,
    pub(super) tracks: &'a Tracks,
}

impl Tracks {
    /// Looks at the states that have arrived.
    pub(super) fn extend(&mut self, live: &Live, stream: &Stream) {
        self.0.resize_with(live.support.len(), Track::default);
        for (track, &p) in self.0.iter_mut().zip(&live.support) {
            let Some(last) = stream.last(p) else { continue };
            for state in track.next.max(stream.first(p))..=last {
                let class = live.class(stream, p, state);
                if track.class.as_ref() != Some(&class) {
                    track.class = Some(class);
                    track.begins.push_back(state);
                }
            }
            track.next = last + 1;
        }
    }

    /// Drops the stretches of a process before `floor`.
    pub(super) fn drop_before(&mut self, k: usize, floor: u32) {
        let track = &mut self.0[k];
        while track.dropped < floor && track.begins.len() > 1 {
            track.begins.pop_front();
            track.dropped += 1;
        }
    }

    /// The first state of a stretch that was not dropped.
    pub(super) fn begin(&self, k: usize, stretch: u32) -> u32 {
        let track = &self.0[k];
        track.begins[(stretch - track.dropped) as usize]
    }

    /// How many stretches are kept.
    pub(super) fn held(&self) -> usize {
        self.0.iter().map(|track| track.begins.len()).sum()
    }

    fn last(&self, k: usize) -> u32 {
        let track = &self.0[k];
        track.dropped + short(track.begins.len()) - 1
    }

    /// The stretch of a state; if that was dropped, the first that was not.
    fn of(&self, k: usize, state: u32) -> u32 {
        let track = &self.0[k];
        let later = track.begins.partition_point(|begin| *begin <= state);
        track.dropped + short(later).saturating_sub(1)
    }
}

impl<'a> Sight<'a> {
    /// The last stretch of a process that has arrived.
    pub(super) fn last(&self, k: usize) -> u32 {
        self.tracks.last(k)
    }

    /// Whether nothing more will come of a process.
    pub(super) fn has_ended(&self, k: usize) -> bool {
        self.stream.lanes[self.live.support[k]].ended
    }

    /// What the last event of a process knows that was delivered.
    pub(super) fn knows(&self, k: usize) -> &'a Clock {
        self.stream.lanes[self.live.support[k]].clock()
    }

    /// What the first event of a stretch knows: if it has not arrived, at least.
    pub(super) fn clock(&self, k: usize, stretch: u32) -> &'a Clock {
        match stretch <= self.last(k) {
            true => {
                let begin = self.tracks.begin(k, stretch);
                &self.stream.state(self.live.support[k], begin).clock
            }
            false => self.knows(k),
        }
    }

    /// The stretch of a process that a clock knows.
    pub(super) fn known(&self, clock: &Clock, k: usize) -> u32 {
        self.tracks.of(k, self.stream.known(clock, self.live.support[k]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_dropped_is_known() {
        let mut tracks = Tracks(vec![Track {
            begins: [0, 3, 4, 9].into(),
            ..Track::default()
        }]);
        assert_eq!([0, 2, 3, 8, 9, 20].map(|state| tracks.of(0, state)), [0, 0, 1, 2, 3, 3]);
        tracks.drop_before(0, 2);
        assert_eq!([0, 3, 4, 8, 9].map(|state| tracks.of(0, state)), [2, 2, 2, 2, 3]);
        assert_eq!((tracks.last(0), tracks.begin(0, 2), tracks.held()), (3, 4, 2));
        tracks.drop_before(0, u32::MAX);
        assert_eq!((tracks.last(0), tracks.held()), (3, 1));
    }
}
