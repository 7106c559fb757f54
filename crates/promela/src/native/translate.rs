//! Translates expressions and actions for one process.
//!
//! Of the process, its number, the offset of its locals and some of its locals are known, so much becomes constant: `_pid`, the
//! index in `flag[_pid]`, the channels that it was started with. A condition is translated for states without
//! `timeout`. What has no translation is `None`, and is left to the interpreter, so a new kind of node or action needs
//! no translation to be right.

use super::effect::Effect;
use super::fixed::Fixed;
use super::guard::{Guard, Range};
use super::queue::{Put, Take};
use super::value::{ByteElement, Place, Subscript, Sum, Value};
use crate::arithmetic::{binary, unary};
use crate::ir::{Action, COUNT, ChannelLayout, Edge, LAST, Linear, Node, PatternNode, Program, Scalar, Scope, Target};
use crate::model::{Binary, ChannelTest, Unary};
use crate::narrow::index;
use std::cell::Cell;

/// What is known about a process.
#[derive(Clone, Copy, Debug)]
pub(super) struct Translator<'a> {
    pub(super) program: &'a Program,
    pub(super) fixed: &'a Fixed,
    /// A state in which it is what is known of it.
    pub(super) state: &'a [u8],
    pub(super) pid: u8,
    /// The offset of its locals.
    pub(super) frame: usize,
    /// The places in the state of the bytes that are known.
    pub(super) known: &'a [u32],
    /// The number of parts of `d_step`s that may still be made by unrolling.
    pub(super) unrolled: &'a Cell<usize>,
}

/// The address of a scalar.
enum Address {
    /// Known.
    At(usize),
    /// An element of an array.
    Of(Place),
}

