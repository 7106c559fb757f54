//! Predicates over global states, written in CEL.
//!
//! The Common Expression Language is read and evaluated here, because detection needs more than a truth value: the
//! conjuncts of a predicate, the processes that each depends on, and the piece of text that each comes from. In tests
//! the `cel` crate says what a text means.
//!
//! ```text
//! text ── lexer ──▶ tokens ── parse ──▶ Expression ── bind ──▶ Formula (atoms in negation normal form)
//! ```
//!
//! `processes` is the list of all processes, `process("node-1")` one of them, and
//! a process whose name is an identifier stands for itself. `p.x` is the variable
//! `x` of the process `p`, `p.name` its name. A variable that is not assigned yet is
//! null; `evaluate.rs` has the rules for it. Other departures from CEL: ints and
//! doubles mix in arithmetic, a field that an object lacks is null, and types that
//! values of variables never have (bytes, unsigned ints, times) do not exist.

mod balance;
mod bind;
mod calls;
mod check;
mod combine;
mod disjuncts;
mod error;
mod evaluate;
mod evaluated;
mod fault;
mod formula;
#[cfg(test)]
mod garbage;
mod loops;
mod lower;
mod named;
mod parse;
mod print;
#[cfg(test)]
mod random;
mod reads;
mod syntax;
mod term;
#[cfg(test)]
mod tests;
mod types;
mod unroll;

pub(crate) use balance::{Balance, Relation, Weight};
pub(crate) use error::did_you_mean;
pub use error::{EvaluationError, PredicateError, PredicateErrors};
pub use formula::{Atom, Formula, Node, Read};

use crate::value::Value;
use check::Names;
use mazurka_core::ProcessId;
use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;
use syntax::{Expression, Kind, NAME, PROCESSES, Quantifier};

/// A predicate as it was written, not yet bound to a trace.
///
/// ```
/// use mazurka_trace::{Predicate, Value};
///
/// let text = "processes.exists(p, processes.exists(q, p.name != q.name && p.cs && q.cs))";
/// let predicate = Predicate::parse(text)?;
/// let processes = ["p1".to_owned(), "p2".to_owned()];
/// let formula = predicate.bind(&processes, &|_, variable| variable == "cs")?;
/// assert_eq!(formula.to_string(), "p1.cs && p2.cs");
/// assert_eq!(formula.conjuncts().len(), 2);
/// assert_eq!(formula.atoms[0].evaluate(&[&Value::Bool(true)]), Ok(true));
/// # Ok::<(), mazurka_trace::PredicateErrors>(())
/// ```
#[derive(Clone, Debug)]
pub struct Predicate {
    text: String,
    root: Expression,
    positive: bool,
    /// What is wrong with calls; reported when the predicate is bound.
    errors: Vec<PredicateError>,
}

impl Predicate {
    /// Reads a predicate. Only errors of syntax are reported now.
    pub fn parse(text: &str) -> Result<Self, PredicateErrors> {
        let (root, errors) = parse::parse(text)?;
        Ok(Self {
            text: text.to_owned(),
            root,
            positive: true,
            errors,
        })
    }

    /// The text as it was written, which is what spans refer to. A negated
    /// predicate keeps it.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The predicate that holds where this one does not.
    pub fn negated(&self) -> Self {
        Self {
            positive: !self.positive,
            ..self.clone()
        }
    }

    /// The names of all variables that it may read. There may be names of fields among them.
    pub fn variables(&self) -> BTreeSet<String> {
        let mut found = BTreeSet::new();
        self.root.visit(&mut Vec::new(), &mut |e, _| match &e.kind {
            Kind::Field(_, field) | Kind::Has(_, field) if **field != *NAME => {
                found.insert(field.to_string());
            }
            Kind::Index(pair) => {
                if let Kind::Constant(Value::String(field)) = &pair[1].kind {
                    found.insert(field.to_string());
                }
            }
            _ => {}
        });
        found
    }

    /// The processes that it mentions by name.
    pub fn named_processes(&self) -> BTreeSet<String> {
        let mut found = BTreeSet::new();
        self.root.visit(&mut Vec::new(), &mut |e, bound| match &e.kind {
            Kind::Name(name) if name != PROCESSES && !bound.contains(&name.as_str()) => {
                found.insert(name.clone());
            }
            Kind::Process(inner) => {
                if let Kind::Constant(Value::String(name)) = &inner.kind {
                    found.insert(name.to_string());
                }
            }
            _ => {}
        });
        found
    }

    /// Whether it is about all processes: it mentions `processes`, or looks up a process
    /// by a computed name.
    pub fn quantifies(&self) -> bool {
        mentions_all(&self.root)
    }

    /// Whether additional processes can only make it true more often. They can if, with
    /// negations pushed inwards, `processes` occurs only as the range of positive `exists`.
    pub fn grows_with_processes(&self) -> bool {
        grows(&self.root, self.positive)
    }

    /// Binds it to the processes of a trace. `assigned` tells whether a process
    /// ever assigns a variable in the trace.
    pub fn bind(
        &self,
        processes: &[String],
        assigned: &dyn Fn(ProcessId, &str) -> bool,
    ) -> Result<Formula, PredicateErrors> {
        self.bind_among(processes, &[], assigned)
    }

    /// As [`bind`](Self::bind), with the names of the trace's variables, from which
    /// suggestions for misspelt names are taken.
    pub fn bind_among(
        &self,
        processes: &[String],
        variables: &[String],
        assigned: &dyn Fn(ProcessId, &str) -> bool,
    ) -> Result<Formula, PredicateErrors> {
        self.bind_until(processes, variables, assigned, None)
    }

    /// As [`bind_among`](Self::bind_among), but gives up when `stop` is set. The error then says
    /// that the predicate is too large, which need not be the reason.
    pub fn bind_until(
        &self,
        processes: &[String],
        variables: &[String],
        assigned: &dyn Fn(ProcessId, &str) -> bool,
        stop: Option<&AtomicBool>,
    ) -> Result<Formula, PredicateErrors> {
        let names = Names {
            processes,
            assigned,
            stop,
        };
        let mut errors = self.errors.clone();
        errors.extend(check::check(&self.root, &names));
        bind::bind(&self.root, self.positive, &names, variables, errors)
    }
}

fn mentions_all(root: &Expression) -> bool {
    let mut found = false;
    root.visit(&mut Vec::new(), &mut |e, _| {
        found |= match &e.kind {
            Kind::Name(name) => name == PROCESSES,
            Kind::Process(inner) => !matches!(inner.kind, Kind::Constant(_)),
            _ => false,
        }
    });
    found
}

fn grows(e: &Expression, positive: bool) -> bool {
    match &e.kind {
        Kind::Not(inner) => grows(inner, !positive),
        Kind::And(members) | Kind::Or(members) => members.iter().all(|member| grows(member, positive)),
        Kind::Conditional(three) => {
            let [condition, a, b] = &**three;
            let branches = grows(a, positive) && grows(b, positive);
            branches && grows(condition, true) && grows(condition, false)
        }
        Kind::Comprehension(c) => {
            let exists = match c.quantifier {
                Quantifier::Exists => positive,
                Quantifier::All => !positive,
                _ => return !mentions_all(e),
            };
            let over_all = matches!(&c.range.kind, Kind::Name(name) if name == PROCESSES);
            (over_all && exists || !mentions_all(&c.range)) && grows(&c.body, positive)
        }
        _ => !mentions_all(e),
    }
}
