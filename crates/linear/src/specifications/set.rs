//! Sets: add, remove, contains, and reading all elements.

use crate::Specification;
use std::collections::BTreeSet;
use std::hash::Hash;
use std::marker::PhantomData;

/// A set that is empty at the beginning.
#[derive(Clone, Copy, Debug, Default)]
pub struct Set<V>(PhantomData<V>);

/// What can be done to a set.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Operation<V> {
    /// Adds an element.
    Add(V),
    /// Removes an element.
    Remove(V),
    /// Asks for an element.
    Contains(V),
    /// Reads all elements.
    Read,
}

impl<V> Operation<V> {
    /// The element that an operation is about, if it is about one.
    pub fn element(&self) -> Option<&V> {
        match self {
            Self::Add(element) | Self::Remove(element) | Self::Contains(element) => Some(element),
            Self::Read => None,
        }
    }
}

/// What a set answers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Response<V> {
    /// It is done; nobody says whether the set has changed.
    Done,
    /// Whether the element was added, was removed, or is there.
    Answer(bool),
    /// All elements.
    Elements(BTreeSet<V>),
}

impl<V> Set<V> {
    /// A set that is empty at the beginning.
    pub fn new() -> Self {
        Self(PhantomData)
    }
}

impl<V: Clone + Ord + Hash> Specification for Set<V> {
    type State = BTreeSet<V>;
    type Operation = Operation<V>;
    type Response = Response<V>;

    fn initial(&self) -> BTreeSet<V> {
        BTreeSet::new()
    }

    fn step(
        &self,
        set: &BTreeSet<V>,
        operation: &Operation<V>,
        response: Option<&Response<V>>,
        next: &mut Vec<BTreeSet<V>>,
    ) {
        let is_there = operation.element().is_some_and(|element| set.contains(element));
        let answer = match operation {
            Operation::Add(_) => !is_there,
            Operation::Remove(_) | Operation::Contains(_) | Operation::Read => is_there,
        };
        let changes = matches!(operation, Operation::Add(_) | Operation::Remove(_));
        let fits = match response {
            None => true,
            Some(Response::Done) => changes,
            Some(Response::Answer(said)) => *operation != Operation::Read && *said == answer,
            Some(Response::Elements(said)) => *operation == Operation::Read && said == set,
        };
        if !fits {
            return;
        }
        let mut after = set.clone();
        match operation {
            Operation::Add(element) => _ = after.insert(element.clone()),
            Operation::Remove(element) => _ = after.remove(element),
            Operation::Contains(_) | Operation::Read => {}
        }
        next.push(after);
    }

    fn only_reads(&self, operation: &Operation<V>, response: Option<&Response<V>>) -> bool {
        match operation {
            Operation::Contains(_) | Operation::Read => true,
            Operation::Add(_) | Operation::Remove(_) => response == Some(&Response::Answer(false)),
        }
    }

    fn bytes(&self, set: &BTreeSet<V>) -> usize {
        size_of::<BTreeSet<V>>() + 2 * set.len() * size_of::<V>()
    }
}
