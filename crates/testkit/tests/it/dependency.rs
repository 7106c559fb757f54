//! The relation that the engine computes is a valid dependency relation.
//!
//! Every state and pair of transitions of random models is compared with
//! Def. 3.17 of the thesis, every state and triple with Def. 6.6.

use mazurka_core::{Builder, ChannelType, Independence, Relation};
use mazurka_testkit::definitions::{IndependenceTable, valid_dependency, weakly_uniform};
use mazurka_testkit::{RandomModel, Shape, StateSpace, random_model, seeds};

const RELATIONS: [Relation; 3] = [Relation::Constant, Relation::WeaklyUniform, Relation::Conditional];

#[test]
fn every_relation_is_valid() {
    seeds(250, |seed| {
        let RandomModel { model, space, .. } = random_model(seed, &Shape::small());
        for relation in RELATIONS {
            let table = IndependenceTable::new(&space, &Independence::new(&model, relation));
            valid_dependency(&model, &space, &table).unwrap_or_else(|e| panic!("{relation:?}: {e}"));
        }
    });
}

#[test]
fn constant_and_weakly_uniform_relations_are_weakly_uniform() {
    seeds(250, |seed| {
        let RandomModel { model, space, .. } = random_model(seed, &Shape::small());
        for relation in RELATIONS {
            if relation == Relation::Conditional && model.not_weakly_uniform().is_some() {
                continue;
            }
            let table = IndependenceTable::new(&space, &Independence::new(&model, relation));
            weakly_uniform(&model, &space, &table).unwrap_or_else(|e| panic!("{relation:?}: {e}"));
        }
    });
}

#[test]
fn relations_from_left_to_right_have_more_independent_pairs() {
    seeds(80, |seed| {
        let RandomModel { model, space, .. } = random_model(seed, &Shape::small());
        let [constant, uniform, conditional] =
            RELATIONS.map(|r| IndependenceTable::new(&space, &Independence::new(&model, r)));
        for s in 0..space.states.len() {
            for t in space.executed() {
                for u in space.executed() {
                    assert!(constant.independent(s, t, u) <= uniform.independent(s, t, u));
                    assert!(uniform.independent(s, t, u) <= conditional.independent(s, t, u));
                }
            }
        }
    });
}

#[test]
fn example_6_7_as_a_model() {
    let mut m = Builder::new("Example 6.7");
    let [a0, a1] = m.process("A", ["a0", "a1"]);
    let [b0, b1] = m.process("B", ["b0", "b1"]);
    let [c0, c1] = m.process("C", ["c0", "c1"]);
    let q = m.channel("q", ChannelType::bounded(3).containing([0, 0]));
    m.transition("full", a0, a1).when(!q.is_full());
    m.transition("send", b0, b1).then(q.send(0));
    m.transition("receive", c0, c1).then(q.receive());
    let model = m.build().expect("a model");
    let space = StateSpace::explore(&model, 100).expect("few states");
    let table = |relation| IndependenceTable::new(&space, &Independence::new(&model, relation));
    let defect = weakly_uniform(&model, &space, &table(Relation::Conditional)).expect_err("not weakly uniform");
    assert!(
        defect.starts_with("t1 = `full`, t2 = `send`, t3 = `receive`"),
        "{defect}"
    );
    assert_eq!(weakly_uniform(&model, &space, &table(Relation::WeaklyUniform)), Ok(()));
}
