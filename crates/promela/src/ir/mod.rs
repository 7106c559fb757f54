//! The compiled form of a model: automata over flat states.
//!
//! A proctype is an automaton whose edges are SPIN's steps: one statement each, control
//! flow resolved. The edges of a location include those that `if`, `do`, `unless` and
//! blocks bring there, so that a process is always at exactly one location and whatever
//! it can do next is listed there. Expressions are trees with addresses instead of
//! names.
//!
//! A state is bytes, in this order: which process has exclusive control (0, or one more
//! than its pid); how many processes there are; the one that moved last (0 unless the
//! model asks for `_last`); the global variables; the global channels; where the trace
//! assertion is, if there is one; and for each process in the order of pids its record: proctype, location (two bytes), priority where the
//! model uses it, locals, the channels it created. Since processes die in the reverse
//! order of their creation, records are added and removed at the end only, and the number of
//! a channel follows from where it is.

mod linear;
mod mentions;
mod monitor;
mod promise;
mod scalar;

pub(crate) use linear::Linear;
pub(crate) use monitor::{Event, Monitor};
pub(crate) use promise::Promise;
pub(crate) use scalar::Scalar;

use crate::model::{Binary, ChannelTest, LabelId, ProctypeId, Unary};
use crate::source::Span;

/// A compiled model.
#[derive(Debug)]
pub(crate) struct Program {
    /// One for each proctype of the model.
    pub(crate) automata: Vec<Automaton>,
    /// The global channels, in the order of their numbers, which begin at 1.
    pub(crate) channels: Vec<ChannelLayout>,
    /// Where the first process begins.
    pub(crate) processes: usize,
    /// The global variables: the objects of the dependency relation.
    pub(crate) cells: Vec<Cell>,
    /// The first state.
    pub(crate) initial: Vec<u8>,
    /// What the model uses.
    pub(crate) features: Features,
    /// A full channel drops what is sent, instead of blocking.
    pub(crate) lossy: bool,
    /// Whether an assertion that does not hold is an error. Otherwise the process goes on.
    pub(crate) asserts: bool,
    /// The `trace` or `notrace` assertion.
    pub(crate) monitor: Option<Monitor>,
    /// How many statements there are, over all automata.
    pub(crate) statements: u32,
}

impl Program {
    /// Whether some channel is one for rendezvous.
    pub(crate) fn has_rendezvous(&self) -> bool {
        let own = self.automata.iter().flat_map(|a| &a.channels);
        self.channels.iter().chain(own).any(|c| c.capacity == 0)
    }

    /// The global variable that a byte of the state belongs to.
    pub(crate) fn cell_at(&self, at: usize) -> Option<&Cell> {
        self.cells.iter().find(|cell| cell.bytes().contains(&at))
    }
}

/// What a model uses that concerns more than one process.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Features {
    /// `_last`: a byte of the state.
    pub(crate) last: bool,
    /// Priorities: a byte of each process.
    pub(crate) priority: bool,
    /// `provided`.
    pub(crate) provided: bool,
    /// `enabled(p)`.
    pub(crate) introspection: bool,
    /// `np_` in a process.
    pub(crate) non_progress: bool,
    /// `timeout` in a process.
    pub(crate) timeout: bool,
    /// `xr` or `xs`.
    pub(crate) promises: bool,
}

/// Where the exclusive process is in a state.
pub(crate) const EXCLUSIVE: usize = 0;
/// Where the number of processes is in a state.
pub(crate) const COUNT: usize = 1;
/// Where `_last` is.
pub(crate) const LAST: usize = 2;
/// The bytes before the global variables.
pub(crate) const HEADER: usize = 3;

/// A global variable: a row of equal elements.
#[derive(Clone, Debug)]
pub(crate) struct Cell {
    /// Its first byte.
    pub(crate) at: usize,
    /// How many elements.
    pub(crate) length: usize,
    /// The bytes of an element: of a whole record for arrays of records.
    pub(crate) stride: usize,
    /// Whether it was declared `hidden`, and nothing in the model asks for its value.
    pub(crate) hidden: bool,
    /// Whether something asks for its value, so that assignments are executed.
    pub(crate) read: bool,
}

impl Cell {
    /// Its bytes.
    pub(crate) fn bytes(&self) -> std::ops::Range<usize> {
        self.at..self.at + self.length * self.stride
    }
}

/// How the messages of a channel lie in a state: the number of messages, then a slot for
/// each, the oldest first. Slots that are not in use are 0.
#[derive(Clone, Debug)]
pub(crate) struct ChannelLayout {
    /// Where it begins: in the state for a global one, in the process for others.
    pub(crate) at: usize,
    /// How many messages it holds; 0 for rendezvous.
    pub(crate) capacity: usize,
    /// The fields: offset in the slot and representation.
    pub(crate) fields: Box<[(usize, Scalar)]>,
    /// The bytes of a slot.
    pub(crate) slot: usize,
}

