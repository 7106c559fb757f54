//! The compiled form of Promela models, under every reduction, against the plain interpreter.
//!
//! The plain interpreter explores every state of a random model, step by step, straight from the
//! syntax tree. A search of the compiled form without reduction must reach the same states (where
//! `atomic` does not make several steps one), and every search must find a violation of each
//! kind iff there is one.

use mazurka_core::{End, ProvisoKind, Storage, Strategy};
use mazurka_promela::RuntimeError;
use mazurka_promela::plain::{Explored, Interpreter, ViolationKind as Plain, explore};
use mazurka_promela::verify::{
    CheckError, Options, PersistentAlgorithm, Property, Reduction, Verdict, ViolationKind, check, measure,
};
use mazurka_promela::{Model, Span, load};
use mazurka_seeds::seeds;
use mazurka_testkit::promela::{
    Shape, random_loops, random_loops_with_claim, random_program, random_races, random_races_with_formulas,
};
use std::sync::atomic::{AtomicU64, Ordering};

/// More states than this are not worth the time.
const LIMIT: usize = 6_000;

fn explored(model: &Model) -> Option<Explored> {
    let explored = explore(&Interpreter::new(model), LIMIT).ok()?;
    explored.complete.then_some(explored)
}

/// The model of a seed, its tree, and what there is in it.
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

/// All there is to reduce with, from nothing on.
const REDUCTIONS: [(Reduction, PersistentAlgorithm); 7] = [
    (Reduction::None, PersistentAlgorithm::Conditional),
    (Reduction::Sleep, PersistentAlgorithm::Conditional),
    (Reduction::Persistent, PersistentAlgorithm::Conditional),
    (Reduction::Full, PersistentAlgorithm::Conditional),
    (Reduction::Full, PersistentAlgorithm::Stubborn),
    (Reduction::Full, PersistentAlgorithm::Overman),
    (Reduction::Full, PersistentAlgorithm::Conflicting),
];

fn agrees(seed: u64, text: &str, model: &Model, explored: &Explored) {
    let errors = explored.violations.iter().any(|v| matches!(v.kind, Plain::Error(_)));
    let deadlocks = explored.violations.iter().any(|v| v.kind == Plain::InvalidEnd);
    let mut full = u64::MAX;
    for (reduction, persistent) in REDUCTIONS {
        let options = Options {
            reduction,
            persistent,
            ..Options::default()
        };
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
                if reduction == Reduction::None {
                    full = result.statistics.states;
                }
                assert!(
                    result.statistics.states <= full,
                    "seed {seed}: more states than without reduction\n{text}"
                );
            }
        }
    }
}

/// Asked for all that is wrong, every search finds each statement that can fail and each combination of places where the processes can
/// get stuck, and says of the same statements that they are never executed. Returns how many places every search finds
/// where a statement fails.
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
    for (reduction, persistent) in REDUCTIONS {
        for property in [Property::Safety, Property::Deadlock] {
            let options = Options {
                reduction,
                persistent,
                all: true,
                ..Options::default()
            };
            let result =
                check(model, &property, &options).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{text}"));
            let mut failed: Vec<Span> = result.violations.iter().filter_map(|v| v.location).collect();
            failed.sort_by_key(|span| (span.start, span.end));
            failed.dedup();
            let stuck = result.violations.iter().filter(|v| v.location.is_none());
            let mut stuck: Vec<String> = stuck.map(|v| v.message.clone()).collect();
            stuck.sort();
            let unreached: Vec<Span> = result.unreached.iter().map(|u| u.span).collect();
            let about = format!("seed {seed}, {reduction:?} {persistent:?} {property:?}\n{text}");
            // Of a statement that can fail in several ways, one is enough.
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
            // Without a proviso it says nothing about that.
            match result.reduction.persistent.is_some() && result.reduction.proviso.is_none() {
                true => assert!(unreached.is_empty(), "{about}"),
                false => assert_eq!(&unreached, expected_unreached, "{about}"),
            }
        }
    }
    fewest
}

/// Whatever is reduced, the states in which nothing can be executed are all found: each of them shows how the steps before it
/// were ordered, and so more of a dependency that is forgotten than a verdict does.
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

