//! Counterexamples as traces: every consistent cut of the trace is a state that the model can be in.
//!
//! The naive side shares nothing with the export but the names of variables. It parses the lines as JSON, lists all cuts
//! by definition, and takes the states from a search with the plain interpreter.

use mazurka_promela::plain::{Interpreter, State};
use mazurka_promela::verify::{Checked, Options, Property, ShownStep, Violation, check};
use mazurka_promela::{Model, load};
use mazurka_report::check::{CheckedModel, counterexample_trace};
use mazurka_seeds::seeds;
use mazurka_testkit::promela::{Shape, random_program, random_races};
use mazurka_trace::{ImportOptions, Input, count_cuts, import};
use serde_json::Value;
use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};

/// Models with more states, and traces with more cuts, are skipped.
const MOST_STATES: usize = 1_500;
const MOST_CUTS: usize = 500;

/// The values of variables, by their names.
type Values = HashMap<String, String>;

/// A line of a trace.
struct Line {
    process: String,
    vars: Vec<(String, String)>,
    /// The lines whose messages it receives, and the previous line of its process, by number.
    causes: Vec<usize>,
}

/// The initial values, and the events. A variable of a process is called `P[1]:x` in a state, a shared one `x`.
fn parsed(text: &str, names: &HashSet<&str>) -> (Values, Vec<Line>) {
    let (mut initial, mut lines): (_, Vec<Line>) = (Values::new(), Vec::new());
    let mut sent: HashMap<String, usize> = HashMap::new();
    for line in text.lines() {
        let record: Value = serde_json::from_str(line).expect("JSON");
        let process = record["process"].as_str().expect("a name").to_owned();
        let as_text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let called = |name: &String| {
            let own = format!("{process}:{name}");
            if names.contains(&*own) { own } else { name.clone() }
        };
        let vars = record["vars"].as_object().expect("variables").iter();
        let vars: Vec<_> = vars.map(|(name, value)| (called(name), as_text(value))).collect();
        if record["init"] == true {
            initial.extend(vars);
            continue;
        }
        let names = |key: &str| -> Vec<String> {
            let list = record[key].as_array().into_iter().flatten();
            list.map(|name| name.as_str().expect("a name").to_owned()).collect()
        };
        let mut causes: Vec<usize> = names("recv").iter().map(|name| sent[name]).collect();
        causes.extend(lines.iter().rposition(|line: &Line| line.process == process));
        sent.extend(names("send").into_iter().map(|name| (name, lines.len())));
        lines.push(Line { process, vars, causes });
    }
    (initial, lines)
}

/// All consistent cuts, each as the lines in it.
fn cuts(lines: &[Line]) -> Option<Vec<Vec<bool>>> {
    let mut found = vec![vec![false; lines.len()]];
    let mut known: HashSet<Vec<bool>> = found.iter().cloned().collect();
    let mut at = 0;
    while at < found.len() {
        for k in 0..lines.len() {
            let cut = &found[at];
            if !cut[k] && lines[k].causes.iter().all(|cause| cut[*cause]) {
                let mut larger = cut.clone();
                larger[k] = true;
                if known.insert(larger.clone()) {
                    found.push(larger);
                }
            }
        }
        at += 1;
        if found.len() > MOST_CUTS {
            return None;
        }
    }
    Some(found)
}

/// The states of a model. For each, whether no process is inside an `atomic`, so that every process may move.
fn reachable(interpreter: &Interpreter<'_>) -> Option<Vec<(Values, bool)>> {
    let initial = interpreter.initial().ok()?;
    let mut known: HashSet<State> = HashSet::from([initial.clone()]);
    let mut queue = VecDeque::from([initial]);
    let mut all = Vec::new();
    while let Some(state) = queue.pop_front() {
        for step in interpreter.steps(&state) {
            if let Ok(next) = interpreter.execute(&state, &step)
                && known.insert(next.clone())
            {
                queue.push_back(next);
            }
        }
        all.push((
            interpreter.describe(&state).into_iter().collect(),
            state.exclusive.is_none(),
        ));
        if known.len() > MOST_STATES {
            return None;
        }
    }
    Some(all)
}

/// Whether a state has the values that a cut shows. A state lacks the variables of a process that has ended.
fn shows(state: &Values, cut: &Values) -> bool {
    let is_over = |name: &str| cut.get(name).is_some_and(|value| value == "(ended)");
    cut.iter().all(|(name, value)| match state.get(name) {
        Some(found) => found == value,
        None => is_over(name.split(':').next().unwrap_or(name)),
    })
}

/// The values that a cut shows, by the names in states. A shared variable has the value of the last event that assigns
/// it.
fn values(initial: &Values, lines: &[Line], cut: &[bool]) -> Values {
    let members = lines.iter().zip(cut).filter(|(_, member)| **member);
    let assigned = members.flat_map(|(line, _)| &line.vars).cloned();
    initial.clone().into_iter().chain(assigned).collect()
}

/// The features of a counterexample, to count how often each occurs.
fn features(violation: &Violation) -> [bool; 5] {
    let any = |test: &dyn Fn(&ShownStep) -> bool| violation.steps.iter().any(test);
    [
        any(&|step| step.inside),
        any(&|step| step.exchange.as_ref().is_some_and(|e| e.partner.is_some())),
        any(&|step| step.exchange.as_ref().is_some_and(|e| e.partner.is_none())),
        any(&|step| step.statement.contains("run ")),
        any(&|step| step.causes.len() > 1),
    ]
}