impl ChannelLayout {
    /// The bytes of the channel.
    pub(crate) fn size(&self) -> usize {
        match self.capacity {
            0 => 0,
            n => 1 + n * self.slot,
        }
    }
}

/// A compiled proctype.
#[derive(Debug)]
pub(crate) struct Automaton {
    /// Its name.
    pub(crate) name: String,
    /// What it does.
    pub(crate) graph: Graph,
    /// Per label of the proctype: where it is, if a process can be there.
    pub(crate) labels: Vec<Option<LocationId>>,
    /// The bytes of a process.
    pub(crate) size: usize,
    /// Where its locals begin in its bytes.
    pub(crate) frame: usize,
    /// Its locals, relative to the frame, and whether they keep their first value.
    pub(crate) locals: Vec<LocalCell>,
    /// The parameters.
    pub(crate) parameters: Vec<Target>,
    /// What its locals start with, after the parameters, in order.
    pub(crate) initial: Vec<(Target, Node)>,
    /// Where the numbers of the channels that it creates go.
    pub(crate) opens: Vec<Target>,
    /// The channels that it creates.
    pub(crate) channels: Vec<ChannelLayout>,
    /// `xr` and `xs`.
    pub(crate) promises: Vec<Promise>,
    /// `provided (e)`.
    pub(crate) provided: Option<Node>,
    /// Its priority.
    pub(crate) priority: u8,
}

/// Locations and edges.
#[derive(Clone, Debug)]
pub(crate) struct Graph {
    /// The edges of each lie together.
    pub(crate) locations: Vec<Location>,
    /// All edges.
    pub(crate) edges: Vec<Edge>,
    /// Where it starts.
    pub(crate) start: LocationId,
}

impl Graph {
    /// Finds out which edges are midway. Of a `d_step`, all but its first ones are; and those that
    /// are preferred to others.
    pub(crate) fn mark_midway(&mut self, is_d_step: bool) {
        let goes_on = |edge: &&Edge| is_d_step || edge.keeps;
        let reached: Vec<LocationId> = self.edges.iter().filter(goes_on).map(|edge| edge.to).collect();
        let mut mark = |edges: std::ops::Range<usize>| self.edges[edges].iter_mut().for_each(|edge| edge.midway = true);
        for location in reached {
            mark(self.locations[location.index()].edges());
        }
        if is_d_step {
            let first = self.locations[self.start.index()].edges();
            mark(first.start..first.end.saturating_sub(1).max(first.start));
        }
    }

    /// The edges of a location.
    #[inline]
    pub(crate) fn at(&self, location: LocationId) -> &[Edge] {
        &self.edges[self.locations[location.index()].edges()]
    }
}

/// A local variable.
#[derive(Clone, Debug)]
pub(crate) struct LocalCell {
    /// Its first byte, relative to the frame.
    pub(crate) at: usize,
    /// How many bytes.
    pub(crate) size: usize,
    /// Whether nothing assigns it after the start.
    pub(crate) stable: bool,
    /// Whether something asks for its value, so that assignments are executed.
    pub(crate) read: bool,
}

impl LocalCell {
    /// Its bytes, relative to the frame.
    pub(crate) fn bytes(&self) -> std::ops::Range<usize> {
        self.at..self.at + self.size
    }
}

/// An index into [`Automaton::locations`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct LocationId(pub(crate) u16);

