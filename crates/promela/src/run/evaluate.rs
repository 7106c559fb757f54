//! The values of expressions in a state.

use super::process::{ProcessRef, Processes};
use crate::RuntimeError;
use crate::arithmetic::{binary, unary};
use crate::ir::{COUNT, ChannelLayout, LAST, Node, PatternNode, Program, Scope, Target};
use crate::model::{Binary, ChannelTest, ProctypeId};
use crate::narrow::value;

/// A state as one of its processes sees it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct View<'p, 's> {
    pub(crate) program: &'p Program,
    pub(crate) state: &'s [u8],
    /// The process that evaluates.
    pub(crate) pid: u8,
    /// The offset of its locals.
    pub(crate) frame: usize,
    /// Whether nothing else is executable.
    pub(crate) timeout: bool,
}

/// A channel in a state.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ChannelRef<'p> {
    pub(crate) layout: &'p ChannelLayout,
    /// The offset of its first byte.
    pub(crate) at: usize,
}

impl ChannelRef<'_> {
    /// The number of messages.
    #[inline]
    pub(crate) fn len(&self, state: &[u8]) -> usize {
        if self.layout.capacity == 0 {
            0
        } else {
            state[self.at] as usize
        }
    }

    /// The offset of a slot.
    #[inline]
    pub(crate) fn slot(&self, k: usize) -> usize {
        self.at + 1 + k * self.layout.slot
    }

    /// A field of a message.
    #[inline]
    pub(crate) fn field(&self, state: &[u8], k: usize, field: usize) -> i32 {
        let (offset, scalar) = self.layout.fields[field];
        scalar.load(state, self.slot(k) + offset)
    }
}

impl<'p, 's> View<'p, 's> {
    /// A state as no particular process sees it: for claims and atoms.
    pub(crate) fn outside(program: &'p Program, state: &'s [u8]) -> Self {
        Self {
            program,
            state,
            pid: 0,
            frame: 0,
            timeout: false,
        }
    }

    /// The value of an expression.
    pub(crate) fn value(&self, node: &Node) -> Result<i32, RuntimeError> {
        Ok(match node {
            Node::Constant(value) => *value,
            Node::Load(target) => target.scalar.load(self.state, self.address(target)?),
            Node::Unary(operator, operand) => unary(*operator, self.operand(operand)?),
            Node::Binary(Binary::And, operands) => {
                i32::from(self.operand(&operands.0)? != 0 && self.operand(&operands.1)? != 0)
            }
            Node::Binary(Binary::Or, operands) => {
                i32::from(self.operand(&operands.0)? != 0 || self.operand(&operands.1)? != 0)
            }
            Node::Binary(operator, operands) => {
                let (left, right) = (self.operand(&operands.0)?, self.operand(&operands.1)?);
                binary(*operator, left, right).ok_or(RuntimeError::DivisionByZero)?
            }
            Node::Linear(linear) => {
                let mut sum = linear.constant;
                for term in &linear.terms {
                    let value = term.target.scalar.load(self.state, self.base(&term.target));
                    sum = sum.wrapping_add(term.factor.wrapping_mul(value));
                }
                sum
            }
            Node::Conditional(parts) => {
                if self.value(&parts.0)? != 0 {
                    self.value(&parts.1)?
                } else {
                    self.value(&parts.2)?
                }
            }
            _ => return self.system_value(node),
        })
    }

    /// The value of an expression about channels or processes. It is apart from
    /// [`View::value`], so that the frequent calls save few registers.
    #[inline(never)]
    fn system_value(&self, node: &Node) -> Result<i32, RuntimeError> {
        Ok(match node {
            // The process that is about to start gets the next number.
            Node::Started => match self.state[COUNT] {
                u8::MAX => 0,
                count => i32::from(count),
            },
            Node::Len(channel) => value(self.channel(channel)?.len(self.state)),
            Node::Poll(test, channel) => i32::from(self.poll(*test, self.channel(channel)?)),
            Node::CanReceive {
                channel,
                patterns,
                random,
            } => i32::from(self.can_receive(self.channel(channel)?, patterns, *random)?),
            Node::Timeout => i32::from(self.timeout),
            Node::NonProgress => i32::from(!self.processes().any(|p| p.location(self.state).is_progress)),
            Node::Accepting => i32::from(self.processes().any(|p| p.location(self.state).is_accept)),
            Node::Last => i32::from(self.state[LAST]),
            Node::Pid => i32::from(self.pid),
            Node::ProcessCount => i32::from(self.state[COUNT]),
            Node::Enabled(process) => match self.process(self.value(process)?) {
                Some(process) => i32::from(self.program.is_enabled(self.state, process, self.timeout)?),
                None => 0,
            },
            Node::GetPriority(process) => match self.process(self.value(process)?) {
                Some(process) => i32::from(process.priority(self.state)),
                None => 0,
            },
            Node::SetPriority(parts) => {
                let (process, priority) = (self.value(&parts.0)?, self.value(&parts.1)?);
                if self.process(process).is_some() && !(1..=255).contains(&priority) {
                    return Err(RuntimeError::Priority(priority));
                }
                1
            }
            Node::AtLabel {
                proctype,
                process,
                label,
            } => {
                let process = self.remote(*proctype, process.as_deref())?;
                i32::from(process.is_some_and(|p| p.is_at(*label, self.state)))
            }
            Node::Remote {
                proctype,
                process,
                target,
            } => match self.remote(*proctype, process.as_deref())? {
                Some(process) => target.scalar.load(self.state, self.indexed(target)? + process.frame()),
                None => 0,
            },
            Node::OutOfRange { index, length } => return Err(out_of_range(*index, *length)),
            Node::Constant(_)
            | Node::Load(_)
            | Node::Unary(..)
            | Node::Binary(..)
            | Node::Linear(_)
            | Node::Conditional(_) => return self.value(node),
        })
    }

