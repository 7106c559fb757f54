//! Models with more than 64 transitions, in states with more than 64 enabled.
//!
//! The random models of `searches.rs` have at most a few dozen transitions, so
//! that every bit set is one word. Here a few processes have many alternatives at
//! each control point, most of them enabled: sets of transitions, of enabled
//! transitions and of sleeping transitions take two words or three, while the
//! state space stays small. Every supported combination must answer what the
//! naive search answers.

use fastrand::Rng;
use mazurka_core::{
    Algorithm, BuildErrors, Builder, Channel, ChannelType, Configuration, Edge, Enabling, Expr, Independence, Limits,
    Local, LocalId, Lock, Model, Observer, Order, Path, ProvisoKind, Search, Semaphore, SemaphoreType, Storage,
    TransitionId, Variable, VariableType, assert,
};
use mazurka_testkit::definitions::{Edges, IndependenceTable, trace_automaton};
use mazurka_testkit::{StateSpace, seeds};
use std::collections::BTreeSet;
use std::ops::ControlFlow;

const ALGORITHMS: [Algorithm; 6] = [
    Algorithm::AllEnabled,
    Algorithm::Conflicting,
    Algorithm::Overman,
    Algorithm::Stubborn,
    Algorithm::Conditional,
    Algorithm::Weak,
];

/// The objects of a wide model: one of each type, and a variable of a wide domain.
struct Objects {
    x: Variable,
    far: Variable,
    q: Channel,
    s: Semaphore,
    l: Lock,
}

/// Values of `far`, at both ends of its domain.
const FAR: [i64; 2] = [-3, 70_000];

fn objects(m: &mut Builder) -> Objects {
    Objects {
        x: m.boolean("x"),
        far: m.variable("far", VariableType::range(FAR[0]..=FAR[1]).initially(FAR[1])),
        q: m.channel("q", ChannelType::bounded(1).messages(0..=0)),
        s: m.semaphore("s", SemaphoreType::counting(1).at_most(1)),
        l: m.lock("l"),
    }
}

fn guard(rng: &mut Rng, o: &Objects) -> Expr {
    match rng.u8(..9) {
        0 => o.x.is(rng.i64(0..2)),
        1 => !o.x.read(),
        2 => o.far.is(FAR[rng.usize(..2)]),
        3 => o.far.read().lt(0),
        4 => o.q.is_empty(),
        5 => !o.q.is_full(),
        6 => o.s.value().is(rng.i64(0..2)),
        7 => o.l.is_held(),
        _ => !o.l.is_held(),
    }
}

/// The effects of the alternatives.
#[derive(Clone, Copy)]
enum Does {
    /// They only read, so everything else behaves as if they did not exist.
    Nothing,
    /// A few of them have an effect, so that much is enabled and independent.
    Little,
    /// Nearly all of them have an effect.
    Much,
}

/// An alternative from `from` to `to`, with a guard and up to two operations.
fn alternative(rng: &mut Rng, m: &mut Builder, o: &Objects, from: Vec<Local>, to: Vec<Local>, does: Does) {
    let name = format!("t{}", rng.u64(..));
    let who = from[rng.usize(..from.len())];
    let guard = (rng.u8(..100) < 25).then(|| guard(rng, o));
    let message = format!("assertion of {name}");
    let draft = m.transition(name, from, to);
    if let Some(guard) = guard {
        draft.when(guard);
    }
    match match does {
        Does::Nothing => rng.u8(11..60),
        Does::Little => rng.u8(..40),
        Does::Much => rng.u8(..13),
    } {
        0 => draft.then(o.x.write(rng.i64(0..2))),
        1 => draft.then(o.x.complement()),
        2 => draft.then(o.far.write(FAR[rng.usize(..2)])),
        3 => draft.then(o.q.send(0)),
        4 => draft.then(o.q.receive_into(o.x)),
        5 => draft.then(o.s.acquire()),
        6 => draft.then(o.s.release()),
        7 => draft.then(o.l.acquire_by(who)),
        8 => draft.then(o.l.release_by(who)),
        9 => draft.then([o.q.receive(), o.far.write(FAR[rng.usize(..2)])]),
        10 => draft.then(assert(o.far.is(FAR[1]).or(o.x.is(rng.i64(0..2))), message)),
        11..=14 => draft.then(o.x.object().operate(0)),
        _ => draft,
    };
}

