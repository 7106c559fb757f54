//! The compiled form of a model: automata over flat states.
//!
//! A proctype is an automaton whose edges are SPIN's steps: one statement each, with control
//! flow resolved. The edges of a location include those that `if`, `do`, `unless` and
//! blocks add, so a process is always at exactly one location, which lists
//! everything it can do next. Expressions are trees with addresses instead of
//! names.
//!
//! A state consists of bytes, in this order: the process that has exclusive control (0, or one more
//! than its pid); the number of processes; the process that moved last (0 unless the
//! model uses `_last`); the global variables; the global channels; the location of the trace
//! assertion, if there is one; and for each process, in the order of pids, its record: proctype, location (two
//! bytes), priority if the model uses priorities, locals, the channels it created. Since processes die in the reverse
//! order of their creation, records are added and removed at the end only, and the number of
//! a channel follows from its position.

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
    /// The offset of the first process.
    pub(crate) processes: usize,
    /// The global variables: the objects of the dependency relation.
    pub(crate) cells: Vec<Cell>,
    /// The initial state.
    pub(crate) initial: Vec<u8>,
    /// What the model uses.
    pub(crate) features: Features,
    /// Whether a full channel loses messages instead of blocking.
    pub(crate) lossy: bool,
    /// Whether an assertion that does not hold is an error. Otherwise the process goes on.
    pub(crate) asserts: bool,
    /// The `trace` or `notrace` assertion.
    pub(crate) monitor: Option<Monitor>,
    /// The number of statements of all automata.
    pub(crate) statements: u32,
}

impl Program {
    /// Whether there is a rendezvous channel.
    pub(crate) fn has_rendezvous(&self) -> bool {
        let own = self.automata.iter().flat_map(|a| &a.channels);
        self.channels.iter().chain(own).any(|c| c.capacity == 0)
    }

    /// The global variable that a byte of the state belongs to.
    pub(crate) fn cell_at(&self, at: usize) -> Option<&Cell> {
        self.cells.iter().find(|cell| cell.bytes().contains(&at))
    }
}

/// Features of a model that concern more than one process.
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

/// The offset of the exclusive process in a state.
pub(crate) const EXCLUSIVE: usize = 0;
/// The offset of the number of processes.
pub(crate) const COUNT: usize = 1;
/// The offset of `_last`.
pub(crate) const LAST: usize = 2;
/// The number of bytes before the global variables.
pub(crate) const HEADER: usize = 3;

/// A global variable: a row of equal elements.
#[derive(Clone, Debug)]
pub(crate) struct Cell {
    /// Its first byte.
    pub(crate) at: usize,
    /// The number of elements.
    pub(crate) length: usize,
    /// The size of an element, which is a whole record for arrays of records.
    pub(crate) stride: usize,
    /// Whether it was declared `hidden` and is never read in the model.
    pub(crate) hidden: bool,
    /// Whether it is read, so that assignments must be executed.
    pub(crate) read: bool,
}

impl Cell {
    /// The range of its bytes.
    pub(crate) fn bytes(&self) -> std::ops::Range<usize> {
        self.at..self.at + self.length * self.stride
    }
}

/// The layout of a channel in a state: the number of messages, then a slot for
/// each, oldest first. Unused slots are 0.
#[derive(Clone, Debug)]
pub(crate) struct ChannelLayout {
    /// The offset of a global channel in the state, or of another one in its process.
    pub(crate) at: usize,
    /// The number of messages it can hold, 0 for rendezvous.
    pub(crate) capacity: usize,
    /// The fields, each with its offset in the slot and its representation.
    pub(crate) fields: Box<[(usize, Scalar)]>,
    /// The size of a slot.
    pub(crate) slot: usize,
}

impl ChannelLayout {
    /// The size of the channel.
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
    /// Its locations and edges.
    pub(crate) graph: Graph,
    /// For each label of the proctype, its location, if a process can be there.
    pub(crate) labels: Vec<Option<LocationId>>,
    /// The size of a process.
    pub(crate) size: usize,
    /// The offset of the locals in a process.
    pub(crate) frame: usize,
    /// Its locals, relative to the frame.
    pub(crate) locals: Vec<LocalCell>,
    /// The parameters.
    pub(crate) parameters: Vec<Target>,
    /// The initial values of its locals other than parameters, in order.
    pub(crate) initial: Vec<(Target, Node)>,
    /// The variables that hold the numbers of the channels that it creates.
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
    /// The locations. The edges of each are consecutive.
    pub(crate) locations: Vec<Location>,
    /// All edges.
    pub(crate) edges: Vec<Edge>,
    /// The first location.
    pub(crate) start: LocationId,
}

impl Graph {
    /// Marks the edges that are midway. In a `d_step`, these are all but the first ones, and those that
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
    /// Its size.
    pub(crate) size: usize,
    /// Whether nothing assigns it after the start.
    pub(crate) stable: bool,
    /// Whether it is read, so that assignments must be executed.
    pub(crate) read: bool,
}

