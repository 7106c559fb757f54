//! Registers with a text, to which operations may append.

use crate::Specification;
use std::rc::Rc;

/// A register with a text, which is empty at the beginning.
#[derive(Clone, Copy, Debug, Default)]
pub struct Text;

/// What can be done to a text.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Operation {
    /// Reads the text.
    Read,
    /// Replaces the text.
    Write(String),
    /// Appends to the text.
    Append(String),
}

/// What a text answers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Response {
    /// It is done.
    Done,
    /// The text.
    Text(String),
}

impl Specification for Text {
    type State = Rc<str>;
    type Operation = Operation;
    type Response = Response;

    fn initial(&self) -> Rc<str> {
        Rc::from("")
    }

    fn step(&self, text: &Rc<str>, operation: &Operation, response: Option<&Response>, next: &mut Vec<Rc<str>>) {
        match (operation, response) {
            (Operation::Read, None) => next.push(Rc::clone(text)),
            (Operation::Read, Some(Response::Text(said))) if **said == **text => next.push(Rc::clone(text)),
            (Operation::Write(new), None | Some(Response::Done)) => next.push(new.as_str().into()),
            (Operation::Append(more), None | Some(Response::Done)) => next.push([text, more.as_str()].concat().into()),
            _ => {}
        }
    }

    fn only_reads(&self, operation: &Operation, _: Option<&Response>) -> bool {
        *operation == Operation::Read
    }

    fn bytes(&self, text: &Rc<str>) -> usize {
        size_of::<Rc<str>>() + text.len()
    }
}
