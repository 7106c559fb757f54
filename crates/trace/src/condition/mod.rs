//! A predicate compiled for a computation.
//!
//! A predicate is evaluated in millions of global states, but a process has
//! far fewer local states, and most of them look alike to a given part of the
//! predicate. Therefore each part that reads at most two processes becomes a *cell*: a
//! table from classes of local states to truth values, where two local states are
//! in one class if the part cannot tell them apart. A part that reads more is
//! evaluated on its values.
//!
//! The local states between two changes of class look alike to the whole
//! predicate. Each process is kept as the list of its changes (a *track*), so
//! that "local states" below are the stretches between them: the events that can
//! change the predicate are exactly those that a weak vector clock counts (paper,
//! section 8), and [`crate::projection`] keeps these alone.
//!
//! A part may have no value in some state, such as a sum with a variable that is
//! not assigned. A predicate then has three values, and a [`Reading`] makes two of
//! them: `Certain` asks whether it is true, `Perhaps` whether it is not false.
//! Both commute with "and" and "or" of Kleene's logic, so everything downstream is
//! two-valued.

mod compile;
mod track;

use crate::causality::Causality;
use crate::computation::{Computation, VariableId};
use crate::narrow::short;
use crate::predicate::{Formula, Node};
use crate::value::{Value, ValueId};
use compile::Compiler;
use mazurka_core::ProcessId;
use mazurka_core::bitset::{self, BitSet};
use std::sync::atomic::{AtomicBool, Ordering};
use track::Track;

/// How to read a part that has no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reading {
    /// As false: the predicate is certainly true.
    Certain,
    /// As true: the predicate is not certainly false.
    Perhaps,
}

/// No local state.
pub(crate) const NEVER: u32 = u32::MAX;

/// The local states of all processes.
pub(crate) trait LocalStates {
    /// The number of the local state that a process is in.
    fn of(&self, process: ProcessId) -> u32;
}

impl LocalStates for [u32] {
    #[inline]
    fn of(&self, process: ProcessId) -> u32 {
        self[process.index()]
    }
}

/// A compiled predicate: a conjunction, of at least one conjunct.
#[derive(Debug)]
pub(crate) struct Condition<'a> {
    computation: &'a Computation,
    formula: &'a Formula,
    reading: Reading,
    conjuncts: Vec<Conjunct>,
    cells: Vec<Cell>,
    tracks: Vec<Track>,
    /// Per process and local state: the conjuncts that may be false in a cut with it, as
    /// a bit set; those that do not read the process are among them. Filled in when there is
    /// a local state for every event, which is where it is asked for.
    doubts: Vec<Vec<u64>>,
    /// Whether a part without a value was met.
    undefined: AtomicBool,
}

/// A conjunct and the processes that it reads.
#[derive(Debug)]
pub(crate) struct Conjunct {
    root: Part,
    pub(crate) support: Vec<ProcessId>,
}

/// A formula over cells.
#[derive(Clone, Debug)]
enum Part {
    Constant(bool),
    Cell(usize),
    And(Box<[Part]>),
    Or(Box<[Part]>),
}

/// A part of the predicate that is looked up or evaluated as a whole.
#[derive(Debug)]
enum Cell {
    /// One process: the class is the truth value.
    Local { process: ProcessId, slot: usize },
    /// Two processes: a row for each class of the first.
    Pair {
        first: (ProcessId, usize),
        second: (ProcessId, usize),
        width: usize,
        truth: Vec<bool>,
    },
    /// Two processes of which a variable each is equal, or is not: the classes are the
    /// numbers of the values.
    Same {
        first: (ProcessId, usize),
        second: (ProcessId, usize),
        equal: bool,
    },
    /// Anything else: the classes are tuples of values.
    Wide { node: Node, views: Vec<View> },
}

/// What a cell without a table sees of a process.
#[derive(Debug)]
struct View {
    process: ProcessId,
    slot: usize,
    variables: Vec<VariableId>,
    /// Per class the values of the variables, one row after the other.
    values: Vec<ValueId>,
}

impl<'a> Condition<'a> {
    /// Compiles a predicate.
    pub(crate) fn new(computation: &'a Computation, formula: &'a Formula, reading: Reading) -> Self {
        Self::of(computation, formula, &formula.conjuncts(), reading)
    }

