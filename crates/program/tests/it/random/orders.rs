//! Which orderings the atomics of random programs ask for.

use mazurka::sync::atomic::Ordering::{self, AcqRel, Acquire, Relaxed, Release, SeqCst};
use std::cell::Cell;

/// How strong they are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Strength {
    SeqCst,
    AcqRel,
    Relaxed,
}

thread_local! {
    static STRENGTH: Cell<Strength> = const { Cell::new(Strength::SeqCst) };
}

/// Calls `f`, during which the programs of this OS thread ask for such orderings.
pub fn with<R>(strength: Strength, f: impl FnOnce() -> R) -> R {
    let before = STRENGTH.replace(strength);
    let result = f();
    STRENGTH.set(before);
    result
}

fn pick(middle: Ordering) -> Ordering {
    match STRENGTH.get() {
        Strength::SeqCst => SeqCst,
        Strength::AcqRel => middle,
        Strength::Relaxed => Relaxed,
    }
}

pub fn reads() -> Ordering {
    pick(Acquire)
}

pub fn writes() -> Ordering {
    pick(Release)
}

pub fn updates() -> Ordering {
    pick(AcqRel)
}
