//! Random predicates, compared with the `cel` crate's interpreter and with a naive evaluation.

use super::tests::{State, evaluate, names};
use super::*;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How many random cases each test tries.
const CASES: u64 = 3000;

/// Random well-typed expressions without null.
pub(super) struct Generator {
    random: fastrand::Rng,
}

impl Generator {
    pub(super) fn new(seed: u64) -> Self {
        let random = fastrand::Rng::with_seed(seed);
        Self { random }
    }

    /// A predicate over `p1` and `p2`.
    pub(super) fn predicate(&mut self) -> String {
        let depth = self.random.u32(1..4);
        self.boolean(depth)
    }

    fn pick(&mut self, all: &[&str]) -> String {
        all[self.random.usize(..all.len())].to_owned()
    }

    fn boolean(&mut self, depth: u32) -> String {
        if depth == 0 {
            return self.pick(&["p1.a", "p1.b", "p2.a", "p2.b", "true", "false"]);
        }
        let d = depth - 1;
        match self.random.u8(..14) {
            0..=1 => format!("({} && {})", self.boolean(d), self.boolean(d)),
            2..=3 => format!("({} || {})", self.boolean(d), self.boolean(d)),
            4 => format!("!{}", self.boolean(d)),
            5 => format!("({} ? {} : {})", self.boolean(d), self.boolean(d), self.boolean(d)),
            6..=7 => {
                let comparison = self.pick(&["==", "!=", "<", "<=", ">", ">="]);
                format!("({} {comparison} {})", self.int(d), self.int(d))
            }
            8 => {
                let comparison = self.pick(&["==", "!=", "<", "<=", ">", ">="]);
                format!("({} {comparison} {})", self.text(d), self.text(d))
            }
            9 => format!("({} == {})", self.boolean(d), self.boolean(d)),
            10 => {
                let function = self.pick(&["startsWith", "endsWith", "contains"]);
                format!("{}.{function}({})", self.text(d), self.text(d))
            }
            11 => format!("({} in {})", self.int(d), self.list(d)),
            12 => {
                let quantifier = self.pick(&["exists", "all", "exists_one"]);
                let body = self.boolean(d);
                let list = self.list(d);
                format!("{list}.{quantifier}(v, v > {} || {body})", self.int(0))
            }
            _ => format!("({} == {})", self.list(d), self.list(d)),
        }
    }

    fn int(&mut self, depth: u32) -> String {
        if depth == 0 {
            return self.pick(&["p1.x", "p1.y", "p2.x", "0", "1", "2", "-3", "9223372036854775807"]);
        }
        let d = depth - 1;
        match self.random.u8(..7) {
            0..=3 => {
                let operator = self.pick(&["+", "-", "*", "/", "%"]);
                format!("({} {operator} {})", self.int(d), self.int(d))
            }
            4 => format!("(-({}))", self.int(d)),
            5 => format!("({} ? {} : {})", self.boolean(d), self.int(d), self.int(d)),
            _ => match self.random.bool() {
                true => format!("size({})", self.text(d)),
                false => format!("{}.size()", self.list(d)),
            },
        }
    }

    fn text(&mut self, depth: u32) -> String {
        match depth {
            0 => self.pick(&["p1.s", "p2.s", "''", "'a'", "\"ab\"", "'é'"]),
            _ => format!("({} + {})", self.text(depth - 1), self.text(depth - 1)),
        }
    }

    fn list(&mut self, depth: u32) -> String {
        if depth == 0 {
            return self.pick(&["p1.l", "p2.l", "[]", "[1]", "[0, 1, 2]"]);
        }
        let d = depth - 1;
        match self.random.u8(..4) {
            0 => format!("({} + {})", self.list(d), self.list(d)),
            1 => format!("{}.map(w, w * {})", self.list(d), self.int(d)),
            2 => format!("{}.filter(w, w > {})", self.list(d), self.int(d)),
            _ => format!("[{}, {}]", self.int(d), self.int(d)),
        }
    }