/// All of that. Returns what [`findings_agree`] does.
fn all_agree(seed: u64, text: &str, model: &Model, explored: &Explored) -> usize {
    agrees(seed, text, model, explored);
    ends_agree(seed, text, model, explored);
    findings_agree(seed, text, model, explored)
}

/// What an error of the plain interpreter is reported as.
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

/// What is offered fails whoever waits for it; what it is compared with fails once it is offered.
#[test]
fn a_rendezvous_can_fail_on_both_sides() {
    let declarations = "byte zero, a[2], i = 5; chan c = [0] of { byte }; chan d = [0] of { byte, byte };";
    for (processes, fails) in [
        ("active proctype P() { end: c!a[i] }", true),
        (
            "active proctype P() { end: c!(5 / zero) } active proctype Q() { end: c?1 }",
            true,
        ),
        (
            "active proctype P() { end: c!1 } active proctype Q() { end: c?eval(a[i]) }",
            true,
        ),
        (
            "active proctype P() { end: c!1 } active proctype Q() { end: d_step { c?eval(5 / zero); i = 0 } }",
            true,
        ),
        ("active proctype Q() { end: c?eval(5 / zero) }", false),
        ("proctype P(chan q) { end: q!1 } init { run P(d) }", true),
        ("proctype P(chan q) { byte x; end: q?x } init { run P(d); d!1,2 }", true),
        ("proctype P(chan q) { byte x; end: q?x } init { run P(d) }", false),
        ("active proctype P() provided (5 / zero == 1) { end: c?1 }", true),
    ] {
        let text = format!("{declarations} {processes}");
        let model = loaded(0, &text, false);
        let explored = explored(&model).unwrap();
        let errors = explored.violations.iter().any(|v| matches!(v.kind, Plain::Error(_)));
        assert_eq!(errors, fails, "{processes}");
        agrees(0, &text, &model, &explored);
    }
}

/// Two processes that ask each other would ask for ever; asking about who does not ask is an answer.
#[test]
fn who_asks_is_not_asked() {
    for (text, fails) in [
        (
            "active proctype P() { end: enabled(1) } active proctype Q() { end: enabled(0) }",
            true,
        ),
        ("active proctype P() { end: enabled(_pid) }", true),
        (
            "byte x; active proctype P() { end: enabled(1) } active proctype Q() { end: x == 1 }",
            false,
        ),
        ("active proctype P() priority 1 { set_priority(_pid, 0) }", true),
        ("active proctype P() priority 1 { set_priority(7, 0) }", false),
    ] {
        let model = loaded(0, text, false);
        let explored = explored(&model).unwrap();
        let errors = explored.violations.iter().any(|v| matches!(v.kind, Plain::Error(_)));
        assert_eq!(errors, fails, "{text}");
        agrees(0, text, &model, &explored);
    }
}

/// In front of a block that begins with a loop is another place than at the head of the loop.
#[test]
fn a_label_of_a_block_is_none_of_its_loop() {
    for (text, states, is_stuck) in [
        (
            "byte x; active proctype P() { end: { do :: x == 0 -> x = 1 od } }",
            3,
            true,
        ),
        (
            "byte x; active proctype P() { end: { do :: x == 0 -> x = 1 od } unless { x == 2 } }",
            3,
            true,
        ),
        (
            "byte x; active proctype P() { { do :: x == 0 -> x = 1 od } unless { end: x == 2 } }",
            3,
            true,
        ),
        (
            "byte x; active proctype P() { end: do :: x == 0 -> x = 1 od unless { x == 2 } }",
            3,
            false,
        ),
        ("byte x; active proctype P() { { do :: x == 0 od } }", 2, false),
        (
            "byte x; active proctype P() { L: { do :: x == 0 od } unless { x == 1 } }",
            2,
            false,
        ),
        (
            "byte x; active proctype P() { { do :: x == 0 od } unless { x == 1 } }",
            1,
            false,
        ),
    ] {
        let model = loaded(0, text, false);
        let explored = explored(&model).unwrap();
        let stuck = explored.violations.iter().any(|v| v.kind == Plain::InvalidEnd);
        assert_eq!((explored.states, stuck), (states, is_stuck), "{text}");
        agrees(0, text, &model, &explored);
    }
}

