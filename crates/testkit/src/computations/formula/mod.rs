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

mod meaning;
mod text;

use super::truth::Truth;
use mazurka_trace::Computation;
use meaning::Scope;
use text::Text;

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
        Scope { computation, cut }.truth(self, &[])
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

#[cfg(test)]
mod tests {
    use super::*;
    use mazurka_trace::{Place, Recorder, Recording, Sink, Value};

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
