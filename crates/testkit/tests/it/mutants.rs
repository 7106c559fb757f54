//! Every oracle fails when something is wrong.
//!
//! Object types with one wrong entry, persistent sets with a member missing,
//! stubborn sets that forget what could enable a transition, a search without its
//! proviso: each mutant is caught, and its original is not.

use mazurka_core::bitset::{self, BitSet};
use mazurka_core::persistent::{PersistentSets, Stubborn};
use mazurka_core::{
    Algorithm, Builder, ChannelType, Configuration, Dependency, Edge, Independence, LockType, Model, ObjectType,
    Observer, Op, Operated, Operation, OutOfRange, Path, Precision, ProvisoKind, Relation, Search, SemaphoreType,
    Structure, TransitionId,
};
use mazurka_testkit::definitions::{Edges, IndependenceTable, persistent, trace_automaton, valid_dependency};
use mazurka_testkit::{ObjectTables, RandomModel, Shape, StateSpace, random_model};
use std::collections::BTreeSet;
use std::ops::{ControlFlow, Range};

// ---- object types

/// An object type whose relations lack some entries.
#[derive(Debug)]
struct Mutant<T> {
    original: T,
    /// Pairs and values that `dependent` wrongly calls independent.
    independent: fn(Op, Op, &[i64]) -> bool,
    /// Pairs and values that `first_to_interfere` wrongly lacks.
    never_first: fn(Op, Op, &[i64]) -> bool,
    /// Pairs that `can_be_dependent` and `do_not_accord` wrongly lack.
    never: fn(Op, Op) -> bool,
}

impl<T: ObjectType> ObjectType for Mutant<T> {
    fn operations(&self) -> &'static [Operation] {
        self.original.operations()
    }
    fn initial(&self) -> Vec<i64> {
        self.original.initial()
    }
    fn operate(&self, op: Op, input: i64, value: &[i64]) -> Operated {
        self.original.operate(op, input, value)
    }
    fn fit(&mut self, processes: usize) {
        self.original.fit(processes);
    }
    fn fixed_len(&self) -> Option<usize> {
        self.original.fixed_len()
    }
    fn encoded_len(&self, bytes: &[u8]) -> usize {
        self.original.encoded_len(bytes)
    }
    fn encode(&self, value: &[i64], out: &mut Vec<u8>) {
        self.original.encode(value, out);
    }
    fn decode(&self, bytes: &[u8]) -> Vec<i64> {
        self.original.decode(bytes)
    }
    fn defined(&self, op: Op, bytes: &[u8]) -> bool {
        self.original.defined(op, bytes)
    }
    fn query(&self, op: Op, bytes: &[u8]) -> i64 {
        self.original.query(op, bytes)
    }
    fn modify(&self, op: Op, input: i64, state: &mut Vec<u8>, at: Range<usize>) -> Result<i64, OutOfRange> {
        self.original.modify(op, input, state, at)
    }
    fn refined_by_process(&self) -> bool {
        self.original.refined_by_process()
    }
    fn dependent(&self, a: Op, b: Op, bytes: &[u8], relation: Relation) -> bool {
        self.original.dependent(a, b, bytes, relation) && !(self.independent)(a, b, &self.decode(bytes))
    }
    fn first_to_interfere(&self, a: Op, b: Op, bytes: &[u8], relation: Relation) -> bool {
        self.original.first_to_interfere(a, b, bytes, relation) && !(self.never_first)(a, b, &self.decode(bytes))
    }
    fn can_be_dependent(&self, a: Op, b: Op, relation: Relation) -> bool {
        self.original.can_be_dependent(a, b, relation) && !(self.never)(a, b)
    }
    fn do_not_accord(&self, a: Op, b: Op, relation: Relation) -> bool {
        self.original.do_not_accord(a, b, relation) && !(self.never)(a, b)
    }
    fn conditional_is_weakly_uniform(&self) -> bool {
        self.original.conditional_is_weakly_uniform()
    }
}

/// Places of operations in the lists of the library's types.
const SEND: u8 = 0;
const RECEIVE: u8 = 1;
const ACQUIRE: u8 = 0;

fn are(a: Op, b: Op, kinds: [u8; 2]) -> bool {
    [a.kind, b.kind] == kinds || [b.kind, a.kind] == kinds
}

