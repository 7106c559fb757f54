//! Makes a counterexample to safety short.
//!
//! A depth-first search finds long ways. Here is what makes them shorter. Each rule gives a violation of the same
//! kind, and each result is executed by the compiled form before it is used, and by the plain interpreter
//! before it is shown. So a rule that were wrong would cost length, and no verdict.
//!
//! * **Rounds are cut.** If a state occurs twice, the steps between may be left out, since what follows depends on the state
//!   alone.
//! * **Only causes stay.** The steps that a failing one depends on (`causes.rs`) are an execution by themselves, and at
//!   its end the same step finds its participants in the same states. So it fails. This is no use for an end state, for
//!   which every process must be stuck.
//! * **Steps are dropped.** Some steps are left out and the others are executed again. One that cannot be executed
//!   waits until it can, and those of its process behind it, so the order may change. This is right if it leads to a
//!   violation. First, the steps of one process between two states that are the same for it are dropped, such as a round
//!   of its loop, which other steps may hide among them; then ever smaller pieces of the path. (Zeller and Hildebrandt,
//!   *Simplifying and isolating failure-inducing input*, 2002, is the same idea.)
//! * **Another search**, breadth first, that costs about as much as the first one. It is done with persistent sets, without a
//!   proviso: every path of the reduced state space is a path of the model. Its invalid end states have the shortest paths that
//!   there are (`shortest.rs`). For failures it may find none or longer paths, so it is done without reduction too.
//!
//! All lengths are numbers of statements.

use super::causes::past;
use super::findings::{Finding, Findings, Until, failure_key, stuck_key};
use super::options::Options;
use super::replay::{replay, statements};
use super::safety::Wanted;
use super::step_id::StepId;
use super::{CheckError, concerns_all, executed, searched, why_unreduced};
use crate::ir::Program;
use crate::model::Model;
use crate::plain::Interpreter;
use crate::reduce::{Independence, StubbornSets};
use crate::run::{Processes, Step};
use crate::system::{ModelSystem, Scratch};
use mazurka_core::persistent::{AllEnabled, PersistentSets};
use mazurka_core::{Limits, Order, ProvisoKind, Statistics, Storage, Strategy, System};
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::time::{Duration, Instant};

/// No other search is done for a counterexample with at most this many steps.
const SHORT: usize = 12;
/// The plain interpreter is slow, so a counterexample with more steps than this is not replayed before the other search.
const LONG: usize = 2_000;
/// The number of steps that may be executed to see which can be dropped, for all counterexamples together.
const TRIES: usize = 1_000_000;

/// How much longer than the first search another search may take, and making counterexamples short, all of them together.
const LONGEST: Duration = Duration::from_millis(500);

/// Makes counterexamples short.
pub(super) struct Shortener<'a, 'p> {
    model: &'a Model,
    interpreter: &'a Interpreter<'a>,
    system: ModelSystem<'p>,
    scratch: Scratch<'p>,
    wanted: Wanted,
    options: &'a Options<'a>,
    /// The number of steps that may still be executed, and until when.
    left: usize,
    until: Option<Instant>,
}

/// A path to a violation, with a step for each statement.
#[derive(Clone, Debug)]
struct Way {
    finding: Finding,
    /// Whether it must stay the same violation, and not only one of the same kind.
    same: bool,
}

impl<'a, 'p> Shortener<'a, 'p> {
    pub(super) fn new(
        model: &'a Model,
        program: &'p Program,
        interpreter: &'a Interpreter<'a>,
        wanted: Wanted,
        options: &'a Options<'a>,
    ) -> Self {
        let system = executed(ModelSystem::of_statements(program), options);
        Self {
            model,
            interpreter,
            scratch: system.scratch(),
            system,
            wanted,
            options,
            left: TRIES,
            until: None,
        }
    }

    /// A path to a violation that is as short as can be found soon. `found` has a step for each statement, and `spent` is
    /// what it took to find it.
    ///
    /// # Errors
    /// If a search cannot be done.
    pub(super) fn shortened(&mut self, found: Finding, spent: &Statistics) -> Result<Finding, CheckError> {
        let limit = spent.time + LONGEST;
        self.until.get_or_insert_with(|| Instant::now() + limit);
        if found.path.len() <= 1 || self.is_over() {
            return Ok(found);
        }
        let exact = Way {
            finding: found,
            same: false,
        };
        // Its key is that of the last statement, rather than of the transition with it.
        let Some(way) = self.following(&exact, &[], false) else {
            return Ok(exact.finding);
        };
        let way = Way {
            same: self.options.all,
            ..way
        };
        let mut best = match way.finding.path.len() > LONG {
            true => way,
            false => self.relevant(way),
        };
        if !best.same && best.finding.path.len() > SHORT {
            for reduced in [true, false] {
                let Some(other) = self.found_by_search(reduced, best.finding.path.len(), spent)? else {
                    continue;
                };
                // No end state is nearer than one that was found with reduction. Without reduction, no violation is, except
                // perhaps, if a limit was reached, an end state by one step.
                if !reduced || other.is_deadlock {
                    return Ok(other);
                }
                best.finding = other;
            }
        }
        Ok(self.with_less(best).finding)
    }

