//! Small models that a careless reduction gets wrong.

use super::ALGORITHMS;
use mazurka_core::{Algorithm, Builder, Local, VariableType, Verdict};
use mazurka_ltl::{LtlSearch, Unreduced, label, parse};

/// A label holds for one position only, so that one at once after the other is something that a reduction would hide.
#[test]
fn a_label_lasts_for_one_position() {
    let mut m = Builder::new("at once");
    let [p0, p1, p2] = m.process("P", ["p0", "p1", "p2"]);
    let [q0, q1] = m.process("Q", ["q0", "q1"]);
    m.transition("a", p0, p1);
    m.transition("b", p1, p2);
    m.transition("t", q0, q1);
    let model = m.build().unwrap();
    let check = |text| {
        let search = LtlSearch::new(&model, parse(text).unwrap());
        search.atom("a", label("a")).atom("b", label("b")).run().unwrap()
    };
    // `t` comes between in some executions.
    let outcome = check("[] (a -> (a U b))");
    assert_eq!(outcome.verdict, Verdict::Violated);
    assert_eq!(outcome.unreduced, Some(Unreduced::CountsSteps));
    assert_eq!(outcome.counterexample.as_ref().map(|found| found.prefix.len()), Some(3));
    let outcome = check("[] (a -> <> b) && (!b W a)");
    assert_eq!((outcome.verdict, outcome.unreduced), (Verdict::Holds, None));
}

/// With and without reduction: is W always served if these processes are fair?
fn is_served(m: Builder, served: Local, fair: &[&str]) -> bool {
    let model = m.build().unwrap();
    let check = |algorithm| {
        let formula = parse("<> served").unwrap();
        let search = LtlSearch::new(&model, formula).persistent(algorithm);
        let outcome = search.atom("served", served).fair(fair.iter().copied()).run().unwrap();
        assert_eq!(outcome.unreduced.is_some(), algorithm == Algorithm::AllEnabled);
        outcome.verdict
    };
    let full = check(Algorithm::AllEnabled);
    for algorithm in ALGORITHMS {
        assert_eq!(check(algorithm), full, "{algorithm:?}");
    }
    full == Verdict::Holds
}

/// W waits for one of two booleans, which two others switch. If both are off now and then, nobody has to serve W. A
/// reduction that takes the switches to be independent may leave one of them on in all orders.
#[test]
fn who_waits_for_one_of_two_need_not_be_served() {
    let mut m = Builder::new("switches");
    let [w0, w1] = m.process("W", ["w0", "w1"]);
    let switches = ["x", "y"].map(|name| m.variable(name, VariableType::boolean().initially(1)));
    for (name, switch) in ["A", "B"].into_iter().zip(switches) {
        let [point] = m.process(name, ["point"]);
        m.transition(format!("{name} switches"), point, point)
            .then(switch.complement());
        m.transition(format!("{name} serves"), w0, w1).when(switch.is(1));
    }
    assert!(!is_served(m, w1, &["W", "A", "B"]));
}

/// The same where W waits for one of two processes.
#[test]
fn who_waits_for_a_partner_need_not_be_served() {
    let mut m = Builder::new("partners");
    let [w0, w1] = m.process("W", ["w0", "w1"]);
    for name in ["A", "B"] {
        let [on, off] = m.process(name, ["on", "off"]);
        m.transition(format!("{name} off"), on, off);
        m.transition(format!("{name} on"), off, on);
        m.transition(format!("{name} serves"), [w0, on], [w1, on]);
    }
    assert!(!is_served(m, w1, &["W", "A", "B"]));
}

/// W waits for U, which is not fair and need not do anything. A reduction that lets U go first would find W served.
#[test]
fn an_unfair_process_need_not_help() {
    let model = || {
        let mut m = Builder::new("help");
        let [u0, u1] = m.process("U", ["u0", "u1"]);
        let [w0, w1] = m.process("W", ["w0", "w1"]);
        let [l] = m.process("L", ["l"]);
        let x = m.boolean("x");
        m.transition("help", u0, u1).then(x.write(1));
        m.transition("serve", w0, w1).when(x.is(1));
        m.transition("loop", l, l);
        (m, w1)
    };
    let (m, served) = model();
    assert!(!is_served(m, served, &["W"]));
    let (m, served) = model();
    assert!(is_served(m, served, &["W", "U"]));
}

/// The monitor of an invariant takes part in no execution that a formula is about.
#[test]
fn monitors_do_not_move() {
    let mut m = Builder::new("clock");
    let [tick, tock] = m.process("Clock", ["tick", "tock"]);
    m.transition("t", tick, tock);
    m.transition("u", tock, tick);
    m.invariant("it ticks", tick);
    let model = m.build().unwrap();
    for text in ["[] (tock -> X !tock)", "[] <> tick"] {
        let search = LtlSearch::new(&model, parse(text).unwrap());
        let outcome = search.atom("tick", tick).atom("tock", tock).run().unwrap();
        assert_eq!(outcome.verdict, Verdict::Holds, "{text}");
    }
}
