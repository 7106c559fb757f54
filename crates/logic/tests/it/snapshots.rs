//! Three automata for snapshots, and the definition, on random walks of random systems.
//!
//! `MAZURKA_CASES=<n>` changes how many walks there are; a failure prints its seed.

mod printed;
mod walk;

use std::collections::BTreeSet;

use self::printed::{Mutation, PrintedBasis};
use self::walk::{LOCALS, Walk};
use fastrand::Rng;
use mazurka_core::bitset;
use mazurka_logic::snapshot::{ComponentId, FreezeBasis, FreezeSets, SnapshotAutomaton, Tracker, conjunctions};
use mazurka_logic::{AtomId, Formula};

/// Per component, in which local states its conjunct holds.
fn random_conjuncts(random: &mut Rng, components: usize) -> Vec<[bool; LOCALS]> {
    let conjunct = |random: &mut Rng| match random.u32(..4) {
        0 => [true; LOCALS],
        _ => std::array::from_fn(|_| random.u32(..3) == 0),
    };
    (0..components).map(|_| conjunct(random)).collect()
}

fn satisfied(conjuncts: &[[bool; LOCALS]], state: &[u8]) -> [u64; 1] {
    let holds = |i: usize| u64::from(conjuncts[i][state[i] as usize]) << i;
    [(0..state.len()).fold(0, |bits, i| bits | holds(i))]
}

/// The freeze sets that a basis stands for: all unions.
fn unions(basis: &FreezeBasis) -> BTreeSet<u64> {
    let mut all = BTreeSet::from([0]);
    for set in basis.sets() {
        let with: Vec<u64> = all.iter().map(|other| other | set[0]).collect();
        all.extend(with);
    }
    all
}

#[test]
fn tracker_sets_basis_and_definition_agree() {
    let mut passed = 0;
    let seeds = mazurka_seeds::range(30_000);
    for seed in seeds.clone() {
        let mut random = Rng::with_seed(seed);
        let walk = Walk::random(&mut random);
        let n = walk.components();
        let conjuncts = random_conjuncts(&mut random, n);
        let first = satisfied(&conjuncts, &walk.states[0]);
        let mut states = Tracker::new(walk.states[0].clone());
        let mut tracker = Tracker::new((0..n).map(|i| bitset::contains(&first, i)).collect());
        let mut sets = FreezeSets::new(n, &first).unwrap();
        let mut basis = FreezeBasis::new(n, &first);
        let mut printed = PrintedBasis::new(n, first[0], Mutation::None);
        for step in 0..=walk.steps.len() {
            let (after, participants) = (&walk.states[step], step.checked_sub(1).map(|k| walk.steps[k]));
            if let Some(participants) = participants {
                let now = satisfied(&conjuncts, after);
                states.advance(&[participants], |i| after[i.index()]);
                tracker.step(&[participants], &now);
                if !basis.is_passed() {
                    sets.step(&[participants], &now);
                    printed.step(participants, now[0]);
                }
                basis.step(&[participants], &now);
            }
            let holds = |state: &[u8]| (0..n).all(|i| conjuncts[i][state[i] as usize]);
            let by_states = states.states().any(holds);
            assert_eq!(tracker.is_passed(), by_states, "seed {seed}, step {step}: tracker");
            assert_eq!(sets.is_passed(), by_states, "seed {seed}, step {step}: sets");
            assert_eq!(basis.is_passed(), by_states, "seed {seed}, step {step}: basis");
            assert_eq!(printed.is_passed(), by_states, "seed {seed}, step {step}: as printed");
            if !by_states {
                let all: BTreeSet<u64> = sets.sets().collect();
                assert_eq!(unions(&basis), all, "seed {seed}, step {step}");
                let rows: BTreeSet<u64> = basis.sets().iter().map(|set| set[0]).collect();
                assert_eq!(rows, printed.rows(), "seed {seed}, step {step}");
                assert!(rows.len() <= n);
                let mut bytes = vec![];
                basis.encode(&mut bytes);
                let mut read = FreezeBasis::new(n, &[]);
                read.decode(&bytes);
                assert_eq!(read.sets(), basis.sets(), "seed {seed}, step {step}");
            }
            passed += u64::from(by_states && step == walk.steps.len());
        }
        // The definition looks at all sets of steps, so that long walks are left out.
        if walk.steps.len() <= 8 {
            let expected: BTreeSet<Vec<u8>> = walk.cuts().into_iter().collect();
            let tracked: BTreeSet<Vec<u8>> = states.states().map(<[u8]>::to_vec).collect();
            assert_eq!(tracked, expected, "seed {seed}: subsumed states");
        }
    }
    // Neither answer is rare.
    let cases = seeds.end - seeds.start;
    let balanced = passed * 5 > cases && passed * 5 < 4 * cases;
    assert!(balanced || mazurka_seeds::are_chosen(), "{passed}");
}

/// Mistakes in the rules of the paper that are easy to make are noticed.
#[test]
fn mutants_are_noticed() {
    for mutation in Mutation::ALL {
        let differs = (0..20_000).any(|seed| {
            let mut random = Rng::with_seed(seed);
            let walk = Walk::random(&mut random);
            let n = walk.components();
            let conjuncts = random_conjuncts(&mut random, n);
            let first = satisfied(&conjuncts, &walk.states[0]);
            let involved = (0..n).filter(|i| conjuncts[*i] != [true; LOCALS]);
            let involved = involved.fold(0, |bits, i| bits | 1 << i);
            let mut basis = FreezeBasis::new(n, &first);
            let mut mutant = PrintedBasis::new(n, first[0], mutation).only(involved);
            let mut differs = mutant.is_passed() != basis.is_passed();
            for (k, participants) in walk.steps.iter().enumerate() {
                let before = satisfied(&conjuncts, &walk.states[k]);
                let now = satisfied(&conjuncts, &walk.states[k + 1]);
                basis.step(&[*participants], &now);
                let seen = if mutation == Mutation::StateBefore { before } else { now };
                mutant.step(*participants, seen[0]);
                differs |= mutant.is_passed() != basis.is_passed();
            }
            differs
        });
        assert!(differs, "{mutation:?}");
    }
}

