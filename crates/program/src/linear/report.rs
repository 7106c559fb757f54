//! What a generated test has found, in words.

use super::operation::{Model, Response};
use crate::report::counted;
use mazurka_linear::Specification;
use mazurka_linear::partial::{Boundary, PartialOperation};
use mazurka_outcome::Verdict;
use std::fmt;
use std::hash::Hash;

/// An operation of a failing scenario, with what it answered.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Called {
    /// The thread, from 1; none if it was called before or after the threads.
    pub thread: Option<usize>,
    /// The operation with its argument.
    pub call: String,
    /// What it answered.
    pub response: String,
}

/// A scenario with an execution that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Failure {
    /// The scenario, in a form that `MAZURKA_SCENARIO` understands.
    pub scenario: String,
    /// The scenario, as text, with the responses if no order of the operations explains them.
    pub table: String,
    /// The operations with their responses. Empty if the execution went wrong before its end.
    pub called: Vec<Called>,
    /// The execution.
    pub violation: crate::Violation,
}

/// What a generated test has seen.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Report {
    /// The answer for the scenarios that were tried. It is inconclusive if one of them has too many executions.
    pub verdict: Verdict,
    /// How many scenarios were explored.
    pub scenarios: u64,
    /// How many executions that took, those for making a scenario smaller included.
    pub executions: u64,
    /// The seed of the scenarios.
    pub seed: u64,
    /// How many scenarios were not explored completely.
    pub incomplete: u64,
    /// A scenario that fails. No operation can be left out of it.
    pub failure: Option<Failure>,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(failure) = &self.failure {
            writeln!(f, "{failure}")?;
        }
        write!(
            f,
            "{}, {}, seed {}",
            counted(self.scenarios, "scenario"),
            counted(self.executions, "execution"),
            self.seed
        )?;
        if self.incomplete > 0 {
            write!(f, "; {} not explored completely", counted(self.incomplete, "scenario"))?;
        }
        Ok(())
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "this scenario fails:\n\n{}", self.table)?;
        let text = self.violation.to_string();
        let replay = format!("MAZURKA_SCENARIO='{}' MAZURKA_REPLAY=", self.scenario);
        write!(f, "{}", text.replace("MAZURKA_REPLAY=", &replay))
    }
}

/// The operations of a scenario, a line for each thread.
pub(super) fn table(called: &[Called]) -> String {
    let during = called
        .iter()
        .rposition(|c| c.thread.is_some())
        .map_or(called.len(), |last| last + 1);
    let mut lines: Vec<(String, String)> = Vec::new();
    for (k, one) in called.iter().enumerate() {
        let place = match one.thread {
            Some(thread) => format!("thread {thread}"),
            None if k < during => "before".to_owned(),
            None => "after".to_owned(),
        };
        let text = match one.response.as_str() {
            "" => one.call.clone(),
            response => format!("{} = {response}", one.call),
        };
        match lines.last_mut() {
            Some((last, line)) if *last == place => *line += &format!("; {text}"),
            _ => lines.push((place, text)),
        }
    }
    lines
        .iter()
        .map(|(place, line)| format!("  {:10}{line}\n", format!("{place}:")))
        .collect()
}

/// Which response no order of the operations explains, and which ones some order would.
pub(super) fn explanation<T, M: Clone + Eq + Hash>(
    model: &Model<'_, T, M>,
    operations: &[PartialOperation<usize, Response>],
    order: &[Boundary],
    called: &[Called],
) -> String {
    let Some(Boundary::Return(culprit)) = order.last().copied() else {
        return "no order of the operations explains their responses".to_owned();
    };
    let mut possible = Vec::new();
    let place = |boundary| order.iter().position(|b| *b == boundary);
    let happened: Vec<usize> = (0..operations.len())
        .filter(|k| place(Boundary::Invocation(*k)).is_some())
        .collect();
    let search = Explained {
        model,
        operations,
        happened: &happened,
        place: &place,
        culprit,
    };
    search.collect(&mut Vec::new(), &model.initial(), None, &mut possible);
    let Called { call, response, .. } = &called[culprit];
    let mut text = format!("no order of the operations explains that {call} answered {response}");
    if let Some((last, others)) = possible.split_last() {
        text += "; it could have answered ";
        if !others.is_empty() {
            text += &format!("{} or ", others.join(", "));
        }
        text += last;
    }
    text
}

/// The orders of operations in which all but one answer as they did.
struct Explained<'a, T, M> {
    model: &'a Model<'a, T, M>,
    operations: &'a [PartialOperation<usize, Response>],
    happened: &'a [usize],
    place: &'a dyn Fn(Boundary) -> Option<usize>,
    culprit: usize,
}

impl<T, M: Clone + Eq + Hash> Explained<'_, T, M> {
    fn collect(&self, order: &mut Vec<usize>, state: &M, answer: Option<&String>, possible: &mut Vec<String>) {
        let returned = |k: &usize| (self.place)(Boundary::Return(*k)).is_some();
        if let Some(answer) = answer
            && self.happened.iter().all(|k| order.contains(k) || !returned(k))
            && !possible.contains(answer)
        {
            possible.push(answer.clone());
        }
        for &next in self.happened {
            let precedes =
                |other: &usize| (self.place)(Boundary::Return(*other)) < (self.place)(Boundary::Invocation(next));
            let too_early = |other: &&usize| returned(other) && precedes(other) && !order.contains(other);
            if order.contains(&next) || self.happened.iter().find(too_early).is_some() {
                continue;
            }
            let PartialOperation { operation, response } = &self.operations[next];
            let mut after = state.clone();
            let given = (self.model.calls[*operation].on_model)(&mut after);
            if next != self.culprit && response.as_ref() != Some(&given) {
                continue;
            }
            let text = (next == self.culprit).then_some(given.text);
            order.push(next);
            self.collect(order, &after, text.as_ref().or(answer), possible);
            order.pop();
        }
    }
}
