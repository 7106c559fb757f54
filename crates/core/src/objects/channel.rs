//! FIFO channels, bounded or unbounded: Send, Receive, Length, Empty, Full.
//!
//! With `n` messages of at most `N` in the channel, the thesis' tables:
//! Example 3.20 for [`Relation::Conditional`], the end of Example 6.7 for
//! [`Relation::WeaklyUniform`], Example 4.29 for `▷s`. The weakly uniform
//! relation has more dependent pairs, so its `▷s` has two larger entries
//! (Send ▷ Full when n < N, Receive ▷ Empty when n > 0). An unbounded channel is
//! the case N = ∞: `n = N` is never true and Full always answers no.
//!
//! A capacity of zero is refused: rendezvous is a joint transition.

use super::variable::Variable;
use super::{ObjectType, Op, Operated, Operation, OutOfRange, Relation, Succession};
use super::{read_uint, width, write_uint};
use crate::model::{Action, Builder, Command, Expr, Node, handle};
use crate::narrow;
use std::ops::{Range, RangeInclusive};

/// A FIFO channel whose messages are integers of a range.
///
/// ```
/// use mazurka_core::{ChannelType, ObjectType};
/// let q = ChannelType::bounded(5).messages(0..=9).containing([1, 2, 3]);
/// assert_eq!(q.initial(), [1, 2, 3]);
/// assert!(ChannelType::unbounded().initial().is_empty());
/// ```
#[derive(Clone, Debug)]
pub struct ChannelType {
    capacity: Option<usize>,
    low: i64,
    high: i64,
    initial: Vec<i64>,
}

pub(crate) const SEND: u8 = 0;
pub(crate) const RECEIVE: u8 = 1;
pub(crate) const LENGTH: u8 = 2;
pub(crate) const EMPTY: u8 = 3;
pub(crate) const FULL: u8 = 4;

/// What the relations look at: the number of messages, and the places left.
#[derive(Clone, Copy)]
struct Filling {
    n: usize,
    /// `usize::MAX` if unbounded.
    room: usize,
}

impl ChannelType {
    /// A channel that holds at most `capacity` messages.
    pub fn bounded(capacity: usize) -> Self {
        Self {
            capacity: Some(capacity),
            low: 0,
            high: 0xFF,
            initial: Vec::new(),
        }
    }

    /// A channel that holds any number of messages.
    pub fn unbounded() -> Self {
        Self {
            capacity: None,
            ..Self::bounded(0)
        }
    }

    /// With messages of this range (`0..=255` by default).
    pub fn messages(mut self, domain: RangeInclusive<i64>) -> Self {
        (self.low, self.high) = domain.into_inner();
        self
    }

    /// With these messages initially, the oldest first.
    pub fn containing(mut self, messages: impl IntoIterator<Item = i64>) -> Self {
        self.initial = messages.into_iter().collect();
        self
    }

    fn holds(&self, message: i64) -> bool {
        (self.low..=self.high).contains(&message)
    }

    fn message_len(&self) -> usize {
        width(self.high.wrapping_sub(self.low) as u64)
    }

    /// Bytes of the number of messages, which come first.
    fn count_len(&self) -> usize {
        self.capacity.map_or(4, |c| width(c as u64))
    }

    fn count(&self, bytes: &[u8]) -> usize {
        narrow::index(read_uint(&bytes[..self.count_len()]))
    }

    fn filling(&self, bytes: &[u8]) -> Filling {
        let n = self.count(bytes);
        Filling {
            n,
            room: self.capacity.map_or(usize::MAX, |c| c - n),
        }
    }

    fn fillings(&self) -> impl Iterator<Item = Filling> + '_ {
        // The tables distinguish no more than the two messages and the two
        // places nearest to either end.
        let top = self.capacity.unwrap_or(4);
        (0..=2.min(top)).chain(top.saturating_sub(2)..=top).map(|n| Filling {
            n,
            room: self.capacity.map_or(usize::MAX, |c| c - n),
        })
    }

    /// Examples 3.20 and 6.7.
    fn table(a: u8, b: u8, Filling { n, room }: Filling, relation: Relation) -> bool {
        let uniform = relation != Relation::Conditional;
        match (a.min(b), a.max(b)) {
            (SEND, SEND | LENGTH) => room > 0,
            (SEND, RECEIVE) => n == 0 || room == 0,
            (SEND, EMPTY) => n == 0,
            (SEND, FULL) if uniform => room > 0 && room < usize::MAX,
            (SEND, FULL) => room == 1,
            (RECEIVE, RECEIVE | LENGTH) => n > 0,
            (RECEIVE, EMPTY) if uniform => n > 0,
            (RECEIVE, EMPTY) => n == 1,
            (RECEIVE, FULL) => room == 0,
            _ => false,
        }
    }

    /// Example 4.29, and the same for the weakly uniform relation.
    fn first_table(a: u8, b: u8, Filling { n, room }: Filling, relation: Relation) -> bool {
        let uniform = relation != Relation::Conditional;
        let bounded = room < usize::MAX;
        match (a, b) {
            (SEND, SEND | LENGTH | EMPTY) => room > 0,
            (SEND, RECEIVE) => room == 0,
            (SEND, FULL) if uniform => bounded && room > 0,
            (SEND, FULL) => room == 1,
            (RECEIVE, SEND) => n == 0,
            (RECEIVE, RECEIVE | LENGTH) => n > 0,
            (RECEIVE, FULL) => bounded && n > 0,
            (RECEIVE, EMPTY) if uniform => n > 0,
            (RECEIVE, EMPTY) => n == 1,
            (LENGTH, SEND) => room > 0,
            (LENGTH | EMPTY, RECEIVE) => n > 0,
            (EMPTY, SEND) => n == 0,
            (FULL, SEND) => bounded && room > 0,
            (FULL, RECEIVE) => room == 0,
            _ => false,
        }
    }

    fn is_defined(kind: u8, Filling { n, room }: Filling) -> bool {
        match kind {
            SEND => room > 0,
            RECEIVE => n > 0,
            _ => true,
        }
    }
}

