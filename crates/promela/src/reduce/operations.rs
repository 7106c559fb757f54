//! Objects and their operations: the alphabet of the dependency relation.
//!
//! An *operation* is something a step does to one object: reading or writing a scalar
//! global variable, sending to a channel, asking whether it is empty, starting a process, …
//! Operations are numbered, so the operations of a step, or of a whole future, are a bit set,
//! and two of these sets conflict if one intersects the conflicts of the other.
//!
//! Two operations of different processes *conflict* unless, wherever both are executable,
//! both orders lead to the same state and neither makes the other not executable
//! (they *accord*: thesis, Def. 4.13 and Table 4.29 for channels). The table [`conflicts`] is the only place
//! that defines the conflicts between
//! operations on one object. Operations on different objects never conflict.

use crate::ir::Program;
use mazurka_core::bitset;

/// A variable is read.
pub(super) const READ: usize = 0;
/// A variable is assigned.
pub(super) const WRITE: usize = 1;
/// A value that does not depend on the variable is added to it. Arithmetic wraps, so two additions commute.
pub(super) const ADD: usize = 2;
/// Bits that do not depend on the variable are set in it.
pub(super) const OR: usize = 3;
/// All bits but some that do not depend on the variable are cleared in it.
pub(super) const AND: usize = 4;
/// Bits that do not depend on the variable are flipped in it.
pub(super) const XOR: usize = 5;

/// The number of operations on a variable. All but the first change it.
const VARIABLE_OPS: usize = 6;

/// An operation on a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum ChannelOp {
    /// A message is put at the end.
    Send,
    /// A message is put in its place.
    SendSorted,
    /// The oldest message is taken.
    Receive,
    /// A message is taken from anywhere.
    ReceiveAny,
    /// A message is read and stays.
    Copy,
    /// It must not be empty.
    TestNotEmpty,
    /// It must not be full.
    TestNotFull,
    /// It must contain at least some number of messages, such as its capacity.
    TestAtLeast,
    /// It must contain at most some number of messages, such as 0.
    TestAtMost,
    /// Anything else about its contents.
    Look,
    /// A rendezvous is offered.
    Offer,
    /// A rendezvous is accepted.
    Accept,
}

/// The object of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Object {
    /// A variable, by its number in the alphabet.
    Variable(usize),
    /// A channel, by its number from 1. The last number stands for all further channels.
    Channel(usize),
    /// The list of processes.
    Table,
    /// The locations and locals of all processes of a proctype, read from outside.
    Inside(usize),
    /// No object besides the processes that move.
    Nothing,
}

impl ChannelOp {
    /// The test that this operation cannot make false in a channel with at least two messages, for one that takes a
    /// message, or two free places, for one that adds a message. Others that take or add messages conflict with
    /// the operation. So as long as those do not happen, what is left of the two stays. This is `▷s` for these pairs
    /// (thesis, Ex. 4.29).
    pub(super) fn harmless_to(self) -> Option<ChannelOp> {
        match self {
            Self::Send | Self::SendSorted => Some(Self::TestNotFull),
            Self::Receive | Self::ReceiveAny => Some(Self::TestNotEmpty),
            _ => None,
        }
    }
}

/// The number of operations on a channel.
const CHANNEL_OPS: usize = 12;

/// An operation on the list of processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum TableOp {
    /// A process is started: it gets the next number.
    Run,
    /// The process with the highest number ends.
    End,
    /// The processes are counted.
    Count,
}

const TABLE_OPS: usize = 3;

/// Channels of processes beyond these share one object.
const OWN_CHANNELS: usize = 24;
/// Arrays with more elements than this are one object.
const LARGE: usize = 64;

/// The numbering of objects and operations of a program.
#[derive(Clone, Debug)]
pub(super) struct Alphabet {
    /// For each byte of the global variables, the object it belongs to.
    object_at: Vec<u32>,
    variables: usize,
    channels: usize,
    insides: usize,
    /// Whether full channels lose messages.
    lossy: bool,
    /// The number of words of a set of operations.
    pub(super) words: usize,
    /// For each variable, whether it is ever assigned. Only given if all operations on one object conflict.
    touching: Option<Vec<bool>>,
}

