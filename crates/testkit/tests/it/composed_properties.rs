//! Several safety automata, invariants and assertions at once.
//!
//! The engine composes automata with the model and turns invariants into
//! monitors. Here the same model is built twice, with its properties and
//! without. The state space of the model without properties decides the properties
//! by their definitions: automata read the labels of all sequences (as a product,
//! by hand), formulas are evaluated in all states. Every search of the model with
//! properties must agree, and the properties must not change any other answer.

use fastrand::Rng;
use mazurka_core::{
    Algorithm, Builder, Channel, ChannelType, Configuration, Local, Lock, Model, Order, ProcessId, Prop, ProvisoKind,
    SafetyAutomaton, Search, Storage, TransitionId, Variable, Verdict, assert,
};
use mazurka_testkit::{StateSpace, seeds};
use std::collections::BTreeSet;

/// An automaton as plain data.
#[derive(Clone, Debug)]
struct Automaton {
    name: String,
    states: usize,
    /// From, label, to.
    edges: Vec<(usize, &'static str, usize)>,
}

/// An invariant: this process is never at this point while the variable has this value.
#[derive(Clone, Debug)]
struct Never {
    name: String,
    process: usize,
    point: usize,
    value: Option<i64>,
}

#[derive(Clone, Debug)]
struct Properties {
    automata: Vec<Automaton>,
    invariants: Vec<Never>,
}

const LABELS: [&str; 3] = ["a", "b", "c"];

fn properties(rng: &mut Rng, points: &[usize]) -> Properties {
    let automata = (0..rng.usize(1..=3)).map(|k| {
        let states = rng.usize(1..=3);
        let mut edges = Vec::new();
        for label in &LABELS[..rng.usize(1..=3)] {
            // A label is in the alphabet if it has at least one edge.
            let must = rng.usize(..states);
            for from in 0..states {
                if from == must || rng.u8(..100) < 60 {
                    edges.push((from, *label, rng.usize(..states)));
                }
            }
        }
        Automaton {
            name: format!("automaton {k}"),
            states,
            edges,
        }
    });
    let automata = automata.collect();
    let invariants = (0..rng.usize(..=2)).map(|k| {
        let process = rng.usize(..points.len());
        Never {
            name: format!("never {k}"),
            process,
            point: rng.usize(..points[process]),
            value: rng.bool().then(|| rng.i64(0..2)),
        }
    });
    Properties {
        invariants: invariants.collect(),
        automata,
    }
}

/// The objects of a model: the first is the variable that invariants read.
struct Objects {
    x: Variable,
    q: Channel,
    l: Lock,
}

/// The model of a seed.
fn write(seed: u64, with_properties: bool) -> (Model, Properties) {
    let mut rng = Rng::with_seed(seed);
    let mut m = Builder::new("composed");
    let objects = Objects {
        x: m.boolean("x"),
        q: m.channel("q", ChannelType::bounded(rng.usize(1..=2)).messages(0..=1)),
        l: m.lock("l"),
    };
    let processes: Vec<Vec<Local>> = (0..rng.usize(2..=3))
        .map(|p| {
            let points: Vec<String> = (0..rng.usize(2..=3)).map(|k| format!("p{p}.{k}")).collect();
            m.process_of(format!("P{p}"), points)
        })
        .collect();
    write_transitions(&mut rng, &mut m, &objects, &processes);
    let sizes: Vec<usize> = processes.iter().map(Vec::len).collect();
    let stated = properties(&mut rng, &sizes);
    if with_properties {
        stated.write(&mut m, &objects.x, &processes);
    }
    (m.build().unwrap_or_else(|e| panic!("seed {seed}: {e}")), stated)
}

fn write_transitions(rng: &mut Rng, m: &mut Builder, Objects { x, q, l }: &Objects, processes: &[Vec<Local>]) {
    let mut count = 0;
    for points in processes {
        for from in points {
            for _ in 0..rng.usize(..=2) {
                let to = points[rng.usize(..points.len())];
                let draft = m.transition(format!("t{count}"), *from, to);
                count += 1;
                if rng.u8(..100) < 60 {
                    draft.label(LABELS[rng.usize(..3)]);
                }
                match rng.u8(..12) {
                    0 => draft.then(x.complement()),
                    1 => draft.then(x.write(rng.i64(0..2))),
                    2 => draft.when(x.is(rng.i64(0..2))),
                    3 => draft.when(!q.is_full()).then(q.send(*x)),
                    4 => draft.then(q.receive_into(*x)),
                    5 => draft.then(l.acquire()),
                    6 => draft.then(l.release()),
                    7 => draft.then(assert(x.is(0), format!("assertion {count}"))),
                    _ => draft,
                };
            }
        }
        if rng.bool() {
            m.may_end_at(points[points.len() - 1]);
        }
    }
    let (a, b) = (&processes[0], &processes[1]);
    m.transition("joint", [a[0], b[0]], [a[rng.usize(..a.len())], b[1]])
        .label(LABELS[rng.usize(..3)]);
    // Every label belongs to some transition, even if that is never enabled.
    for label in LABELS {
        m.transition(format!("never {label}"), a[0], a[0])
            .label(label)
            .when(x.is(5));
    }
}

impl Properties {
    /// Adds the properties to a model.
    fn write(&self, m: &mut Builder, x: &Variable, processes: &[Vec<Local>]) {
        for automaton in &self.automata {
            let name = |k: usize| format!("q{k}");
            let mut built = SafetyAutomaton::new(&automaton.name, (0..automaton.states).map(name));
            for (from, label, to) in &automaton.edges {
                built = built.edge(name(*from), *label, name(*to));
            }
            m.safety_automaton(built);
        }
        for never in &self.invariants {
            let here: Prop = processes[never.process][never.point].reached();
            m.invariant(
                &never.name,
                match never.value {
                    Some(value) => !(here & x.is(value)),
                    None => !here,
                },
            );
        }
    }
}

impl Automaton {
    /// `None` is a violation. A label that is on no edge is ignored.
    fn step(&self, state: usize, label: &str) -> Option<usize> {
        if self.edges.iter().all(|(_, l, _)| *l != label) {
            return Some(state);
        }
        let edge = self.edges.iter().find(|(from, l, _)| *from == state && *l == label);
        edge.map(|(_, _, to)| *to)
    }

