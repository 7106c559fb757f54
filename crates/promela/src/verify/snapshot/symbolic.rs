//! Snapshots of properties that relate several components: what is frozen, and what is left of the property.
//!
//! Let `u` be an execution, equivalent to `u1 u2`, and `L` the participants of `u2`. After `u1` the components outside `L` are as
//! they are now, and those in `L` are *frozen*: they must be as they were. So all that matters of `u1` is the pair of `L` and
//! of the [residual](super::residual) of the property, with the values of the frozen ones put in. This is between the states of
//! the naive [tracker](super::tracked) and the freeze sets of the [basis](super::frozen) (section 5 of the paper). A step of participants `A`
//! makes of a pair up to two.
//!
//! * If no member of `A` is frozen, the step may belong to `u1`: the pair stays.
//! * The step may belong to `u2`: the rest of `A` is frozen too, with the values before the step.
//!
//! The snapshot is passed if the residual of a pair holds with the present values. A pair whose residual is false is dropped.
//! So is a pair if another has the same residual and freezes a part of its components: whatever comes, the other one
//! can do the same, since the residual does not ask for what is frozen in the one and not in the other. A component that
//! the property does not mention is frozen only for its own sake, so its state is not remembered.
//!
//! The bytes are the number of processes that have ever existed, the snapshots that were passed, the present values of all leaves
//! (which are those before the step, where an `atomic` takes several), and for each snapshot that was not passed its pairs, in ascending
//! order. Residuals have numbers, given as they come up.

use super::frozen::taking_part;
use super::memory::Memory;
use super::propositions::Propositions;
use super::residual::Residual;
use crate::ir::Node;
use crate::run::View;
use mazurka_core::bitset;
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A part of a property that reads one component.
#[derive(Clone, Debug)]
pub(super) struct Leaf {
    pub(super) component: usize,
    pub(super) node: Node,
}

/// The snapshots whose properties relate components.
#[derive(Debug)]
pub(super) struct Symbolic<'a> {
    propositions: Propositions<'a>,
    leaves: &'a [Leaf],
    /// Which snapshots these are: bit `k` for snapshot number `k`.
    whose: u64,
    /// The number of the first process.
    objects: usize,
    /// The number of processes at first.
    processes: usize,
    residuals: Mutex<Residuals>,
}

/// Residuals by their numbers. The first ones are the properties, in the order of the snapshots.
#[derive(Debug, Default)]
struct Residuals {
    all: Vec<Residual>,
    numbers: HashMap<Residual, u32>,
}

impl Residuals {
    fn number(&mut self, residual: Residual) -> u32 {
        if let Some(known) = self.numbers.get(&residual) {
            return *known;
        }
        let number = crate::narrow::index(self.all.len());
        self.all.push(residual.clone());
        self.numbers.insert(residual, number);
        number
    }
}

/// A residual, and what is frozen.
type Pair = (u32, Vec<u64>);

/// The snapshots that were not passed, by their numbers, with their pairs.
type Open = Vec<(usize, Vec<Pair>)>;

/// The bytes of the value of a leaf: whether it has one, and which.
const VALUE: usize = 5;

/// The bytes before the values: the number of processes, and the snapshots that were passed.
const HEADER: usize = 9;

impl<'a> Symbolic<'a> {
    /// `properties` are those of all snapshots that are to be followed; `processes` are there in the first state.
    pub(super) fn new(
        propositions: Propositions<'a>,
        leaves: &'a [Leaf],
        properties: &[Option<Residual>],
        objects: usize,
        processes: usize,
    ) -> Self {
        let mut residuals = Residuals::default();
        let mut whose = 0;
        for (k, property) in properties.iter().enumerate() {
            // Each snapshot has a number, so that its property is found.
            let property = property.clone().inspect(|_| whose |= 1 << k);
            residuals.all.push(property.unwrap_or(Residual::Known(false)));
        }
        for (k, property) in residuals.all.clone().into_iter().enumerate().rev() {
            residuals.numbers.insert(property, crate::narrow::index(k));
        }
        let last = leaves
            .iter()
            .map(|leaf| (leaf.component + 1).saturating_sub(objects))
            .max();
        Self {
            propositions,
            leaves,
            whose,
            objects,
            processes: processes.max(last.unwrap_or(0)),
            residuals: Mutex::new(residuals),
        }
    }

    fn residuals(&self) -> MutexGuard<'_, Residuals> {
        self.residuals.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The values of the leaves in a state; of those that are not participants, as they were.
    fn values(&self, before: Option<(&[Option<i32>], &[u64])>, model: &[u8]) -> Vec<Option<i32>> {
        let view = View::outside(self.propositions.program, model);
        let leaves = self.leaves.iter().enumerate();
        let value = |(k, leaf): (usize, &Leaf)| match before {
            Some((values, participants)) if !bitset::contains(participants, leaf.component) => values[k],
            _ => view.value(&leaf.node).ok(),
        };
        leaves.map(value).collect()
    }

