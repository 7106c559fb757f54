//! Random predicates of every shape that a detection algorithm tells apart.
//!
//! They are about the processes of a computation and variables that some process
//! assigns, and compare with constants near the values that occur, so that many of
//! them are true in some cuts and false in others.

use super::chance::chance;
use super::formula::{Comparison, Formula, Number, Who};
use fastrand::Rng;
use mazurka_trace::{Computation, Value};

/// The shape of a predicate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preset {
    /// A conjunction of predicates of one process each.
    LocalConjunction,
    /// A disjunction of these.
    LocalDisjunction,
    /// A conjunction of predicates of at most two processes each.
    PairConjunction,
    /// A comparison of sums over two or more processes, or a disjunction of such, with predicates of one
    /// process each.
    Sums,
    /// Anything, with quantifiers, sums and counts.
    Arbitrary,
}

impl Preset {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::LocalConjunction,
        Self::LocalDisjunction,
        Self::PairConjunction,
        Self::Sums,
        Self::Arbitrary,
    ];
}

/// A random predicate on the cuts of a computation.
pub fn formula(rng: &mut Rng, computation: &Computation, preset: Preset) -> Formula {
    let mut writer = Writer::new(rng, computation);
    let n = computation.processes();
    match preset {
        Preset::LocalConjunction => Formula::And(writer.locals(n)),
        Preset::LocalDisjunction => Formula::Or(writer.locals(n)),
        Preset::PairConjunction => {
            let clauses = writer.rng.usize(1..=3);
            Formula::And((0..clauses).map(|_| writer.pair_clause()).collect())
        }
        Preset::Sums => {
            let how_many = [1, 1, 1, 2][writer.rng.usize(0..4)];
            let sums: Vec<Formula> = (0..how_many).map(|_| writer.sums()).collect();
            match (&sums[..], writer.rng.bool()) {
                ([one], _) => one.clone(),
                (_, true) => Formula::Or(sums),
                (_, false) => Formula::And(sums),
            }
        }
        Preset::Arbitrary => {
            let depth = writer.rng.u32(1..=3);
            writer.any(depth, 0)
        }
    }
}

/// A literal of two processes that is mostly true, in conjunction with literals of most of the processes.
pub fn pair_and_locals(rng: &mut Rng, computation: &Computation) -> Formula {
    let mut writer = Writer::new(rng, computation);
    let (a, b) = writer.pair();
    let sum = Number::Plus(Box::new(writer.number(&a)), Box::new(writer.number(&b)));
    let most = Number::Constant(writer.rng.i64(2..=4));
    let pair = match writer.rng.u8(0..4) {
        0 => writer.pair_literal(),
        1 => Formula::Compare(sum, Comparison::Unequal, most),
        _ => Formula::Compare(sum, Comparison::AtMost, most),
    };
    let mut conjuncts = vec![pair];
    for who in writer.processes.clone() {
        let value = Number::Constant(writer.rng.i64(0..=1));
        match writer.rng.u8(0..10) {
            0 => {}
            1 => conjuncts.push(writer.local(&who)),
            _ => conjuncts.push(Formula::Compare(writer.number(&who), Comparison::Equal, value)),
        }
    }
    Formula::And(conjuncts)
}

/// The same predicate in another form: conjunctions and disjunctions turned into
/// each other by De Morgan's laws, disjunctions into implications, double negations.
///
/// It has the same value in every cut, errors included.
pub fn disguised(rng: &mut Rng, formula: &Formula) -> Formula {
    let not = |a: Formula| Formula::Not(Box::new(a));
    let mut each = |all: &[Formula]| -> Vec<Formula> { all.iter().map(|a| disguised(rng, a)).collect() };
    let same = match formula {
        Formula::And(all) => Formula::And(each(all)),
        Formula::Or(all) => Formula::Or(each(all)),
        Formula::Not(a) => not(disguised(rng, a)),
        Formula::Implies(a, b) => Formula::Implies(Box::new(disguised(rng, a)), Box::new(disguised(rng, b))),
        Formula::Exists(a) => Formula::Exists(Box::new(disguised(rng, a))),
        Formula::All(a) => Formula::All(Box::new(disguised(rng, a))),
        Formula::Constant(_) | Formula::Flag(..) | Formula::Compare(..) | Formula::Different(..) => formula.clone(),
    };
    if !chance(rng, 50) {
        return same;
    }
    match same {
        Formula::And(all) => not(Formula::Or(all.into_iter().map(not).collect())),
        Formula::Or(mut all) if all.len() > 1 && rng.bool() => {
            let last = all.pop().expect("there are two");
            Formula::Implies(Box::new(not(Formula::Or(all))), Box::new(last))
        }
        Formula::Or(all) => not(Formula::And(all.into_iter().map(not).collect())),
        Formula::Implies(a, b) => Formula::Or(vec![Formula::Not(a), *b]),
        Formula::Exists(a) => not(Formula::All(Box::new(Formula::Not(a)))),
        Formula::All(a) => not(Formula::Exists(Box::new(Formula::Not(a)))),
        other if chance(rng, 30) => not(not(other)),
        other => other,
    }
}

