//! Building a model reports everything that is wrong with it, and where.

use mazurka_core::*;

/// The messages of all errors of a model.
fn wrong(m: Builder) -> Vec<String> {
    let errors = m.build().expect_err("it is wrong");
    errors.0.iter().map(ToString::to_string).collect()
}

#[test]
fn a_guard_that_reads_an_object_that_does_not_exist() {
    let mut other = Builder::new("other");
    let foreign = other.boolean("x");
    let mut m = Builder::new("m");
    let [a0, a1] = m.process("A", ["a0", "a1"]);
    m.boolean("y");
    m.transition("reads", a0, a1).when(foreign.is(1));
    m.transition("writes", a1, a0).then(foreign.write(1));
    assert_eq!(
        wrong(m),
        [
            "transition `reads` uses an object that does not exist in this model",
            "transition `writes` uses an object that does not exist in this model",
        ]
    );
}

#[test]
fn preset_and_postset_of_different_processes() {
    let mut m = Builder::new("m");
    let [a0, a1] = m.process("A", ["a0", "a1"]);
    let [b0, b1] = m.process("B", ["b0", "b1"]);
    m.transition("jumps", a0, b1);
    m.transition("splits", a0, [a1, b0]);
    m.transition("doubles", [a0, a1], a1);
    m.transition("nobody", vec![], vec![]);
    assert_eq!(
        wrong(m),
        [
            "transition `jumps`: its preset and postset name different processes: `A` is only in the preset",
            "transition `splits`: its preset and postset name different processes: `B` is only in the postset",
            "transition `doubles` names two control points of process `A` in its preset",
            "transition `nobody` has an empty preset: a transition moves at least one process",
        ]
    );
}

#[test]
fn an_operation_after_a_modifying_one_on_the_same_object() {
    let mut m = Builder::new("m");
    let [a0, a1] = m.process("A", ["a0", "a1"]);
    let x = m.variable("x", VariableType::range(0..=9));
    let q = m.channel("q", ChannelType::bounded(3));
    m.transition("twice", a0, a1).then([x.write(1), x.write(2)]);
    m.transition("reads back", a0, a1).then(x.write(1)).then(q.send(x));
    m.transition("looks", a0, a1)
        .then(q.receive_into(x))
        .then(assert(q.is_empty(), "empty"));
    m.transition("fine", a0, a1).then(q.send(x)).then(x.write(1));
    assert_eq!(
        wrong(m),
        [
            "transition `twice`: its command uses object `x` after an operation that modifies it",
            "transition `reads back`: its command uses object `x` after an operation that modifies it",
            "transition `looks`: its command uses object `q` after an operation that modifies it",
        ]
    );
}

#[test]
#[expect(clippy::reversed_empty_ranges, reason = "it is to be refused")]
fn objects_that_cannot_be() {
    let mut m = Builder::new("m");
    m.process("A", ["a0"]);
    m.variable("x", VariableType::range(3..=2));
    m.variable("y", VariableType::range(0..=2).initially(7));
    m.channel("q", ChannelType::bounded(0));
    m.channel("r", ChannelType::bounded(1).containing([1, 2]));
    m.semaphore("s", SemaphoreType::counting(3).at_most(2));
    assert_eq!(
        wrong(m),
        [
            "object `x`: its domain 3..=2 is empty",
            "object `y`: its initial value 7 is not in 0..=2",
            "object `q`: a channel of capacity 0 can hold no message: write the rendezvous as one joint transition",
            "object `r`: it initially contains more messages than its capacity",
            "object `s`: its initial value 3 is above its maximum 2",
        ]
    );
}

#[test]
fn names_constants_operations() {
    let mut m = Builder::new("m");
    let [a0, a1] = m.process("A", ["a0", "a1"]);
    let [b0, b1] = m.process("B", ["b0", "b1"]);
    m.process("A", ["c0"]);
    m.process("empty", []);
    let x = m.boolean("x");
    let lock = m.lock("x");
    m.transition("t", a0, a1).then(x.write(2));
    m.transition("t", a0, a1);
    m.transition("both", [a0, b0], [a1, b1]).then(lock.acquire());
    m.transition("clear", [a0, b0], [a1, b1]).then(lock.acquire_by(b0));
    m.transition("stranger", a0, a1).then(lock.acquire_by(b0));
    m.transition("unknown", a0, a1).when(x.object().query(9));
    m.transition("modifies", a0, a1).when(lock.object().query(0));
    assert_eq!(
        wrong(m),
        [
            "two processes are named `A`",
            "two objects are named `x`",
            "two transitions are named `t`",
            "process `empty` has no control point",
            "transition `t`: 2 is not a value of object `x`",
            "transition `both` moves several processes: say which one acts on `x` (acquire_by, release_by)",
            "transition `stranger`: object `x` is operated by a process that does not move",
            "transition `unknown`: object `x` has no operation number 9",
            "transition `modifies`: object `x` cannot be read by Acquire: only operations that are always defined and modify nothing stand in expressions",
        ]
    );
}

#[test]
fn properties_of_other_models_and_bad_automata() {
    let mut other = Builder::new("other");
    let [elsewhere] = other.process("A", ["elsewhere"]);
    let mut m = Builder::new("m");
    let [a0] = m.process("A", ["a0"]);
    m.transition("a", a0, a0);
    m.invariant("foreign", elsewhere.reached());
    m.safety_automaton(SafetyAutomaton::new("lost", ["q"]).edge("q", "a", "r"));
    m.safety_automaton(
        SafetyAutomaton::new("undecided", ["q"])
            .edge("q", "a", "q")
            .edge("q", "a", "q"),
    );
    m.safety_automaton(SafetyAutomaton::new("deaf", ["q"]).edge("q", "b", "q"));
    m.safety_automaton(SafetyAutomaton::new("twins", ["q", "q"]).letter("a"));
    assert_eq!(
        wrong(m),
        [
            "safety automaton `lost`: it has an edge at `r`, which is not one of its states",
            "safety automaton `undecided`: two edges leave `q` with label `a`",
            "safety automaton `deaf`: no transition has its label `b`",
            "safety automaton `twins`: two of its states are named `q`",
            "property `foreign` uses an object or a control point that does not exist in this model",
        ]
    );
    assert!(wrong(Builder::new("nothing")).contains(&"the model has no process".to_string()));
}