    fn state(&mut self) -> State {
        let mut state = State::new();
        for process in 0..2 {
            let mut set = |variable: &str, value: Value| state.insert((process, variable.to_owned()), value);
            set("a", Value::Bool(self.random.bool()));
            set("b", Value::Bool(self.random.bool()));
            set("x", Value::Int(self.random.i64(-2..3)));
            set("y", Value::Int(self.random.i64(-2..3)));
            set("s", Value::string(["", "a", "b", "ab", "é"][self.random.usize(..5)]));
            let items = (0..self.random.usize(..4)).map(|_| Value::Int(self.random.i64(-1..3)));
            set("l", Value::List(items.collect()));
        }
        state
    }
}

/// The truth value according to the interpreter of the `cel` crate; none for an error.
fn reference(text: &str, state: &State) -> Option<bool> {
    let value = |value: &Value| match value {
        Value::Bool(b) => cel::Value::from(*b),
        Value::Int(n) => cel::Value::from(*n),
        Value::String(text) => cel::Value::from(text.to_string()),
        Value::List(items) => {
            let ints = items.iter().map(|item| match item {
                Value::Int(n) => cel::Value::from(*n),
                other => panic!("{other}"),
            });
            cel::Value::from(ints.collect::<Vec<_>>())
        }
        other => panic!("{other}"),
    };
    let mut context = cel::Context::default();
    for process in 0..2 {
        let of = state.iter().filter(|((p, _), _)| *p == process);
        let map: std::collections::HashMap<String, cel::Value> = of.map(|((_, v), x)| (v.clone(), value(x))).collect();
        context.add_variable_from_value(format!("p{}", process + 1), map);
    }
    match cel::Program::compile(text).unwrap().execute(&context) {
        Ok(cel::Value::Bool(b)) => Some(b),
        Ok(other) => panic!("{text}: {other:?}"),
        Err(_) => None,
    }
}

/// Without null, a predicate means what CEL says.
#[test]
fn random_predicates_mean_what_the_reference_says() {
    let (agreed, failed) = (AtomicUsize::new(0), AtomicUsize::new(0));
    mazurka_seeds::seeds(CASES, |seed| {
        let mut generator = Generator::new(seed);
        let text = generator.predicate();
        let state = generator.state();
        let predicate = Predicate::parse(&text).unwrap();
        let formula = match predicate.bind(&names(2), &|_, _| true) {
            Ok(formula) => formula,
            Err(errors) => {
                // Binding found out that it always fails.
                assert!(errors.to_string().contains("always fails"), "{text}: {errors}");
                return;
            }
        };
        match (evaluate(&formula, &state), reference(&text, &state)) {
            (Ok(found), Some(expected)) => {
                assert_eq!(found, expected, "{text} in {state:?}, bound as {formula}");
                agreed.fetch_add(1, Ordering::Relaxed);
            }
            // CEL gives up in another order, and here a condition is decided if both branches
            // agree. Answers never differ.
            (Err(_), None) => drop(failed.fetch_add(1, Ordering::Relaxed)),
            (Ok(_), None) => assert!(
                text.contains('?') || text.contains(".exists") || text.contains(".all"),
                "{text} in {state:?}"
            ),
            (Err(error), Some(_)) => panic!("{text} in {state:?}: {error}"),
        }
        check_forms(&predicate, &formula, &state);
    });
    let range = mazurka_seeds::range(CASES);
    if range.end - range.start >= 1000 {
        let (agreed, failed) = (agreed.into_inner(), failed.into_inner());
        assert!(agreed > 1000 && failed > 20, "{agreed} agreed, {failed} failed");
    }
}

/// The text of a formula, its negation and its disjuncts agree with it.
fn check_forms(predicate: &Predicate, formula: &Formula, state: &State) {
    let text = predicate.text();
    let Ok(found) = evaluate(formula, state) else { return };
    let again = Predicate::parse(&formula.to_string()).unwrap();
    if let Ok(again) = again.bind(&names(2), &|_, _| true) {
        assert_eq!(evaluate(&again, state), Ok(found), "{formula}, again {again}");
    }
    let negated = predicate.negated().bind(&names(2), &|_, _| true).unwrap();
    assert_eq!(evaluate(&negated, state).ok(), Some(!found), "{text}");
    if let Some(all) = formula.disjuncts(64) {
        let truth = |atom: usize| {
            let root = Node::Literal { atom, positive: true };
            let atoms = formula.atoms.clone();
            evaluate(&Formula { atoms, root }, state).ok()
        };
        let literal = |(atom, positive): &(usize, bool)| truth(*atom).map(|t| t == *positive);
        if (0..formula.atoms.len()).all(|atom| truth(atom).is_some()) {
            let some = all
                .iter()
                .any(|literals| literals.iter().all(|l| literal(l) == Some(true)));
            assert_eq!(found, some, "{text}");
        }
    }
}