impl ObjectType for ChannelType {
    fn operations(&self) -> &'static [Operation] {
        const OPERATIONS: [Operation; 5] = [
            Operation::update("Send").with_input().partial(),
            Operation::update("Receive").with_output().partial(),
            Operation::query("Length"),
            Operation::query("Empty"),
            Operation::query("Full"),
        ];
        &OPERATIONS
    }

    fn initial(&self) -> Vec<i64> {
        self.initial.clone()
    }

    fn operate(&self, op: Op, input: i64, value: &[i64]) -> Operated {
        let full = self.capacity.is_some_and(|c| value.len() == c);
        let unchanged = |output: i64| Operated::Done(output, value.to_vec());
        match op.kind {
            SEND if full => Operated::Undefined,
            SEND if !self.holds(input) => Operated::OutOfRange,
            SEND => Operated::Done(0, value.iter().copied().chain([input]).collect()),
            RECEIVE => match value {
                [] => Operated::Undefined,
                [first, rest @ ..] => Operated::Done(*first, rest.to_vec()),
            },
            LENGTH => unchanged(value.len() as i64),
            EMPTY => unchanged(value.is_empty().into()),
            _ => unchanged(full.into()),
        }
    }

    fn defect(&self) -> Option<String> {
        if self.capacity == Some(0) {
            return Some(
                "a channel of capacity 0 can hold no message: write the rendezvous as one joint transition".into(),
            );
        }
        if self.low > self.high {
            return Some(format!("its range of messages {}..={} is empty", self.low, self.high));
        }
        if self.capacity.is_some_and(|c| self.initial.len() > c) {
            return Some("it initially contains more messages than its capacity".into());
        }
        self.initial
            .iter()
            .find(|m| !self.holds(**m))
            .map(|m| format!("its initial message {m} is not in {}..={}", self.low, self.high))
    }

    fn accepts(&self, op: Op, input: i64) -> bool {
        op.kind != SEND || self.holds(input)
    }

    fn accepts_all(&self, _: Op, inputs: RangeInclusive<i64>) -> bool {
        self.low <= *inputs.start() && *inputs.end() <= self.high
    }

    fn answers(&self, op: Op) -> Option<RangeInclusive<i64>> {
        Some(match op.kind {
            RECEIVE => self.low..=self.high,
            LENGTH => 0..=i64::try_from(self.capacity.unwrap_or(u32::MAX as usize)).unwrap_or(i64::MAX),
            _ => 0..=1,
        })
    }

    fn defined_iff(&self, op: Op) -> Option<(u8, bool)> {
        match op.kind {
            SEND => Some((FULL, false)),
            RECEIVE => Some((EMPTY, false)),
            _ => None,
        }
    }

    fn growth(&self, op: Op) -> i8 {
        match op.kind {
            SEND => 1,
            RECEIVE => -1,
            _ => 0,
        }
    }

    fn fixed_len(&self) -> Option<usize> {
        None
    }

    fn encoded_len(&self, bytes: &[u8]) -> usize {
        self.count_len() + self.count(bytes) * self.message_len()
    }

    fn encode(&self, value: &[i64], out: &mut Vec<u8>) {
        out.extend_from_slice(&(value.len() as u64).to_le_bytes()[..self.count_len()]);
        for message in value {
            let raw = message.wrapping_sub(self.low) as u64;
            out.extend_from_slice(&raw.to_le_bytes()[..self.message_len()]);
        }
    }

    fn decode(&self, bytes: &[u8]) -> Vec<i64> {
        bytes[self.count_len()..self.encoded_len(bytes)]
            .chunks(self.message_len())
            .map(|raw| self.low.wrapping_add(read_uint(raw) as i64))
            .collect()
    }

    fn defined(&self, op: Op, bytes: &[u8]) -> bool {
        Self::is_defined(op.kind, self.filling(bytes))
    }

    fn query(&self, op: Op, bytes: &[u8]) -> i64 {
        let Filling { n, room } = self.filling(bytes);
        match op.kind {
            LENGTH => n as i64,
            EMPTY => (n == 0).into(),
            _ => (room == 0).into(),
        }
    }

    fn modify(&self, op: Op, input: i64, state: &mut Vec<u8>, at: Range<usize>) -> Result<i64, OutOfRange> {
        let (count_len, len) = (self.count_len(), self.message_len());
        let n = self.count(&state[at.clone()]);
        let messages = at.start + count_len;
        if op.kind == SEND {
            if !self.holds(input) || (self.capacity.is_none() && n == u32::MAX as usize) {
                return Err(OutOfRange);
            }
            let raw = (input.wrapping_sub(self.low) as u64).to_le_bytes();
            let (end, old_len) = (at.end, state.len());
            state.resize(old_len + len, 0);
            state.copy_within(end..old_len, end + len);
            state[end..end + len].copy_from_slice(&raw[..len]);
            write_uint(&mut state[at.start..messages], n as u64 + 1);
            Ok(0)
        } else {
            let output = self
                .low
                .wrapping_add(read_uint(&state[messages..messages + len]) as i64);
            state.drain(messages..messages + len);
            write_uint(&mut state[at.start..messages], n as u64 - 1);
            Ok(output)
        }
    }

    fn dependent(&self, a: Op, b: Op, bytes: &[u8], relation: Relation) -> bool {
        match relation {
            Relation::Constant => self.can_be_dependent(a, b, relation),
            _ => Self::table(a.kind, b.kind, self.filling(bytes), relation),
        }
    }

    fn first_to_interfere(&self, a: Op, b: Op, bytes: &[u8], relation: Relation) -> bool {
        match relation {
            Relation::Constant => self.can_be_dependent(a, b, relation),
            _ => Self::first_table(a.kind, b.kind, self.filling(bytes), relation),
        }
    }

    fn can_be_dependent(&self, a: Op, b: Op, relation: Relation) -> bool {
        self.fillings().any(|f| Self::table(a.kind, b.kind, f, relation))
    }

    fn do_not_accord(&self, a: Op, b: Op, relation: Relation) -> bool {
        self.fillings().any(|f| {
            Self::is_defined(a.kind, f)
                && Self::is_defined(b.kind, f)
                && match relation {
                    Relation::Constant => self.can_be_dependent(a, b, relation),
                    _ => Self::table(a.kind, b.kind, f, relation),
                }
        })
    }

    fn succession(&self, a: Op, b: Op) -> Succession {
        match (a.kind, b.kind) {
            // A message was there already, and there is always room.
            (RECEIVE, SEND) if self.capacity.is_none() => Succession::Swaps,
            // With one place, there is never room or a message for two.
            (SEND, SEND) | (RECEIVE, RECEIVE) if self.capacity == Some(1) => Succession::Never,
            _ if self.can_be_dependent(a, b, Relation::Conditional) => Succession::Matters,
            _ => Succession::Swaps,
        }
    }

    fn conditional_is_weakly_uniform(&self) -> bool {
        // With one place only, the two relations are the same.
        self.capacity == Some(1)
    }
}

