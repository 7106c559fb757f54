//! Cycles of counterexamples are short, and variables that nothing reads return to their old values too.

use mazurka_promela::verify::{self, Property, Verdict};
use mazurka_promela::{Options, load};

/// A counterexample to `<> done`: the values that steps assign to a variable, in the prefix and in the cycle.
fn assigned(clock: &str, variable: &str) -> (Vec<String>, Vec<String>) {
    let text = format!("{clock}\nbool done;\nactive proctype Worker() {{ done = true }}\nltl work {{ <> done }}\n");
    let model = load("clock.pml", &text, &Options::default()).unwrap().model;
    let property = Property::Ltl(model.ltl[0].clone());
    let result = verify::check(&model, &property, &verify::Options::default()).unwrap();
    assert_eq!(result.verdict, Verdict::Violated, "{text}");
    let violation = &result.violations[0];
    let values = |steps: &[verify::ShownStep]| {
        let changes = steps.iter().flat_map(|step| &step.changes);
        let changes = changes.filter(|(name, _)| name == variable);
        changes.map(|(_, value)| value.clone()).collect()
    };
    let (prefix, cycle) = violation.steps.split_at(violation.cycle_start.unwrap().index());
    assert!(!cycle.is_empty());
    (values(prefix), values(cycle))
}

#[test]
fn a_variable_that_nothing_reads_has_its_old_value_again() {
    let clock = "bool tick; active proctype Clock() { do :: tick = !tick od }";
    let (prefix, cycle) = assigned(clock, "tick");
    assert!(prefix.is_empty() && cycle == ["true", "false"], "{prefix:?} {cycle:?}");
}

#[test]
fn a_value_that_is_assigned_for_ever_is_assigned_before_the_cycle() {
    let clock = "byte last; active proctype Clock() { byte k; do :: k < 3 -> k++ :: k == 3 -> k = 0; last = 7 od }";
    let (prefix, cycle) = assigned(clock, "last");
    assert!(prefix == ["7"] && cycle.is_empty(), "{prefix:?} {cycle:?}");
}

#[test]
fn a_loop_is_gone_through_once() {
    let clock = "byte tick; active proctype Clock() {
        do :: tick == 0 -> tick = 1 :: tick == 1 -> tick = 2 :: tick == 2 -> tick = 0 od }";
    let (prefix, cycle) = assigned(clock, "tick");
    assert!(prefix.is_empty() && cycle == ["1", "2", "0"], "{prefix:?} {cycle:?}");
}

/// A chain of steps ends when it returns to its beginning, so a small loop is not counted as a hundred steps.
#[test]
fn few_states_have_few_transitions() {
    let text =
        "bool tick, done; active proctype Clock() { do :: tick = !tick od } active proctype Worker() { done = true }";
    let model = load("clock.pml", text, &Options::default()).unwrap().model;
    let result = verify::check(&model, &Property::Safety, &verify::Options::default()).unwrap();
    assert_eq!((result.verdict, result.statistics.states), (Verdict::Holds, 3));
    assert!(result.statistics.transitions < 20, "{:?}", result.statistics);
}
