//! Temporal formulas on random models: `LtlSearch` has the answer of the textbook, with and without reduction and fairness.

use fastrand::Rng;
use mazurka_core::typed::{self, Footprint, Parts};
use mazurka_core::{
    Algorithm, Builder, Local, LocalId, Model, ObjectId, Outcome, ProcessId, SemaphoreType, Storage, TransitionId,
    Variable, VariableType, Verdict,
};
use mazurka_logic::{AtomId, Formula};
use mazurka_ltl::{LtlFindings, LtlSearch, TypedLtlSearch, Unreduced, label};
use mazurka_testkit::temporal::{Question, is_violated, random_formula};
use mazurka_testkit::{Formula as StateFormula, RandomModel, Shape, StateSpace, random_model, seeds};
use std::sync::atomic::{AtomicU64, Ordering};

const ALGORITHMS: [Algorithm; 4] = [
    Algorithm::Conflicting,
    Algorithm::Overman,
    Algorithm::Stubborn,
    Algorithm::Conditional,
];

/// A random model with a formula over atoms of states and labels.
struct Case {
    model: Model,
    space: StateSpace,
    atoms: Vec<StateFormula>,
    formula: Formula,
    /// The labels that follow the model's own atoms.
    labels: Vec<String>,
    fair: Vec<ProcessId>,
}

/// How many of the atoms are about states.
const STATES: usize = 2;

impl Case {
    /// Models with everything that there is.
    fn of_everything(seed: u64) -> Self {
        let mut rng = Rng::with_seed(seed ^ 0x17);
        let shape = Shape {
            processes: 2..=4,
            points: 2..=3,
            objects: 1..=6,
            states: 150,
            properties: rng.u8(..4) == 0,
        };
        let RandomModel {
            model, space, atoms, ..
        } = random_model(seed, &shape);
        Self::about(model, space, atoms, &mut rng)
    }

    /// Processes that loop and have little to do with each other, so that there is much to reduce.
    fn of_loops(seed: u64) -> Self {
        let mut rng = Rng::with_seed(seed);
        loop {
            let (model, atoms) = loops(&mut rng);
            if let Some(space) = StateSpace::explore(&model, 150) {
                return Self::about(model, space, atoms, &mut rng);
            }
        }
    }

    /// A formula, and fair processes.
    fn about(model: Model, space: StateSpace, atoms: Vec<StateFormula>, rng: &mut Rng) -> Self {
        let all = (0..model.transitions()).map(TransitionId::new);
        let own: Vec<TransitionId> = all.filter(|t| !model.is_monitors(*t)).collect();
        let labels = (0..rng.usize(..=2)).map(|_| model.label(own[rng.usize(..own.len())]).to_string());
        let labels: Vec<String> = labels.collect();
        let letters = u32::try_from(STATES + labels.len()).expect("few");
        let size = rng.usize(2..=7);
        let next = rng.u8(..4) == 0;
        let formula = random_formula(rng, size, letters, next);
        let processes = (0..model.processes()).map(ProcessId::new);
        let mut fair: Vec<ProcessId> = processes.filter(|p| !model.is_monitor(*p)).collect();
        match rng.u8(..3) {
            0 => fair.clear(),
            1 => fair.retain(|_| rng.bool()),
            _ => {}
        }
        Self {
            model,
            space,
            atoms,
            formula,
            labels,
            fair,
        }
    }

    /// The answer of the textbook.
    fn is_violated(&self) -> Option<bool> {
        let Self { model, space, .. } = self;
        let letter = |state: usize, taken: Option<TransitionId>| {
            let holds = |k: usize| match k.checked_sub(STATES) {
                None => self.atoms[k].holds(&space.states[state]),
                Some(k) => taken.is_some_and(|t| model.label(t) == self.labels[k]),
            };
            (0..STATES + self.labels.len()).fold(0, |letter, k| letter | u64::from(holds(k)) << k)
        };
        let question = Question {
            model,
            space,
            formula: &self.formula,
            letter: &letter,
            fair: &self.fair,
        };
        is_violated(&question, 3000)
    }

    fn run(&self, algorithm: Algorithm, storage: Storage) -> Outcome<LtlFindings> {
        let model = &self.model;
        let formula = self.formula.clone().map(&mut |atom: AtomId| atom.to_string());
        let mut search = LtlSearch::new(model, formula).persistent(algorithm).store(storage);
        for (k, atom) in self.atoms[..STATES].iter().enumerate() {
            search = search.atom(format!("p{k}"), atom.prop());
        }
        for (k, text) in self.labels.iter().enumerate() {
            search = search.atom(format!("p{}", STATES + k), label(text));
        }
        let names = self.fair.iter().map(|p| model.process_name(*p));
        search.fair(names).run().unwrap_or_else(|error| panic!("{error}"))
    }

