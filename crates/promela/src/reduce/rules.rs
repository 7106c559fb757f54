//! What each edge brings into a set, worked out once for all states that give the same answers.
//!
//! The rule of an edge has alternatives, which are sets of edges of all processes. It depends on the processes: their kinds
//! ([`Instance`](super::instance)), which are the *cast* of the state, not on where they are, since edges that a process
//! cannot come to are left out when the rule is applied ([`Closure`](super::closure)). Besides, it depends on the state only by the answers to
//! [questions](super::inquiry). So each cast has a tree of [decisions](super::decisions) for each edge.

use super::decisions::Decisions;
use super::inquiry::{Answer, Notes, Question};
use super::instance::InstanceId;
use crate::narrow::index;
use std::collections::HashMap;

/// Rules are kept for this many casts.
const CASTS: usize = 256;

/// What an edge is, as far as its rule is concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// It is current and executable.
    Executable,
    /// It is current and not executable.
    Blocked,
    /// It is not current.
    Cut,
}

/// The alternatives of a rule, as [`Rules`] keeps them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// All current edges.
    Here,
    /// These; there may be none.
    Rows(u32),
    /// Those that the edge has in this state.
    Own,
}

/// The rules of all casts, and those of the current state.
#[derive(Clone, Debug, Default)]
pub(super) struct Rules {
    casts: Vec<Cast>,
    numbers: HashMap<Box<[InstanceId]>, usize>,
    /// The cast of the current state, unless there are too many.
    cast: Option<usize>,
    /// The kinds of processes of the state.
    kinds: Vec<InstanceId>,
    decisions: Decisions,
    rows: Vec<Kept>,
    pub(super) questions: Questions,
    /// For each edge, its rule in the current state.
    here: Vec<Here>,
    /// For each edge, the alternatives of a rule that is not kept.
    own: Vec<Vec<u64>>,
    /// The number of states so far. Rules with another number are of another state.
    stamp: u64,
    /// What a set depends on, if it is to be remembered.
    pub(super) trace: Trace,
}

/// The alternatives of a rule.
#[derive(Clone, Debug)]
struct Kept {
    rows: Box<[u64]>,
    /// What each of them brings in [at any rate](super::flow::Flow::forced).
    forced: Box<[u64]>,
}

#[derive(Clone, Debug)]
struct Cast {
    /// For each edge and kind, the tree of its rule.
    roots: Vec<[u32; 3]>,
    /// The edges that a property observes.
    observed: Vec<u64>,
}

/// No tree yet.
const NONE: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
struct Here {
    stamp: u64,
    /// The trace that has its questions.
    traced: u64,
    found: Found,
}

/// The questions that were asked, with the number of the process that asks. Each has a number.
#[derive(Clone, Debug, Default)]
pub(super) struct Questions {
    all: Vec<(usize, Question)>,
    of: Vec<Vec<u32>>,
}

impl Questions {
    /// The question with a number, and the process that asks it.
    #[inline]
    pub(super) fn get(&self, number: u32) -> &(usize, Question) {
        &self.all[number as usize]
    }

    /// The number of a question. One that is the same for all processes is asked by the first.
    fn number(&mut self, process: usize, question: Question) -> u32 {
        let process = if question.is_impersonal() { 0 } else { process };
        if self.of.len() <= process {
            self.of.resize_with(process + 1, Vec::new);
        }
        let known = self.of[process]
            .iter()
            .find(|number| self.all[**number as usize].1 == question);
        if let Some(number) = known {
            return *number;
        }
        let number = index(self.all.len());
        self.all.push((process, question));
        self.of[process].push(number);
        number
    }
}

/// The questions on which a set depends, besides where the processes are and what is executable.
#[derive(Clone, Debug, Default)]
pub(super) struct Trace {
    /// Its number; traces begin with 1.
    number: u64,
    pub(super) is_on: bool,
    pub(super) asked: Vec<(u32, Answer)>,
}

impl Trace {
    /// Begins a new one.
    pub(super) fn begin(&mut self) {
        self.number += 1;
        self.is_on = true;
        self.asked.clear();
    }

    fn add(&mut self, questions: &Questions, question: u32, answer: Answer) {
        let is_known = questions.get(question).1.is_about_control();
        if !is_known && !self.asked.iter().any(|(known, _)| *known == question) {
            self.asked.push((question, answer));
        }
    }
}

