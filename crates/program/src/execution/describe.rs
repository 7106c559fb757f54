//! An execution in words: its steps, and who waits for what.

use super::Execution;
use super::thread::Status;
use crate::ids::{ObjectId, ThreadId};
use crate::registry::State;
use crate::report::{Step, ThreadNumber};
use std::fmt::Write;

impl Execution {
    /// An object's name: its type, and its number among those of its type.
    pub(crate) fn object_name(&self, object: ObjectId) -> String {
        match self.objects.get(object.index()) {
            Some(o) => o.state.name(o.ordinal),
            None => String::new(),
        }
    }

    pub(crate) fn made(&self, object: ObjectId) -> String {
        self.objects
            .get(object.index())
            .map_or(String::new(), |o| format!(" (made at {})", o.made))
    }

    /// An object's name, and where it was made, to be written after it.
    pub(crate) fn name_and_place(&self, object: ObjectId) -> (String, String) {
        (self.object_name(object), self.made(object))
    }

    /// The remarks of all types of objects at the end: see [`crate::object_type::ObjectType::remarks`].
    pub(crate) fn remarks(&self) -> Vec<String> {
        if self.has_remarks {
            State::remarks(self)
        } else {
            Vec::new()
        }
    }

    /// An object that existed before the execution began, and that it has changed.
    pub(crate) fn changed_survivor(&self) -> Option<String> {
        let changed = self.survivors.iter().find(|o| {
            let history = &self.objects[o.index()].history;
            self.changed_survivor || history.iter().any(|entry| entry.effect.kind.changes())
        })?;
        Some(format!("{}{}", self.object_name(*changed), self.made(*changed)))
    }

    /// The names of all threads. Absent threads are included, so that ids are indices.
    pub(crate) fn thread_names(&self) -> Vec<String> {
        self.threads
            .iter()
            .enumerate()
            .map(|(i, t)| t.label(ThreadId::new(i)))
            .collect()
    }

    pub(crate) fn label(&self, id: ThreadId) -> String {
        self.threads[id.index()].label(id)
    }

    /// The steps so far. A step matters if it happened before the last event of `about`; without `about`, all matter.
    pub(crate) fn steps(&self, about: Option<ThreadId>) -> Vec<Step> {
        let last = about.and_then(|t| self.threads[t.index()].events.last().copied());
        self.events
            .iter()
            .enumerate()
            .map(|(i, event)| {
                let kind = event.footprint.effect.kind;
                let what = format!("{} {}", kind.verb(), kind.target(self, event));
                let id = crate::ids::EventId::new(i);
                Step {
                    thread: ThreadNumber(event.thread.0),
                    what,
                    at: event.asked.at.to_string(),
                    matters: !self.settings.order || last.is_none_or(|last| self.happened_before(id, last)),
                }
            })
            .collect()
    }

    /// Threads that have announced an operation; at the end of an execution, those that cannot go on.
    pub(crate) fn stuck(&self) -> Vec<ThreadId> {
        (0..self.threads.len())
            .filter(|i| matches!(self.threads[*i].status, Status::Pending | Status::Waits))
            .map(ThreadId::new)
            .collect()
    }

    /// A deadlock in words: what each stuck thread waits for, who holds that, and what it holds itself.
    pub(crate) fn describe_deadlock(&self) -> String {
        let stuck = self.stuck();
        let verb = if stuck.len() == 1 { "waits" } else { "wait" };
        let mut out = format!("{} of {} threads {verb} for ever", stuck.len(), self.present());
        for id in stuck {
            let thread = &self.threads[id.index()];
            let op = &thread.pending;
            let _ = write!(out, "\n  {} waits at {} ", self.label(id), op.at);
            if thread.status == Status::Waits {
                out.push_str(&self.describe_loop(id));
                continue;
            }
            out.push_str(&op.kind.waits_for(self, thread));
            for (i, holder) in self.threads.iter().enumerate() {
                if thread.waiting {
                    break;
                }
                if let Some(held) = holder.held.iter().find(|h| h.object == op.object) {
                    let _ = write!(out, ", which {} holds since {}", self.label(ThreadId::new(i)), held.at);
                }
            }
            for held in &thread.held {
                let _ = write!(
                    out,
                    "\n    it holds {} since {}",
                    self.object_name(held.object),
                    held.at
                );
            }
        }
        out
    }

    /// How many threads the execution has started.
    fn present(&self) -> usize {
        self.threads.iter().filter(|t| t.status != Status::Absent).count()
    }
}
