//! Performing an announced operation. The object's type says what that means.

use super::{Event, Execution, join};
use crate::ids::{EventId, ObjectId, ThreadId};
use crate::narrow::short;
use crate::object_type::{Step, Ways};
use crate::operation::{Effect, Kind};

impl Execution {
    /// Performs the announced operation of a thread, which is possible, in the given way.
    /// The thread then runs to its next operation, and [`Execution::finish_event`] is called.
    pub(crate) fn perform(&mut self, id: ThreadId, choice: u32) {
        let ways = self.ways(id);
        let choices = ways.len();
        if let Ways::Named(names) = ways {
            self.readable = names;
        }
        let op = self.threads[id.index()].pending;
        self.current = id;
        let event = EventId::new(self.events.len());
        let thread = &mut self.threads[id.index()];
        if thread.status == super::thread::Status::Waits {
            thread.turns.clear();
            thread.turns.disturbed = true;
            thread.resumed = Some(self.events.len());
        }
        thread.status = super::thread::Status::Running;
        thread.saw = None;
        self.events.push(Event {
            thread: id,
            index: short(thread.events.len()),
            asked: op,
            footprint: op.footprint(),
            choice,
            choices,
            idle: false,
            objects: self.live,
            clock: (0, 0),
            before: (0, 0),
        });
        thread.events.push(event);
        if let Some(follower) = thread.follower.filter(|_| thread.events.len() == 1) {
            self.woken.push(follower);
        }
        thread.steps += 1;
        self.in_event = true;
        self.detectors.graph.event = event;
        let outcome = self.apply(id, choice);
        self.threads[id.index()].outcome = outcome;
    }

    /// Performs the announced operation of a thread as part of the running transition.
    pub(crate) fn apply_at_once(&mut self, id: ThreadId) -> u32 {
        let footprint = self.events.last().map(|e| e.footprint);
        let outcome = self.apply(id, self.ways(id).at(0));
        if let (Some(event), Some(footprint)) = (self.events.last_mut(), footprint) {
            event.footprint = footprint;
        }
        if let Some(held) = self.threads[id.index()].held.last_mut() {
            held.wrote = true;
        }
        outcome
    }

    /// The event whose transition is running; none before the first event.
    pub(super) fn running(&self) -> EventId {
        match self.events.len() {
            0 => EventId::NONE,
            n => EventId::new(n - 1),
        }
    }

    /// Says what the operation of the running transition turned out to be.
    pub(crate) fn refine(&mut self, kind: impl Into<Kind>, arg: u32) {
        if let Some(event) = self.events.last_mut() {
            event.footprint.effect = Effect { kind: kind.into(), arg };
        }
    }

    fn apply(&mut self, id: ThreadId, choice: u32) -> u32 {
        let op = self.threads[id.index()].pending;
        let step = Step {
            thread: id,
            object: op.object,
            arg: op.arg,
            choice,
        };
        op.kind.perform(self, step)
    }

    /// The running transition notifies a thread that waits.
    pub(crate) fn wake(&mut self, id: ThreadId) {
        self.disturbs();
        self.woken.push(id);
        self.threads[id.index()].waiting = false;
        self.detectors.woke(self.current, id);
    }

    /// The current thread does something invisible to an object. Others learn of it only by
    /// [`Execution::find_left_behind`].
    pub(crate) fn leave_behind(&mut self, object: ObjectId) {
        self.disturbs();
        if self.in_event {
            self.leaving.push(object);
        } else {
            let clock = &self.threads[self.current.index()].clock;
            join(self.left_behind.entry(object).or_default(), clock);
        }
    }

    /// Joins to `clock` what was left behind with an object.
    pub(crate) fn find_left_behind(&self, object: ObjectId, clock: &mut Vec<u32>) {
        if let Some(left) = self.left_behind.get(&object) {
            join(clock, left);
        }
    }
}
