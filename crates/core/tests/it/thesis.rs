//! The examples of the thesis, by their numbers.
//!
//! P. Godefroid, *Partial-Order Methods for the Verification of Concurrent
//! Systems*, Liège 1994-95.

use mazurka_core::bitset::{self, BitSet};
use mazurka_core::persistent::{AllEnabled, Conflicting, Overman, PersistentSets, Stubborn};
use mazurka_core::*;
use std::collections::BTreeSet;
use std::ops::ControlFlow;

/// `Algo_i(t)` in the initial state, as names; by the number of the algorithm.
fn algo(i: u8, model: &Model, start: &str, relation: Relation) -> Vec<String> {
    let independence = Independence::new(model, relation);
    let mut state = Vec::new();
    model.initial(&mut state);
    let mut enabled = Vec::new();
    model.enabled(&state, &mut enabled);
    let mut sets: Box<dyn PersistentSets<TransitionId> + '_> = match i {
        0 => Box::new(AllEnabled),
        1 => Box::new(Conflicting::new(&independence)),
        2 => Box::new(Overman::new(&independence)),
        3 => Box::new(Stubborn::new(&independence, Precision::Static)),
        _ => Box::new(Stubborn::new(&independence, Precision::Conditional)),
    };
    let name = |t: &TransitionId| model.transition_name(*t).to_string();
    let position = enabled.iter().position(|t| name(t) == start).expect("enabled");
    let mut out = BitSet::default();
    sets.prepare(&state, &enabled);
    assert!(sets.containing(&state, &enabled, position, usize::MAX, &mut out));
    bitset::iter(&out).map(|k| name(&enabled[k])).collect()
}

fn algo_all(i: u8, model: &Model, start: &str) -> Vec<String> {
    algo(i, model, start, Relation::Conditional)
}

/// The explored part of the state space: states, and edges by transition.
#[derive(Default)]
struct Explored {
    states: BTreeSet<Vec<u8>>,
    edges: BTreeSet<(Vec<u8>, usize, Vec<u8>)>,
}

impl Observer<Model> for Explored {
    fn state(&mut self, _: StateId, s: &[u8], _: &[TransitionId], _: &dyn Path<TransitionId>) -> ControlFlow<()> {
        self.states.insert(s.to_vec());
        ControlFlow::Continue(())
    }

    fn transition(&mut self, edge: &Edge<'_, Model>, _: &dyn Path<TransitionId>) -> ControlFlow<()> {
        let (before, after) = (edge.before.to_vec(), edge.after.to_vec());
        let new = self.edges.insert((before, edge.transition.index(), after));
        assert!(new, "no transition is explored twice from one state");
        ControlFlow::Continue(())
    }
}

fn explored(search: Search<'_>) -> Explored {
    let mut explored = Explored::default();
    let (statistics, end) = search.observe(&mut explored).unwrap();
    assert_eq!(end, End::Complete);
    assert_eq!(statistics.states as usize, explored.states.len());
    assert_eq!(statistics.transitions as usize, explored.edges.len());
    explored
}

#[test]
fn example_2_3_two_philosophers_have_8_states_and_10_transitions() {
    let mut m = Builder::new("two philosophers");
    let [a0, a1, a2, a3] = m.process("A", ["a0", "a1", "a2", "a3"]);
    let [b0, b1, b2, b3] = m.process("B", ["b0", "b1", "b2", "b3"]);
    let (f1, f2) = (m.boolean("f1"), m.boolean("f2"));
    m.transition("t1A", a0, a1).when(f1.is(0)).then(f1.write(1));
    m.transition("t2A", a1, a2).when(f2.is(0)).then(f2.write(1));
    m.transition("t3A", a2, a3).then(f1.write(0));
    m.transition("t4A", a3, a0).then(f2.write(0));
    m.transition("t1B", b0, b1).when(f2.is(0)).then(f2.write(1));
    m.transition("t2B", b1, b2).when(f1.is(0)).then(f1.write(1));
    m.transition("t3B", b2, b3).then(f2.write(0));
    m.transition("t4B", b3, b0).then(f1.write(0));
    let model = m.build().unwrap();
    for order in [Order::DepthFirst, Order::BreadthFirst] {
        let outcome = Search::full(&model).order(order).run().unwrap();
        assert_eq!((outcome.statistics.states, outcome.statistics.transitions), (8, 10));
        assert_eq!(outcome.deadlocks.len(), 1);
        let names = |l: &LocalId| model.local_name(*l).to_string();
        let control: Vec<_> = outcome.deadlocks[0].state.control.iter().map(names).collect();
        assert_eq!(control, ["a1", "b1"], "each has one fork");
        assert_eq!(outcome.coverage, Some(Coverage::default()));
    }
}

