//! Predicates as trees, with a text and a meaning of their own.
//!
//! The text is what a user would write in the Common Expression Language. The
//! meaning is written down here directly, with the rules of mazurka for variables
//! that a process has not assigned, which are null:
//!
//! * `==` with null is true iff both sides are null, `!=` is its negation;
//! * `<`, `<=`, `>`, `>=` with null are false;
//! * a truth value that is null counts as false;
//! * adding to null, or summing a list with a null in it, is an error;
//! * `&&`, `||`, `!`, `exists` and `all` are Kleene's (see [`Truth`]), everything
//!   else that is made of an error is an error.

use super::truth::Truth;
use mazurka_trace::{Computation, Value};
use std::fmt;

/// A predicate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Formula {
    /// `true` or `false`.
    Constant(bool),
    /// `p.b`.
    Flag(Who, String),
    /// `p.x + q.x > 2`.
    Compare(Number, Comparison, Number),
    /// `p.name != q.name`.
    Different(Who, Who),
    /// `!(A)`.
    Not(Box<Formula>),
    /// `(A) && (B) && …`.
    And(Vec<Formula>),
    /// `(A) || (B) || …`.
    Or(Vec<Formula>),
    /// `!(A) || (B)`.
    Implies(Box<Formula>, Box<Formula>),
    /// `processes.exists(p, A)`.
    Exists(Box<Formula>),
    /// `processes.all(p, A)`.
    All(Box<Formula>),
}

/// A process in a predicate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Who {
    /// The process of this name.
    Named(String),
    /// The one that a quantifier ranges over, the outermost being 0.
    Bound(usize),
}

/// A number in a predicate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Number {
    /// `null`.
    Null,
    /// `2`.
    Constant(i64),
    /// `p.x`.
    Variable(Who, String),
    /// `p.x + q.x`.
    Plus(Box<Number>, Box<Number>),
    /// `processes.map(p, p.x).sum()`.
    Sum(String),
    /// `processes.filter(p, A).size()`.
    Count(Box<Formula>),
}

/// A comparison of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// `==`.
    Equal,
    /// `!=`.
    Unequal,
    /// `<`.
    Less,
    /// `<=`.
    AtMost,
    /// `>`.
    More,
    /// `>=`.
    AtLeast,
}

impl Formula {
    /// The predicate as text.
    pub fn to_cel(&self) -> String {
        Text(self, 0).to_string()
    }

    /// The processes on which its value depends: those that it names, or all of them
    /// if it quantifies, sums or counts.
    pub fn support(&self, computation: &Computation) -> Vec<usize> {
        let mut named = vec![];
        match self.names(&mut named) {
            true => (0..computation.processes()).collect(),
            false => (0..computation.processes())
                .filter(|&p| named.contains(&computation.names()[p]))
                .collect(),
        }
    }

    /// Its value on a cut.
    pub fn evaluate(&self, computation: &Computation, cut: &[u32]) -> Truth {
        let scope = Scope { computation, cut };
        scope.truth(self, &[])
    }
}

impl Formula {
    /// Adds the processes that are named; returns whether all processes are meant at once.
    fn names(&self, named: &mut Vec<String>) -> bool {
        match self {
            Self::Constant(_) => false,
            Self::Flag(who, _) => who.names(named),
            Self::Compare(a, _, b) => a.names(named) | b.names(named),
            Self::Different(a, b) => a.names(named) | b.names(named),
            Self::Not(a) => a.names(named),
            Self::And(all) | Self::Or(all) => all.iter().fold(false, |any, a| any | a.names(named)),
            Self::Implies(a, b) => a.names(named) | b.names(named),
            Self::Exists(_) | Self::All(_) => true,
        }
    }
}

impl Number {
    fn names(&self, named: &mut Vec<String>) -> bool {
        match self {
            Self::Null | Self::Constant(_) => false,
            Self::Variable(who, _) => who.names(named),
            Self::Plus(a, b) => a.names(named) | b.names(named),
            Self::Sum(_) | Self::Count(_) => true,
        }
    }
}

impl Who {
    fn names(&self, named: &mut Vec<String>) -> bool {
        match self {
            Self::Named(name) => {
                named.push(name.clone());
                false
            }
            Self::Bound(_) => true,
        }
    }
}