    fn write(&self, processes: usize, passed: u64, values: &[Option<i32>], pairs: &[Vec<Pair>], out: &mut Vec<u8>) {
        // If nothing is left to remember, it does not matter who was there.
        let all = passed == self.whose;
        out.push(if all { 0 } else { crate::narrow::pid(processes) });
        out.extend(passed.to_le_bytes());
        if all {
            return;
        }
        for value in values {
            out.push(u8::from(value.is_some()));
            out.extend(value.unwrap_or(0).to_le_bytes());
        }
        for pairs in pairs {
            out.extend(crate::narrow::index(pairs.len()).to_le_bytes());
            for (residual, frozen) in pairs {
                out.extend(residual.to_le_bytes());
                let bytes: Vec<u8> = frozen.iter().flat_map(|word| word.to_le_bytes()).collect();
                let length = bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
                out.extend(
                    u16::try_from(length)
                        .expect("models with more components are refused")
                        .to_le_bytes(),
                );
                out.extend(&bytes[..length]);
            }
        }
    }

    /// The values of the leaves, and the pairs of each snapshot that was not passed.
    fn read(&self, memory: &[u8]) -> (Vec<Option<i32>>, Open) {
        let mut rest = &memory[HEADER..];
        let mut take = |count: usize| {
            let (taken, left) = rest.split_at(count);
            rest = left;
            taken
        };
        let values = (0..self.leaves.len()).map(|_| {
            let bytes = take(VALUE);
            (bytes[0] != 0).then(|| i32::from_le_bytes(bytes[1..].try_into().expect("four bytes")))
        });
        let values = values.collect();
        let open = self.whose & !self.passed(memory);
        let mut all = Vec::new();
        for k in (0..64).filter(|k| open >> k & 1 == 1) {
            let count = u32::from_le_bytes(take(4).try_into().expect("four bytes"));
            let pairs = (0..count).map(|_| {
                let residual = u32::from_le_bytes(take(4).try_into().expect("four bytes"));
                let length = usize::from(u16::from_le_bytes(take(2).try_into().expect("two bytes")));
                let mut words = vec![0; length.div_ceil(8)];
                for (at, byte) in take(length).iter().enumerate() {
                    words[at / 8] |= u64::from(*byte) << (at % 8 * 8);
                }
                (residual, words)
            });
            all.push((k, pairs.collect()));
        }
        (values, all)
    }

    /// The pairs after a step, and whether the snapshot is passed.
    fn step_of(
        &self,
        pairs: Vec<Pair>,
        participants: &[u64],
        before: &[Option<i32>],
        after: &[Option<i32>],
    ) -> (Vec<Pair>, bool) {
        let mut residuals = self.residuals();
        let mut next: Vec<Pair> = Vec::new();
        for (number, mut frozen) in pairs {
            if !bitset::intersects(&frozen, participants) {
                if residuals.all[number as usize].is_true(after) {
                    return (Vec::new(), true);
                }
                next.push((number, frozen.clone()));
            }
            frozen.resize(participants.len().max(frozen.len()), 0);
            let stops = |leaf: usize| {
                let component = self.leaves[leaf].component;
                let now = bitset::contains(participants, component) && !bitset::contains(&frozen, component);
                now.then_some(before[leaf])
            };
            let left = residuals.all[number as usize].frozen(&stops);
            if left != Residual::Known(false) {
                let number = residuals.number(left);
                bitset::union(&mut frozen, participants);
                next.push((number, frozen));
            }
        }
        (least(next), false)
    }
}

/// Removes pairs that others make superfluous, and sorts the rest.
fn least(mut pairs: Vec<Pair>) -> Vec<Pair> {
    for (_, frozen) in &mut pairs {
        while frozen.last() == Some(&0) {
            frozen.pop();
        }
    }
    pairs.sort_unstable();
    pairs.dedup();
    let is_part = |a: &[u64], b: &[u64]| a.len() <= b.len() && a.iter().zip(b).all(|(a, b)| a & !b == 0);
    let superfluous = |(number, frozen): &Pair| {
        pairs
            .iter()
            .any(|(other, part)| other == number && part != frozen && is_part(part, frozen))
    };
    let keep: Vec<bool> = pairs.iter().map(|pair| !superfluous(pair)).collect();
    let mut keep = keep.into_iter();
    pairs.retain(|_| keep.next().expect("one for each"));
    pairs
}

impl Memory for Symbolic<'_> {
    type Scratch = ();

    fn initial(&self, model: &[u8], out: &mut Vec<u8>) {
        let values = self.values(None, model);
        let residuals = self.residuals();
        let (mut passed, mut pairs) = (0, Vec::new());
        for k in (0..64).filter(|k| self.whose >> k & 1 == 1) {
            match residuals.all[k].is_true(&values) {
                true => passed |= 1 << k,
                false => pairs.push(vec![(residuals.numbers[&residuals.all[k]], Vec::new())]),
            }
        }
        self.write(self.processes, passed, &values, &pairs, out);
    }

    fn step(&self, (): &mut (), memory: &[u8], participants: &[u64], after: &[u8], out: &mut Vec<u8>) {
        let mut passed = self.passed(memory);
        if passed == self.whose {
            out.extend_from_slice(&memory[..HEADER]);
            return;
        }
        let (processes, taking_part) = taking_part(self.objects, usize::from(memory[0]), participants, after);
        let (before, open) = self.read(memory);
        let values = self.values(Some((&before, &taking_part)), after);
        let mut pairs = Vec::new();
        for (k, old) in open {
            match self.step_of(old, &taking_part, &before, &values) {
                (_, true) => passed |= 1 << k,
                (next, false) => pairs.push(next),
            }
        }
        self.write(processes, passed, &values, &pairs, out);
    }

    fn passed(&self, memory: &[u8]) -> u64 {
        u64::from_le_bytes(memory[1..HEADER].try_into().expect("eight bytes"))
    }
}