impl Translator<'_> {
    /// When an edge is executable alone. `None` if only the interpreter knows.
    pub(super) fn guard_of(&self, edge: &Edge) -> Option<Guard> {
        if edge.run.is_some() {
            return None;
        }
        match &edge.action {
            Action::Condition(node) => self.guard(node),
            Action::Else | Action::Skip | Action::Assert(_) | Action::Assign(..) => Some(Guard::Always),
            Action::Send { channel, .. } => {
                let layout = self.channel(channel).filter(|layout| layout.capacity > 0)?;
                Some(match self.program.lossy {
                    true => Guard::Always,
                    false => Guard::Within(index(layout.at), room(layout)?),
                })
            }
            Action::Receive {
                channel,
                patterns,
                random: false,
                copy,
            } => {
                let layout = self.channel(channel)?;
                match layout.capacity {
                    0 if *copy => None,
                    0 => Some(Guard::Never),
                    _ => self.matching(layout, patterns),
                }
            }
            Action::End => Some(Guard::byte_is(index(COUNT), self.pid.checked_add(1)?)),
            Action::DStep(inner) => self.guard_of_block(inner),
            Action::Receive { .. } => None,
        }
    }

    /// What an edge does. [`Effect::Ask`] if only the interpreter knows.
    pub(super) fn effect_of(&self, edge: &Edge) -> Effect {
        if edge.run.is_some() {
            return Effect::Ask;
        }
        if edge.only_waits {
            return Effect::Nothing;
        }
        self.effect(&edge.action).unwrap_or(Effect::Ask)
    }

    pub(super) fn effect(&self, action: &Action) -> Option<Effect> {
        match action {
            Action::Else | Action::Skip => Some(Effect::Nothing),
            Action::Condition(Node::SetPriority(_)) => None,
            Action::Condition(node) => Some(Effect::Require(Box::new(self.guard(node)?))),
            Action::Assert(node) => match (self.program.asserts, self.guard(node)?) {
                (true, guard) => Some(Effect::Require(Box::new(guard))),
                (false, guard) => guard.is_certain().then_some(Effect::Nothing),
            },
            Action::Assign(target, node) => self.store(target, self.value(node)?),
            Action::Send {
                channel,
                message,
                sorted: false,
            } => self.put(self.channel(channel)?, message),
            Action::Receive {
                channel,
                patterns,
                random: false,
                copy,
            } => self.take(self.channel(channel)?, patterns, *copy),
            Action::DStep(inner) => Some(Effect::Block(Box::new(self.block(inner)?))),
            Action::Send { .. } | Action::Receive { .. } | Action::End => None,
        }
    }

    fn put(&self, layout: &ChannelLayout, message: &[Node]) -> Option<Effect> {
        let is_watched = self.program.monitor.is_some();
        if is_watched || layout.capacity == 0 || layout.fields.len() != message.len() {
            return None;
        }
        let field =
            |((offset, scalar), node): (&(usize, Scalar), &Node)| Some((index(*offset), *scalar, self.value(node)?));
        let fields: Option<Box<[_]>> = layout.fields.iter().zip(message).map(field).collect();
        Some(Effect::Put(Box::new(Put {
            at: index(layout.at),
            capacity: u8::try_from(layout.capacity).ok()?,
            slot: index(layout.slot),
            fields: fields?,
        })))
    }

    fn take(&self, layout: &ChannelLayout, patterns: &[PatternNode], copy: bool) -> Option<Effect> {
        if self.program.monitor.is_some() || layout.capacity == 0 {
            return None;
        }
        let matches = self.matching(layout, patterns)?;
        let mut stores = Vec::new();
        for (pattern, (offset, scalar)) in patterns.iter().zip(&layout.fields) {
            if let PatternNode::Store(target) = pattern {
                stores.push(self.store(target, loaded(layout.at + 1 + offset, *scalar))?);
            }
        }
        stores.retain(|store| *store != Effect::Nothing);
        Some(Effect::Take(Box::new(Take {
            at: index(layout.at),
            slot: index(layout.slot),
            check: match matches.is_certain() {
                true => Guard::Always,
                false => matches,
            },
            stores: stores.into(),
            copy,
        })))
    }

    /// That there is a message, and the oldest matches.
    fn matching(&self, layout: &ChannelLayout, patterns: &[PatternNode]) -> Option<Guard> {
        if layout.fields.len() != patterns.len() {
            return None;
        }
        let mut tests = vec![Guard::Within(index(layout.at), Range::POSITIVE)];
        for (pattern, (offset, scalar)) in patterns.iter().zip(&layout.fields) {
            if let PatternNode::Match(node) = pattern {
                let field = loaded(layout.at + 1 + offset, *scalar);
                tests.push(Guard::compare(Binary::Equal, self.value(node)?, field));
            }
        }
        Some(Guard::all(tests))
    }

    /// The assignment of a value.
    fn store(&self, target: &Target, value: Value) -> Option<Effect> {
        let address = self.address(target)?;
        if target.scope == Scope::Scratch {
            return match address {
                Address::At(_) if value.is_certain() => Some(Effect::Nothing),
                _ => None,
            };
        }
        let scalar = target.scalar;
        Some(match (address, value) {
            (Address::At(at), Value::Constant(value)) if scalar.size() == 1 => {
                let [value, ..] = scalar.truncate(value).to_le_bytes();
                Effect::SetByte(index(at), value)
            }
            (Address::At(at), Value::Byte(from)) if scalar == Scalar::Byte => Effect::CopyByte(index(at), from),
            (Address::At(at), value) => match added(&value) {
                Some((to, amount)) if scalar == Scalar::Byte && to as usize == at => Effect::AddByte(to, amount),
                _ => Effect::Store(index(at), scalar, Box::new(value)),
            },
            (Address::Of(place), value) => match byte_element(&place).filter(|_| scalar == Scalar::Byte) {
                Some(element) => Effect::StoreByteElement(element, Box::new(value)),
                None => Effect::StoreElement(Box::new((place, value))),
            },
        })
    }

    /// An expression as a condition.
    pub(super) fn guard(&self, node: &Node) -> Option<Guard> {
        Some(match node {
            Node::Binary(Binary::And, operands) => Guard::all([self.guard(&operands.0)?, self.guard(&operands.1)?]),
            Node::Binary(Binary::Or, operands) => Guard::any([self.guard(&operands.0)?, self.guard(&operands.1)?]),
            Node::Binary(operator, operands) if is_comparison(*operator) => {
                Guard::compare(*operator, self.value(&operands.0)?, self.value(&operands.1)?)
            }
            Node::Unary(Unary::Not, operand) => self.guard(operand)?.negated(),
            Node::Poll(test, channel) => poll(*test, self.channel(channel)?)?,
            Node::CanReceive {
                channel,
                patterns,
                random: false,
            } => {
                let layout = self.channel(channel).filter(|layout| layout.capacity > 0)?;
                self.matching(layout, patterns)?
            }
            _ => Guard::nonzero(self.value(node)?),
        })
    }

    /// An expression as a number.
    pub(super) fn value(&self, node: &Node) -> Option<Value> {
        Some(match node {
            Node::Constant(value) => Value::Constant(*value),
            Node::Load(target) if target.scope != Scope::Scratch => self.load(target)?,
            Node::Unary(operator @ (Unary::Negate | Unary::Complement), operand) => match self.value(operand)? {
                Value::Constant(value) => Value::Constant(unary(*operator, value)),
                value => Value::Unary(*operator, Box::new(value)),
            },
            Node::Binary(operator, operands) if !is_comparison(*operator) && !is_logical(*operator) => {
                match (self.value(&operands.0)?, self.value(&operands.1)?) {
                    (Value::Constant(left), Value::Constant(right)) => Value::Constant(binary(*operator, left, right)?),
                    values => Value::Binary(*operator, Box::new(values)),
                }
            }
            Node::Linear(linear) => self.sum(linear)?,
            Node::Conditional(parts) => match self.guard(&parts.0)? {
                Guard::Always => self.value(&parts.1)?,
                Guard::Never => self.value(&parts.2)?,
                guard => match (self.value(&parts.1)?, self.value(&parts.2)?) {
                    (Value::Constant(1), Value::Constant(0)) => Value::Truth(Box::new(guard)),
                    (then, otherwise) => Value::Choice(Box::new((guard, then, otherwise))),
                },
            },
            Node::Len(channel) => {
                let layout = self.channel(channel)?;
                match layout.capacity {
                    0 => Value::Constant(0),
                    _ => Value::Byte(index(layout.at)),
                }
            }
            Node::Timeout => Value::Constant(0),
            Node::Last => Value::Byte(index(LAST)),
            Node::Pid => Value::Constant(i32::from(self.pid)),
            Node::ProcessCount => Value::Byte(index(COUNT)),
            Node::Unary(Unary::Not, _) | Node::Binary(..) | Node::Poll(..) | Node::CanReceive { random: false, .. } => {
                match self.guard(node)? {
                    Guard::Always => Value::Constant(1),
                    Guard::Never => Value::Constant(0),
                    guard => Value::Truth(Box::new(guard)),
                }
            }
            _ => return None,
        })
    }

    fn sum(&self, linear: &Linear) -> Option<Value> {
        let (mut constant, mut terms) = (linear.constant, Vec::new());
        for term in &linear.terms {
            match self.load(&term.target)? {
                Value::Constant(value) => constant = constant.wrapping_add(term.factor.wrapping_mul(value)),
                Value::Byte(at) => terms.push((term.factor, at, Scalar::Byte)),
                Value::Scalar(at, scalar) => terms.push((term.factor, at, scalar)),
                _ => return None,
            }
        }
        Some(match (constant, &terms[..]) {
            (_, []) => Value::Constant(constant),
            (0, [(1, at, scalar)]) => loaded(*at as usize, *scalar),
            _ => Value::Sum(Box::new(Sum {
                constant,
                terms: terms.into(),
            })),
        })
    }

    fn load(&self, target: &Target) -> Option<Value> {
        let scalar = target.scalar;
        Some(match self.address(target)? {
            Address::At(at) if self.is_known(target.scope, at, scalar.size()) => {
                Value::Constant(scalar.load(self.state, at))
            }
            Address::At(at) => loaded(at, scalar),
            Address::Of(place) => match byte_element(&place) {
                Some(element) => Value::ByteElement(element),
                None => Value::Element(Box::new(place)),
            },
        })
    }

    /// Whether a scalar has the same value whenever the translation is used.
    fn is_known(&self, scope: Scope, at: usize, size: usize) -> bool {
        match scope {
            Scope::Scratch => false,
            Scope::Global if self.fixed.contains(at, size) => true,
            Scope::Global | Scope::Local => (at..at + size).all(|at| self.known.contains(&index(at))),
        }
    }

    /// The address of a scalar, unless it is known to be out of range.
    fn address(&self, target: &Target) -> Option<Address> {
        let mut at = match target.scope {
            Scope::Local => self.frame + target.at,
            Scope::Global | Scope::Scratch => target.at,
        };
        let mut subscripts = Vec::new();
        for subscript in &target.indices {
            match self.value(&subscript.value)? {
                Value::Constant(value) if (0..subscript.length).contains(&value) => {
                    at += value as usize * subscript.stride;
                }
                Value::Constant(_) => return None,
                value => subscripts.push(Subscript {
                    value,
                    length: subscript.length,
                    stride: index(subscript.stride),
                }),
            }
        }
        if subscripts.is_empty() {
            return Some(Address::At(at));
        }
        Some(Address::Of(Place {
            at: index(at),
            scalar: target.scalar,
            subscripts: subscripts.into(),
        }))
    }

    /// The global channel that an expression always names.
    pub(super) fn channel(&self, node: &Node) -> Option<&ChannelLayout> {
        let Value::Constant(number) = self.value(node)? else {
            return None;
        };
        self.program.channels.get(usize::try_from(number).ok()?.checked_sub(1)?)
    }
}

