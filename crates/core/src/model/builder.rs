//! Building a model.
//!
//! The builder takes what the thesis calls a labeled formal concurrent system
//! (2.1): processes with their control points, objects, and transitions
//! `(L, G, C, L')`. It accepts everything; [`Builder::build`] checks it.

use super::automaton::SafetyAutomaton;
use super::error::BuildErrors;
use super::expr::{Expr, Local, Node, Prop};
use super::handle::{Action, Command, Object};
use super::{Model, compile};
use crate::ids::{LocalId, ObjectId, ProcessId, PropertyId};
use crate::objects::ObjectType;
use std::sync::atomic::{AtomicU32, Ordering};

/// A model under construction.
///
/// The two dining philosophers of the thesis (2.3):
///
/// ```
/// use mazurka_core::{Builder, Search};
///
/// let mut m = Builder::new("two philosophers");
/// let [a0, a1, a2, a3] = m.process("A", ["a0", "a1", "a2", "a3"]);
/// let [b0, b1, b2, b3] = m.process("B", ["b0", "b1", "b2", "b3"]);
/// let f1 = m.boolean("f1");
/// let f2 = m.boolean("f2");
/// m.transition("t1A", a0, a1).when(f1.is(0)).then(f1.write(1)); // take left fork
/// m.transition("t2A", a1, a2).when(f2.is(0)).then(f2.write(1)); // take right fork
/// m.transition("t3A", a2, a3).then(f1.write(0)); // release left fork
/// m.transition("t4A", a3, a0).then(f2.write(0)); // release right fork
/// m.transition("t1B", b0, b1).when(f2.is(0)).then(f2.write(1));
/// m.transition("t2B", b1, b2).when(f1.is(0)).then(f1.write(1));
/// m.transition("t3B", b2, b3).then(f2.write(0));
/// m.transition("t4B", b3, b0).then(f1.write(0));
/// let model = m.build()?;
///
/// let full = Search::full(&model).run()?;
/// assert_eq!((full.statistics.states, full.statistics.transitions), (8, 10));
/// assert_eq!(full.deadlocks.len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Builder {
    pub(crate) token: u32,
    pub(crate) name: String,
    pub(crate) processes: Vec<ProcessDraft>,
    pub(crate) locals: Vec<LocalDraft>,
    pub(crate) objects: Vec<ObjectDraft>,
    pub(crate) transitions: Vec<TransitionDraft>,
    pub(crate) invariants: Vec<(String, Prop)>,
    pub(crate) automata: Vec<SafetyAutomaton>,
}

#[derive(Debug)]
pub(crate) struct ProcessDraft {
    pub name: String,
    pub initial: Option<LocalId>,
    pub monitor: bool,
}

#[derive(Debug)]
pub(crate) struct LocalDraft {
    pub name: String,
    pub process: ProcessId,
    /// Whether its process may end there.
    pub end: bool,
}

#[derive(Debug)]
pub(crate) struct ObjectDraft {
    pub name: String,
    pub kind: Box<dyn ObjectType>,
}

/// A transition under construction; see [`Builder::transition`].
#[derive(Clone, Debug)]
pub struct TransitionDraft {
    pub(crate) name: String,
    pub(crate) label: Option<String>,
    pub(crate) pre: Vec<Local>,
    pub(crate) post: Vec<Local>,
    pub(crate) guard: Vec<Node>,
    pub(crate) command: Vec<Action>,
    /// Executing it violates these properties.
    pub(crate) violates: Vec<PropertyId>,
    /// The user's transition of which it is a copy.
    pub(crate) origin: Option<usize>,
}

/// A nonempty set of control points, at most one per process (thesis 2.1).
#[derive(Clone, Debug)]
pub struct PartialControl(pub(crate) Vec<Local>);

impl From<Local> for PartialControl {
    fn from(local: Local) -> Self {
        Self(vec![local])
    }
}

impl<const N: usize> From<[Local; N]> for PartialControl {
    fn from(locals: [Local; N]) -> Self {
        Self(locals.into())
    }
}

impl From<Vec<Local>> for PartialControl {
    fn from(locals: Vec<Local>) -> Self {
        Self(locals)
    }
}

impl Builder {
    /// An empty model.
    pub fn new(name: impl Into<String>) -> Self {
        static TOKENS: AtomicU32 = AtomicU32::new(0);
        Self {
            token: TOKENS.fetch_add(1, Ordering::Relaxed),
            name: name.into(),
            processes: Vec::new(),
            locals: Vec::new(),
            objects: Vec::new(),
            transitions: Vec::new(),
            invariants: Vec::new(),
            automata: Vec::new(),
        }
    }

    /// Adds a process with these control points; it starts at the first.
    pub fn process<const N: usize>(&mut self, name: impl Into<String>, points: [&str; N]) -> [Local; N] {
        let locals = self.process_of(name, points);
        locals.try_into().expect("as many as were given")
    }

    /// Adds a process with any number of control points, like [`Builder::process`].
    pub fn process_of(
        &mut self,
        name: impl Into<String>,
        points: impl IntoIterator<Item = impl Into<String>>,
    ) -> Vec<Local> {
        self.add_process(name.into(), points, false)
    }