fn random_q(random: &mut Rng, size: usize, atoms: u32) -> Formula {
    if size <= 1 {
        return Formula::Atom(AtomId(random.u32(..atoms)));
    }
    let left = random.usize(1..size);
    let f = Box::new(random_q(random, left, atoms));
    let g = |random: &mut Rng| Box::new(random_q(random, (size - left).max(1), atoms));
    match random.u32(..6) {
        0 => Formula::Not(f),
        1 | 2 => Formula::And(f, g(random)),
        3 => Formula::Or(f, g(random)),
        4 => Formula::Implies(f, g(random)),
        _ => Formula::Equivalent(f, g(random)),
    }
}

fn evaluate(q: &Formula, atom: &dyn Fn(AtomId) -> bool) -> bool {
    q.holds_on(mazurka_logic::Lasso::new(1, 0).unwrap(), |a, _| atom(a))
}

/// Atom `LOCALS * i + s` says that component `i` is in local state `s`.
fn atom_in(state: &[u8], atom: AtomId) -> bool {
    let atom = atom.0 as usize;
    usize::from(state[atom / LOCALS]) == atom % LOCALS
}

/// `snapshot(q)` after each step, by the tracker.
fn truth(walk: &Walk, q: &Formula) -> Vec<bool> {
    let mut tracker = Tracker::new(walk.states[0].clone());
    let mut truth = vec![];
    for step in 0..=walk.steps.len() {
        if step > 0 {
            tracker.advance(&[walk.steps[step - 1]], |i| walk.states[step][i.index()]);
        }
        let mut states = tracker.states();
        truth.push(states.any(|state| evaluate(q, &|atom| atom_in(state, atom))));
    }
    truth
}

/// Any boolean combination, by its conjunctions and one basis for each.
#[test]
fn boolean_combinations_are_disjunctions_of_conjunctions() {
    let mut several = 0;
    let seeds = mazurka_seeds::range(10_000);
    for seed in seeds.clone() {
        let mut random = Rng::with_seed(seed);
        let walk = Walk::random(&mut random);
        let n = walk.components();
        let size = random.usize(1..7);
        let q = random_q(&mut random, size, (n * LOCALS) as u32);
        let disjuncts = conjunctions(&q, &|atom| Some(ComponentId::new(atom.0 as usize / LOCALS))).unwrap();
        several += usize::from(disjuncts.len() > 1);
        let holds = |state: &[u8], k: usize| {
            let conjunct = |i: usize| {
                let conjunct = disjuncts[k].get(&ComponentId::new(i));
                conjunct.is_none_or(|f| evaluate(f, &|atom| atom_in(state, atom)))
            };
            [(0..n).fold(0, |bits, i| bits | u64::from(conjunct(i)) << i)]
        };
        let start = |k| FreezeBasis::new(n, &holds(&walk.states[0], k));
        let mut bases: Vec<_> = (0..disjuncts.len()).map(start).collect();
        for (step, expected) in truth(&walk, &q).into_iter().enumerate() {
            if step > 0 {
                for (k, basis) in bases.iter_mut().enumerate() {
                    basis.step(&[walk.steps[step - 1]], &holds(&walk.states[step], k));
                }
            }
            let found = bases.iter().any(SnapshotAutomaton::is_passed);
            assert_eq!(found, expected, "seed {seed}, step {step}: {q}");
        }
    }
    assert!(several as u64 * 4 > seeds.end - seeds.start || mazurka_seeds::are_chosen());
}

/// The properties of the operator that section 3 of the paper recalls.
#[test]
fn laws_of_section_3_hold() {
    for seed in mazurka_seeds::range(5_000) {
        let mut random = Rng::with_seed(seed);
        let walk = Walk::random(&mut random);
        let atoms = (walk.components() * LOCALS) as u32;
        let (p, q) = (random_q(&mut random, 3, atoms), random_q(&mut random, 3, atoms));
        let snapshot = |q: &Formula| truth(&walk, q);
        let both = snapshot(&Formula::And(Box::new(p.clone()), Box::new(q.clone())));
        let either = snapshot(&Formula::Or(Box::new(p.clone()), Box::new(q.clone())));
        let negation = snapshot(&p.clone().negated());
        let (of_p, of_q) = (snapshot(&p), snapshot(&q));
        for step in 0..of_p.len() {
            let now = evaluate(&p, &|atom| atom_in(&walk.states[step], atom));
            assert!(
                !of_p[step] || of_p[step..].iter().all(|later| *later),
                "seed {seed}: monotony"
            );
            assert!(!now || of_p[step], "seed {seed}: p -> [p]");
            assert!(
                !both[step] || (of_p[step] && of_q[step]),
                "seed {seed}: [p && q] -> [p] && [q]"
            );
            assert_eq!(
                of_p[step] || of_q[step],
                either[step],
                "seed {seed}: [p] || [q] <-> [p || q]"
            );
            assert!(of_p[step] || negation[step], "seed {seed}: ![p] -> [!p]");
        }
    }
}