impl Alphabet {
    pub(super) fn new(program: &Program) -> Self {
        let mut object_at = vec![0; program.processes];
        let mut variables = 0;
        for cell in &program.cells {
            let size = cell.length * cell.stride;
            for byte in 0..size {
                // The bytes of a scalar share one object, and so do those of a large array.
                let object = match cell.length > LARGE {
                    true => variables,
                    false => variables + byte,
                };
                object_at[cell.at + byte] = crate::narrow::index(object);
            }
            variables += if cell.length > LARGE { 1 } else { size };
        }
        let own = program.automata.iter().any(|automaton| !automaton.channels.is_empty());
        // There is at least one, since a number that is no channel's is taken for that of the last.
        let channels = (program.channels.len() + if own { OWN_CHANNELS } else { 0 }).max(1);
        let insides = program.automata.len();
        let bits = VARIABLE_OPS * variables + CHANNEL_OPS * channels + TABLE_OPS + 2 * insides;
        Self {
            object_at,
            variables,
            channels,
            insides,
            lossy: program.lossy,
            words: bitset::words_for(bits),
            touching: None,
        }
    }

    /// The same operations, where any two on the same object conflict: the dependency relation of
    /// snapshots, in which reading counts like writing. Variables that are never assigned are not objects.
    pub(super) fn touching(mut self, assigned: Vec<bool>) -> Self {
        self.touching = Some(assigned);
        self
    }

    /// Whether all operations on one object conflict.
    pub(super) fn is_touching(&self) -> bool {
        self.touching.is_some()
    }

    /// The number of operations.
    pub(super) fn operations(&self) -> usize {
        self.inside(self.insides, READ)
    }

    /// The number of variables.
    pub(super) fn variables(&self) -> usize {
        self.variables
    }

    /// An operation on a scalar that begins at this byte.
    #[inline]
    pub(super) fn variable(&self, at: usize, op: usize) -> usize {
        VARIABLE_OPS * self.object_at[at] as usize + op
    }

    /// The number of the variable that begins at this byte.
    pub(super) fn variable_number(&self, at: usize) -> usize {
        self.object_at[at] as usize
    }

    /// An operation on the channel with this number, from 1.
    #[inline]
    pub(super) fn channel(&self, number: usize, op: ChannelOp) -> usize {
        let k = (number - 1).min(self.channels - 1);
        VARIABLE_OPS * self.variables + CHANNEL_OPS * k + op as usize
    }

    /// The numbers of channels that are distinguished.
    pub(super) fn channels(&self) -> std::ops::RangeInclusive<usize> {
        1..=self.channels
    }

    /// An operation on the list of processes.
    #[inline]
    pub(super) fn table(&self, op: TableOp) -> usize {
        VARIABLE_OPS * self.variables + CHANNEL_OPS * self.channels + op as usize
    }

    /// Reading where a process of a proctype is, or its locals, from outside; writing is
    /// what every step of such a process does.
    #[inline]
    pub(super) fn inside(&self, proctype: usize, op: usize) -> usize {
        VARIABLE_OPS * self.variables + CHANNEL_OPS * self.channels + TABLE_OPS + 2 * proctype + op
    }

    /// The object that an operation is about.
    pub(super) fn object(&self, operation: usize) -> Object {
        let channels_at = VARIABLE_OPS * self.variables;
        let table_at = channels_at + CHANNEL_OPS * self.channels;
        let insides_at = table_at + TABLE_OPS;
        if operation < channels_at {
            Object::Variable(operation / VARIABLE_OPS)
        } else if operation < table_at {
            let (k, op) = (
                (operation - channels_at) / CHANNEL_OPS,
                (operation - channels_at) % CHANNEL_OPS,
            );
            match op == ChannelOp::Offer as usize || op == ChannelOp::Accept as usize {
                // The processes that meet are all that a rendezvous is about.
                true => Object::Nothing,
                false => Object::Channel(k + 1),
            }
        } else if operation < insides_at {
            Object::Table
        } else if (operation - insides_at) % 2 == READ {
            Object::Inside((operation - insides_at) / 2)
        } else {
            Object::Nothing
        }
    }