    /// The same violation without rounds and irrelevant steps.
    fn relevant(&mut self, mut way: Way) -> Way {
        let cut = self.without_rounds(&way);
        way.replace_by_shorter(cut);
        let causes = self.causes_only(&way);
        way.replace_by_shorter(causes);
        way
    }

    /// A violation with some steps left out.
    fn with_less(&mut self, mut way: Way) -> Way {
        while !self.is_over() {
            let before = way.finding.path.len();
            way = self.relevant(way);
            self.drop_rounds(&mut way);
            self.drop_pieces(&mut way);
            if way.finding.path.len() == before {
                break;
            }
        }
        way
    }

    fn is_over(&self) -> bool {
        let is_late = self.until.is_some_and(|until| Instant::now() >= until);
        is_late || self.left == 0 || self.options.limits.stop().is_some()
    }

    /// The path without the steps between two equal states.
    fn without_rounds(&mut self, way: &Way) -> Option<Way> {
        let path = &way.finding.path;
        let mut state = self.system.program.initial.clone();
        let mut next = Vec::new();
        // The states before each step, and if it does not fail the one after the last, as numbers.
        let mut numbers: HashMap<Vec<u8>, usize> = HashMap::new();
        let mut states = Vec::new();
        for k in 0..=path.len() {
            let new = numbers.len();
            states.push(*numbers.entry(state.clone()).or_insert(new));
            let Some(step) = path.get(k) else { break };
            if self.system.fire(&mut self.scratch, &state, *step, &mut next).is_err() {
                break;
            }
            std::mem::swap(&mut state, &mut next);
        }
        if numbers.len() == states.len() {
            return None;
        }
        let mut last = vec![0; numbers.len()];
        states.iter().enumerate().for_each(|(k, state)| last[*state] = k);
        let mut dropped = vec![true; path.len()];
        let mut at = 0;
        while let Some(state) = states.get(at) {
            at = last[*state];
            dropped.get_mut(at).into_iter().for_each(|dropped| *dropped = false);
            at += 1;
        }
        self.following(way, &dropped, false)
    }

    /// The path without steps that the last one does not depend on, if that one fails.
    fn causes_only(&mut self, way: &Way) -> Option<Way> {
        let path = &way.finding.path;
        let program = self.system.program;
        // Nothing can be left out if each step depends on the one before.
        let is_total = concerns_all(program).is_some() || program.monitor.is_some();
        if way.finding.is_deadlock || path.is_empty() || is_total {
            return None;
        }
        let statements = statements(&self.system, path);
        let replayed = replay(self.model, program, self.interpreter, &statements)?;
        let is_past = past(&replayed.steps, [StepId::new(path.len() - 1)]);
        let dropped: Vec<bool> = is_past.iter().map(|is_past| !is_past).collect();
        self.following(way, &dropped, false)
    }

    /// Drops the steps of a process between two states that are the same for it.
    fn drop_rounds(&mut self, way: &mut Way) {
        for pid in 0..=way.finding.path.iter().map(|step| step.pid).max().unwrap_or(0) {
            let mut moves = self.moves(way, pid);
            let mut from = 0;
            while from < moves.len() && !self.is_over() {
                match self.without_round(way, &moves[from..]) {
                    Some(shorter) => {
                        *way = shorter;
                        moves = self.moves(way, pid);
                    }
                    None => from += 1,
                }
            }
        }
    }

    /// The path without the longest round that begins with the first of these moves and can be dropped.
    fn without_round(&mut self, way: &Way, moves: &[(usize, Vec<u8>)]) -> Option<Way> {
        let (_, first) = moves.first()?;
        for until in (1..moves.len()).rev().filter(|k| moves[*k].1 == *first) {
            if self.is_over() {
                return None;
            }
            let mut dropped = vec![false; way.finding.path.len()];
            moves[..until].iter().for_each(|(k, _)| dropped[*k] = true);
            let shorter = self.following(way, &dropped, true);
            if shorter.is_some() {
                return shorter;
            }
        }
        None
    }

