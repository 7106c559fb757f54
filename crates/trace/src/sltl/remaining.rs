//! Snapshots of conditions that relate processes: where processes have stopped, and what is left of the condition.
//!
//! A consistent cut of what has happened either contains all events of a process, which is then *live*, or the process has
//! *stopped* before. Of a cut it matters only where processes have stopped, and what remains of the condition when the
//! values of those are put in: if `a` has stopped with `a.x == 3`, then of `a.x + b.y > 5` remains `b.y > 2`
//! (Niebert and Peled, section 5). An event of a process that is live in a cut gives up to two.
//!
//! * If all its causes are in the cut, the event is too.
//! * The process stops before the event.
//!
//! The snapshot is passed if what remains is true with the present values. A cut is dropped if that can never be, and if
//! another one leaves the same of the condition and contains it: whatever events come, the larger one can take
//! all those that the smaller one can, and the condition asks nothing of the processes that have stopped in one only. So one cut is left for
//! each number of remainders, and those of a sum are as many as the sums are, not as their parts.

use crate::causality::{Cut, Event};
use crate::predicate::{self, Balance, EvaluationError, Node, Weight};
use crate::value::Value;
use mazurka_core::ProcessId;
use std::sync::Arc;

/// The conditions of a snapshot: a formula in negation normal form, whose literals are atoms of several bound formulas.
#[derive(Clone, Debug)]
pub(super) enum Condition {
    Known(bool),
    Literal(Literal),
    And(Vec<Condition>),
    Or(Vec<Condition>),
}

/// An atom or its negation, with the values of processes that have stopped.
#[derive(Clone, Debug)]
pub(super) struct Literal {
    atom: Arc<predicate::Atom>,
    /// Where its bound formula begins in the text.
    at: usize,
    balance: Option<Arc<Balance>>,
    positive: bool,
    /// Of each read, the value, if its process has stopped.
    values: Vec<Option<Value>>,
    /// If it compares a sum, what those that have stopped add to it.
    sum: Option<f64>,
}

/// Two literals are the same if they will always be: the same atom, with the same processes stopped, and the same sum or
/// the same values.
impl PartialEq for Literal {
    fn eq(&self, other: &Self) -> bool {
        let stopped = |literal: &Self| literal.values.iter().map(Option::is_some).collect::<Vec<_>>();
        let alike = match (self.sum, other.sum) {
            (Some(a), Some(b)) => a.to_bits() == b.to_bits(),
            (None, None) => self.values == other.values,
            _ => false,
        };
        Arc::ptr_eq(&self.atom, &other.atom)
            && self.positive == other.positive
            && alike
            && stopped(self) == stopped(other)
    }
}

impl PartialEq for Condition {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Known(a), Self::Known(b)) => a == b,
            (Self::Literal(a), Self::Literal(b)) => a == b,
            (Self::And(a), Self::And(b)) | (Self::Or(a), Self::Or(b)) => a == b,
            _ => false,
        }
    }
}

/// The present values of variables.
pub(super) type Present<'a> = &'a dyn Fn(ProcessId, &str) -> Value;

/// Why a condition has no value, and where the predicate begins that is to blame.
pub(super) type Undefined = (EvaluationError, usize);

impl Condition {
    /// A part of a bound formula, or its negation, with nobody stopped; `atoms` are those of the formula.
    pub(super) fn of(node: &Node, positive: bool, atoms: &[Arc<predicate::Atom>], at: usize) -> Self {
        let all = |nodes: &[Node]| nodes.iter().map(|node| Self::of(node, positive, atoms, at)).collect();
        match node {
            Node::Constant(truth) => Self::Known(*truth == positive),
            Node::Literal { atom, positive: own } => {
                let atom = atoms[*atom].clone();
                let balance = atom.balance().map(Arc::new);
                Self::Literal(Literal {
                    at,
                    positive: *own == positive,
                    values: vec![None; atom.reads.len()],
                    sum: balance.as_ref().map(|_| 0.0),
                    balance,
                    atom,
                })
            }
            Node::And(nodes) => Self::joined(all(nodes), positive),
            Node::Or(nodes) => Self::joined(all(nodes), !positive),
        }
    }

    /// The conjunction of some members, or their disjunction.
    pub(super) fn joined(members: Vec<Self>, and: bool) -> Self {
        let mut left = Vec::new();
        for member in members {
            match member {
                Self::Known(truth) if truth == and => {}
                Self::Known(_) => return Self::Known(!and),
                Self::And(inner) if and => left.extend(inner),
                Self::Or(inner) if !and => left.extend(inner),
                other => left.push(other),
            }
        }
        match (left.len(), and) {
            (0, _) => Self::Known(and),
            (1, _) => left.swap_remove(0),
            (_, true) => Self::And(left),
            (_, false) => Self::Or(left),
        }
    }

    /// What is left when a process stops with its present values.
    fn stopped(&self, process: ProcessId, present: Present<'_>) -> Self {
        let all = |members: &[Self]| members.iter().map(|member| member.stopped(process, present)).collect();
        match self {
            Self::Known(truth) => Self::Known(*truth),
            Self::Literal(literal) => literal.stopped(process, present),
            Self::And(members) => Self::joined(all(members), true),
            Self::Or(members) => Self::joined(all(members), false),
        }
    }

    /// Its truth with the present values of who has not stopped. What has no value counts only if it decides.
    fn truth(&self, present: Present<'_>) -> Result<bool, Undefined> {
        let (members, decisive) = match self {
            Self::Known(truth) => return Ok(*truth),
            Self::Literal(literal) => return literal.truth(present),
            Self::And(members) => (members, false),
            Self::Or(members) => (members, true),
        };
        let mut first = None;
        for member in members {
            match member.truth(present) {
                Ok(truth) if truth == decisive => return Ok(truth),
                Ok(_) => {}
                Err(error) => first = first.or(Some(error)),
            }
        }
        first.map_or(Ok(!decisive), Err)
    }
}

