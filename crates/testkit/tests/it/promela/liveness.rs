//! Formulas and claims, checked with and without reduction.

use super::{Plain, explored, loaded};
use mazurka_core::Storage;
use mazurka_promela::load;
use mazurka_promela::verify::{Options, Property, Reduction, Verdict, check};
use mazurka_seeds::seeds;
use mazurka_testkit::promela::{
    Shape, random_loops, random_loops_with_claim, random_program, random_races_with_formulas,
};
use std::sync::atomic::{AtomicU64, Ordering};

/// A formula holds with the reduction iff it holds without. Each counterexample was checked
/// against the definition of the formula by the plain interpreter, or there would be an error.
#[test]
fn formulas_hold_with_reduction_iff_they_hold_without() {
    formulas_agree(20, false, whole_language);
    formulas_agree(80, false, random_loops);
    formulas_agree(80, false, random_races_with_formulas);
}

/// The same for fair executions only.
#[test]
fn formulas_hold_of_fair_executions_with_reduction_iff_they_hold_without() {
    formulas_agree(20, true, whole_language);
    formulas_agree(80, true, random_loops);
    formulas_agree(80, true, random_races_with_formulas);
}

/// A claim to which repeated states do not matter is checked on a reduced graph, with the same result.
#[test]
fn claims_hold_with_reduction_iff_they_hold_without() {
    let [reduced, violated, fewer] = [(); 3].map(|()| AtomicU64::new(0));
    let any_claim = |seed: u64| random_program(seed, &Shape::never()).to_string();
    for (cases, text_of) in [
        (15, &any_claim as &(dyn Fn(u64) -> String + Sync)),
        (120, &random_loops_with_claim),
    ] {
        seeds(cases, |seed| {
            let text = text_of(seed);
            let model = loaded(seed, &text, false);
            if model.never.is_none() || explored(&model).is_none() {
                return;
            }
            for fair in [false, true] {
                let result = |reduction, merge| {
                    let options = Options {
                        reduction,
                        fair,
                        merge,
                        ..Options::default()
                    };
                    check(&model, &Property::Never, &options)
                        .unwrap_or_else(|error| panic!("seed {seed}: {error}\n{text}"))
                };
                let (full, none) = (result(Reduction::Full, true), result(Reduction::None, false));
                let merged = result(Reduction::None, true);
                assert_eq!(full.verdict, none.verdict, "seed {seed}, fair: {fair}\n{text}");
                assert_eq!(
                    merged.verdict, none.verdict,
                    "seed {seed}, merged, fair: {fair}\n{text}"
                );
                let count = |counter: &AtomicU64, is: bool| counter.fetch_add(u64::from(is), Ordering::Relaxed);
                let is_reduced = full.reduction.persistent.is_some();
                count(&reduced, is_reduced);
                count(&violated, is_reduced && none.verdict == Verdict::Violated);
                count(&fewer, is_reduced && full.statistics.states < none.statistics.states);
            }
        });
    }
    let [reduced, violated, fewer] = [reduced, violated, fewer].map(AtomicU64::into_inner);
    println!("{reduced} reduced, {violated} of them violated, {fewer} with fewer states");
    assert!(mazurka_seeds::are_chosen() || (reduced > violated && violated > 0 && fewer > 0));
}

/// Whether `I` is disabled infinitely often depends on the order of independent steps: whether the channel is ever
/// empty, and whether one of `x` and `y` is always true.
#[test]
fn a_waiting_process_is_disabled_in_some_orders_only() {
    for text in [
        "chan c = [2] of { bit };
         active proctype S() { do :: c!1 od }
         active proctype R() { do :: c?_ od }
         active proctype I() { c?_; done: skip }
         ltl { <> I@done }",
        "bit x = 1, y;
         active proctype A() { do :: x = 0; x = 1 od }
         active proctype B() { do :: y = 1; y = 0 od }
         active proctype I() { x || y; done: skip }
         ltl { <> I@done }",
        "chan c = [0] of { bit }; bit x;
         active proctype A() { do :: c!0; c!0 od }
         active [2] proctype B() { do :: c?0; x = 1 - x od }
         active proctype I() { c!1; done: skip }
         ltl { [] !I@done }",
    ] {
        let model = load("m.pml", text, &mazurka_promela::Options::default())
            .expect("a model")
            .model;
        let property = Property::Ltl(model.ltl[0].clone());
        let verdict = |reduction| {
            let options = Options {
                reduction,
                fair: true,
                ..Options::default()
            };
            check(&model, &property, &options).expect("an answer").verdict
        };
        assert_eq!(verdict(Reduction::Full), verdict(Reduction::None), "{text}");
    }
}

fn whole_language(seed: u64) -> String {
    random_program(seed, &Shape::ltl()).to_string()
}

fn formulas_agree(cases: u64, fair: bool, text_of: fn(u64) -> String) {
    let counts = [AtomicU64::new(0), AtomicU64::new(0)];
    seeds(cases, |seed| {
        let text = text_of(seed);
        let model = loaded(seed, &text, false);
        let Some(explored) = explored(&model) else { return };
        let fails = explored.violations.iter().any(|v| matches!(v.kind, Plain::Error(_)));
        let mut properties: Vec<Property> = model.ltl.iter().cloned().map(Property::Ltl).collect();
        properties.extend([Property::Progress, Property::Acceptance]);
        for property in &properties {
            let verdict = |reduction: Reduction, storage: Storage, merge: bool| {
                let options = Options {
                    reduction,
                    storage,
                    fair,
                    merge,
                    ..Options::default()
                };
                let result = check(&model, property, &options);
                let result = result.unwrap_or_else(|error| panic!("seed {seed}, {property:?}: {error}\n{text}"));
                result.verdict
            };
            let expected = verdict(Reduction::None, Storage::Exact, false);
            for (reduction, storage) in [
                (Reduction::None, Storage::Exact),
                (Reduction::Full, Storage::Exact),
                (Reduction::Persistent, Storage::Collapse),
            ] {
                let verdict = verdict(reduction, storage, true);
                // If a step fails, the part that a search explores depends on the order.
                if !(fails && [verdict, expected].iter().any(|v| !v.is_conclusive())) {
                    assert_eq!(verdict, expected, "seed {seed}, {property:?}\n{text}");
                }
            }
            let violated = usize::from(expected == Verdict::Violated);
            counts[violated].fetch_add(1, Ordering::Relaxed);
        }
    });
    let [hold, violated] = counts.map(AtomicU64::into_inner);
    println!("{hold} hold, {violated} are violated");
    assert!(mazurka_seeds::are_chosen() || (hold > 0 && violated > 0));
}
