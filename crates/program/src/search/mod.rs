//! Stateless search: run the program again and again, each time differently.
//!
//! One driver ([`drive`]) runs executions and judges how they end; a [`Strategy`] decides which thread goes
//! on in each state and which execution comes next. Going back is running again from the start
//! (reset and replay, Stoller's section 10); the driver checks that the program does
//! the same again.

mod again;
mod control;
mod driver;
mod exhaustive;
mod notes;
mod optimal;
mod pct;
mod persistent;
mod preemption;
mod random;
mod replay;
mod reversal;
mod selective;
mod sleep;
mod source;
mod verdict;
mod wakeup_tree;

pub(crate) use driver::drive;

use crate::execution::Execution;
use crate::ids::ThreadId;
use crate::strategy;
use mazurka_outcome::Doubt;

/// What to do in a state.
pub(crate) enum Pick {
    /// Let a thread perform its operation, in this way.
    Run(ThreadId, u32),
    /// Nothing: whatever could follow was or will be seen elsewhere.
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

/// A way to go through the executions of a program.
pub(crate) trait Strategy {
    /// Chooses among the enabled threads, which are not none, after `depth` events.
    fn pick(&mut self, execution: &Execution, enabled: &[ThreadId], depth: usize) -> Pick;

    /// An execution has ended; its events are still there.
    fn finished(&mut self, execution: &mut Execution, end: ExecutionEnd);

    /// Prepares the next execution: the number of events that it repeats, or none.
    fn advance(&mut self, execution: &Execution) -> Option<usize>;

    /// Which part of all executions was seen, as far as it is known: the weight of what is explored, if all branches
    /// of a state weigh the same (Knuth, *Estimating the Efficiency of Backtrack Programs*, 1975; Kilby, Slaney, Thiébaux, Walsh, AAAI
    /// 2006). Asked after an execution, before the next one is prepared.
    fn progress(&self) -> Option<f64> {
        None
    }

    /// Why executions may be missing when there is no next one; none if all were covered.
    fn doubt(&self) -> Option<Doubt>;
}

/// The strategy that a user asked for.
pub(crate) fn strategy(choice: &strategy::Strategy) -> Box<dyn Strategy> {
    use strategy::Strategy as S;
    match *choice {
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

pub(crate) use replay::Replay;

/// The part that was seen, from the number of branches that were taken before the current one, and of those to come, of each state along
/// the present execution.
fn part_seen(branches: impl Iterator<Item = (usize, usize)>) -> f64 {
    let (mut seen, mut weight) = (0.0, 1.0);
    for (before, after) in branches {
        let each = weight / (before + 1 + after) as f64;
        seen += each * before as f64;
        weight = each;
    }
    seen + weight
}

/// The thread that goes on if nothing speaks against it: the last one, or the one with the
/// lowest number.
pub(crate) fn natural(execution: &Execution, enabled: &[ThreadId]) -> ThreadId {
    match execution.events.last() {
        Some(event) if enabled.contains(&event.thread) => event.thread,
        _ => enabled[0],
    }
}