/// Example 4.8: `t1` is in conflict with nothing and works on an object of its own.
#[test]
fn example_4_8_algorithm_1_finds_t1() {
    let mut m = Builder::new("4.8");
    let [a0, a1, a2] = m.process("A", ["a0", "a1", "a2"]);
    let [b0, b1] = m.process("B", ["b0", "b1"]);
    let (x, y) = (m.boolean("x"), m.boolean("y"));
    m.transition("t1", a0, a1).then(x.write(1));
    m.transition("t2", a1, a2).then(y.write(0));
    m.transition("t3", b0, b1).then(y.write(1));
    let model = m.build().unwrap();
    for i in 1..=4 {
        assert_eq!(algo_all(i, &model, "t1"), ["t1"], "Algorithm {i}");
    }
    assert_eq!(algo_all(1, &model, "t3"), ["t1", "t3"]);
}

/// Example 4.11: `t1` is in conflict with the disabled `t2`.
#[test]
fn example_4_11_algorithm_2_finds_t1_and_algorithm_1_does_not() {
    let mut m = Builder::new("4.11");
    let [a0, a1, a2, a3] = m.process("A", ["a0", "a1", "a2", "a3"]);
    let [b0, b1] = m.process("B", ["b0", "b1"]);
    let (x, y) = (m.boolean("x"), m.boolean("y"));
    m.transition("t1", a0, a1).then(x.write(1));
    m.transition("t2", a0, a3).when(x.is(1)).then(x.write(0));
    m.transition("t3", a1, a2).then(y.write(0));
    m.transition("t4", b0, b1).then(y.write(1));
    let model = m.build().unwrap();
    assert_eq!(algo_all(1, &model, "t1"), ["t1", "t4"]);
    for i in 2..=4 {
        assert_eq!(algo_all(i, &model, "t1"), ["t1"], "Algorithm {i}");
    }
}

/// Example 4.19: nothing leads back to `a0`, where `t1` would interfere with `t4`.
#[test]
fn example_4_19_algorithm_3_finds_t4_and_algorithms_1_and_2_do_not() {
    let mut m = Builder::new("4.19");
    let [a0, a1, a2] = m.process("A", ["a0", "a1", "a2"]);
    let [b0, b1] = m.process("B", ["b0", "b1"]);
    let (x, y) = (m.boolean("x"), m.boolean("y"));
    m.transition("t1", a0, a1).then(x.write(1));
    m.transition("t2", a1, a2).then(y.write(0));
    m.transition("t3", b0, b1).then(y.write(1));
    m.transition("t4", b1, b0).then(x.write(0));
    m.start_at(a1);
    m.start_at(b1);
    let model = m.build().unwrap();
    for (i, start) in [(1, "t2"), (1, "t4"), (2, "t2"), (2, "t4")] {
        assert_eq!(algo_all(i, &model, start), ["t2", "t4"], "Algo{i}({start})");
    }
    assert_eq!(algo_all(3, &model, "t4"), ["t4"]);
    assert_eq!(algo_all(4, &model, "t4"), ["t4"]);
}

/// Example 4.30: with three messages in the channel, Empty cannot be the first to
/// interfere with Receive.
#[test]
fn example_4_30_algorithm_4_finds_t1_and_the_others_do_not() {
    let mut m = Builder::new("4.30");
    let [a0, a1] = m.process("A", ["a0", "a1"]);
    let [b0, b1, b2, b3] = m.process("B", ["b0", "b1", "b2", "b3"]);
    let q = m.channel("q", ChannelType::bounded(5).containing([1, 2, 3]));
    let x = m.boolean("x");
    m.transition("t1", a0, a1).then(q.receive());
    m.transition("t2", a1, a0).then(x.write(0));
    m.transition("t3", b0, b1).then(x.write(1));
    m.transition("t4", b1, b2).when(q.is_empty());
    m.transition("t5", b1, b3).when(!q.is_empty());
    let model = m.build().unwrap();
    for (i, start) in [(1, "t1"), (1, "t3"), (2, "t1"), (2, "t3"), (3, "t1"), (3, "t3")] {
        assert_eq!(algo_all(i, &model, start), ["t1", "t3"], "Algo{i}({start})");
    }
    assert_eq!(algo_all(4, &model, "t1"), ["t1"]);
}

