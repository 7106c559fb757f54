//! Registers: read, write, compare and swap.

use super::zones;
use crate::check::{Found, check, holds, violated};
use crate::{History, Specification};
use mazurka_outcome::{Limits, Outcome, Statistics};
use std::hash::Hash;
use std::time::Instant;

/// A register.
#[derive(Clone, Copy, Debug)]
pub struct Register<V> {
    /// The value at the beginning.
    pub initial: V,
}

/// What can be done to a register.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Operation<V> {
    /// Reads the value.
    Read,
    /// Replaces the value.
    Write(V),
    /// Replaces the first value, if it is there, by the second one.
    CompareAndSwap(V, V),
}

/// What a register answers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Response<V> {
    /// A write is done.
    Done,
    /// The value that was read.
    Value(V),
    /// Whether the value was replaced.
    Swapped(bool),
}

impl<V: Clone + Eq + Hash> Specification for Register<V> {
    type State = V;
    type Operation = Operation<V>;
    type Response = Response<V>;

    fn initial(&self) -> V {
        self.initial.clone()
    }

    fn step(&self, value: &V, operation: &Operation<V>, response: Option<&Response<V>>, next: &mut Vec<V>) {
        let may = |answer: Response<V>| response.is_none_or(|response| *response == answer);
        match operation {
            Operation::Read if may(Response::Value(value.clone())) => next.push(value.clone()),
            Operation::Write(new) if may(Response::Done) => next.push(new.clone()),
            Operation::CompareAndSwap(old, new) if old == value && may(Response::Swapped(true)) => {
                next.push(new.clone())
            }
            Operation::CompareAndSwap(old, _) if old != value && may(Response::Swapped(false)) => {
                next.push(value.clone());
            }
            _ => {}
        }
    }

    fn only_reads(&self, operation: &Operation<V>, response: Option<&Response<V>>) -> bool {
        match operation {
            Operation::Read => true,
            Operation::Write(_) => false,
            Operation::CompareAndSwap(..) => response == Some(&Response::Swapped(false)),
        }
    }
}

/// The same as [`check`](crate::check), without a search if each value is written once and nothing compares: in `n log n` steps for `n`
/// operations (Gibbons, Korach, *Testing Shared Memories*, SIAM Journal on Computing 1997).
pub fn check_unique<V: Clone + Eq + Hash>(
    register: &Register<V>,
    history: &History<Operation<V>, Response<V>>,
    limits: Limits<'_>,
) -> Outcome<Found> {
    let start = Instant::now();
    let statistics = || Statistics {
        transitions: history.len() as u64,
        time: start.elapsed(),
        ..Statistics::default()
    };
    match zones::order(register, history) {
        None => check(register, history, limits),
        Some(Ok(order)) => holds(register, history, order, statistics()),
        Some(Err(_)) => {
            let limits = limits.from_now();
            match zones::shortest(register, history, &limits) {
                Ok((operation, before, reason)) => {
                    violated(register, history, (operation, before), Some(reason), statistics())
                }
                Err(limit) => Outcome::unanswered(limit.into(), Found::default()),
            }
        }
    }
}
