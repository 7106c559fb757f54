//! What searches answer: assertions, invariants, automata, dead code, limits.

use mazurka_core::*;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// The supported searches that check everything that the model states.
fn searches(model: &Model) -> Vec<Search<'_>> {
    let thesis = Search::new(model).sleep(true).proviso(ProvisoKind::Stack);
    let mut searches = vec![
        Search::new(model),
        thesis.clone(),
        thesis.clone().sleep(false),
        thesis.store(Storage::Cache(50)),
        Search::full(model),
        Search::full(model).order(Order::BreadthFirst),
        Search::full(model).sleep(true),
    ];
    for algorithm in [Algorithm::Conflicting, Algorithm::Overman, Algorithm::Stubborn] {
        searches.push(Search::new(model).persistent(algorithm));
    }
    searches
}

/// Two processes increment a shared counter in two steps each: an update is lost.
fn lost_update(correct: bool) -> Builder {
    let mut m = Builder::new("lost update");
    let x = m.variable("x", VariableType::range(0..=2));
    let lock = m.lock("lock");
    let done = m.variable("done", VariableType::range(0..=2));
    for name in ["A", "B"] {
        let [start, entered, read, wrote, end] = m.process(name, ["start", "entered", "read", "wrote", "end"]);
        let copy = m.variable(format!("{name}'s copy"), VariableType::range(0..=2));
        let enter = m.transition(format!("{name} enters"), start, entered);
        if correct {
            enter.then(lock.acquire());
        }
        m.transition(format!("{name} reads"), entered, read).then(copy.write(x));
        m.transition(format!("{name} writes"), read, wrote)
            .then(x.write(copy.read() + 1));
        let leave = m.transition(format!("{name} leaves"), wrote, end).then(done.add(1));
        if correct {
            leave.then(lock.release());
        }
    }
    let [watch, over] = m.process("main", ["joins", "over"]);
    m.transition("main asserts", watch, over)
        .when(done.is(2))
        .then(assert(x.is(2), "both increments count"));
    m
}

#[test]
fn an_assertion_is_violated_by_some_interleaving_and_the_path_shows_it() {
    let model = lost_update(false).build().unwrap();
    for search in searches(&model) {
        let outcome = search.run().unwrap();
        assert_eq!(outcome.verdict, Verdict::Violated, "{search:?}");
        let [violation] = &outcome.violations[..] else {
            panic!("one violation, not {:?}", outcome.violations);
        };
        assert_eq!(violation.kind, ViolationKind::Assertion);
        assert_eq!(
            violation.message,
            "assertion `both increments count` of transition `main asserts` is violated"
        );
        let (states, violated) = Configuration::replay(&model, &violation.path).unwrap();
        assert_eq!(violated, [violation.property.unwrap()]);
        assert_eq!(states[states.len() - 2].values[0], [1], "x is 1 when it should be 2");
    }
    let model = lost_update(true).build().unwrap();
    for search in searches(&model) {
        let outcome = search.run().unwrap();
        assert_eq!(
            (outcome.violations.len(), outcome.deadlocks.len()),
            (0, 2),
            "{search:?}"
        );
    }
}

#[test]
fn breadth_first_gives_a_shortest_path() {
    let model = lost_update(false).build().unwrap();
    let outcome = Search::full(&model)
        .order(Order::BreadthFirst)
        .first_only(true)
        .run()
        .unwrap();
    assert_eq!(
        outcome.violations[0].path.len(),
        9,
        "four steps each, and the assertion"
    );
    assert!(!outcome.is_complete());
    assert_eq!(outcome.coverage, None, "an unfinished search cannot tell what is dead");
}

