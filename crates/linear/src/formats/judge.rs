//! Whether a recorded history is that of an object.

use super::datum::Datum;
use super::object::Object;
use super::reading::{self, Read, Values};
use super::record::{Ended, Fault, Recorded, RecordedOperation};
use crate::check::{Found, check};
use crate::specifications::append_list::AppendList;
use crate::specifications::counter::Counter;
use crate::specifications::mutex::Mutex;
use crate::specifications::queue::Queue;
use crate::specifications::register::{Register, check_unique};
use crate::specifications::set::{Operation, Set};
use crate::specifications::stack::Stack;
use crate::specifications::text::Text;
use crate::{History, OperationId, Specification};
use mazurka_outcome::{Limits, Outcome};

/// The answer for one part of a history: all operations on a key, or all operations.
#[derive(Clone, Debug)]
pub struct Judged {
    /// The key, if there are keys.
    pub key: Option<String>,
    /// The operations, as indices of [`Recorded::operations`].
    pub operations: Vec<usize>,
    /// The answer. Ids in it are indices of [`Recorded::operations`].
    pub outcome: Outcome<Found>,
}

/// Reads the operations as those of an object, and checks them: each key, or each element of a set that is never read as a whole, by
/// itself. It ends with the first part that is not linearizable, unless `all` are asked for.
///
/// # Errors
/// If an operation is none of the object's.
pub fn judge(object: Object, recorded: &Recorded, limits: Limits<'_>, all: bool) -> Result<Vec<Judged>, Fault> {
    let mut values = Values::default();
    let mut judging = Judging {
        recorded,
        limits: limits.from_now(),
        all,
        judged: Vec::new(),
    };
    let whole: Vec<usize> = (0..recorded.operations.len()).collect();
    match object {
        Object::Register | Object::CasRegister => {
            judging.part(
                None,
                whole,
                |o| reading::one_register(object, o, &mut values),
                |history, limits| check_unique(&Register { initial: 0 }, history, limits),
            )?;
        }
        Object::Kv => judging.keys(&mut values)?,
        Object::Set | Object::GSet => judging.set(object, whole, &mut values)?,
        Object::Counter => judging.whole(whole, &Counter { initial: 0 }, reading::counter)?,
        Object::Mutex => judging.whole(whole, &Mutex, reading::mutex)?,
        Object::Queue => judging.whole(whole, &Queue::new(), |o| reading::queue(o, &mut values))?,
        Object::Stack => judging.whole(whole, &Stack::new(), |o| reading::stack(o, &mut values))?,
        Object::AppendList => {
            judging.whole(whole, &AppendList::default(), |o| reading::append_list(o, &mut values))?;
        }
    }
    Ok(judging.judged)
}

struct Judging<'a> {
    recorded: &'a Recorded,
    limits: Limits<'a>,
    all: bool,
    judged: Vec<Judged>,
}

