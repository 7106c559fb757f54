//! Locks without owners: acquire and release.

use crate::Specification;

/// A lock that is free at the beginning.
#[derive(Clone, Copy, Debug, Default)]
pub struct Mutex;

/// What can be done to a lock.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Operation {
    /// Acquires the lock, when it is free.
    Acquire,
    /// Acquires the lock, if it is free.
    TryAcquire,
    /// Releases the lock, which must be held.
    Release,
}

/// What a lock answers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Response {
    /// It is done.
    Done,
    /// It is not done, since the lock is held.
    Busy,
}

impl Specification for Mutex {
    type State = bool;
    type Operation = Operation;
    type Response = Response;

    fn initial(&self) -> bool {
        false
    }

    fn step(&self, held: &bool, operation: &Operation, response: Option<&Response>, next: &mut Vec<bool>) {
        let may = |answer: &Response| response.is_none_or(|response| response == answer);
        match operation {
            Operation::Acquire | Operation::TryAcquire if !held && may(&Response::Done) => next.push(true),
            Operation::TryAcquire if *held && may(&Response::Busy) => next.push(true),
            Operation::Release if *held && may(&Response::Done) => next.push(false),
            _ => {}
        }
    }

    fn only_reads(&self, operation: &Operation, response: Option<&Response>) -> bool {
        *operation == Operation::TryAcquire && response == Some(&Response::Busy)
    }
}
