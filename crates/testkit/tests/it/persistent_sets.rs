//! Algorithms 1 to 4 return persistent sets, each one no larger than the last.
//!
//! In every reachable state of random models, from every enabled transition and
//! for every relation, the sets are compared with Def. 4.1 of the thesis, and
//! with each other as in Thms 4.20, 4.21 and 4.28.

use mazurka_core::bitset::{self, BitSet};
use mazurka_core::persistent::{Conflicting, Overman, PersistentSets, Strength, Stubborn};
use mazurka_core::{Independence, Model, Precision, Relation, TransitionId};
use mazurka_testkit::definitions::{IndependenceTable, persistent, weak_stubborn};
use mazurka_testkit::{RandomModel, Shape, StateSpace, random_model, seeds};
use std::cell::RefCell;
use std::collections::BTreeSet;

const RELATIONS: [Relation; 3] = [Relation::Constant, Relation::WeaklyUniform, Relation::Conditional];

type Set = BTreeSet<TransitionId>;

/// A state in the form that algorithms take.
struct Place<'a> {
    state: &'a [u8],
    enabled: Vec<TransitionId>,
}

impl<'a> Place<'a> {
    fn new(space: &'a StateSpace, s: usize) -> Self {
        Self {
            state: &space.bytes[s],
            enabled: space.enabled(s).collect(),
        }
    }

    /// The set that an algorithm returns from a start.
    fn set(&self, algorithm: &mut dyn PersistentSets<TransitionId>, start: usize) -> Set {
        algorithm.prepare(self.state, &self.enabled);
        let mut out = BitSet::new(self.enabled.len());
        let all = self.enabled.len();
        assert!(algorithm.containing(self.state, &self.enabled, start, all, &mut out));
        let set: Set = bitset::iter(&out).map(|k| self.enabled[k]).collect();
        // A bound that the set respects changes nothing. A smaller bound may be ignored.
        for most in [set.len(), set.len() - 1] {
            let found = algorithm.containing(self.state, &self.enabled, start, most, &mut out);
            assert!(found || most < set.len());
            assert!(!found || bitset::iter(&out).map(|k| self.enabled[k]).eq(set.iter().copied()));
        }
        set
    }
}

/// A hash of two numbers.
fn mixed(seed: u64, t: TransitionId) -> usize {
    fastrand::Rng::with_seed(seed.wrapping_mul(1_000_003).wrapping_add(t.index() as u64)).usize(..)
}

fn check_definition(seed: u64, shape: &Shape) {
    let RandomModel { model, space, .. } = random_model(seed, shape);
    for relation in RELATIONS {
        let independence = Independence::new(&model, relation);
        let table = IndependenceTable::new(&space, &independence);
        let scattered = |t: TransitionId, count: usize| mixed(seed, t) % count;
        let mut algorithms: Vec<(&str, Box<dyn PersistentSets<TransitionId> + '_>)> = vec![
            ("Algorithm 1", Box::new(Conflicting::new(&independence))),
            ("Algorithm 2", Box::new(Overman::new(&independence))),
            ("Algorithm 3", Box::new(Stubborn::new(&independence, Precision::Static))),
            (
                "Algorithm 4",
                Box::new(Stubborn::new(&independence, Precision::Conditional)),
            ),
            (
                "Algorithm 3, other choices",
                Box::new(Stubborn::with_choice(&independence, Precision::Static, scattered)),
            ),
            (
                "Algorithm 4, other choices",
                Box::new(Stubborn::with_choice(&independence, Precision::Conditional, scattered)),
            ),
        ];
        for s in 0..space.states.len() {
            let place = Place::new(&space, s);
            let mut known = BTreeSet::new();
            for start in 0..place.enabled.len() {
                for (name, algorithm) in &mut algorithms {
                    let set = place.set(&mut **algorithm, start);
                    assert!(
                        set.contains(&place.enabled[start]),
                        "{name}: the start is not in the set"
                    );
                    if known.insert(set.clone()) {
                        let set: Vec<TransitionId> = set.into_iter().collect();
                        persistent(&model, &space, &table, s, &set)
                            .unwrap_or_else(|e| panic!("{name}, {relation:?}, {}: {e}", names(&model, &set)));
                    }
                }
            }
        }
    }
}

fn names(model: &Model, set: &[TransitionId]) -> String {
    set.iter()
        .map(|t| model.transition_name(*t))
        .collect::<Vec<_>>()
        .join(" ")
}

#[test]
fn every_algorithm_returns_persistent_sets() {
    seeds(1000, |seed| check_definition(seed, &Shape::tiny()));
}

