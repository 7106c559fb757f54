//! Random Promela models: our verdicts and state counts against SPIN's.
//!
//! On our side, the plain interpreter visits every state of the tree, and the compiled form
//! is searched with its reductions. SPIN searches without reduction. A model on which they
//! disagree is shrunk before it is shown.
//!
//! SPIN goes on after a violated assertion, and after a fault in a state that is no
//! longer the model's. So if there is a failure, only the failure is compared. Otherwise, invalid
//! end states and the number of states are compared.

use mazurka_core::Strategy;
use mazurka_promela::RuntimeError;
use mazurka_promela::plain::{Explored, Interpreter, ViolationKind, explore};
use mazurka_promela::verify::{self, Property, Reduction, Verdict};
use mazurka_promela::{Model, load};
use mazurka_testkit::promela::{Program, Shape, random_program, random_races};
use mazurka_testkit::seeds;
use mazurka_testkit::spin::{ALL_STATES, ErrorKind, Options, Run, Spin};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Models with more states than this are skipped.
const LIMIT: usize = 8_000;

/// How two answers differ: the subject, and the details, which are printed.
#[derive(Debug)]
struct Disagreement(&'static str, #[allow(dead_code)] String);

/// The outcome of a comparison; `None` if the model is too large, or SPIN refuses it.
type Compared = Result<Option<()>, Disagreement>;

fn loaded(text: &str) -> Result<Model, Disagreement> {
    match load("random.pml", text, &mazurka_promela::Options::default()) {
        Ok(loaded) => Ok(loaded.model),
        Err(errors) => Err(Disagreement("refused", errors.to_string())),
    }
}

fn explored(model: &Model) -> Result<Option<Explored>, Disagreement> {
    match explore(&Interpreter::new(model), LIMIT) {
        Ok(explored) => Ok(Some(explored).filter(|e| e.complete)),
        Err(error) => Err(Disagreement("start", format!("{error:?}"))),
    }
}

/// What SPIN finds, if it accepts the model and finishes.
fn spin_says(spin: Spin, text: &str, compile: &[&str], arguments: &[&str]) -> Option<Run> {
    spin_generated(spin, text, ALL_STATES, compile, arguments)
}

/// What SPIN finds with these arguments of `spin -a`.
fn spin_generated(spin: Spin, text: &str, generate: &[&str], compile: &[&str], arguments: &[&str]) -> Option<Run> {
    let options = Options { generate, compile };
    let run = spin
        .verifier(text, &options)
        .ok()?
        .run(arguments, Duration::from_secs(60));
    let conclusive = !run.found.is_empty() || (run.states > 0 && !run.truncated);
    conclusive.then_some(run)
}

/// Compares the model of every seed, and shrinks those that fail.
fn compare(cases: u64, shape: &Shape, comparison: impl Fn(Spin, &str) -> Compared + Sync) {
    let Some(spin) = Spin::find() else { return };
    let (compared, all) = (AtomicU64::new(0), AtomicU64::new(0));
    seeds(cases, |seed| {
        let program = random_program(seed, shape);
        all.fetch_add(1, Ordering::Relaxed);
        match comparison(spin, &program.to_string()) {
            Ok(Some(())) => {
                compared.fetch_add(1, Ordering::Relaxed);
            }
            Ok(None) => {}
            Err(Disagreement(what, _)) => {
                let same = |p: &Program| matches!(comparison(spin, &p.to_string()), Err(d) if d.0 == what);
                let small = program.shrink(same);
                let shown = comparison(spin, &small.to_string());
                panic!("seed {seed}: {shown:?}\n{small}");
            }
        }
    });
    let (compared, all) = (compared.into_inner(), all.into_inner());
    println!("{compared} of {all} models compared");
    assert!(all < 20 || compared * 2 > all, "only {compared} of {all}");
}

/// The kind of models to compare.
#[derive(Clone, Copy, Default)]
struct Kind {
    /// The states are counted in the same way.
    counted: bool,
    /// Full channels lose messages.
    lossy: bool,
}

fn safety(spin: Spin, text: &str, Kind { counted, lossy }: Kind) -> Compared {
    let generate: &[&str] = match lossy {
        true => &["-m", "-o1", "-o2", "-o3"],
        false => ALL_STATES,
    };
    // A text that SPIN refuses is no model. Shrinking produces such texts.
    let Some(run) = spin_generated(spin, text, generate, &["-DSAFETY", "-DMEMLIM=200"], &["-c0"]) else {
        return Ok(None);
    };
    let model = Model { lossy, ..loaded(text)? };
    let Some(plain) = explored(&model)? else {
        return Ok(None);
    };
    let errors = plain
        .violations
        .iter()
        .any(|v| matches!(v.kind, ViolationKind::Error(_)));
    let stuck = plain.violations.iter().any(|v| v.kind == ViolationKind::InvalidEnd);
    let spin_errors = run.has(ErrorKind::Assertion) || run.has_fault();
    let spin_stuck = run.has(ErrorKind::InvalidEndState);
    if errors != spin_errors {
        let ours: Vec<_> = plain.violations.iter().map(|v| &v.kind).collect();
        return Err(Disagreement("errors", format!("SPIN {:?}, plain {ours:?}", run.found)));
    }
    if !errors && stuck != spin_stuck {
        return Err(Disagreement("end states", format!("SPIN {spin_stuck}, plain {stuck}")));
    }
    if counted && !errors && plain.stored as u64 != run.states {
        return Err(Disagreement(
            "states",
            format!("SPIN {}, plain {}", run.states, plain.stored),
        ));
    }
    for reduction in [Reduction::None, Reduction::Full] {
        let options = verify::Options {
            reduction,
            ..verify::Options::default()
        };
        let result = verify::check(&model, &Property::Safety, &options);
        let result = result.map_err(|e| Disagreement("no answer", e.to_string()))?;
        let expected = if errors || stuck {
            Verdict::Violated
        } else {
            Verdict::Holds
        };
        if result.verdict != expected {
            let difference = format!("{reduction:?}: {:?}, expected {expected:?}", result.verdict);
            return Err(Disagreement("verdict", difference));
        }
    }
    if counted && !errors && !stuck {
        let measured = verify::measure(&model, None, &Strategy::default());
        let measured = measured.map_err(|e| Disagreement("no answer", e.to_string()))?;
        if measured.statistics.states != run.states {
            let difference = format!("SPIN {}, compiled {}", run.states, measured.statistics.states);
            return Err(Disagreement("compiled states", difference));
        }
    }
    Ok(Some(()))
}

/// Compares a property of infinite executions, in models where nothing else is wrong.
fn infinite(
    spin: Spin,
    text: &str,
    which: impl Fn(&Model) -> Vec<(Property, Vec<String>)>,
    compile: &[&str],
    fair: bool,
) -> Compared {
    let Ok(model) = load("random.pml", text, &mazurka_promela::Options::default()).map(|l| l.model) else {
        return Ok(None);
    };
    let Some(plain) = explored(&model)? else {
        return Ok(None);
    };
    if plain
        .violations
        .iter()
        .any(|v| matches!(v.kind, ViolationKind::Error(_)))
    {
        return Ok(None);
    }
    for (property, arguments) in which(&model) {
        let mut arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        arguments.extend(fair.then_some("-f"));
        let Some(run) = spin_says(spin, text, compile, &arguments) else {
            return Ok(None);
        };
        // For some claims, SPIN with -f misses executions that end.
        if fair && plain.stopped > 0 && run.found.is_empty() {
            continue;
        }
        for reduction in [Reduction::None, Reduction::Full] {
            let options = verify::Options {
                reduction,
                fair,
                ..verify::Options::default()
            };
            let result = verify::check(&model, &property, &options);
            let result = result.map_err(|e| Disagreement("no answer", e.to_string()))?;
            let expected = if run.found.is_empty() {
                Verdict::Holds
            } else {
                Verdict::Violated
            };
            if result.verdict != expected {
                let difference = format!(
                    "{}, {reduction:?}: {:?}, SPIN {:?}",
                    result.name, result.verdict, run.found
                );
                return Err(Disagreement("verdict", difference));
            }
        }
    }
    Ok(Some(()))
}

fn arguments(of: &[&str]) -> Vec<String> {
    of.iter().map(|a| a.to_string()).collect()
}

#[test]
fn the_same_errors_and_end_states() {
    compare(10, &Shape::safety(), |spin, text| safety(spin, text, Kind::default()));
}

#[test]
fn the_same_things_go_wrong() {
    compare(6, &Shape::faulty(), |spin, text| safety(spin, text, Kind::default()));
}

#[test]
fn the_same_races() {
    let Some(spin) = Spin::find() else { return };
    let compared = AtomicU64::new(0);
    seeds(10, |seed| {
        let text = random_races(seed);
        match safety(spin, &text, Kind::default()) {
            Ok(Some(())) => drop(compared.fetch_add(1, Ordering::Relaxed)),
            Ok(None) => {}
            Err(disagreement) => panic!("seed {seed}: {disagreement:?}\n{text}"),
        }
    });
    let compared = compared.into_inner();
    println!("{compared} models compared");
    assert!(compared > 0 || std::env::var_os("MAZURKA_SEED").is_some());
}

#[test]
fn the_same_errors_where_messages_are_lost() {
    let kind = Kind {
        lossy: true,
        ..Kind::default()
    };
    compare(6, &Shape::safety(), |spin, text| safety(spin, text, kind));
}

#[test]
fn the_same_number_of_states() {
    let kind = Kind {
        counted: true,
        ..Kind::default()
    };
    compare(10, &Shape::counted(), |spin, text| safety(spin, text, kind));
}

/// Trace assertions, in models where nothing else fails.
fn traced(spin: Spin, text: &str) -> Compared {
    let Some(run) = spin_says(spin, text, &["-DSAFETY", "-DMEMLIM=200"], &["-c0", "-E"]) else {
        return Ok(None);
    };
    let model = loaded(text)?;
    let Some(plain) = explored(&model)? else {
        return Ok(None);
    };
    let is_trace = |kind: &ViolationKind| match kind {
        ViolationKind::Error(error) => {
            let kinds = [RuntimeError::TraceMismatch, RuntimeError::TraceMatched];
            Some(kinds.contains(&error.kind))
        }
        ViolationKind::InvalidEnd => None,
    };
    let errors: Vec<bool> = plain.violations.iter().filter_map(|v| is_trace(&v.kind)).collect();
    if errors.contains(&false) || run.found.iter().any(|f| f.kind != ErrorKind::Trace) {
        return Ok(None);
    }
    let ours = !errors.is_empty();
    if ours != run.has(ErrorKind::Trace) {
        return Err(Disagreement("trace", format!("SPIN {:?}, plain {ours}", run.found)));
    }
    for reduction in [
        Reduction::None,
        Reduction::Sleep,
        Reduction::Persistent,
        Reduction::Full,
    ] {
        let options = verify::Options {
            reduction,
            ..verify::Options::default()
        };
        let result = verify::check(&model, &Property::Assertions, &options);
        let result = result.map_err(|e| Disagreement("no answer", e.to_string()))?;
        if (result.verdict == Verdict::Violated) != ours {
            let difference = format!("{reduction:?}: {:?}, SPIN {:?}", result.verdict, run.found);
            return Err(Disagreement("verdict", difference));
        }
    }
    Ok(Some(()))
}

#[test]
fn the_same_trace_assertions_hold() {
    compare(10, &Shape::trace(), traced);
}

#[test]
fn the_same_formulas_hold() {
    let formulas = |model: &Model| {
        // Not with -A, because SPIN turns some formulas into assertions.
        let run = |name: &str| arguments(&["-a", "-N", name]);
        let all = model.ltl.iter().cloned();
        all.map(|ltl| (Property::Ltl(ltl.clone()), run(&ltl.name))).collect()
    };
    compare(6, &Shape::ltl(), |spin, text| {
        infinite(spin, text, formulas, &[], false)
    });
    compare(6, &Shape::ltl(), |spin, text| {
        infinite(spin, text, formulas, &["-DNFAIR=4"], true)
    });
}

#[test]
fn the_same_claims_hold() {
    let never = |model: &Model| {
        let all = model.never.iter().map(|_| (Property::Never, arguments(&["-a", "-A"])));
        all.collect()
    };
    compare(6, &Shape::never(), |spin, text| infinite(spin, text, never, &[], false));
}

#[test]
fn the_same_cycles() {
    let acceptance = |_: &Model| vec![(Property::Acceptance, arguments(&["-a", "-A", "-E"]))];
    compare(5, &Shape::cycles(), |spin, text| {
        infinite(spin, text, acceptance, &[], false)
    });
    let progress = |_: &Model| vec![(Property::Progress, arguments(&["-l", "-A", "-E"]))];
    compare(5, &Shape::cycles(), |spin, text| {
        infinite(spin, text, progress, &["-DNP"], false)
    });
}