impl LocationId {
    #[inline]
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// Where a process can be.
#[derive(Clone, Debug)]
pub(crate) struct Location {
    /// What it can do there: a piece of [`Automaton::edges`].
    pub(crate) first: u32,
    /// The end of that piece.
    pub(crate) end: u32,
    /// Whether it may stay there for good.
    pub(crate) is_end: bool,
    /// Whether it is marked for acceptance.
    pub(crate) is_accept: bool,
    /// Whether it is marked for progress.
    pub(crate) is_progress: bool,
}

impl Location {
    /// The positions of its edges.
    #[inline]
    pub(crate) fn edges(&self) -> std::ops::Range<usize> {
        self.first as usize..self.end as usize
    }
}

/// A step from a location to another.
#[derive(Clone, Debug)]
pub(crate) struct Edge {
    /// Where it leads.
    pub(crate) to: LocationId,
    /// When it is executable, and what it does.
    pub(crate) action: Action,
    /// The process that it starts first.
    pub(crate) run: Option<Box<Run>>,
    /// It is executable only if none of these edges of the same location is: the
    /// escapes of `unless`; for `else` what comes before it.
    pub(crate) inhibitors: Box<[u32]>,
    /// Whether it changes nothing but where its process is, and cannot fail: there is nothing
    /// to execute.
    pub(crate) only_waits: bool,
    /// Whether the process keeps exclusive control after it.
    pub(crate) keeps: bool,
    /// Whether a process can come to it in the middle of an `atomic` or `d_step`, or a `d_step` takes it if it can: it
    /// makes a difference whether it is executable at once.
    pub(crate) midway: bool,
    /// The statement.
    pub(crate) span: Span,
    /// The number of the statement, for what was not reached.
    pub(crate) statement: u32,
}

/// What an edge does.
#[derive(Clone, Debug)]
pub(crate) enum Action {
    /// Nothing, when the expression is not 0.
    Condition(Node),
    /// Nothing, when nothing else is executable.
    Else,
    /// Nothing.
    Skip,
    /// Assigns.
    Assign(Target, Node),
    /// Sends.
    Send {
        channel: Node,
        message: Box<[Node]>,
        sorted: bool,
    },
    /// Receives.
    Receive {
        channel: Node,
        patterns: Box<[PatternNode]>,
        random: bool,
        copy: bool,
    },
    /// Fails if the expression is 0.
    Assert(Node),
    /// The process ends.
    End,
    /// A deterministic sequence, from its start to its end.
    DStep(Box<Graph>),
}

impl Action {
    /// Whether it does nothing once it is executable.
    pub(crate) fn only_waits(&self) -> bool {
        match self {
            Self::Condition(node) => node.is_certain(),
            Self::Else | Self::Skip => true,
            _ => false,
        }
    }
}

/// Starts a process.
#[derive(Clone, Debug)]
pub(crate) struct Run {
    /// Of this proctype.
    pub(crate) proctype: ProctypeId,
    /// With these arguments.
    pub(crate) arguments: Box<[Node]>,
    /// With this priority instead of that of the proctype.
    pub(crate) priority: Option<u8>,
}

/// What a field of a message is compared with or stored in.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum PatternNode {
    /// Stored here.
    Store(Target),
    /// Must be this value.
    Match(Node),
    /// Anything.
    Any,
}

/// Where a scalar is.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Target {
    /// In which part of the state.
    pub(crate) scope: Scope,
    /// Its first byte, indices aside.
    pub(crate) at: usize,
    /// The indices that are not constant.
    pub(crate) indices: Box<[Index]>,
    /// How it is represented.
    pub(crate) scalar: Scalar,
}

/// An index.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Index {
    /// Its value.
    pub(crate) value: Node,
    /// It must be less than this.
    pub(crate) length: i32,
    /// The distance of two elements.
    pub(crate) stride: usize,
}

/// Which part of a state an address is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    /// The whole.
    Global,
    /// The locals of the process that executes.
    Local,
    /// None: what is stored is forgotten. Indices must be in range all the same.
    Scratch,
}

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Node {
    Constant(i32),
    Load(Target),
    Unary(Unary, Box<Node>),
    Binary(Binary, Box<(Node, Node)>),
    /// A sum of multiples of variables.
    Linear(Linear),
    Conditional(Box<(Node, Node, Node)>),
    /// The number of the process that the edge starts.
    Started,
    Len(Box<Node>),
    Poll(ChannelTest, Box<Node>),
    CanReceive {
        channel: Box<Node>,
        patterns: Box<[PatternNode]>,
        random: bool,
    },
    Timeout,
    NonProgress,
    /// Some process is at an accept label.
    Accepting,
    Last,
    Pid,
    ProcessCount,
    Enabled(Box<Node>),
    GetPriority(Box<Node>),
    SetPriority(Box<(Node, Node)>),
    AtLabel {
        proctype: ProctypeId,
        process: Option<Box<Node>>,
        label: LabelId,
    },
    Remote {
        proctype: ProctypeId,
        process: Option<Box<Node>>,
        target: Target,
    },
    /// Always fails: an index that is known to be out of range.
    OutOfRange {
        index: i32,
        length: i32,
    },
}

impl Node {
    /// Whether it has a value in every state, and finding it changes nothing.
    pub(crate) fn is_certain(&self) -> bool {
        match self {
            Self::Constant(_)
            | Self::Timeout
            | Self::NonProgress
            | Self::Accepting
            | Self::Last
            | Self::Pid
            | Self::ProcessCount
            | Self::Linear(_) => true,
            Self::Load(target) => target.indices.is_empty(),
            Self::Unary(_, operand) => operand.is_certain(),
            Self::Binary(Binary::Divide | Binary::Remainder, _) => false,
            Self::Binary(_, operands) => operands.0.is_certain() && operands.1.is_certain(),
            Self::Conditional(parts) => parts.0.is_certain() && parts.1.is_certain() && parts.2.is_certain(),
            _ => false,
        }
    }
}