    /// Whether some sequence of labels is not accepted.
    fn is_violated(&self, model: &Model, space: &StateSpace) -> bool {
        let mut seen = BTreeSet::from([(0, 0)]);
        let mut work = vec![(0, 0)];
        while let Some((state, q)) = work.pop() {
            for (t, next) in space.edges(state) {
                let Some(to) = self.step(q, model.label(t)) else {
                    return true;
                };
                if seen.insert((next, to)) {
                    work.push((next, to));
                }
            }
        }
        false
    }
}

impl Never {
    fn is_violated(&self, model: &Model, space: &StateSpace) -> bool {
        let process = ProcessId::new(self.process);
        let here = mazurka_core::LocalId::new(model.initial_local(process).index() + self.point);
        let bad = |s: &Configuration| {
            s.control[self.process] == here && self.value.is_none_or(|value| s.values[0] == [value])
        };
        space.states.iter().any(bad)
    }
}

/// The expected findings, from the model without properties.
#[derive(Debug, PartialEq, Eq)]
struct Answers {
    violated: BTreeSet<String>,
    deadlocks: BTreeSet<Configuration>,
    terminations: u64,
    dead: BTreeSet<String>,
    unreached: BTreeSet<String>,
}

fn expected(plain: &Model, space: &StateSpace, stated: &Properties) -> Answers {
    let automata = stated.automata.iter().filter(|a| a.is_violated(plain, space));
    let nevers = stated.invariants.iter().filter(|n| n.is_violated(plain, space));
    let assertions = space.violated.iter().map(|p| &plain.properties()[p.index()].name);
    let violated = automata
        .map(|a| &a.name)
        .chain(nevers.map(|n| &n.name))
        .chain(assertions);
    let (executed, reached) = (space.executed(), space.reached());
    let ends = |s: &Configuration| s.control.iter().all(|l| plain.is_end(*l));
    let (ended, stuck): (Vec<_>, Vec<_>) = space.deadlocks(plain).into_iter().partition(ends);
    Answers {
        violated: violated.cloned().collect(),
        deadlocks: stuck.into_iter().collect(),
        terminations: ended.len() as u64,
        dead: (0..plain.transitions())
            .map(TransitionId::new)
            .filter(|t| !executed.contains(t))
            .map(|t| plain.transition_name(t).into())
            .collect(),
        unreached: (0..plain.locals())
            .map(mazurka_core::LocalId::new)
            .filter(|l| !reached.contains(l))
            .map(|l| plain.local_name(l).into())
            .collect(),
    }
}

/// What a search of the model with properties finds.
fn found(plain: &Model, model: &Model, search: &Search<'_>) -> Answers {
    let outcome = search.run().unwrap_or_else(|e| panic!("{e}: {search:?}"));
    assert!(outcome.is_complete(), "{search:?}");
    assert_ne!(
        outcome.verdict == Verdict::Holds,
        !outcome.deadlocks.is_empty() || !outcome.violations.is_empty()
    );
    let mut violated = BTreeSet::new();
    for violation in &outcome.violations {
        let name = &model.properties()[violation.property.expect("no fault").index()].name;
        assert!(violated.insert(name.clone()), "`{name}` is reported twice: {search:?}");
    }
    let without_monitors = |s: &Configuration| Configuration {
        control: s.control[..plain.processes()].to_vec(),
        values: s.values.clone(),
    };
    let coverage = outcome.coverage.clone().expect("the search can tell");
    Answers {
        violated,
        deadlocks: outcome.deadlocks.iter().map(|d| without_monitors(&d.state)).collect(),
        terminations: outcome.terminations,
        dead: coverage.dead_transitions.into_iter().collect(),
        unreached: coverage.unreached.iter().map(|l| model.local_name(*l).into()).collect(),
    }
}

fn searches(model: &Model) -> Vec<Search<'_>> {
    let mut all = vec![
        Search::full(model),
        Search::full(model).sleep(true),
        Search::full(model).order(Order::BreadthFirst),
        Search::full(model).order(Order::BreadthFirst).sleep(true),
        Search::new(model).store(Storage::Cache(1000)),
    ];
    for algorithm in [
        Algorithm::Conflicting,
        Algorithm::Overman,
        Algorithm::Stubborn,
        Algorithm::Conditional,
    ] {
        let search = Search::new(model).persistent(algorithm);
        all.push(search.clone());
        all.push(search.clone().proviso(ProvisoKind::Stack));
        all.push(search.proviso(ProvisoKind::Stack).sleep(true));
    }
    all
}

#[test]
fn properties_are_violated_as_their_definitions_say_and_change_nothing_else() {
    seeds(400, |seed| {
        let (plain, stated) = write(seed, false);
        let (model, _) = write(seed, true);
        let Some(space) = StateSpace::explore(&plain, 150) else {
            return;
        };
        let expected = expected(&plain, &space, &stated);
        for search in searches(&model) {
            assert_eq!(found(&plain, &model, &search), expected, "{stated:?}: {search:?}");
        }
    });
}
