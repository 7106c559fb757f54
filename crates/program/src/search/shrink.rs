//! Smaller executions with the same violation.
//!
//! The execution in which a search finds a violation has steps and switches between threads that come from the order of the
//! search, not from the fault. Before it is reported, the program is run again with fewer: groups of steps are put off to the end, where they
//! often no longer happen, and turns of one thread are joined (as in delta debugging: Zeller, Hildebrandt, *Simplifying and
//! Isolating Failure-Inducing Input*, IEEE TSE 2002, section 3). An attempt is adopted if it ends in the same kind of violation at the same
//! place and has fewer switches, then fewer departures from the natural schedule, then fewer steps. Each attempt is an execution of the
//! program, so what is reported has happened, however attempts are chosen.
//!
//! The number of attempts is bounded, and not their time, so that two runs report the same. Only the bound on the time of the whole search counts
//! as well. An execution that is run again from a token is reported as it is.

use super::driver::Search;
use super::{ExecutionEnd, natural};
use crate::fiber::Body;
use crate::ids::ThreadId;
use crate::report::{Violation, ViolationKind};
use crate::token;
use std::ops::Range;

/// How many attempts are made at most, and how many steps they have together.
const ATTEMPTS: usize = 200;
const STEPS: usize = 100_000;
/// Longer executions are left as they are.
const LONG: usize = 4_000;

/// A thread performs its operation in this way.
type Turn = (ThreadId, u32);

/// Switches, departures from the natural schedule, and steps.
type Size = (usize, usize, usize);

/// An execution with the violation.
struct Shown {
    turns: Vec<Turn>,
    size: Size,
    violation: Violation,
}

struct Budget {
    attempts: usize,
    steps: usize,
}

/// Where a violation is: for a panic the place in the source, and for anything else all that is said of it.
fn place(violation: &Violation) -> &str {
    let message = violation.message.as_str();
    match violation.kind {
        ViolationKind::Panic => {
            let at = message.split_once("panicked at ").map_or(message, |(_, at)| at);
            at.split_once(": ").map_or(at, |(place, _)| place)
        }
        _ => message,
    }
}

/// Whether another execution can show the same.
fn can_shrink(kind: ViolationKind) -> bool {
    use ViolationKind::*;
    matches!(kind, Deadlock | Panic | DataRace | LockingDiscipline | Leak | NotJoined)
}

/// The steps that one thread performs without another one in between.
fn blocks(turns: &[Turn]) -> Vec<Range<usize>> {
    let mut blocks: Vec<Range<usize>> = Vec::new();
    for (i, (thread, _)) in turns.iter().enumerate() {
        match blocks.last_mut() {
            Some(last) if turns[last.start].0 == *thread => last.end = i + 1,
            _ => blocks.push(i..i + 1),
        }
    }
    blocks
}

/// The turns with some of them at the end.
fn put_off(turns: &[Turn], range: Range<usize>) -> Vec<Turn> {
    [&turns[..range.start], &turns[range.end..], &turns[range]].concat()
}

/// The turns with a block directly after the earlier block of its thread that ends at `to`.
fn joined(turns: &[Turn], to: usize, block: Range<usize>) -> Vec<Turn> {
    [
        &turns[..to],
        &turns[block.clone()],
        &turns[to..block.start],
        &turns[block.end..],
    ]
    .concat()
}

