//! Weak memory: which values the reads of atomics may see.
//!
//! The model is RC11 (Lahav, Vafeiadis, Kang, Hur, Dreyer, *Repairing Sequential Consistency in C/C++11*, PLDI 2017), with the
//! release sequences of C++20: those of updates only. An execution is a graph of reads, writes and fences ([`graph`]), with program
//! order, the write that each read has read from (`rf`), and a modification order of each location (`mo`). It is consistent if
//!
//! * happened-before does not contradict `mo` and `rf` (coherence), and updates come directly after what they read ([`order`]),
//! * sequentially consistent operations have an order ([`sequential`]),
//! * program order and `rf` together have no cycle. So the execution can be run in an order in which each read comes after the
//!   write that it reads.
//!
//! # What the search does
//!
//! A step of a thread is named by what it reads from, too: a read has as many *ways* as there are writes that it may see, and
//! different ways exclude each other ([`crate::object_type::Ways`]). Two steps depend on each other if one reads what the other one writes, or
//! if both are updates of the same write. Nothing else about atomics is a dependency: not two writes of one location, nor a
//! read and a write that it does not see. So a Mazurkiewicz trace is a graph without `mo`.
//!
//! The search is that with wakeup trees (`search/optimal.rs`), with two kinds of races ([`races`]):
//!
//! * A read that happened before a write that it could see. The continuation is what does not depend on the read, up to the write,
//!   and then the read, which sees it. This is the backward revisit of TruSt (Kokologiannakis, Marmanis, Gladstein, Vafeiadis, *Truly
//!   Stateless, Optimal Dynamic Partial Order Reduction*, POPL 2022, section 3), which lets wakeup trees, instead of a maximality
//!   condition, decide which execution does it.
//! * An update that could see what an earlier update has seen. The continuation ends with the later one.
//!
//! *Every consistent graph is found.* Suppose that the search is in a state that is part of a consistent graph `G`, and performs the
//! next step of a thread. If the step of `G` is one of its ways, it is tried: consistency holds for parts of a graph that are closed under
//! program order and `rf`. If it is not, then either its write has not happened, or the write has been updated by another
//! thread. In the first case the write is in an execution that the search finds from there, because a read can always see the last
//! write of all, so that no choice of the read keeps it from happening; there the read races with it. The second case is the second kind of race.
//! (The theorem of TruSt, section 4, with fewer cases; its conditions, that consistency is closed under prefixes and that a read can always see the
//! last write, hold.)
//!
//! *No graph is found twice*: ways of a read exclude each other, so executions of different branches differ in what a read has
//! seen, or, as under sequential consistency, in the order of other operations (Abdulla, Aronis, Jonsson, Sagonas, JACM 2017, theorem 7.9). A
//! sleeping step covers a continuation only if the continuation contains it with the same source: a read that is not in it may still see
//! something new. Tests count: there are as many executions as there are graphs that differ in `rf`, for thousands of random programs.
//!
//! The search does not enumerate modification orders. Some order must make the graph consistent, and which one it is nobody can
//! tell: what a program finds at last is a read as well. So there are at most as many executions as consistent graphs in the sense
//! of GenMC, and often fewer.

mod asked;
mod graph;
mod order;
mod perform;
mod races;
mod sequential;

pub(crate) use asked::{Asked, acquires, releases};
pub(crate) use graph::{Action, Graph, NONE, Node, Span};

/// Which values atomics may have.
///
/// ```
/// use mazurka::sync::atomic::{AtomicU32, Ordering::Relaxed};
/// use mazurka::{Checker, Memory, thread};
/// use std::sync::Arc;
///
/// let store_buffering = || {
///     let x = Arc::new((AtomicU32::new(0), AtomicU32::new(0)));
///     let y = Arc::clone(&x);
///     let t = thread::spawn(move || {
///         y.0.store(1, Relaxed);
///         y.1.load(Relaxed)
///     });
///     x.1.store(1, Relaxed);
///     let seen = x.0.load(Relaxed);
///     assert!(t.join().unwrap() + seen > 0);
/// };
/// let interleavings = Checker::new().memory(Memory::SequentiallyConsistent);
/// assert!(interleavings.run(store_buffering).complete);
/// assert_eq!(Checker::new().run(store_buffering).violations.len(), 1);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Memory {
    /// All values that the orderings allow which the program asks for, as C++20 and Rust define them, except values out of thin air
    /// (RC11).
    #[default]
    Rc11,
    /// Those of interleavings, as if every ordering were `SeqCst`.
    SequentiallyConsistent,
}
