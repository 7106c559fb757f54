//! The native engine against the interpreter of the compiled form, state by state.
//!
//! Both are asked for the steps of each state and for what each step does (`compare_engines`): on random models of every
//! shape, on the models of the corpus, the benchmarks and the examples. A kind of operation that no model contains would not be
//! compared, so the models in which things go wrong must contain them all.

use super::loaded;
use mazurka_promela::load;
use mazurka_promela::verify::{NATIVE_SHAPES, compare_engines};
use mazurka_seeds::seeds;
use mazurka_testkit::promela::{Shape, random_program, random_races};
use std::collections::BTreeSet;
use std::sync::Mutex;

/// Compares up to this many states of each model.
const STATES: usize = 1_000;

/// Compares the engines on random models. Returns the kinds of operations that none of these contains.
fn random(cases: u64, lossy: bool, text_of: impl Fn(u64) -> String + Sync) -> Vec<&'static str> {
    let shapes = Mutex::new((BTreeSet::new(), 0, 0));
    seeds(cases, |seed| {
        let text = text_of(seed);
        let model = loaded(seed, &text, lossy);
        let compared = compare_engines(&model, STATES).unwrap_or_else(|d| panic!("seed {seed}: {d}\n{text}"));
        let mut shapes = shapes.lock().unwrap();
        shapes.0.extend(compared.shapes);
        shapes.1 += compared.steps;
        shapes.2 += compared.failures;
    });
    let (shapes, steps, failures) = shapes.into_inner().unwrap();
    let missing: Vec<_> = NATIVE_SHAPES
        .iter()
        .copied()
        .filter(|shape| !shapes.contains(shape))
        .collect();
    println!("{steps} steps, {failures} failures, all kinds of operations but {missing:?}");
    missing
}

#[test]
fn engines_agree_on_random_models() {
    random(400, false, |seed| random_program(seed, &Shape::safety()).to_string());
}

#[test]
fn engines_agree_where_messages_are_lost() {
    random(100, true, |seed| random_program(seed, &Shape::safety()).to_string());
}

#[test]
fn engines_agree_where_things_go_wrong() {
    let missing = random(400, false, |seed| random_program(seed, &Shape::faulty()).to_string());
    if !mazurka_seeds::are_chosen() {
        assert!(missing.is_empty(), "no model has {missing:?}");
    }
}

#[test]
fn engines_agree_about_trace_assertions() {
    random(100, false, |seed| random_program(seed, &Shape::trace()).to_string());
}

#[test]
fn engines_agree_who_was_first() {
    random(200, false, random_races);
}

#[test]
fn engines_agree_on_the_corpus() {
    let mut checked = 0;
    for folder in [
        "corpus/promela",
        "benches/models",
        "examples",
        "crates/experiments/models",
    ] {
        let folder = format!("{}/../../{folder}", env!("CARGO_MANIFEST_DIR"));
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_none_or(|e| e != "pml") {
                continue;
            }
            let text = std::fs::read_to_string(&path).unwrap();
            let name = path.display().to_string();
            let model = load(&name, text, &mazurka_promela::Options::default());
            let model = model.unwrap_or_else(|errors| panic!("{name}: {errors}")).model;
            compare_engines(&model, STATES).unwrap_or_else(|d| panic!("{name}: {d}"));
            checked += 1;
        }
    }
    assert!(checked > 120, "{checked} models");
}