/// Whether several processes assign variables of their own in what is one step for others. In a trace, these are several
/// events.
fn assign_at_once(violation: &Violation) -> bool {
    let mut owners: HashSet<&str> = HashSet::new();
    violation.steps.iter().any(|step| {
        owners.extend(
            step.changes
                .iter()
                .filter_map(|(name, _)| Some(name.split_once(':')?.0)),
        );
        let several = owners.len() > 1;
        if !step.inside {
            owners.clear();
        }
        several && !step.statement.contains("run ")
    })
}

/// The number of cuts that were compared. None if there is no counterexample or there are too many cuts.
fn round_trip(text: &str, model: &Model) -> Option<(usize, [bool; 5])> {
    // First, because it tells whether the model is small.
    let interpreter = Interpreter::new(model);
    let states = reachable(&interpreter)?;
    let result = check(model, &Property::Safety, &Options::default()).ok()?;
    let checked = Checked::new(vec![result]);
    let violation = checked.properties[0].violations.first()?;
    if assign_at_once(violation) {
        return None;
    }
    let initial = interpreter.describe(&interpreter.initial().ok()?);
    let names = states
        .iter()
        .flat_map(|(state, _)| state.keys())
        .map(String::as_str)
        .collect();
    let view = CheckedModel {
        model: "m.pml",
        sources: &model.sources,
        initial: &initial,
        checked: &checked,
    };
    let trace = counterexample_trace(&view, violation);
    let (first, lines) = parsed(&trace, &names);
    let cuts = cuts(&lines)?;
    // `detect` sees the same cuts.
    let input = Input::Text {
        name: "trace".to_owned(),
        bytes: trace.clone().into_bytes(),
    };
    let imported = import(input, &ImportOptions::default()).unwrap_or_else(|error| panic!("{error}\n{text}\n{trace}"));
    let counted = count_cuts(&imported.executions[0].computation, 1, Default::default());
    assert_eq!(counted.counted, cuts.len() as u64, "{text}\n{trace}");
    for cut in &cuts {
        let values = values(&first, &lines, cut);
        // The last step may fail inside an `atomic`.
        let is_last = cut.last() == Some(&true);
        let mut fitting = states.iter().filter(|(state, _)| shows(state, &values));
        assert!(
            fitting.any(|(_, visible)| *visible || is_last),
            "no state of\n{text}\nhas {:?} after the events {:?} of\n{trace}",
            values.into_iter().collect::<BTreeMap<_, _>>(),
            cut.iter()
                .enumerate()
                .filter(|(_, member)| **member)
                .map(|(k, _)| k + 1)
                .collect::<Vec<_>>(),
        );
    }
    Some((cuts.len(), features(violation)))
}

/// Adds a process that fails when no other process can move.
fn watched(text: &str) -> String {
    format!("{text}\nactive proctype Watcher() {{ timeout; assert(false) }}\n")
}

#[test]
fn every_cut_of_a_counterexample_is_a_state_of_the_model() {
    let (tried, all_cuts) = (AtomicU64::new(0), AtomicU64::new(0));
    let with: [AtomicU64; 5] = Default::default();
    let shape = Shape {
        faults: 0,
        // Names of processes are used again, but a trace tells processes apart by their names.
        ends: false,
        ..Shape::safety()
    };
    let one = |text: String| {
        let Ok(loaded) = load("m.pml", &text, &mazurka_promela::Options::default()) else {
            return;
        };
        if let Some((cuts, found)) = round_trip(&text, &loaded.model) {
            tried.fetch_add(1, Ordering::Relaxed);
            all_cuts.fetch_add(cuts as u64, Ordering::Relaxed);
            for (count, found) in with.iter().zip(found) {
                count.fetch_add(u64::from(found), Ordering::Relaxed);
            }
        }
    };
    seeds(250, |seed| {
        one(watched(&random_program(seed, &shape).to_string()));
        one(watched(&random_races(seed)));
    });
    if !mazurka_seeds::are_chosen() {
        let with = with.map(AtomicU64::into_inner);
        println!("{tried:?} traces, {all_cuts:?} cuts, with each feature {with:?}");
        assert!(
            tried.into_inner() > 60 && with.iter().all(|count| *count > 5),
            "{with:?}"
        );
    }
}

/// Models that showed that the text of statements does not tell which steps depend on which.
#[test]
fn what_a_receive_compares_with_is_read() {
    for text in [
        "chan c = [1] of { byte }; byte g, r;\n\
         active proctype S() { c!1 }\n\
         active proctype R() { c?eval(g); r = 1; assert(false) }\n\
         active proctype G() { g = 1 }\n",
        "chan c = [0] of { byte }; byte g, r, s;\n\
         active proctype S() { c!1; s = 1 }\n\
         active proctype R() { c?r; g = r; assert(s == 0) }\n",
        "byte g, r, x; active proctype P() { atomic { g = 1; x = 1; g = 2 } }\n\
         active proctype Q() { x == 1; r = g; assert(false) }\n",
    ] {
        let model = load("m.pml", text, &mazurka_promela::Options::default())
            .expect("a model")
            .model;
        let (cuts, _) = round_trip(text, &model).expect("a counterexample");
        assert!(cuts > 3, "{cuts}");
    }
}
