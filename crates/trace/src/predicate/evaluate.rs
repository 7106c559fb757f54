//! Evaluation of terms.
//!
//! The semantics are those of CEL, with the following rules for null, which is the
//! value of a variable before its first assignment. `<`, `<=`, `>` and `>=` are false for
//! null. Null equals only null. Where a boolean is needed, null counts as false. A field
//! or an element of null is null, and so is a field that an object does not have. Nothing
//! is in null, and null does not start with, end with, contain or match anything.
//! Arithmetic, and functions and macros over lists, need a value: for null there is an
//! error that names the variable. Ints and doubles may be mixed; the result is a double.
//! `&&` and `||` are those of CEL: an error is absorbed if the other operands decide.
//!
//! Scalars are evaluated without allocation.

use super::evaluated::Evaluated;
use super::fault::{Fault, Need, Outcome, Reason};
use super::syntax::{Comparison, Function, NAME, Operator};
use super::term::{Element, Local, Op, Term};
use crate::narrow::short;
use crate::value::Value;
use std::borrow::Cow;
use std::cmp::Ordering;

/// Computes an operation whose operands are constants.
pub(super) fn fold(term: Term) -> Term {
    let mut constant = !matches!(term.op, Op::Constant(_) | Op::Read(_) | Op::Local(_) | Op::Process(_));
    term.for_each(&mut |part| constant &= part.constant().is_some());
    if !constant {
        return term;
    }
    // Only terms with processes in them need names of processes.
    let mut frame = Frame::new(&[], &[]);
    let value = match frame.value(&term) {
        Ok(value) => value.into_value(),
        Err(_) => None,
    };
    match value {
        Some(value) => Term {
            op: Op::Constant(value),
            span: term.span,
        },
        None => term,
    }
}

/// What a term is evaluated with.
pub(super) struct Frame<'a, 'v> {
    /// The values of the atom's reads.
    reads: &'v [&'a Value],
    /// The names of the processes.
    processes: &'a [String],
    /// The values of macros' variables, each with the read that it comes from.
    pub(super) locals: Vec<(Evaluated<'a>, Option<u32>)>,
}

static NULL: Value = Value::Null;