/// Propositional formulas over variables that may be null, written as trees.
enum Tree {
    Variable(usize),
    Not(Box<Tree>),
    And(Vec<Tree>),
    Or(Vec<Tree>),
    If(Box<[Tree; 3]>),
}

impl Tree {
    fn random(random: &mut fastrand::Rng, depth: u32) -> Self {
        let some = |random: &mut fastrand::Rng| {
            let count = random.usize(2..4);
            (0..count).map(|_| Self::random(random, depth - 1)).collect()
        };
        match if depth == 0 { 0 } else { random.u8(..9) } {
            0 => Self::Variable(random.usize(..5)),
            1..=2 => Self::Not(Box::new(Self::random(random, depth - 1))),
            3..=5 => Self::And(some(random)),
            6..=7 => Self::Or(some(random)),
            _ => Self::If(Box::new([(); 3].map(|()| Self::random(random, depth - 1)))),
        }
    }

    fn text(&self) -> String {
        let all = |members: &[Self], with: &str| members.iter().map(Self::text).collect::<Vec<_>>().join(with);
        match self {
            Self::Variable(k) => format!("p{}.v", k + 1),
            Self::Not(inner) => format!("!{}", inner.text()),
            Self::And(members) => format!("({})", all(members, " && ")),
            Self::Or(members) => format!("({})", all(members, " || ")),
            Self::If(three) => format!("({} ? {} : {})", three[0].text(), three[1].text(), three[2].text()),
        }
    }

    fn truth(&self, values: &[Value]) -> bool {
        match self {
            Self::Variable(k) => matches!(values[*k], Value::Bool(true)),
            Self::Not(inner) => !inner.truth(values),
            Self::And(members) => members.iter().all(|m| m.truth(values)),
            Self::Or(members) => members.iter().any(|m| m.truth(values)),
            Self::If(three) => three[if three[0].truth(values) { 1 } else { 2 }].truth(values),
        }
    }
}

/// Whether the invariants that [`Node`] promises hold.
fn is_normal(node: &Node, parent: Option<bool>) -> bool {
    let (members, and) = match node {
        Node::Constant(_) => return parent.is_none(),
        Node::Literal { .. } => return true,
        Node::And(members) => (members, true),
        Node::Or(members) => (members, false),
    };
    let sorted = members.windows(2).all(|pair| pair[0] < pair[1]);
    members.len() > 1 && sorted && parent != Some(and) && members.iter().all(|m| is_normal(m, Some(and)))
}

#[test]
fn negation_normal_form_keeps_the_truth() {
    mazurka_seeds::seeds(CASES, |seed| {
        let mut random = fastrand::Rng::with_seed(seed);
        let depth = random.u32(..5);
        let tree = Tree::random(&mut random, depth);
        let text = tree.text();
        let predicate = Predicate::parse(&text).unwrap();
        let formula = predicate.bind(&names(5), &|_, _| true).unwrap();
        let negated = predicate.negated().bind(&names(5), &|_, _| true).unwrap();
        assert!(is_normal(&formula.root, None), "{formula}");
        for _ in 0..8 {
            let values: Vec<_> = (0..5)
                .map(|_| [Value::Null, Value::Bool(false), Value::Bool(true)][random.usize(..3)].clone())
                .collect();
            let state: State = (0..5).map(|p| ((p, "v".to_owned()), values[p].clone())).collect();
            let truth = tree.truth(&values);
            assert_eq!(evaluate(&formula, &state), Ok(truth), "{text}, bound as {formula}");
            assert_eq!(evaluate(&negated, &state), Ok(!truth), "!({text}), bound as {negated}");
        }
    });
}
