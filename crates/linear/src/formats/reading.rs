//! Recorded operations as operations of an object, with their responses.

use super::datum::Datum;
use super::object::Object;
use super::record::{Ended, Fault, RecordedOperation, nearest};
use crate::specifications::{append_list, counter, mutex, queue, register, set, stack, text};
use std::collections::{BTreeSet, HashMap};

/// An operation and its response, if it has one.
pub(super) type Read<O, R> = Result<(O, Option<R>), Fault>;

/// Values, by number. Number 0 is nil.
pub(super) struct Values(HashMap<Datum, u32>);

impl Default for Values {
    fn default() -> Self {
        Self(HashMap::from([(Datum::Nil, 0)]))
    }
}

impl Values {
    fn number(&mut self, value: &Datum) -> u32 {
        let next = crate::window::short(self.0.len());
        *self.0.entry(value.clone()).or_insert(next)
    }
}

/// The usual name of what an operation invokes.
pub(super) fn function(object: Object, operation: &RecordedOperation) -> Result<&'static str, Fault> {
    let name = operation.function.as_str();
    let known = object.functions();
    if let Some(names) = known.iter().find(|names| names.contains(&name)) {
        return Ok(names[0]);
    }
    let near = nearest(name, known.concat().into_iter());
    let near = match near.is_empty() {
        true => format!(
            "; it has {}",
            known.iter().map(|names| names[0]).collect::<Vec<_>>().join(", ")
        ),
        false => near,
    };
    Err(operation.fault(format!("`{}` has no operation `{name}`{near}", object.name())))
}

fn answer(operation: &RecordedOperation) -> Option<&Datum> {
    match &operation.ended {
        Ended::Returned(value) => Some(value),
        Ended::Never | Ended::Unknown | Ended::Failed => None,
    }
}

/// A fault in the record of the return.
fn wrong_answer(operation: &RecordedOperation, expected: &str, found: &Datum) -> Fault {
    let offset = operation.offsets.1.unwrap_or(operation.offsets.0);
    Fault::new(
        offset,
        format!("`{}` returns {expected}, not {found}", operation.function),
    )
}

fn pair<'a>(operation: &RecordedOperation, value: &'a Datum, what: &str) -> Result<[&'a Datum; 2], Fault> {
    match value.elements() {
        Some([first, second]) => Ok([first, second]),
        _ => Err(operation.fault(format!("the value of `{}` is {what}, not {value}", operation.function))),
    }
}

pub(super) fn register(
    object: Object,
    operation: &RecordedOperation,
    value: &Datum,
    returned: Option<&Datum>,
    values: &mut Values,
) -> Read<register::Operation<u32>, register::Response<u32>> {
    use register::{Operation, Response};
    Ok(match function(object, operation)? {
        "read" => (
            Operation::Read,
            returned.map(|value| Response::Value(values.number(value))),
        ),
        "cas" => {
            let [old, new] = pair(operation, value, "[old new]")?;
            let swapped = returned.map(|answer| Response::Swapped(*answer != Datum::Bool(false)));
            (
                Operation::CompareAndSwap(values.number(old), values.number(new)),
                swapped,
            )
        }
        "delete" => (Operation::Write(0), returned.map(|_| Response::Done)),
        _ => (Operation::Write(values.number(value)), returned.map(|_| Response::Done)),
    })
}

/// An operation on a register by itself.
pub(super) fn one_register(
    object: Object,
    operation: &RecordedOperation,
    values: &mut Values,
) -> Read<register::Operation<u32>, register::Response<u32>> {
    register(object, operation, &operation.value, answer(operation), values)
}

/// Key, value and answer of an operation on a map from keys. Without a field for the key, values are `[key value]`. A text that is
/// empty stands for nothing.
pub(super) fn keyed(operation: &RecordedOperation) -> Result<(Datum, Datum, Option<Datum>), Fault> {
    let nothing = |value: &Datum| match value {
        Datum::Text(text) if text.is_empty() => Datum::Nil,
        value => value.clone(),
    };
    let (returned, invoked) = (answer(operation), &operation.value);
    if let Some(key) = &operation.key {
        return Ok((key.clone(), nothing(invoked), returned.map(nothing)));
    }
    let [key, value] = pair(operation, invoked, "[key value], since it has no field `key`")?;
    let returned = match returned {
        None => None,
        Some(returned) => match pair(operation, returned, "[key value]")? {
            [other, value] if other == key => Some(nothing(value)),
            [other, _] => return Err(wrong_answer(operation, &format!("something about {key}"), other)),
        },
    };
    Ok((key.clone(), nothing(value), returned))
}

pub(super) fn text(
    operation: &RecordedOperation,
    value: &Datum,
    returned: Option<&Datum>,
) -> Read<text::Operation, text::Response> {
    use text::{Operation, Response};
    let plain = |value: &Datum| match value {
        Datum::Nil => String::new(),
        Datum::Text(text) => text.clone(),
        other => other.to_string(),
    };
    let done = returned.map(|_| Response::Done);
    Ok(match function(Object::Kv, operation)? {
        "read" => (Operation::Read, returned.map(|value| Response::Text(plain(value)))),
        "append" => (Operation::Append(plain(value)), done),
        "write" => (Operation::Write(plain(value)), done),
        "delete" => (Operation::Write(String::new()), done),
        other => {
            return Err(operation.fault(format!(
                "`{other}` of a key to which something is appended cannot be checked"
            )));
        }
    })
}

