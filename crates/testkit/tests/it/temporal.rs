//! Temporal formulas on random models: `LtlSearch` has the answer of the textbook, with and without reduction and fairness.

use fastrand::Rng;
use mazurka_core::{Algorithm, Model, Outcome, ProcessId, Storage, TransitionId, Verdict};
use mazurka_logic::{AtomId, Formula};
use mazurka_ltl::{LtlFindings, LtlSearch, label};
use mazurka_testkit::temporal::{Question, is_violated, random_formula};
use mazurka_testkit::{RandomModel, Shape, random_model, seeds};
use std::sync::atomic::{AtomicU64, Ordering};

const ALGORITHMS: [Algorithm; 4] = [
    Algorithm::Conflicting,
    Algorithm::Overman,
    Algorithm::Stubborn,
    Algorithm::Conditional,
];

/// A random model with a formula over atoms of states and labels.
struct Case {
    random: RandomModel,
    formula: Formula,
    /// The labels that follow the model's own atoms.
    labels: Vec<String>,
    fair: Vec<ProcessId>,
}

/// How many of the atoms are about states.
const STATES: usize = 2;

impl Case {
    fn new(seed: u64) -> Self {
        let mut rng = Rng::with_seed(seed ^ 0x17);
        let shape = Shape {
            processes: 2..=4,
            points: 2..=3,
            objects: 1..=6,
            states: 150,
            properties: rng.u8(..4) == 0,
        };
        let random = random_model(seed, &shape);
        let own: Vec<TransitionId> = all_transitions(&random.model).collect();
        let labels = (0..rng.usize(..=2)).map(|_| random.model.label(own[rng.usize(..own.len())]).to_string());
        let labels: Vec<String> = labels.collect();
        let atoms = u32::try_from(STATES + labels.len()).expect("few");
        let size = rng.usize(2..=7);
        let next = rng.u8(..4) == 0;
        let formula = random_formula(&mut rng, size, atoms, next);
        let processes = (0..random.model.processes()).map(ProcessId::new);
        let mut fair: Vec<ProcessId> = processes.filter(|p| !random.model.is_monitor(*p)).collect();
        match rng.u8(..3) {
            0 => fair.clear(),
            1 => fair.retain(|_| rng.bool()),
            _ => {}
        }
        Self {
            random,
            formula,
            labels,
            fair,
        }
    }

    /// The answer of the textbook.
    fn is_violated(&self) -> Option<bool> {
        let (model, space) = (&self.random.model, &self.random.space);
        let letter = |state: usize, taken: Option<TransitionId>| {
            let holds = |k: usize| match k.checked_sub(STATES) {
                None => self.random.atoms[k].holds(&space.states[state]),
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
        let model = &self.random.model;
        let formula = self.formula.clone().map(&mut |atom: AtomId| atom.to_string());
        let mut search = LtlSearch::new(model, formula).persistent(algorithm).store(storage);
        for (k, atom) in self.random.atoms[..STATES].iter().enumerate() {
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

fn all_transitions(model: &Model) -> impl Iterator<Item = TransitionId> + '_ {
    let all = (0..model.transitions()).map(TransitionId::new);
    all.filter(|t| !model.is_monitors(*t))
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
    let seen = Seen::default();
    seeds(4000, |seed| {
        let case = Case::new(seed);
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
