//! Partial-order reduction of models: what depends on what.

mod accesses;
mod independence;
mod instance;
mod obstacles;
mod operations;
mod stubborn;

pub(crate) use independence::Independence;
pub(crate) use stubborn::StubbornSets;
