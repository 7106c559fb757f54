//! Races that go the other way, and their insertion into wakeup trees.
//!
//! To insert a sequence, one walks down the tree along branches that are *weak initials* of what remains of it (they could
//! come first, or do not matter to it), and adds what is left as a new branch there. If the walk ends in a leaf, the sequence is
//! covered (Abdulla, Aronis, Jonsson, Sagonas, JACM 2017, section 6).

use super::sleep::{self, Sleeper};
use super::wakeup_tree::{self, Branch, Footprints, Step};
use crate::execution::{Execution, Other, Race};
use crate::ids::{EventId, ObjectId, ThreadId};
use crate::narrow::short;
use crate::operation::Footprint;

/// A race that goes the other way: first the events that do not need its first one,
/// and then its second one. If the first one could see what the second one writes, it follows.
pub(super) struct Reversal<'a> {
    execution: &'a Execution,
    race: Race,
    /// The events in between that remain, without the second one.
    between: Vec<EventId>,
    /// In which way that operation is performed which goes otherwise.
    choice: u32,
    /// The ways that there are.
    pub(super) ways: Vec<u32>,
}

/// A step of a reversal.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Item {
    /// An event that is as it was.
    Event(EventId),
    /// The second operation of the race.
    Second,
    /// The first one, which sees the second one.
    First,
}

impl<'a> Reversal<'a> {
    pub(super) fn new(execution: &'a Execution, race: Race) -> Reversal<'a> {
        let end = match race.second {
            EventId::NONE => execution.events.len(),
            second => second.index(),
        };
        let mut rivals = if race.without != 0 {
            let Footprint { object, effect, .. } = match race.second {
                EventId::NONE => execution.pending_footprint(race.thread),
                second => execution.events[second.index()].footprint,
            };
            execution.rivals(object, effect, &race).unwrap_or_default()
        } else {
            Vec::new()
        };
        let mut number = 0;
        rivals.retain(|_| {
            number += 1;
            race.without.checked_shr(number - 1).unwrap_or(1) & 1 == 1
        });
        let left_out = |e: EventId| {
            execution.happened_before(race.first, e) || rivals.iter().any(|rival| execution.happened_before(*rival, e))
        };
        let between: Vec<EventId> = (race.first.index() + 1..end)
            .map(EventId::new)
            .filter(|e| !left_out(*e))
            .collect();
        let ways = execution.ways_of(&race);
        Reversal {
            execution,
            race,
            between,
            choice: 0,
            ways,
        }
    }

    /// The same with another way to perform the operation.
    pub(super) fn with_choice(mut self, choice: u32) -> Reversal<'a> {
        self.choice = choice;
        self
    }

    fn footprint(&self, item: Item) -> Footprint {
        let events = &self.execution.events;
        match item {
            Item::Event(event) => events[event.index()].footprint,
            Item::First => self.seeing(events[self.race.first.index()].asked.footprint()),
            // In the other order the second one may turn out differently.
            Item::Second => match (self.race.how, self.race.second) {
                (Other::Order, EventId::NONE) => self.execution.pending_footprint(self.race.thread),
                (Other::Order, second) => events[second.index()].asked.footprint(),
                (Other::Sees(_), second) => events[second.index()].footprint,
                (Other::Replaces(_), second) => self.seeing(events[second.index()].asked.footprint()),
            },
        }
    }

    /// The footprint of a read that sees what it is to see.
    fn seeing(&self, mut footprint: Footprint) -> Footprint {
        footprint.effect.arg = self.choice;
        footprint
    }

    /// The sequence of the steps.
    fn sequence(&self) -> Vec<Item> {
        let between = self.between.iter().map(|e| Item::Event(*e));
        let again = matches!(self.race.how, Other::Sees(_)).then_some(Item::First);
        between.chain([Item::Second]).chain(again).collect()
    }

    fn thread(&self, item: Item) -> ThreadId {
        let of = |event: EventId| self.execution.events[event.index()].thread;
        match item {
            Item::Event(event) => of(event),
            Item::First => of(self.race.first),
            Item::Second => self.race.thread,
        }
    }

    /// The way in which a step is performed.
    fn choice(&self, item: Item) -> u32 {
        let of = |event: EventId| self.execution.events[event.index()].choice;
        match item {
            Item::Event(event) => of(event),
            Item::Second if matches!(self.race.how, Other::Sees(_)) => of(self.race.second),
            Item::First | Item::Second => self.choice,
        }
    }