/// Example 5.1: the only persistent set is everything, and sleep sets still help.
#[test]
fn example_5_1_sleep_sets_go_beyond_persistent_sets() {
    let mut m = Builder::new("5.1");
    let [a0, a1, a2] = m.process("A", ["a0", "a1", "a2"]);
    let [b0, b1, b2] = m.process("B", ["b0", "b1", "b2"]);
    let (x, y) = (m.boolean("x"), m.boolean("y"));
    m.transition("t1", a0, a1).then(x.write(0));
    m.transition("t2", a1, a2).then(y.write(0));
    m.transition("t3", b0, b1).then(y.write(1));
    m.transition("t4", b1, b2).then(x.write(1));
    let model = m.build().unwrap();
    for i in 1..=4 {
        for start in ["t1", "t3"] {
            assert_eq!(algo_all(i, &model, start), ["t1", "t3"], "Algo{i}({start})");
        }
    }
    let full = explored(Search::full(&model));
    let sleep = explored(Search::full(&model).sleep(true));
    assert_eq!(full.states, sleep.states);
    // t1 then t3 is not explored, since t3 then t1 was; likewise t2 then t4.
    let gone: Vec<_> = full.edges.difference(&sleep.edges).map(|(_, t, _)| *t).collect();
    let index = |name| model.transition_named(name).unwrap().index();
    assert_eq!(gone, [index("t3"), index("t4")]);
}

/// Example 5.5 and Fig. 5.3: with sleep sets every state is reached once.
#[test]
fn example_5_5_no_state_is_matched() {
    let mut m = Builder::new("5.5");
    let [a0, a1, a2] = m.process("A", ["a0", "a1", "a2"]);
    let [b0, b1, b2] = m.process("B", ["b0", "b1", "b2"]);
    let (x, y) = (m.boolean("x"), m.boolean("y"));
    m.transition("t1", a0, a1).then(x.write(1));
    m.transition("t2", a1, a2).then(x.write(0));
    m.transition("t3", b0, b1).then(y.write(1));
    m.transition("t4", b1, b2).then(y.write(0));
    let model = m.build().unwrap();
    let full = Search::full(&model).run().unwrap().statistics;
    assert_eq!((full.states, full.transitions, full.matched), (9, 12, 4));
    for order in [Order::DepthFirst, Order::BreadthFirst] {
        let search = Search::full(&model).sleep(true).order(order);
        let sleep = search.run().unwrap().statistics;
        assert_eq!((sleep.states, sleep.transitions, sleep.matched), (9, 8, 0));
    }
}

/// Examples 6.1, 6.3 and 6.5: A loops, and B is ignored without a proviso.
fn example_6_1() -> Model {
    let mut m = Builder::new("6.1");
    let [a0, a1] = m.process("A", ["a0", "a1"]);
    let [b0, l] = m.process("B", ["b0", "l"]);
    let (x, y) = (m.boolean("x"), m.boolean("y"));
    m.transition("t1", a0, a1).then(x.write(1));
    m.transition("t2", a1, a0).then(x.write(0));
    m.transition("t3", b0, l).then(y.write(1));
    m.invariant("B stays", !l.reached());
    m.build().unwrap()
}

#[test]
fn example_6_1_without_a_proviso_b_is_ignored() {
    let model = example_6_1();
    for algorithm in [Algorithm::Overman, Algorithm::Stubborn, Algorithm::Conditional] {
        let search = Search::new(&model)
            .persistent(algorithm)
            .sleep(false)
            .proviso(ProvisoKind::None);
        let outcome = search.run().unwrap();
        assert_eq!(outcome.statistics.states, 2, "{algorithm:?}");
        assert_eq!(outcome.coverage, None, "it cannot tell");
        assert_eq!(outcome.verdict, Verdict::Inconclusive(Doubt::NoProviso));
    }
}

