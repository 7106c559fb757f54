//! The results of mazurka's searches: a verdict with its strength, how the search ended, and what it cost.
//!
//! All searches share these types, whatever they search: models written in Rust, Promela models, recorded runs, and real
//! programs. What a search finds differs (paths, cuts, schedules) and is the parameter of [`Outcome`]. Reports, JSON and
//! exit codes need only the rest.
//!
//! * [`Verdict`] is the answer. If it is inconclusive, its [`Doubt`] says why.
//! * [`Limits`] bounds a search, and [`Watch`] checks the bounds while it runs. [`End`] says how the search ended, and
//!   [`Limit`] which bound it met.
//! * [`Statistics`] counts what the search did. [`Progress`] passes the counts on while the search runs.
//!
//! The crate has no dependencies, because the crate `mazurka` is built with people's tests and must build fast.

#![cfg_attr(not(test), warn(clippy::cast_possible_truncation))]

mod doubt;
mod end;
mod limit;
mod limits;
mod outcome;
mod progress;
mod statistics;
mod verdict;
mod watch;

pub use doubt::Doubt;
pub use end::End;
pub use limit::Limit;
pub use limits::Limits;
pub use outcome::Outcome;
pub use progress::Progress;
pub use statistics::Statistics;
pub use verdict::Verdict;
pub use watch::Watch;
