//! Stateless search: run the program again and again, each time differently.
//!
//! One driver ([`drive`]) runs executions, and `judge.rs` says what their ends mean. A [`Strategy`] decides which thread goes
//! on in each state and which execution comes next. To go back to a state, the program is run again from the start
//! (reset and replay, Stoller's section 10); the driver checks that it does the same again.

mod again;
mod control;
mod driver;
mod estimate;
mod exhaustive;
mod judge;
mod notes;
mod optimal;
mod pct;
mod persistent;
mod preemption;
mod probe;
mod random;
mod replay;
mod reversal;
mod selective;
mod shrink;
mod sleep;
mod source;
mod verdict;
mod wakeup_tree;

pub(crate) use driver::{Site, drive};

use crate::execution::Execution;
use crate::ids::ThreadId;
use crate::strategy;
use mazurka_outcome::Doubt;

/// What to do in a state.
pub(crate) enum Pick {
    /// A thread performs its operation in this way.
    Run(ThreadId, u32),
    /// Nothing, because whatever could follow was seen or will be seen elsewhere.
    Redundant,
}

/// How an execution ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ExecutionEnd {
    /// No thread can go on.
    Maximal,
    /// The strategy ended it.
    Redundant,
    /// A limit or a violation ended it.
    Cut,
}

/// A way to explore the executions of a program.
pub(crate) trait Strategy {
    /// Chooses among the enabled threads, of which there is at least one, after `depth` events.
    fn pick(&mut self, execution: &Execution, enabled: &[ThreadId], depth: usize) -> Pick;

    /// Called when an execution has ended, while its events are still there.
    fn finished(&mut self, execution: &mut Execution, end: ExecutionEnd);

    /// Prepares the next execution. Returns the number of events that it repeats, or none if there is no next one.
    fn advance(&mut self, execution: &Execution) -> Option<usize>;

    /// The fraction of all executions that was seen, if it can be estimated. Called after an execution, before the next one is prepared.
    fn progress(&self) -> Option<f64> {
        None
    }

    /// True if it runs one execution that the user has asked for.
    fn is_fixed(&self) -> bool {
        false
    }

    /// Why executions may be missing although there is no next one; none if all were covered.
    fn doubt(&self) -> Option<Doubt>;
}

/// The implementation of the strategy that the user chose.
///
/// With `weak` memory, all strategies that reduce are the optimal one, because only it looks for reads that could see later writes.
pub(crate) fn strategy(choice: &strategy::Strategy, weak: bool) -> Box<dyn Strategy> {
    use strategy::Strategy as S;
    match *choice {
        S::Selective | S::SourceSets if weak => Box::new(optimal::Optimal::default()),
        S::Exhaustive => Box::new(exhaustive::Exhaustive::default()),
        S::Selective => Box::new(selective::Selective::default()),
        S::SourceSets => Box::new(source::SourceSets::default()),
        S::Optimal => Box::new(optimal::Optimal::default()),
        S::PreemptionBound(bound) => Box::new(preemption::Preemptions::new(bound)),
        S::Random { seed, executions } => Box::new(random::RandomWalk::new(seed, executions)),
        S::Pct {
            seed,
            executions,
            depth,
        } => Box::new(pct::Pct::new(seed, executions, depth)),
    }
}

pub(crate) use notes::outlook;
pub(crate) use replay::Replay;

/// The thread that goes on by default: the one that ran last, or else the one with the
/// lowest number.
pub(crate) fn natural(execution: &Execution, enabled: &[ThreadId]) -> ThreadId {
    match execution.events.last() {
        Some(event) if enabled.contains(&event.thread) => event.thread,
        _ => enabled[0],
    }
}