    /// Compiles the conjunction of some parts of a predicate.
    pub(crate) fn of(
        computation: &'a Computation,
        formula: &'a Formula,
        conjuncts: &[&Node],
        reading: Reading,
    ) -> Self {
        let mut compiler = Compiler::new(computation, formula, reading);
        let conjuncts = conjuncts.iter().map(|node| {
            let root = compiler.compile(node);
            let support = formula.support(node).into_iter().collect();
            Conjunct { root, support }
        });
        let mut conjuncts: Vec<_> = conjuncts.collect();
        // Cheap ones first; a constant is decided at once.
        conjuncts.sort_by_key(|c| c.support.len());
        Self {
            computation,
            formula,
            reading,
            conjuncts,
            tracks: compiler.slots.iter().map(|s| Track::join(s)).collect(),
            doubts: Vec::new(),
            undefined: AtomicBool::new(compiler.undefined),
            cells: compiler.cells,
        }
    }

    /// Fills in `doubts`.
    fn doubt(&mut self) {
        let words = bitset::words_for(self.conjuncts.len());
        let doubts = ProcessId::first(self.tracks.len()).zip(&self.tracks).map(|(p, track)| {
            let mut rows = vec![0; track.changes.len() * words];
            for (state, row) in rows.chunks_mut(words).enumerate() {
                for (c, conjunct) in self.conjuncts.iter().enumerate() {
                    if !conjunct.support.contains(&p) || self.may_be_false(&conjunct.root, p, state) {
                        bitset::insert(row, c);
                    }
                }
            }
            rows
        });
        self.doubts = doubts.collect();
    }

    /// Whether a part is false in some combination of classes with this local state.
    fn may_be_false(&self, part: &Part, process: ProcessId, state: usize) -> bool {
        let class = |slot: usize| {
            let track = &self.tracks[process.index()];
            track.classes[state * track.stride + slot] as usize
        };
        match part {
            Part::Constant(truth) => !truth,
            Part::And(parts) => parts.iter().any(|p| self.may_be_false(p, process, state)),
            Part::Or(parts) => parts.iter().all(|p| self.may_be_false(p, process, state)),
            Part::Cell(cell) => match &self.cells[*cell] {
                Cell::Local { process: p, slot } => *p != process || class(*slot) == 0,
                Cell::Pair {
                    first, width, truth, ..
                } if first.0 == process => {
                    let row = class(first.1) * width;
                    truth[row..row + width].contains(&false)
                }
                Cell::Pair {
                    second, width, truth, ..
                } if second.0 == process => truth.iter().skip(class(second.1)).step_by(*width).any(|t| !t),
                Cell::Pair { .. } | Cell::Same { .. } | Cell::Wide { .. } => true,
            },
        }
    }

    /// Makes `out` the conjuncts that are false in the local states `cut`, as a bit set. The
    /// condition must be [expanded](Self::expanded).
    #[inline]
    pub(crate) fn false_conjuncts(&self, cut: &[u32], out: &mut BitSet) {
        let words = bitset::words_for(self.conjuncts.len());
        out.set_all(self.conjuncts.len());
        for (rows, &state) in self.doubts.iter().zip(cut) {
            let row = &rows[state as usize * words..];
            for (word, doubt) in out.iter_mut().zip(row) {
                *word &= doubt;
            }
        }
        for word in 0..words {
            let mut doubtful = out[word];
            while doubtful != 0 {
                let bit = doubtful & doubtful.wrapping_neg();
                doubtful &= !bit;
                if self.conjunct_holds(word * 64 + bit.trailing_zeros() as usize, cut) {
                    out[word] &= !bit;
                }
            }
        }
    }

    /// The same with a local state for every event.
    pub(crate) fn expanded(mut self) -> Self {
        self.doubt();
        let order = self.computation.causality();
        let words = bitset::words_for(self.conjuncts.len());
        for (p, (track, rows)) in order.process_ids().zip(self.tracks.iter_mut().zip(&mut self.doubts)) {
            *rows = track.expand(order.events(p), rows, words);
        }
        self
    }

    /// Whether a part without a value was met: then the other reading may differ.
    pub(crate) fn met_undefined(&self) -> bool {
        self.undefined.load(Ordering::Relaxed)
    }

    /// How many processes there are.
    pub(crate) fn processes(&self) -> usize {
        self.tracks.len()
    }

    pub(crate) fn conjuncts(&self) -> &[Conjunct] {
        &self.conjuncts
    }

    /// The events of a process that begin a new local state, and 0 before them.
    pub(crate) fn changes(&self, process: ProcessId) -> &[u32] {
        &self.tracks[process.index()].changes
    }