/// A model and its state space; the widest state has more than 64 enabled transitions.
fn wide_model(seed: u64, states: usize) -> (Model, StateSpace) {
    let mut rng = Rng::with_seed(seed);
    loop {
        let model = write(&mut rng).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
        let Some(space) = StateSpace::explore(&model, states) else {
            continue;
        };
        let widest = (0..space.states.len()).map(|s| space.enabled(s).count()).max();
        if space.states.len() >= 4 && widest > Some(64) {
            return (model, space);
        }
    }
}

/// Either every process has many alternatives, or, if it is `padded`, the first process has nearly all
/// of them and the others, whose transitions come after 64 others, do what matters.
fn write(rng: &mut Rng) -> Result<Model, BuildErrors> {
    let mut m = Builder::new("wide");
    let o = objects(&mut m);
    let padded = rng.bool();
    let processes: Vec<Vec<Local>> = (0..rng.usize(2..=4))
        .map(|p| {
            let most = if padded && p > 0 { 3 } else { 2 - usize::from(padded) };
            let points = (0..rng.usize(1..=most)).map(|k| format!("p{p}.{k}"));
            m.process_of(format!("P{p}"), points.collect::<Vec<_>>())
        })
        .collect();
    // Sometimes many processes that hardly move, so that the last has a number beyond 64.
    let idle: Vec<Local> = (0..[0, 0, 70][rng.usize(..3)])
        .map(|p| m.process_of(format!("idle{p}"), ["i"])[0])
        .collect();
    alternatives(rng, &mut m, &o, &processes, padded);
    joint_transitions(rng, &mut m, &o, &processes, idle.last().copied());
    if rng.bool() {
        let points = &processes[0];
        let at = points[points.len() - 1].reached();
        m.invariant("inv", !(at & o.far.is(FAR[rng.usize(..2)])));
    }
    m.build()
}

/// The alternatives at each control point: from some of them many lead on, from others few.
fn alternatives(rng: &mut Rng, m: &mut Builder, o: &Objects, processes: &[Vec<Local>], padded: bool) {
    let each = 200 / processes.len();
    for (p, points) in processes.iter().enumerate() {
        for from in points {
            let does = match padded {
                true if p == 0 => Does::Nothing,
                true => Does::Much,
                false => Does::Little,
            };
            let count = match padded {
                true if p == 0 => rng.usize(66..=130),
                true => rng.usize(..=2),
                false if rng.u8(..4) == 0 => 3,
                false => each / points.len(),
            };
            for _ in 0..count {
                let to = points[rng.usize(..points.len())];
                alternative(rng, m, o, vec![*from], vec![to], does);
            }
        }
    }
}

/// A few transitions of two processes, and of this idle one.
fn joint_transitions(rng: &mut Rng, m: &mut Builder, o: &Objects, processes: &[Vec<Local>], idle: Option<Local>) {
    for _ in 0..rng.usize(..4) {
        let mut who: Vec<&Vec<Local>> = processes.iter().collect();
        rng.shuffle(&mut who);
        let mut point = |points: &Vec<Local>| points[rng.usize(..points.len())];
        let mut from: Vec<Local> = who[..2].iter().map(|p| point(p)).collect();
        let mut to: Vec<Local> = who[..2].iter().map(|p| point(p)).collect();
        from.extend(idle);
        to.extend(idle);
        alternative(rng, m, o, from, to, Does::Much);
    }
}

