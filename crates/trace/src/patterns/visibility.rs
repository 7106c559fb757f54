//! Which events a condition may notice from here on.
//!
//! Enabled events of different processes commute, and an event stays enabled until it happens, so any enabled event is a
//! persistent set by itself. A search for an order that satisfies a stutter-invariant formula may take it alone
//! if the formula cannot tell whether it happens now or later: if in each cut that can be reached without it, every condition that
//! matters has the same value before and after it.
//!
//! Proof. Let `w₁ t w₂` be the events of a history from a cut `s` on, and `t` be enabled in `s`. Then `t w₁ w₂` is one too.
//! The cuts along `w₁` contain `t` in the second and not in the first, so their letters are the same in all atoms that
//! matter, and from then on the cuts are the same. So the words differ in repetitions only, and a residual of a
//! stutter-invariant formula is stutter-invariant (`mazurka_logic::Residuals`). Histories end, so nothing is ignored for ever.
//!
//! Whether a condition has the same value is found out for all those cuts at once. A literal about another process
//! has, there, a value of its local states from the present one up to the last that does not follow `t`. A
//! literal about the process of `t` has one value before and one after it. The pairs of values, before and after, that a
//! formula can have are those of its members, joined. That is more than there may be: the event is then explored
//! as if it were seen.

use super::letters::Letters;
use crate::causality::Event;
use crate::clocks::Clocks;
use crate::predicate::{Atom, Node};
use crate::value::Value;
use mazurka_core::ProcessId;

/// Pairs of values, before and after an event, as a bit set.
type Pairs = u8;

const FALSE: Pairs = 1;
const BECOMES_TRUE: Pairs = 2;
const BECOMES_FALSE: Pairs = 4;
const TRUE: Pairs = 8;
const ALL: Pairs = 15;

/// What is known about an atom.
#[derive(Debug)]
enum Known {
    /// It reads no process.
    Constant(Option<bool>),
    /// It reads one process: its value in each local state, if it has one, and per local state, in how many
    /// before it is true, false, or undefined.
    Local {
        process: ProcessId,
        values: Vec<Option<bool>>,
        counts: Vec<[u32; 3]>,
    },
    /// It reads several: per process, which events change what it reads there.
    Wide(Vec<(ProcessId, Vec<bool>)>),
}

/// The conditions of a pattern, atom by atom.
#[derive(Debug)]
pub(super) struct Visibility<'a> {
    letters: &'a Letters<'a>,
    clocks: Clocks,
    known: Vec<Vec<Known>>,
}

impl<'a> Visibility<'a> {
    pub(super) fn new(letters: &'a Letters<'a>) -> Self {
        let propositions = letters.propositions.iter();
        let known = propositions.map(|p| p.formula.atoms.iter().map(|atom| known(letters, atom)).collect());
        Self {
            letters,
            clocks: Clocks::of(letters.order()).expect("a projection of an acyclic order"),
            known: known.collect(),
        }
    }

    /// Whether one of the conditions in `relevant` may change with an event that is enabled in a cut, now or
    /// in a later cut without it.
    pub(super) fn sees(&self, relevant: u64, cut: &[u32], event: Event) -> bool {
        let seen = |k: usize| {
            self.letters.reads(k, event.process) && {
                let pairs = self.pairs(k, &self.letters.propositions[k].formula.root, cut, event);
                pairs & (BECOMES_TRUE | BECOMES_FALSE) != 0
            }
        };
        (0..self.known.len()).any(|k| relevant >> k & 1 == 1 && seen(k))
    }

    fn pairs(&self, condition: usize, node: &Node, cut: &[u32], event: Event) -> Pairs {
        let members = |nodes: &[Node], of: fn(bool, bool) -> bool, neutral: Pairs| {
            let pairs = nodes.iter().map(|node| self.pairs(condition, node, cut, event));
            pairs.fold(neutral, |all, pairs| combined(all, pairs, of))
        };
        match node {
            Node::Constant(truth) => constant(*truth),
            Node::And(nodes) => members(nodes, |a, b| a && b, TRUE),
            Node::Or(nodes) => members(nodes, |a, b| a || b, FALSE),
            Node::Literal { atom, positive } => {
                let pairs = self.of_atom(&self.known[condition][*atom], cut, event);
                if *positive { pairs } else { negated(pairs) }
            }
        }
    }

