//! Models: labeled formal concurrent systems (thesis, ch. 2), written in Rust.
//!
//! [`Builder`] takes the description. [`Model`] is the checked and compiled
//! result: a [`System`](crate::System) for the search, and a source of names for reports.
//! [`Configuration`] is the plain interpreter: a second implementation of the
//! semantics, on plain values, that replays every witness before it is reported.

mod automaton;
mod builder;
mod check;
mod compile;
mod error;
mod expr;
mod gate;
mod handle;
mod interpreter;
mod interval;
mod invariant;
mod layout;
mod predicate;
mod semantics;
mod waits;

pub use automaton::SafetyAutomaton;
pub use builder::{Builder, PartialControl, TransitionDraft};
pub use error::{BuildError, BuildErrors};
pub use expr::{Expr, Local, Prop};
pub use handle::{Action, Command, Object, assert};
pub use interpreter::{Configuration, ReplayError, Stepped};
pub use predicate::{Predicate, PredicateError};
pub use semantics::Obstacle;

pub(crate) use expr::Node;
pub(crate) use handle::handle;

use crate::ids::{LocalId, ObjectId, ProcessId, PropertyId, TransitionId};
use crate::objects::{ObjectType, Op};
use gate::Gates;
use layout::Layout;

/// A checked model, ready to be searched.
///
/// ```
/// # use mazurka_core::{Builder, ProcessId};
/// # let mut m = Builder::new("handover");
/// let [a0, a1] = m.process("A", ["a0", "a1"]);
/// m.transition("go", a0, a1);
/// let model = m.build()?;
/// let go = model.transition_named("go").expect("it was added");
/// assert_eq!(model.active(go), [ProcessId::new(0)]);
/// assert_eq!(model.local_name(model.postset(go)[0]), "a1");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Model {
    name: String,
    /// Handles of this model have it too.
    token: u32,
    processes: Vec<ProcessInfo>,
    locals: Vec<LocalInfo>,
    objects: Vec<ObjectInfo>,
    transitions: Vec<Transition>,
    /// The names of the transitions as the user wrote them, before copies.
    declared: Vec<String>,
    properties: Vec<Property>,
    layout: Layout,
    gates: Gates,
    /// Whether executing some transition might fail.
    can_fault: bool,
}

impl std::fmt::Debug for Model {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Model")
            .field("name", &self.name)
            .field("processes", &self.processes.len())
            .field("objects", &self.objects.len())
            .field("transitions", &self.transitions.len())
            .finish_non_exhaustive()
    }
}

#[derive(Debug)]
struct ProcessInfo {
    name: String,
    initial: LocalId,
    /// Made for a property, not written by the user.
    monitor: bool,
}

#[derive(Debug)]
struct LocalInfo {
    name: String,
    process: ProcessId,
    end: bool,
}

#[derive(Debug)]
struct ObjectInfo {
    name: String,
    kind: Box<dyn ObjectType>,
}

/// A transition `(L, G, C, L')`, compiled.
#[derive(Debug)]
struct Transition {
    name: String,
    label: String,
    /// The processes that move, ascending.
    active: Vec<ProcessId>,
    /// Per active process: where it leaves, and where it arrives.
    pre: Vec<LocalId>,
    post: Vec<LocalId>,
    /// The guard as it was written, for the plain interpreter.
    guard: Vec<Node>,
    /// The guard without what the operations of the command demand anyway.
    conditions: Vec<Condition>,
    /// Operations of the command that are not always defined: implicit conditions.
    partial: Vec<Use>,
    command: Vec<TransitionStep>,
    /// All operations of guard and command, without repetition.
    used: Vec<Use>,
    /// Properties that executing it violates, whatever the state.
    violates: Vec<PropertyId>,
    origin: Option<usize>,
}

/// A condition `c_j` of a guard, with the operations that evaluate it.
#[derive(Debug)]
struct Condition {
    holds: Node,
    uses: Vec<Use>,
}

/// An operation on an object, as used by a transition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Use {
    /// The object.
    pub object: ObjectId,
    /// The operation.
    pub op: Op,
}

#[derive(Debug)]
enum TransitionStep {
    Operate(Operate),
    Assert { holds: Node, property: PropertyId },
}

#[derive(Debug)]
struct Operate {
    op: Use,
    input: Option<Node>,
    modifies: bool,
}

/// A property stated in the model.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Property {
    /// The kind of property.
    pub kind: PropertyKind,
    /// The name that the user gave it.
    pub name: String,
    /// The message for the user when it is violated.
    pub message: String,
}

/// Kinds of properties that executing a transition can violate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PropertyKind {
    /// A condition that a transition asserts when it is executed.
    Assertion,
    /// A condition on all reachable states.
    Invariant,
    /// An automaton over labels.
    SafetyAutomaton,
}

impl Model {
    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// How many processes there are, monitors included.
    pub fn processes(&self) -> usize {
        self.processes.len()
    }

    /// How many objects there are.
    pub fn objects(&self) -> usize {
        self.objects.len()
    }