impl Rules {
    /// Goes on to another state, with sets of so many words. `observed` says which edges a property observes.
    pub(super) fn turn_to(
        &mut self,
        instances: &[InstanceId],
        row: usize,
        keeps: bool,
        observed: impl FnOnce() -> Vec<u64>,
    ) {
        self.stamp += 1;
        if self.here.len() < row * 64 {
            let nothing = Here {
                stamp: 0,
                traced: 0,
                found: Found::Here,
            };
            self.here.resize(row * 64, nothing);
            self.own.resize_with(row * 64, Vec::new);
        }
        if self.cast.is_some() && self.kinds == instances {
            return;
        }
        self.kinds.clear();
        self.kinds.extend_from_slice(instances);
        self.cast = match self.numbers.get(instances) {
            _ if !keeps => None,
            Some(number) => Some(*number),
            None if self.casts.len() < CASTS => {
                self.casts.push(Cast {
                    roots: vec![[NONE; 3]; row * 64],
                    observed: observed(),
                });
                self.numbers.insert(instances.into(), self.casts.len() - 1);
                Some(self.casts.len() - 1)
            }
            None => None,
        };
    }

    /// Whether the rules of the current state are kept.
    pub(super) fn are_kept(&self) -> bool {
        self.cast.is_some()
    }

    /// The edges that a property observes, if that is kept.
    pub(super) fn observed(&self) -> Option<&[u64]> {
        self.cast.map(|cast| &self.casts[cast].observed[..])
    }

    /// The alternatives that were found.
    #[inline]
    pub(super) fn rows(&self, edge: usize, found: Found) -> &[u64] {
        match found {
            Found::Here => &[],
            Found::Rows(number) => &self.rows[number as usize].rows,
            Found::Own => &self.own[edge],
        }
    }

    /// What the alternatives that were found bring in at any rate; empty if that is not known.
    #[inline]
    pub(super) fn forced(&self, found: Found) -> &[u64] {
        match found {
            Found::Rows(number) => &self.rows[number as usize].forced,
            Found::Here | Found::Own => &[],
        }
    }

    /// The rule of an edge in the current state, if it was found before.
    #[inline]
    pub(super) fn known(&self, edge: usize) -> Option<Found> {
        let here = &self.here[edge];
        let is_traced = !self.trace.is_on || here.traced == self.trace.number;
        (here.stamp == self.stamp && is_traced).then_some(here.found)
    }

    /// The rule of an edge, if the cast knows one for these answers.
    pub(super) fn find(
        &mut self,
        edge: usize,
        kind: Kind,
        answer: impl Fn(usize, &Question) -> Answer,
    ) -> Option<Found> {
        let root = self.casts[self.cast?].roots[edge][kind as usize];
        if root == NONE {
            return None;
        }
        let Self {
            trace,
            decisions,
            questions,
            ..
        } = self;
        let before = trace.asked.len();
        let found = decisions.find(root, |number| {
            let (process, question) = questions.get(number);
            let answer = answer(*process, question);
            if trace.is_on {
                trace.add(questions, number, answer);
            }
            answer
        });
        if found.is_none() {
            self.trace.asked.truncate(before);
            return None;
        }
        let found = found.map(|number| match number {
            NONE => Found::Here,
            number => Found::Rows(number),
        });
        found.inspect(|found| self.set(edge, *found))
    }

    /// Room for the alternatives of a rule that is about to be worked out.
    pub(super) fn room(&mut self, edge: usize) -> Vec<u64> {
        let mut room = std::mem::take(&mut self.own[edge]);
        room.clear();
        room
    }

    /// Keeps a rule: these alternatives, or all current edges, what alternatives bring in at any rate, and the questions of `process` that it
    /// depends on.
    pub(super) fn learn(
        &mut self,
        (process, edge): (usize, usize),
        kind: Kind,
        rows: Option<Vec<u64>>,
        forced: impl FnOnce(&[u64]) -> Vec<u64>,
        notes: &Notes,
    ) -> Found {
        let found = match self.cast {
            None => match rows {
                Some(rows) => {
                    self.own[edge] = rows;
                    Found::Own
                }
                None => Found::Here,
            },
            Some(cast) => {
                let asked = notes.take().into_iter();
                let asked: Vec<(u32, Answer)> = asked
                    .map(|(question, answer)| (self.questions.number(process, question), answer))
                    .collect();
                let (result, found) = match rows {
                    None => (NONE, Found::Here),
                    Some(rows) => {
                        let number = index(self.rows.len());
                        self.rows.push(Kept {
                            forced: forced(&rows).into(),
                            rows: rows.into(),
                        });
                        (number, Found::Rows(number))
                    }
                };
                let root = &mut self.casts[cast].roots[edge][kind as usize];
                if *root == NONE {
                    *root = self.decisions.plant();
                }
                self.decisions.learn(*root, &asked, result);
                if self.trace.is_on {
                    for (question, answer) in asked {
                        self.trace.add(&self.questions, question, answer);
                    }
                }
                found
            }
        };
        self.set(edge, found);
        found
    }

    fn set(&mut self, edge: usize, found: Found) {
        self.here[edge] = Here {
            stamp: self.stamp,
            traced: self.trace.number,
            found,
        };
    }
}