impl Search<'_> {
    /// Replaces the violation that has ended the search by a smaller execution that shows it. The last execution is the one that is
    /// reported.
    pub(super) fn shrink(&mut self, body: &dyn Fn() -> Body) {
        let [violation] = &self.report.violations[..] else {
            return;
        };
        if self.strategy.is_fixed() || !can_shrink(violation.kind) || self.signatures.len() > LONG {
            return;
        }
        let original = violation.clone();
        let turns: Vec<Turn> = self
            .signatures
            .iter()
            .map(|(thread, choice, ..)| (*thread, *choice))
            .collect();
        let noticed = self.noticed();
        let mut budget = Budget {
            attempts: ATTEMPTS,
            steps: STEPS,
        };
        if let Some(first) = self.attempt(&turns, &original, body, &mut budget) {
            let size = first.size;
            let best = self.smaller(first, body, &mut budget);
            budget.attempts += 1;
            self.attempt(&best.turns, &original, body, &mut budget);
            if best.size < size {
                self.report.violations = vec![best.violation];
            }
        }
        self.restore(noticed);
    }

    /// Tries smaller executions until none of them is one, or the budget is used up.
    fn smaller(&mut self, mut best: Shown, body: &dyn Fn() -> Body, budget: &mut Budget) -> Shown {
        loop {
            let before = best.size;
            let mut width = (blocks(&best.turns).len() / 2).max(1);
            loop {
                let mut first = 0;
                while let Some(start) = blocks(&best.turns).get(first).map(|b| b.start) {
                    let all = blocks(&best.turns);
                    let end = all[(first + width).min(all.len()) - 1].end;
                    let turns = put_off(&best.turns, start..end);
                    if !self.adopts(&turns, &mut best, body, budget) {
                        first += width;
                    }
                }
                if width == 1 {
                    break;
                }
                width /= 2;
            }
            let mut k = 0;
            while let Some(block) = blocks(&best.turns).get(k).cloned() {
                let thread = best.turns[block.start].0;
                let mut later = blocks(&best.turns).into_iter().skip(k + 1);
                let next = later.find(|other| best.turns[other.start].0 == thread);
                let turns = next.map(|next| joined(&best.turns, block.end, next));
                if !turns.is_some_and(|turns| self.adopts(&turns, &mut best, body, budget)) {
                    k += 1;
                }
            }
            if best.size == before {
                return best;
            }
        }
    }

    /// Attempts an execution, and makes it the best one if it is smaller.
    fn adopts(&mut self, turns: &[Turn], best: &mut Shown, body: &dyn Fn() -> Body, budget: &mut Budget) -> bool {
        let shown = self.attempt(turns, &best.violation, body, budget);
        match shown {
            Some(shown) if shown.size < best.size => {
                *best = shown;
                true
            }
            _ => false,
        }
    }

    /// Runs an execution in which threads have these turns, as far as they can. It goes on naturally after them. Returns it if it shows the
    /// same violation.
    fn attempt(
        &mut self,
        turns: &[Turn],
        wanted: &Violation,
        body: &dyn Fn() -> Body,
        budget: &mut Budget,
    ) -> Option<Shown> {
        if budget.attempts == 0 || budget.steps == 0 || self.limits.stop().is_some() {
            return None;
        }
        budget.attempts -= 1;
        self.runtime.start(usize::MAX, body());
        let (taken, end) = self.follow(turns);
        budget.steps = budget.steps.saturating_sub(taken.len());
        let faults = match self.needs() {
            None if end != ExecutionEnd::Redundant => self.faults(end),
            _ => Vec::new(),
        };
        let violations = faults
            .into_iter()
            .map(|(kind, message, about)| self.described(kind, message, about));
        let same = |v: &Violation| v.kind == wanted.kind && place(v) == place(wanted);
        let violation = violations.collect::<Vec<_>>().into_iter().find(same);
        let departures = self.runtime.watch.situation().schedule.len();
        self.runtime.findings.borrow_mut().clear();
        self.runtime.abandon();
        let size = (blocks(&taken).len(), departures, taken.len());
        violation.map(|violation| Shown {
            turns: taken,
            size,
            violation,
        })
    }

    /// Runs the execution that was started, to its end or to a violation, and gives its turns. It is redundant if it becomes too long.
    fn follow(&mut self, turns: &[Turn]) -> (Vec<Turn>, ExecutionEnd) {
        let mut left: Vec<Turn> = turns.to_vec();
        let mut taken = Vec::new();
        loop {
            if !self.runtime.findings.borrow().is_empty() {
                return (taken, ExecutionEnd::Cut);
            }
            let execution = self.runtime.execution.borrow();
            execution.enabled_threads(&mut self.enabled);
            if self.enabled.is_empty() {
                return (taken, ExecutionEnd::Maximal);
            }
            if taken.len() >= 2 * LONG || self.too_deep(taken.len()) {
                return (taken, ExecutionEnd::Redundant);
            }
            let next = left.iter().position(|(thread, _)| self.enabled.contains(thread));
            let (thread, choice) = match next {
                Some(next) => left.remove(next),
                None => (natural(&execution, &self.enabled), u32::MAX),
            };
            let ways = execution.ways(thread);
            let choice = if ways.has(choice) { choice } else { ways.at(0) };
            token::note(&self.runtime.watch, &execution, &self.enabled, thread, choice);
            drop(execution);
            taken.push((thread, choice));
            self.runtime.step(thread, choice);
        }
    }

    /// What the search has noticed about the program, apart from violations.
    fn noticed(&self) -> ([bool; 6], u64) {
        let execution = self.runtime.execution.borrow();
        let flags = [
            execution.uninterleaved,
            execution.habits.strayed,
            execution.spinning,
            execution.crowded.get(),
            execution.weak_orderings,
            execution.scarce.get(),
        ];
        (flags, self.runtime.forgotten.get())
    }

    /// Forgets what was noticed since then.
    fn restore(&mut self, (flags, forgotten): ([bool; 6], u64)) {
        let mut execution = self.runtime.execution.borrow_mut();
        let [uninterleaved, strayed, spinning, crowded, weak_orderings, scarce] = flags;
        execution.uninterleaved = uninterleaved;
        execution.habits.strayed = strayed;
        execution.spinning = spinning;
        execution.crowded.set(crowded);
        execution.weak_orderings = weak_orderings;
        execution.scarce.set(scarce);
        self.runtime.forgotten.set(forgotten);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turns(threads: &[u32]) -> Vec<Turn> {
        threads.iter().map(|t| (ThreadId(*t), 0)).collect()
    }

    #[test]
    fn turns_are_put_off_and_joined() {
        let all = turns(&[0, 0, 1, 1, 0, 2]);
        assert_eq!(blocks(&all), [0..2, 2..4, 4..5, 5..6]);
        assert_eq!(put_off(&all, 2..4), turns(&[0, 0, 0, 2, 1, 1]));
        assert_eq!(joined(&all, 2, 4..5), turns(&[0, 0, 0, 1, 1, 2]));
    }

    #[test]
    fn a_panic_is_known_by_its_place() {
        let violation = |kind, message: &str| Violation {
            kind,
            message: message.into(),
            token: String::new(),
            threads: Vec::new(),
            steps: Vec::new(),
        };
        let panic = violation(ViolationKind::Panic, "thread 2 panicked at src/a.rs:7:5: saw 3: bad");
        assert_eq!(place(&panic), "src/a.rs:7:5");
        let leak = violation(ViolationKind::Leak, "an Arc made at a.rs: is never dropped");
        assert_eq!(place(&leak), leak.message);
    }
}