#[test]
fn mutual_exclusion_as_an_invariant_over_control_points() {
    for (correct, violations) in [(false, 1), (true, 0)] {
        let mut m = Builder::new("critical sections");
        let lock = m.lock("lock");
        let mut inside = Vec::new();
        for name in ["A", "B", "C"] {
            let [out, cs] = m.process(name, ["out", "in"]);
            let enter = m.transition(format!("{name} enters"), out, cs);
            if correct {
                enter.then(lock.acquire());
            }
            let leave = m.transition(format!("{name} leaves"), cs, out);
            if correct {
                leave.then(lock.release());
            }
            inside.push(cs);
        }
        let [a, b, c] = inside[..] else { unreachable!() };
        m.invariant(
            "mutual exclusion",
            !((a.reached() & b) | (a.reached() & c) | (b.reached() & c)),
        );
        m.assert_at(a, lock.is_held(), "A is in with the lock");
        let model = m.build().unwrap();
        for search in searches(&model) {
            let outcome = search.run().unwrap();
            assert_eq!(outcome.violations.len(), 2 * violations, "{search:?}");
            assert!(outcome.violations.iter().all(|v| v.kind == ViolationKind::Invariant));
            assert_eq!(outcome.coverage, Some(Coverage::default()));
        }
    }
}

#[test]
fn a_safety_automaton_watches_labels() {
    for (first, violations) in [("get", 1), ("put", 0)] {
        let mut m = Builder::new("no get before a put");
        let q = m.channel(
            "q",
            ChannelType::bounded(2).containing(if first == "get" { vec![1] } else { vec![] }),
        );
        let [p0, p1] = m.process("P", ["p0", "p1"]);
        let [c0, c1] = m.process("C", ["c0", "c1"]);
        m.transition("P sends", p0, p1).label("put").then(q.send(1));
        m.transition("C receives", c0, c1).label("get").then(q.receive());
        m.transition("C never", c1, c0).when(q.length().gt(5));
        m.safety_automaton(
            SafetyAutomaton::new("put first", ["nothing", "put"])
                .edge("nothing", "put", "put")
                .edge("put", "put", "put")
                .edge("put", "get", "put"),
        );
        let model = m.build().unwrap();
        for search in searches(&model) {
            let outcome = search.run().unwrap();
            assert_eq!(outcome.violations.len(), violations, "{search:?}");
            let dead = outcome.coverage.clone().unwrap().dead_transitions;
            assert_eq!(dead, ["C never"], "copies of a transition count as one");
            assert_eq!(outcome.deadlocks.len(), 1, "monitors do not multiply deadlocks");
        }
    }
}

#[test]
fn dead_transitions_and_unreached_control_points() {
    let mut m = Builder::new("dead");
    let [a0, a1, a2] = m.process("A", ["a0", "a1", "a2"]);
    let x = m.boolean("x");
    m.transition("goes", a0, a1);
    m.transition("never", a1, a2).when(x.is(1));
    let model = m.build().unwrap();
    let coverage = Search::new(&model).run().unwrap().found.coverage.unwrap();
    assert_eq!(coverage.dead_transitions, ["never"]);
    let unreached: Vec<_> = coverage.unreached.iter().map(|l| model.local_name(*l)).collect();
    assert_eq!(unreached, ["a2"]);
}

#[test]
fn a_fault_of_the_model_is_reported_with_its_path() {
    let mut m = Builder::new("overflow");
    let [a] = m.process("A", ["a"]);
    let x = m.variable("x", VariableType::range(0..=3));
    m.transition("counts", a, a).then(x.write(x.read() + 1));
    let model = m.build().unwrap();
    for search in searches(&model) {
        let outcome = search.run().unwrap();
        assert_eq!(outcome.violations[0].kind, ViolationKind::Fault);
        assert_eq!(
            outcome.violations[0].message,
            "transition `counts`: 4 is not a value of object `x`"
        );
        assert_eq!(outcome.violations[0].path.len(), 4);
    }
    let mut m = Builder::new("division");
    let [a] = m.process("A", ["a"]);
    let x = m.variable("x", VariableType::range(0..=3));
    m.transition("divides", a, a).then(x.write((x.read() + 1) / x));
    m.transition("guarded", a, a).when((x.read() / x).is(1));
    let outcome = Search::new(&m.build().unwrap()).run().unwrap();
    assert_eq!(
        outcome.violations[0].message,
        "transition `divides`: an expression of its command divides by zero or overflows"
    );
}