/// All supported depth-first and breadth-first searches with this storage.
fn searches(model: &Model, storage: Storage) -> Vec<Search<'_>> {
    let mut all = Vec::new();
    for algorithm in ALGORITHMS {
        for sleep in [false, true] {
            for proviso in [ProvisoKind::None, ProvisoKind::Stack, ProvisoKind::Component] {
                for order in [Order::DepthFirst, Order::BreadthFirst] {
                    for enabling in [Enabling::Fewest, Enabling::First] {
                        let stubborn = matches!(
                            algorithm,
                            Algorithm::Stubborn | Algorithm::Conditional | Algorithm::Weak
                        );
                        let search = Search::new(model)
                            .persistent(algorithm)
                            .enabling(enabling)
                            .sleep(sleep)
                            .proviso(proviso)
                            .order(order)
                            .store(storage);
                        if search.supported().is_ok() && (stubborn || enabling == Enabling::Fewest) {
                            all.push(search);
                        }
                    }
                }
            }
        }
    }
    all
}

/// What the naive search finds.
struct Expected {
    deadlocks: BTreeSet<Configuration>,
    violated: BTreeSet<usize>,
    dead: BTreeSet<String>,
    unreached: Vec<LocalId>,
}

impl Expected {
    fn new(model: &Model, space: &StateSpace) -> Self {
        let executed = space.executed();
        let reached = space.reached();
        let all = (0..model.transitions()).map(TransitionId::new);
        let locals = (0..model.locals()).map(LocalId::new);
        Self {
            deadlocks: space.deadlocks(model),
            violated: space.violated.iter().map(|p| p.index()).collect(),
            dead: all
                .filter(|t| !executed.contains(t))
                .map(|t| model.transition_name(t).to_string())
                .filter(|name| !name.starts_with("invariant "))
                .collect(),
            unreached: locals
                .filter(|l| !reached.contains(l) && !model.is_monitor(model.process_of(*l)))
                .collect(),
        }
    }

    /// Whether the search could finish; if so, it must agree.
    fn check(&self, search: &Search<'_>) -> bool {
        let outcome = search.run().unwrap_or_else(|e| panic!("{e}: {search:?}"));
        if !outcome.is_complete() {
            return false;
        }
        let found: BTreeSet<Configuration> = outcome.deadlocks.iter().map(|d| d.state.clone()).collect();
        assert_eq!(found, self.deadlocks, "deadlocks: {search:?}");
        let violations = outcome.violations.iter();
        let violated: BTreeSet<usize> = violations.map(|v| v.property.expect("no fault").index()).collect();
        assert!(violated.is_subset(&self.violated), "false alarm: {search:?}");
        assert_eq!(outcome.coverage.is_some(), search.is_trace_automaton(), "{search:?}");
        if let Some(coverage) = &outcome.coverage {
            assert_eq!(violated, self.violated, "violations: {search:?}");
            let dead: BTreeSet<String> = coverage.dead_transitions.iter().cloned().collect();
            assert_eq!(dead, self.dead, "dead transitions: {search:?}");
            assert_eq!(coverage.unreached, self.unreached, "unreached: {search:?}");
        }
        true
    }
}

#[test]
fn searches_of_wide_models_agree_with_the_naive_search() {
    seeds(40, |seed| {
        let (model, space) = wide_model(seed, 40);
        let expected = Expected::new(&model, &space);
        for search in searches(&model, Storage::Exact) {
            assert!(expected.check(&search), "no limit: {search:?}");
        }
        for order in [Order::DepthFirst, Order::BreadthFirst] {
            let search = Search::full(&model).sleep(true).order(order);
            let (statistics, _) = search.observe(&mut ()).expect("supported");
            let all = space.states.len() as u64;
            assert_eq!(statistics.states, all, "sleep sets remove no states: {order:?}");
        }
    });
}

