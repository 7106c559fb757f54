//! A checked model: the syntax tree with every name resolved.
//!
//! This is what the front end produces and what the interpreter and the compiler start
//! from. Nothing here can fail to resolve: ids are indices into the lists of the model,
//! message patterns have the arity of their channel where that is known, and sugar is
//! gone. In particular:
//!
//! * inlines and macros are expanded; `for` and `select` are the loops that SPIN makes
//!   of them; `x++` is `x = x + 1`;
//! * a declaration that follows the first statement of a body is an assignment there
//!   (also without an initialiser: the variable becomes 0), as SPIN has it; declarations
//!   before it are evaluated when the process starts;
//! * variables of inner scopes are locals of their proctype like all others;
//! * records in messages are spread out into their scalar fields, on both sides.

use crate::source::{Sources, Span};
use mazurka_logic::Formula;

/// An index into [`Model::proctypes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProctypeId(pub u32);

/// An index into [`Model::globals`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GlobalId(pub u32);

/// An index into [`Proctype::locals`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VariableId(pub u32);

/// An index into [`Model::records`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RecordId(pub u32);

/// An index into [`Model::mtypes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MtypeId(pub u32);

/// An index into [`Proctype::labels`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LabelId(pub u32);

/// A model.
#[derive(Clone, Debug, Default)]
pub struct Model {
    /// The text it was read from.
    pub sources: Sources,
    /// The sets of symbolic names. The first is the one without a name.
    pub mtypes: Vec<Mtype>,
    /// The typedefs.
    pub records: Vec<Record>,
    /// Global variables, in the order of their declarations.
    pub globals: Vec<Variable>,
    /// Proctypes and `init`, in the order of their declarations, which is the order
    /// in which active ones are started.
    pub proctypes: Vec<Proctype>,
    /// The `never` claim.
    pub never: Option<Proctype>,
    /// The `trace` or `notrace` assertion.
    pub trace: Option<TraceAssertion>,
    /// Whether a message that is sent to a full channel is lost, as with `spin -m`,
    /// instead of keeping its sender waiting.
    pub lossy: bool,
    /// The `ltl` blocks.
    pub ltl: Vec<Ltl>,
    /// The macros that are defined where the text ends, as directives: formulas that
    /// are given apart from the text may use them.
    pub definitions: String,
}

/// A set of symbolic names.
#[derive(Clone, Debug, Default)]
pub struct Mtype {
    /// Its own name, if it has one.
    pub name: Option<String>,
    /// Names with their values, which are positive.
    pub names: Vec<(String, i32)>,
}

/// A typedef.
#[derive(Clone, Debug)]
pub struct Record {
    /// Its name.
    pub name: String,
    /// Its fields.
    pub fields: Vec<Variable>,
}

/// The type of a variable, or of one element of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// 0 or 1.
    Bit,
    /// The same, printed as a truth value.
    Bool,
    /// 0 to 255.
    Byte,
    /// 0 to 255: the number of a process.
    Pid,
    /// 16 bits with a sign.
    Short,
    /// 32 bits with a sign.
    Int,
    /// This many bits without a sign, 1 to 32.
    Unsigned(u8),
    /// A symbolic name (one byte; 0 if none was assigned).
    Mtype(MtypeId),
    /// The number of a channel (one byte; 0 is no channel).
    Chan,
    /// A typedef.
    Record(RecordId),
}

/// A variable, a parameter or a field.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Its name, as it was written.
    pub name: String,
    /// Its type, or that of its elements.
    pub kind: Type,
    /// How many elements, if it is an array.
    pub length: Option<u32>,
    /// What it starts with.
    pub initial: Initial,
    /// `hidden`, and nothing asks for its value: not part of the state.
    pub hidden: bool,
    /// Where its name is.
    pub span: Span,
}

/// What a variable starts with.
#[derive(Clone, Debug)]
pub enum Initial {
    /// Zero.
    Zero,
    /// This value, each element of an array.
    Value(Expr),
    /// These values, one for each element; the last one is that of all further elements.
    List(Vec<Expr>),
    /// A new channel, one for each element.
    Channel {
        /// How many messages it holds; 0 for rendezvous.
        capacity: u32,
        /// The types of its messages' fields, records spread out.
        fields: Vec<Type>,
    },
}

