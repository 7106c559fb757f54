//! Cubes: conjunctions of literals, the guards of automata.
//!
//! A letter is the set of atoms that hold, as a `u64`. A cube stands for the letters that
//! have all of its positive atoms and none of its negative ones.

use crate::formula::AtomId;

/// A conjunction of literals over at most 64 atoms; no atom is both positive and negative.
///
/// ```
/// use mazurka_logic::{Buchi, parse};
/// let formula = parse("p && !q").unwrap().number_atoms(&mut vec![]);
/// let automaton = Buchi::new(&formula).unwrap();
/// let guard = automaton.edges(automaton.initial())[0].guard;
/// assert_eq!((guard.positive(), guard.negative()), (0b01, 0b10));
/// assert!(guard.contains(0b01) && !guard.contains(0b11));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Cube {
    positive: u64,
    negative: u64,
}

impl Cube {
    /// The cube of all letters.
    pub const TRUE: Cube = Cube {
        positive: 0,
        negative: 0,
    };

    /// One literal; `None` if the atom has no bit.
    pub(crate) fn literal(atom: AtomId, positive: bool) -> Option<Self> {
        let bit = 1_u64.checked_shl(atom.0)?;
        let (positive, negative) = if positive { (bit, 0) } else { (0, bit) };
        Some(Self { positive, negative })
    }

    /// The atoms that must hold, as bits.
    #[inline]
    pub fn positive(self) -> u64 {
        self.positive
    }

    /// The atoms that must not hold, as bits.
    #[inline]
    pub fn negative(self) -> u64 {
        self.negative
    }

    /// The literals in the order of their atoms: an atom, and whether it is positive.
    pub fn literals(self) -> impl Iterator<Item = (AtomId, bool)> {
        let atoms = (0..64).filter(move |atom| (self.positive | self.negative) >> atom & 1 != 0);
        atoms.map(move |atom| (AtomId(atom), self.positive >> atom & 1 != 0))
    }

    /// Whether a letter (the set of atoms that hold) satisfies the guard.
    #[inline]
    pub fn contains(self, letter: u64) -> bool {
        letter & self.positive == self.positive && letter & self.negative == 0
    }

    /// The letters in both, unless there are none.
    pub(crate) fn meet(self, other: Cube) -> Option<Cube> {
        let (positive, negative) = (self.positive | other.positive, self.negative | other.negative);
        (positive & negative == 0).then_some(Cube { positive, negative })
    }

    /// Whether every letter of `self` is one of `other`.
    pub(crate) fn is_subset(self, other: Cube) -> bool {
        other.positive & !self.positive == 0 && other.negative & !self.negative == 0
    }

    /// The union, if it is a cube: one contains the other, or they differ in the sign of one literal.
    fn join(self, other: Cube) -> Option<Cube> {
        if self.is_subset(other) {
            return Some(other);
        }
        if other.is_subset(self) {
            return Some(self);
        }
        let sign = self.positive ^ other.positive;
        let opposite = sign.count_ones() == 1 && sign == self.negative ^ other.negative;
        opposite.then_some(Cube {
            positive: self.positive & !sign,
            negative: self.negative & !sign,
        })
    }

    /// Whether every letter of `self` is one of some cube in `cubes`.
    pub(crate) fn is_covered(self, cubes: &[Cube]) -> bool {
        if cubes.iter().any(|&cube| self.is_subset(cube)) {
            return true;
        }
        // Split by a literal of a cube that is in the way, as in Shannon's expansion.
        let near: Vec<Cube> = cubes
            .iter()
            .copied()
            .filter(|&cube| self.meet(cube).is_some())
            .collect();
        let Some(cube) = near.first() else { return false };
        let free = (cube.positive | cube.negative) & !(self.positive | self.negative);
        let bit = free & free.wrapping_neg();
        let with = Cube {
            positive: self.positive | bit,
            ..self
        };
        let without = Cube {
            negative: self.negative | bit,
            ..self
        };
        with.is_covered(&near) && without.is_covered(&near)
    }
}

/// Replaces cubes by fewer ones with the same letters: joins pairs while that is possible.
pub(crate) fn join_cubes(cubes: &mut Vec<Cube>) {
    cubes.sort_unstable();
    cubes.dedup();
    loop {
        let before = cubes.len();
        let mut i = 0;
        while i < cubes.len() {
            let mut j = i + 1;
            while j < cubes.len() {
                match cubes[i].join(cubes[j]) {
                    Some(joined) => {
                        cubes.swap_remove(j);
                        cubes[i] = joined;
                    }
                    None => j += 1,
                }
            }
            i += 1;
        }
        if cubes.len() == before {
            return cubes.sort_unstable();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn random_cube(random: &mut fastrand::Rng, atoms: u32) -> Cube {
        let mut cube = Cube::TRUE;
        for atom in 0..atoms {
            if random.bool() {
                cube = cube.meet(Cube::literal(AtomId(atom), random.bool()).unwrap()).unwrap();
            }
        }
        cube
    }

    #[test]
    fn operations_agree_with_sets_of_letters() {
        for seed in 0..3000 {
            let mut random = fastrand::Rng::with_seed(seed);
            let cubes: Vec<Cube> = (0..random.usize(1..6)).map(|_| random_cube(&mut random, 3)).collect();
            let cube = random_cube(&mut random, 3);
            let letters = || (0..8).filter(|&letter| cube.contains(letter));
            let any = |cubes: &[Cube], letter| cubes.iter().any(|c| c.contains(letter));
            assert_eq!(
                cube.is_covered(&cubes),
                letters().all(|l| any(&cubes, l)),
                "seed {seed}"
            );
            assert_eq!(
                cube.is_subset(cubes[0]),
                letters().all(|l| cubes[0].contains(l)),
                "seed {seed}"
            );
            assert_eq!(
                cube.meet(cubes[0]).is_some(),
                letters().any(|l| cubes[0].contains(l)),
                "seed {seed}"
            );
            let mut joined = cubes.clone();
            join_cubes(&mut joined);
            assert!((0..8).all(|l| any(&joined, l) == any(&cubes, l)), "seed {seed}");
        }
    }
}
