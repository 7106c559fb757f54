//! Partial-order reduction of models: which steps depend on which.

mod accesses;
mod algorithm;
mod arrangement;
mod arrivals;
mod choice;
mod closure;
mod dangling;
mod decisions;
mod edge_rules;
mod exclusion;
mod experience;
mod flow;
mod independence;
mod inquiry;
mod instance;
mod knowledge;
mod length_tests;
mod observed;
mod obstacles;
mod operations;
mod pairs;
mod participants;
mod private;
mod regions;
mod remembered;
mod rules;
mod steering;
mod stubborn;
mod timeout;
mod total;
mod waits;

pub use algorithm::{PersistentAlgorithm, UnknownAlgorithm};

pub(crate) use experience::Experience;
pub(crate) use independence::Independence;
pub(crate) use observed::Observed;
pub(crate) use participants::{Component, Participants};
pub(crate) use stubborn::StubbornSets;