/// A failed evaluation.
struct Failed;

/// Where a predicate is evaluated.
struct Scope<'a> {
    computation: &'a Computation,
    cut: &'a [u32],
}

impl Scope<'_> {
    /// `bound` are the current processes of the enclosing quantifiers.
    fn truth(&self, formula: &Formula, bound: &[usize]) -> Truth {
        match formula {
            Formula::Constant(holds) => Truth::from(*holds),
            Formula::Flag(who, variable) => match self.value(who, variable, bound) {
                Ok(Value::Null) => Truth::False,
                Ok(Value::Bool(holds)) => Truth::from(*holds),
                _ => Truth::Error,
            },
            Formula::Compare(a, comparison, b) => match (self.number(a, bound), self.number(b, bound)) {
                // Whether a number is there, if null is what it is compared with.
                (Ok(x), Ok(y)) if matches!((a, b), (Number::Null, _) | (_, Number::Null)) => match comparison {
                    Comparison::Equal => Truth::from(x == y),
                    Comparison::Unequal => Truth::from(x != y),
                    _ => Truth::False,
                },
                (Ok(a), Ok(b)) => Truth::from(comparison.holds(a, b)),
                _ => Truth::Error,
            },
            Formula::Different(a, b) => match (self.process(a, bound), self.process(b, bound)) {
                (Ok(a), Ok(b)) => Truth::from(self.computation.names()[a] != self.computation.names()[b]),
                _ => Truth::Error,
            },
            Formula::Not(a) => !self.truth(a, bound),
            Formula::And(all) => all
                .iter()
                .map(|a| self.truth(a, bound))
                .fold(Truth::True, |a, b| a.and(b)),
            Formula::Or(all) => all
                .iter()
                .map(|a| self.truth(a, bound))
                .fold(Truth::False, |a, b| a.or(b)),
            Formula::Implies(a, b) => (!self.truth(a, bound)).or(self.truth(b, bound)),
            Formula::Exists(a) => self.each(a, bound).fold(Truth::False, |a, b| a.or(b)),
            Formula::All(a) => self.each(a, bound).fold(Truth::True, |a, b| a.and(b)),
        }
    }

    /// The values of a formula for each process in turn.
    fn each(&self, formula: &Formula, bound: &[usize]) -> impl Iterator<Item = Truth> {
        (0..self.computation.processes()).map(move |p| {
            let mut bound = bound.to_vec();
            bound.push(p);
            self.truth(formula, &bound)
        })
    }

    /// `None` is null.
    fn number(&self, number: &Number, bound: &[usize]) -> Result<Option<i64>, Failed> {
        match number {
            Number::Null => Ok(None),
            Number::Constant(n) => Ok(Some(*n)),
            Number::Variable(who, variable) => number_in(self.value(who, variable, bound)?),
            Number::Plus(a, b) => {
                let (a, b) = (self.number(a, bound)?, self.number(b, bound)?);
                Ok(Some(a.ok_or(Failed)? + b.ok_or(Failed)?))
            }
            Number::Sum(variable) => {
                let mut sum = 0;
                for p in 0..self.computation.processes() {
                    sum += number_in(self.value_of(p, variable))?.ok_or(Failed)?;
                }
                Ok(Some(sum))
            }
            Number::Count(a) => {
                let each: Vec<Truth> = self.each(a, bound).collect();
                match each.contains(&Truth::Error) {
                    true => Err(Failed),
                    false => Ok(Some(each.iter().filter(|t| **t == Truth::True).count() as i64)),
                }
            }
        }
    }

    fn value(&self, who: &Who, variable: &str, bound: &[usize]) -> Result<&Value, Failed> {
        let p = self.process(who, bound)?;
        Ok(self.value_of(p, variable))
    }

    /// A variable that no process assigns is null as well.
    fn value_of(&self, p: usize, variable: &str) -> &Value {
        match self.computation.variable(variable) {
            Some(variable) => self.computation.value(p, variable, self.cut[p]),
            None => &Value::Null,
        }
    }

    fn process(&self, who: &Who, bound: &[usize]) -> Result<usize, Failed> {
        match who {
            Who::Named(name) => self.computation.process(name).ok_or(Failed),
            Who::Bound(depth) => bound.get(*depth).copied().ok_or(Failed),
        }
    }
}

