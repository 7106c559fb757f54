//! Sequences and temporal formulas over all histories, by definition: every linear extension of a small computation is
//! written down, and the formula evaluated on each.
//!
//! A condition may have no value in some cut. Then there may be no answer, and if there is one, it is not compared.

use fastrand::Rng;
use mazurka_logic::{AtomId, Formula as Ltl, Lasso};
use mazurka_testkit::computations::{HappenedBefore, Preset, Shape, Truth, all_cuts, computation, formula, successors};
use mazurka_testkit::seeds;
use mazurka_testkit::temporal::random_formula;
use mazurka_trace::{
    Computation, Cut, Method, Pattern, PatternAnswer, PatternError, PatternModality, Place, Recorder, Recording,
    Reduction, Settings, Sink, Value,
};
use std::sync::atomic::{AtomicU64, Ordering};

/// All linear extensions, as the cuts that they pass through.
fn histories(computation: &Computation) -> Vec<Vec<Cut>> {
    let relation = HappenedBefore::of(computation);
    let (mut open, mut done) = (vec![vec![vec![0; computation.processes()]]], Vec::new());
    while let Some(path) = open.pop() {
        let next = successors(&relation, path.last().expect("a path has a first cut"));
        if next.is_empty() {
            done.push(path);
            continue;
        }
        for cut in next {
            open.push([&path[..], &[cut]].concat());
        }
    }
    done
}

/// What a condition means in a cut.
type Meaning<'a> = Box<dyn Fn(&[u32]) -> Truth + 'a>;

/// A condition as text, and what it means in a cut.
struct Condition<'a> {
    text: String,
    truth: Meaning<'a>,
}

impl Condition<'_> {
    fn holds(&self, cut: &[u32]) -> bool {
        (self.truth)(cut) == Truth::True
    }
}

/// Whether a formula over conditions holds of a history.
fn satisfies(conditions: &[Condition<'_>], formula: &Ltl, path: &[Cut]) -> bool {
    let word = Lasso::new(path.len(), path.len() - 1).expect("a path has a first cut");
    formula.holds_on(word, |atom: AtomId, at| conditions[atom.0 as usize].holds(&path[at]))
}

/// A small computation. In every other one the variables are `n`, the number of events so far.
fn small(rng: &mut Rng, counts: bool) -> Computation {
    let shape = Shape {
        processes: 2..=4,
        events: 0..=4,
        total: 7,
        ..Shape::any(rng)
    };
    if !counts {
        return computation(rng, &shape);
    }
    let mut recorder = Recorder::new(Recording::default());
    let processes: Vec<_> = (0..rng.usize(2..=3))
        .map(|p| recorder.process(&format!("p{p}")))
        .collect();
    for p in &processes {
        recorder.init(*p, Place::NOWHERE);
        recorder.set("n", Value::Int(0));
    }
    let mut sent = 0;
    for _ in 0..rng.usize(2..=6) {
        let p = processes[rng.usize(..processes.len())];
        let n = recorder.event(p, Place::NOWHERE).index;
        recorder.set("n", Value::Int(n.into()));
        if sent > 0 && rng.u8(..4) == 0 {
            recorder.receive(&format!("m{}", rng.usize(..sent)));
        }
        if rng.u8(..3) == 0 {
            recorder.send(&format!("m{sent}"));
            sent += 1;
        }
    }
    recorder.finish().expect("messages are received after they are sent")
}

/// Conditions on a computation.
fn conditions<'a>(rng: &mut Rng, computation: &'a Computation, counts: bool, most: usize) -> Vec<Condition<'a>> {
    let one = |rng: &mut Rng| -> Condition<'a> {
        if counts {
            return on_counts(rng, computation);
        }
        let preset = Preset::ALL[rng.usize(..Preset::ALL.len())];
        let formula = formula(rng, computation, preset);
        Condition {
            text: formula.to_cel(),
            truth: Box::new(move |cut| formula.evaluate(computation, cut)),
        }
    };
    (0..rng.usize(1..=most)).map(|_| one(rng)).collect()
}