#[test]
fn also_in_models_with_properties() {
    let shape = Shape {
        states: 120,
        ..Shape::small()
    };
    seeds(300, |seed| check_definition(seed, &shape));
}

#[test]
fn weak_sets_satisfy_their_conditions() {
    let mut smaller = 0;
    seeds(1000, |seed| {
        let RandomModel { model, space, .. } = random_model(seed, &Shape::tiny());
        let independence = Independence::new(&model, Relation::Conditional);
        let mut weak = Stubborn::new(&independence, Precision::Conditional).with_strength(Strength::Weak);
        for s in 0..space.states.len() {
            let place = Place::new(&space, s);
            for start in 0..place.enabled.len() {
                let set = place.set(&mut weak, start);
                assert!(set.contains(&place.enabled[start]));
                let members: Set = bitset::iter(weak.members()).map(TransitionId::new).collect();
                weak_stubborn(&model, &space, s, &members)
                    .unwrap_or_else(|e| panic!("{}: {e}", names(&model, &members.into_iter().collect::<Vec<_>>())));
            }
        }
    });
    // They are useful: somewhere they are smaller than strong ones.
    for seed in 0..200 {
        let RandomModel { model, space, .. } = random_model(seed, &Shape::tiny());
        let independence = Independence::new(&model, Relation::Conditional);
        let mut strong = Stubborn::new(&independence, Precision::Conditional);
        let mut weak = Stubborn::new(&independence, Precision::Conditional).with_strength(Strength::Weak);
        for s in 0..space.states.len() {
            let place = Place::new(&space, s);
            for start in 0..place.enabled.len() {
                let (weak, strong) = (place.set(&mut weak, start), place.set(&mut strong, start));
                smaller += usize::from(weak.len() < strong.len());
            }
        }
    }
    assert!(smaller > 0);
}

/// Runs Algorithm 3 with every choice of necessary enabling sets, until the set
/// is included in `bound`. `None` if there are too many choices to try.
fn some_choice_is_included(independence: &Independence, place: &Place, start: usize, bound: &Set) -> Option<bool> {
    const TRIES: usize = 5000;
    // The choice for each transition, in the order of the requests.
    let choices: RefCell<Vec<(TransitionId, usize, usize)>> = RefCell::default();
    for _ in 0..TRIES {
        let choose = |t: TransitionId, count: usize| {
            let mut choices = choices.borrow_mut();
            if let Some((_, chosen, _)) = choices.iter().find(|(u, _, _)| *u == t) {
                return *chosen;
            }
            choices.push((t, 0, count));
            0
        };
        let mut algorithm = Stubborn::with_choice(independence, Precision::Static, choose);
        if place.set(&mut algorithm, start).is_subset(bound) {
            return Some(true);
        }
        drop(algorithm);
        // The next choice, like the next number of a counter: the last digit changes first.
        let mut choices = choices.borrow_mut();
        while let Some((_, chosen, count)) = choices.last_mut() {
            *chosen += 1;
            if chosen < count {
                break;
            }
            choices.pop();
        }
        if choices.is_empty() {
            return Some(false);
        }
    }
    None
}

#[test]
fn later_algorithms_return_smaller_sets() {
    seeds(500, |seed| {
        let RandomModel { model, space, .. } = random_model(seed, &Shape::tiny());
        for relation in RELATIONS {
            let independence = Independence::new(&model, relation);
            let mut first = Conflicting::new(&independence);
            let mut second = Overman::new(&independence);
            let scattered = |t: TransitionId, count: usize| mixed(seed, t) % count;
            let mut third = Stubborn::with_choice(&independence, Precision::Static, scattered);
            let mut fourth = Stubborn::with_choice(&independence, Precision::Conditional, scattered);
            for s in 0..space.states.len() {
                let place = Place::new(&space, s);
                for start in 0..place.enabled.len() {
                    let (one, two) = (place.set(&mut first, start), place.set(&mut second, start));
                    assert!(two.is_subset(&one), "Thm 4.20: {relation:?}, {:?}", space.states[s]);
                    let included = some_choice_is_included(&independence, &place, start, &two);
                    assert_ne!(included, Some(false), "Thm 4.21: {relation:?}, {:?}", space.states[s]);
                    let (three, four) = (place.set(&mut third, start), place.set(&mut fourth, start));
                    assert!(four.is_subset(&three), "Thm 4.28: {relation:?}, {:?}", space.states[s]);
                }
            }
        }
    });
}
