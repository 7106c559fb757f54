//! Tests of concurrent Rust programs that try every interleaving, without repetition, in `cargo test`.
//!
//! Use the primitives of this crate instead of std's, and write a test with [`check`]. It finds
//! every deadlock, panic, data race and breach of the locking discipline that any
//! interleaving can show:
//!
//! ```should_panic
//! use mazurka::sync::atomic::{AtomicU32, Ordering::SeqCst};
//! use mazurka::thread;
//! use std::sync::Arc;
//!
//! mazurka::check(|| {
//!     let x = Arc::new(AtomicU32::new(0));
//!     let y = Arc::clone(&x);
//!     let t = thread::spawn(move || {
//!         let v = y.load(SeqCst);
//!         y.store(v + 1, SeqCst);
//!     });
//!     let v = x.load(SeqCst);
//!     x.store(v + 1, SeqCst);
//!     t.join().unwrap();
//!     assert_eq!(x.load(SeqCst), 2); // fails: an update is lost
//! });
//! ```
//!
//! Outside `check` the primitives *are* std's, so that a program can use them everywhere, without a
//! `cfg`. Inside, threads are coroutines on one OS thread, and a search decides at every visible
//! operation which thread goes on. Executions that differ only in the order of independent operations
//! are one Mazurkiewicz trace; the default search runs one execution of each trace.
//!
//! The program must be deterministic apart from scheduling and [`choose`], must end, and must
//! not use uncontrolled threads or locks to communicate. Atomics may have all values that the orderings allow which the
//! program asks for ([`Memory`]); data races are judged by these orderings, too.
//!
//! Without its feature `check`, which is on by default, the crate has no checks, and [`alloc`], [`cell`], [`fs`], [`hint`], [`net`],
//! [`sync`], [`thread`] and [`time`] are std's own modules, with nothing added to their cost or size. That is what a program
//! that is built, and not tested, should have:
//!
//! ```toml
//! [dependencies]
//! mazurka = { version = "0.1", default-features = false }
//!
//! [dev-dependencies]
//! mazurka = "0.1"
//! ```
//!
//! Asynchronous code is tested with [`future`], and programs that use tokio with the crate `mazurka-tokio`.
//!
//! The guide is the chapter "Rust programs" of the book, `docs/book/src/guide/program.md` in the repository.

#![cfg_attr(not(test), warn(clippy::cast_possible_truncation))]
#![cfg_attr(not(feature = "check"), allow(rustdoc::broken_intra_doc_links))]

#[cfg(feature = "check")]
mod checker;
#[cfg(feature = "check")]
mod choice;
#[cfg(feature = "check")]
mod detect;
#[cfg(feature = "check")]
mod execution;
#[cfg(feature = "check")]
mod faults;
#[cfg(feature = "check")]
mod fiber;
#[cfg(feature = "check")]
mod finished;
#[cfg(feature = "check")]
mod frozen;
#[cfg(feature = "check")]
mod handle;
#[cfg(feature = "check")]
mod html;
#[cfg(feature = "check")]
mod ids;
#[cfg(feature = "check")]
mod memory;
#[cfg(feature = "check")]
mod narrow;
#[cfg(feature = "check")]
mod object_type;
#[cfg(feature = "check")]
mod operation;
mod outside;
#[cfg(feature = "check")]
mod registry;
#[cfg(feature = "check")]
mod render;
#[cfg(feature = "check")]
mod report;
#[cfg(feature = "check")]
mod runtime;
#[cfg(feature = "check")]
mod search;
#[cfg(feature = "check")]
mod strategy;
#[cfg(feature = "check")]
mod token;
#[cfg(feature = "check")]
mod user;
#[cfg(feature = "check")]
mod watch;