handle! {
    /// A handle to a FIFO channel.
    ///
    /// ```
    /// # use mazurka_core::{Builder, ChannelType, Search};
    /// # let mut m = Builder::new("m");
    /// let [a0, a1] = m.process("A", ["a0", "a1"]);
    /// let [b0, b1] = m.process("B", ["b0", "b1"]);
    /// let q = m.channel("q", ChannelType::bounded(1).messages(0..=9));
    /// m.transition("send", a0, a1).then(q.send(7));
    /// m.transition("receive", b0, b1).then(q.receive());
    /// let outcome = Search::new(&m.build()?).run()?;
    /// assert_eq!(outcome.statistics.states, 3); // nothing to receive before the send
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    Channel
}

impl Builder {
    /// Adds a FIFO channel.
    pub fn channel(&mut self, name: impl Into<String>, kind: ChannelType) -> Channel {
        Channel(self.object(name, kind))
    }
}

impl Channel {
    /// Appends a message; disabled while the channel is full.
    pub fn send(self, message: impl Into<Expr>) -> Action {
        self.0.operate_with(SEND, message)
    }

    /// Takes the oldest message and discards it; disabled while the channel is empty.
    pub fn receive(self) -> Action {
        self.0.operate(RECEIVE)
    }

    /// Takes the oldest message into a variable; disabled while the channel is empty.
    pub fn receive_into(self, variable: Variable) -> Command {
        let write = variable.write(Expr(Node::Output));
        Command(vec![self.receive(), write])
    }

    /// The number of messages.
    pub fn length(self) -> Expr {
        self.0.query(LENGTH)
    }

    /// Whether there is no message. Finer than comparing [`Channel::length`].
    pub fn is_empty(self) -> Expr {
        self.0.query(EMPTY)
    }

    /// Whether there is no room. Finer than comparing [`Channel::length`].
    pub fn is_full(self) -> Expr {
        self.0.query(FULL)
    }
}
