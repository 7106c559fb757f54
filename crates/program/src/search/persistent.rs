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
//! its announced operation or mutually excluded by the lock, and accesses to cells (`pendInvisOps`): of the cells
//! that the thread has declared, those that MLD' allows it to access with the locks that it holds and the one that it is about to
//! acquire; see `detect/bounds.rs`. A cell of which another thread cannot ever acquire a lock is none that the other thread uses.

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
        for (other_id, other) in ThreadId::all().zip(&execution.threads) {
            if other.status != Status::Pending || set.contains(&other_id) {
                continue;
            }
            if interferes(execution, id, other, other_id) {
                set.push(other_id);
            }
        }
    }
    set
}

/// True if `other` might do something that matters to the next transition of thread `id`.
fn interferes(execution: &Execution, id: ThreadId, other: &Thread, other_id: ThreadId) -> bool {
    let thread = &execution.threads[id.index()];
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
    // What need not be declared is anybody's.
    if op.object != ObjectId::NONE && (!op.kind.is_declared() || might_use(op.object)) {
        return true;
    }
    if op.effect().concerns().is_some_and(might_use) {
        return true;
    }
    match &thread.uses {
        Some(uses) => uses.iter().any(|o| {
            execution.objects[o.index()].state.is_cell()
                && might_use(*o)
                && allowed(execution, id, *o)
                && ever_allowed(execution, other_id, *o)
        }),
        // It might access any cell, and so might any other thread.
        None => execution.detectors.wanted,
    }
}

/// True if MLD allows a thread to access a cell, which it has declared, in its next transition.
fn allowed(execution: &Execution, id: ThreadId, cell: ObjectId) -> bool {
    let Some(bounds) = &execution.detectors.bounds else {
        return true;
    };
    execution.bounded.set(true);
    let thread = &execution.threads[id.index()];
    let held = thread.held.iter().map(|h| h.object);
    bounds.allow(id, cell, held.chain([thread.pending.object]))
}

/// True if MLD allows a thread to access a cell, now or later.
fn ever_allowed(execution: &Execution, id: ThreadId, cell: ObjectId) -> bool {
    let thread = &execution.threads[id.index()];
    let (Some(bounds), Some(uses)) = (&execution.detectors.bounds, &thread.uses) else {
        return true;
    };
    execution.bounded.set(true);
    let held = thread.held.iter().map(|h| h.object);
    bounds.ever_allow(id, cell, held.chain(uses.iter().copied()))
}
