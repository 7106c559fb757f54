//! Counters: add and read.

use crate::Specification;

/// A counter.
#[derive(Clone, Copy, Debug)]
pub struct Counter {
    /// The number at the beginning.
    pub initial: i64,
}

/// What can be done to a counter.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Operation {
    /// Reads the number.
    Read,
    /// Adds to the number, which wraps.
    Add(i64),
}

/// What a counter answers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Response {
    /// An addition is done.
    Done,
    /// The number that was read, or the one after an addition.
    Value(i64),
}

impl Specification for Counter {
    type State = i64;
    type Operation = Operation;
    type Response = Response;

    fn initial(&self) -> i64 {
        self.initial
    }

    fn step(&self, number: &i64, operation: &Operation, response: Option<&Response>, next: &mut Vec<i64>) {
        let after = match operation {
            Operation::Read => *number,
            Operation::Add(more) => number.wrapping_add(*more),
        };
        let fits = match response {
            None => true,
            Some(Response::Done) => *operation != Operation::Read,
            Some(Response::Value(value)) => *value == after,
        };
        if fits {
            next.push(after);
        }
    }

    fn only_reads(&self, operation: &Operation, _: Option<&Response>) -> bool {
        matches!(operation, Operation::Read | Operation::Add(0))
    }
}