/// The variables that some process assigns such a value.
fn variables(computation: &Computation, kind: impl Fn(&Value) -> bool) -> Vec<String> {
    let assigned = |name: &&String| {
        let variable = computation.variable(name).expect("it is one of them");
        let mut processes = computation.process_ids();
        processes.any(|p| {
            let assignments = computation.assignments(p, variable);
            assignments.iter().any(|(_, id)| kind(computation.value_of(*id)))
        })
    };
    computation.variables().iter().filter(assigned).cloned().collect()
}

struct Writer {
    rng: Rng,
    /// The processes that may be used: by name, or bound by a quantifier.
    processes: Vec<Who>,
    numbers: Vec<String>,
    flags: Vec<String>,
}

impl Writer {
    fn new(rng: &mut Rng, computation: &Computation) -> Self {
        Self {
            rng: rng.fork(),
            processes: computation.names().iter().cloned().map(Who::Named).collect(),
            numbers: variables(computation, |value| matches!(value, Value::Int(_))),
            flags: variables(computation, |value| matches!(value, Value::Bool(_))),
        }
    }

    fn who(&mut self) -> Who {
        let at = self.rng.usize(0..self.processes.len());
        self.processes[at].clone()
    }

    fn pair(&mut self) -> (Who, Who) {
        let a = self.who();
        let others: Vec<Who> = self.processes.iter().filter(|b| **b != a).cloned().collect();
        let b = self.rng.choice(others).unwrap_or_else(|| a.clone());
        (a, b)
    }

    /// A number variable of a process; a constant if there are no such variables.
    fn number(&mut self, who: &Who) -> Number {
        match self.rng.choice(self.numbers.clone()) {
            Some(variable) => Number::Variable(who.clone(), variable),
            None => Number::Constant(1),
        }
    }

    fn flag(&mut self, who: &Who) -> Option<Formula> {
        let variable = self.rng.choice(self.flags.clone())?;
        Some(Formula::Flag(who.clone(), variable))
    }

    fn comparison(&mut self) -> Comparison {
        use Comparison::{AtLeast, AtMost, Equal, Less, More, Unequal};
        [Equal, Equal, Equal, Unequal, Less, AtMost, More, AtLeast][self.rng.usize(0..8)]
    }

    fn constant(&mut self, most: i64) -> Number {
        Number::Constant(self.rng.i64(-1..=most))
    }

    /// A literal of one process.
    fn local(&mut self, who: &Who) -> Formula {
        let literal = match self.rng.u8(0..10) {
            0..4 => self.flag(who),
            4 => {
                let comparison = self.comparison();
                Some(Formula::Compare(self.number(who), comparison, self.number(who)))
            }
            5 => Some(Formula::Compare(self.number(who), Comparison::Unequal, Number::Null)),
            _ => None,
        };
        let literal = literal.unwrap_or_else(|| {
            let (number, comparison) = (self.number(who), self.comparison());
            Formula::Compare(number, comparison, self.constant(2))
        });
        match chance(&mut self.rng, 20) {
            true => Formula::Not(Box::new(literal)),
            false => literal,
        }
    }

    /// Literals of one process each, for some or all processes, sometimes two for one.
    fn locals(&mut self, n: usize) -> Vec<Formula> {
        let mut all = Vec::new();
        for p in 0..n {
            let how_many = [0, 1, 1, 1, 1, 2][self.rng.usize(0..6)];
            for _ in 0..how_many {
                let who = self.processes[p].clone();
                all.push(self.local(&who));
            }
        }
        if all.is_empty() {
            let who = self.who();
            all.push(self.local(&who));
        }
        self.rng.shuffle(&mut all);
        all
    }

    /// A literal of two processes.
    fn pair_literal(&mut self) -> Formula {
        let (a, b) = self.pair();
        let (x, y) = (self.number(&a), self.number(&b));
        match self.rng.u8(0..6) {
            0 | 1 => Formula::Compare(x, Comparison::Equal, y),
            2 => Formula::Compare(x, Comparison::Unequal, y),
            3 => Formula::Compare(x, self.comparison(), y),
            _ => {
                let (sum, comparison) = (Number::Plus(Box::new(x), Box::new(y)), self.comparison());
                Formula::Compare(sum, comparison, self.constant(4))
            }
        }
    }

    /// The sum of a number of each of some processes.
    fn sum(&mut self, processes: &[Who]) -> Number {
        let numbers = processes.iter().map(|who| self.number(who)).collect::<Vec<_>>();
        let sum = numbers
            .into_iter()
            .reduce(|a, b| Number::Plus(Box::new(a), Box::new(b)));
        sum.unwrap_or(Number::Constant(0))
    }