/// A channel whose Send and Receive never interfere.
fn channel_mutant(original: ChannelType) -> Mutant<ChannelType> {
    Mutant {
        original,
        independent: |a, b, _| are(a, b, [SEND, RECEIVE]),
        never_first: |a, b, _| are(a, b, [SEND, RECEIVE]),
        never: |a, b| are(a, b, [SEND, RECEIVE]),
    }
}

/// A semaphore whose Acquires do not interfere, even for the last permit.
fn semaphore_mutant(original: SemaphoreType) -> Mutant<SemaphoreType> {
    Mutant {
        original,
        independent: |a, b, value| are(a, b, [ACQUIRE, ACQUIRE]) && value == [1],
        never_first: |a, b, value| are(a, b, [ACQUIRE, ACQUIRE]) && value == [1],
        never: |_, _| false,
    }
}

/// A lock whose relations are right, but whose Acquires are never the first to interfere with each other.
fn lock_mutant(original: LockType) -> Mutant<LockType> {
    Mutant {
        original,
        independent: |_, _, _| false,
        never_first: |a, b, _| are(a, b, [ACQUIRE, ACQUIRE]),
        never: |_, _| false,
    }
}

/// Two processes that compete for a single item.
fn competition(kind: impl ObjectType + 'static) -> Model {
    let mut m = Builder::new("competition");
    let [a0, a1] = m.process("A", ["a0", "a1"]);
    let [b0, b1] = m.process("B", ["b0", "b1"]);
    let object = m.object("it", kind);
    m.transition("a", a0, a1).then(object.operate(ACQUIRE));
    m.transition("b", b0, b1).then(object.operate(ACQUIRE));
    m.build().expect("a model")
}

/// A receiver that may give up before the message comes.
fn impatience(kind: impl ObjectType + 'static) -> Model {
    let mut m = Builder::new("impatience");
    let [r0, r1, r2] = m.process("receiver", ["r0", "r1", "r2"]);
    let [s0, s1] = m.process("sender", ["s0", "s1"]);
    let q = m.object("q", kind);
    m.transition("give up", r0, r2);
    m.transition("receive", r0, r1).then(q.operate(RECEIVE));
    m.transition("send", s0, s1).then(q.operate_with(SEND, 0));
    m.build().expect("a model")
}

/// Whether some search misses a deadlock that the naive search finds.
fn misses_a_deadlock(model: &Model) -> bool {
    let space = StateSpace::explore(model, 1000).expect("few states");
    let expected = space.deadlocks(model);
    let algorithms = [
        Algorithm::AllEnabled,
        Algorithm::Conflicting,
        Algorithm::Overman,
        Algorithm::Stubborn,
        Algorithm::Conditional,
    ];
    let misses = |algorithm: Algorithm, sleep: bool| {
        let search = Search::new(model)
            .persistent(algorithm)
            .sleep(sleep)
            .proviso(ProvisoKind::None);
        let outcome = search.run().expect("supported");
        let found: BTreeSet<Configuration> = outcome.found.deadlocks.into_iter().map(|d| d.state).collect();
        found != expected
    };
    // With sleep sets, some mutants are already caught by an assertion of the engine.
    algorithms.iter().any(|a| misses(*a, false)) || algorithms.iter().any(|a| misses(*a, true))
}

fn is_valid(model: &Model) -> bool {
    let space = StateSpace::explore(model, 1000).expect("few states");
    let table = IndependenceTable::new(&space, &Independence::new(model, Relation::Conditional));
    valid_dependency(model, &space, &table).is_ok()
}

/// Whether Algorithm 4 returns persistent sets everywhere.
fn computes_persistent_sets(model: &Model) -> bool {
    let space = StateSpace::explore(model, 1000).expect("few states");
    let independence = Independence::new(model, Relation::Conditional);
    let mut algorithm = Stubborn::new(&independence, Precision::Conditional);
    all_persistent(model, &space, &independence, &mut algorithm)
}

/// Whether the sets that an algorithm returns satisfy Def. 4.1, in all states
/// and from all starts.
fn all_persistent(
    model: &Model,
    space: &StateSpace,
    dependency: &dyn Dependency<TransitionId>,
    algorithm: &mut dyn PersistentSets<TransitionId>,
) -> bool {
    let table = IndependenceTable::new(space, dependency);
    (0..space.states.len()).all(|s| {
        let enabled: Vec<TransitionId> = space.enabled(s).collect();
        algorithm.prepare(&space.bytes[s], &enabled);
        (0..enabled.len()).all(|start| {
            let mut out = BitSet::new(enabled.len());
            assert!(algorithm.containing(&space.bytes[s], &enabled, start, enabled.len(), &mut out));
            let set: Vec<TransitionId> = bitset::iter(&out).map(|k| enabled[k]).collect();
            persistent(model, space, &table, s, &set).is_ok()
        })
    })
}

