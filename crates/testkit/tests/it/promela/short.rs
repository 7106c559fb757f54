//! The lengths of counterexamples: `--shortest` finds as short ones as a naive search, and those that are shown otherwise are
//! executions of the plain interpreter.

use super::{Plain, loaded, model_of};
use mazurka_promela::Model;
use mazurka_promela::plain::{Explored, Interpreter, State};
use mazurka_promela::verify::{
    Options, PersistentAlgorithm, Property, Reduction, Verdict, Violation, ViolationKind, check,
};
use mazurka_seeds::seeds;
use mazurka_testkit::promela::{Shape, random_loops, random_program, random_races};
use std::sync::atomic::{AtomicU64, Ordering};

#[test]
fn the_shortest_is_that_of_a_naive_search() {
    lengths_agree(25, |seed| random_program(seed, &Shape::safety()).to_string(), false);
    lengths_agree(25, |seed| random_program(seed, &Shape::faulty()).to_string(), true);
    lengths_agree(25, |seed| random_program(seed, &Shape::trace()).to_string(), false);
    lengths_agree(80, random_races, false);
    lengths_agree(40, random_loops, false);
}

/// Nine philosophers. Each fork lies in a channel, and each philosopher counts those who eat.
const PHILOSOPHERS: &str = "
    #define N 9
    chan fork[N] = [1] of { bit };
    byte eating;
    active [N] proctype Philosopher() {
      fork[_pid]!1;
      do
      :: skip;
         fork[_pid]?1; fork[(_pid + 1) % N]?1;
         eating++; assert(eating <= N); eating--;
         fork[_pid]!1; fork[(_pid + 1) % N]!1
      od
    }";

/// Each lays down a fork, thinks, and takes the fork back. No other way is shorter. Without reduction, the shortest is one
/// of more than five million states.
#[test]
fn nine_philosophers_need_three_steps_each() {
    let model = loaded(0, PHILOSOPHERS, false);
    for (property, shortest) in [
        (Property::Safety, false),
        (Property::Deadlock, true),
        (Property::Safety, true),
    ] {
        let options = Options {
            shortest,
            ..Options::default()
        };
        let result = check(&model, &property, &options).expect("an answer");
        assert_eq!(
            result.violations[0].steps.len(),
            27,
            "{property:?}, shortest: {shortest}"
        );
        assert!(result.statistics.states < 20_000, "{:?}", result.statistics);
        confirm(&model, &result.violations[0]).expect("it is an execution");
    }
}

/// A statement fails after two steps, and nothing can move after two others. The search sees the failure when it explores the
/// state before it, perhaps before it visits the end state.
#[test]
fn an_end_state_may_be_nearer_than_a_failure_that_is_found_before() {
    for body in [
        ":: x = 1; x = 2; assert(false) :: x = 3; x = 4; x == 9",
        ":: x = 3; x = 4; x == 9 :: x = 1; x = 2; assert(false)",
    ] {
        let text = format!("byte x; active proctype P() {{ if {body} fi }}");
        let model = loaded(0, &text, false);
        for reduction in [Reduction::None, Reduction::Full] {
            let options = Options {
                reduction,
                shortest: true,
                ..Options::default()
            };
            let result = check(&model, &Property::Safety, &options).expect("an answer");
            assert_eq!(result.violations[0].steps.len(), 2);
        }
    }
}

/// The number of steps of a shortest counterexample to safety.
fn shortest(text: &str) -> usize {
    let options = Options {
        shortest: true,
        ..Options::default()
    };
    let result = check(&loaded(0, text, false), &Property::Safety, &options).expect("an answer");
    result.violations[0].steps.len()
}

/// An `atomic` is one transition of the other searches, but its statements are steps for a reader.
#[test]
fn the_statements_of_an_atomic_count() {
    let text = "byte x;
        active proctype P() {
          if
          :: atomic { x = 1; x = 2; x = 3; x = 4; x = 5; false }
          :: x = 6; x = 7; x = 8; false
          fi
        }";
    assert_eq!(shortest(text), 3);
}

/// A persistent set is the first step of a process that has nothing to do with the failure.
#[test]
fn nothing_is_put_in_front_of_a_failure() {
    let text = "byte x, y;
        active proctype P() { do :: y < 90 -> y++ :: else -> break od }
        active proctype Q() { x = 1; x = 2; x = 3; assert(x != 3) }";
    assert_eq!(shortest(text), 4);
}

/// What another process does is left out if the failing statement does not depend on it, and so are rounds.
#[test]
fn a_failure_needs_its_causes_only() {
    let model = loaded(
        0,
        "byte x, y, z;
         active proctype P() { do :: y < 200 -> y++ :: y > 50 -> y = 0 od }
         active proctype Q() { x++; x++; x++; x++; x++; x++; x++; z = x }
         active proctype R() { do :: z == 7 -> break :: z < 7 -> skip od; assert(x != 7) }",
        false,
    );
    let result = check(&model, &Property::Assertions, &Options::default()).expect("an answer");
    let violation = &result.violations[0];
    confirm(&model, violation).expect("it is an execution");
    assert!(violation.steps.iter().all(|step| step.process != "P"), "{violation:?}");
    assert_eq!(violation.steps.len(), 10, "{violation:?}");
}