    /// A comparison of sums over some processes, perhaps negated, perhaps with predicates of one process each.
    fn sums(&mut self) -> Formula {
        let all = self.processes.clone();
        let mut some = all.clone();
        self.rng.shuffle(&mut some);
        some.truncate(self.rng.usize(2..=all.len().max(2)));
        let comparison = self.comparison();
        let variable = self.rng.choice(self.numbers.clone());
        let literal = match (self.rng.u8(0..5), variable) {
            (0, Some(variable)) => {
                let most = self.constant(4);
                Formula::Compare(Number::Sum(variable), comparison, most)
            }
            (1, _) => self.aggregate(0),
            (2, _) => {
                let (left, right) = some.split_at(some.len() / 2);
                Formula::Compare(self.sum(left), comparison, self.sum(right))
            }
            _ => {
                let (sum, most) = (self.sum(&some), self.constant(4));
                Formula::Compare(sum, comparison, most)
            }
        };
        let literal = match chance(&mut self.rng, 20) {
            true => Formula::Not(Box::new(literal)),
            false => literal,
        };
        let locals = [0, 0, 1, 2][self.rng.usize(0..4)];
        let mut conjuncts = vec![literal];
        for _ in 0..locals {
            let who = self.who();
            conjuncts.push(self.local(&who));
        }
        match conjuncts.len() {
            1 => conjuncts.swap_remove(0),
            _ => Formula::And(conjuncts),
        }
    }

    /// A predicate of at most two processes.
    fn pair_clause(&mut self) -> Formula {
        let (a, b) = self.pair();
        match self.rng.u8(0..7) {
            0..3 => self.pair_literal(),
            3 => Formula::Or(vec![self.local(&a), self.local(&b)]),
            4 => Formula::Implies(Box::new(self.local(&a)), Box::new(self.local(&b))),
            5 => Formula::Not(Box::new(Formula::And(vec![self.local(&a), self.local(&b)]))),
            _ => self.local(&a),
        }
    }

    /// A count of the processes that satisfy something, or a sum.
    fn aggregate(&mut self, bound: usize) -> Formula {
        let sum = self.rng.choice(self.numbers.clone()).filter(|_| self.rng.bool());
        let number = match sum {
            Some(variable) => Number::Sum(variable),
            None => {
                let one = Who::Bound(bound);
                let flag = self.flag(&one).filter(|_| self.rng.bool());
                Number::Count(Box::new(flag.unwrap_or_else(|| self.local(&one))))
            }
        };
        let comparison = self.comparison();
        Formula::Compare(number, comparison, self.constant(4))
    }

    /// Anything, under `bound` quantifiers.
    fn any(&mut self, depth: u32, bound: usize) -> Formula {
        if depth == 0 {
            let who = self.who();
            return match self.rng.u8(0..12) {
                0 => Formula::Constant(self.rng.bool()),
                1 => self.aggregate(bound),
                2..6 => self.pair_literal(),
                _ => self.local(&who),
            };
        }
        let some = |writer: &mut Self| -> Vec<Formula> {
            let n = writer.rng.usize(2..=3);
            (0..n).map(|_| writer.any(depth - 1, bound)).collect()
        };
        match self.rng.u8(0..12) {
            0..3 => Formula::And(some(self)),
            3..5 => Formula::Or(some(self)),
            5 => Formula::Not(Box::new(self.any(depth - 1, bound))),
            6 => Formula::Implies(
                Box::new(self.any(depth - 1, bound)),
                Box::new(self.any(depth - 1, bound)),
            ),
            7 => self.any(0, bound),
            8 => self.pairs(bound),
            _ => {
                self.processes.push(Who::Bound(bound));
                let body = Box::new(self.any(depth - 1, bound + 1));
                self.processes.pop();
                match self.rng.bool() {
                    true => Formula::Exists(body),
                    false => Formula::All(body),
                }
            }
        }
    }

    /// Two different processes with something, or every two: mutual exclusion,
    /// agreement.
    fn pairs(&mut self, bound: usize) -> Formula {
        let (p, q) = (Who::Bound(bound), Who::Bound(bound + 1));
        let (x, y) = (self.number(&p), self.number(&q));
        let agree = Formula::Compare(x, Comparison::Equal, y);
        let both = self.flag(&p).zip(self.flag(&q)).filter(|_| self.rng.bool());
        let body = both.map_or(agree, |(a, b)| Formula::And(vec![a, b]));
        let different = Formula::Different(p, q);
        match self.rng.bool() {
            true => {
                let inner = Formula::Exists(Box::new(Formula::And(vec![different, body])));
                Formula::Exists(Box::new(inner))
            }
            false => {
                let inner = Formula::All(Box::new(Formula::Implies(Box::new(different), Box::new(body))));
                Formula::All(Box::new(inner))
            }
        }
    }
}
