//! Wakeup trees: continuations that are still to be explored from a state.
//!
//! An ordered tree of threads. To insert a sequence, one walks down along branches that are
//! *weak initials* of what remains of it (they could come first, or do not matter to it), and hangs
//! what is left there; if the walk ends in a leaf, the sequence is covered (Abdulla, Aronis, Jonsson,
//! Sagonas, JACM 2017, section 6).
//!
//! Branches name threads, not operations: what a thread does next is looked up in the execution
//! that the new sequence comes from. What an operation turned out to be is remembered.

use super::sleep::{self, Sleeper};
use crate::dependency;
use crate::execution::{Execution, Race};
use crate::ids::{EventId, ObjectId, ThreadId};
use crate::operation::Footprint;

/// A branch of the tree.
#[derive(Clone, Debug)]
pub(super) struct Branch {
    pub(super) thread: ThreadId,
    /// In which way; none if nobody knows yet.
    pub(super) choice: Option<u32>,
    /// Of how many.
    choices: u32,
    /// What the operation was, in the execution that the branch comes from.
    footprint: Option<Footprint>,
    /// It was executed in this context, so that one knows what it turned out to be.
    executed: bool,
    pub(super) children: Vec<Branch>,
}

impl Branch {
    /// A branch without continuation.
    pub(super) fn leaf(thread: ThreadId, choice: Option<u32>, choices: u32) -> Branch {
        Branch {
            thread,
            choice,
            choices,
            footprint: None,
            executed: false,
            children: Vec::new(),
        }
    }
}

/// What follows if a race goes the other way: the events that do not need its first one,
/// and then its second one.
pub(super) struct Reversal<'a> {
    execution: &'a Execution,
    race: Race,
    /// The events between that remain; the second one is not among them.
    between: Vec<EventId>,
    /// In which way the second one is performed.
    choice: u32,
    /// How many ways there are.
    pub(super) choices: u32,
}

impl<'a> Reversal<'a> {
    pub(super) fn new(execution: &'a Execution, race: Race) -> Reversal<'a> {
        let end = match race.second {
            EventId::NONE => execution.events.len(),
            second => second.index(),
        };
        let between: Vec<EventId> = (race.first.index() + 1..end)
            .map(|i| EventId(i as u32))
            .filter(|&e| !execution.happened_before(race.first, e))
            .collect();
        let choices = execution.choices_of_second(&race);
        Reversal {
            execution,
            race,
            between,
            choice: 0,
            choices,
        }
    }

    /// The same with another way to perform the second operation.
    pub(super) fn with_choice(mut self, choice: u32) -> Reversal<'a> {
        self.choice = choice;
        self
    }

    fn footprint(&self, event: Option<EventId>) -> Footprint {
        match event {
            Some(event) => self.execution.events[event.index()].footprint,
            // In the other order the second one may turn out differently.
            None => match self.race.second {
                EventId::NONE => self.execution.pending_footprint(self.race.thread),
                second => self.execution.events[second.index()].asked.footprint(),
            },
        }
    }

    /// The sequence; none stands for the second event.
    fn sequence(&self) -> Vec<Option<EventId>> {
        self.between.iter().map(|e| Some(*e)).chain([None]).collect()
    }

    fn thread(&self, event: Option<EventId>) -> ThreadId {
        event.map_or(self.race.thread, |e| self.execution.events[e.index()].thread)
    }

    /// The way in which an event is performed.
    fn choice(&self, event: Option<EventId>) -> u32 {
        event.map_or(self.choice, |e| self.execution.events[e.index()].choice)
    }

    fn ordered(&self, first: Option<EventId>, second: Option<EventId>) -> bool {
        match (first, second) {
            (Some(first), Some(second)) => self.execution.happened_before(first, second),
            (Some(first), None) => self.execution.happened_before_second(first, &self.race, &self.between),
            (None, _) => false,
        }
    }

    /// If the thread has an event in the sequence that could come first: its position.
    fn initial(&self, sequence: &[Option<EventId>], thread: ThreadId) -> Result<usize, Absence> {
        let position = sequence.iter().position(|e| self.thread(*e) == thread);
        let position = position.ok_or(Absence::NotThere)?;
        let free = sequence[..position]
            .iter()
            .all(|e| !self.ordered(*e, sequence[position]));
        if free { Ok(position) } else { Err(Absence::NotFirst) }
    }

    fn independent(&self, sequence: &[Option<EventId>], footprint: &Footprint) -> bool {
        sequence
            .iter()
            .all(|e| !dependency::dependent(footprint, &self.footprint(*e), &self.execution.users))
    }

    /// True if what sleeps covers the sequence: a transition that could come first, or one that
    /// does not matter to it, in all the ways in which it can be performed.
    pub(super) fn covered(&self, sleep: &[Sleeper]) -> bool {
        let sequence = self.sequence();
        sleep.iter().any(|s| match self.initial(&sequence, s.thread) {
            Ok(position) => self.choice(sequence[position]) == s.choice,
            Err(Absence::NotThere) => {
                self.independent(&sequence, &s.footprint)
                    && (s.choices == 1 || (0..s.choices).all(|c| sleep::asleep(sleep, s.thread, c)))
            }
            Err(Absence::NotFirst) => false,
        })
    }

