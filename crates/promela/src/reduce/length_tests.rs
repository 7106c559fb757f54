//! Conditions that ask how many messages a channel contains, recognised for what they ask (thesis, p. 37).
//!
//! `len(q) > 0`, `!(len(q) == 0)` and `nempty(q)` are the same question, and so are `len(q) < 4`, `4 > len(q)` and
//! `nfull(q)` for a channel of four. Each of them is a bound: *at least* some number of messages, which sending
//! keeps true, or *at most* some number, which receiving keeps true.

use super::accesses::Accesses;
use super::operations::ChannelOp;
use crate::ir::Node;
use crate::model::{Binary, ChannelTest};

/// A condition on the number of messages in a channel.
pub(super) struct LengthTest<'n> {
    pub(super) channel: &'n Node,
    pub(super) op: ChannelOp,
}

/// A bound on the number of messages.
enum Bound {
    AtLeast(i64),
    AtMost(i64),
}

impl Accesses<'_> {
    /// The bound that a condition asks for if it must hold, or if it must not.
    pub(super) fn length_test<'n>(&self, node: &'n Node, holds: bool) -> Option<LengthTest<'n>> {
        let (channel, op) = match node {
            Node::Poll(test, channel) => {
                let test = if holds { *test } else { opposite(*test) };
                (&**channel, test_op(test))
            }
            Node::Len(channel) => (
                &**channel,
                test_op(if holds {
                    ChannelTest::NotEmpty
                } else {
                    ChannelTest::Empty
                }),
            ),
            Node::Binary(operator, operands) => {
                let (channel, operator, number) = match &**operands {
                    (Node::Len(channel), Node::Constant(number)) => (&**channel, *operator, *number),
                    (Node::Constant(number), Node::Len(channel)) => (&**channel, operator.mirrored(), *number),
                    _ => return None,
                };
                let operator = if holds { operator } else { negated(operator)? };
                let capacity = self.capacity(channel);
                let op = match bound(operator, i64::from(number), capacity)? {
                    Bound::AtLeast(1) => ChannelOp::TestNotEmpty,
                    Bound::AtLeast(_) => ChannelOp::TestAtLeast,
                    Bound::AtMost(most) if capacity == Some(most + 1) => ChannelOp::TestNotFull,
                    Bound::AtMost(_) => ChannelOp::TestAtMost,
                };
                (channel, op)
            }
            _ => return None,
        };
        Some(LengthTest { channel, op })
    }

    /// The capacity of the channel that an expression names, if that is known.
    fn capacity(&self, channel: &Node) -> Option<i64> {
        let number = usize::try_from(self.known(channel)?).ok()?.checked_sub(1)?;
        let layout = self.program.channels.get(number)?;
        i64::try_from(layout.capacity).ok()
    }
}

/// The bound that `len(q) operator number` asks for.
fn bound(operator: Binary, number: i64, capacity: Option<i64>) -> Option<Bound> {
    let is_capacity = capacity == Some(number);
    match operator {
        Binary::Greater => Some(Bound::AtLeast(number + 1)),
        Binary::GreaterEqual => Some(Bound::AtLeast(number)),
        Binary::Less => Some(Bound::AtMost(number - 1)),
        Binary::LessEqual => Some(Bound::AtMost(number)),
        Binary::Equal if number == 0 => Some(Bound::AtMost(0)),
        Binary::Equal if is_capacity => Some(Bound::AtLeast(number)),
        Binary::NotEqual if number == 0 => Some(Bound::AtLeast(1)),
        Binary::NotEqual if is_capacity => Some(Bound::AtMost(number - 1)),
        _ => None,
    }
}

/// The comparison that holds when this one does not.
fn negated(operator: Binary) -> Option<Binary> {
    Some(match operator {
        Binary::Less => Binary::GreaterEqual,
        Binary::LessEqual => Binary::Greater,
        Binary::Greater => Binary::LessEqual,
        Binary::GreaterEqual => Binary::Less,
        Binary::Equal => Binary::NotEqual,
        Binary::NotEqual => Binary::Equal,
        _ => return None,
    })
}

fn test_op(test: ChannelTest) -> ChannelOp {
    match test {
        ChannelTest::Empty => ChannelOp::TestAtMost,
        ChannelTest::NotEmpty => ChannelOp::TestNotEmpty,
        ChannelTest::Full => ChannelOp::TestAtLeast,
        ChannelTest::NotFull => ChannelOp::TestNotFull,
    }
}

fn opposite(test: ChannelTest) -> ChannelTest {
    match test {
        ChannelTest::Empty => ChannelTest::NotEmpty,
        ChannelTest::NotEmpty => ChannelTest::Empty,
        ChannelTest::Full => ChannelTest::NotFull,
        ChannelTest::NotFull => ChannelTest::Full,
    }
}