impl Literal {
    fn stopped(&self, process: ProcessId, present: Present<'_>) -> Condition {
        let reads = self.atom.reads.iter().zip(&self.values);
        if !reads
            .clone()
            .any(|(read, value)| read.process == process && value.is_none())
        {
            return Condition::Literal(self.clone());
        }
        let values: Vec<Option<Value>> = reads
            .map(|(read, value)| match read.process == process {
                true => Some(present(process, &read.variable)),
                false => value.clone(),
            })
            .collect();
        let sum = self.sum.and_then(|sum| {
            let null = Value::Null;
            let known: Vec<&Value> = values.iter().map(|value| value.as_ref().unwrap_or(&null)).collect();
            match self.atom.weight(self.balance.as_ref()?, process, &known) {
                Weight::Number(weight, true) => Some(sum + weight),
                _ => None,
            }
        });
        let next = Self {
            values,
            sum,
            ..self.clone()
        };
        // Nothing of it is left to come.
        let decided = next.values.iter().all(Option::is_some).then(|| next.truth(present));
        match decided {
            Some(Ok(truth)) => Condition::Known(truth),
            _ => Condition::Literal(next),
        }
    }

    fn truth(&self, present: Present<'_>) -> Result<bool, Undefined> {
        let reads = self.atom.reads.iter().zip(&self.values);
        let values = reads.map(|(read, value)| match value {
            Some(value) => value.clone(),
            None => present(read.process, &read.variable),
        });
        let values: Vec<Value> = values.collect();
        let truth = self.atom.evaluate(&values.iter().collect::<Vec<_>>());
        truth
            .map(|truth| truth == self.positive)
            .map_err(|error| (error, self.at))
    }
}

/// The cuts of what has happened so far that matter.
#[derive(Debug)]
pub(super) struct Remaining {
    /// What is left of the condition, and where processes have stopped.
    cuts: Vec<(Condition, Vec<Option<u32>>)>,
    passed: bool,
}

impl Remaining {
    /// Before the first event.
    pub(super) fn new(condition: Condition, processes: usize) -> Self {
        Self {
            cuts: vec![(condition, vec![None; processes])],
            passed: false,
        }
    }

    /// Adds a process that has done nothing so far.
    pub(super) fn add_process(&mut self) {
        self.cuts.iter_mut().for_each(|(_, stops)| stops.push(None));
    }

    /// An event is about to happen; `present` are the values before it.
    pub(super) fn event(&mut self, event: Event, causes: &[Event], present: Present<'_>) {
        let p = event.process.index();
        let mut stopped = Vec::new();
        self.cuts.retain(|(condition, stops)| {
            if stops[p].is_some() {
                return true;
            }
            let left = condition.stopped(event.process, present);
            if left != Condition::Known(false) {
                let mut stops = stops.clone();
                stops[p] = Some(event.index - 1);
                stopped.push((left, stops));
            }
            let contains = |cause: &Event| stops[cause.process.index()].is_none_or(|last| cause.index <= last);
            causes.iter().all(contains)
        });
        for cut in stopped {
            self.insert(cut);
        }
    }

    /// Adds a cut, unless a larger one leaves the same of the condition; removes smaller ones that do.
    fn insert(&mut self, (left, stops): (Condition, Vec<Option<u32>>)) {
        let contains = |a: &[Option<u32>], b: &[Option<u32>]| {
            let mut places = a.iter().zip(b);
            places.all(|(a, b)| match (a, b) {
                (None, _) => true,
                (Some(_), None) => false,
                (Some(a), Some(b)) => a >= b,
            })
        };
        if self
            .cuts
            .iter()
            .any(|(other, larger)| contains(larger, &stops) && *other == left)
        {
            return;
        }
        self.cuts
            .retain(|(other, smaller)| !(contains(&stops, smaller) && *other == left));
        self.cuts.push((left, stops));
    }

    /// A consistent cut of what has happened in which the condition holds, if there is one and none was found before;
    /// `last` are the numbers of events so far.
    pub(super) fn cut(&mut self, last: &[u32], present: Present<'_>) -> Result<Option<Cut>, Undefined> {
        if self.passed {
            return Ok(None);
        }
        for (left, stops) in &self.cuts {
            if left.truth(present)? {
                self.passed = true;
                let place = |(stop, last): (&Option<u32>, &u32)| stop.unwrap_or(*last);
                return Ok(Some(stops.iter().zip(last).map(place).collect()));
            }
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_cuts_that_leave_the_same_the_larger_ones_are_kept() {
        let mut remaining = Remaining {
            cuts: Vec::new(),
            passed: false,
        };
        let mut add = |stops: [Option<u32>; 2]| {
            remaining.insert((Condition::Known(true), stops.to_vec()));
            remaining
                .cuts
                .iter()
                .map(|(_, stops)| [stops[0], stops[1]])
                .collect::<Vec<_>>()
        };
        assert_eq!(add([Some(1), None]), [[Some(1), None]]);
        // Neither contains the other.
        assert_eq!(add([None, Some(2)]), [[Some(1), None], [None, Some(2)]]);
        assert_eq!(add([Some(0), None]), [[Some(1), None], [None, Some(2)]]);
        assert_eq!(add([Some(2), None]), [[None, Some(2)], [Some(2), None]]);
        assert_eq!(add([None, None]), [[None, None]]);
    }
}