    fn check(&self, outcome: &Outcome<LtlFindings>, violated: bool, what: &str) {
        let expected = match violated {
            true => Verdict::Violated,
            false => Verdict::Holds,
        };
        let message = || {
            format!(
                "{what}: {}, fair {:?}, labels {:?}",
                self.formula, self.fair, self.labels
            )
        };
        assert_eq!(outcome.verdict, expected, "{}", message());
        assert_eq!(outcome.counterexample.is_some(), violated, "{}", message());
    }
}

/// A label holds for one position only, so that one at once after the other is something that a reduction would hide.
#[test]
fn a_label_lasts_for_one_position() {
    let mut m = Builder::new("at once");
    let [p0, p1, p2] = m.process("P", ["p0", "p1", "p2"]);
    let [q0, q1] = m.process("Q", ["q0", "q1"]);
    m.transition("a", p0, p1);
    m.transition("b", p1, p2);
    m.transition("t", q0, q1);
    let model = m.build().unwrap();
    let check = |text| {
        let search = LtlSearch::new(&model, mazurka_ltl::parse(text).unwrap());
        search.atom("a", label("a")).atom("b", label("b")).run().unwrap()
    };
    // `t` comes between in some executions.
    let outcome = check("[] (a -> (a U b))");
    assert_eq!(outcome.verdict, Verdict::Violated);
    assert_eq!(outcome.unreduced, Some(Unreduced::CountsSteps));
    assert_eq!(outcome.counterexample.as_ref().map(|found| found.prefix.len()), Some(3));
    let outcome = check("[] (a -> <> b) && (!b W a)");
    assert_eq!((outcome.verdict, outcome.unreduced), (Verdict::Holds, None));
}

/// With and without reduction: is W always served if these processes are fair?
fn is_served(m: Builder, served: Local, fair: &[&str]) -> bool {
    let model = m.build().unwrap();
    let check = |algorithm| {
        let formula = mazurka_ltl::parse("<> served").unwrap();
        let search = LtlSearch::new(&model, formula).persistent(algorithm);
        let outcome = search.atom("served", served).fair(fair.iter().copied()).run().unwrap();
        assert_eq!(outcome.unreduced.is_some(), algorithm == Algorithm::AllEnabled);
        outcome.verdict
    };
    let full = check(Algorithm::AllEnabled);
    for algorithm in ALGORITHMS {
        assert_eq!(check(algorithm), full, "{algorithm:?}");
    }
    full == Verdict::Holds
}

/// W waits for one of two booleans, which two others switch. If both are off now and then, nobody has to serve W. A reduction that
/// takes the switches to be independent may leave one of them on in all orders.
#[test]
fn who_waits_for_one_of_two_need_not_be_served() {
    let mut m = Builder::new("switches");
    let [w0, w1] = m.process("W", ["w0", "w1"]);
    let switches = ["x", "y"].map(|name| m.variable(name, VariableType::boolean().initially(1)));
    for (name, switch) in ["A", "B"].into_iter().zip(switches) {
        let [point] = m.process(name, ["point"]);
        m.transition(format!("{name} switches"), point, point)
            .then(switch.complement());
        m.transition(format!("{name} serves"), w0, w1).when(switch.is(1));
    }
    assert!(!is_served(m, w1, &["W", "A", "B"]));
}

/// The same where W waits for one of two processes.
#[test]
fn who_waits_for_a_partner_need_not_be_served() {
    let mut m = Builder::new("partners");
    let [w0, w1] = m.process("W", ["w0", "w1"]);
    for name in ["A", "B"] {
        let [on, off] = m.process(name, ["on", "off"]);
        m.transition(format!("{name} off"), on, off);
        m.transition(format!("{name} on"), off, on);
        m.transition(format!("{name} serves"), [w0, on], [w1, on]);
    }
    assert!(!is_served(m, w1, &["W", "A", "B"]));
}