#[cfg(feature = "check")]
pub mod alloc;
#[cfg(feature = "check")]
pub mod cell;
#[cfg(feature = "check")]
pub mod fs;
#[cfg(feature = "check")]
pub mod future;
#[cfg(feature = "check")]
pub mod hint;
#[cfg(feature = "check")]
pub mod linear;
#[cfg(feature = "check")]
pub mod net;
#[cfg(feature = "check")]
pub mod node;
#[cfg(feature = "check")]
pub mod rpc;
#[cfg(feature = "check")]
pub mod sync;
#[cfg(feature = "check")]
pub mod thread;
#[cfg(feature = "check")]
pub mod time;

#[cfg(feature = "check")]
pub use checker::Checker;
#[cfg(feature = "check")]
pub use choice::choose;
#[cfg(feature = "check")]
pub use detect::Discipline;
#[cfg(feature = "check")]
pub use faults::Faults;
#[cfg(feature = "check")]
pub use finished::{Finished, FinishedEvent};
#[cfg(feature = "check")]
pub use frozen::declare_frozen;
#[cfg(feature = "check")]
pub use mazurka_outcome::{Doubt, End, Limit, Verdict};
#[cfg(feature = "check")]
pub use memory::Memory;
#[cfg(feature = "check")]
pub use report::{ObjectNumber, Report, Step, ThreadNumber, Violation, ViolationKind};
#[cfg(feature = "check")]
pub use strategy::{Granularity, Strategy};
#[cfg(feature = "check")]
pub use user::{Object, Shared};

#[cfg(not(feature = "check"))]
pub use outside::{alloc, assume, cell, choose, declare_frozen, fs, hint, is_checking, net, sync, thread, time};

#[cfg(feature = "check")]
use std::panic::Location;

/// Explores every inequivalent interleaving of `program`. Panics with a report on the first violation, and also if not
/// everything could be seen.
///
/// ```
/// use mazurka::{sync::Mutex, thread};
/// use std::sync::Arc;
///
/// mazurka::check(|| {
///     let n = Arc::new(Mutex::new(0));
///     let m = Arc::clone(&n);
///     let t = thread::spawn(move || *m.lock().unwrap() += 1);
///     *n.lock().unwrap() += 1;
///     t.join().unwrap();
///     assert_eq!(*n.lock().unwrap(), 2);
/// });
/// ```
#[cfg(feature = "check")]
#[track_caller]
pub fn check(program: impl Fn()) {
    let site = token::site(std::any::type_name_of_val(&program));
    Checker::new().check_at(program, (Location::caller(), site));
}

/// True in a check, for code that does something else there: in a thread that the search controls.
///
/// ```
/// assert!(!mazurka::is_checking());
/// mazurka::check(|| assert!(mazurka::is_checking()));
/// ```
#[cfg(feature = "check")]
pub fn is_checking() -> bool {
    runtime::inside()
}

/// Discards executions in which `condition` is false: they end here, and what they would do later does not count.
///
/// Outside `check` it does nothing.
///
/// ```
/// use mazurka::{Checker, assume, choose};
///
/// let report = Checker::new().run(|| {
///     let n = choose(4);
///     assume(n % 2 == 0);
///     assert_ne!(n, 3);
/// });
/// assert_eq!((report.executions, report.discarded), (2, 2));
/// ```
#[cfg(feature = "check")]
pub fn assume(condition: bool) {
    if !condition && let Some(rt) = runtime::current() {
        rt.discard();
    }
}

/// The code of the documents about this crate is tested.
#[cfg(all(doctest, feature = "check"))]
mod documents {
    #[doc = include_str!("../../../README.md")]
    struct Readme;
    #[doc = include_str!("../../../docs/book/src/tutorial/program.md")]
    struct Tutorial;
    #[doc = include_str!("../../../docs/book/src/guide/program.md")]
    struct Guide;
    #[doc = include_str!("../../../docs/book/src/guide/loom.md")]
    struct ForLoomUsers;
    #[doc = include_str!("../../../docs/book/src/guide/facades.md")]
    struct Facades;
    #[doc = include_str!("../../../docs/book/src/guide/linear.md")]
    struct Linearizability;
}
