//! Linearizability: does a concurrent history look as if its operations had happened one after the other?
//!
//! * A [`Specification`] says what an object does sequentially. [`specifications`] has the usual ones.
//! * A [`History`] says who invoked what and when it returned. [`History::split`] takes it apart by key.
//! * [`check`] looks for a linearization of a long history. [`specifications::register::check_unique`] needs no search where
//!   values are written once.
//! * [`partial::check`] is about histories whose events are ordered partially: it looks at every order at once.
//! * [`is_linearization`] is the definition. What is handed out has passed it.
//!
//! With the feature `formats`, the module of that name reads recorded histories.

#![cfg_attr(not(test), warn(clippy::cast_possible_truncation))]

mod check;
mod definition;
#[cfg(feature = "formats")]
pub mod formats;
mod history;
pub mod partial;
mod search;
mod specification;
pub mod specifications;
mod window;

pub use check::{Found, Reason, Violation, check};
pub use definition::{is_linearization, states_after};
pub use history::{Completion, History, Invocation, Moment, OperationId};
pub use specification::Specification;