/// A proctype, `init`, or a claim.
#[derive(Clone, Debug)]
pub struct Proctype {
    /// Its name: `init`, `never` for those.
    pub name: String,
    /// How many of the locals are parameters; they come first.
    pub parameters: u32,
    /// Parameters and variables.
    pub locals: Vec<Variable>,
    /// How many run from the beginning.
    pub active: u32,
    /// Whether it is `init`.
    pub is_init: bool,
    /// Whether it is a `D_proctype`, which is deterministic by assertion.
    pub deterministic: bool,
    /// `provided (e)`.
    pub provided: Option<Expr>,
    /// `priority n`.
    pub priority: Option<u8>,
    /// `xr` and `xs` assertions.
    pub exclusive: Vec<Exclusive>,
    /// What it does.
    pub body: Vec<Statement>,
    /// Its labels.
    pub labels: Vec<Label>,
    /// Where its name is.
    pub span: Span,
}

/// `xr c` or `xs c`: no other process receives from, or sends to, the channel.
#[derive(Clone, Debug)]
pub struct Exclusive {
    /// `xr` if true, `xs` if not.
    pub receive: bool,
    /// The channel.
    pub channel: Expr,
    /// Where it is said.
    pub span: Span,
}

/// A label.
#[derive(Clone, Debug)]
pub struct Label {
    /// Its name.
    pub name: String,
    /// Where it is defined.
    pub span: Span,
}

impl Label {
    /// Whether a process may stop here for good.
    pub fn is_end(&self) -> bool {
        self.name.starts_with("end")
    }

    /// Whether it marks acceptance.
    pub fn is_accept(&self) -> bool {
        self.name.starts_with("accept")
    }

    /// Whether it marks progress.
    pub fn is_progress(&self) -> bool {
        self.name.starts_with("progress")
    }
}

/// `trace { … }` or `notrace { … }`.
#[derive(Clone, Debug)]
pub struct TraceAssertion {
    /// `trace` if true, `notrace` if not.
    pub must_match: bool,
    /// An automaton over sends and receives, written as a body. A value of a send that
    /// may be anything reads [`Base::Scratch`].
    pub body: Proctype,
}

/// `ltl name { formula }`.
#[derive(Clone, Debug)]
pub struct Ltl {
    /// Its name; `ltl_0` and so on if it has none.
    pub name: String,
    /// The formula on one line, macros expanded.
    pub text: String,
    /// The formula; its atoms are numbers in the list, those beyond it in the list of snapshots.
    pub formula: Formula,
    /// The atoms: expressions without a process of their own, in which `_pid` means
    /// nothing.
    pub atoms: Vec<Expr>,
    /// The atoms as they are written, macros expanded.
    pub texts: Vec<String>,
    /// What `snapshot(…)` is asked of: the atom of number `atoms.len() + k` is the snapshot number `k`.
    pub snapshots: Vec<Snapshot>,
    /// Where the formula is.
    pub span: Span,
}

/// `snapshot(q)`: whether the execution has passed through a state in which `q` holds, perhaps
/// in another order of independent steps.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// `snapshot(q)`, on one line.
    pub text: String,
    /// `q`: a formula without temporal operators over the atoms of the list.
    pub q: Formula,
}

/// A statement with its labels.
#[derive(Clone, Debug)]
pub struct Statement {
    /// The labels in front of it.
    pub labels: Vec<LabelId>,
    /// What it is.
    pub kind: StatementKind,
    /// Where it is.
    pub span: Span,
}

/// A list of statements, executed one after the other.
pub type Sequence = Vec<Statement>;

/// What a statement does.
#[derive(Clone, Debug)]
pub enum StatementKind {
    /// An expression: executable when it is not 0. `skip` is `1`; a statement that is
    /// only `run P()` is one too.
    Expression(Expr),
    /// `else`, the first of an option.
    Else,
    /// `place = value`.
    Assign {
        /// What is assigned.
        place: Place,
        /// The value, cut to the type of the place.
        value: Expr,
    },
    /// `c!…` or `c!!…`.
    Send {
        /// The channel.
        channel: Expr,
        /// One for each field.
        message: Vec<Expr>,
        /// `!!`: in numerical order.
        sorted: bool,
    },
    /// `c?…`, `c??…`, `c?<…>`, `c??<…>`.
    Receive {
        /// The channel.
        channel: Expr,
        /// One for each field.
        patterns: Vec<Pattern>,
        /// `??`: the first message that matches, wherever it is.
        random: bool,
        /// `<…>`: the message stays.
        copy: bool,
    },
    /// `if … fi`.
    If(Vec<Sequence>),
    /// `do … od`.
    Do(Vec<Sequence>),
    /// Leaves the innermost loop.
    Break,
    /// Goes to a label of the proctype.
    Goto(LabelId),
    /// `atomic { … }`.
    Atomic(Sequence),
    /// `d_step { … }`.
    DStep(Sequence),
    /// `{ … }`.
    Block(Sequence),
    /// `{ main } unless { escape }`.
    Unless {
        /// What is executed.
        main: Sequence,
        /// What it is left for as soon as this can start.
        escape: Sequence,
    },
    /// `assert(e)`.
    Assert(Expr),
    /// `printf`, always executable.
    Print {
        /// The format, escapes resolved.
        format: String,
        /// What its conversions print.
        arguments: Vec<Expr>,
    },
}

