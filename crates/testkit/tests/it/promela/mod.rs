//! The compiled form of Promela models, under every reduction, against the plain interpreter.
//!
//! The plain interpreter explores every state of a random model, step by step, straight from the
//! syntax tree. A search of the compiled form without reduction must reach the same states (where
//! `atomic` does not make several steps one), and every search must find a violation of each
//! kind iff there is one. [`small_models`] are written by hand, [`liveness`] is about formulas and claims, [`short`] about the
//! lengths of counterexamples.

mod engines;
mod liveness;
mod remembered_sets;
mod short;
mod small_models;

use mazurka_core::{End, ProvisoKind, Strategy};
use mazurka_promela::RuntimeError;
use mazurka_promela::plain::{Explored, Interpreter, ViolationKind as Plain, explore};
use mazurka_promela::verify::{
    CheckError, Options, PersistentAlgorithm, Property, Reduction, Verdict, ViolationKind, check, measure,
};
use mazurka_promela::{Model, Span, load};
use mazurka_seeds::seeds;
use mazurka_testkit::promela::{Shape, random_program, random_races};
use std::sync::atomic::{AtomicU64, Ordering};

/// Models with more states than this are skipped.
const LIMIT: usize = 6_000;

fn explored(model: &Model) -> Option<Explored> {
    let explored = explore(&Interpreter::new(model), LIMIT).ok()?;
    explored.complete.then_some(explored)
}

/// The model of a text, and all its states; `None` if there are too many.
fn model_of(seed: u64, text: String, lossy: bool) -> Option<(String, Model, Explored)> {
    let model = loaded(seed, &text, lossy);
    let explored = explored(&model)?;
    Some((text, model, explored))
}

fn loaded(seed: u64, text: &str, lossy: bool) -> Model {
    if mazurka_seeds::are_chosen() {
        println!("{text}");
    }
    let options = mazurka_promela::Options {
        lossy,
        ..mazurka_promela::Options::default()
    };
    load("random.pml", text, &options)
        .unwrap_or_else(|errors| panic!("seed {seed}: {errors}\n{text}"))
        .model
}

/// Every reduction with every algorithm and proviso, from no reduction on.
const REDUCTIONS: [(Reduction, PersistentAlgorithm, Option<ProvisoKind>); 10] = [
    (Reduction::None, PersistentAlgorithm::Conditional, None),
    (Reduction::Sleep, PersistentAlgorithm::Conditional, None),
    (Reduction::Persistent, PersistentAlgorithm::Conditional, None),
    (Reduction::Full, PersistentAlgorithm::Conditional, None),
    (Reduction::Full, PersistentAlgorithm::Stubborn, None),
    (Reduction::Full, PersistentAlgorithm::Overman, None),
    (Reduction::Full, PersistentAlgorithm::Conflicting, None),
    (
        Reduction::Full,
        PersistentAlgorithm::Conditional,
        Some(ProvisoKind::Stack),
    ),
    (
        Reduction::Persistent,
        PersistentAlgorithm::Conditional,
        Some(ProvisoKind::Stack),
    ),
    (Reduction::Full, PersistentAlgorithm::Overman, Some(ProvisoKind::Stack)),
];

/// The options of every search. The first one merges nothing and forgets nothing.
fn searches() -> impl Iterator<Item = Options<'static>> {
    let every_step = Options {
        reduction: Reduction::None,
        merge: false,
        ..Options::default()
    };
    let others = REDUCTIONS.iter().map(|(reduction, persistent, proviso)| Options {
        reduction: *reduction,
        persistent: *persistent,
        proviso: *proviso,
        ..Options::default()
    });
    std::iter::once(every_step).chain(others)
}

