//! Which of the [stubborn sets](super::stubborn) of a state is chosen, and whether it was chosen before.
//!
//! Of all starts, the one with the smallest set is taken; where the search makes chains, a single step that is a set by itself comes first.
//! Processes are looked at in their [arrangement](super::arrangement), so that what is chosen, and with it what is
//! [remembered](super::remembered), depends on nothing else. Starts that a [trial](super::experience) found vain are left out.

use super::arrangement::Purpose;
use super::stubborn::{LARGE, StubbornSets, answer_in, look};
use crate::ir::{Action, COUNT, EXCLUSIVE};
use crate::run::{Processes, Step};
use mazurka_core::bitset::{self, BitSet};
use mazurka_core::persistent::{PersistentSets, smallest_of_starts};

impl StubbornSets<'_> {
    /// Arranges the processes and steps of a state.
    fn arrange(&mut self, state: &[u8], enabled: &[Step]) {
        self.arrangement
            .make(self.program, &self.instances, state, enabled, self.by_number);
    }

    /// What was chosen before for the same arrangement and the same answers.
    fn recall(&mut self, state: &[u8], purpose: Purpose) -> Option<u32> {
        let (program, arrangement, questions) = (self.program, &self.arrangement, &self.rules.questions);
        let key = &mut self.remembered.key;
        arrangement.write_key(program, &self.instances, state, purpose, key);
        self.remembered.find(|question| {
            let (rank, question) = questions.get(question);
            let place = &arrangement.places[*rank];
            let view = look(program, state, place.pid, place.at, place.proctype);
            answer_in(&view, place.proctype, question)
        })
    }

    /// Keeps what was chosen, if all that it depends on was noted.
    fn keep(&mut self, result: u32) {
        self.rules.trace.is_on = false;
        if self.rules.are_kept() && self.current.len() <= LARGE {
            self.remembered.learn(&self.rules.trace.asked, result);
        }
    }

    /// Whether starting a set from any of the executable steps is known to be in vain.
    fn are_all_vain(&self, is_single: bool, state: &[u8], enabled: &[Step]) -> bool {
        let Some(experience) = &self.experience else {
            return false;
        };
        let mut steps = enabled.iter().peekable();
        let mut processes = Processes::new(self.program, state);
        while let Some(step) = steps.peek() {
            let pid = step.pid;
            let Some(process) = processes.find(|process| process.pid == pid) else {
                return false;
            };
            while let Some(step) = steps.next_if(|step| step.pid == pid) {
                if !experience.is_vain(is_single, process.proctype.0 as usize, step.edge as usize) {
                    return false;
                }
            }
        }
        true
    }

    /// Whether starting a set from a step is known to be in vain.
    #[inline]
    fn is_vain(&self, is_single: bool, step: Step) -> bool {
        let Some(experience) = &self.experience else {
            return false;
        };
        let proctype = self.processes[self.arrangement.rank(step.pid)].proctype;
        experience.is_vain(is_single, proctype, step.edge as usize)
    }

    /// Counts what came of starting a set from a step.
    #[inline]
    fn count(&mut self, is_single: bool, step: Step, succeeds: bool) {
        if let Some(trial) = &mut self.trial {
            let proctype = self.processes[self.arrangement.rank(step.pid)].proctype;
            trial.count(is_single, proctype, step.edge as usize, succeeds);
        }
    }

    /// Counts how many of the executable steps are taken.
    #[inline]
    fn weigh(&mut self, taken: usize, executable: usize) {
        if let Some(trial) = &mut self.trial {
            trial.weigh(taken, executable);
        }
    }

    /// Looks for a step that is a persistent set by itself: any, with last choices last, or one of a process that is a last choice or not.
    /// Returns its position in the arrangement.
    fn find_single(&mut self, state: &[u8], of: Option<(u8, bool)>) -> Option<usize> {
        let steps = std::mem::take(&mut self.arrangement.steps);
        self.prepare_arranged(state, &steps);
        let found = match (self.everything, of) {
            (true, _) => None,
            (false, Some((pid, last_choice))) => self.find_single_among(state, &steps, Some(pid), last_choice),
            (false, None) => self
                .find_single_among(state, &steps, None, false)
                .or_else(|| self.find_single_among(state, &steps, None, true)),
        };
        self.arrangement.steps = steps;
        found
    }

    fn find_single_among(
        &mut self,
        state: &[u8],
        steps: &[Step],
        pid: Option<u8>,
        last_choices: bool,
    ) -> Option<usize> {
        let mut set = std::mem::take(&mut self.candidate);
        let found = (0..steps.len()).find(|start| {
            self.saw_observed = false;
            let step = steps[*start];
            if pid.is_some_and(|pid| step.pid != pid)
                || self.is_last_choice(step) != last_choices
                || self.is_vain(true, step)
            {
                return false;
            }
            let succeeds = self.containing(state, steps, *start, 1, &mut set)
                && bitset::len(&set) == 1
                && !self.saw_observed
                && !self.is_interrupted(step);
            self.count(true, step, succeeds);
            succeeds
        });
        self.candidate = set;
        found
    }

    /// The same as [`Self::find_single`], and remembers it if `asks` is true.
    fn recall_single(&mut self, state: &[u8], of: Option<(u8, bool)>, asks: bool) -> Option<usize> {
        if !asks {
            return self.find_single(state, of);
        }
        let purpose = match of {
            None => Purpose::Single,
            Some((pid, last_choice)) => Purpose::SingleOf(crate::narrow::pid(self.arrangement.rank(pid)), last_choice),
        };
        if let Some(found) = self.recall(state, purpose) {
            return (found as usize).checked_sub(1);
        }
        self.rules.trace.begin();
        let found = self.find_single(state, of);
        self.keep(found.map_or(0, |k| crate::narrow::index(k + 1)));
        found
    }
}