    /// Whether a conjunct holds in the local states `cut`.
    #[inline]
    pub(crate) fn conjunct_holds(&self, conjunct: usize, cut: &[u32]) -> bool {
        self.part_holds(&self.conjuncts[conjunct].root, cut)
    }

    /// Whether the predicate holds in the local states `cut`.
    #[inline]
    pub(crate) fn holds(&self, cut: &[u32]) -> bool {
        self.holds_in(cut)
    }

    /// Whether the predicate holds in these local states.
    #[inline]
    pub(crate) fn holds_in<S: LocalStates + ?Sized>(&self, states: &S) -> bool {
        self.conjuncts.iter().all(|c| self.part_holds(&c.root, states))
    }

    /// Whether every conjunct reads one process at most.
    pub(crate) fn is_local(&self) -> bool {
        self.conjuncts.iter().all(|c| c.support.len() <= 1)
    }

    /// Whether it is false whatever the state.
    pub(crate) fn is_never(&self) -> bool {
        let never = |c: &Conjunct| matches!(c.root, Part::Constant(false));
        self.conjuncts.iter().any(never)
    }

    /// For each conjunct that reads one process: per local state of it, the next one in which
    /// the conjunct holds, or [`NEVER`]. Nothing for the others.
    pub(crate) fn next_true(&self) -> Vec<Vec<u32>> {
        let mut cut = vec![0; self.tracks.len()];
        let conjuncts = self.conjuncts.iter().map(|conjunct| {
            let [process] = conjunct.support[..] else {
                return Vec::new();
            };
            let mut next = NEVER;
            let mut table = vec![NEVER; self.tracks[process.index()].changes.len()];
            for (state, entry) in table.iter_mut().enumerate().rev() {
                cut[process.index()] = short(state);
                if self.part_holds(&conjunct.root, &cut[..]) {
                    next = short(state);
                }
                *entry = next;
            }
            cut[process.index()] = 0;
            table
        });
        conjuncts.collect()
    }

    /// Whether the predicate holds in the local states `cut`; looks first at the conjunct
    /// that was false last, which is likely to be false again.
    #[inline]
    pub(crate) fn holds_after(&self, likely: &mut usize, cut: &[u32]) -> bool {
        if !self.conjunct_holds(*likely, cut) {
            return false;
        }
        let wrong = (0..self.conjuncts.len()).find(|c| !self.conjunct_holds(*c, cut));
        *likely = wrong.unwrap_or(*likely);
        wrong.is_none()
    }

    /// For a predicate whose conjuncts read one process each: its truth in each
    /// local state of a process, one bit for all conjuncts that read it.
    pub(crate) fn local_truth(&self, process: ProcessId) -> Vec<bool> {
        let mut cut = vec![0; self.tracks.len()];
        let reads = |c: &&Conjunct| c.support.is_empty() || c.support[0] == process;
        let conjuncts: Vec<_> = self.conjuncts.iter().filter(reads).collect();
        let states = 0..short(self.tracks[process.index()].changes.len());
        states
            .map(|state| {
                cut[process.index()] = state;
                conjuncts.iter().all(|c| self.part_holds(&c.root, &cut[..]))
            })
            .collect()
    }

    #[inline]
    fn part_holds<S: LocalStates + ?Sized>(&self, part: &Part, states: &S) -> bool {
        match part {
            Part::Cell(cell) => self.cell_holds(*cell, states),
            Part::Constant(truth) => *truth,
            Part::And(parts) => parts.iter().all(|p| self.part_holds(p, states)),
            Part::Or(parts) => parts.iter().any(|p| self.part_holds(p, states)),
        }
    }

    #[inline]
    fn cell_holds<S: LocalStates + ?Sized>(&self, cell: usize, states: &S) -> bool {
        let class = |process: ProcessId, slot: usize| self.class(process, slot, states);
        match &self.cells[cell] {
            Cell::Local { process, slot } => class(*process, *slot) != 0,
            Cell::Pair {
                first,
                second,
                width,
                truth,
            } => truth[class(first.0, first.1) as usize * width + class(second.0, second.1) as usize],
            Cell::Same { first, second, equal } => (class(first.0, first.1) == class(second.0, second.1)) == *equal,
            Cell::Wide { node, views } => self.evaluate(node, views, states),
        }
    }

