//! Lists to which operations append, and which they read as a whole.
//!
//! All lists of a search are kept as one tree, in which each is its last value and the list before it. A state is the number of a
//! list, so that lists of thousands of values cost a few bytes each.

use crate::Specification;
use std::cell::RefCell;
use std::collections::HashMap;
use std::hash::Hash;

/// A list that is empty at the beginning.
#[derive(Debug)]
pub struct AppendList<V> {
    lists: RefCell<Lists<V>>,
}

#[derive(Debug)]
struct Lists<V> {
    /// The list before the last value, the value, and the length. The empty list is number 0, and is not here.
    lists: Vec<(u32, V, usize)>,
    numbers: HashMap<(u32, V), u32>,
}

/// What can be done to a list.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Operation<V> {
    /// Appends a value.
    Append(V),
    /// Reads the list.
    Read,
}

/// What a list answers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Response<V> {
    /// The value was appended.
    Done,
    /// The list.
    List(Vec<V>),
}

impl<V> Default for AppendList<V> {
    fn default() -> Self {
        let lists = Lists {
            lists: Vec::new(),
            numbers: HashMap::new(),
        };
        Self {
            lists: RefCell::new(lists),
        }
    }
}

impl<V: Clone + Eq + Hash> Lists<V> {
    fn appended(&mut self, list: u32, value: &V) -> u32 {
        let length = self.length(list) + 1;
        let next = u32::try_from(self.lists.len() + 1).expect("there are at most 4,294,967,295 lists");
        *self.numbers.entry((list, value.clone())).or_insert_with(|| {
            self.lists.push((list, value.clone(), length));
            next
        })
    }

    fn length(&self, list: u32) -> usize {
        self.entry(list).map_or(0, |(_, _, length)| *length)
    }

    fn entry(&self, list: u32) -> Option<&(u32, V, usize)> {
        self.lists.get((list as usize).checked_sub(1)?)
    }

    fn equals(&self, mut list: u32, values: &[V]) -> bool {
        self.length(list) == values.len()
            && values.iter().rev().all(|value| {
                let (before, last, _) = self.entry(list).expect("it is long enough");
                list = *before;
                last == value
            })
    }
}

impl<V: Clone + Eq + Hash> Specification for AppendList<V> {
    /// The number of a list.
    type State = u32;
    type Operation = Operation<V>;
    type Response = Response<V>;

    fn initial(&self) -> u32 {
        0
    }

    fn step(&self, list: &u32, operation: &Operation<V>, response: Option<&Response<V>>, next: &mut Vec<u32>) {
        let mut lists = self.lists.borrow_mut();
        match (operation, response) {
            (Operation::Append(value), None | Some(Response::Done)) => next.push(lists.appended(*list, value)),
            (Operation::Read, None) => next.push(*list),
            (Operation::Read, Some(Response::List(values))) if lists.equals(*list, values) => next.push(*list),
            _ => {}
        }
    }

    fn only_reads(&self, operation: &Operation<V>, _: Option<&Response<V>>) -> bool {
        *operation == Operation::Read
    }

    fn bytes(&self, _: &u32) -> usize {
        2 * size_of::<(u32, V, usize)>()
    }
}