/// W waits for U, which is not fair and need not do anything. A reduction that lets U go first would find W served.
#[test]
fn an_unfair_process_need_not_help() {
    let model = || {
        let mut m = Builder::new("help");
        let [u0, u1] = m.process("U", ["u0", "u1"]);
        let [w0, w1] = m.process("W", ["w0", "w1"]);
        let [l] = m.process("L", ["l"]);
        let x = m.boolean("x");
        m.transition("help", u0, u1).then(x.write(1));
        m.transition("serve", w0, w1).when(x.is(1));
        m.transition("loop", l, l);
        (m, w1)
    };
    let (m, served) = model();
    assert!(!is_served(m, served, &["W"]));
    let (m, served) = model();
    assert!(is_served(m, served, &["W", "U"]));
}

/// A random model as a typed one: its states are values of the plain interpreter, its actions transitions.
struct AsTyped<'c>(&'c Case);

/// A part of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum StatePart {
    Process(ProcessId),
    Object(ObjectId),
}

impl AsTyped<'_> {
    fn transitions(&self) -> impl Iterator<Item = TransitionId> + '_ {
        let all = (0..self.0.model.transitions()).map(TransitionId::new);
        all.filter(|t| !self.0.model.is_monitors(*t))
    }

    /// What a property of states reads.
    fn reads(formula: &StateFormula, parts: &mut Vec<StatePart>) {
        match formula {
            StateFormula::At(process, ..) => parts.push(StatePart::Process(ProcessId::new(*process))),
            StateFormula::Is(object, ..) | StateFormula::AtLeast(object, ..) => {
                parts.push(StatePart::Object(ObjectId::new(*object)));
            }
            StateFormula::Not(f) => Self::reads(f, parts),
            StateFormula::And(f, g) | StateFormula::Or(f, g) => {
                Self::reads(f, parts);
                Self::reads(g, parts);
            }
        }
    }
}

impl typed::Model for AsTyped<'_> {
    /// Its number in the state space.
    type State = usize;
    type Action = TransitionId;

    fn initial(&self) -> usize {
        0
    }

    fn actions(&self, state: &usize, actions: &mut Vec<TransitionId>) {
        let enabled = self.0.space.enabled(*state);
        actions.extend(enabled.filter(|t| !self.0.model.is_monitors(*t)));
    }

    fn apply(&self, state: &mut usize, t: TransitionId) {
        *state = self.0.space.after(*state, t).expect("it is enabled");
    }
}

impl Footprint for AsTyped<'_> {
    type Part = StatePart;

    fn alphabet(&self) -> Vec<TransitionId> {
        self.transitions().collect()
    }

    fn touches(&self, t: TransitionId, parts: &mut Parts<StatePart>) {
        for process in self.0.model.active(t) {
            parts.writes(StatePart::Process(*process));
        }
        for used in self.0.model.used(t) {
            let operations = self.0.model.object_type(used.object).operations();
            match operations[usize::from(used.op.kind)].modifies {
                true => parts.writes(StatePart::Object(used.object)),
                false => parts.reads(StatePart::Object(used.object)),
            }
        }
    }
}

/// The verdict of a search of the typed model, and whether it was reduced.
fn typed_verdict(case: &Case, reduced: bool) -> (Verdict, bool) {
    let typed = AsTyped(case);
    let formula = case.formula.clone().map(&mut |atom: AtomId| atom.to_string());
    let mut search = match reduced {
        true => TypedLtlSearch::reduced(&typed, formula),
        false => TypedLtlSearch::reduced(&typed, formula).persistent(Algorithm::AllEnabled),
    };
    for (k, atom) in case.atoms[..STATES].iter().enumerate() {
        let mut parts = Vec::new();
        AsTyped::reads(atom, &mut parts);
        let holds = |state: &usize| atom.holds(&case.space.states[*state]);
        search = search.state(format!("p{k}"), holds).reading(parts);
    }
    for (k, text) in case.labels.iter().enumerate() {
        search = search.action(format!("p{}", STATES + k), move |t| case.model.label(t) == text);
    }
    for process in &case.fair {
        search = search.fair(|t| case.model.active(t).contains(process));
    }
    let outcome = search.run().unwrap_or_else(|error| panic!("{error}"));
    (outcome.verdict, outcome.unreduced.is_none())
}

#[test]
fn typed_models_have_the_same_answers() {
    let reductions = AtomicU64::new(0);
    seeds(3000, |seed| {
        let case = match seed % 2 {
            0 => Case::of_everything(seed),
            _ => Case::of_loops(seed),
        };
        let Some(violated) = case.is_violated() else {
            return;
        };
        let expected = if violated { Verdict::Violated } else { Verdict::Holds };
        for reduced in [false, true] {
            let (verdict, was) = typed_verdict(&case, reduced);
            assert_eq!(
                verdict, expected,
                "reduced: {was}, {}, fair {:?}",
                case.formula, case.fair
            );
            reductions.fetch_add(u64::from(was), Ordering::Relaxed);
        }
    });
    assert!(mazurka_seeds::are_chosen() || reductions.into_inner() > 0);
}