/// Whether the second message is lost depends on who is faster, at a full channel.
#[test]
fn sending_to_a_full_channel_that_loses_messages_conflicts_with_receiving() {
    let text = "
        chan c = [1] of { byte };
        bool sent;
        active proctype P() { c!1; c!2; sent = true }
        active proctype Q() { byte x; c?x; sent; assert(nempty(c)) }
    ";
    let options = mazurka_promela::Options {
        lossy: true,
        ..mazurka_promela::Options::default()
    };
    let model = load("lossy.pml", text, &options).unwrap().model;
    let explored = explored(&model).unwrap();
    assert_eq!(explored.violations.len(), 1);
    agrees(0, text, &model, &explored);
}

#[test]
fn every_reduction_agrees_about_trace_assertions() {
    agree(60, &Shape::trace(), false);
}

/// Models that end soon, and in which it shows how they came there.
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
        let options = Options {
            reduction: Reduction::None,
            ..Options::default()
        };
        let result = check(&model, &Property::Safety, &options).unwrap();
        assert_eq!(result.statistics.states, explored.states as u64, "seed {seed}\n{text}");
        assert_eq!(
            result.statistics.transitions, explored.transitions as u64,
            "seed {seed}\n{text}"
        );
        checked.fetch_add(1, Ordering::Relaxed);
    });
    let checked = checked.into_inner();
    println!("{checked} models");
    assert!(checked > 0);
}

/// The models that everything runs on, with the verdicts of their headers.
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

/// A formula holds with the reduction iff it holds without. Each counterexample was checked
/// against the definition of the formula by the plain interpreter, or there would be an error.
#[test]
fn formulas_hold_with_reduction_iff_they_hold_without() {
    formulas_agree(20, false, whole_language);
    formulas_agree(80, false, random_loops);
    formulas_agree(80, false, random_races_with_formulas);
}

/// The same about fair executions only.
#[test]
fn formulas_hold_of_fair_executions_with_reduction_iff_they_hold_without() {
    formulas_agree(20, true, whole_language);
    formulas_agree(80, true, random_loops);
    formulas_agree(80, true, random_races_with_formulas);
}

/// A claim that does not notice repeated states is checked on a reduced graph, and with the same result.
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
                let result = |reduction| {
                    let options = Options {
                        reduction,
                        fair,
                        ..Options::default()
                    };
                    check(&model, &Property::Never, &options)
                        .unwrap_or_else(|error| panic!("seed {seed}: {error}\n{text}"))
                };
                let (full, none) = (result(Reduction::Full), result(Reduction::None));
                assert_eq!(full.verdict, none.verdict, "seed {seed}, fair: {fair}\n{text}");
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