    /// How many transitions there are, copies made for properties included.
    pub fn transitions(&self) -> usize {
        self.transitions.len()
    }

    /// How many control points there are, over all processes.
    pub fn locals(&self) -> usize {
        self.locals.len()
    }

    /// The properties that the model states.
    pub fn properties(&self) -> &[Property] {
        &self.properties
    }

    /// A process's name.
    pub fn process_name(&self, process: ProcessId) -> &str {
        &self.processes[process.index()].name
    }

    /// Whether a process was made for a property rather than written by the user.
    pub fn is_monitor(&self, process: ProcessId) -> bool {
        self.processes[process.index()].monitor
    }

    /// The process of this name.
    pub fn process_named(&self, name: &str) -> Option<ProcessId> {
        let position = self.processes.iter().position(|p| p.name == name);
        position.map(ProcessId::new)
    }

    /// A control point's name.
    pub fn local_name(&self, local: LocalId) -> &str {
        &self.locals[local.index()].name
    }

    /// Whether a process may end at this control point.
    pub fn is_end(&self, local: LocalId) -> bool {
        self.locals[local.index()].end
    }

    /// The process that a control point belongs to.
    pub fn process_of(&self, local: LocalId) -> ProcessId {
        self.locals[local.index()].process
    }

    /// An object's name.
    pub fn object_name(&self, object: ObjectId) -> &str {
        &self.objects[object.index()].name
    }

    /// An object's type.
    pub fn object_type(&self, object: ObjectId) -> &dyn ObjectType {
        &*self.objects[object.index()].kind
    }

    /// A transition's name.
    pub fn transition_name(&self, t: TransitionId) -> &str {
        &self.transitions[t.index()].name
    }

    /// A transition's label ν(t).
    pub fn label(&self, t: TransitionId) -> &str {
        &self.transitions[t.index()].label
    }

    /// The transition of this name (the first, if a property made copies).
    pub fn transition_named(&self, name: &str) -> Option<TransitionId> {
        let position = self.transitions.iter().position(|t| t.name == name);
        position.map(TransitionId::new)
    }

    /// Names of the transitions as the user wrote them.
    pub(crate) fn declared_transitions(&self) -> &[String] {
        &self.declared
    }

    /// The user's transition that `t` is (a copy of); `None` for a monitor's.
    pub(crate) fn origin(&self, t: TransitionId) -> Option<usize> {
        self.transitions[t.index()].origin
    }

    /// Whether a transition was made for an invariant rather than written by the user. Nothing but the monitor of
    /// the invariant changes when it is executed.
    pub fn is_monitors(&self, t: TransitionId) -> bool {
        self.origin(t).is_none()
    }

    /// The processes that move with a transition, ascending.
    pub fn active(&self, t: TransitionId) -> &[ProcessId] {
        &self.transitions[t.index()].active
    }

    /// pre(t), in the order of [`Model::active`].
    pub fn preset(&self, t: TransitionId) -> &[LocalId] {
        &self.transitions[t.index()].pre
    }

    /// post(t), in the order of [`Model::active`].
    pub fn postset(&self, t: TransitionId) -> &[LocalId] {
        &self.transitions[t.index()].post
    }

    /// used(t): every operation of guard and command.
    pub fn used(&self, t: TransitionId) -> &[Use] {
        &self.transitions[t.index()].used
    }

    /// The control point of a process in a state.
    #[inline]
    pub fn local(&self, state: &[u8], process: ProcessId) -> LocalId {
        self.layout.local(state, process)
    }

    /// The bytes of an object's value in a state.
    #[inline]
    pub fn value<'s>(&self, state: &'s [u8], object: ObjectId) -> &'s [u8] {
        &state[self.layout.range(state, object, &self.objects)]
    }

    /// The properties that executing `t` violates, whatever the state.
    pub fn violates(&self, t: TransitionId) -> &[PropertyId] {
        &self.transitions[t.index()].violates
    }

    /// Whether some transition might fail in some state: a value might leave its
    /// domain, or an expression of a command might have no value. `false` is
    /// certain, `true` is not.
    pub fn can_fault(&self) -> bool {
        self.can_fault
    }

    /// Whether executing `t` can violate a property.
    pub(crate) fn can_violate(&self, t: TransitionId) -> bool {
        let transition = &self.transitions[t.index()];
        let asserts = |s: &TransitionStep| matches!(s, TransitionStep::Assert { .. });
        !transition.violates.is_empty() || transition.command.iter().any(asserts)
    }

    /// The control point at which a process starts.
    pub fn initial_local(&self, process: ProcessId) -> LocalId {
        self.processes[process.index()].initial
    }

    /// The first object whose finest relation is not weakly uniform, if any.
    pub fn not_weakly_uniform(&self) -> Option<ObjectId> {
        let wrong = |o: &ObjectInfo| !o.kind.conditional_is_weakly_uniform();
        self.objects.iter().position(wrong).map(ObjectId::new)
    }
}