impl Guard {
    /// That a byte has this value.
    fn byte_is(at: u32, low: u8) -> Self {
        Self::Within(at, Range { low, span: 0 })
    }
}

/// A scalar at a place.
fn loaded(at: usize, scalar: Scalar) -> Value {
    match scalar.size() {
        1 => Value::Byte(index(at)),
        _ => Value::Scalar(index(at), scalar),
    }
}

/// The numbers of messages with which a channel is not full.
fn room(layout: &ChannelLayout) -> Option<Range> {
    let span = u8::try_from(layout.capacity.checked_sub(1)?).ok()?;
    Some(Range { low: 0, span })
}

/// A test of the number of messages.
fn poll(test: ChannelTest, layout: &ChannelLayout) -> Option<Guard> {
    let at = index(layout.at);
    // A rendezvous channel is empty and never full.
    if layout.capacity == 0 {
        return Some(match test {
            ChannelTest::Empty | ChannelTest::NotFull => Guard::Always,
            ChannelTest::NotEmpty | ChannelTest::Full => Guard::Never,
        });
    }
    Some(match test {
        ChannelTest::Empty => Guard::Outside(at, Range::POSITIVE),
        ChannelTest::NotEmpty => Guard::Within(at, Range::POSITIVE),
        ChannelTest::Full => Guard::Outside(at, room(layout)?),
        ChannelTest::NotFull => Guard::Within(at, room(layout)?),
    })
}