    fn poll(&self, test: ChannelTest, channel: ChannelRef<'_>) -> bool {
        let len = channel.len(self.state);
        // As in SPIN, a rendezvous channel is empty and never full.
        let full = len != 0 && len == channel.layout.capacity;
        match test {
            ChannelTest::Empty => len == 0,
            ChannelTest::NotEmpty => len != 0,
            ChannelTest::Full => full,
            ChannelTest::NotFull => !full,
        }
    }

    fn can_receive(
        &self,
        channel: ChannelRef<'_>,
        patterns: &[PatternNode],
        random: bool,
    ) -> Result<bool, RuntimeError> {
        if channel.layout.capacity == 0 {
            return Err(RuntimeError::Inspected);
        }
        Ok(self.matching(channel, patterns, random)?.is_some())
    }

    /// The value of an operand. Most are constants and variables, which need no call.
    #[inline(always)]
    fn operand(&self, node: &Node) -> Result<i32, RuntimeError> {
        match node {
            Node::Constant(value) => Ok(*value),
            Node::Load(target) if target.indices.is_empty() => Ok(target.scalar.load(self.state, self.base(target))),
            _ => self.value(node),
        }
    }

    /// Whether an expression is not 0.
    #[inline]
    pub(crate) fn holds(&self, node: &Node) -> Result<bool, RuntimeError> {
        Ok(self.value(node)? != 0)
    }

    /// The offset of a scalar in the state, without its indices.
    #[inline]
    fn base(&self, target: &Target) -> usize {
        match target.scope {
            Scope::Local => self.frame + target.at,
            Scope::Global | Scope::Scratch => target.at,
        }
    }

    /// The offset of a scalar in the state.
    #[inline]
    pub(crate) fn address(&self, target: &Target) -> Result<usize, RuntimeError> {
        if target.indices.is_empty() {
            return Ok(self.base(target));
        }
        let at = self.indexed(target)?;
        Ok(match target.scope {
            Scope::Local => self.frame + at,
            Scope::Global | Scope::Scratch => at,
        })
    }

    /// The offset of a scalar in its part of the state.
    fn indexed(&self, target: &Target) -> Result<usize, RuntimeError> {
        let mut at = target.at;
        for index in &target.indices {
            let value = self.operand(&index.value)?;
            if !(0..index.length).contains(&value) {
                return Err(out_of_range(value, index.length));
            }
            at += value as usize * index.stride;
        }
        Ok(at)
    }

    /// The channel that an expression names.
    #[inline]
    pub(crate) fn channel(&self, node: &Node) -> Result<ChannelRef<'p>, RuntimeError> {
        let number = self.operand(node)?;
        self.numbered(number).ok_or(RuntimeError::NoChannel(number))
    }

    /// The channel with a number.
    #[inline]
    pub(crate) fn numbered(&self, number: i32) -> Option<ChannelRef<'p>> {
        let k = usize::try_from(number).ok()?.checked_sub(1)?;
        if let Some(layout) = self.program.channels.get(k) {
            return Some(ChannelRef { layout, at: layout.at });
        }
        let mut k = k - self.program.channels.len();
        for process in self.processes() {
            let channels = &process.automaton.channels;
            if let Some(layout) = channels.get(k) {
                return Some(ChannelRef {
                    layout,
                    at: process.at + layout.at,
                });
            }
            k -= channels.len();
        }
        None
    }

    /// The position of the message that would be received.
    pub(crate) fn matching(
        &self,
        channel: ChannelRef<'_>,
        patterns: &[PatternNode],
        random: bool,
    ) -> Result<Option<usize>, RuntimeError> {
        let len = channel.len(self.state);
        let candidates = if random { len } else { len.min(1) };
        for k in 0..candidates {
            if self.matches(channel.layout, patterns, |field| channel.field(self.state, k, field))? {
                return Ok(Some(k));
            }
        }
        Ok(None)
    }

    /// Whether a message of a channel with this layout matches.
    #[inline]
    pub(crate) fn matches(
        &self,
        layout: &ChannelLayout,
        patterns: &[PatternNode],
        field: impl Fn(usize) -> i32,
    ) -> Result<bool, RuntimeError> {
        if layout.fields.len() != patterns.len() {
            return Err(RuntimeError::wrong_arity(layout, patterns.len()));
        }
        for (k, pattern) in patterns.iter().enumerate() {
            if let PatternNode::Match(value) = pattern
                && self.value(value)? != field(k)
            {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// All processes.
    #[inline]
    pub(crate) fn processes(&self) -> Processes<'p, 's> {
        Processes::new(self.program, self.state)
    }

    /// The process with a number.
    fn process(&self, pid: i32) -> Option<ProcessRef<'p>> {
        usize::try_from(pid).ok().and_then(|pid| self.processes().nth(pid))
    }

    /// The process that a remote reference names.
    fn remote(&self, proctype: ProctypeId, process: Option<&Node>) -> Result<Option<ProcessRef<'p>>, RuntimeError> {
        let is_one = |p: &ProcessRef<'_>| p.proctype == proctype;
        Ok(match process {
            Some(pid) => self.process(self.value(pid)?).filter(is_one),
            None => self.processes().find(is_one),
        })
    }
}

fn out_of_range(index: i32, length: i32) -> RuntimeError {
    RuntimeError::Index {
        index,
        length: usize::try_from(length).unwrap_or_default(),
    }
}