/// A conjunction or a disjunction of bounds on how many events have happened. What it means needs no variable.
fn on_counts<'a>(rng: &mut Rng, computation: &'a Computation) -> Condition<'a> {
    let mut bounds: Vec<(usize, u32, bool)> = Vec::new();
    // One process is ahead, another one behind: some histories pass such states.
    let ahead = rng.usize(..computation.processes());
    for p in 0..computation.processes() {
        let events = computation.causality().last_cut()[p];
        if p == ahead || rng.u8(..3) > 0 {
            let least = if rng.u8(..5) == 0 { rng.bool() } else { p == ahead };
            bounds.push((
                p,
                if least {
                    rng.u32(1..=events.max(1))
                } else {
                    rng.u32(0..=events)
                },
                least,
            ));
        }
    }
    let all = rng.u8(..6) > 0;
    let text = |(p, bound, least): &(usize, u32, bool)| format!("p{p}.n {} {bound}", if *least { ">=" } else { "<=" });
    let texts: Vec<String> = bounds.iter().map(text).collect();
    Condition {
        text: texts.join(if all { " && " } else { " || " }),
        truth: Box::new(move |cut| {
            let holds =
                |(p, bound, least): &(usize, u32, bool)| if *least { cut[*p] >= *bound } else { cut[*p] <= *bound };
            Truth::from(if all {
                bounds.iter().all(holds)
            } else {
                bounds.iter().any(holds)
            })
        }),
    }
}

/// Whether each condition has a value in each cut.
fn are_defined(computation: &Computation, conditions: &[Condition<'_>]) -> bool {
    let has_value = |cut: &Cut| conditions.iter().all(|c| (c.truth)(cut) != Truth::Error);
    all_cuts(computation).iter().all(has_value)
}

fn all_settings() -> Vec<Settings<'static>> {
    let by = |method, reduction| Settings {
        method,
        reduction,
        ..Settings::default()
    };
    let mut all = vec![by(Method::Auto, None), by(Method::Enumerate, None)];
    all.extend(Reduction::ALL.map(|reduction| by(Method::Search, Some(reduction))));
    all
}

/// Compares the answers by all methods; the order that is shown is one of `histories`, and shows it.
fn check(pattern: &Pattern, computation: &Computation, expected: Option<bool>, shows: &dyn Fn(&[Cut]) -> bool) {
    let ask =
        |settings: &Settings<'_>| -> Result<PatternAnswer, PatternError> { pattern.answer(computation, settings) };
    let mut states = Vec::new();
    for settings in all_settings() {
        let context = || format!("{} {} by {settings:?}", pattern.modality(), pattern.text());
        match (ask(&settings), expected) {
            (Err(error), None) => assert!(error.undefined.is_some(), "{error}: {}", context()),
            (Err(error), Some(_)) => panic!("{error}: {}", context()),
            (Ok(_), None) => {}
            (Ok(answer), Some(expected)) => {
                assert_eq!(answer.verdict.truth(), Some(expected), "{}", context());
                if let Some(order) = &answer.order {
                    assert!(shows(&order.path), "{}: {:?}", context(), order.path);
                }
                states.push((settings.reduction, answer.statistics.states, answer.order.is_some()));
            }
        }
    }
    let of = |wanted: Reduction| states.iter().find(|(reduction, ..)| *reduction == Some(wanted));
    if let (Some((_, none, false)), Some((_, reduced, false))) = (of(Reduction::None), of(Reduction::Persistent)) {
        assert!(reduced <= none, "{reduced} {none}");
    }
}

