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
//! Asynchronous code is tested with [`future`], and programs that use tokio with the crate `mazurka-tokio`.
//!
//! The guide is the chapter "Rust programs" of the book, `docs/book/src/guide/program.md` in the repository.

#![cfg_attr(not(test), warn(clippy::cast_possible_truncation))]

mod checker;
mod choice;
mod detect;
mod execution;
mod faults;
mod fiber;
mod finished;
mod frozen;
mod handle;
mod html;
mod ids;
mod memory;
mod narrow;
mod object_type;
mod operation;
mod registry;
mod render;
mod report;
mod runtime;
mod search;
mod strategy;
mod token;
mod user;
mod watch;

pub mod alloc;
pub mod cell;
pub mod fs;
pub mod future;
pub mod hint;
pub mod linear;
pub mod net;
pub mod node;
pub mod rpc;
pub mod sync;
pub mod thread;
pub mod time;

pub use checker::Checker;
pub use choice::choose;
pub use detect::Discipline;
pub use faults::Faults;
pub use finished::{Finished, FinishedEvent};
pub use frozen::declare_frozen;
pub use mazurka_outcome::{Doubt, End, Limit, Verdict};
pub use memory::Memory;
pub use report::{ObjectNumber, Report, Step, ThreadNumber, Violation, ViolationKind};
pub use strategy::{Granularity, Strategy};
pub use user::{Object, Shared};

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
pub fn assume(condition: bool) {
    if !condition && let Some(rt) = runtime::current() {
        rt.discard();
    }
}

/// The code of the documents about this crate is tested.
#[cfg(doctest)]
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
