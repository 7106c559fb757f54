//! Operations that several others block together.
//!
//! Suppose that two threads read a lock and never release it, while a writer waits. Neither reader can be swapped with the
//! writer while the other one stays before it, and readers do not race with each other. So no pair of events shows that the
//! writer could have come first. Therefore a race may leave out, besides its first event, its *rivals*: the other
//! acquisitions after it that would still be held. What remains is the most that can happen before the writer. It is the
//! beginning of an execution, because it is closed under what happened before.
//!
//! For an operation that users define, it is unknown when it is possible. There, everything that does not need the first
//! event and races with the second is a rival, and the other order is tried without every combination of rivals.

use super::{Execution, Race};
use crate::ids::{EventId, ObjectId};
use crate::object_type::{Order, Rivals};
use crate::operation::Effect;

/// At most this many rivals are left out in all combinations.
const MOST: usize = 6;

impl Execution {
    /// The combinations of rivals of a user's operation that are left out, as bit sets.
    pub(super) fn combinations(&self, object: ObjectId, effect: Effect, race: &Race) -> std::ops::Range<u32> {
        let rivals = self.rivals(object, effect, race).map_or(0, |rivals| rivals.len());
        if rivals > MOST {
            self.crowded.set(true);
        }
        0..1 << rivals.min(MOST)
    }

    /// The events that must be left out, besides the first operation of a race and what needs it, so that the second one,
    /// `effect`, is possible. None if it is impossible even then.
    pub(crate) fn rivals(&self, object: ObjectId, effect: Effect, race: &Race) -> Option<Vec<EventId>> {
        let before = self.before(race.second, race.thread);
        let target = &self.objects[object.index()];
        // The second operation needs it in any case, or it came before the first one.
        let fixed = |event: EventId| {
            let (thread, index) = (self.events[event.index()].thread, self.events[event.index()].index);
            event < race.first || before.get(thread.index()).copied().unwrap_or(0) > index
        };
        let entries = || target.history.iter().filter(|entry| entry.event < race.second);
        let mut rivals: Vec<EventId> = Vec::new();
        if effect.kind.rivals() == Rivals::Unknown {
            let races = entries().filter(|entry| {
                !self.happened_before(race.first, entry.event)
                    && !fixed(entry.event)
                    && target.state.order(entry.effect, effect, &self.users) == Order::Races
            });
            rivals.extend(races.map(|entry| entry.event));
            return Some(rivals);
        }
        // An event that is left out may have released a lock, which is then still held.
        loop {
            let remains = |event: EventId| {
                event != EventId::NONE
                    && !self.happened_before(race.first, event)
                    && !rivals.iter().any(|rival| self.happened_before(*rival, event))
            };
            let held =
                entries().find(|entry| entry.effect.kind.acquires() && remains(entry.event) && !remains(entry.release));
            match held {
                None => return Some(rivals),
                Some(held) if fixed(held.event) => return None,
                Some(held) => rivals.push(held.event),
            }
        }
    }
}
