//! Reports of progress while a search runs.

use crate::Statistics;
use std::fmt;

/// A function that is told a few times a second what a search has cost so far.
///
/// ```
/// # use mazurka_outcome::{Limits, Progress, Statistics};
/// let show = |so_far: &Statistics| eprintln!("{} states, depth {}", so_far.states, so_far.depth);
/// let limits = Limits { progress: Some(Progress(&show)), ..Limits::default() };
/// assert!(limits.progress.is_some());
/// ```
#[derive(Clone, Copy)]
pub struct Progress<'a>(pub &'a (dyn Fn(&Statistics) + Sync));

impl fmt::Debug for Progress<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Progress")
    }
}