/// A model of loops, and properties of its states.
fn loops(rng: &mut Rng) -> (Model, Vec<StateFormula>) {
    let mut m = Builder::new("loops");
    let booleans: Vec<Variable> = (0..rng.usize(1..4)).map(|k| m.boolean(format!("b{k}"))).collect();
    let tokens = m.semaphore("tokens", SemaphoreType::counting(rng.u32(..2)).at_most(2));
    let mut points = Vec::new();
    for p in 0..rng.usize(2..5) {
        let own = m.process(format!("P{p}"), ["x", "y"]);
        for k in 0..rng.usize(1..4) {
            let (from, to) = (own[rng.usize(..2)], own[rng.usize(..2)]);
            let t = m.transition(format!("P{p}.{k}"), if k == 0 { own[0] } else { from }, to);
            let [a, b] = [0; 2].map(|_| booleans[rng.usize(..booleans.len())]);
            match rng.u8(..8) {
                0 => t.when(a.is(rng.i64(0..2))),
                1 => t.when(a.is(rng.i64(0..2))).then(b.complement()),
                2 => t.then(a.write(rng.i64(0..2))),
                3 => t.then(a.complement()),
                4 => t.then(tokens.acquire()),
                5 => t.then(tokens.release()),
                _ => t,
            };
        }
        points.extend(own);
    }
    let atom = |rng: &mut Rng| match rng.bool() {
        true => {
            let k = rng.usize(..points.len());
            StateFormula::At(k / 2, LocalId::new(k), points[k])
        }
        false => {
            let k = rng.usize(..booleans.len());
            StateFormula::Is(k, 1, booleans[k])
        }
    };
    let atoms = (0..STATES).map(|_| atom(rng)).collect();
    (m.build().expect("a model"), atoms)
}

/// What the cases had to offer.
#[derive(Default)]
struct Seen {
    decided: AtomicU64,
    violated: AtomicU64,
    reduced: AtomicU64,
    all_states: AtomicU64,
    few_states: AtomicU64,
}

impl Seen {
    fn add(&self, full: &Outcome<LtlFindings>, reduced: &Outcome<LtlFindings>) {
        let add = |count: &AtomicU64, more: u64| count.fetch_add(more, Ordering::Relaxed);
        add(&self.decided, 1);
        add(&self.violated, u64::from(full.verdict == Verdict::Violated));
        if reduced.unreduced.is_none() {
            add(&self.reduced, 1);
            if full.verdict == Verdict::Holds {
                add(&self.all_states, full.statistics.states);
                add(&self.few_states, reduced.statistics.states);
            }
        }
    }
}

#[test]
fn formulas_have_the_answer_of_the_textbook() {
    compare(3000, Case::of_everything);
}

#[test]
fn also_where_there_is_much_to_reduce() {
    compare(6000, Case::of_loops);
}

fn compare(cases: u64, case: fn(u64) -> Case) {
    let seen = Seen::default();
    seeds(cases, |seed| {
        let case = case(seed);
        let Some(violated) = case.is_violated() else {
            return;
        };
        let full = case.run(Algorithm::AllEnabled, Storage::Exact);
        case.check(&full, violated, "full");
        for algorithm in ALGORITHMS {
            let storage = if seed % 2 == 0 {
                Storage::Exact
            } else {
                Storage::Collapse
            };
            let reduced = case.run(algorithm, storage);
            case.check(&reduced, violated, &format!("{algorithm:?}"));
            if algorithm == Algorithm::Conditional {
                seen.add(&full, &reduced);
            }
        }
    });
    let Seen {
        decided,
        violated,
        reduced,
        all_states,
        few_states,
    } = seen;
    println!("{decided:?} decided, {violated:?} violated, {reduced:?} reduced");
    println!("where the formula holds, {few_states:?} states instead of {all_states:?}");
    if !mazurka_seeds::are_chosen() {
        let count = |number: AtomicU64| number.into_inner();
        let (decided, violated) = (count(decided), count(violated));
        assert!(violated > decided / 10 && violated < decided * 9 / 10);
        assert!(count(reduced) > decided / 2);
        assert!(count(few_states) < count(all_states));
    }
}
