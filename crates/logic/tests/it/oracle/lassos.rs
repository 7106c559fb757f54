//! Words that end in a cycle, and whether an automaton accepts one: the product is searched
//! for a cycle with an accepting state, by reachability from each state to itself.

use mazurka_logic::{Buchi, Formula, Lasso};

/// The letters, the last of which is followed by the one at `cycle`.
#[derive(Clone, Debug)]
pub struct Word {
    pub letters: Vec<u64>,
    pub cycle: usize,
}

impl Word {
    pub fn lasso(&self) -> Lasso {
        Lasso::new(self.letters.len(), self.cycle).unwrap()
    }

    pub fn satisfies(&self, formula: &Formula) -> bool {
        formula.holds_on(self.lasso(), |atom, i| self.letters[i] >> atom.0 & 1 != 0)
    }

    pub fn is_accepted_by(&self, automaton: &Buchi) -> bool {
        let lasso = self.lasso();
        let successors = |&(i, q): &(usize, usize)| -> Vec<(usize, usize)> {
            let state = automaton.states().nth(q).unwrap();
            let edges = automaton.edges(state).iter();
            let taken = edges.filter(|edge| edge.guard.contains(self.letters[i]));
            taken.map(|edge| (lasso.next(i), edge.to.0 as usize)).collect()
        };
        let start = (0, automaton.initial().0 as usize);
        let reached = std::iter::once(start)
            .chain(reachable(start, successors))
            .collect::<Vec<_>>();
        reached.into_iter().any(|pair| {
            let state = automaton.states().nth(pair.1).unwrap();
            automaton.is_accepting(state) && reachable(pair, successors).contains(&pair)
        })
    }

    /// The same word with some letters repeated, but for their events.
    pub fn stretched(&self, random: &mut fastrand::Rng, events: u64) -> Word {
        let mut letters = vec![];
        let mut cycle = 0;
        for (i, &letter) in self.letters.iter().enumerate() {
            if i == self.cycle {
                cycle = letters.len();
            }
            letters.push(letter);
            letters.extend(std::iter::repeat_n(letter & !events, random.usize(0..3)));
        }
        Word { letters, cycle }
    }

    /// All words of at most `len` letters over the first `atoms` atoms.
    pub fn all(len: usize, atoms: u32) -> impl Iterator<Item = Word> {
        (1..=len).flat_map(move |len| {
            (0..1_u64 << (atoms as usize * len)).flat_map(move |code| {
                let letters: Vec<u64> = (0..len)
                    .map(|i| code >> (i * atoms as usize) & ((1 << atoms) - 1))
                    .collect();
                (0..len).map(move |cycle| Word {
                    letters: letters.clone(),
                    cycle,
                })
            })
        })
    }
}

/// The states that can be reached in one step or more.
pub fn reachable<V: Copy + Eq + std::hash::Hash>(
    from: V,
    successors: impl Fn(&V) -> Vec<V>,
) -> std::collections::HashSet<V> {
    let mut found = std::collections::HashSet::new();
    let mut open = successors(&from);
    while let Some(v) = open.pop() {
        if found.insert(v) {
            open.extend(successors(&v));
        }
    }
    found
}