/// An array of bytes whose only index is a byte.
fn byte_element(place: &Place) -> Option<ByteElement> {
    let [subscript] = &place.subscripts[..] else {
        return None;
    };
    let Value::Byte(by) = subscript.value else {
        return None;
    };
    (place.scalar.size() == 1).then_some(ByteElement {
        at: place.at,
        index: by,
        length: u16::try_from(subscript.length.min(256)).ok()?,
        stride: u16::try_from(subscript.stride).ok()?,
    })
}

/// The byte that a value is more than by a constant, and that constant, as far as a byte shows it.
fn added(value: &Value) -> Option<(u32, u8)> {
    let Value::Binary(operator, operands) = value else {
        return None;
    };
    let (at, amount) = match (operator, &operands.0, &operands.1) {
        (Binary::Add, Value::Byte(at), Value::Constant(amount))
        | (Binary::Add, Value::Constant(amount), Value::Byte(at)) => (*at, *amount),
        (Binary::Subtract, Value::Byte(at), Value::Constant(amount)) => (*at, amount.wrapping_neg()),
        _ => return None,
    };
    let [amount, ..] = amount.to_le_bytes();
    Some((at, amount))
}

fn is_logical(operator: Binary) -> bool {
    matches!(operator, Binary::And | Binary::Or)
}

fn is_comparison(operator: Binary) -> bool {
    matches!(
        operator,
        Binary::Less | Binary::LessEqual | Binary::Greater | Binary::GreaterEqual | Binary::Equal | Binary::NotEqual
    )
}