    /// In how many ways a step can be performed, as far as that is known.
    fn choices(&self, item: Item) -> u32 {
        let of = |event: EventId| self.execution.events[event.index()].choices;
        match item {
            Item::Event(event) => of(event),
            Item::Second if matches!(self.race.how, Other::Sees(_)) => of(self.race.second),
            Item::First | Item::Second => short(self.ways.len()),
        }
    }

    fn ordered(&self, first: Item, second: Item) -> bool {
        match (first, second) {
            (Item::Event(first), Item::Event(second)) => self.execution.happened_before(first, second),
            (Item::Event(first), Item::Second) => self.before_second(first),
            (Item::Event(first), Item::First) => self.before_second(first),
            (Item::Second, Item::First) => true,
            (Item::Second | Item::First, _) => false,
        }
    }

    /// True if an event happens before the second operation.
    fn before_second(&self, event: EventId) -> bool {
        let race = &self.race;
        match race.how {
            Other::Order => self.execution.happened_before_second(event, race, &self.between),
            Other::Sees(_) => self.execution.happened_before(event, race.second),
            Other::Replaces(_) => self.execution.knows(race.second, race.thread, event),
        }
    }

    /// The position of the thread's first event in the sequence, if it could come first.
    fn initial(&self, sequence: &[Item], thread: ThreadId) -> Result<usize, Absence> {
        let position = sequence.iter().position(|e| self.thread(*e) == thread);
        let position = position.ok_or(Absence::NotThere)?;
        let free = sequence[..position]
            .iter()
            .all(|e| !self.ordered(*e, sequence[position]));
        if free { Ok(position) } else { Err(Absence::NotFirst) }
    }

    fn independent(&self, sequence: &[Item], footprint: &Footprint) -> bool {
        sequence
            .iter()
            .all(|e| !footprint.dependent(&self.footprint(*e), &self.execution.users))
    }

    /// True if what sleeps covers the sequence: a transition that could come first, or one that
    /// does not matter to it, in all the ways in which it can be performed.
    ///
    /// A sequence leads to an execution in which whatever sleeps is woken, as long as operations turn out as they were announced: then
    /// nothing sleeps where the search goes on freely, and a transition that does not matter to the sequence covers it. But a
    /// compare-exchange that fails is a load, and may sleep on beside the loads of a sequence that ended where it was taken for an update. From there on it
    /// covers only what it could begin, as in source sets: what does not matter to a part of an execution may matter to the rest.
    ///
    /// A read with weak memory that does not come in the sequence may later see something new, even if it was performed first in all the
    /// ways that there were.
    pub(super) fn covered(&self, sleep: &[Sleeper]) -> bool {
        let sequence = self.sequence();
        sleep.iter().any(|s| match self.initial(&sequence, s.thread) {
            Ok(position) => self.choice(sequence[position]) == s.choice,
            // It may still see something else than it has seen.
            Err(Absence::NotThere) if sleep::is_open(&s.footprint) => false,
            Err(Absence::NotThere) => {
                !s.loose
                    && self.independent(&sequence, &s.footprint)
                    && (s.choices == 1 || (0..s.choices).all(|c| sleep::asleep(sleep, s.thread, c)))
            }
            Err(Absence::NotFirst) => false,
        })
    }

    /// The threads that could come first in the sequence.
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
    pub(super) fn insert(&self, tree: &mut Vec<Branch>, footprints: &mut Footprints, sleep: &[Sleeper]) {
        self.insert_at(tree, self.sequence(), &mut Vec::new(), footprints, sleep);
    }