fn agrees(seed: u64, text: &str, model: &Model, explored: &Explored) {
    let errors = explored.violations.iter().any(|v| matches!(v.kind, Plain::Error(_)));
    let deadlocks = explored.violations.iter().any(|v| v.kind == Plain::InvalidEnd);
    let mut full = u64::MAX;
    for options in searches() {
        let Options {
            reduction, persistent, ..
        } = options;
        let said = |property: &Property| {
            check(model, property, &options)
                .unwrap_or_else(|error| panic!("seed {seed}, {reduction:?} {persistent:?}: {error}\n{text}"))
        };
        for (property, expected) in [
            (Property::Assertions, errors),
            (Property::Deadlock, deadlocks),
            (Property::Safety, errors || deadlocks),
        ] {
            let result = said(&property);
            let verdict = if expected { Verdict::Violated } else { Verdict::Holds };
            assert_eq!(
                result.verdict, verdict,
                "seed {seed}, {reduction:?} {persistent:?} {property:?}\n{text}"
            );
            for violation in &result.violations {
                let known = explored.violations.iter().any(|v| match &v.kind {
                    Plain::InvalidEnd => violation.kind == ViolationKind::Deadlock,
                    Plain::Error(e) => violation.kind == kind_of(&e.kind) && violation.location == Some(e.span),
                });
                assert!(known, "seed {seed}: {}\n{text}", violation.message);
            }
            if !expected && matches!(property, Property::Safety) {
                assert!(
                    result.statistics.states <= full,
                    "seed {seed}, {options:?}: {} states, and {full} without reduction\n{text}",
                    result.statistics.states
                );
                if reduction == Reduction::None {
                    full = result.statistics.states;
                }
            }
        }
    }
}

/// Searches for all violations agree: each finds every statement that can fail and every combination of places where the
/// processes can get stuck, and reports the same statements as never executed. Returns the number of failing statements
/// that every search finds.
fn findings_agree(seed: u64, text: &str, model: &Model, explored: &Explored) -> usize {
    let mut failing: Vec<Span> = explored
        .violations
        .iter()
        .filter_map(|v| match &v.kind {
            Plain::InvalidEnd => None,
            Plain::Error(error) => Some(error.span),
        })
        .collect();
    failing.sort_by_key(|span| (span.start, span.end));
    failing.dedup();
    let (mut without, mut failures, mut fewest) = (None, None, usize::MAX);
    for options in searches() {
        let options = Options { all: true, ..options };
        for property in [Property::Safety, Property::Deadlock] {
            let result =
                check(model, &property, &options).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{text}"));
            let mut failed: Vec<Span> = result.violations.iter().filter_map(|v| v.location).collect();
            failed.sort_by_key(|span| (span.start, span.end));
            failed.dedup();
            let stuck = result.violations.iter().filter(|v| v.location.is_none());
            let mut stuck: Vec<String> = stuck.map(|v| v.message.clone()).collect();
            stuck.sort();
            let unreached: Vec<Span> = result.unreached.iter().map(|u| u.span).collect();
            let about = format!("seed {seed}, {options:?} {property:?}\n{text}");
            // If a statement can fail in several ways, one is enough.
            if matches!(property, Property::Safety) {
                let statements = result.violations.len() - stuck.len();
                assert_eq!(statements, *failures.get_or_insert(statements), "{about}");
                assert!(failed.iter().all(|span| failing.contains(span)), "{about}");
                assert_eq!(failed.is_empty(), failing.is_empty(), "{about}");
                fewest = fewest.min(failed.len());
            }
            let (expected_stuck, expected_unreached) =
                without.get_or_insert_with(|| (stuck.clone(), unreached.clone()));
            assert_eq!(&stuck, expected_stuck, "{about}");
            // Without a proviso, nothing is reported as never executed.
            match result.reduction.persistent.is_some() && result.reduction.proviso.is_none() {
                true => assert!(unreached.is_empty(), "{about}"),
                false => assert_eq!(&unreached, expected_unreached, "{about}"),
            }
        }
    }
    fewest
}

/// Every reduction finds all states in which nothing can be executed. Each such state shows the order of the steps before
/// it, so a forgotten dependency shows here more often than in a verdict.
fn ends_agree(seed: u64, text: &str, model: &Model, explored: &Explored) {
    let algorithms = [
        None,
        Some(PersistentAlgorithm::Conditional),
        Some(PersistentAlgorithm::Stubborn),
        Some(PersistentAlgorithm::Overman),
        Some(PersistentAlgorithm::Conflicting),
    ];
    for persistent in algorithms {
        for (sleep, proviso) in [
            (false, ProvisoKind::None),
            (true, ProvisoKind::None),
            (false, ProvisoKind::Component),
            (true, ProvisoKind::Stack),
        ] {
            let strategy = Strategy {
                sleep,
                proviso,
                ..Strategy::default()
            };
            let measured = match measure(model, persistent, &strategy) {
                Err(CheckError::NotReducible(_)) => continue,
                result => result.unwrap_or_else(|error| panic!("seed {seed}: {error}\n{text}")),
            };
            assert_eq!(
                (measured.stopped, measured.end),
                (explored.stopped as u64, End::Complete),
                "seed {seed}, {persistent:?}, sleep {sleep}, {proviso:?}\n{text}"
            );
        }
    }
}

