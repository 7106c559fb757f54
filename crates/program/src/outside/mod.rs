//! What the primitives are outside a check: std's.
//!
//! With the feature `check` they are so while no check runs, and of this module only what std has not is used. Without the
//! feature, this is the crate. Then nothing of the engine is compiled, and the costs and sizes are std's.

#[cfg(not(feature = "check"))]
pub mod cell;
mod monitor;
#[cfg(not(feature = "check"))]
mod permits;
#[cfg(not(feature = "check"))]
mod track;

#[cfg(not(feature = "check"))]
pub use modules::{alloc, fs, hint, net, sync, thread, time};
#[cfg(feature = "check")]
pub use monitor::{IllegalMonitorState, Monitor};
#[cfg(not(feature = "check"))]
pub use questions::{assume, choose, declare_frozen, is_checking};

/// std's modules, and what the crate adds to them.
#[cfg(not(feature = "check"))]
mod modules {
    /// `std::alloc`, and [`Track`](alloc::Track).
    pub mod alloc {
        pub use crate::outside::track::Track;
        pub use std::alloc::{Layout, alloc, alloc_zeroed, dealloc};
    }

    /// `std::fs`.
    pub mod fs {
        pub use std::fs::*;
    }

    /// `std::hint`.
    pub mod hint {
        pub use std::hint::*;
    }

    /// `std::net`.
    pub mod net {
        pub use std::net::*;
    }

    /// `std::sync`, and what it has not.
    pub mod sync {
        pub use crate::outside::monitor::{IllegalMonitorState, Monitor};
        pub use crate::outside::permits::Semaphore;
        pub use std::sync::*;
    }

    /// `std::thread`.
    pub mod thread {
        pub use std::thread::*;
        pub use std::thread_local;
    }

    /// `std::time`.
    pub mod time {
        pub use std::time::*;
    }
}

/// What a program asks a check, and the answers outside one.
#[cfg(not(feature = "check"))]
mod questions {
    /// Returns 0. A check tries all numbers below `n`.
    ///
    /// # Panics
    /// If `n` is 0.
    #[inline]
    #[track_caller]
    pub const fn choose(n: usize) -> usize {
        assert!(n > 0, "there is nothing to choose from");
        0
    }

    /// Does nothing. A check discards executions in which the condition is false.
    #[inline(always)]
    pub const fn assume(_: bool) {}

    /// Returns false, because there are no checks.
    #[inline(always)]
    pub const fn is_checking() -> bool {
        false
    }

    /// Does nothing. A check believes that values of the type do not change behind a shared reference.
    #[inline(always)]
    pub const fn declare_frozen<T: ?Sized>() {}
}