/// The results of [`Remembered`] for single steps: 0 if there is none, else one more than its position. For sets: one bit for each
/// enabled step.
const MOST: usize = 31;

/// Sets for a state whose processes are arranged already.
struct Arranged<'a, 'p>(&'a mut StubbornSets<'p>);

impl PersistentSets<Step> for Arranged<'_, '_> {
    fn prepare(&mut self, state: &[u8], enabled: &[Step]) {
        self.0.prepare_arranged(state, enabled);
    }

    fn is_last_choice(&self, step: Step) -> bool {
        self.0.is_last_choice(step)
    }

    fn avoid(&mut self, step: Step) {
        self.0.avoid(step);
    }

    fn containing(&mut self, state: &[u8], enabled: &[Step], start: usize, most: usize, out: &mut BitSet) -> bool {
        let step = enabled[start];
        if !self.0.everything && self.0.is_vain(false, step) {
            return false;
        }
        let fits = self.0.containing(state, enabled, start, most, out);
        if !self.0.everything {
            self.0.count(false, step, fits && bitset::len(out) < enabled.len());
        }
        fits
    }
}

impl PersistentSets<Step> for StubbornSets<'_> {
    fn makes_chains(&self) -> bool {
        self.chaining
    }

    /// The step of a process that has no other, if it is at a location where it does nothing that concerns others.
    #[inline]
    fn at_once(&self, state: &[u8], last: Step) -> Option<Step> {
        let pid = last.pid;
        if self.observed.is_some() || pid >= state[COUNT] || state[EXCLUSIVE] != 0 {
            return None;
        }
        let process = Processes::new(self.program, state).nth(pid as usize)?;
        let proctype = process.proctype.0 as usize;
        if !self.private.is_plain_location(proctype, process.location_id(state)) {
            return None;
        }
        self.program.only_step_of(state, process)
    }

    /// A step that is a persistent set by itself and that no property observes. Those of the process that moved last are tried
    /// first: what kept others from being one is still there.
    fn single(&mut self, state: &[u8], enabled: &[Step], last: Step) -> Option<Step> {
        if let ([only], None) = (enabled, &self.observed) {
            return Some(*only);
        }
        if state[EXCLUSIVE] != 0 || enabled.is_empty() {
            return None;
        }
        if let Some(step) = self.private_step(state, enabled) {
            self.weigh(1, enabled.len());
            return Some(step);
        }
        if self.are_all_vain(true, state, enabled) {
            return None;
        }
        self.arrange(state, enabled);
        let asks = enabled.len() <= MOST && !self.forgets && self.remembered.is_worth_asking();
        let first = self.recall_single(state, None, asks)?;
        self.weigh(1, enabled.len());
        let step = self.arrangement.steps[first];
        if step.pid == last.pid || !enabled.iter().any(|step| step.pid == last.pid) {
            return Some(step);
        }
        let last_choice = self.is_last_choice(step);
        let of_mover = self.recall_single(state, Some((last.pid, last_choice)), asks);
        Some(of_mover.map_or(step, |k| self.arrangement.steps[k]))
    }

    /// The smallest set, in the order of the arrangement.
    fn chosen(&mut self, state: &[u8], enabled: &[Step], out: &mut BitSet) -> bool {
        if enabled.len() < 2 || state[EXCLUSIVE] != 0 {
            return false;
        }
        if self.are_all_vain(false, state, enabled) {
            out.set_all(enabled.len());
            return true;
        }
        self.arrange(state, enabled);
        let asks = enabled.len() <= MOST && !self.forgets && self.remembered.is_worth_asking();
        if asks && let Some(found) = self.recall(state, Purpose::Explore) {
            out.reset(enabled.len());
            for k in bitset::iter(&[u64::from(found)]) {
                bitset::insert(out, self.arrangement.positions[k] as usize);
            }
            self.weigh(bitset::len(out), enabled.len());
            return true;
        }
        if asks {
            self.rules.trace.begin();
        }
        let mut best = std::mem::take(&mut self.best);
        let steps = std::mem::take(&mut self.arrangement.steps);
        smallest_of_starts(&mut Arranged(self), state, &steps, |_| true, out, &mut best);
        self.arrangement.steps = steps;
        if asks {
            let found = bitset::iter(&best).fold(0, |set, k| set | 1 << k);
            self.keep(found);
        }
        out.reset(enabled.len());
        for k in bitset::iter(&best) {
            bitset::insert(out, self.arrangement.positions[k] as usize);
        }
        self.best = best;
        self.weigh(bitset::len(out), enabled.len());
        true
    }

    fn prepare(&mut self, state: &[u8], enabled: &[Step]) {
        self.arrange(state, enabled);
        self.prepare_arranged(state, enabled);
    }

    /// Messages are received as early as possible, which keeps channels short.
    fn is_last_choice(&self, step: Step) -> bool {
        let graph = &self.program.automata[self.arrangement.places[self.arrangement.rank(step.pid)].proctype].graph;
        !step.has_partner() && matches!(graph.edges[step.edge as usize].action, Action::Send { .. })
    }

    fn avoid(&mut self, step: Step) {
        if self.current.len() > LARGE && !self.everything {
            let edge = self.bit_of(self.place(step.pid, step.edge));
            self.avoided.resize(self.closure.row, 0);
            bitset::insert(&mut self.avoided, edge);
        }
    }

    fn containing(&mut self, state: &[u8], enabled: &[Step], start: usize, most: usize, out: &mut BitSet) -> bool {
        if self.everything {
            out.set_all(enabled.len());
            return true;
        }
        self.close(state, enabled, start, most, out)
    }
}
