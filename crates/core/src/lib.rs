//! The engine of mazurka: concurrent systems and selective search.
//!
//! Concurrent executions are partial orders (Mazurkiewicz traces). Exploring one
//! interleaving of each is enough to find every deadlock and to check every
//! safety property, and often explores exponentially less. This crate implements
//! that idea as P. Godefroid's thesis develops it (*Partial-Order Methods for the
//! Verification of Concurrent Systems*, Liège 1994-95; "thesis" below):
//!
//! * [`Builder`] builds a model: processes, [objects](ObjectType), transitions;
//! * [`Search`] explores it with persistent sets, sleep sets, provisos and
//!   caching, in any combination that the theory supports;
//! * [`Outcome`] has the verdict and the [`Findings`]: deadlocks, violations, dead code.
//!
//! Temporal formulas over these models are the business of the crate `mazurka-ltl`.
//!
//! With [`typed`], a model is a state and actions of your own types instead.
//! Other front ends use the same searches through [`System`], [`Dependency`] and
//! [`Structure`].

#![cfg_attr(not(test), warn(clippy::cast_possible_truncation))]

pub mod bitset;
mod ids;
mod independence;
mod model;
mod narrow;
mod objects;
pub mod persistent;
mod search;
mod sleep;
mod state_sets;
mod store;
mod structure;
mod system;
pub mod typed;

pub use ids::{LocalId, ObjectId, ProcessId, PropertyId, StateId, TransitionId};
pub use independence::Independence;
pub use model::{
    Action, BuildError, BuildErrors, Builder, Command, Configuration, Expr, Local, Model, Object, Obstacle,
    PartialControl, Predicate, PredicateError, Prop, Property, PropertyKind, ReplayError, SafetyAutomaton, Stepped,
    TransitionDraft, Use, assert,
};
pub use objects::{
    ByteTest, Channel, ChannelType, Lock, LockType, ObjectType, Op, Operated, Operation, OutOfRange, Relation,
    Semaphore, SemaphoreType, Succession, Variable, VariableType,
};
pub use persistent::{Algorithm, Enabling};
pub use search::{
    Acceptance, Coverage, CycleSearch, Deadlock, Doubt, Edge, Emptiness, End, Findings, Lasso, Limit, Limits, Observer,
    Order, Outcome, Path, Progress, ProvisoKind, ReducedGraph, Reduction, Search, SearchError, Statistics, Strategy,
    UnknownReduction, Unsupported, Verdict, Violation, ViolationKind, Watch,
};
pub use state_sets::StateSets;
pub use store::{KnownStates, NamedStore, Storage, StoreSize};
pub use structure::{Precision, Structure};
pub use system::{AllDependent, Dependency, Fault, Passing, System};