/// A model that counts for ever.
fn endless() -> Model {
    let mut m = Builder::new("endless");
    let [p] = m.process("P", ["p"]);
    let q = m.channel("q", ChannelType::unbounded());
    m.transition("sends", p, p).then(q.send(0));
    m.build().unwrap()
}

#[test]
fn every_limit_ends_a_search_honestly() {
    let model = endless();
    let interrupt = AtomicBool::new(true);
    for (limits, limit) in [
        (
            Limits {
                states: Some(100),
                ..Limits::default()
            },
            Limit::States,
        ),
        (
            Limits {
                depth: Some(50),
                ..Limits::default()
            },
            Limit::Depth,
        ),
        (
            Limits {
                bytes: Some(1 << 20),
                ..Limits::default()
            },
            Limit::Memory,
        ),
        (
            Limits {
                time: Some(Duration::from_millis(5)),
                ..Limits::default()
            },
            Limit::Time,
        ),
        (
            Limits {
                interrupt: Some(&interrupt),
                ..Limits::default()
            },
            Limit::Interrupt,
        ),
    ] {
        for order in [Order::DepthFirst, Order::BreadthFirst] {
            let search = Search::full(&model).order(order).limits(limits);
            let outcome = search.run().unwrap();
            assert_eq!(
                outcome.verdict,
                Verdict::Inconclusive(Doubt::Limit(limit)),
                "{search:?}"
            );
            assert!(!outcome.is_complete() && outcome.coverage.is_none());
        }
    }
    let small = Search::full(&model).store(Storage::Cache(10)).run().unwrap();
    assert_eq!(small.verdict, Verdict::Inconclusive(Doubt::Limit(Limit::Cache)));
    assert_eq!(small.statistics.stored, 10);
}

#[test]
fn a_depth_limit_that_is_not_met_changes_nothing() {
    let model = lost_update(true).build().unwrap();
    let free = Search::new(&model).run().unwrap();
    let limits = Limits {
        depth: Some(free.statistics.depth),
        ..Limits::default()
    };
    let bounded = Search::new(&model).limits(limits).run().unwrap();
    assert!(bounded.is_complete());
    assert_eq!(bounded.statistics.states, free.statistics.states);
    let limits = Limits {
        depth: Some(free.statistics.depth - 1),
        ..Limits::default()
    };
    assert!(!Search::new(&model).limits(limits).run().unwrap().is_complete());
}

#[test]
fn combinations_without_a_theory_are_refused() {
    let model = endless();
    let search = Search::new(&model);
    for (search, refused) in [
        (search.clone().sleep(true), Unsupported::ComponentWithSleep),
        (
            search.clone().order(Order::BreadthFirst),
            Unsupported::ProvisoWithoutDepthFirst,
        ),
        (
            search.clone().proviso(ProvisoKind::Stack).order(Order::BreadthFirst),
            Unsupported::ProvisoWithoutDepthFirst,
        ),
        (
            Search::full(&model).order(Order::BreadthFirst).store(Storage::Cache(9)),
            Unsupported::CacheWithoutDepthFirst,
        ),
        (Search::full(&model).store(Storage::Cache(0)), Unsupported::EmptyCache),
    ] {
        assert_eq!(search.run().unwrap_err(), SearchError::Unsupported(refused));
    }
}

