//! The bound that a search met.

use std::error::Error;
use std::fmt;

/// The bound that a search met.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Limit {
    /// [`Limits::states`](crate::Limits::states)
    States,
    /// [`Limits::depth`](crate::Limits::depth)
    Depth,
    /// [`Limits::bytes`](crate::Limits::bytes)
    Memory,
    /// [`Limits::time`](crate::Limits::time) or [`Limits::deadline`](crate::Limits::deadline)
    Time,
    /// [`Limits::interrupt`](crate::Limits::interrupt)
    Interrupt,
    /// No cached state can be forgotten: every one is on the current path or, with the terminal-component proviso,
    /// in a component that is not complete.
    Cache,
    /// Everything was explored, except states that a bitstate store took for others.
    Bitstate,
    /// The number of executions of a program.
    Executions,
    /// The number of preemptions in an execution of a program.
    Preemptions,
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::States => "the limit on states was reached",
            Self::Depth => "the limit on depth was reached",
            Self::Memory => "the limit on memory was reached",
            Self::Time => "the time is over",
            Self::Interrupt => "interrupted",
            Self::Cache => "the cache is too small: every state in it is still needed",
            Self::Bitstate => "a bitstate search may take a new state for a known one",
            Self::Executions => "the limit on executions was reached",
            Self::Preemptions => "the limit on preemptions was reached",
        })
    }
}

impl Error for Limit {}