#[test]
fn sequences_are_those_of_some_history() {
    let (yes, no) = (AtomicU64::new(0), AtomicU64::new(0));
    seeds(600, |seed| {
        let mut rng = Rng::with_seed(seed);
        let counts = seed % 2 == 0;
        let computation = small(&mut rng, counts);
        let conditions = conditions(&mut rng, &computation, counts, 4);
        let defined = are_defined(&computation, &conditions);
        let all = histories(&computation);
        // By definition, without a formula: places in the history that do not go back.
        let passes = |path: &[Cut]| {
            let mut at = Some(0);
            for condition in &conditions {
                at = at.and_then(|from| (from..path.len()).find(|k| condition.holds(&path[*k])));
            }
            at.is_some()
        };
        let expected = all.iter().any(|path| passes(path));
        if defined {
            if expected { &yes } else { &no }.fetch_add(1, Ordering::Relaxed);
        }
        let texts: Vec<String> = conditions.iter().map(|c| c.text.clone()).collect();
        let shows = |path: &[Cut]| all.iter().any(|other| other == path) && passes(path);
        for (modality, answer) in [
            (PatternModality::PossiblySequence, expected),
            (PatternModality::NeverSequence, !expected),
        ] {
            let pattern = Pattern::sequence(modality, &texts).unwrap_or_else(|e| panic!("{texts:?}: {e}"));
            check(&pattern, &computation, defined.then_some(answer), &shows);
        }
    });
    if !mazurka_seeds::are_chosen() {
        let (yes, no) = (yes.into_inner(), no.into_inner());
        assert!(yes > 100 && no > 100, "{yes} {no}");
    }
}

/// A formula as people write them.
fn in_common_use(rng: &mut Rng, atoms: u32) -> Ltl {
    let mut atom = || Box::new(Ltl::Atom(AtomId(rng.u32(..atoms))));
    let (f, g) = (atom(), atom());
    let eventually = |f| Box::new(Ltl::Eventually(f));
    match rng.u8(..6) {
        0 => Ltl::Eventually(f),
        1 => Ltl::Until(Box::new(Ltl::Not(f)), g),
        2 => Ltl::Eventually(Box::new(Ltl::And(f, eventually(g)))),
        3 => Ltl::Always(Box::new(Ltl::Implies(f, eventually(g)))),
        4 => Ltl::WeakUntil(Box::new(Ltl::Not(f)), g),
        _ => Ltl::Always(Box::new(Ltl::Not(f))),
    }
}

#[test]
fn formulas_hold_of_some_or_all_histories() {
    let (some, all_of_them, none) = (AtomicU64::new(0), AtomicU64::new(0), AtomicU64::new(0));
    seeds(900, |seed| {
        let mut rng = Rng::with_seed(seed);
        let counts = seed % 3 > 0;
        let computation = small(&mut rng, counts);
        let conditions = conditions(&mut rng, &computation, counts, 3);
        let defined = are_defined(&computation, &conditions);
        let size = rng.usize(2..=9);
        let next = seed % 4 == 0;
        let ltl = match rng.u8(..3) {
            0 => in_common_use(&mut rng, conditions.len() as u32),
            _ => random_formula(&mut rng, size, conditions.len() as u32, next),
        };
        let all = histories(&computation);
        let holds = |path: &[Cut]| satisfies(&conditions, &ltl, path);
        let how_many = all.iter().filter(|path| holds(path)).count();
        let (possible, definite) = (how_many > 0, how_many == all.len());
        if defined {
            let kind = if definite {
                &all_of_them
            } else if possible {
                &some
            } else {
                &none
            };
            kind.fetch_add(1, Ordering::Relaxed);
        }
        let text = ltl
            .clone()
            .map(&mut |atom| format!("({})", conditions[atom.0 as usize].text));
        let text = text.to_string();
        let is_one = |path: &[Cut]| all.iter().any(|other| other == path);
        for (modality, answer, example) in [
            (PatternModality::PossiblyLtl, possible, true),
            (PatternModality::NeverLtl, !possible, true),
            (PatternModality::DefinitelyLtl, definite, false),
            (PatternModality::AlwaysLtl, definite, false),
        ] {
            let pattern = Pattern::ltl(modality, &text).unwrap_or_else(|e| panic!("{text}: {e}"));
            let shows = |path: &[Cut]| is_one(path) && holds(path) == example;
            check(&pattern, &computation, defined.then_some(answer), &shows);
        }
    });
    if !mazurka_seeds::are_chosen() {
        let counts = [some, all_of_them, none].map(AtomicU64::into_inner);
        assert!(counts.iter().all(|count| *count > 20), "{counts:?}");
    }
}
