//! What is done to the owners of a value, as operations of the search.

use super::owners::{Op, State};
use crate::detect::Access;
use crate::frozen::drops_silently;
use crate::ids::ObjectId;
use crate::narrow::limit;
use crate::runtime::{self, Runtime};
use std::mem::needs_drop;
use std::panic::Location;

/// What an operation does to the counter of owners, as in std, for the detection of data races.
pub(super) enum Counter {
    /// Reads it.
    Relaxed,
    /// Adds an owner.
    Join,
    /// Removes an owner; true for the last one, which comes after all others.
    Leave(bool),
    /// Makes sure that there is no other owner, or that the value is alive.
    Settle,
    /// Makes sure that there is no weak reference, either.
    SettleAll,
    /// Removes a weak reference.
    LeaveWeak,
    /// Does something to weak references that others cannot tell.
    Nothing,
}

/// The owners of the value at an address.
#[track_caller]
fn object(rt: &Runtime, address: usize) -> ObjectId {
    let known = rt.owned.borrow().look(address);
    let at = match known {
        Some((_, Some(object))) => return object,
        Some((at, None)) => at,
        None => Location::caller(),
    };
    let object = rt.execution.borrow_mut().object(State, at);
    rt.owned.borrow_mut().number(address, at, object);
    object
}

fn note(rt: &Runtime, object: ObjectId, counter: &Counter) {
    let mut execution = rt.execution.borrow_mut();
    let id = execution.current;
    let detectors = &mut execution.detectors;
    match *counter {
        Counter::Relaxed => detectors.atomic(id, object, Access::Read, false, false),
        Counter::Join => detectors.atomic(id, object, Access::Update, false, false),
        Counter::Leave(last) => detectors.atomic(id, object, Access::Update, last, true),
        Counter::Settle => detectors.atomic(id, object, Access::Update, true, false),
        Counter::SettleAll => {
            detectors.atomic(id, object, Access::Update, true, false);
            detectors.wrote_under(id, object);
        }
        Counter::LeaveWeak => detectors.released(id, object, true),
        Counter::Nothing => {}
    }
}

/// A value was made.
#[cold]
#[inline(never)]
pub(super) fn made(address: usize, at: &'static Location<'static>) {
    if let Some(rt) = runtime::current() {
        rt.owned.borrow_mut().make(rt.thread(), address, super::VALUE, at);
    }
}

/// An owner is added, or a weak reference is added or removed.
#[cold]
#[inline(never)]
#[track_caller]
pub(super) fn own(address: usize, counter: &Counter) {
    // If releases are not visible, nothing happens here.
    if let Some(rt) = runtime::current_uncounted().filter(|rt| !rt.abandoning())
        && rt.releases_are_visible()
    {
        let object = object(&rt, address);
        rt.visible(Op::Own, object, 0);
        note(&rt, object, counter);
    }
}

/// An owner is removed. `others` says how many remain when it happens.
#[cold]
#[inline(never)]
#[track_caller]
pub(super) fn disown<T: ?Sized>(address: usize, others: impl Fn() -> usize) {
    let Some(rt) = runtime::current() else { return };
    let shows = needs_drop::<T>() && !drops_silently::<T>();
    if !rt.abandoning() && (shows || rt.releases_are_visible()) {
        let object = object(&rt, address);
        rt.visible(if shows { Op::Disown } else { Op::Own }, object, 0);
        let others = others();
        if shows && !std::thread::panicking() {
            rt.execution.borrow_mut().refine(Op::Disown, limit(others));
        }
        // The other order is explored only if the destructor may show it. Otherwise no thread learns that it was the last owner.
        note(&rt, object, &Counter::Leave(shows && others == 0));
    }
    if others() == 0 {
        rt.owned.borrow_mut().end(address);
    }
}

/// Performs `f`, which counts owners and returns what that means to the counter.
#[track_caller]
#[inline]
pub(super) fn count<R>(address: usize, f: impl FnOnce() -> (R, Counter)) -> R {
    if runtime::possible() {
        count_in_check(address, f)
    } else {
        f().0
    }
}

#[cold]
#[inline(never)]
#[track_caller]
fn count_in_check<R>(address: usize, f: impl FnOnce() -> (R, Counter)) -> R {
    let Some(rt) = runtime::current().filter(|rt| !rt.abandoning()) else {
        return f().0;
    };
    let object = object(&rt, address);
    rt.visible(Op::Count, object, 0);
    let (result, counter) = f();
    note(&rt, object, &counter);
    result
}

/// The value was taken out.
pub(super) fn taken(address: usize) {
    if let Some(rt) = runtime::current() {
        rt.owned.borrow_mut().end(address);
    }
}