impl Judging<'_> {
    /// Checks one part, unless an answer is known already.
    fn part<O: Clone, R: Clone>(
        &mut self,
        key: Option<String>,
        operations: Vec<usize>,
        mut read: impl FnMut(&RecordedOperation) -> Read<O, R>,
        check: impl FnOnce(&History<O, R>, Limits<'_>) -> Outcome<Found>,
    ) -> Result<(), Fault> {
        let history = history(self.recorded, &operations, &mut read)?;
        let known = self.judged.iter().any(|part| part.outcome.violation.is_some());
        if known && !self.all {
            return Ok(());
        }
        let mut outcome = check(&history, self.limits);
        let whole = |id: &mut OperationId| *id = OperationId(crate::window::short(operations[id.index()]));
        let found = &mut outcome.found;
        found.linearization.iter_mut().flatten().for_each(whole);
        if let Some(violation) = &mut found.violation {
            whole(&mut violation.operation);
            violation.before.iter_mut().for_each(whole);
            violation
                .reason
                .iter_mut()
                .flat_map(|reason| &mut reason.operations)
                .for_each(whole);
        }
        self.judged.push(Judged {
            key,
            operations,
            outcome,
        });
        Ok(())
    }

    fn whole<S: Specification>(
        &mut self,
        operations: Vec<usize>,
        specification: &S,
        read: impl FnMut(&RecordedOperation) -> Read<S::Operation, S::Response>,
    ) -> Result<(), Fault> {
        self.part(None, operations, read, |history, limits| {
            check(specification, history, limits)
        })
    }

    /// Each key by itself: a text if something is appended to it, and a register otherwise.
    fn keys(&mut self, values: &mut Values) -> Result<(), Fault> {
        let all = &self.recorded.operations;
        for operation in all {
            reading::function(Object::Kv, operation)?;
        }
        let keyed: Vec<_> = all.iter().map(reading::keyed).collect::<Result<_, Fault>>()?;
        for (key, operations) in grouped(keyed.iter().map(|(key, ..)| key.clone())) {
            let appends = operations.iter().any(|k| all[*k].function == "append");
            let (name, mut members) = (Some(key.to_string()), operations.clone().into_iter());
            let mut next = || &keyed[members.next().expect("as many as operations")];
            if appends {
                let read = |o: &RecordedOperation| {
                    let (_, value, returned) = next();
                    reading::text(o, value, returned.as_ref())
                };
                self.part(name, operations, read, |history, limits| check(&Text, history, limits))?;
            } else {
                let read = |o: &RecordedOperation| {
                    let (_, value, returned) = next();
                    reading::register(Object::Kv, o, value, returned.as_ref(), values)
                };
                self.part(name, operations, read, |history, limits| {
                    check_unique(&Register { initial: 0 }, history, limits)
                })?;
            }
        }
        Ok(())
    }

    /// Each element by itself, if the set is never read as a whole.
    fn set(&mut self, object: Object, whole: Vec<usize>, values: &mut Values) -> Result<(), Fault> {
        let all = &self.recorded.operations;
        let read: Vec<_> = all
            .iter()
            .map(|o| reading::set(object, o, values))
            .collect::<Result<_, Fault>>()?;
        if read.iter().any(|(operation, _)| *operation == Operation::Read) {
            return self.whole(whole, &Set::new(), |o| reading::set(object, o, values));
        }
        for (element, operations) in grouped(all.iter().map(|o| o.value.clone())) {
            self.part(
                Some(element.to_string()),
                operations,
                |o| reading::set(object, o, values),
                |history, limits| check(&Set::new(), history, limits),
            )?;
        }
        Ok(())
    }
}

/// The indices of equal keys, in the order in which keys appear.
fn grouped(keys: impl Iterator<Item = Datum>) -> Vec<(Datum, Vec<usize>)> {
    let mut numbers = std::collections::HashMap::new();
    let mut groups: Vec<(Datum, Vec<usize>)> = Vec::new();
    for (index, key) in keys.enumerate() {
        let number = *numbers.entry(key.clone()).or_insert(groups.len());
        if number == groups.len() {
            groups.push((key, Vec::new()));
        }
        groups[number].1.push(index);
    }
    groups
}

/// The history of some of the operations.
fn history<O, R>(
    recorded: &Recorded,
    operations: &[usize],
    read: &mut impl FnMut(&RecordedOperation) -> Read<O, R>,
) -> Result<History<O, R>, Fault> {
    let mut moments: Vec<(u32, usize, bool)> = Vec::new();
    let mut parts: Vec<Option<(O, Option<R>)>> = Vec::new();
    for (at, &index) in operations.iter().enumerate() {
        let operation = &recorded.operations[index];
        parts.push(Some(read(operation)?));
        moments.push((operation.moments.0, at, true));
        moments.extend(operation.moments.1.map(|end| (end, at, false)));
    }
    moments.sort_unstable();
    let mut history = History::new();
    let mut responses: Vec<Option<(OperationId, Option<R>)>> = operations.iter().map(|_| None).collect();
    for (_, at, is_invocation) in moments {
        if is_invocation && let Some((operation, response)) = parts[at].take() {
            responses[at] = Some((history.invoke(0, operation), response));
        } else if let Some((id, response)) = responses[at].take() {
            match (&recorded.operations[operations[at]].ended, response) {
                (Ended::Failed, _) => history.failed(id),
                (Ended::Returned(_), Some(response)) => history.returned(id, response),
                _ => {}
            }
        }
    }
    Ok(history)
}
