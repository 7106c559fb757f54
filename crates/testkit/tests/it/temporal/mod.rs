//! Temporal formulas on random models: `LtlSearch` has the answer of the textbook, with and without reduction and
//! fairness.

mod by_hand;
mod typed;

use fastrand::Rng;
use mazurka_core::{
    Algorithm, Builder, LocalId, Model, Outcome, ProcessId, SemaphoreType, Storage, TransitionId, Variable, Verdict,
};
use mazurka_logic::{AtomId, Formula};
use mazurka_ltl::{LtlFindings, LtlSearch, label};
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