/// What a field of a received message is compared with or stored in.
#[derive(Clone, Debug)]
pub enum Pattern {
    /// A variable, which receives the field.
    Store(Place),
    /// A constant or `eval(e)`, which must be equal to the field.
    Match(Expr),
    /// `_`: anything.
    Any(Span),
}

/// A place that holds a scalar value.
#[derive(Clone, Debug)]
pub struct Place {
    /// The variable.
    pub base: Base,
    /// From the variable to the scalar: elements and fields. An array without an
    /// index stands for its first element, and then the index 0 is here.
    pub path: Vec<Access>,
    /// The type of the scalar.
    pub kind: Type,
    /// Where it is.
    pub span: Span,
}

/// Which variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Base {
    /// A global one.
    Global(GlobalId),
    /// One of the process that executes.
    Local(VariableId),
    /// `_`, which forgets what it is assigned.
    Scratch,
}

/// From a variable to a part of it.
#[derive(Clone, Debug)]
pub enum Access {
    /// An element of an array.
    Index(Expr),
    /// A field of a record, by position.
    Field(u32),
}

/// An expression. All values are 32-bit integers.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where it is.
    pub span: Span,
}

/// What an expression computes.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A number, a truth value, a symbolic name (see [`Expr::span`] for its text).
    Constant(i32),
    /// The value of a place.
    Read(Place),
    /// An operator on one value.
    Unary(Unary, Box<Expr>),
    /// An operator on two values; `&&` and `||` do not evaluate the second if the
    /// first decides.
    Binary(Binary, Box<Expr>, Box<Expr>),
    /// `(condition -> then : otherwise)`.
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `run P(…)`: the number of the new process, or 0 if there can be no more.
    Run {
        /// What is started.
        proctype: ProctypeId,
        /// Its arguments, one for each parameter; for a parameter that is a record, one
        /// for each of its scalars.
        arguments: Vec<Expr>,
        /// `priority n`.
        priority: Option<u8>,
    },
    /// How many messages are in a channel.
    Len(Box<Expr>),
    /// `empty(c)`, `full(c)`, `nempty(c)`, `nfull(c)`.
    Poll(ChannelTest, Box<Expr>),
    /// `c?[…]`, `c??[…]`: whether the receive is executable.
    CanReceive {
        /// The channel.
        channel: Box<Expr>,
        /// One for each field.
        patterns: Vec<Pattern>,
        /// `??`.
        random: bool,
    },
    /// Whether nothing else is executable in the whole system.
    Timeout,
    /// `np_`: whether no process is at a progress label.
    NonProgress,
    /// `_last`.
    Last,
    /// `_pid`.
    Pid,
    /// `_nr_pr`.
    ProcessCount,
    /// `enabled(p)`.
    Enabled(Box<Expr>),
    /// `get_priority(p)`.
    GetPriority(Box<Expr>),
    /// `set_priority(p, n)`.
    SetPriority(Box<Expr>, Box<Expr>),
    /// `P[e]@label`, `P@label`.
    AtLabel {
        /// The proctype.
        proctype: ProctypeId,
        /// Which process; the first one of the proctype if it is not said.
        process: Option<Box<Expr>>,
        /// The label, of that proctype.
        label: LabelId,
    },
    /// `P[e]:x`, `P:x`.
    Remote {
        /// The proctype.
        proctype: ProctypeId,
        /// Which process.
        process: Option<Box<Expr>>,
        /// A place whose base is a local of that proctype.
        place: Place,
    },
}

/// Operators on one value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unary {
    /// `!`
    Not,
    /// `-`
    Negate,
    /// `~`
    Complement,
}

/// Operators on two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Binary {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    BitAnd,
    BitOr,
    BitXor,
    ShiftLeft,
    ShiftRight,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Equal,
    NotEqual,
    And,
    Or,
}

/// What is asked about a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum ChannelTest {
    Empty,
    NotEmpty,
    Full,
    NotFull,
}