    #[inline]
    fn class<S: LocalStates + ?Sized>(&self, process: ProcessId, slot: usize, states: &S) -> u32 {
        let track = &self.tracks[process.index()];
        track.classes[states.of(process) as usize * track.stride + slot]
    }

    fn evaluate<S: LocalStates + ?Sized>(&self, node: &Node, views: &[View], states: &S) -> bool {
        let value = |process: ProcessId, variable: VariableId| {
            let view = views
                .iter()
                .find(|v| v.process == process)
                .expect("it is in the support");
            let at = view.variables.iter().position(|v| *v == variable).expect("it is read");
            let class = self.class(process, view.slot, states) as usize;
            self.computation
                .value_of(view.values[class * view.variables.len() + at])
        };
        let truth = truth(self.formula, self.computation, node, &value, self.reading);
        if truth.undefined {
            self.undefined.store(true, Ordering::Relaxed);
        }
        truth.value
    }
}

struct Truth {
    value: bool,
    undefined: bool,
}

/// The truth of a formula, given the values of variables.
fn truth<'v>(
    formula: &Formula,
    computation: &'v Computation,
    node: &Node,
    value: &dyn Fn(ProcessId, VariableId) -> &'v Value,
    reading: Reading,
) -> Truth {
    const NULL: &Value = &Value::Null;
    let mut undefined = false;
    let mut of = |node: &Node| {
        let truth = truth(formula, computation, node, value, reading);
        undefined |= truth.undefined;
        truth.value
    };
    let value = match node {
        Node::Constant(truth) => *truth,
        Node::And(nodes) => nodes.iter().all(&mut of),
        Node::Or(nodes) => nodes.iter().any(&mut of),
        Node::Literal { atom, positive } => {
            let atom = &formula.atoms[*atom];
            let mut values: [&Value; 8] = [NULL; 8];
            let mut more = Vec::new();
            let read = |r: &crate::predicate::Read| match computation.variable(&r.variable) {
                Some(v) => value(r.process, v),
                None => NULL,
            };
            let result = if atom.reads.len() <= values.len() {
                for (slot, r) in values.iter_mut().zip(&atom.reads) {
                    *slot = read(r);
                }
                atom.evaluate(&values[..atom.reads.len()])
            } else {
                more.extend(atom.reads.iter().map(read));
                atom.evaluate(&more)
            };
            match result {
                Ok(truth) => truth == *positive,
                Err(_) => {
                    undefined = true;
                    reading == Reading::Perhaps
                }
            }
        }
    };
    Truth { value, undefined }
}

impl Condition<'_> {
    /// The order of the events that begin a local state.
    pub(crate) fn projected_order(&self) -> Causality {
        let kept: Vec<&[u32]> = self.tracks.iter().map(|t| t.changes.as_slice()).collect();
        crate::projection::project(self.computation.causality(), &kept)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Place, Predicate, Recorder, Recording, native};

    /// `false_conjuncts` leaves out what the local states rule out; it is the definition that decides.
    #[test]
    fn false_conjuncts_are_those_that_do_not_hold() {
        let mut recorder = Recorder::new(Recording::default());
        for (process, values) in [("a", [0, 1, 1, 2]), ("b", [1, 1, 0, 2]), ("c", [2, 0, 1, 1])] {
            for (event, x) in values.into_iter().enumerate() {
                let kind = if event == 0 { r#""init":true"# } else { r#""event":"e""# };
                let line = format!("{{\"process\":\"{process}\",{kind},\"vars\":{{\"x\":{x}}}}}");
                let place = Place {
                    file: 0,
                    offset: event as u64,
                    length: 1,
                };
                native::record(line.as_bytes(), place, &mut recorder);
            }
        }
        let computation = recorder.finish().expect("a run");
        let text = "(a.x == 0 || b.x == 1) && (b.x == 1 || c.x == 0) && a.x + c.x < 3 && b.x != c.x && a.x < 2";
        let formula = Predicate::parse(text)
            .expect("a predicate")
            .bind(computation.names(), &|_, _| true);
        let formula = formula.expect("it fits");
        let condition = Condition::new(&computation, &formula, Reading::Certain).expanded();
        let mut found = BitSet::default();
        for k in 0..4 * 4 * 4 {
            let cut = [k % 4, k / 4 % 4, k / 16];
            condition.false_conjuncts(&cut, &mut found);
            let expected = (0..condition.conjuncts().len()).filter(|c| !condition.conjunct_holds(*c, &cut));
            assert!(bitset::iter(&found).eq(expected), "{cut:?}");
        }
    }
}