    /// Adds to `hits` the operations that conflict with one of `does`.
    pub(super) fn add_conflicts(&self, does: &[u64], hits: &mut [u64]) {
        let channels_at = VARIABLE_OPS * self.variables;
        let table_at = channels_at + CHANNEL_OPS * self.channels;
        let insides_at = table_at + TABLE_OPS;
        for bit in bitset::iter(does) {
            if let Some(assigned) = &self.touching {
                match self.object(bit) {
                    Object::Variable(number) if assigned[number] => {
                        let base = VARIABLE_OPS * number;
                        (base..base + VARIABLE_OPS).for_each(|other| bitset::insert(hits, other));
                    }
                    Object::Channel(number) => {
                        let base = channels_at + CHANNEL_OPS * (number - 1);
                        let last = base + ChannelOp::Offer as usize;
                        (base..last).for_each(|other| bitset::insert(hits, other));
                    }
                    Object::Table => (table_at..insides_at).for_each(|other| bitset::insert(hits, other)),
                    Object::Inside(_) => bitset::insert(hits, bit),
                    Object::Variable(_) | Object::Nothing => {}
                }
            }
            if bit < channels_at {
                let op = bit % VARIABLE_OPS;
                for other in (0..VARIABLE_OPS).filter(|other| changes_conflict(op, *other)) {
                    bitset::insert(hits, bit - op + other);
                }
            } else if bit < table_at {
                let op = (bit - channels_at) % CHANNEL_OPS;
                let base = bit - op;
                for other in 0..CHANNEL_OPS {
                    if conflicts(op, other) || (self.lossy && may_lose(op, other)) {
                        bitset::insert(hits, base + other);
                    }
                }
            } else if bit < insides_at {
                let run = table_at + TableOp::Run as usize;
                let end = table_at + TableOp::End as usize;
                let count = table_at + TableOp::Count as usize;
                // Of two ends, only one is executable at a time, and it makes the other
                // executable.
                match bit - table_at {
                    0 => [run, end, count].iter().for_each(|b| bitset::insert(hits, *b)),
                    1 => [run, count].iter().for_each(|b| bitset::insert(hits, *b)),
                    _ => [run, end].iter().for_each(|b| bitset::insert(hits, *b)),
                }
            } else {
                // Two processes of one proctype move independently.
                let op = (bit - insides_at) % 2;
                bitset::insert(hits, bit - op + (1 - op));
            }
        }
    }
}

/// Whether two operations on one variable conflict. Reads do not, and neither do updates of one kind.
fn changes_conflict(a: usize, b: usize) -> bool {
    a != b || a == WRITE
}

/// Whether one of two operations on a channel that loses messages sends and the other makes room: at
/// a full channel their order decides whether the message is lost.
fn may_lose(a: usize, b: usize) -> bool {
    let is = |op: usize, ops: [ChannelOp; 2]| ops.iter().any(|o| *o as usize == op);
    let sends = |op| is(op, [ChannelOp::Send, ChannelOp::SendSorted]);
    let takes = |op| is(op, [ChannelOp::Receive, ChannelOp::ReceiveAny]);
    (sends(a) && takes(b)) || (takes(a) && sends(b))
}

/// Whether two operations on one channel conflict.
fn conflicts(a: usize, b: usize) -> bool {
    use ChannelOp::{
        Accept, Copy, Look, Offer, Receive, ReceiveAny, Send, SendSorted, TestAtLeast, TestAtMost, TestNotEmpty,
        TestNotFull,
    };
    /// Each pair once.
    const PAIRS: [(ChannelOp, &[ChannelOp]); 7] = [
        // The order of two messages matters; one may take the last slot.
        (Send, &[Send, SendSorted, TestNotFull, TestAtMost, Look]),
        // It may become the oldest message.
        (
            SendSorted,
            &[SendSorted, Receive, ReceiveAny, Copy, TestNotFull, TestAtMost, Look],
        ),
        (Receive, &[Receive, ReceiveAny, Copy, TestNotEmpty, TestAtLeast, Look]),
        (ReceiveAny, &[ReceiveAny, Copy, TestNotEmpty, TestAtLeast, Look]),
        // Sender and receiver move together: another partner is another step.
        (Offer, &[Accept]),
        (Copy, &[]),
        (Look, &[]),
    ];
    PAIRS.iter().any(|(x, with)| {
        let x = *x as usize;
        let among = |y: usize| with.iter().any(|w| *w as usize == y);
        (x == a && among(b)) || (x == b && among(a))
    })
}