pub(super) fn counter(operation: &RecordedOperation) -> Read<counter::Operation, counter::Response> {
    use counter::{Operation, Response};
    let number = |value: &Datum| match value {
        Datum::Integer(number) => Some(*number),
        _ => None,
    };
    let amount = |or: Option<i64>| {
        let value = &operation.value;
        let given = number(value).or_else(|| or.filter(|_| *value == Datum::Nil));
        given.ok_or_else(|| operation.fault(format!("`{}` takes a whole number, not {value}", operation.function)))
    };
    let value = || match answer(operation) {
        None => Ok(None),
        Some(answer) => match number(answer) {
            Some(number) => Ok(Some(Response::Value(number))),
            None => Err(wrong_answer(operation, "a whole number", answer)),
        },
    };
    // What an addition returns is what was added.
    let done = answer(operation).map(|_| Response::Done);
    Ok(match function(Object::Counter, operation)? {
        "read" => (Operation::Read, value()?),
        "add" => (Operation::Add(amount(None)?), done),
        "increment" => (Operation::Add(amount(Some(1))?), done),
        "decrement" => (Operation::Add(amount(Some(1))?.wrapping_neg()), done),
        _ => (Operation::Add(amount(Some(1))?), value()?),
    })
}

pub(super) fn set(
    object: Object,
    operation: &RecordedOperation,
    values: &mut Values,
) -> Read<set::Operation<u32>, set::Response<u32>> {
    use set::{Operation, Response};
    let name = function(object, operation)?;
    let element = values.number(&operation.value);
    let response = match (answer(operation), name) {
        (None, _) => None,
        (Some(Datum::Nil), "read") => Some(Response::Elements(BTreeSet::new())),
        (Some(answer), "read") => {
            let all = answer
                .elements()
                .ok_or_else(|| wrong_answer(operation, "the elements", answer))?;
            Some(Response::Elements(
                all.iter().map(|value| values.number(value)).collect(),
            ))
        }
        (Some(Datum::Bool(answer)), _) => Some(Response::Answer(*answer)),
        (Some(answer), "contains") => return Err(wrong_answer(operation, "true or false", answer)),
        (Some(_), _) => Some(Response::Done),
    };
    let operation = match name {
        "read" => Operation::Read,
        "add" => Operation::Add(element),
        "contains" => Operation::Contains(element),
        _ => Operation::Remove(element),
    };
    Ok((operation, response))
}

pub(super) fn queue(
    operation: &RecordedOperation,
    values: &mut Values,
) -> Read<queue::Operation<u32>, queue::Response<u32>> {
    use queue::{Operation, Response};
    Ok(match function(Object::Queue, operation)? {
        "enqueue" => (
            Operation::Enqueue(values.number(&operation.value)),
            answer(operation).map(|_| Response::Done),
        ),
        _ => {
            let taken = answer(operation).map(|answer| match answer {
                Datum::Nil => Response::Empty,
                value => Response::Value(values.number(value)),
            });
            (Operation::Dequeue, taken)
        }
    })
}

pub(super) fn stack(
    operation: &RecordedOperation,
    values: &mut Values,
) -> Read<stack::Operation<u32>, stack::Response<u32>> {
    use stack::{Operation, Response};
    Ok(match function(Object::Stack, operation)? {
        "push" => (
            Operation::Push(values.number(&operation.value)),
            answer(operation).map(|_| Response::Done),
        ),
        _ => {
            let taken = answer(operation).map(|answer| match answer {
                Datum::Nil => Response::Empty,
                value => Response::Value(values.number(value)),
            });
            (Operation::Pop, taken)
        }
    })
}

pub(super) fn mutex(operation: &RecordedOperation) -> Read<mutex::Operation, mutex::Response> {
    use mutex::{Operation, Response};
    let kind = match function(Object::Mutex, operation)? {
        "acquire" => Operation::Acquire,
        "release" => Operation::Release,
        _ => Operation::TryAcquire,
    };
    let response = answer(operation).map(|answer| match answer {
        Datum::Bool(false) => Response::Busy,
        _ => Response::Done,
    });
    Ok((kind, response))
}

pub(super) fn append_list(
    operation: &RecordedOperation,
    values: &mut Values,
) -> Read<append_list::Operation<u32>, append_list::Response<u32>> {
    use append_list::{Operation, Response};
    Ok(match (function(Object::AppendList, operation)?, answer(operation)) {
        ("append", answer) => (
            Operation::Append(values.number(&operation.value)),
            answer.map(|_| Response::Done),
        ),
        (_, None) => (Operation::Read, None),
        (_, Some(Datum::Nil)) => (Operation::Read, Some(Response::List(Vec::new()))),
        (_, Some(Datum::List(all))) => {
            let all = all.iter().map(|value| values.number(value)).collect();
            (Operation::Read, Some(Response::List(all)))
        }
        (_, Some(other)) => return Err(wrong_answer(operation, "a list", other)),
    })
}
