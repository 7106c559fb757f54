//! Random Promela models against SPIN: the generator itself.
//!
//! A generator that SPIN refuses, or whose models all give the same answer, tests
//! nothing. SPIN must accept (almost) all models of each profile and finish, and each
//! profile must show every kind of verdict that it is made for.

use mazurka_testkit::promela::{Shape, random_program};
use mazurka_testkit::seeds;
use mazurka_testkit::spin::{ALL_STATES, ErrorKind, Options, Refused, Run, Spin};
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::Duration;

/// The number of models with each feature, by name.
#[derive(Default)]
struct Tally(Mutex<BTreeMap<String, u64>>);

impl Tally {
    fn add(&self, name: impl Into<String>) {
        *self.0.lock().unwrap().entry(name.into()).or_default() += 1;
    }

    fn of(&self, name: &str) -> u64 {
        self.0.lock().unwrap().get(name).copied().unwrap_or_default()
    }

    /// Fails unless at least `least` of a hundred models had this feature. A run with few
    /// seeds is not judged.
    fn at_least(&self, least: u64, name: &str) {
        let (count, all) = (self.of(name), self.of("all"));
        assert!(all < 20 || count * 100 >= least * all, "{name}: {count} of {all}");
    }

    fn at_most(&self, most: u64, name: &str) {
        let (count, all) = (self.of(name), self.of("all"));
        assert!(
            count <= 1 || all < 20 || count * 100 <= most * all,
            "{name}: {count} of {all}"
        );
    }
}

/// Runs the models of many seeds with these `arguments` of the verifier.
fn survey(cases: u64, shape: &Shape, compile: &[&str], arguments: &[&str]) -> Option<Tally> {
    let spin = Spin::find()?;
    let tally = Tally::default();
    seeds(cases, |seed| {
        let model = random_program(seed, shape).to_string();
        tally.add("all");
        // Every verifier stops at this many megabytes.
        let compile: Vec<&str> = compile.iter().copied().chain(["-DMEMLIM=100"]).collect();
        let options = Options {
            generate: ALL_STATES,
            compile: &compile,
        };
        let verifier = match spin.verifier(&model, &options) {
            Ok(verifier) => verifier,
            Err(Refused::Model(said) | Refused::Verifier(said)) => {
                eprintln!("seed {seed} is refused: {}", said.lines().next().unwrap_or_default());
                return tally.add("refused");
            }
        };
        count(&tally, &verifier.run(arguments, Duration::from_secs(60)));
    });
    println!("{:?}", tally.0.lock().unwrap());
    tally.at_most(2, "refused");
    tally.at_most(8, "truncated");
    Some(tally)
}

fn count(tally: &Tally, run: &Run) {
    if run.states == 0 && run.found.is_empty() {
        // The verifier itself refuses some models, for instance two `else` in a choice.
        eprintln!("no verdict: {}", run.text.lines().next().unwrap_or_default());
        return tally.add("refused");
    }
    if run.truncated && run.found.is_empty() {
        tally.add("truncated");
    }
    let verdict = if run.found.is_empty() { "holds" } else { "violated" };
    tally.add(verdict);
    for kind in run
        .found
        .iter()
        .map(|f| f.kind)
        .collect::<std::collections::BTreeSet<_>>()
    {
        tally.add(format!("{kind:?}"));
    }
    if run.states >= 100 {
        tally.add("hundred states");
    }
}

/// The features that should occur, and the texts that show them.
const FEATURES: &[(&str, &str)] = &[
    ("atomic", "atomic {"),
    ("d_step", "d_step {"),
    ("unless", "} unless {"),
    ("rendezvous", "= [0] of"),
    ("buffered", "= [1] of"),
    ("sorted send", "!!"),
    ("random receive", "??"),
    ("copy receive", "?<"),
    ("poll", "?["),
    ("eval", "eval("),
    ("carried channel", "{ chan }"),
    ("channel parameter", "chan q"),
    ("record", "typedef"),
    ("message record", "of { Pair }"),
    ("for", "for ("),
    ("for in", " in "),
    ("select", "select("),
    ("goto", "goto"),
    ("timeout", "timeout"),
    ("else", "else"),
    ("run", "run "),
    ("priority", "priority"),
    ("provided", "provided"),
    ("inline", "inline"),
    ("macro", "#define"),
    ("mtype", "mtype"),
    ("unsigned", "unsigned"),
    ("scope", "    {\n"),
    ("remote reference", "@at"),
    ("instances", "active [2]"),
];

#[test]
fn models_for_safety_are_accepted_and_varied() {
    let Some(tally) = survey(20, &Shape::safety(), &["-DSAFETY"], &["-c0", "-n"]) else {
        return;
    };
    tally.at_least(40, "holds");
    tally.at_least(15, "violated");
    tally.at_least(5, "Assertion");
    tally.at_least(5, "InvalidEndState");
    tally.at_least(35, "hundred states");
}

#[test]
fn models_for_safety_have_all_features() {
    let models: Vec<String> = (0..150)
        .map(|seed| random_program(seed, &Shape::safety()).to_string())
        .collect();
    for (name, pattern) in FEATURES {
        assert!(
            models.iter().any(|model| model.contains(pattern)),
            "no model has {name}"
        );
    }
}

#[test]
fn counted_models_have_no_faults() {
    let Some(tally) = survey(20, &Shape::counted(), &["-DSAFETY"], &["-c0", "-n"]) else {
        return;
    };
    for name in ["atomic", "d_step", "Index", "Division", "Execution"] {
        assert_eq!(tally.of(name), 0, "{name}");
    }
}

#[test]
fn formulas_hold_and_are_violated() {
    let Some(tally) = survey(20, &Shape::ltl(), &[], &["-a", "-n"]) else {
        return;
    };
    tally.at_least(10, "holds");
    tally.at_least(10, "violated");
    tally.at_least(5, "AcceptanceCycle");
}

#[test]
fn claims_hold_and_are_violated() {
    let Some(tally) = survey(20, &Shape::never(), &[], &["-a", "-A", "-n"]) else {
        return;
    };
    tally.at_least(10, "holds");
    tally.at_least(10, "AcceptanceCycle");
    assert!(tally.of("all") < 20 || tally.of("ClaimCompleted") > 0);
}

#[test]
fn cycles_are_accepted_and_without_progress() {
    let Some(tally) = survey(20, &Shape::cycles(), &[], &["-a", "-A", "-E", "-n"]) else {
        return;
    };
    tally.at_least(5, "AcceptanceCycle");
    let tally = survey(20, &Shape::cycles(), &["-DNP"], &["-l", "-A", "-E", "-n"]).expect("SPIN is there");
    tally.at_least(5, "NonProgressCycle");
    tally.at_least(1, "holds");
}

#[test]
fn trace_assertions_hold_and_are_violated() {
    let Some(tally) = survey(20, &Shape::trace(), &["-DSAFETY"], &["-c0", "-A", "-E", "-n"]) else {
        return;
    };
    tally.at_least(5, "Trace");
    tally.at_least(5, "holds");
    assert!(tally.of("all") < 20 || !tally.0.lock().unwrap().contains_key(&format!("{:?}", ErrorKind::Index)));
}