#[test]
fn a_channel_that_forgets_send_and_receive() {
    let original = ChannelType::bounded(1).messages(0..=1);
    assert!(ObjectTables::new(&original, &[0, 1], 4).defects().is_empty());
    assert!(is_valid(&impatience(original.clone())));
    assert!(!misses_a_deadlock(&impatience(original.clone())));
    let mutant = channel_mutant(original.clone());
    let defects = ObjectTables::new(&mutant, &[0, 1], 4).defects();
    assert!(
        defects.iter().any(|d| d.contains("`dependent` is not valid")),
        "{defects:#?}"
    );
    assert!(!is_valid(&impatience(channel_mutant(original.clone()))));
    assert!(misses_a_deadlock(&impatience(channel_mutant(original))));
}

#[test]
fn a_semaphore_that_forgets_the_last_permit() {
    let original = SemaphoreType::counting(1);
    assert!(ObjectTables::new(&original, &[], 4).defects().is_empty());
    assert!(is_valid(&competition(original.clone())));
    assert!(!misses_a_deadlock(&competition(original.clone())));
    let mutant = semaphore_mutant(original.clone());
    let defects = ObjectTables::new(&mutant, &[], 4).defects();
    assert!(
        defects.iter().any(|d| d.contains("`dependent` is not valid")),
        "{defects:#?}"
    );
    assert!(!is_valid(&competition(semaphore_mutant(original.clone()))));
    assert!(misses_a_deadlock(&competition(semaphore_mutant(original))));
}

#[test]
fn a_lock_that_forgets_who_comes_first() {
    assert!(ObjectTables::new(&LockType::free(), &[], 4).defects().is_empty());
    assert!(computes_persistent_sets(&competition(LockType::free())));
    assert!(!misses_a_deadlock(&competition(LockType::free())));
    let mutant = lock_mutant(LockType::free());
    let defects = ObjectTables::new(&mutant, &[], 4).defects();
    assert!(
        defects.iter().all(|d| d.contains("`first_to_interfere` lacks")),
        "{defects:#?}"
    );
    assert!(!defects.is_empty());
    // The relation itself is valid: only the persistent sets are wrong.
    assert!(is_valid(&competition(lock_mutant(LockType::free()))));
    assert!(!computes_persistent_sets(&competition(lock_mutant(LockType::free()))));
    assert!(misses_a_deadlock(&competition(lock_mutant(LockType::free()))));
}

// ---- persistent sets

/// Leaves out the last member of sets with several.
struct Dropping<P>(P);

impl<P: PersistentSets<TransitionId>> PersistentSets<TransitionId> for Dropping<P> {
    fn prepare(&mut self, state: &[u8], enabled: &[TransitionId]) {
        self.0.prepare(state, enabled);
    }

    fn containing(
        &mut self,
        state: &[u8],
        enabled: &[TransitionId],
        start: usize,
        most: usize,
        out: &mut BitSet,
    ) -> bool {
        let found = self.0.containing(state, enabled, start, most, out);
        let others: Vec<usize> = bitset::iter(out).filter(|k| *k != start).collect();
        if let Some(last) = others.last() {
            bitset::remove(out, *last);
        }
        found
    }
}

/// A naive Algorithm 4. If it is `forgetful`, it skips step 2.a.
struct PlainStubborn<'a, S> {
    system: &'a S,
    forgetful: bool,
}