    /// The steps of a process, each with the local state before it. The last one is where it stays at the end.
    fn moves(&mut self, way: &Way, pid: u8) -> Vec<(usize, Vec<u8>)> {
        let program = self.system.program;
        let local = |state: &[u8]| {
            let process = Processes::new(program, state).nth(usize::from(pid));
            process.map_or(Vec::new(), |p| state[p.at..p.at + p.automaton.size].to_vec())
        };
        let mut state = program.initial.clone();
        let mut next = Vec::new();
        let mut moves = Vec::new();
        for (k, step) in way.finding.path.iter().enumerate() {
            if step.pid == pid || (step.has_partner() && step.partner == pid) {
                moves.push((k, local(&state)));
            }
            if self.system.fire(&mut self.scratch, &state, *step, &mut next).is_err() {
                return moves;
            }
            std::mem::swap(&mut state, &mut next);
        }
        moves.push((way.finding.path.len(), local(&state)));
        moves
    }

    /// Drops pieces of the path, from large to small.
    fn drop_pieces(&mut self, way: &mut Way) {
        let mut size = way.finding.path.len() / 2;
        while size > 0 {
            let mut from = 0;
            while from < way.finding.path.len() {
                if self.is_over() {
                    return;
                }
                let mut dropped = vec![false; way.finding.path.len()];
                let until = dropped.len().min(from + size);
                dropped[from..until].fill(true);
                match self.following(way, &dropped, true) {
                    Some(shorter) => *way = shorter,
                    None => from += size,
                }
            }
            size /= 2;
        }
    }

    /// The path without some of its steps, if it leads to a violation. With `waits`, a step that cannot be executed waits until
    /// it can, and perhaps for ever; otherwise there is no such path.
    fn following(&mut self, way: &Way, dropped: &[bool], waits: bool) -> Option<Way> {
        let path = &way.finding.path;
        let mut walk = Walk::new(self.system.program);
        let mut end = walk.end(way);
        for (k, step) in path.iter().enumerate() {
            if end.is_some() {
                break;
            }
            if dropped.get(k) == Some(&true) {
                continue;
            }
            walk.waiting.entry(step.pid).or_default().push_back((k, *step));
            while end.is_none()
                && let Some(step) = walk.next()
            {
                self.left = self.left.saturating_sub(1);
                end = walk.take(self, step, way);
            }
            if !waits && end.is_none() && walk.is_anyone_waiting() {
                return None;
            }
        }
        let key = end??;
        let finding = Finding {
            is_deadlock: way.finding.is_deadlock,
            key,
            path: walk.path,
        };
        Some(Way {
            finding,
            same: way.same,
        })
    }

    /// Searches breadth first for a violation with fewer than `most` statements.
    fn found_by_search(
        &mut self,
        reduced: bool,
        most: usize,
        spent: &Statistics,
    ) -> Result<Option<Finding>, CheckError> {
        let program = self.system.program;
        if reduced && (!self.options.reduction.persistent() || why_unreduced(program).is_some()) {
            return Ok(None);
        }
        let mut limits = within(self.options.limits, spent);
        limits.depth = Some(limits.depth.unwrap_or(usize::MAX).min(most - 1));
        let strategy = Strategy {
            sleep: false,
            proviso: ProvisoKind::None,
            order: Order::BreadthFirst,
            storage: Storage::Exact,
            limits,
        };
        let mut sets: Box<dyn PersistentSets<Step> + '_> = match reduced {
            true => Box::new(StubbornSets::new(program, self.options.persistent, None).within(limits)),
            false => Box::new(AllEnabled),
        };
        let mut observer = Findings::new(program, self.wanted, Until::Shortest);
        let independence = Independence::new(program);
        searched(&strategy, &self.system, &independence, &mut *sets, &mut observer)?;
        observer.keep_shortest();
        Ok(observer.found.pop().filter(|found| found.path.len() < most))
    }
}

/// The limits of another search that may cost about as much as the first. It stores whole
/// states, so its memory is bounded even if the first search stored only bits.
fn within<'a>(limits: Limits<'a>, spent: &Statistics) -> Limits<'a> {
    let states = spent.states.clamp(20_000, 500_000);
    let time = spent.time + LONGEST;
    Limits {
        states: Some(limits.states.map_or(states, |most| most.min(states))),
        time: Some(time),
        ..limits
    }
}

/// An execution of some steps.
struct Walk<'p> {
    program: &'p Program,
    state: Vec<u8>,
    next: Vec<u8>,
    enabled: Vec<Step>,
    path: Vec<Step>,
    /// For each process, its steps that wait, with their places.
    waiting: BTreeMap<u8, VecDeque<(usize, Step)>>,
}

impl<'p> Walk<'p> {
    fn new(program: &'p Program) -> Self {
        let mut walk = Self {
            program,
            state: program.initial.clone(),
            next: Vec::new(),
            enabled: Vec::new(),
            path: Vec::new(),
            waiting: BTreeMap::new(),
        };
        program.steps(&walk.state, &mut walk.enabled);
        walk
    }