impl LocalCell {
    /// The range of its bytes, relative to the frame.
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

/// A location of a process.
#[derive(Clone, Debug)]
pub(crate) struct Location {
    /// The first of its edges, which are consecutive in [`Graph::edges`].
    pub(crate) first: u32,
    /// The position after its last edge.
    pub(crate) end: u32,
    /// Whether it is a valid end.
    pub(crate) is_end: bool,
    /// Whether it has an accept label.
    pub(crate) is_accept: bool,
    /// Whether it has a progress label.
    pub(crate) is_progress: bool,
    /// The locals that are dead there, whose values are not kept.
    pub(crate) dead: Box<[u32]>,
    /// Whether a process that arrives there goes on at once, if steps are merged.
    pub(crate) passed: bool,
}

impl Location {
    /// The positions of its edges.
    #[inline]
    pub(crate) fn edges(&self) -> std::ops::Range<usize> {
        self.first as usize..self.end as usize
    }
}

/// A step from one location to another.
#[derive(Clone, Debug)]
pub(crate) struct Edge {
    /// Where it leads.
    pub(crate) to: LocationId,
    /// Its condition and effect.
    pub(crate) action: Action,
    /// The process that it starts.
    pub(crate) run: Option<Box<Run>>,
    /// The edges of the same location that must not be executable: the
    /// escapes of `unless`, and for `else` the edges before it.
    pub(crate) inhibitors: Box<[u32]>,
    /// Whether it only moves its process and cannot fail, so that there is nothing
    /// to execute.
    pub(crate) only_waits: bool,
    /// Whether the process keeps exclusive control after it.
    pub(crate) keeps: bool,
    /// The ranges of bytes to reset afterwards, relative to the frame: variables that are dead where it leads.
    pub(crate) resets: Box<[(u32, u32)]>,
    /// Whether the process goes on at once from where it leads, if steps are merged.
    pub(crate) goes_on: bool,
    /// Whether it matters that the edge is executable at once: a process can reach it in the middle of an `atomic` or
    /// `d_step`, or a `d_step` prefers it to others.
    pub(crate) midway: bool,
    /// The statement.
    pub(crate) span: Span,
    /// The number of the statement, for the list of unreached statements.
    pub(crate) statement: u32,
}

/// The action of an edge.
#[derive(Clone, Debug)]
pub(crate) enum Action {
    /// Does nothing, and is executable when the expression is not 0.
    Condition(Node),
    /// Does nothing, and is executable when no other edge of the selection is.
    Else,
    /// Does nothing, and is always executable.
    Skip,
    /// Assigns a value.
    Assign(Target, Node),
    /// Sends a message.
    Send {
        channel: Node,
        message: Box<[Node]>,
        sorted: bool,
    },
    /// Receives a message.
    Receive {
        channel: Node,
        patterns: Box<[PatternNode]>,
        random: bool,
        copy: bool,
    },
    /// Fails if the expression is 0.
    Assert(Node),
    /// Ends the process.
    End,
    /// Executes a `d_step`, from its start to its end.
    DStep(Box<Graph>),
}

impl Action {
    /// Whether it only waits until it is executable.
    pub(crate) fn only_waits(&self) -> bool {
        match self {
            Self::Condition(node) => node.is_certain(),
            Self::Else | Self::Skip => true,
            _ => false,
        }
    }
}

/// The start of a process.
#[derive(Clone, Debug)]
pub(crate) struct Run {
    /// Its proctype.
    pub(crate) proctype: ProctypeId,
    /// Its arguments.
    pub(crate) arguments: Box<[Node]>,
    /// Its priority, if it is not that of the proctype.
    pub(crate) priority: Option<u8>,
}

/// What a receive does with a field of the message.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum PatternNode {
    /// Stores it here.
    Store(Target),
    /// Requires that it has this value.
    Match(Node),
    /// Accepts any value.
    Any,
}

/// The address of a scalar.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Target {
    /// The part of the state that it is in.
    pub(crate) scope: Scope,
    /// Its first byte, without the indices.
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
    /// The number of elements: the index must be less.
    pub(crate) length: i32,
    /// The distance between two elements.
    pub(crate) stride: usize,
}

/// The part of a state that an address refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    /// The whole state.
    Global,
    /// The locals of the process that executes.
    Local,
    /// None: stored values are discarded. Indices must be in range all the same.
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
    /// Whether evaluating it never fails and changes nothing.
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

    /// Whether it reads nothing but local variables of the process that evaluates it.
    pub(crate) fn reads_locals(&self) -> bool {
        let is_shared = |target: &Target| target.scope != Scope::Local;
        !self.mentions(&|part| match part {
            Self::Load(target) => is_shared(target),
            Self::Linear(linear) => linear.terms.iter().any(|term| is_shared(&term.target)),
            Self::Constant(_) | Self::Unary(..) | Self::Binary(..) | Self::Conditional(_) | Self::Pid => false,
            _ => true,
        })
    }
}
