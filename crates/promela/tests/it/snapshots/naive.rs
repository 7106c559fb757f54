//! The naive product: all interleavings, all states that were passed, on the plain interpreter.
//!
//! It shares nothing with the search but the automaton of the formula. An action is executed in each
//! state that was passed and after which no dependent action has happened. This also checks the participants: the
//! action must be executable there.

use mazurka_logic::{AtomId, Buchi, BuchiState, Formula};
use mazurka_promela::plain::{Action, Interpreter, Participants, State};
use mazurka_promela::{Ltl, Model};
use std::collections::{BTreeSet, HashMap};

/// The answer, or why there is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    Holds,
    Violated,
    TooLarge,
    /// A step ends in an error, so its continuations are not known.
    Error,
}

const MOST_NODES: usize = 400;
/// The greatest number of pairs of a node.
const MOST_PAIRS: usize = 300;

/// A list without duplicates.
struct Interned<T> {
    all: Vec<T>,
    numbers: HashMap<T, usize>,
}

impl<T: Clone + Eq + std::hash::Hash> Interned<T> {
    fn new() -> Self {
        Self {
            all: vec![],
            numbers: HashMap::new(),
        }
    }

    fn number(&mut self, thing: T) -> usize {
        let next = self.all.len();
        *self.numbers.entry(thing).or_insert_with_key(|thing| {
            self.all.push(thing.clone());
            next
        })
    }
}

type Node = (usize, BTreeSet<(usize, usize)>);

/// Whether a formula holds for all executions.
pub fn check(model: &Model, ltl: &Ltl) -> Answer {
    let mut interpreter = Interpreter::new(model).ignoring_assertions();
    ltl.atoms.iter().for_each(|atom| interpreter.observe(atom));
    let interpreter = &interpreter;
    let mut states: Interned<State> = Interned::new();
    let mut groups: Interned<Participants> = Interned::new();
    let mut nodes: Interned<Node> = Interned::new();
    let initial = states.number(interpreter.initial().unwrap());
    let nobody = groups.number(Participants::default());
    nodes.number((initial, BTreeSet::from([(initial, nobody)])));
    let mut edges: Vec<Vec<usize>> = vec![];
    while edges.len() < nodes.all.len() {
        let (at, pairs) = nodes.all[edges.len()].clone();
        if nodes.all.len() > MOST_NODES || pairs.len() > MOST_PAIRS {
            return Answer::TooLarge;
        }
        let mut actions = vec![];
        match collect(interpreter, &states.all[at].clone(), Action::default(), 0, &mut actions) {
            Answer::Holds => {}
            answer => return answer,
        }
        let mut targets = vec![];
        for (action, after) in actions {
            let mut next = BTreeSet::new();
            for (state, later) in &pairs {
                if !groups.all[*later].meets(&action.participants) {
                    let moved = action.execute(interpreter, &states.all[*state]);
                    let moved = moved.expect("independent actions can be executed in any order");
                    next.insert((states.number(moved), *later));
                }
                let mut later = groups.all[*later].clone();
                later.join(action.participants.clone());
                next.insert((*state, groups.number(later)));
            }
            let after = states.number(after);
            targets.push(nodes.number((after, next)));
        }
        if targets.is_empty() {
            targets.push(edges.len());
        }
        edges.push(targets);
    }
    let letters: Vec<u64> = nodes
        .all
        .iter()
        .map(|node| letter(interpreter, ltl, &states.all, node))
        .collect();
    match has_violation(ltl, &edges, &letters) {
        true => Answer::Violated,
        false => Answer::Holds,
    }
}

/// All actions from a state. An `atomic` is one action.
fn collect(
    interpreter: &Interpreter<'_>,
    state: &State,
    so_far: Action,
    depth: usize,
    out: &mut Vec<(Action, State)>,
) -> Answer {
    if depth > 12 {
        return Answer::TooLarge;
    }
    for step in interpreter.steps(state) {
        let Ok(next) = interpreter.execute(state, &step) else {
            return Answer::Error;
        };
        let mut action = so_far.clone();
        action.push(interpreter, state, &step, &next);
        if next.exclusive.is_none() {
            out.push((action, next));
        } else {
            match collect(interpreter, &next, action, depth + 1, out) {
                Answer::Holds => {}
                answer => return answer,
            }
        }
    }
    Answer::Holds
}

fn holds(interpreter: &Interpreter<'_>, ltl: &Ltl, state: &State, q: &Formula) -> bool {
    let atom = |a: AtomId, _| {
        interpreter
            .evaluate(state, &ltl.atoms[a.0 as usize])
            .is_ok_and(|value| value != 0)
    };
    q.holds_on(mazurka_logic::Lasso::new(1, 0).unwrap(), atom)
}

fn letter(interpreter: &Interpreter<'_>, ltl: &Ltl, states: &[State], (at, pairs): &Node) -> u64 {
    let atoms = (0..ltl.atoms.len()).map(|k| holds(interpreter, ltl, &states[*at], &Formula::Atom(AtomId(k as u32))));
    let passed = ltl.snapshots.iter().map(|snapshot| {
        let mut passed = pairs.iter().map(|(state, _)| &states[*state]);
        passed.any(|state| holds(interpreter, ltl, state, &snapshot.q))
    });
    let bits = atoms.chain(passed).enumerate();
    bits.fold(0, |letter, (k, holds)| letter | u64::from(holds) << k)
}

/// Whether the automaton of the negation accepts some path: an accepting state that reaches itself.
fn has_violation(ltl: &Ltl, edges: &[Vec<usize>], letters: &[u64]) -> bool {
    let automaton = Buchi::new(&ltl.formula.clone().negated()).unwrap();
    let successors = |(node, q): (usize, u32)| {
        let open = automaton
            .edges(BuchiState(q))
            .iter()
            .filter(move |edge| edge.guard.contains(letters[node]));
        let targets: Vec<_> = open
            .flat_map(|edge| edges[node].iter().map(|to| (*to, edge.to.0)))
            .collect();
        targets
    };
    let reach = |from: Vec<(usize, u32)>| {
        let mut found: BTreeSet<(usize, u32)> = BTreeSet::new();
        let mut open = from;
        while let Some(at) = open.pop() {
            if found.insert(at) {
                open.extend(successors(at));
            }
        }
        found
    };
    let all = reach(vec![(0, automaton.initial().0)]);
    let accepting = all.iter().filter(|(_, q)| automaton.is_accepting(BuchiState(*q)));
    accepting.into_iter().any(|at| reach(successors(*at)).contains(at))
}