impl<'a, 'v> Frame<'a, 'v> {
    pub(super) fn new(reads: &'v [&'a Value], processes: &'a [String]) -> Self {
        Self {
            reads,
            processes,
            // An empty vector does not allocate.
            locals: Vec::new(),
        }
    }

    fn read(&self, read: u32) -> &'a Value {
        self.reads.get(read as usize).copied().unwrap_or(&NULL)
    }

    /// The truth value of a term that must be a boolean.
    pub(super) fn truth(&mut self, term: &'a Term) -> Outcome<'a, bool> {
        match self.value(term)? {
            Evaluated::Bool(b) => Ok(b),
            Evaluated::Null => Ok(false),
            other => self.operand(term, term, Need("", "a boolean"), &other),
        }
    }

    /// The fault of an operand.
    pub(super) fn operand<T>(
        &mut self,
        whole: &'a Term,
        operand: &'a Term,
        need: Need,
        found: &Evaluated<'a>,
    ) -> Outcome<'a, T> {
        Err(Box::new(Fault {
            span: whole.span,
            reason: Reason::Operand(operand, need, found.kind()),
            read: self.blame(operand),
        }))
    }

    /// The fault of a term for which another term is to blame.
    pub(super) fn fault<T>(&mut self, term: &'a Term, culprit: &'a Term, reason: Reason<'a>) -> Outcome<'a, T> {
        let read = self.blame(culprit);
        let span = term.span;
        Err(Box::new(Fault { span, reason, read }))
    }

    /// The read that the value of a term comes from.
    pub(super) fn blame(&mut self, term: &'a Term) -> Option<u32> {
        match &term.op {
            Op::Read(read) => Some(*read),
            Op::Local(local) => self.locals.get(local.number as usize)?.1,
            Op::Field(of, _) => self.blame(of),
            Op::Index(pair) => match (&pair[0].op, self.value(&pair[1])) {
                (Op::List(elements), Ok(Evaluated::Int(k))) if elements.iter().all(|e| e.guard.is_none()) => {
                    let element = elements.get(usize::try_from(k).ok()?)?;
                    self.blame(&element.value)
                }
                _ => self.blame(&pair[0]),
            },
            Op::Conditional(three) => {
                let chosen = if self.truth(&three[0]).ok()? { 1 } else { 2 };
                self.blame(&three[chosen])
            }
            Op::Select(of, slots, _) => match self.value(of).ok()? {
                Evaluated::Process(process) => *slots.get(process as usize)?,
                _ => self.blame(of),
            },
            Op::Comprehension(c) => self.blame(&c.range),
            _ => {
                // If it reads a single variable, that variable is to blame.
                let mut reads = Vec::new();
                term.collect_reads(&mut reads);
                reads.sort_unstable();
                reads.dedup();
                (reads.len() == 1).then(|| reads[0])
            }
        }
    }

    /// The value of a term.
    pub(super) fn value(&mut self, term: &'a Term) -> Outcome<'a, Evaluated<'a>> {
        Ok(match &term.op {
            Op::Constant(value) => Evaluated::from(value),
            Op::Read(read) => Evaluated::from(self.read(*read)),
            Op::Local(Local { number, .. }) => match self.locals.get(*number as usize) {
                Some((given, _)) => given.clone(),
                None => Evaluated::Null,
            },
            Op::Process(process) => Evaluated::Process(*process),
            Op::Lookup(name) => self.lookup(term, name)?,
            Op::Select(of, slots, field) => self.select(term, of, slots, field)?,
            Op::Field(of, field) => match self.value(of)? {
                Evaluated::Null => Evaluated::Null,
                Evaluated::Map(map) => Evaluated::field(&map, field),
                other => return self.operand(term, of, Need(".", "an object"), &other),
            },
            Op::Index(pair) => self.index(term, pair)?,
            Op::Has(of) => Evaluated::Bool(!matches!(self.value(of)?, Evaluated::Null)),
            Op::Not(of) => Evaluated::Bool(!self.truth(of)?),
            Op::Negate(of) => self.negate(term, of)?,
            Op::And(members) => Evaluated::Bool(self.connective(members, false)?),
            Op::Or(members) => Evaluated::Bool(self.connective(members, true)?),
            Op::Compare(comparison, pair) => Evaluated::Bool(self.compare(term, *comparison, pair)?),
            Op::Arithmetic(operator, pair) => self.arithmetic(term, *operator, pair)?,
            Op::In(pair) => Evaluated::Bool(self.contains(term, pair)?),
            Op::Conditional(three) => {
                let chosen = if self.truth(&three[0])? { 1 } else { 2 };
                self.value(&three[chosen])?
            }
            Op::List(elements) => self.list(elements)?,
            Op::Map(entries) => self.map(term, entries)?,
            Op::Call(function, arguments) => self.call(term, *function, arguments)?,
            Op::Matches(of, pattern) => match self.value(of)? {
                Evaluated::Null => Evaluated::Bool(false),
                Evaluated::Text(text) => Evaluated::Bool(pattern.0.is_match(&text)),
                other => return self.operand(term, of, Need("matches", "a string"), &other),
            },
            Op::One(members) => {
                let mut count = 0;
                for member in members {
                    count += usize::from(self.truth(member)?);
                }
                Evaluated::Bool(count == 1)
            }
            Op::Comprehension(c) => self.comprehension(term, c)?,
        })
    }

    /// A variable of a process that is known at run time only.
    fn select(
        &mut self,
        term: &'a Term,
        of: &'a Term,
        slots: &[Option<u32>],
        field: &str,
    ) -> Outcome<'a, Evaluated<'a>> {
        Ok(match self.value(of)? {
            Evaluated::Process(process) if *field == *NAME => {
                let name = self.processes.get(process as usize).map_or("", String::as_str);
                Evaluated::Text(Cow::Borrowed(name))
            }
            Evaluated::Process(process) => match slots.get(process as usize) {
                Some(Some(read)) => Evaluated::from(self.read(*read)),
                _ => Evaluated::Null,
            },
            Evaluated::Null => Evaluated::Null,
            other => return self.operand(term, of, Need(".", "a process"), &other),
        })
    }

    fn negate(&mut self, term: &'a Term, of: &'a Term) -> Outcome<'a, Evaluated<'a>> {
        Ok(match self.value(of)? {
            Evaluated::Int(n) => match n.checked_neg() {
                Some(n) => Evaluated::Int(n),
                None => return self.fault(term, of, Reason::Overflow("-")),
            },
            Evaluated::Double(x) => Evaluated::Double(-x),
            other => return self.operand(term, of, Need("-", "a number"), &other),
        })
    }

    /// The elements whose guards hold.
    fn list(&mut self, elements: &'a [Element]) -> Outcome<'a, Evaluated<'a>> {
        let mut list = Vec::with_capacity(elements.len());
        for element in elements {
            let present = match &element.guard {
                Some(guard) => self.truth(guard)?,
                None => true,
            };
            if present {
                list.push(self.value(&element.value)?);
            }
        }
        Ok(Evaluated::List(list))
    }

    fn map(&mut self, term: &'a Term, entries: &'a [[Term; 2]]) -> Outcome<'a, Evaluated<'a>> {
        let mut map = std::collections::BTreeMap::new();
        for [key, value] in entries {
            let name = match self.value(key)? {
                Evaluated::Text(name) => name.into_owned(),
                other => return self.operand(term, key, Need("{}", "names of fields"), &other),
            };
            let found = self.value(value)?;
            let kind = found.kind();
            match found.into_value() {
                Some(value) => map.insert(name, value),
                None => {
                    let reason = Reason::Operand(value, Need("{}", "values"), kind);
                    return self.fault(term, value, reason);
                }
            };
        }
        Ok(Evaluated::Map(Cow::Owned(map)))
    }

    /// A conjunction or a disjunction: `decisive` if some member is; otherwise an error if
    /// there was one; otherwise the opposite of `decisive`.
    fn connective(&mut self, members: &'a [Term], decisive: bool) -> Outcome<'a, bool> {
        let mut first = None;
        for member in members {
            match self.truth(member) {
                Ok(truth) if truth == decisive => return Ok(decisive),
                Ok(_) => {}
                Err(fault) => first = first.or(Some(fault)),
            }
        }
        first.map_or(Ok(!decisive), Err)
    }

    fn lookup(&mut self, term: &'a Term, name: &'a Term) -> Outcome<'a, Evaluated<'a>> {
        match self.value(name)? {
            Evaluated::Null => Ok(Evaluated::Null),
            Evaluated::Text(text) => match self.processes.iter().position(|known| **known == *text) {
                Some(process) => Ok(Evaluated::Process(short(process))),
                None => self.fault(term, name, Reason::NoProcess(text.into_owned())),
            },
            other => self.operand(term, name, Need("process", "a name"), &other),
        }
    }

    fn index(&mut self, term: &'a Term, [of, index]: &'a [Term; 2]) -> Outcome<'a, Evaluated<'a>> {
        let list = self.value(of)?;
        let at = self.value(index)?;
        match (&list, &at) {
            (Evaluated::Null, _) => Ok(Evaluated::Null),
            (Evaluated::Map(map), Evaluated::Text(field)) => Ok(Evaluated::field(map, field)),
            (Evaluated::Map(_), other) => {
                self.operand(term, index, Need("[]", "a string as index of an object"), other)
            }
            (_, Evaluated::Int(k)) => match list.length() {
                Some(length) => match usize::try_from(*k).ok().and_then(|k| list.element(k)) {
                    Some(element) => Ok(element),
                    None => self.fault(term, index, Reason::OutOfRange(*k, length)),
                },
                None => self.operand(term, of, Need("[]", "a list or an object"), &list),
            },
            (_, other) if list.length().is_some() => {
                self.operand(term, index, Need("[]", "an int as index of a list"), other)
            }
            _ => self.operand(term, of, Need("[]", "a list or an object"), &list),
        }
    }

    fn compare(&mut self, term: &'a Term, comparison: Comparison, [a, b]: &'a [Term; 2]) -> Outcome<'a, bool> {
        let (left, right) = (self.value(a)?, self.value(b)?);
        let equality = matches!(comparison, Comparison::Equal | Comparison::Unequal);
        let asks_for_null = |term: &Term| matches!(term.op, Op::Constant(Value::Null));
        let tests_null = equality && (asks_for_null(a) || asks_for_null(b));
        if !tests_null && (matches!(left, Evaluated::Null) || matches!(right, Evaluated::Null)) {
            return Ok(false);
        }
        if equality {
            return Ok(left.equals(&right) == (comparison == Comparison::Equal));
        }
        let Some(order) = left.order(&right) else {
            // If one side is a constant, the other one is at fault.
            let culprit = if a.constant().is_some() { b } else { a };
            let reason = Reason::Mixed(comparison.symbol(), left.kind(), right.kind());
            return self.fault(term, culprit, reason);
        };
        // Nothing is less or greater than NaN.
        Ok(order.is_some_and(|order| match comparison {
            Comparison::Equal => order == Ordering::Equal,
            Comparison::Unequal => order != Ordering::Equal,
            Comparison::Less => order == Ordering::Less,
            Comparison::LessOrEqual => order != Ordering::Greater,
            Comparison::Greater => order == Ordering::Greater,
            Comparison::GreaterOrEqual => order != Ordering::Less,
        }))
    }

    fn arithmetic(&mut self, term: &'a Term, operator: Operator, [a, b]: &'a [Term; 2]) -> Outcome<'a, Evaluated<'a>> {
        let (left, right) = (self.value(a)?, self.value(b)?);
        let (what, needs) = match operator {
            Operator::Add => ("+", "a number, a string or a list"),
            Operator::Subtract => ("-", "a number"),
            Operator::Multiply => ("*", "a number"),
            Operator::Divide => ("/", "a number"),
            Operator::Remainder => ("%", "an int"),
        };
        let fits = |given: &Evaluated| match given {
            Evaluated::Int(_) => true,
            Evaluated::Double(_) => operator != Operator::Remainder,
            Evaluated::Text(_) | Evaluated::Items(_) | Evaluated::List(_) => operator == Operator::Add,
            _ => false,
        };
        for (operand, given) in [(a, &left), (b, &right)] {
            if !fits(given) {
                return self.operand(term, operand, Need(what, needs), given);
            }
        }
        let result = match (&left, &right) {
            (Evaluated::Int(m), Evaluated::Int(n)) => {
                if *n == 0 && matches!(operator, Operator::Divide | Operator::Remainder) {
                    return self.fault(term, b, Reason::DivisionByZero);
                }
                let result = match operator {
                    Operator::Add => m.checked_add(*n),
                    Operator::Subtract => m.checked_sub(*n),
                    Operator::Multiply => m.checked_mul(*n),
                    Operator::Divide => m.checked_div(*n),
                    Operator::Remainder => m.checked_rem(*n),
                };
                match result {
                    Some(n) => Some(Evaluated::Int(n)),
                    None => return self.fault(term, term, Reason::Overflow(operator.symbol())),
                }
            }
            _ => match (left.number(), right.number()) {
                (Some(x), Some(y)) => Some(Evaluated::Double(match operator {
                    Operator::Add => x + y,
                    Operator::Subtract => x - y,
                    Operator::Multiply => x * y,
                    Operator::Divide => x / y,
                    Operator::Remainder => x % y,
                })),
                _ => left.joined(&right),
            },
        };
        match result {
            Some(given) => Ok(given),
            None => {
                let culprit = if a.constant().is_some() { b } else { a };
                self.fault(
                    term,
                    culprit,
                    Reason::Mixed(operator.symbol(), left.kind(), right.kind()),
                )
            }
        }
    }

    fn contains(&mut self, term: &'a Term, [element, list]: &'a [Term; 2]) -> Outcome<'a, bool> {
        let (member, all) = (self.value(element)?, self.value(list)?);
        match (&all, &member) {
            (Evaluated::Null, _) => Ok(false),
            (Evaluated::Map(map), Evaluated::Text(name)) => Ok(map.contains_key(&**name)),
            (Evaluated::Map(_), _) => Ok(false),
            (Evaluated::Items(items), _) => Ok(items.iter().any(|item| Evaluated::from(item).equals(&member))),
            (Evaluated::List(list), _) => Ok(list.iter().any(|item| item.equals(&member))),
            _ => self.operand(term, list, Need("in", "a list or an object"), &all),
        }
    }

    fn call(&mut self, term: &'a Term, function: Function, arguments: &'a [Term]) -> Outcome<'a, Evaluated<'a>> {
        let [of, rest @ ..] = arguments else {
            return Ok(Evaluated::Null);
        };
        match function {
            Function::Sum | Function::Min | Function::Max => return self.aggregate(term, function, of),
            Function::Size => {
                if let Op::List(elements) = &of.op {
                    // Counts the elements without building the list.
                    let mut count = 0;
                    for element in elements {
                        count += match &element.guard {
                            Some(guard) => i64::from(self.truth(guard)?),
                            None => 1,
                        };
                    }
                    return Ok(Evaluated::Int(count));
                }
            }
            _ => {}
        }
        let given = self.value(of)?;
        match function {
            Function::Size => match given.size() {
                Some(size) => Ok(Evaluated::Int(size as i64)),
                None => self.operand(term, of, Need("size", "a list, a string or an object"), &given),
            },
            Function::StartsWith | Function::EndsWith | Function::Contains => {
                let [other] = rest else {
                    return Ok(Evaluated::Null);
                };
                let part = self.value(other)?;
                match (&given, &part) {
                    (Evaluated::Null, _) | (_, Evaluated::Null) => Ok(Evaluated::Bool(false)),
                    (Evaluated::Text(text), Evaluated::Text(part)) => Ok(Evaluated::Bool(match function {
                        Function::StartsWith => text.starts_with(&**part),
                        Function::EndsWith => text.ends_with(&**part),
                        _ => text.contains(&**part),
                    })),
                    (Evaluated::Text(_), found) => self.operand(term, other, Need(function.name(), "a string"), found),
                    (found, _) => self.operand(term, of, Need(function.name(), "a string"), found),
                }
            }
            Function::Int | Function::Double | Function::String => match given.converted(function) {
                Some(Some(given)) => Ok(given),
                Some(None) => self.fault(term, of, Reason::NoNumber(given.to_string())),
                None => self.operand(term, of, Need(function.name(), "a number or a string"), &given),
            },
            Function::Sum | Function::Min | Function::Max => Ok(Evaluated::Null),
        }
    }
}