/// All of these checks. Returns what [`findings_agree`] does.
fn all_agree(seed: u64, text: &str, model: &Model, explored: &Explored) -> usize {
    agrees(seed, text, model, explored);
    ends_agree(seed, text, model, explored);
    findings_agree(seed, text, model, explored)
}

/// The kind of violation as which an error of the plain interpreter is reported.
fn kind_of(error: &RuntimeError) -> ViolationKind {
    match error {
        RuntimeError::Assertion => ViolationKind::Assertion,
        RuntimeError::TraceMismatch | RuntimeError::TraceMatched => ViolationKind::TraceMismatch,
        _ => ViolationKind::RuntimeError,
    }
}

#[test]
fn every_reduction_agrees_with_the_plain_interpreter() {
    agree(25, &Shape::safety(), false);
}

#[test]
fn every_reduction_agrees_where_messages_are_lost() {
    agree(25, &Shape::safety(), true);
}

#[test]
fn every_reduction_agrees_where_things_go_wrong() {
    agree(25, &Shape::faulty(), false);
}

#[test]
fn every_reduction_agrees_about_trace_assertions() {
    agree(60, &Shape::trace(), false);
}

/// Models that end soon, and whose end shows the order of their steps.
#[test]
fn every_reduction_agrees_who_was_first() {
    agree_on(200, random_races, false);
    agree_on(60, random_races, true);
}

/// Random models of a shape.
fn agree(cases: u64, shape: &Shape, lossy: bool) {
    agree_on(cases, |seed| random_program(seed, shape).to_string(), lossy);
}

fn agree_on(cases: u64, text_of: impl Fn(u64) -> String + Sync, lossy: bool) {
    let checked = AtomicU64::new(0);
    seeds(cases, |seed| {
        if let Some((text, model, explored)) = model_of(seed, text_of(seed), lossy) {
            all_agree(seed, &text, &model, &explored);
            checked.fetch_add(1, Ordering::Relaxed);
        }
    });
    let checked = checked.into_inner();
    println!("{checked} models");
    assert!(checked > 0);
}

#[test]
fn states_are_those_of_the_plain_interpreter() {
    let checked = AtomicU64::new(0);
    seeds(30, |seed| {
        let text = random_program(seed, &Shape::counted()).to_string();
        let Some((text, model, explored)) = model_of(seed, text, false) else {
            return;
        };
        if !explored.violations.is_empty() {
            return;
        }
        let measured = measure(&model, None, &Strategy::default()).unwrap();
        assert_eq!(
            measured.statistics.states, explored.states as u64,
            "seed {seed}\n{text}"
        );
        assert_eq!(
            measured.statistics.transitions, explored.transitions as u64,
            "seed {seed}\n{text}"
        );
        checked.fetch_add(1, Ordering::Relaxed);
    });
    let checked = checked.into_inner();
    println!("{checked} models");
    assert!(checked > 0);
}

/// The models of the corpus.
#[test]
fn every_reduction_agrees_on_the_corpus() {
    let corpus = concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/promela");
    let mut checked = 0;
    for entry in std::fs::read_dir(corpus).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|e| e != "pml") {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        let name = path.display().to_string();
        let model = load(&name, text.clone(), &mazurka_promela::Options::default());
        let model = model.unwrap_or_else(|errors| panic!("{name}: {errors}")).model;
        let explored = explore(&Interpreter::new(&model), 50_000).unwrap();
        assert!(explored.complete, "{name}");
        println!("{name}");
        agrees(0, &text, &model, &explored);
        checked += 1;
    }
    assert!(checked > 50);
}