    fn of_atom(&self, known: &Known, cut: &[u32], event: Event) -> Pairs {
        match known {
            Known::Constant(truth) => truth.map_or(ALL, constant),
            Known::Local { process, values, .. } if *process == event.process => {
                match (values[event.index as usize - 1], values[event.index as usize]) {
                    (Some(before), Some(after)) => pair(before, after),
                    _ => ALL,
                }
            }
            Known::Local { process, counts, .. } => {
                let (from, to) = (cut[process.index()], self.last_without(*process, event));
                let (before, upto) = (counts[from as usize], counts[to as usize + 1]);
                let some = |k: usize| upto[k] > before[k];
                match some(2) {
                    true => ALL,
                    false => (if some(0) { FALSE } else { 0 }) | (if some(1) { TRUE } else { 0 }),
                }
            }
            Known::Wide(changes) => {
                let changed = changes.iter().find(|(process, _)| *process == event.process);
                match changed.is_some_and(|(_, changes)| changes[event.index as usize]) {
                    true => ALL,
                    // It may have no value somewhere, but the same before and after.
                    false => FALSE | TRUE,
                }
            }
        }
    }

    /// The last local state of another process that does not follow an event.
    fn last_without(&self, process: ProcessId, event: Event) -> u32 {
        let (mut low, mut high) = (0, self.letters.order().events(process));
        while low < high {
            let middle = low + (high - low).div_ceil(2);
            match self.clocks.known(process, middle, event.process) < event.index {
                true => low = middle,
                false => high = middle - 1,
            }
        }
        low
    }
}

fn pair(before: bool, after: bool) -> Pairs {
    1 << (u8::from(before) << 1 | u8::from(after))
}

fn constant(truth: bool) -> Pairs {
    pair(truth, truth)
}

fn negated(pairs: Pairs) -> Pairs {
    (0..4)
        .filter(|k| pairs >> k & 1 == 1)
        .fold(0, |all, k| all | 1 << (3 - k))
}

fn combined(a: Pairs, b: Pairs, of: fn(bool, bool) -> bool) -> Pairs {
    let mut all = 0;
    for (k, l) in (0..4u8).flat_map(|k| (0..4u8).map(move |l| (k, l))) {
        if a >> k & 1 == 1 && b >> l & 1 == 1 {
            all |= pair(of(k & 2 != 0, l & 2 != 0), of(k & 1 != 0, l & 1 != 0));
        }
    }
    all
}

/// What is known about an atom in the kept local states.
fn known(letters: &Letters<'_>, atom: &Atom) -> Known {
    let computation = letters.computation;
    let value = |p: ProcessId, variable: &str, event: u32| match computation.variable(variable) {
        Some(v) => computation.value(p, v, event),
        None => &Value::Null,
    };
    match atom.support()[..] {
        [] => Known::Constant(atom.evaluate(&[]).ok()),
        [process] => {
            let truth = |event: &u32| {
                let values = atom.reads.iter().map(|read| value(process, &read.variable, *event));
                atom.evaluate(&values.collect::<Vec<_>>()).ok()
            };
            let values: Vec<Option<bool>> = letters.kept(process).iter().map(truth).collect();
            let mut counts = vec![[0; 3]];
            for truth in &values {
                let mut next = counts[counts.len() - 1];
                next[truth.map_or(2, usize::from)] += 1;
                counts.push(next);
            }
            Known::Local {
                process,
                values,
                counts,
            }
        }
        _ => {
            let changes = |process: ProcessId| {
                let kept = letters.kept(process);
                let reads = || atom.reads.iter().filter(move |read| read.process == process);
                let differs = |k: usize| {
                    k > 0
                        && reads().any(|read| {
                            let at = |event: u32| value(process, &read.variable, event);
                            at(kept[k - 1]) != at(kept[k])
                        })
                };
                (process, (0..kept.len()).map(differs).collect())
            };
            Known::Wide(atom.support().into_iter().map(changes).collect())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_those_of_all_values() {
        for a in 0..16u8 {
            for b in 0..16u8 {
                let mut expected = 0;
                for (k, l) in (0..4).flat_map(|k| (0..4).map(move |l| (k, l))) {
                    if a >> k & 1 == 1 && b >> l & 1 == 1 {
                        // Bit by bit, the number of a pair is its values.
                        expected |= 1 << (k & l);
                    }
                }
                assert_eq!(combined(a, b, |x, y| x && y), expected);
                assert_eq!(negated(combined(negated(a), negated(b), |x, y| x || y)), expected);
            }
        }
    }
}