    /// A thread that could come first in the sequence.
    pub(super) fn initials(&self) -> Vec<ThreadId> {
        let sequence = self.sequence();
        let mut initials = Vec::new();
        for event in &sequence {
            let thread = self.thread(*event);
            if !initials.contains(&thread) && self.initial(&sequence, thread).is_ok() {
                initials.push(thread);
            }
        }
        initials
    }

    /// Inserts the sequence into a tree of the state before the race, where `sleep` sleeps.
    pub(super) fn insert(&self, tree: &mut Vec<Branch>, sleep: &[Sleeper]) {
        self.insert_at(tree, self.sequence(), &mut Vec::new(), sleep);
    }

    fn insert_at(
        &self,
        level: &mut Vec<Branch>,
        mut sequence: Vec<Option<EventId>>,
        path: &mut Vec<ThreadId>,
        sleep: &[Sleeper],
    ) {
        let found = level.iter().position(|b| self.follows(b, &sequence, path).is_some());
        let Some(found) = found else {
            self.append(level, &sequence);
            return;
        };
        let thread = level[found].thread;
        if self.follows(&level[found], &sequence, path) == Some(true) {
            if let Ok(position) = self.initial(&sequence, thread) {
                sequence.remove(position);
            }
            if level[found].children.is_empty() || sequence.is_empty() {
                return;
            }
            path.push(thread);
            self.insert_at(&mut level[found].children, sequence, path, &[]);
            path.pop();
            return;
        }
        // The branch does not matter to the sequence, but stands for one of several ways to perform its operation: the
        // sequence must follow all of them, except those that were explored.
        for choice in (0..level[found].choices).filter(|c| !sleep::asleep(sleep, thread, *c)) {
            let there = level
                .iter()
                .position(|b| b.thread == thread && b.choice == Some(choice));
            match there {
                Some(there) if level[there].children.is_empty() => {}
                Some(there) => {
                    path.push(thread);
                    self.insert_at(&mut level[there].children, sequence.clone(), path, &[]);
                    path.pop();
                }
                None => {
                    let mut branch = Branch::leaf(thread, Some(choice), level[found].choices);
                    self.append(&mut branch.children, &sequence);
                    level.push(branch);
                }
            }
        }
    }

    /// Hangs a sequence into the tree.
    fn append(&self, mut level: &mut Vec<Branch>, sequence: &[Option<EventId>]) {
        for &event in sequence {
            level.push(Branch {
                thread: self.thread(event),
                choice: Some(self.choice(event)),
                choices: event.map_or(self.choices, |e| self.execution.events[e.index()].choices),
                footprint: Some(self.footprint(event)),
                executed: event.is_some(),
                children: Vec::new(),
            });
            let last = level.len() - 1;
            level = &mut level[last].children;
        }
    }

    /// Whether a branch is a weak initial of the sequence; false if it is only in one of several ways.
    fn follows(&self, branch: &Branch, sequence: &[Option<EventId>], path: &[ThreadId]) -> Option<bool> {
        match self.initial(sequence, branch.thread) {
            Ok(position) => (branch.choice == Some(self.choice(sequence[position]))).then_some(true),
            Err(Absence::NotFirst) => None,
            Err(Absence::NotThere) => {
                let footprint = self.look_up(branch, path)?;
                self.independent(sequence, &footprint).then_some(branch.choices == 1)
            }
        }
    }

    /// What the thread of a branch does there, as the present execution knows it.
    fn look_up(&self, branch: &Branch, path: &[ThreadId]) -> Option<Footprint> {
        let thread = self.execution.threads.get(branch.thread.index())?;
        let before = thread.events.partition_point(|e| *e < self.race.first);
        let index = before + path.iter().filter(|t| **t == branch.thread).count();
        let mut footprint = match thread.events.get(index) {
            Some(event) => {
                let event = &self.execution.events[event.index()];
                let mut footprint = event.asked.footprint();
                footprint.also = event.footprint.also;
                footprint
            }
            None if thread.status == crate::execution::thread::Status::Pending && thread.events.len() == index => {
                thread.pending.footprint()
            }
            // The thread does not get there in this execution. What the branch remembers is good
            // if its objects were there before the race, and so have the same numbers.
            None => {
                let objects = self.execution.events[self.race.first.index()].objects;
                let footprint = branch.footprint?;
                let there = |o: ObjectId| o == ObjectId::NONE || o.0 < objects;
                let known = there(footprint.object) && footprint.also.is_none_or(|(o, _)| there(o));
                return known.then_some(footprint);
            }
        };
        if let Some(known) = branch.footprint.filter(|_| branch.executed) {
            footprint.deed = known.deed;
        }
        Some(footprint)
    }
}

/// Why a thread has no initial event in a sequence.
enum Absence {
    /// It has no event there.
    NotThere,
    /// Another event must come before.
    NotFirst,
}
