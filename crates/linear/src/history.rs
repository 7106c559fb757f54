//! Histories: who invoked what, and when it returned.
//!
//! Herlihy, Wing, *Linearizability: A Correctness Condition for Concurrent Objects*, TOPLAS 1990, section 2. An operation that never
//! returned, or whose outcome nobody knows, may or may not have taken effect, at any time after its invocation. One that failed
//! did not happen.

use std::collections::HashMap;
use std::hash::Hash;

/// An operation of a history: the number of its invocation among all invocations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OperationId(pub u32);

impl OperationId {
    /// The number as an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A place in a history: how many invocations and returns are before it.
pub type Moment = u32;

/// How an operation ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Completion<R> {
    /// It never returned, or nobody knows with what outcome.
    Unknown,
    /// It did not happen.
    Failed,
    /// It returned.
    Returned {
        /// When.
        at: Moment,
        /// With what.
        response: R,
    },
}

/// An operation, from its invocation on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invocation<O, R> {
    /// Who invoked it.
    pub process: u64,
    /// What was invoked.
    pub operation: O,
    /// When.
    pub at: Moment,
    /// How it ended.
    pub completion: Completion<R>,
}

impl<O, R> Invocation<O, R> {
    /// When it returned, if it did.
    pub fn returned(&self) -> Option<Moment> {
        match self.completion {
            Completion::Returned { at, .. } => Some(at),
            Completion::Unknown | Completion::Failed => None,
        }
    }

    /// Its response, if it returned.
    pub fn response(&self) -> Option<&R> {
        match &self.completion {
            Completion::Returned { response, .. } => Some(response),
            Completion::Unknown | Completion::Failed => None,
        }
    }

    /// Whether it certainly did not happen.
    pub fn failed(&self) -> bool {
        matches!(self.completion, Completion::Failed)
    }
}

/// A history: invocations and returns in the order of real time.
///
/// ```
/// use mazurka_linear::History;
///
/// let mut history = History::new();
/// let write = history.invoke(0, "write 1");
/// let read = history.invoke(1, "read");
/// history.returned(read, 1);
/// assert!(!history.precedes(write, read) && !history.precedes(read, write));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct History<O, R> {
    operations: Vec<Invocation<O, R>>,
    moments: Moment,
}

impl<O, R> Default for History<O, R> {
    fn default() -> Self {
        Self {
            operations: Vec::new(),
            moments: 0,
        }
    }
}

impl<O, R> History<O, R> {
    /// A history in which nothing has happened.
    pub fn new() -> Self {
        Self::default()
    }

    /// A process invokes an operation.
    ///
    /// # Panics
    /// If there are more than two thousand million operations.
    pub fn invoke(&mut self, process: u64, operation: O) -> OperationId {
        let id = u32::try_from(self.operations.len()).expect("a history fits in memory");
        let at = self.moment();
        self.operations.push(Invocation {
            process,
            operation,
            at,
            completion: Completion::Unknown,
        });
        OperationId(id)
    }

    /// An operation returns.
    ///
    /// # Panics
    /// If it has ended before.
    pub fn returned(&mut self, id: OperationId, response: R) {
        let at = self.moment();
        self.complete(id, Completion::Returned { at, response });
    }

    /// It is certain that an operation did not happen.
    ///
    /// # Panics
    /// If it has ended before.
    pub fn failed(&mut self, id: OperationId) {
        self.complete(id, Completion::Failed);
    }

    fn complete(&mut self, id: OperationId, completion: Completion<R>) {
        let operation = &mut self.operations[id.index()];
        let open = matches!(operation.completion, Completion::Unknown);
        assert!(open, "operation {} has ended twice", id.0);
        operation.completion = completion;
    }

    fn moment(&mut self) -> Moment {
        let now = self.moments;
        self.moments = now.checked_add(1).expect("a history has at most 4,294,967,295 moments");
        now
    }

    /// All operations, in the order of their invocations.
    pub fn operations(&self) -> impl Iterator<Item = (OperationId, &Invocation<O, R>)> {
        (0..).map(OperationId).zip(&self.operations)
    }

    /// One operation.
    pub fn get(&self, id: OperationId) -> &Invocation<O, R> {
        &self.operations[id.index()]
    }

    /// How many operations there are.
    pub fn len(&self) -> usize {
        self.operations.len()
    }

    /// Whether nothing has happened.
    pub fn is_empty(&self) -> bool {
        self.operations.is_empty()
    }

    /// Whether `first` returned before `second` was invoked.
    pub fn precedes(&self, first: OperationId, second: OperationId) -> bool {
        let returned = self.get(first).returned();
        returned.is_some_and(|returned| returned < self.get(second).at)
    }

    /// The history before this moment. What has not returned by then is unknown.
    pub fn before(&self, moment: Moment) -> Self
    where
        O: Clone,
        R: Clone,
    {
        let begun = self.operations.iter().take_while(|o| o.at < moment);
        let cut = begun.map(|o| Invocation {
            completion: match &o.completion {
                Completion::Returned { at, .. } if *at >= moment => Completion::Unknown,
                other => other.clone(),
            },
            ..o.clone()
        });
        Self {
            operations: cut.collect(),
            moments: moment.min(self.moments),
        }
    }

    /// One history for each key, with the same moments, and the operations' ids in this one. Keys are in the order in which
    /// they appear.
    ///
    /// A history of an object that consists of independent ones is linearizable if and only if each of these is (Herlihy, Wing
    /// 1990, Theorem 1; Horn, Kroening, FORTE 2015, call it P-compositionality).
    pub fn split<K: Clone + Eq + Hash>(&self, key: impl Fn(&O) -> K) -> Vec<(K, Self, Vec<OperationId>)>
    where
        O: Clone,
        R: Clone,
    {
        let mut numbers: HashMap<K, usize> = HashMap::new();
        let mut parts: Vec<(K, Self, Vec<OperationId>)> = Vec::new();
        for (id, invocation) in self.operations() {
            let key = key(&invocation.operation);
            let number = *numbers.entry(key.clone()).or_insert(parts.len());
            if number == parts.len() {
                let empty = Self {
                    operations: Vec::new(),
                    moments: self.moments,
                };
                parts.push((key, empty, Vec::new()));
            }
            parts[number].1.operations.push(invocation.clone());
            parts[number].2.push(id);
        }
        parts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prefix_does_not_know_what_returns_later() {
        let mut history = History::new();
        let a = history.invoke(0, 'a');
        let b = history.invoke(1, 'b');
        history.returned(a, 1);
        history.returned(b, 2);
        let prefix = history.before(3);
        assert_eq!(prefix.get(a).response(), Some(&1));
        assert_eq!(prefix.get(b).response(), None);
        assert_eq!(history.before(1).len(), 1);
    }

    #[test]
    fn parts_keep_their_moments() {
        let mut history: History<char, ()> = History::new();
        let ids = ['x', 'y', 'x'].map(|key| history.invoke(0, key));
        let parts = history.split(|key| *key);
        let (key, part, whole) = &parts[0];
        assert_eq!((*key, part.len(), &whole[..]), ('x', 2, &[ids[0], ids[2]][..]));
        assert_eq!(part.get(OperationId(1)).at, 2);
        assert_eq!(parts[1].0, 'y');
    }
}