    fn is_anyone_waiting(&self) -> bool {
        self.waiting.values().any(|steps| !steps.is_empty())
    }

    /// Takes the first step that can be executed out of those that wait.
    fn next(&mut self) -> Option<Step> {
        let heads = self.waiting.values().filter_map(|steps| steps.front());
        let executable = heads.filter(|(_, step)| self.enabled.contains(step));
        let (_, step) = *executable.min_by_key(|(k, _)| *k)?;
        self.waiting.get_mut(&step.pid)?.pop_front();
        Some(step)
    }

    /// Executes a step. If this is the end, says whether it is the violation that is wanted, as its key.
    fn take(&mut self, shortener: &mut Shortener<'_, 'p>, step: Step, way: &Way) -> Option<Option<Vec<u8>>> {
        self.path.push(step);
        let fired = shortener
            .system
            .fire(&mut shortener.scratch, &self.state, step, &mut self.next);
        if let Err(fault) = fired {
            let key = failure_key(&fault, shortener.scratch.last);
            return Some((!way.finding.is_deadlock && way.admits(&key)).then_some(key));
        }
        std::mem::swap(&mut self.state, &mut self.next);
        self.enabled.clear();
        shortener.system.enabled(&self.state, &mut self.enabled);
        self.end(way)
    }

    /// The same in a state where nothing can be executed.
    fn end(&self, way: &Way) -> Option<Option<Vec<u8>>> {
        if !self.enabled.is_empty() {
            return None;
        }
        let key = stuck_key(self.program, &self.state);
        let is_violation = way.finding.is_deadlock && !self.program.is_valid_end(&self.state) && way.admits(&key);
        Some(is_violation.then_some(key))
    }
}

impl Way {
    fn replace_by_shorter(&mut self, other: Option<Self>) {
        if let Some(other) = other.filter(|other| other.finding.path.len() < self.finding.path.len()) {
            *self = other;
        }
    }

    fn admits(&self, key: &[u8]) -> bool {
        !self.same || self.finding.key == key
    }
}

#[cfg(test)]
mod tests {
    use super::super::safety::first;
    use super::*;
    use crate::compile::compile;
    use crate::load;

    /// The numbers of statements of a counterexample before and after it is made short by leaving out steps alone.
    fn lengths(text: &str, errors: bool) -> (usize, usize) {
        let model = load("m.pml", text, &crate::Options::default()).unwrap().model;
        let compiled = compile(&model, &[]).unwrap();
        let program = &compiled.program;
        let wanted = Wanted {
            errors,
            deadlocks: !errors,
        };
        let options = Options {
            reduction: mazurka_core::Reduction::None,
            ..Options::default()
        };
        let mut found = first(program, wanted, &options, Until::First).unwrap();
        let finding = found.observer.found.pop().expect("a violation");
        let interpreter = Interpreter::new(&model);
        let mut shortener = Shortener::new(&model, program, &interpreter, wanted, &options);
        let way = Way {
            finding: finding.clone(),
            same: false,
        };
        let short = shortener.with_less(way).finding;
        let statements = statements(&shortener.system, &short.path);
        let statements = if errors { statements } else { statements.and_stuck() };
        assert!(replay(&model, program, &interpreter, &statements).is_some());
        (finding.path.len(), short.path.len())
    }

    /// Three philosophers lay down a fork, think, and take it back. What they ate before is not needed.
    #[test]
    fn rounds_of_a_process_are_dropped() {
        let (before, after) = lengths(
            "chan fork[3] = [1] of { bit };
             active [3] proctype P() {
               fork[_pid]!1;
               do
               :: skip; fork[_pid]?1; fork[(_pid + 1) % 3]?1; fork[_pid]!1; fork[(_pid + 1) % 3]!1
               od
             }",
            false,
        );
        assert!(before > 9 && after == 9, "{before} {after}");
    }

    #[test]
    fn what_a_failure_does_not_depend_on_is_dropped() {
        let (before, after) = lengths(
            "byte x, y;
             active proctype P() { x = 1; x = 2; assert(x != 2) }
             active proctype Q() { do :: y < 100 -> y++ :: else -> break od }",
            true,
        );
        assert_eq!(after, 3, "{before} {after}");
    }

    #[test]
    fn steps_wait_for_others() {
        let (before, after) = lengths(
            "byte x;
             active proctype P() { do :: x < 50 -> x = x + 2 :: x > 10 -> break od; assert(false) }",
            true,
        );
        assert!(before >= after && after == 14, "{before} {after}");
    }
}