    pub(crate) fn add_process(
        &mut self,
        name: String,
        points: impl IntoIterator<Item = impl Into<String>>,
        monitor: bool,
    ) -> Vec<Local> {
        let process = ProcessId::new(self.processes.len());
        let mut locals = Vec::new();
        for point in points {
            let id = LocalId::new(self.locals.len());
            self.locals.push(LocalDraft {
                name: point.into(),
                process,
                end: false,
            });
            locals.push(Local { id, model: self.token });
        }
        self.processes.push(ProcessDraft {
            name,
            initial: locals.first().map(|l| l.id),
            monitor,
        });
        locals
    }

    /// Makes the process of this control point start there.
    ///
    /// # Panics
    /// If the control point belongs to another model.
    pub fn start_at(&mut self, local: Local) {
        assert_eq!(local.model, self.token, "a control point of another model");
        let process = self.locals[local.id.index()].process;
        self.processes[process.index()].initial = Some(local.id);
    }

    /// Says that a process may end at this control point: a state in which every
    /// process may end is a termination, not a deadlock.
    ///
    /// ```
    /// # use mazurka_core::{Builder, Search, Verdict};
    /// let mut m = Builder::new("one step");
    /// let [start, end] = m.process("A", ["start", "end"]);
    /// m.transition("go", start, end);
    /// m.may_end_at(end);
    /// let outcome = Search::new(&m.build()?).run()?;
    /// assert_eq!((outcome.verdict, outcome.terminations), (Verdict::Holds, 1));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    /// If the control point belongs to another model.
    pub fn may_end_at(&mut self, local: Local) {
        assert_eq!(local.model, self.token, "a control point of another model");
        self.locals[local.id.index()].end = true;
    }

    /// Adds an object of any type.
    pub fn object(&mut self, name: impl Into<String>, kind: impl ObjectType + 'static) -> Object {
        let id = ObjectId::new(self.objects.len());
        self.objects.push(ObjectDraft {
            name: name.into(),
            kind: Box::new(kind),
        });
        Object { id, model: self.token }
    }

    /// Adds the transition `(from, true, skip, to)`. The methods of the returned
    /// draft add a guard, a command and a label. Several processes move together if
    /// `from` and `to` are arrays.
    ///
    /// ```
    /// # use mazurka_core::{Builder, Search};
    /// # let mut m = Builder::new("m");
    /// let [a0, a1] = m.process("A", ["a0", "a1"]);
    /// let [b0, b1] = m.process("B", ["b0", "b1"]);
    /// let turn = m.boolean("turn");
    /// m.transition("meet", [a0, b0], [a1, b1]).when(turn.is(0)).then(turn.write(1));
    /// m.transition("return", a1, a0);
    /// let outcome = Search::full(&m.build()?).run()?;
    /// assert_eq!(outcome.statistics.states, 3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn transition(
        &mut self,
        name: impl Into<String>,
        from: impl Into<PartialControl>,
        to: impl Into<PartialControl>,
    ) -> &mut TransitionDraft {
        self.transitions.push(TransitionDraft {
            name: name.into(),
            label: None,
            pre: from.into().0,
            post: to.into().0,
            guard: Vec::new(),
            command: Vec::new(),
            violates: Vec::new(),
            origin: None,
        });
        self.transitions.last_mut().expect("just pushed")
    }

    /// Requires that `holds` is true in every reachable state. An expression without
    /// a value (a division by zero) is not true.
    ///
    /// ```
    /// # use mazurka_core::{Builder, Search, Verdict};
    /// # let mut m = Builder::new("m");
    /// let [a0, a1] = m.process("A", ["a0", "a1"]);
    /// let [b0, b1] = m.process("B", ["b0", "b1"]);
    /// m.transition("a", a0, a1);
    /// m.transition("b", b0, b1);
    /// m.invariant("never both", !(a1.reached() & b1.reached()));
    /// let outcome = Search::new(&m.build()?).run()?;
    /// assert_eq!(outcome.violations[0].message, "invariant `never both` is violated");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn invariant(&mut self, name: impl Into<String>, holds: impl Into<Prop>) {
        self.invariants.push((name.into(), holds.into()));
    }

    /// Requires that `holds` is true whenever the process of `local` is there.
    pub fn assert_at(&mut self, local: Local, holds: impl Into<Prop>, name: impl Into<String>) {
        self.invariant(name, !local.reached() | holds);
    }

    /// Requires that the automaton accepts every sequence of labels.
    pub fn safety_automaton(&mut self, automaton: SafetyAutomaton) {
        self.automata.push(automaton);
    }

    /// Checks the model and prepares it for searching.
    ///
    /// # Errors
    /// Everything that is wrong with the model; each error names its transition or object.
    pub fn build(self) -> Result<Model, BuildErrors> {
        compile::compile(self)
    }
}

impl TransitionDraft {
    /// Adds a condition to the guard. Several calls, and expressions joined by
    /// [`Expr::and`], are a conjunction of conditions.
    pub fn when(&mut self, condition: impl Into<Expr>) -> &mut Self {
        condition.into().0.conjuncts(&mut self.guard);
        self
    }

    /// Appends actions to the command.
    pub fn then(&mut self, actions: impl Into<Command>) -> &mut Self {
        self.command.extend(actions.into().0);
        self
    }

    /// Sets the label ν(t). The default is the name.
    pub fn label(&mut self, label: impl Into<String>) -> &mut Self {
        self.label = Some(label.into());
        self
    }
}
