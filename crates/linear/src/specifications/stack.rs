//! Stacks without a bound: push and pop.

use crate::Specification;
use std::hash::Hash;
use std::marker::PhantomData;

/// A stack that is empty at the beginning.
#[derive(Clone, Copy, Debug, Default)]
pub struct Stack<V>(PhantomData<V>);

/// What can be done to a stack.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Operation<V> {
    /// Puts a value into it.
    Push(V),
    /// Takes the value that was put into it last of those that are there.
    Pop,
}

/// What a stack answers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Response<V> {
    /// The value is in it.
    Done,
    /// The value that was taken.
    Value(V),
    /// There is nothing to take.
    Empty,
}

impl<V> Stack<V> {
    /// A stack that is empty at the beginning.
    pub fn new() -> Self {
        Self(PhantomData)
    }
}

impl<V: Clone + Eq + Hash> Specification for Stack<V> {
    type State = Vec<V>;
    type Operation = Operation<V>;
    type Response = Response<V>;

    fn initial(&self) -> Vec<V> {
        Vec::new()
    }

    fn step(&self, all: &Vec<V>, operation: &Operation<V>, response: Option<&Response<V>>, next: &mut Vec<Vec<V>>) {
        match (operation, all.last()) {
            (Operation::Push(value), _) if matches!(response, None | Some(Response::Done)) => {
                let mut after = all.clone();
                after.push(value.clone());
                next.push(after);
            }
            (Operation::Pop, None) if matches!(response, None | Some(Response::Empty)) => next.push(Vec::new()),
            (Operation::Pop, Some(value)) => {
                let fits = match response {
                    None => true,
                    Some(Response::Value(said)) => said == value,
                    Some(_) => false,
                };
                if fits {
                    next.push(all[..all.len() - 1].to_vec());
                }
            }
            _ => {}
        }
    }

    fn only_reads(&self, operation: &Operation<V>, response: Option<&Response<V>>) -> bool {
        *operation == Operation::Pop && response == Some(&Response::Empty)
    }

    fn bytes(&self, all: &Vec<V>) -> usize {
        size_of::<Vec<V>>() + size_of_val(&all[..])
    }
}
