//! What a thread asks of an atomic.

use std::sync::atomic::Ordering::{self, AcqRel, Acquire, Release, SeqCst};

/// What an operation on an atomic is to do, besides which atomic it is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asked {
    /// It reads and writes, unless it finds something else than expected.
    pub(crate) update: bool,
    /// What a compare-exchange expects.
    pub(crate) expected: Option<u64>,
    /// What is written, if that does not depend on what is read.
    pub(crate) written: u64,
    /// Whether it may fail although it finds what it expects.
    pub(crate) may_fail: bool,
    /// Its ordering.
    pub(crate) success: Ordering,
    /// Its ordering if it only reads.
    pub(crate) failure: Ordering,
    /// Whether nobody else can use the atomic now, so that it reads the last write of all.
    pub(crate) last: bool,
}

impl Default for Asked {
    fn default() -> Asked {
        Asked {
            update: false,
            expected: None,
            written: 0,
            may_fail: false,
            success: Ordering::Relaxed,
            failure: Ordering::Relaxed,
            last: false,
        }
    }
}

impl Asked {
    /// A load.
    pub(crate) fn load(order: Ordering) -> Asked {
        Asked {
            success: order,
            failure: order,
            ..Asked::default()
        }
    }

    /// A store.
    pub(crate) fn store(written: u64, order: Ordering) -> Asked {
        Asked {
            written,
            ..Asked::load(order)
        }
    }

    /// True if it writes after it has read this, unless it fails for no reason.
    pub(crate) fn would_update(&self, bits: u64) -> bool {
        self.update && self.expected.is_none_or(|expected| expected == bits)
    }

    /// Whether it writes after it has read this, in each way.
    pub(super) fn ways(&self, bits: u64) -> impl Iterator<Item = bool> + use<> {
        let update = self.would_update(bits);
        let fails = update && self.may_fail;
        std::iter::once(update).chain(fails.then_some(false))
    }

    /// The ordering that holds, which depends on whether it writes.
    fn order(&self, update: bool) -> Ordering {
        if self.update && !update {
            self.failure
        } else {
            self.success
        }
    }

    pub(crate) fn acquires(&self, update: bool) -> bool {
        acquires(self.order(update))
    }

    pub(crate) fn releases(&self, update: bool) -> bool {
        releases(self.order(update))
    }

    pub(crate) fn is_sequential(&self, update: bool) -> bool {
        self.order(update) == SeqCst
    }
}

/// True for an ordering with which a read or fence learns what others have published.
pub(crate) fn acquires(order: Ordering) -> bool {
    matches!(order, Acquire | AcqRel | SeqCst)
}

/// True for an ordering with which a write or fence publishes what its thread knows.
pub(crate) fn releases(order: Ordering) -> bool {
    matches!(order, Release | AcqRel | SeqCst)
}