/// Whether `I` is disabled infinitely often is a matter of the order in which independent steps come: whether
/// the channel is ever empty, and whether always one of `x` and `y` is true.
#[test]
fn who_waits_is_disabled_in_some_orders_only() {
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

/// An `atomic` that comes to a statement that is not executable lets others in, and a `d_step` fails: whoever makes the statement
/// executable is not taken to be independent of that.
#[test]
fn it_shows_whether_an_atomic_has_to_wait() {
    for text in [
        "chan c = [1] of { byte }; byte x;
         active proctype Q() { c?_ }
         active proctype P() { c!1; atomic { x = 1; c!2; x = 0 } }
         active proctype R() { assert(x == 0) }",
        "chan c = [0] of { byte }; byte x;
         active proctype Q() { skip; c?_ }
         active proctype P() { atomic { x = 1; c!2; x = 0 } }
         active proctype R() { assert(x == 0) }",
        "chan c = [1] of { byte }; byte x;
         active proctype Q() { c!1 }
         active proctype P() { atomic { x = 1; nempty(c); x = 0 } }
         active proctype R() { assert(x == 0) }",
        "chan c = [1] of { byte }; byte x;
         active proctype Q() { c!1 }
         active proctype P() { d_step { x = 1; c?_; x = 0 } }",
        "chan c = [1] of { byte }; byte x;
         active proctype Q() { c!1; run P() }
         proctype P() { atomic { x = 1; c!1; x = 0 } }
         active proctype R() { c?_; do :: skip od }
         active proctype S() { assert(x == 0) }",
    ] {
        assert_eq!(all_agree_on(text).0, 1, "{text}");
    }
}

/// A send to a channel of one's own in a model with rendezvous channels: what comes behind it in the `atomic` is a part of the step.
#[test]
fn a_send_that_might_be_an_offer_keeps_control() {
    let text = "
        chan offered = [0] of { byte }; chan c = [2] of { byte };
        proctype Q(byte x) { chan own = [1] of { byte }; chan q; q = own; atomic { q!x; c?0 }; end: false }
        active proctype P0() { c!0; run Q(1) }
        active proctype P1() { run Q(0) }
        active proctype P2() { skip }";
    all_agree_on(text);
}

/// Each of these models was found to be reduced too much by a wrong rule.
#[test]
fn what_else_small_models_showed() {
    for text in [
        // What is offered may change.
        "chan c = [0] of { byte }; byte b;
         active proctype P() { if :: c!b :: skip fi; end: false }
         active proctype Q() { end: c?1 }
         active proctype R() { b = 1; end: false }",
        // Any message helps who takes any.
        "chan c = [2] of { byte };
         active proctype P() { if :: c??1 :: skip fi; end: false }
         active proctype Q() { c!0; c!1; end: false }",
        // The channel of a process ends with it.
        "chan left;
         active proctype X() { left != 0; left!1; do :: skip od }
         active proctype A() { chan c = [1] of { byte }; left = c }",
        // A `d_step` takes the first option that it can.
        "chan c = [1] of { byte }; byte b;
         active proctype Q() { c!1 }
         active proctype P() { d_step { if :: c?1; b == 1 :: b == 0 fi; assert(b == 1) } }",
        // Nobody offers anything to the escape yet, so it does not inhibit the send.
        "byte b0 = 1; chan c0 = [0] of { byte }; chan c1 = [0] of { byte };
         active proctype P0() { atomic { skip; skip; c0?0 }; c0?0; skip }
         active proctype P1() {
             byte x; atomic { skip; skip; skip }; atomic { c1!0; b0 = x };
             if :: c1!1 :: else -> c0!!x fi;
             end: false
         }
         active proctype P2() {
             byte x; { c0!0; c1!!0 } unless { c1?x };
             atomic { c0?eval(b0); if :: c1?0 :: c1?x fi };
             atomic { b0 != x; c1?eval(b0); x = len(c1) };
             false
         }",
        // A process that is started may have a priority of its own.
        "byte x; proctype Q() { x = 1 } active proctype P() { run Q() priority 3; assert(x == 1) }",
    ] {
        all_agree_on(text);
    }
}

/// All of that, about a model that is written down here. Returns what [`findings_agree`] does.
fn all_agree_on(text: &str) -> (usize, Explored) {
    let model = loaded(0, text, false);
    let explored = explored(&model).unwrap();
    (all_agree(0, text, &model, &explored), explored)
}

/// Nor does an offer ask whether the escape of an `unless` is executable where somebody waits for it.
#[test]
fn who_offers_does_not_ask_for_escapes() {
    let text = "
        chan c = [0] of { byte }; bit b;
        active proctype P() { byte x; { c?0; b = 1 } unless { x = 1 }; end: false }
        active proctype Q() { skip; c!0; end: false }";
    all_agree_on(text);
}

/// The number of a channel that ended is free, and then another channel's: who still has it fails, if it is fast enough.
#[test]
fn the_number_of_a_closed_channel_is_given_again() {
    let declarations = "
        chan left; chan mailbox = [1] of { chan }; bit go;
        proctype B() { chan d = [1] of { byte }; end: d?1 }
        init { run X(); run A(); _nr_pr == 2; go = 1; run B() }";
    for (processes, fails) in [
        (
            "proctype A() { chan c = [1] of { byte }; left = c }
             proctype X() { go == 1; left!1; do :: skip od }",
            true,
        ),
        (
            "proctype A() { chan c = [1] of { byte }; mailbox!c }
             proctype X() { chan c; mailbox?c; go == 1; c!1; do :: skip od }",
            true,
        ),
        (
            "proctype A() { chan c = [1] of { byte }; skip }
             proctype Y(chan c) { go == 1; c!1; do :: skip od }
             proctype X() { run Y(1 + 1); false }",
            true,
        ),
        (
            "proctype Y(chan c) { c!1; c?1 }
             proctype A() { chan c = [1] of { byte }; chan same = c; run Y(same); _nr_pr == 3 }
             proctype X() { end: false }",
            false,
        ),
    ] {
        let text = format!("{declarations} {processes}");
        let (_, explored) = all_agree_on(&text);
        let errors = explored.violations.iter().any(|v| matches!(v.kind, Plain::Error(_)));
        assert_eq!(errors, fails, "{processes}");
    }
}

/// The first failure is not the end, where all are asked for: neither of what others could do before it nor of
/// what else the same step could have come to.
#[test]
fn all_that_fails_is_found() {
    for (text, failing) in [
        (
            "byte x; active proctype P() { x = 1; assert(x == 0) } active proctype Q() { x == 1; assert(x == 2) }",
            2,
        ),
        (
            "bit x; active proctype P() { d_step { assert(x == 0); assert(x == 1) } } active proctype Q() { x = 1 }",
            2,
        ),
        (
            "bit x; active proctype P() { atomic { skip; if :: x -> assert(x == 0) :: else -> assert(x == 1) fi } }
             active proctype Q() { x = 1 }",
            2,
        ),
    ] {
        assert_eq!(all_agree_on(text).0, failing, "{text}");
    }
}

/// Who goes round through `atomic`s that branch does not put off others for ever.
#[test]
fn a_loop_of_atomics_puts_off_nobody() {
    // A choice, and more steps than are taken at once.
    for body in ["if :: s = 1 :: s = 2 fi".to_string(), "s = 1 - s; ".repeat(1_101)] {
        let text = format!(
            "byte y, z;
             active proctype P() {{ byte s = 3; do :: atomic {{ s = 0; {body}; assert(s < 3) }} od }}
             active proctype Q() {{ z = 1; y = 1; assert(y == 0) }}
             active proctype R() {{ z = 2; end: z == 1 }}"
        );
        let model = loaded(0, &text, false);
        for reduction in [
            Reduction::None,
            Reduction::Sleep,
            Reduction::Persistent,
            Reduction::Full,
        ] {
            let options = Options {
                reduction,
                ..Options::default()
            };
            let verdict = check(&model, &Property::Safety, &options).expect("an answer").verdict;
            assert_eq!(verdict, Verdict::Violated, "{reduction:?}\n{text}");
        }
    }
}

/// A loop of `atomic`s that branch has states where nobody looks, and others that chains could pass.
#[test]
fn somebody_looks_at_a_loop_of_atomics() {
    for (formula, holds) in [("[] (n == 0)", false), ("<> (n == 1)", true), ("[] <> (n == 0)", false)] {
        for body in ["if :: s = 1 :: s = 2 fi", "if :: c!0 :: s = 2 fi"] {
            let text = format!(
                "byte n; chan c = [1] of {{ byte }};
                 active proctype P() {{ byte s; n = 1; do :: atomic {{ s = 0; {body}; assert(s < 3) }} od }}
                 ltl {{ {formula} }}"
            );
            let model = loaded(0, &text, false);
            let property = Property::Ltl(model.ltl[0].clone());
            for reduction in [Reduction::None, Reduction::Persistent, Reduction::Full] {
                let options = Options {
                    reduction,
                    ..Options::default()
                };
                let verdict = check(&model, &property, &options).expect("an answer").verdict;
                assert_eq!(verdict == Verdict::Holds, holds, "{reduction:?}\n{text}");
            }
        }
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
            let verdict = |reduction: Reduction, storage: Storage| {
                let options = Options {
                    reduction,
                    storage,
                    fair,
                    ..Options::default()
                };
                let result = check(&model, property, &options);
                let result = result.unwrap_or_else(|error| panic!("seed {seed}, {property:?}: {error}\n{text}"));
                result.verdict
            };
            let expected = verdict(Reduction::None, Storage::Exact);
            for (reduction, storage) in [
                (Reduction::Full, Storage::Exact),
                (Reduction::Persistent, Storage::Collapse),
            ] {
                let verdict = verdict(reduction, storage);
                // Where a step fails, how far a search comes depends on the order.
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
