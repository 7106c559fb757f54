//! Which conditions hold in a global state, and the order of the events that can change that.
//!
//! A letter has a bit for each condition. If repetitions of letters do not matter, events that change no condition
//! are forgotten ([`crate::projection`]): each order of the rest extends to one of all events, which passes through the same
//! letters up to repetitions.

use super::query::{PatternError, Proposition};
use crate::causality::{Causality, Cut, Event};
use crate::computation::Computation;
use crate::condition::{Condition, LocalStates, Reading};
use crate::detection::run_between;
use crate::narrow::short;
use mazurka_core::ProcessId;

/// The conditions of a pattern, compiled for a run.
#[derive(Debug)]
pub(super) struct Letters<'a> {
    pub(super) computation: &'a Computation,
    pub(super) propositions: &'a [Proposition],
    /// Per process, the events that are kept, after a 0 for the initial state.
    kept: Vec<Vec<u32>>,
    order: Causality,
    compiled: Vec<Compiled<'a>>,
}

/// A condition in both readings of what has no value.
#[derive(Debug)]
struct Compiled<'a> {
    certain: Placed<'a>,
    perhaps: Placed<'a>,
    /// Whether it reads a process.
    reads: Vec<bool>,
}

/// A compiled condition, with its local state for each kept event of each process.
#[derive(Debug)]
struct Placed<'a> {
    condition: Condition<'a>,
    places: Vec<Vec<u32>>,
}

/// A cut of kept events as local states of a condition.
struct At<'a> {
    places: &'a [Vec<u32>],
    cut: &'a [u32],
}

impl LocalStates for At<'_> {
    #[inline]
    fn of(&self, process: ProcessId) -> u32 {
        let p = process.index();
        self.places[p][self.cut[p] as usize]
    }
}

impl<'a> Placed<'a> {
    fn new(computation: &'a Computation, proposition: &'a Proposition, reading: Reading) -> Self {
        Self {
            condition: Condition::new(computation, &proposition.formula, reading),
            places: Vec::new(),
        }
    }

    fn place(&mut self, kept: &[Vec<u32>]) {
        let lanes = ProcessId::first(kept.len()).zip(kept);
        let places = lanes.map(|(p, kept)| {
            let changes = self.condition.changes(p);
            let place = |event: &u32| short(changes.partition_point(|change| change <= event)) - 1;
            kept.iter().map(place).collect()
        });
        self.places = places.collect();
    }

    fn holds(&self, cut: &[u32]) -> bool {
        self.condition.holds_in(&At {
            places: &self.places,
            cut,
        })
    }
}

impl<'a> Letters<'a> {
    /// Compiles conditions. With `project`, events that change none are forgotten.
    pub(super) fn new(computation: &'a Computation, propositions: &'a [Proposition], project: bool) -> Self {
        let compiled = propositions.iter().map(|proposition| {
            let support = proposition.formula.support(&proposition.formula.root);
            Compiled {
                certain: Placed::new(computation, proposition, Reading::Certain),
                perhaps: Placed::new(computation, proposition, Reading::Perhaps),
                reads: computation.process_ids().map(|p| support.contains(&p)).collect(),
            }
        });
        let mut compiled: Vec<Compiled<'_>> = compiled.collect();
        let causality = computation.causality();
        let kept = causality.process_ids().map(|p| match project {
            false => (0..=causality.events(p)).collect(),
            true => {
                let conditions = compiled.iter().flat_map(|c| [&c.certain, &c.perhaps]);
                let changes = conditions.flat_map(|placed| placed.condition.changes(p));
                let mut kept: Vec<u32> = std::iter::once(0).chain(changes.copied()).collect();
                kept.sort_unstable();
                kept.dedup();
                kept
            }
        });
        let kept: Vec<Vec<u32>> = kept.collect();
        for placed in compiled.iter_mut().flat_map(|c| [&mut c.certain, &mut c.perhaps]) {
            placed.place(&kept);
        }
        let lanes: Vec<&[u32]> = kept.iter().map(Vec::as_slice).collect();
        Self {
            computation,
            propositions,
            order: crate::projection::project(causality, &lanes),
            kept,
            compiled,
        }
    }

    /// The order of the kept events.
    pub(super) fn order(&self) -> &Causality {
        &self.order
    }

    /// The kept events of a process, after a 0 for the initial state.
    pub(super) fn kept(&self, process: ProcessId) -> &[u32] {
        &self.kept[process.index()]
    }

    /// Whether a condition reads a process.
    pub(super) fn reads(&self, condition: usize, process: ProcessId) -> bool {
        self.compiled[condition].reads[process.index()]
    }

    /// Whether a condition holds in a cut of kept events.
    pub(super) fn holds(&self, condition: usize, cut: &[u32]) -> Result<bool, PatternError> {
        let compiled = &self.compiled[condition];
        if compiled.certain.holds(cut) {
            return Ok(true);
        }
        if compiled.certain.condition.met_undefined() && compiled.perhaps.holds(cut) {
            return Err(self.propositions[condition].undefined(self.computation, self.whole_cut(cut)));
        }
        Ok(false)
    }

    /// The letter of a cut, given that of the cut before an event of `moved`; only the bits of `relevant` are set.
    pub(super) fn letter(
        &self,
        before: u64,
        moved: Option<ProcessId>,
        relevant: u64,
        cut: &[u32],
    ) -> Result<u64, PatternError> {
        let mut letter = before & relevant;
        for k in 0..self.compiled.len() {
            let bit = 1 << k;
            if relevant & bit != 0 && moved.is_none_or(|p| self.reads(k, p)) {
                letter = letter & !bit | u64::from(self.holds(k, cut)?) << k;
            }
        }
        Ok(letter)
    }

    /// The supports of the conjuncts of a condition that are false in a cut.
    pub(super) fn false_supports<'s>(
        &'s self,
        condition: usize,
        cut: &[u32],
    ) -> impl Iterator<Item = &'s [ProcessId]> + 's {
        let Placed { condition, places } = &self.compiled[condition].certain;
        let states: Cut = places.iter().zip(cut).map(|(places, k)| places[*k as usize]).collect();
        let conjuncts = condition.conjuncts().iter().enumerate();
        conjuncts
            .filter(move |(k, _)| !condition.conjunct_holds(*k, &states))
            .map(|(_, conjunct)| &conjunct.support[..])
    }

    /// The least cut of the whole that contains a cut of kept events.
    fn whole_cut(&self, cut: &[u32]) -> Cut {
        let mut whole: Cut = self.kept.iter().zip(cut).map(|(kept, k)| kept[*k as usize]).collect();
        self.computation.causality().close(&vec![0; whole.len()], &mut whole);
        whole
    }

    /// An order of all events that begins with some kept events in this order, as its events.
    pub(super) fn whole_path(&self, run: &[Event]) -> Vec<Event> {
        let order = self.computation.causality();
        let mut now = vec![0; order.processes()];
        let mut events = Vec::new();
        for event in run {
            let mut next = now.clone();
            next[event.process.index()] = self.kept(event.process)[event.index as usize];
            order.close(&now, &mut next);
            events.extend(run_between(order, &now, &next));
            now = next;
        }
        events.extend(run_between(order, &now, &order.last_cut()));
        events
    }
}
