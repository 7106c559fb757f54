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
    let needs_long_loops = |shape: &&str| shape.starts_with("block");
    let missing: Vec<_> = missing.into_iter().filter(|shape| !needs_long_loops(shape)).collect();
    assert!(
        mazurka_seeds::are_chosen() || missing.is_empty(),
        "no model has {missing:?}"
    );
}

#[test]
fn engines_agree_about_trace_assertions() {
    random(100, false, |seed| random_program(seed, &Shape::trace()).to_string());
}

#[test]
fn engines_agree_who_was_first() {
    random(200, false, random_races);
}

/// Models for what is rare elsewhere.
const SMALL: [&str; 8] = [
    // Loops that are unrolled, with bytes and with wider numbers, and one that depends on more than its counter.
    "byte a[4], n = 3; active [2] proctype P() { byte k; int i; short s = -2;
        do
        :: a[0] < 3 -> d_step { k = 0; do :: k < 4 -> if :: a[k] == 3 -> a[k] = 0 :: else -> a[k]++ fi; k++ :: else -> break od }
        :: d_step { i = -3; do :: i < 3 -> s = s - i; i = i + 1 :: else -> break od; i = 0; s = ~s % 5 }
        :: d_step { k = 0; do :: k < n -> a[k] = -k; k++ :: else -> break od }
        :: n < 5 -> n++
        od }",
    // Too long to be unrolled.
    "byte a[4], total; active proctype P() { byte k;
        d_step { k = 0; do :: k < 200 -> a[k % 4] = a[k % 4] + k; k++ :: else -> break od };
        d_step { k = 0; do :: k < 200 -> if :: a[0] > k -> total++ :: else fi; k++ :: else -> break od } }",
    // What is known is forgotten when it is assigned: by its name, as an element, by a message.
    "chan c = [2] of { byte, byte }; byte a[3], i; active proctype P() { byte k, x;
        c!1, 2; c!3, 4;
        do
        :: d_step { k = 1; c?k, x; a[k % 3] = x; c!x, k }
        :: d_step { a[0] = 7; a[1] = 1; i = a[1]; a[i] = 5; x = a[1]; a[x % 3] = 2; x = a[2] }
        :: d_step { x = 2; k = x; x = a[0]; i = k; i = i + 1; if :: x > 3 -> a[2] = k :: else -> a[2] = x fi; i = i % 3 }
        od }",
    // A `d_step` that gets stuck or fails after it has changed something.
    "byte a[3], x; active [2] proctype P() { byte k;
        do
        :: d_step { x < 9; x++; k = k + 1; a[k] = x }
        :: d_step { x++; k = 0; x < 5; k = 2 }
        :: d_step { x = 0; k = 0; assert(a[1] < 4) }
        od }",
    // Channels that are arguments, and one that is not known.
    "chan q[2] = [2] of { byte }; chan any; byte got;
        proctype P(chan in, out; byte me) { byte v; do :: in?v; out!v + me :: in?<v> :: in?[3] -> any!v :: any = in :: any = out od }
        init { atomic { q[0]!1; run P(q[0], q[1], 1); run P(q[1], q[0], 2) } }",
    // Handed over, alone and in `d_step`, and to several.
    "chan r = [0] of { byte, bit }; byte x, y; active [2] proctype S() { byte k; do :: r!k, 1 :: r!2, k :: k = (k + 1) % 3 od }
        active [2] proctype R() { byte v; do :: r?v, 0 :: r?eval(x), _ :: d_step { r?v, _; x = v; y = y + x } :: r?[v, 1] od }",
    // More arguments than a process has translations for.
    "byte sum; proctype P(byte n; byte m) { sum = sum + n * m; n > m -> sum-- }
        init { byte k; do :: k < 12 -> k++ :: run P(k, 3); _nr_pr == 1 || _nr_pr == 2 && k == 2 od }",
    // Wide numbers that wrap, and processes that end and start again in another place.
    "int i = 2147483647; short s = 32767; unsigned u : 5 = 31; bit b;
        proctype A(byte n) { byte w[5]; w[n] = n; i = i + w[n] } proctype B(short n) { s = s + n; u = u + n; b = b + n }
        init { do :: _nr_pr < 4 -> if :: run A(_nr_pr) :: run B(_nr_pr) fi :: _nr_pr == 4 -> _nr_pr == 1 od }",
];

#[test]
fn engines_agree_on_the_corpus() {
    let mut shapes = BTreeSet::new();
    for (k, text) in SMALL.into_iter().enumerate() {
        let model = loaded(k as u64, text, false);
        let compared = compare_engines(&model, STATES).unwrap_or_else(|d| panic!("{d}\n{text}"));
        shapes.extend(compared.shapes);
    }
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
            let compared = compare_engines(&model, STATES).unwrap_or_else(|d| panic!("{name}: {d}"));
            shapes.extend(compared.shapes);
            checked += 1;
        }
    }
    assert!(checked > 120, "{checked} models");
    let missing: Vec<_> = NATIVE_SHAPES.iter().filter(|shape| !shapes.contains(*shape)).collect();
    assert!(missing.is_empty(), "no model has {missing:?}");
}