#[test]
fn more_than_64_enabled_transitions() {
    let mut m = Builder::new("wide");
    let x = m.boolean("x");
    for k in 0..70 {
        let [from, to] = m.process(format!("P{k}"), ["from", "to"]);
        let t = m.transition(format!("t{k}"), from, to);
        if k >= 66 {
            t.then(x.write(k % 2));
        }
    }
    let model = m.build().unwrap();
    for search in [
        Search::deadlocks(&model),
        Search::new(&model),
        Search::new(&model).sleep(true).proviso(ProvisoKind::Stack),
    ] {
        let outcome = search.run().unwrap();
        assert_eq!(outcome.deadlocks.len(), 2, "x is 0 or 1");
        assert_eq!(outcome.found.coverage.unwrap_or_default(), Coverage::default());
    }
}

#[test]
fn sleep_sets_of_more_than_63_transitions() {
    let mut m = Builder::new("wide and independent");
    for k in 0..70 {
        let [from, to] = m.process(format!("P{k}"), ["from", "to"]);
        m.transition(format!("t{k}"), from, to);
    }
    let model = m.build().unwrap();
    let limits = Limits {
        states: Some(5000),
        ..Limits::default()
    };
    for order in [Order::DepthFirst, Order::BreadthFirst] {
        let outcome = Search::full(&model)
            .sleep(true)
            .order(order)
            .limits(limits)
            .run()
            .unwrap();
        assert_eq!(outcome.statistics.matched, 0, "no state is reached twice");
    }
}

/// A transition that two automata forbid violates both.
#[test]
fn one_transition_violates_two_automata() {
    let mut m = Builder::new("never x");
    let [a] = m.process("A", ["a"]);
    m.transition("x", a, a);
    for name in ["first", "second"] {
        m.safety_automaton(SafetyAutomaton::new(name, ["q"]).letter("x"));
    }
    let model = m.build().unwrap();
    for search in searches(&model) {
        assert_eq!(search.run().unwrap().violations.len(), 2, "{search:?}");
    }
}

#[test]
fn copies_of_a_transition_share_its_assertions() {
    let mut m = Builder::new("one assertion");
    let [a] = m.process("A", ["a"]);
    let x = m.boolean("x");
    m.transition("t", a, a).then(assert(x.is(1), "x is 1"));
    m.safety_automaton(
        SafetyAutomaton::new("automaton", ["q", "r"])
            .edge("q", "t", "r")
            .edge("r", "t", "q"),
    );
    let model = m.build().unwrap();
    assert_eq!(model.properties().len(), 2);
    assert_eq!(Search::new(&model).run().unwrap().violations.len(), 1);
}

/// The search looks for deadlocks only and may miss a fault, so it must not answer `Holds`.
#[test]
fn a_search_that_may_miss_a_fault_says_so() {
    let mut m = Builder::new("a fault beside a loop");
    let [a] = m.process("A", ["a"]);
    let [b, c] = m.process("B", ["b", "c"]);
    let x = m.boolean("x");
    m.transition("loop", a, a);
    m.transition("bad", b, c).then(x.write(x.read() + 2));
    let model = m.build().unwrap();
    let doubt = Verdict::Inconclusive(Doubt::NoProviso);
    assert_eq!(Search::deadlocks(&model).run().unwrap().verdict, doubt);
    for search in searches(&model) {
        assert_eq!(
            search.run().unwrap().violations[0].kind,
            ViolationKind::Fault,
            "{search:?}"
        );
    }
}

#[test]
fn an_invariant_without_a_value_does_not_hold() {
    let mut m = Builder::new("division");
    let [a] = m.process("A", ["a"]);
    let x = m.boolean("x");
    m.transition("t", a, a).then(x.complement());
    m.invariant("quotient", (x.read() / x).is(1));
    m.invariant("guarded", x.is(0) | (x.read() / x).is(1));
    let model = m.build().unwrap();
    for search in searches(&model) {
        let outcome = search.run().unwrap();
        let messages: Vec<_> = outcome.violations.iter().map(|v| &v.message[..]).collect();
        assert_eq!(messages, ["invariant `quotient` is violated"], "{search:?}");
    }
}
