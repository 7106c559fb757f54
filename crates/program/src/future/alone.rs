//! Awaits of one thing alone.
//!
//! A poll that returns `Pending` and one that comes when everything is there are two different steps, and a program that polls
//! several futures in turn (`select!`, `join!`, a combinator) can tell them apart. A task that awaits one leaf alone cannot: it
//! is as if it had been polled late. So such an await is one step, which is possible when the leaf would be ready.
//!
//! Whether a leaf is awaited alone is known only after its poll has returned `Pending`. So the search guesses: the leaf *promises*
//! to be ready, says `Pending` without looking, and the task waits in its place if it has nothing else to do when its poll
//! returns. If the task does anything else before (another leaf, a visible operation, an end, a waker that is kept), the guess was
//! wrong. The execution is then discarded, the place where the leaf's object was made is remembered in
//! [`Settings::polled`](crate::execution::Settings), and the search starts again; leaves of objects made there are polled.
//! All objects of a place are alike, because some primitives serve their waiters in the order in which they were polled.
//!
//! The guess is wrong without being noticed if a combinator polls, besides the leaf, only code that does nothing visible and
//! keeps no waker.

use super::task;
use crate::runtime::{self, Runtime};
use std::panic::Location;
use std::task::Context;

/// How a leaf is polled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Mode {
    /// It promises to be ready, and its task waits.
    Alone,
    /// Its poll is a step.
    Polled,
}

/// What a task does for a leaf that has promised to be ready.
pub(super) type Deed = Box<dyn FnOnce(&Runtime) + Send>;

/// A class of places, as one of 64 bits. Two places in one class cost executions, and hide nothing.
pub(crate) type Class = u64;

/// The class of objects made at a place.
pub(super) fn class(made: &Location<'_>) -> Class {
    let numbers = made.line().to_le_bytes().into_iter().chain(made.column().to_le_bytes());
    let hash = made
        .file()
        .bytes()
        .chain(numbers)
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
    1 << ((hash ^ hash >> 32) % 64)
}

/// The class of tasks spawned at a place, of which others abort some.
pub(super) fn aborted(spawned: &Location<'_>) -> Class {
    class(spawned).rotate_left(31)
}

/// The class of tasks spawned at a place whose ends are awaited besides other things.
pub(super) fn joined(spawned: &Location<'_>) -> Class {
    class(spawned).rotate_left(17)
}

/// True if a class is known to be polled.
pub(super) fn is_polled(rt: &Runtime, class: Class) -> bool {
    rt.execution.borrow().settings.polled & class != 0
}

/// The leaves of a class are not awaited alone. Does not return if that is new.
pub(super) fn needs_polls(rt: &Runtime, class: Class) {
    if is_polled(rt, class) || rt.abandoning() {
        return;
    }
    rt.promised.set(None);
    rt.execution.borrow_mut().polls |= class;
    rt.discard();
}

/// How a leaf is polled.
pub(super) fn mode(rt: &Runtime, class: Class, context: &Context<'_>, new: bool) -> Mode {
    if is_polled(rt, class) {
        return Mode::Polled;
    }
    if new && task::awaits_nothing_else(rt, context) {
        return Mode::Alone;
    }
    needs_polls(rt, class);
    Mode::Polled
}

/// A leaf is polled, or something else happens in a task. A leaf that has promised to be ready is then not awaited alone.
pub(super) fn polls(rt: &Runtime, class: Class, mode: Mode) {
    if let Some(other) = rt.promised.take() {
        rt.promised.set(Some(other));
        if mode == Mode::Alone {
            // Neither of the two is.
            rt.execution.borrow_mut().polls |= class;
        }
        needs_polls(rt, other);
    }
}

/// A leaf promises that it will be ready after its task has done this.
pub(super) fn promise(rt: &Runtime, class: Class, deed: impl FnOnce(&Runtime) + Send + 'static) {
    rt.promised.set(Some(class));
    task::with_current(rt, |round| round.deed = Some(Box::new(deed)));
}

/// A leaf that has promised to be ready is polled again.
pub(super) fn arrives(rt: &Runtime, class: Class) {
    let kept = task::with_current(rt, |round| round.kept.take());
    if kept != Some(Some(class)) {
        needs_polls(rt, class);
    }
}

/// A leaf that has promised to be ready was dropped instead.
pub(super) fn dropped() {
    if let Some(rt) = runtime::current() {
        breaks_promise(&rt);
    }
}

/// The current thread does something besides waiting.
pub(crate) fn breaks_promise(rt: &Runtime) {
    if let Some(class) = rt.promised.take() {
        needs_polls(rt, class);
    }
}