/// A process that is stuck does not care what others do to objects that it does not wait for.
#[test]
fn what_nobody_who_is_stuck_waits_for_does_not_matter() {
    for (waits, expected) in [
        ("false", "y = 1 -, y = 2 -, x = 2 -, y = 3 -, -end- -"),
        ("x == 1", "y = 1 +, y = 2 +, x = 2 +, y = 3 -, -end- -"),
        ("y == 9", "y = 1 +, y = 2 +, x = 2 +, y = 3 +, -end- -"),
    ] {
        let text = format!(
            "byte x, y;
             active proctype P() {{ {waits} }}
             active proctype Z() {{ y = 1; y = 2; x = 2; y = 3 }}"
        );
        let model = loaded(0, &text, false);
        let result = check(&model, &Property::Deadlock, &Options::default()).expect("an answer");
        let steps = result.violations[0].steps.iter();
        let words = steps.map(|step| format!("{} {}", step.statement, if step.matters { "+" } else { "-" }));
        assert_eq!(words.collect::<Vec<_>>().join(", "), expected, "{waits}");
    }
}

/// The way to a cycle contains only what the cycle or the formula needs.
#[test]
fn the_way_to_a_cycle_is_short() {
    for (formula, expected) in [("<> [] (x == 0)", "P"), ("! (<> (y == 2) && [] <> (x == 1))", "P, Z")] {
        let text = format!(
            "byte x, y, z;
             active proctype P() {{ do :: x = 1 - x od }}
             active proctype Z() {{ y = 1; y = 2; z = 1; z = 2; z = 3 }}
             ltl {{ {formula} }}"
        );
        let model = loaded(0, &text, false);
        for reduction in [Reduction::None, Reduction::Full] {
            let options = Options {
                reduction,
                ..Options::default()
            };
            let property = Property::Ltl(model.ltl[0].clone());
            let result = check(&model, &property, &options).expect("an answer");
            let steps = &result.violations[0].steps;
            let mut processes: Vec<&str> = steps.iter().map(|step| &*step.process).collect();
            processes.sort_unstable();
            processes.dedup();
            assert_eq!(processes.join(", "), expected, "{formula}");
            assert!(steps.iter().all(|step| !step.statement.contains('z')), "{steps:?}");
        }
    }
}

fn lengths_agree(cases: u64, text_of: impl Fn(u64) -> String + Sync, lossy: bool) {
    let counts = [AtomicU64::new(0), AtomicU64::new(0)];
    seeds(cases, |seed| {
        let Some((text, model, explored)) = model_of(seed, text_of(seed), lossy) else {
            return;
        };
        for (property, errors, deadlocks) in [
            (Property::Assertions, true, false),
            (Property::Deadlock, false, true),
            (Property::Safety, true, true),
        ] {
            let expected = nearest(&explored, errors, deadlocks);
            for (reduction, persistent) in [
                (Reduction::None, PersistentAlgorithm::Conditional),
                (Reduction::Full, PersistentAlgorithm::Conditional),
                (Reduction::Persistent, PersistentAlgorithm::Stubborn),
                (Reduction::Full, PersistentAlgorithm::Overman),
            ] {
                for (shortest, all) in [(false, false), (true, false), (false, true), (true, true)] {
                    let options = Options {
                        reduction,
                        persistent,
                        shortest,
                        all,
                        ..Options::default()
                    };
                    let about = format!("seed {seed}, {property:?}, {options:?}\n{text}");
                    let result = check(&model, &property, &options).unwrap_or_else(|error| panic!("{error}: {about}"));
                    let lengths = result.violations.iter().map(|violation| violation.steps.len());
                    match expected {
                        None => assert_eq!(result.verdict, Verdict::Holds, "{about}"),
                        Some(expected) if shortest => assert_eq!(lengths.min(), Some(expected), "{about}"),
                        Some(expected) => assert!(lengths.min().is_some_and(|found| found >= expected), "{about}"),
                    }
                    for violation in &result.violations {
                        confirm(&model, violation).unwrap_or_else(|| panic!("not an execution: {about}"));
                    }
                }
            }
            counts[usize::from(expected.is_some())].fetch_add(1, Ordering::Relaxed);
        }
    });
    let [hold, violated] = counts.map(AtomicU64::into_inner);
    println!("{hold} hold, {violated} are violated");
    assert!(mazurka_seeds::are_chosen() || violated > 0);
}

/// The length of the shortest way to a violation of some kind.
fn nearest(explored: &Explored, errors: bool, deadlocks: bool) -> Option<usize> {
    let is_wanted = |kind: &Plain| match kind {
        Plain::InvalidEnd => deadlocks,
        Plain::Error(_) => errors,
    };
    let violations = explored.violations.iter().filter(|v| is_wanted(&v.kind));
    violations.map(|violation| violation.steps.len()).min()
}

/// Executes a counterexample. If one place stands for several statements, all are followed.
fn confirm(model: &Model, violation: &Violation) -> Option<()> {
    let interpreter = Interpreter::new(model);
    let mut states: Vec<State> = vec![interpreter.initial().ok()?];
    let (last, before) = match violation.kind {
        ViolationKind::Deadlock => (None, &violation.steps[..]),
        _ => violation
            .steps
            .split_last()
            .map(|(last, before)| (Some(last), before))?,
    };
    let fitting = |state: &State, pid, span| {
        let steps = interpreter.steps(state).into_iter();
        steps.filter(move |step| step.process == pid && step.span == span)
    };
    for shown in before {
        let mut next = Vec::new();
        for state in &states {
            for step in fitting(state, shown.pid, shown.span) {
                next.extend(interpreter.execute(state, &step).ok());
            }
        }
        next.dedup();
        states = next;
    }
    let is_end = |state: &State| match last {
        None => interpreter.steps(state).is_empty() && !interpreter.is_valid_end(state),
        Some(last) => fitting(state, last.pid, last.span).any(|step| {
            let failed = interpreter.execute(state, &step).err();
            failed.is_some_and(|failure| Some(failure.span) == violation.location)
        }),
    };
    states.iter().any(is_end).then_some(())
}