impl<S: Structure> PersistentSets<TransitionId> for PlainStubborn<'_, S> {
    fn containing(&mut self, state: &[u8], enabled: &[TransitionId], start: usize, _: usize, out: &mut BitSet) -> bool {
        let all = self.system.transitions();
        let mut members = vec![enabled[start]];
        let mut done = 0;
        while done < members.len() {
            let t = members[done];
            done += 1;
            let mut more = BitSet::new(all);
            if enabled.contains(&t) {
                bitset::union(&mut more, self.system.in_conflict(t));
                self.system.interfering(state, t, Precision::Conditional, &mut more);
            } else if !self.forgetful {
                let mut scratch = BitSet::new(all);
                let mut chosen = None;
                self.system
                    .enabling_sets(state, t, Precision::Conditional, &mut scratch, |set: &[u64]| {
                        chosen.get_or_insert_with(|| set.to_vec());
                    });
                bitset::union(&mut more, &chosen.expect("a disabled transition has an obstacle"));
            }
            for u in bitset::iter(&more).map(TransitionId::new) {
                if !members.contains(&u) {
                    members.push(u);
                }
            }
        }
        out.reset(enabled.len());
        for (k, t) in enabled.iter().enumerate() {
            if members.contains(t) {
                bitset::insert(out, k);
            }
        }
        true
    }
}

/// The number of models among the first that have a set that is not persistent, for an
/// algorithm made from the structure of the model.
fn red(cases: u64, mut check: impl FnMut(&Model, &StateSpace, &Independence) -> bool) -> u64 {
    let mut red = 0;
    for seed in 0..cases {
        let RandomModel { model, space, .. } = random_model(seed, &Shape::tiny());
        let independence = Independence::new(&model, Relation::Conditional);
        red += u64::from(!check(&model, &space, &independence));
    }
    red
}

#[test]
fn a_persistent_set_with_a_member_missing() {
    let check = |drops: bool| {
        red(50, |model, space, independence| {
            let original = Stubborn::new(independence, Precision::Conditional);
            if drops {
                all_persistent(model, space, independence, &mut Dropping(original))
            } else {
                let mut original = original;
                all_persistent(model, space, independence, &mut original)
            }
        })
    };
    assert_eq!(check(false), 0);
    assert!(check(true) > 25, "{}", check(true));
}

#[test]
fn a_stubborn_set_that_ignores_necessary_enabling_sets() {
    let check = |forgetful: bool| {
        red(100, |model, space, independence| {
            let mut algorithm = PlainStubborn {
                system: independence,
                forgetful,
            };
            all_persistent(model, space, independence, &mut algorithm)
        })
    };
    assert_eq!(check(false), 0);
    assert!(check(true) > 10, "{}", check(true));
}

// ---- provisos

/// Example 6.1, with the claim that `l` is never reached.
fn example_6_1() -> Model {
    let mut m = Builder::new("Example 6.1");
    let [a0, a1] = m.process("A", ["a0", "a1"]);
    let [b0, l] = m.process("B", ["b0", "l"]);
    let x = m.boolean("x");
    let y = m.boolean("y");
    m.transition("t1", a0, a1).then(x.write(1));
    m.transition("t2", a1, a0).then(x.write(0));
    m.transition("t3", b0, l).then(y.write(1));
    m.invariant("never l", !l.reached());
    m.build().expect("a model")
}

struct Recorder<'a>(&'a Model, &'a StateSpace, Edges);

impl Observer<Model> for Recorder<'_> {
    fn transition(&mut self, edge: &Edge<'_, Model>, _: &dyn Path<TransitionId>) -> ControlFlow<()> {
        let from = self.1.number[&Configuration::decode(self.0, edge.before)];
        self.2.entry(from).or_default().insert(edge.transition);
        ControlFlow::Continue(())
    }
}

#[test]
fn a_search_without_its_proviso() {
    let model = example_6_1();
    let space = StateSpace::explore(&model, 100).expect("few states");
    assert_eq!(space.violated.len(), 1);
    let table = IndependenceTable::new(&space, &Independence::new(&model, Relation::WeaklyUniform));
    let mut missed = 0;
    for sleep in [false, true] {
        for proviso in [ProvisoKind::None, ProvisoKind::Stack, ProvisoKind::Component] {
            if sleep && proviso == ProvisoKind::Component {
                continue;
            }
            let search = Search::new(&model)
                .sleep(sleep)
                .proviso(proviso)
                .relation(Relation::WeaklyUniform);
            let outcome = search.run().expect("supported");
            let mut recorder = Recorder(&model, &space, Edges::new());
            search.observe(&mut recorder).expect("supported");
            let covers = trace_automaton(&model, &space, &table, &recorder.2, 5);
            if proviso == ProvisoKind::None {
                missed += 1;
                assert!(outcome.violations.is_empty());
                assert!(covers.is_err());
            } else {
                assert_eq!(outcome.violations.len(), 1);
                assert_eq!(covers, Ok(()));
            }
        }
    }
    assert_eq!(missed, 2);
}
