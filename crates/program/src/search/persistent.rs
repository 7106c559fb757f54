//! Persistent sets from declared bounds: Algorithms 2-MLD and 2-MLD' (Stoller, sections 8 and 9).
//!
//! A thread may be declared to use only certain objects (`thread::Builder::uses`). The algorithm starts with
//! one thread. It adds every thread that might perform an operation on an object that a thread
//! in the set is about to use, until nothing changes. The enabled threads of the set are
//! persistent. A thread without a declaration might do anything, so declarations are of little use
//! unless most threads have one.
//!
//! The operations that a thread is about to perform are its announced one and the invisible ones
//! that follow it in the transition. Those are releases of locks, whose users are among those of
//! its announced operation or mutually excluded by the lock, and accesses to cells: all cells
//! that the thread has declared, which is `allowedInvisOps`, an upper bound of
//! `pendInvisOps`.

use crate::execution::Execution;
use crate::execution::thread::{Status, Thread};
use crate::ids::{ObjectId, ThreadId};

/// The smallest persistent set that the algorithm finds, over all threads to start from.
pub(super) fn persistent_set(execution: &Execution, enabled: &[ThreadId]) -> Vec<ThreadId> {
    let declared = execution
        .threads
        .iter()
        .any(|t| t.status == Status::Pending && t.uses.is_some());
    if !declared || enabled.len() < 2 {
        return enabled.to_vec();
    }
    let mut best: Option<Vec<ThreadId>> = None;
    for &start in enabled {
        let closure = closure(execution, start);
        let set: Vec<ThreadId> = enabled.iter().copied().filter(|t| closure.contains(t)).collect();
        if best.as_ref().is_none_or(|b| set.len() < b.len()) {
            best = Some(set);
        }
    }
    best.unwrap_or_default()
}

/// The threads that must be in a set with `start`.
fn closure(execution: &Execution, start: ThreadId) -> Vec<ThreadId> {
    let mut set = vec![start];
    let mut next = 0;
    while next < set.len() {
        let id = set[next];
        next += 1;
        let thread = &execution.threads[id.index()];
        for (other_id, other) in ThreadId::all().zip(&execution.threads) {
            if other.status != Status::Pending || set.contains(&other_id) {
                continue;
            }
            if interferes(execution, thread, other, other_id) {
                set.push(other_id);
            }
        }
    }
    set
}

/// True if `other` might do something that matters to the next transition of `thread`.
fn interferes(execution: &Execution, thread: &Thread, other: &Thread, other_id: ThreadId) -> bool {
    let op = &thread.pending;
    // The thread that is waited for, and those that could make it end.
    if let Some(awaited) = op.effect().awaits() {
        if awaited == other_id {
            return true;
        }
        if execution.threads[awaited.index()].status == Status::Finished {
            return false;
        }
    }
    let might_use = |object: ObjectId| other.uses.as_ref().is_none_or(|uses| uses.contains(&object));
    if op.object != ObjectId::NONE && might_use(op.object) {
        return true;
    }
    if op.effect().concerns().is_some_and(might_use) {
        return true;
    }
    match &thread.uses {
        Some(uses) => uses
            .iter()
            .any(|o| execution.objects[o.index()].state.is_cell() && might_use(*o)),
        // It might access any cell, and so might any other thread.
        None => execution.detectors.wanted,
    }
}
