//! The part of a history that a search is about: invocations and returns that are not yet in the order, as a linked list.
//!
//! Taking an operation out, and putting back the one that was taken out last, costs a constant time, as in Knuth's dancing links.
//! An operation may come next in the order if its invocation is before the first return in the list.

use crate::{History, OperationId, Specification};

/// The beginning of the list, which is also its end.
const HEAD: u32 = 0;

/// An operation that a search has to place, or may place.
pub(crate) struct Candidate<'a, O, R> {
    pub(crate) id: OperationId,
    pub(crate) operation: &'a O,
    /// None if nobody knows whether it took effect.
    pub(crate) response: Option<&'a R>,
    pub(crate) only_reads: bool,
    /// The number of its return among all returns.
    pub(crate) rank: Option<u32>,
    /// The previous operation that never returned and is equal. If this one can be placed, so can the other one instead.
    pub(crate) twin: Option<u32>,
    call: u32,
}

#[derive(Clone, Copy)]
struct Entry {
    previous: u32,
    next: u32,
    candidate: u32,
    is_call: bool,
}

pub(crate) struct Window<'a, O, R> {
    pub(crate) candidates: Vec<Candidate<'a, O, R>>,
    /// The candidates that returned, in the order of their returns.
    pub(crate) returns: Vec<u32>,
    entries: Vec<Entry>,
    placed: Vec<bool>,
    return_entries: Vec<u32>,
}

impl<'a, O: Eq, R> Window<'a, O, R> {
    /// Everything that may have happened. What failed did not, and what only reads and has no response need not have.
    pub(crate) fn new<S>(specification: &S, history: &'a History<O, R>) -> Self
    where
        S: Specification<Operation = O, Response = R>,
    {
        let mut candidates: Vec<Candidate<'a, O, R>> = Vec::new();
        let mut moments: Vec<(u32, u32, bool)> = Vec::new();
        for (id, invocation) in history.operations().filter(|(_, o)| !o.failed()) {
            let (operation, response) = (&invocation.operation, invocation.response());
            let only_reads = specification.only_reads(operation, response);
            if only_reads && response.is_none() {
                continue;
            }
            let number = short(candidates.len());
            moments.push((invocation.at, number, true));
            moments.extend(invocation.returned().map(|at| (at, number, false)));
            candidates.push(Candidate {
                id,
                operation,
                response,
                only_reads,
                rank: None,
                twin: None,
                call: 0,
            });
        }
        moments.sort_unstable();
        let mut window = Self {
            placed: vec![false; candidates.len()],
            return_entries: vec![HEAD; candidates.len()],
            candidates,
            returns: Vec::new(),
            entries: Vec::new(),
        };
        window.link(&moments);
        window.find_twins();
        window
    }

    fn link(&mut self, moments: &[(u32, u32, bool)]) {
        let last = short(moments.len());
        let head = Entry {
            previous: last,
            next: u32::from(last > 0),
            candidate: u32::MAX,
            is_call: false,
        };
        self.entries.push(head);
        for &(_, candidate, is_call) in moments {
            let here = short(self.entries.len());
            self.entries.push(Entry {
                previous: here - 1,
                next: if here == last { HEAD } else { here + 1 },
                candidate,
                is_call,
            });
            if is_call {
                self.candidates[candidate as usize].call = here;
            } else {
                self.return_entries[candidate as usize] = here;
                self.candidates[candidate as usize].rank = Some(short(self.returns.len()));
                self.returns.push(candidate);
            }
        }
    }

    fn find_twins(&mut self) {
        let unknown: Vec<usize> = (0..self.candidates.len())
            .filter(|k| self.candidates[*k].rank.is_none())
            .collect();
        for (at, &k) in unknown.iter().enumerate() {
            let same = |other: &&usize| self.candidates[**other].operation == self.candidates[k].operation;
            let twin = unknown[..at].iter().rev().find(same).map(|twin| short(*twin));
            self.candidates[k].twin = twin;
        }
    }

    /// Whether an operation is in the order.
    pub(crate) fn is_placed(&self, candidate: u32) -> bool {
        self.placed[candidate as usize]
    }

    /// The operations that may come next, from `start` on, or all of them.
    pub(crate) fn open(&self, start: Option<u32>) -> impl Iterator<Item = u32> {
        let first = start.map_or(self.entries[HEAD as usize].next, |c| self.candidates[c as usize].call);
        let mut at = first;
        std::iter::from_fn(move || {
            let entry = self.entries[at as usize];
            (at != HEAD && entry.is_call).then(|| {
                at = entry.next;
                entry.candidate
            })
        })
    }

    /// Takes an operation out of the list.
    pub(crate) fn place(&mut self, candidate: u32) {
        self.placed[candidate as usize] = true;
        self.unlink(self.candidates[candidate as usize].call);
        self.unlink(self.return_entries[candidate as usize]);
    }

    /// Puts back the operation that was taken out last.
    pub(crate) fn put_back(&mut self, candidate: u32) {
        self.placed[candidate as usize] = false;
        self.relink(self.return_entries[candidate as usize]);
        self.relink(self.candidates[candidate as usize].call);
    }

    fn unlink(&mut self, at: u32) {
        if at != HEAD {
            let Entry { previous, next, .. } = self.entries[at as usize];
            self.entries[previous as usize].next = next;
            self.entries[next as usize].previous = previous;
        }
    }

    fn relink(&mut self, at: u32) {
        if at != HEAD {
            let Entry { previous, next, .. } = self.entries[at as usize];
            self.entries[previous as usize].next = at;
            self.entries[next as usize].previous = at;
        }
    }
}

/// A count of parts of a history, which has at most `u32::MAX` moments.
pub(crate) fn short(count: usize) -> u32 {
    u32::try_from(count).expect("a history has at most 4,294,967,295 moments")
}
