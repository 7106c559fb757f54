//! An execution in words: its steps, and who waits for what.

use super::Execution;
use super::thread::Status;
use crate::ids::{ObjectId, ThreadId};
use crate::registry::State;
use crate::report::Step;
use std::fmt::Write;

impl Execution {
    /// An object's name: its type, its number among those of its type, where it was made.
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

    /// What types of objects have to say at the end: see [`crate::object_type::ObjectType::remarks`].
    pub(crate) fn remarks(&self) -> Vec<String> {
        if self.has_remarks {
            State::remarks(self)
        } else {
            Vec::new()
        }
    }

    /// An object that was there before the execution began, and that it has changed.
    pub(crate) fn changed_survivor(&self) -> Option<String> {
        let changed = self.survivors.iter().find(|o| {
            let history = &self.objects[o.index()].history;
            self.changed_survivor || history.iter().any(|entry| entry.effect.kind.changes())
        })?;
        Some(format!("{}{}", self.object_name(*changed), self.made(*changed)))
    }

    /// The names of all threads, absent ones included, so that ids are indices.
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

    /// The steps so far. Those matter that happened before something that `about` has done, or all if
    /// it is none.
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
                    thread: event.thread.index(),
                    what,
                    at: event.asked.at.to_string(),
                    matters: !self.settings.order || last.is_none_or(|last| self.happened_before(id, last)),
                }
            })
            .collect()
    }

    /// Threads that cannot go on, although nobody is interested in why.
    pub(crate) fn stuck(&self) -> Vec<ThreadId> {
        (0..self.threads.len())
            .filter(|i| self.threads[*i].status == Status::Pending)
            .map(ThreadId::new)
            .collect()
    }

    /// A deadlock: what each thread that is stuck waits for, who has it, and what it holds.
    pub(crate) fn describe_deadlock(&self) -> String {
        let stuck = self.stuck();
        let mut out = format!("{} of {} threads wait for ever", stuck.len(), self.present());
        for id in stuck {
            let thread = &self.threads[id.index()];
            let op = &thread.pending;
            let _ = write!(out, "\n  {} waits at {} ", self.label(id), op.at);
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

    /// How many threads there are or were.
    fn present(&self) -> usize {
        self.threads.iter().filter(|t| t.status != Status::Absent).count()
    }
}
