//! Faults: why a term has no value, and messages about that.
//!
//! A fault is small and borrows from the term, since most faults are absorbed by `&&` or
//! `||`. Only those that reach the caller become messages.

use super::error::{EvaluationError, Span};
use super::formula::Atom;
use super::term::{Op, Term};

/// Why a term has no value.
#[derive(Clone, Debug)]
pub(super) struct Fault<'a> {
    /// The operation.
    pub(super) span: Span,
    pub(super) reason: Reason<'a>,
    /// The read at fault.
    pub(super) read: Option<u32>,
}

/// What went wrong.
#[derive(Clone, Debug)]
pub(super) enum Reason<'a> {
    /// An operand has the wrong type: the operand, the operator and what it needs, what
    /// the operand is.
    Operand(&'a Term, Need, &'static str),
    /// An element of a list has the wrong type.
    Element(&'a Term, Need, &'static str),
    /// The operands do not go together.
    Mixed(&'static str, &'static str, &'static str),
    DivisionByZero,
    Overflow(&'static str),
    OutOfRange(i64, usize),
    Empty(&'static str),
    NoNumber(String),
    NoProcess(String),
}

/// An operator or function, and what it needs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Need(pub(super) &'static str, pub(super) &'static str);

pub(super) type Outcome<'a, T> = Result<T, Box<Fault<'a>>>;

impl Atom {
    /// The fault in words, with the names of process and variable.
    pub(super) fn explain(&self, fault: &Fault) -> EvaluationError {
        let text = |term| self.printed(term, false).to_string();
        let needs = |Need(operation, needs): &Need| match *operation {
            "" => format!("{needs} is needed"),
            operation => format!("`{operation}` needs {needs}"),
        };
        let message = match &fault.reason {
            Reason::Operand(term, need, found) => {
                let unassigned = match (&term.op, *found) {
                    (Op::Read(_) | Op::Select(..), "null") => " (not assigned yet)",
                    _ => "",
                };
                format!("`{}` is {found}{unassigned}, but {}", text(term), needs(need))
            }
            Reason::Element(term, need, found) => {
                format!("an element of `{}` is {found}, but {}", text(term), needs(need))
            }
            Reason::Mixed(symbol, left, right) => format!("`{symbol}` cannot be applied to {left} and {right}"),
            Reason::DivisionByZero => "division by zero".to_owned(),
            Reason::Overflow(operation) => format!("the result of `{operation}` does not fit into 64 bits"),
            Reason::OutOfRange(index, length) => format!("there is no element {index} in a list of length {length}"),
            Reason::Empty(function) => format!("`{function}` of an empty list"),
            Reason::NoNumber(text) => format!("\"{text}\" is not such a number"),
            Reason::NoProcess(name) => format!("there is no process `{name}`"),
        };
        // Name the variable, unless the message already does.
        let named = match (&fault.reason, fault.read) {
            (Reason::Operand(..) | Reason::Element(..), _) | (_, None) => message,
            (_, Some(read)) => {
                let op = Op::Read(read);
                let span = fault.span;
                format!("{message}, because of `{}`", text(&Term { op, span }))
            }
        };
        EvaluationError {
            span: fault.span.into(),
            message: named,
            read: fault.read.map(|read| read as usize),
        }
    }
}