    /// Inserts into a level of a tree, to which `path` leads.
    fn insert_at(
        &self,
        level: &mut Vec<Branch>,
        sequence: Vec<Item>,
        path: &mut Vec<ThreadId>,
        footprints: &mut Footprints,
        sleep: &[Sleeper],
    ) {
        let found = level.iter().enumerate().find_map(|(i, branch)| {
            let one = self.follows(branch.first(), &sequence, path, footprints)?;
            Some((i, one))
        });
        let Some((found, one)) = found else {
            wakeup_tree::add(level, self.line(&sequence, footprints));
            return;
        };
        if one {
            self.insert_along(&mut level[found], sequence, path, footprints);
            return;
        }
        // The branch does not matter to the sequence, but stands for one of several ways to perform its operation: the
        // sequence must follow all of them, except those that were explored.
        let Step { thread, choices, .. } = level[found].first();
        for choice in (0..choices).filter(|c| !sleep::asleep(sleep, thread, *c)) {
            let there = level
                .iter()
                .position(|b| b.first().thread == thread && b.first().choice() == Some(choice));
            match there {
                Some(there) => self.insert_along(&mut level[there], sequence.clone(), path, footprints),
                None => {
                    let mut steps = vec![Step::new(thread, Some(choice), choices)];
                    steps.extend(self.steps(&sequence, footprints));
                    wakeup_tree::add(level, Branch::line(steps));
                }
            }
        }
    }

    /// Inserts what remains after the first step of a branch, along which the sequence is inserted.
    fn insert_along(
        &self,
        branch: &mut Branch,
        mut sequence: Vec<Item>,
        path: &mut Vec<ThreadId>,
        footprints: &mut Footprints,
    ) {
        let outer = path.len();
        let mut k = 0;
        let leaf = loop {
            let thread = branch.steps()[k].thread;
            if let Ok(position) = self.initial(&sequence, thread) {
                sequence.remove(position);
            }
            path.push(thread);
            k += 1;
            match branch.steps().get(k) {
                None => break branch.children.is_empty(),
                Some(_) if sequence.is_empty() => break true,
                Some(step) if self.follows(*step, &sequence, path, footprints) == Some(true) => {}
                Some(_) => {
                    branch.split(k);
                    break false;
                }
            }
        };
        if !leaf && !sequence.is_empty() {
            self.insert_at(&mut branch.children, sequence, path, footprints, &[]);
        }
        path.truncate(outer);
    }

    /// A sequence as a branch.
    fn line(&self, sequence: &[Item], footprints: &mut Footprints) -> Option<Branch> {
        Branch::line(self.steps(sequence, footprints).collect())
    }

    fn steps(&self, sequence: &[Item], footprints: &mut Footprints) -> impl Iterator<Item = Step> {
        sequence.iter().map(|&event| {
            let executed = event != Item::Second || matches!(self.race.how, Other::Sees(_));
            let memory = footprints.remember(self.footprint(event), executed);
            Step::new(self.thread(event), Some(self.choice(event)), self.choices(event)).with(memory)
        })
    }

    /// Whether a step is a weak initial of the sequence: none if it is not, and false if it is one in only one of several ways.
    fn follows(&self, step: Step, sequence: &[Item], path: &[ThreadId], footprints: &Footprints) -> Option<bool> {
        match self.initial(sequence, step.thread) {
            Ok(position) => (step.choice() == Some(self.choice(sequence[position]))).then_some(true),
            Err(Absence::NotFirst) => None,
            Err(Absence::NotThere) => {
                let footprint = self.look_up(step, path, footprints)?;
                if sleep::is_open(&footprint) {
                    return None;
                }
                self.independent(sequence, &footprint).then_some(step.choices == 1)
            }
        }
    }

    /// What the thread of a step does after `path`, as the present execution knows it.
    fn look_up(&self, step: Step, path: &[ThreadId], footprints: &Footprints) -> Option<Footprint> {
        let remembered = footprints.recall(step.memory);
        let thread = self.execution.threads.get(step.thread.index())?;
        let before = thread.events.partition_point(|e| *e < self.race.first);
        let index = before + path.iter().filter(|t| **t == step.thread).count();
        let mut footprint = match thread.events.get(index) {
            Some(event) => {
                let event = &self.execution.events[event.index()];
                let mut footprint = event.asked.footprint();
                footprint.also = event.footprint.also;
                footprint
            }
            None if thread.is_pending() && thread.events.len() == index => thread.pending.footprint(),
            // The thread does not get there in this execution. What the step remembers is good
            // if its objects were there before the race, and so have the same numbers.
            None => {
                let objects = self.execution.events[self.race.first.index()].objects;
                let (footprint, _) = remembered?;
                let there = |o: ObjectId| o == ObjectId::NONE || o.0 < objects;
                let known = there(footprint.object) && footprint.also.is_none_or(|(o, _)| there(o));
                return known.then_some(footprint);
            }
        };
        if let Some((known, true)) = remembered {
            footprint.effect = known.effect;
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