fn number_in(value: &Value) -> Result<Option<i64>, Failed> {
    match value {
        Value::Null => Ok(None),
        Value::Int(n) => Ok(Some(*n)),
        _ => Err(Failed),
    }
}

impl Comparison {
    fn holds(self, a: Option<i64>, b: Option<i64>) -> bool {
        match (self, a, b) {
            (Self::Equal, Some(a), Some(b)) => a == b,
            (Self::Unequal, Some(a), Some(b)) => a != b,
            (Self::Less, Some(a), Some(b)) => a < b,
            (Self::AtMost, Some(a), Some(b)) => a <= b,
            (Self::More, Some(a), Some(b)) => a > b,
            (Self::AtLeast, Some(a), Some(b)) => a >= b,
            _ => false,
        }
    }
}

/// Something with the number of its enclosing quantifiers.
struct Text<'a, T>(&'a T, usize);

/// The name of the process that a quantifier ranges over.
fn bound_name(depth: usize) -> char {
    ['p', 'q', 'r', 's', 't', 'u', 'v', 'w'][depth]
}

impl fmt::Display for Text<'_, Formula> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(formula, depth) = *self;
        let bound = bound_name(depth);
        match formula {
            Formula::Constant(holds) => write!(f, "{holds}"),
            Formula::Flag(who, variable) => write!(f, "{who}.{variable}"),
            Formula::Compare(a, comparison, b) => write!(f, "{} {comparison} {}", Text(a, depth), Text(b, depth)),
            Formula::Different(a, b) => write!(f, "{a}.name != {b}.name"),
            Formula::Not(a) => write!(f, "!({})", Text(&**a, depth)),
            Formula::And(all) => joined(f, all, depth, " && ", "true"),
            Formula::Or(all) => joined(f, all, depth, " || ", "false"),
            Formula::Implies(a, b) => write!(f, "!({}) || ({})", Text(&**a, depth), Text(&**b, depth)),
            Formula::Exists(a) => write!(f, "processes.exists({bound}, {})", Text(&**a, depth + 1)),
            Formula::All(a) => write!(f, "processes.all({bound}, {})", Text(&**a, depth + 1)),
        }
    }
}

fn joined(f: &mut fmt::Formatter<'_>, all: &[Formula], depth: usize, by: &str, none: &str) -> fmt::Result {
    let texts: Vec<String> = all
        .iter()
        .map(|a| match a {
            Formula::And(_) | Formula::Or(_) | Formula::Implies(..) => format!("({})", Text(a, depth)),
            _ => Text(a, depth).to_string(),
        })
        .collect();
    f.write_str(if all.is_empty() { none } else { "" })?;
    f.write_str(&texts.join(by))
}

impl fmt::Display for Text<'_, Number> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(number, depth) = *self;
        let bound = bound_name(depth);
        match number {
            Number::Null => f.write_str("null"),
            Number::Constant(n) => write!(f, "{n}"),
            Number::Variable(who, variable) => write!(f, "{who}.{variable}"),
            Number::Plus(a, b) => write!(f, "{} + {}", Text(&**a, depth), Text(&**b, depth)),
            Number::Sum(variable) => write!(f, "processes.map({bound}, {bound}.{variable}).sum()"),
            Number::Count(a) => write!(f, "processes.filter({bound}, {}).size()", Text(&**a, depth + 1)),
        }
    }
}