#[test]
fn searches_of_wide_models_with_a_cache_agree_with_the_naive_search() {
    let limits = Limits {
        states: Some(400),
        ..Limits::default()
    };
    seeds(15, |seed| {
        let (model, space) = wide_model(seed, 16);
        let expected = Expected::new(&model, &space);
        let all = space.states.len();
        for size in [all / 2 + 1, all - 1, all] {
            for search in searches(&model, Storage::Cache(size)) {
                let finished = expected.check(&search.clone().limits(limits));
                assert!(finished || size < all, "the cache is large enough: {search:?}");
            }
        }
    });
}

/// A small model. If it is `padded`, its processes come after one that can always
/// do nothing in 66 ways, so that everything that matters is in the second word of a set.
fn small_model(seed: u64, padded: bool) -> Model {
    let mut rng = Rng::with_seed(seed);
    let mut m = Builder::new("small");
    let padding = padded.then(|| m.process("padding", ["idle"])[0]);
    let o = objects(&mut m);
    let processes: Vec<Vec<Local>> = (0..rng.usize(2..=3))
        .map(|p| m.process_of(format!("P{p}"), (0..rng.usize(2..=3)).map(|k| format!("p{p}.{k}"))))
        .collect();
    for points in &processes {
        for from in points {
            for _ in 0..rng.usize(..=2) {
                let to = points[rng.usize(..points.len())];
                alternative(&mut rng, &mut m, &o, vec![*from], vec![to], Does::Much);
            }
        }
    }
    if let Some(idle) = padding {
        for n in 0..66 {
            m.transition(format!("nothing {n}"), idle, idle);
        }
    }
    m.build().unwrap_or_else(|e| panic!("seed {seed}: {e}"))
}

/// Remembers what was explored of a padded model, as edges of the small model.
struct Recorder<'a> {
    padded: &'a Model,
    space: &'a StateSpace,
    edges: Edges,
}

impl Observer<Model> for Recorder<'_> {
    fn transition(&mut self, edge: &Edge<'_, Model>, _: &dyn Path<TransitionId>) -> ControlFlow<()> {
        let t = edge.transition;
        let mut from = Configuration::decode(self.padded, edge.before);
        // The padding is the first process, with the first control point.
        from.control.remove(0);
        for local in &mut from.control {
            *local = LocalId::new(local.index() - 1);
        }
        // The lock is the last object; who owns it is a process.
        let owner = &mut from.values.last_mut().expect("there are objects")[0];
        *owner = (*owner - 1).max(0);
        // Its transitions are the last.
        if t.index() < self.space.next[0].len() {
            let from = self.space.number[&from];
            self.edges.entry(from).or_default().insert(t);
        }
        ControlFlow::Continue(())
    }
}

/// Deadlocks and coverage hardly reveal a transition that slept too long, but the
/// definition of trace automata does.
#[test]
fn sleep_sets_of_two_words_leave_trace_automata() {
    seeds(300, |seed| {
        let small = small_model(seed, false);
        let Some(space) = StateSpace::explore(&small, 24) else {
            return;
        };
        let padded = small_model(seed, true);
        for algorithm in ALGORITHMS {
            for order in [Order::DepthFirst, Order::BreadthFirst] {
                let proviso = match order {
                    Order::DepthFirst => ProvisoKind::Stack,
                    Order::BreadthFirst => ProvisoKind::None,
                };
                let search = Search::new(&padded).persistent(algorithm).sleep(true);
                let search = search.proviso(proviso).order(order);
                let Ok(relation) = search.supported() else {
                    continue;
                };
                if !search.is_trace_automaton() {
                    continue;
                }
                let mut recorder = Recorder {
                    padded: &padded,
                    space: &space,
                    edges: Edges::new(),
                };
                search.observe(&mut recorder).expect("supported");
                let table = IndependenceTable::new(&space, &Independence::new(&small, relation));
                trace_automaton(&small, &space, &table, &recorder.edges, 5)
                    .unwrap_or_else(|e| panic!("{search:?}: {e}"));
            }
        }
    });
}