#[test]
fn example_6_3_with_a_proviso_b_is_seen() {
    let model = example_6_1();
    for (sleep, proviso) in [
        (true, ProvisoKind::Stack),
        (false, ProvisoKind::Stack),
        (false, ProvisoKind::Component),
    ] {
        let outcome = Search::new(&model).sleep(sleep).proviso(proviso).run().unwrap();
        assert_eq!(outcome.verdict, Verdict::Violated, "{proviso:?}");
        assert_eq!(outcome.violations[0].message, "invariant `B stays` is violated");
        assert_eq!(outcome.coverage, Some(Coverage::default()));
    }
}

/// Fig. 6.3 shows one possible reduced state space. Ours takes the persistent set
/// {t3} in s1, which the thesis mentions as the other choice: all four states.
#[test]
fn example_6_3_every_transition_is_executed() {
    let mut m = Builder::new("6.3");
    let [a0, a1] = m.process("A", ["a0", "a1"]);
    let [b0, l] = m.process("B", ["b0", "l"]);
    let (x, y) = (m.boolean("x"), m.boolean("y"));
    m.transition("t1", a0, a1).then(x.write(1));
    m.transition("t2", a1, a0).then(x.write(0));
    m.transition("t3", b0, l).then(y.write(1));
    let model = m.build().unwrap();
    let full = explored(Search::full(&model));
    assert_eq!((full.states.len(), full.edges.len()), (4, 6));
    let reduced = explored(Search::new(&model).sleep(true).proviso(ProvisoKind::Stack));
    let executed: BTreeSet<usize> = reduced.edges.iter().map(|(_, t, _)| *t).collect();
    assert_eq!(executed.len(), 3);
    assert!(reduced.edges.len() < full.edges.len());
}

/// Example 6.7: the relation of Example 3.20 is not weakly uniform, and is refused
/// where the theory needs that.
#[test]
fn example_6_7_sleep_sets_with_a_proviso_need_weak_uniformity() {
    let mut m = Builder::new("6.7");
    let [a0, a1] = m.process("A", ["a0", "a1"]);
    let q = m.channel("q", ChannelType::bounded(2));
    m.transition("t", a0, a1).then(q.send(1));
    let model = m.build().unwrap();
    let search = Search::new(&model).sleep(true).proviso(ProvisoKind::Stack);
    let refused = search.clone().relation(Relation::Conditional).run();
    assert_eq!(
        refused.unwrap_err(),
        SearchError::Unsupported(Unsupported::NotWeaklyUniform { object: "q".into() })
    );
    assert_eq!(search.supported(), Ok(Relation::WeaklyUniform));
    for relation in [Relation::Constant, Relation::WeaklyUniform] {
        assert!(search.clone().relation(relation).run().is_ok());
    }
    // Without sleep sets, or without a proviso, the finer relation is fine (6.5).
    assert!(
        search
            .clone()
            .sleep(false)
            .relation(Relation::Conditional)
            .run()
            .is_ok()
    );
    let deadlocks = search.proviso(ProvisoKind::None).relation(Relation::Conditional);
    assert!(deadlocks.run().is_ok());
}

/// Example 8.1: two states, whatever the capacity.
#[test]
fn example_8_1_the_reduced_state_space_does_not_depend_on_the_capacity() {
    for capacity in [Some(1), Some(2), Some(10), Some(1000), None] {
        let mut m = Builder::new("producer-consumer");
        let [p0] = m.process("P", ["p0"]);
        let [c0] = m.process("C", ["c0"]);
        let q = m.channel("q", capacity.map_or_else(ChannelType::unbounded, ChannelType::bounded));
        m.transition("t1", p0, p0).when(!q.is_full()).then(q.send(7));
        m.transition("t2", c0, c0).when(!q.is_empty()).then(q.receive());
        let model = m.build().unwrap();
        for proviso in [ProvisoKind::None, ProvisoKind::Component] {
            let outcome = Search::new(&model).sleep(false).proviso(proviso).run().unwrap();
            assert_eq!(
                (outcome.statistics.states, outcome.statistics.transitions),
                (2, 2),
                "{capacity:?}"
            );
            assert_eq!(outcome.verdict, Verdict::Holds);
        }
        if let Some(n) = capacity {
            let full = Search::full(&model).run().unwrap().statistics;
            assert_eq!((full.states, full.transitions), (n as u64 + 1, 2 * n as u64));
        }
    }
}