impl fmt::Display for Who {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Named(name) if name.chars().all(|c| c.is_ascii_alphanumeric()) => f.write_str(name),
            Self::Named(name) => write!(f, "process({name:?})"),
            Self::Bound(depth) => write!(f, "{}", bound_name(*depth)),
        }
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Equal => "==",
            Self::Unequal => "!=",
            Self::Less => "<",
            Self::AtMost => "<=",
            Self::More => ">",
            Self::AtLeast => ">=",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mazurka_trace::{Place, Recorder, Recording, Sink};

    fn named(name: &str) -> Who {
        Who::Named(name.into())
    }

    fn x(name: &str) -> Number {
        Number::Variable(named(name), "x".into())
    }

    /// p1.x is 1, p1.b is true, node-2 has assigned nothing.
    fn evaluate(formula: &Formula) -> Truth {
        let mut recorder = Recorder::new(Recording::default());
        let p1 = recorder.process("p1");
        recorder.process("node-2");
        recorder.init(p1, Place::NOWHERE);
        recorder.set("x", Value::Int(1));
        recorder.set("b", Value::Bool(true));
        formula.evaluate(&recorder.finish().unwrap(), &[0, 0])
    }

    #[test]
    fn comparing_null_is_false_unless_it_is_asked_for() {
        use Comparison::{AtMost, Equal, Less, Unequal};
        let compare = |a: &Number, c, b: &Number| evaluate(&Formula::Compare(a.clone(), c, b.clone()));
        let (one, null) = (x("p1"), x("node-2"));
        assert_eq!(compare(&one, Equal, &Number::Constant(1)), Truth::True);
        assert_eq!(compare(&one, Equal, &null), Truth::False);
        assert_eq!(compare(&one, Unequal, &null), Truth::False);
        assert_eq!(compare(&null, Equal, &null), Truth::False);
        assert_eq!(compare(&null, Equal, &Number::Null), Truth::True);
        assert_eq!(compare(&one, Unequal, &Number::Null), Truth::True);
        assert_eq!(compare(&null, Unequal, &Number::Null), Truth::False);
        assert_eq!(compare(&null, Unequal, &null), Truth::False);
        assert_eq!(compare(&null, Less, &one), Truth::False);
        assert_eq!(compare(&one, Less, &null), Truth::False);
        assert_eq!(compare(&null, AtMost, &null), Truth::False);
    }

    #[test]
    fn a_flag_that_is_null_is_false() {
        assert_eq!(evaluate(&Formula::Flag(named("p1"), "b".into())), Truth::True);
        let unset = Formula::Flag(named("node-2"), "b".into());
        assert_eq!(evaluate(&unset), Truth::False);
        assert_eq!(evaluate(&Formula::Not(Box::new(unset))), Truth::True);
        let count = Number::Count(Box::new(Formula::Flag(Who::Bound(0), "b".into())));
        let one = Formula::Compare(count, Comparison::Equal, Number::Constant(1));
        assert_eq!(evaluate(&one), Truth::True);
    }

    #[test]
    fn adding_to_null_is_an_error_unless_something_else_settles_it() {
        let plus = Number::Plus(Box::new(x("p1")), Box::new(x("node-2")));
        let error = Formula::Compare(plus, Comparison::More, Number::Constant(0));
        assert_eq!(evaluate(&error), Truth::Error);
        let sum = Formula::Compare(Number::Sum("x".into()), Comparison::AtMost, Number::Constant(3));
        assert_eq!(evaluate(&sum), Truth::Error);
        let constant = Formula::Constant;
        assert_eq!(
            evaluate(&Formula::And(vec![error.clone(), constant(false)])),
            Truth::False
        );
        assert_eq!(evaluate(&Formula::Or(vec![error.clone(), constant(true)])), Truth::True);
        assert_eq!(evaluate(&Formula::Or(vec![error, constant(false)])), Truth::Error);
    }

    #[test]
    fn a_formula_reads_as_one_would_write_it() {
        let both = Formula::Exists(Box::new(Formula::Exists(Box::new(Formula::And(vec![
            Formula::Different(Who::Bound(0), Who::Bound(1)),
            Formula::Flag(Who::Bound(0), "b".into()),
            Formula::Flag(Who::Bound(1), "b".into()),
        ])))));
        assert_eq!(
            both.to_cel(),
            "processes.exists(p, processes.exists(q, p.name != q.name && p.b && q.b))"
        );
        assert_eq!(evaluate(&both), Truth::False);
        let implies = Formula::Implies(
            Box::new(Formula::Flag(named("p1"), "b".into())),
            Box::new(Formula::Compare(x("node-2"), Comparison::Less, Number::Constant(-1))),
        );
        assert_eq!(implies.to_cel(), "!(p1.b) || (process(\"node-2\").x < -1)");
    }
}
