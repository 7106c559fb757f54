//! Formulas with snapshots: verdicts against a naive product on random models, and examples.
//!
//! `MAZURKA_CASES=<n>` sets the number of models. A failure prints its seed.

mod models;
mod naive;

use fastrand::Rng;
use mazurka_core::Limits;
use mazurka_promela::verify::{
    CheckError, Options, PersistentAlgorithm, Property, Reduction, SnapshotMethod, SnapshotOutcome, StepId, Verdict,
    check,
};
use mazurka_promela::{Model, load, parse_ltl};
use models::Flavour;
use naive::Answer;

fn read(text: &str) -> Model {
    let loaded = load("m.pml", text, &mazurka_promela::Options::default());
    loaded.unwrap_or_else(|errors| panic!("{errors}\n{text}")).model
}

const ALGORITHMS: [PersistentAlgorithm; 4] = [
    PersistentAlgorithm::Conditional,
    PersistentAlgorithm::Stubborn,
    PersistentAlgorithm::Overman,
    PersistentAlgorithm::Conflicting,
];

/// Writes a formula for a model.
type Formulas = fn(&mut Rng, Flavour, &str) -> String;

fn compare(flavour: Flavour, formulas: Formulas, default: u64) {
    let (mut compared, mut violated) = (0, 0);
    let mut wrong: Vec<String> = vec![];
    let seeds = mazurka_seeds::range(default);
    for seed in seeds.clone() {
        let mut random = Rng::with_seed(seed);
        let text = models::model(&mut random, flavour);
        let mut model = read(&text);
        let formula = formulas(&mut random, flavour, &text);
        let ltl = parse_ltl(&mut model, "f", &formula).unwrap_or_else(|errors| panic!("{errors}\n{formula}"));
        let expected = match naive::check(&model, &ltl) {
            Answer::Holds => Verdict::Holds,
            Answer::Violated => Verdict::Violated,
            Answer::TooLarge | Answer::Error => continue,
        };
        compared += 1;
        violated += u64::from(expected == Verdict::Violated);
        let methods = [
            (Reduction::Full, SnapshotMethod::Basis),
            (Reduction::None, SnapshotMethod::Basis),
            (Reduction::None, SnapshotMethod::Tracker),
            (Reduction::Full, SnapshotMethod::Tracker),
        ];
        for (reduction, snapshots) in methods {
            let options = Options {
                reduction,
                snapshots,
                persistent: ALGORITHMS[seed as usize % ALGORITHMS.len()],
                limits: Limits::default(),
                ..Options::default()
            };
            let found = check(&model, &Property::Ltl(ltl.clone()), &options);
            let found = found.unwrap_or_else(|error| panic!("seed {seed}: {error}\n{text}{formula}"));
            if found.verdict != expected {
                wrong.push(format!(
                    "MAZURKA_SEED={seed}, {flavour:?}, {reduction:?}, {snapshots:?}: {:?} and not {expected:?}\n{text}{formula}",
                    found.verdict
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong, such as {}", wrong.len(), wrong[0]);
    if seeds.end - seeds.start >= 200 {
        let all = seeds.end - seeds.start;
        assert!(compared * 2 > all, "{compared} of {all}");
        assert!(
            violated * 5 > compared && violated * 10 < 9 * compared,
            "{violated} of {compared}"
        );
    }
}

#[test]
fn verdicts_agree_with_the_naive_product_where_processes_meet() {
    compare(Flavour::Rendezvous, models::formula, 200);
}

#[test]
fn verdicts_agree_with_the_naive_product_where_objects_are_shared() {
    compare(Flavour::Shared, models::formula, 120);
}

#[test]
fn verdicts_agree_with_the_naive_product_whatever_is_used() {
    compare(Flavour::Wild, models::formula, 200);
}

#[test]
fn verdicts_agree_with_the_naive_product_where_steps_commute_and_yet_meet() {
    compare(Flavour::Meeting, models::formula, 80);
}

#[test]
fn verdicts_agree_with_the_naive_product_where_propositions_relate_components() {
    compare(Flavour::Rendezvous, models::related_formula, 150);
    compare(Flavour::Shared, models::related_formula, 150);
    compare(Flavour::Wild, models::related_formula, 150);
    compare(Flavour::Meeting, models::related_formula, 60);
}

/// With fairness, the reduced graph has the same answers as the full one.
#[test]
fn the_reduction_keeps_fairness() {
    let model = |random: &mut Rng, seed: u64| {
        let flavour = [Flavour::Rendezvous, Flavour::Shared, Flavour::Wild, Flavour::Meeting][seed as usize % 4];
        let text = models::model(random, flavour);
        let formula = match seed % 3 {
            0 => models::related_formula(random, flavour, &text),
            _ => models::formula(random, flavour, &text),
        };
        (text, formula)
    };
    let [violated, smaller, unfair] = fairly(600, model);
    if !mazurka_seeds::are_chosen() {
        assert!(
            violated > 100 && smaller > 20 && unfair > 0,
            "{violated} {smaller} {unfair}"
        );
    }
}

/// The same where fairness decides.
#[test]
fn the_reduction_keeps_who_is_disabled_again_and_again() {
    let all = mazurka_seeds::range(400).end;
    let [violated, smaller, unfair] = fairly(400, |random, _| {
        (models::waiting(random), models::waiting_formula(random))
    });
    if !mazurka_seeds::are_chosen() {
        assert!(
            violated * 5 > all && smaller * 10 > all && unfair * 10 > all,
            "{violated} {smaller} {unfair}"
        );
    }
}

/// Compares searches with fairness on models with formulas: how many are violated, hold on a smaller graph, and would be
/// answered in another way without fairness.
fn fairly(default: u64, model: impl Fn(&mut Rng, u64) -> (String, String)) -> [u64; 3] {
    let [mut violated, mut smaller, mut unfair] = [0; 3];
    for seed in mazurka_seeds::range(default) {
        let (text, formula) = model(&mut Rng::with_seed(seed), seed);
        let mut model = read(&text);
        let ltl = parse_ltl(&mut model, "f", &formula).unwrap_or_else(|errors| panic!("{errors}\n{formula}"));
        let of = |reduction, fair| {
            let options = Options {
                reduction,
                fair,
                persistent: ALGORITHMS[seed as usize % ALGORITHMS.len()],
                ..Options::default()
            };
            match check(&model, &Property::Ltl(ltl.clone()), &options) {
                Ok(found) => Some(found),
                Err(CheckError::TooManyForFairness(_)) => None,
                Err(error) => panic!("MAZURKA_SEED={seed}: {error}\n{text}{formula}"),
            }
        };
        let of_all = (
            of(Reduction::None, true),
            of(Reduction::Full, true),
            of(Reduction::None, false),
        );
        let (Some(whole), Some(reduced), Some(without)) = of_all else {
            continue;
        };
        // The graph that is reduced beforehand may have runtime errors where the automaton does not go.
        if ![&whole, &reduced, &without]
            .iter()
            .all(|found| found.verdict.is_conclusive())
        {
            continue;
        }
        assert_eq!(reduced.verdict, whole.verdict, "MAZURKA_SEED={seed}\n{text}{formula}");
        violated += u64::from(whole.verdict == Verdict::Violated);
        unfair += u64::from(whole.verdict != without.verdict);
        let is_smaller = reduced.statistics.states < whole.statistics.states;
        smaller += u64::from(whole.verdict == Verdict::Holds && is_smaller);
    }
    [violated, smaller, unfair]
}

/// A property with more conjunctions than are kept apart is followed as a whole.
#[test]
fn large_disjunctive_normal_forms_are_followed() {
    let processes: Vec<usize> = (0..7).collect();
    let text: String = processes
        .iter()
        .map(|k| format!("active proctype P{k}() {{ byte i; i = 1; done: (false) }}\n"))
        .collect();
    let pair = |k: &usize| format!("(P{k}:i == 0 || P{}:i == 0)", (k + 1) % 7);
    let all = processes.iter().map(pair).collect::<Vec<_>>().join(" && ");
    let done = processes
        .iter()
        .map(|k| format!("P{k}@done"))
        .collect::<Vec<_>>()
        .join(" && ");
    for (formula, verdict) in [
        (format!("[] (({done}) -> snapshot({all}))"), Verdict::Holds),
        (format!("<> snapshot(!({all}))"), Verdict::Holds),
        (
            format!("[] !snapshot(({all}) && P0:i == 1 && P2:i == 1)"),
            Verdict::Violated,
        ),
        (
            format!("[] !snapshot(({all}) && P0:i == 1 && P1:i == 1)"),
            Verdict::Holds,
        ),
    ] {
        let mut model = read(&text);
        let ltl = parse_ltl(&mut model, "f", &formula).unwrap();
        let found = check(&model, &Property::Ltl(ltl), &Options::default()).unwrap();
        assert_eq!(found.verdict, verdict, "{formula}");
    }
}

/// Searches with and without reduction, on models that are made for this: with the dependency of ordinary formulas, the
/// reduction is wrong on one model in six.
#[test]
fn the_reduction_keeps_orders_that_only_snapshots_notice() {
    let seeds = mazurka_seeds::range(1_500);
    let (mut violated, mut smaller) = (0, 0);
    let mut wrong: Vec<String> = vec![];
    for seed in seeds.clone() {
        let mut random = Rng::with_seed(seed);
        let text = models::model(&mut random, Flavour::Meeting);
        let mut model = read(&text);
        let formula = models::formula(&mut random, Flavour::Meeting, &text);
        let ltl = parse_ltl(&mut model, "f", &formula).unwrap_or_else(|errors| panic!("{errors}\n{formula}"));
        let of = |reduction| {
            let options = Options {
                reduction,
                persistent: ALGORITHMS[seed as usize % ALGORITHMS.len()],
                ..Options::default()
            };
            let found = check(&model, &Property::Ltl(ltl.clone()), &options);
            found.unwrap_or_else(|error| panic!("MAZURKA_SEED={seed}: {error}\n{text}{formula}"))
        };
        let (whole, reduced) = (of(Reduction::None), of(Reduction::Full));
        violated += u64::from(whole.verdict == Verdict::Violated);
        let is_smaller = reduced.statistics.states < whole.statistics.states;
        smaller += u64::from(whole.verdict == Verdict::Holds && is_smaller);
        if reduced.verdict != whole.verdict {
            wrong.push(format!("MAZURKA_SEED={seed}: {:?}\n{text}{formula}", reduced.verdict));
        }
    }
    assert!(wrong.is_empty(), "{} wrong, such as {}", wrong.len(), wrong[0]);
    let all = seeds.end - seeds.start;
    if all >= 200 {
        assert!(violated * 5 > all && violated * 5 < 4 * all, "{violated} of {all}");
        assert!(smaller * 10 > all, "{smaller} of {all}");
    }
}

/// The verdict of all four combinations, which must agree.
fn verdict(text: &str, formula: &str) -> Verdict {
    let mut model = read(text);
    let ltl = parse_ltl(&mut model, "f", formula).unwrap_or_else(|errors| panic!("{errors}\n{formula}"));
    let of = |reduction, snapshots| {
        let options = Options {
            reduction,
            snapshots,
            ..Options::default()
        };
        check(&model, &Property::Ltl(ltl.clone()), &options).unwrap().verdict
    };
    let expected = of(Reduction::None, SnapshotMethod::Basis);
    assert_eq!(of(Reduction::Full, SnapshotMethod::Basis), expected, "{formula}");
    assert_eq!(of(Reduction::None, SnapshotMethod::Tracker), expected, "{formula}");
    assert_eq!(of(Reduction::Full, SnapshotMethod::Tracker), expected, "{formula}");
    expected
}

#[test]
fn what_happens_apart_could_have_happened_in_any_order() {
    let text = "active proctype A() { start: skip; done: (false) } active proctype B() { start: skip; done: (false) }";
    // If B is faster, the state is not on the way.
    assert_eq!(verdict(text, "<> (A@done && B@start)"), Verdict::Violated);
    assert_eq!(verdict(text, "<> snapshot(A@done && B@start)"), Verdict::Holds);
    assert_eq!(
        verdict(text, "<> snapshot(A@done && !B@done && B@start)"),
        Verdict::Holds
    );
    assert_eq!(verdict(text, "[] !snapshot(A@done && !A@done)"), Verdict::Holds);
    assert_eq!(verdict(text, "snapshot(A@start && B@start)"), Verdict::Holds);
}

#[test]
fn a_process_that_the_snapshot_does_not_mention_orders_the_others() {
    let text = "chan one = [0] of { bit }; chan two = [0] of { bit };
        active proctype A() { start: one!1; done: (false) }
        active proctype B() { start: two?_; done: (false) }
        active proctype C() { one?_; two!1; (false) }";
    assert_eq!(verdict(text, "[] !snapshot(A@start && B@done)"), Verdict::Holds);
    assert_eq!(verdict(text, "<> snapshot(A@done && B@start)"), Verdict::Holds);
    // Without the second rendezvous, C does not order them.
    let apart = text.replace("two?_", "skip").replace("two!1", "skip");
    assert_eq!(verdict(&apart, "[] !snapshot(A@start && B@done)"), Verdict::Violated);
}

/// Two processes read a variable. The steps commute, but their order decides which states are passed. A reduction that
/// does not know this explores one order only.
#[test]
fn reading_a_variable_orders_its_readers() {
    let text = "byte x; byte y; byte z;
        active proctype W() { x = 1; (false) }
        active proctype A() { (x == 1); y = 1; (false) }
        active proctype B() { d_step { (x == 1); z = 1 }; (false) }";
    assert_eq!(
        verdict(text, "<> (y == 1 && z == 1) && <> snapshot(y == 1 && z == 0)"),
        Verdict::Violated
    );
    assert_eq!(
        verdict(text, "<> (y == 1 && z == 1) -> <> snapshot(y == 1 && z == 0)"),
        Verdict::Violated
    );
    // A variable that is never assigned is no object.
    let constant = text.replace("x = 1; ", "").replace("byte x", "byte x = 1");
    assert_eq!(
        verdict(&constant, "<> (y == 1 && z == 1) -> <> snapshot(y == 1 && z == 0)"),
        Verdict::Holds
    );
}

/// A step that asks for `timeout` has every process as a participant, even if the answer does not matter.
#[test]
fn asking_for_a_timeout_orders_everybody() {
    for asks in ["(timeout || x == 0)", "if :: timeout :: else fi"] {
        let text = format!(
            "byte x; byte y; byte z;
            active proctype A() {{ {asks}; y = 1; (false) }}
            active proctype B() {{ z = 1; (false) }}"
        );
        assert_eq!(verdict(&text, "<> snapshot(y == 1 && z == 0)"), Verdict::Violated);
        assert_eq!(verdict(&text, "<> snapshot(y == 0 && z == 1)"), Verdict::Holds);
        // Steps that do not ask for it are not ordered.
        let silent = text.replace(asks, "skip");
        assert_eq!(verdict(&silent, "<> snapshot(y == 1 && z == 0)"), Verdict::Holds);
    }
}

/// If an `atomic` waits for a send in its middle, all possible receivers are its participants.
#[test]
fn waiting_to_send_orders_who_may_receive() {
    let text = "byte w; byte y; byte z; chan c = [1] of { byte }; chan r = [0] of { byte };
        active proctype F() { c!1; atomic { w = 1; c!1 }; (false) }
        active proctype D() { (w == 1); y = 1; (false) }
        active proctype B() { z = 1; (false); r?_ }";
    assert_eq!(verdict(text, "<> snapshot(y == 1 && z == 0)"), Verdict::Violated);
    let nobody = text.replace("; r?_", "");
    assert_eq!(verdict(&nobody, "<> snapshot(y == 1 && z == 0)"), Verdict::Holds);
}

/// Whether a receiver is ready depends on the values that it compares messages with. So does an `else` beside the send.
#[test]
fn what_a_partner_compares_with_decides_about_else() {
    let text = "byte g; byte y; byte z; chan r = [0] of { byte };
        active proctype W() { g = 1; z = 1; (false) }
        active proctype A() { start: if :: r!1 :: else -> y = 1 fi; (false) }
        active proctype B() { r?eval(g); (false) }";
    // If `g` is set, the send is possible. So `g` is set before the `else` in no order.
    assert_eq!(
        verdict(text, "[] (y == 1 -> !snapshot(z == 1 && A@start))"),
        Verdict::Holds
    );
    assert_eq!(
        verdict(text, "[] (y == 1 -> snapshot(z == 0 && y == 1))"),
        Verdict::Holds
    );
    // This holds for every reduction, since `else` and the assignment do not commute.
    let model = read(
        "byte g; byte y; chan r = [0] of { byte };
        active proctype A() { if :: r!1 :: else -> y = 1 fi }
        active proctype B() { end: r?eval(g) }
        active proctype V() { end: (g == 1 && y == 1); assert(false) }
        active proctype W() { g = 1 }",
    );
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
        let found = check(&model, &Property::Assertions, &options).unwrap();
        assert_eq!(found.verdict, Verdict::Violated, "{reduction:?}");
    }
}

#[test]
fn inside_atomic_nothing_is_passed() {
    let text = "byte x; active proctype A() { atomic { x = 1; x = 2 }; done: (false) }";
    assert_eq!(verdict(text, "<> snapshot(x == 1)"), Verdict::Violated);
    assert_eq!(
        verdict(text, "[] (A@done -> snapshot(x == 2 && A@done))"),
        Verdict::Holds
    );
    // The state in which an `atomic` waits is passed.
    let text = "byte x; byte y; active proctype A() { atomic { x = 1; (y == 1); x = 2 }; done: (false) }
        active proctype B() { start: y = 1; (false) }";
    assert_eq!(verdict(text, "<> snapshot(x == 1)"), Verdict::Violated);
    assert_eq!(verdict(text, "[] !snapshot(x == 1)"), Verdict::Violated);
    // The `atomic` reads `y` before it waits, so its first part is ordered before the step of B.
    assert_eq!(
        verdict(text, "[] (snapshot(x == 1) -> snapshot(x == 1 && B@start))"),
        Verdict::Holds
    );
    assert_eq!(verdict(text, "[] !snapshot(x == 2 && B@start)"), Verdict::Holds);
}

#[test]
fn channels_and_variables_are_components() {
    let text = "chan c = [2] of { byte }; byte x;
        active proctype A() { c!1; c!2; x = 1; (false) } active proctype B() { c?_; c?_; done: (false) }";
    // The channel is full in some order, unless B received between the sends.
    assert_eq!(verdict(text, "<> snapshot(len(c) == 2)"), Verdict::Violated);
    assert_eq!(verdict(text, "<> snapshot(len(c) == 1 && x == 0)"), Verdict::Holds);
    assert_eq!(
        verdict(text, "[] (B@done -> snapshot(empty(c) && x == 0))"),
        Verdict::Holds
    );
    assert_eq!(verdict(text, "<> (empty(c) && x == 0 && B@done)"), Verdict::Violated);
}

#[test]
fn processes_may_start_and_end() {
    let text = "byte x;
        proctype Work(byte k) { start: skip; x = k; done: skip }
        init { run Work(1); run Work(2) }";
    assert_eq!(
        verdict(text, "<> snapshot(Work[1]@done && Work[2]@start)"),
        Verdict::Violated
    );
    assert_eq!(
        verdict(text, "[] !snapshot(Work[1]@done && Work[2]@start)"),
        Verdict::Violated
    );
    assert_eq!(
        verdict(text, "<> snapshot(Work[1]@start && !Work[2]@start)"),
        Verdict::Holds
    );
    assert_eq!(
        verdict(text, "[] ((_nr_pr == 3 && x == 1) -> snapshot(_nr_pr == 3 && x == 0))"),
        Verdict::Holds
    );
}

/// A formula that may count steps turns the reduction off, and the result says so. Fairness does not.
#[test]
fn next_turns_the_reduction_off_and_fairness_does_not() {
    let mut model = read("byte x; active proctype A() { do :: skip od } active proctype B() { x = 1; (false) }");
    let mut run = |formula: &str, fair| {
        let ltl = parse_ltl(&mut model, "f", formula).unwrap();
        let options = Options {
            fair,
            ..Options::default()
        };
        let found = check(&model, &Property::Ltl(ltl), &options).unwrap();
        (found.verdict, found.reduction.note.is_some())
    };
    assert_eq!(run("<> snapshot(x == 1)", false), (Verdict::Violated, false));
    assert_eq!(run("<> snapshot(x == 1)", true), (Verdict::Holds, false));
    assert_eq!(run("X snapshot(x == 0)", false), (Verdict::Holds, true));
    assert_eq!(run("X snapshot(x == 1)", false), (Verdict::Violated, true));
}

/// A counterexample says how each snapshot is passed, or what is missing.
#[test]
fn counterexamples_are_explained() {
    let findings = |text: &str, formula: &str| {
        let mut model = read(text);
        let ltl = parse_ltl(&mut model, "f", formula).unwrap();
        let found = check(&model, &Property::Ltl(ltl), &Options::default()).unwrap();
        assert_eq!(found.verdict, Verdict::Violated);
        found.violations[0].clone()
    };
    let text = "byte x;
        active proctype A() { x = 1; done: (false) }
        active proctype B() { start: skip; done: (false) }";
    // It is passed: whichever process was first, A could have been faster.
    let violation = findings(text, "[] !snapshot(x == 1 && B@start)");
    let [finding] = &violation.snapshots[..] else { panic!() };
    assert_eq!(finding.text, "snapshot((x == 1) && B@start)");
    let SnapshotOutcome::Passed {
        at,
        order,
        marked,
        state,
    } = &finding.outcome
    else {
        panic!("{finding:?}")
    };
    assert!(*at >= 1 && order.len() == *at && *marked >= 1);
    let a = violation.steps.iter().position(|step| step.process == "A").unwrap();
    assert_eq!(order[..*marked], [StepId::new(a)]);
    assert_eq!(state[..], [("x".to_string(), "1".to_string())]);
    // It is missing: B is ready, and A never was.
    let violation = findings(text, "<> snapshot(x == 2 && B@done)");
    let SnapshotOutcome::Missing(missing) = &violation.snapshots[0].outcome else {
        panic!()
    };
    let [missing] = &missing[..] else { panic!() };
    assert_eq!(missing.frozen, [["B[1]"]]);
    assert_eq!(missing.open, ["x"]);
    assert_eq!(missing.conjuncts[0], ("x".to_string(), "x == 2".to_string()));
}

#[test]
fn what_cannot_be_checked_is_refused_with_its_place() {
    let refusal = |text: &str, formula: &str| {
        let mut model = read(text);
        let ltl = parse_ltl(&mut model, "f", formula).unwrap();
        match check(&model, &Property::Ltl(ltl), &Options::default()) {
            Err(CheckError::Snapshot(diagnostic)) => {
                let place = model.sources.slice(diagnostic.span).to_string();
                (place, format!("{} ({})", diagnostic.message, diagnostic.label))
            }
            other => panic!("{other:?}"),
        }
    };
    let text = "byte x; byte y; chan c = [1] of { byte }; active proctype A() { x = 1; y = 1; c = c; done: skip }";
    let choice = "byte x; byte a[2]; active proctype A() { x = 1; a[0] = 1; a[1] = 1 }";
    let (place, message) = refusal(choice, "[] (x > 0 -> snapshot(x == 1 && a[x] == 1))");
    assert_eq!(place, "a[x] == 1");
    assert!(
        message.contains("has a part that reads x and a[0] and a[1]"),
        "{message}"
    );
    let (place, message) = refusal(text, "<> snapshot(len(c) == 1 && x == 1)");
    assert_eq!(place, "len(c) == 1");
    assert!(message.contains("which channel"), "{message}");
    let (_, message) = refusal(text, "<> snapshot(np_)");
    assert!(message.contains("np_"), "{message}");
    let started = "proctype Work() { done: skip } init { run Work() }";
    let (_, message) = refusal(started, "<> snapshot(Work@done)");
    assert!(message.contains("Work[pid]"), "{message}");
    let (place, message) = refusal(
        "byte x; active proctype A() priority 2 { x = 1 }",
        "<> snapshot(x == 1)",
    );
    assert!(
        place.contains("snapshot") && message.contains("priorities"),
        "{message}"
    );
    // The tracker allows such propositions, and must agree about those that can be taken apart.
    let mut model =
        read("byte x; byte y; active proctype A() { x = 2; (false) } active proctype B() { y = 2; (false) }");
    let ltl = parse_ltl(
        &mut model,
        "f",
        "<> snapshot(x + y == 2 && x > 0) && <> snapshot(x < y)",
    )
    .unwrap();
    let tracker = Options {
        snapshots: SnapshotMethod::Tracker,
        ..Options::default()
    };
    for options in [tracker, Options::default()] {
        let found = check(&model, &Property::Ltl(ltl.clone()), &options).unwrap();
        assert_eq!(found.verdict, Verdict::Holds);
    }
    let mut model = read(text);
    let temporal = parse_ltl(&mut model, "f", "snapshot(<> x == 1)").unwrap_err();
    assert!(temporal.to_string().contains("about one state"), "{temporal}");
}

/// A shipped example, perhaps with a macro defined.
fn example(name: &str, define: Option<&str>) -> Vec<(String, Verdict)> {
    let path = format!("{}/../../examples/{name}", env!("CARGO_MANIFEST_DIR"));
    let options = mazurka_promela::Options {
        defines: define.map(|name| (name.to_string(), None)).into_iter().collect(),
        ..mazurka_promela::Options::default()
    };
    let loaded = mazurka_promela::load_path(path, &options).expect("it is there");
    let model = loaded.unwrap_or_else(|errors| panic!("{errors}")).model;
    let verdict = |property: &Property| {
        let found = check(&model, property, &Options::default()).unwrap();
        (found.name.clone(), found.verdict)
    };
    Property::all(&model).iter().map(verdict).collect()
}

#[test]
fn the_algorithm_of_chandy_and_lamport_records_what_was_passed() {
    for (name, verdict) in example("chandy_lamport.pml", None) {
        assert_eq!(verdict, Verdict::Holds, "{name}");
    }
    let broken = example("chandy_lamport.pml", Some("OVERTAKE"));
    assert_eq!(broken[1], ("passed".to_string(), Verdict::Violated));
    assert_eq!(broken[2], ("nothing_is_lost".to_string(), Verdict::Violated));
}

#[test]
fn transactions_are_serialisable_with_locks_that_are_kept() {
    for (name, verdict) in example("transactions.pml", None) {
        assert_eq!(verdict, Verdict::Holds, "{name}");
    }
    let early = example("transactions.pml", Some("EARLY"));
    assert_eq!(early[1], ("serialisable".to_string(), Verdict::Violated));
}
