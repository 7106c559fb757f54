//! Compiles a checked model.

mod control;
mod dead;
mod empty_moves;
mod expression;
mod layout;
mod merge;
mod refused;
mod unread;

use crate::RuntimeError;
use crate::diagnostic::Diagnostic;
use crate::ir::{
    Automaton, Cell, ChannelLayout, Features, HEADER, LocalCell, Monitor, Node, Program, Promise, Run, Scope, Target,
};
use crate::model::{Expr, GlobalId, Model, Proctype, Type, Variable};
use crate::narrow::index;
use control::Control;
use layout::{Leaf, LeafInitial};
pub(crate) use refused::{CHANNELS, refused};

/// A compiled model, with its claim and the atoms of a formula.
#[derive(Debug)]
pub(crate) struct Compiled {
    /// The model.
    pub(crate) program: Program,
    /// Its `never` claim.
    pub(crate) never: Option<Automaton>,
    /// The atoms of the formula.
    pub(crate) atoms: Vec<Node>,
}

/// Compiles a model, and the atoms of a formula about it.
///
/// # Errors
/// If the initial value of a variable cannot be computed.
pub(crate) fn compile(model: &Model, atoms: &[Expr]) -> Result<Compiled, RuntimeError> {
    Compiler::new(model).compiled(atoms)
}

struct Compiler<'m> {
    model: &'m Model,
    /// The offset of each global variable.
    global_at: Vec<usize>,
    features: Features,
    /// The process that the expression just compiled starts.
    started: Option<Box<Run>>,
    statements: u32,
    /// The reasons why the model cannot be compiled.
    refused: Vec<Diagnostic>,
}

impl<'m> Compiler<'m> {
    fn new(model: &'m Model) -> Self {
        Self {
            model,
            global_at: Vec::new(),
            features: Features::default(),
            started: None,
            statements: 0,
            refused: Vec::new(),
        }
    }

    fn compiled(mut self, atoms: &[Expr]) -> Result<Compiled, RuntimeError> {
        let model = self.model;
        let mut at = HEADER;
        let (mut cells, leaves) = self.globals(&mut at);
        let (channels, opens, values) = self.leaves(&leaves, Scope::Global, &mut at, None);
        let monitor = self.monitor(&mut cells, &mut at);
        let mut automata: Vec<Automaton> = model.proctypes.iter().map(|p| self.automaton(p, true)).collect();
        let never = model.never.as_ref().map(|p| self.automaton(p, false));
        let atoms = atoms.iter().map(|atom| self.expression(atom, None)).collect();
        assert!(self.refused.is_empty(), "the front end lets no such model pass");
        // The header of a process is known only when everything is compiled.
        for automaton in &mut automata {
            self.place_frame(automaton);
        }
        let mut program = Program {
            automata,
            channels,
            processes: at,
            cells,
            initial: vec![0; at],
            features: self.features,
            lossy: model.lossy,
            asserts: true,
            monitor,
            statements: self.statements,
        };
        if let Some(monitor) = &program.monitor {
            let start = monitor.graph.start;
            monitor.go_to(&mut program.initial, Some(start));
        }
        let instances = |p: &Proctype| if p.is_init { 1 } else { p.active };
        let active: Vec<_> = model.proctypes.iter().map(instances).collect();
        program.start(&opens, &values, &active)?;
        Ok(Compiled { program, never, atoms })
    }

    /// Lays out the global variables, from `at`, which is moved behind them.
    fn globals(&mut self, at: &mut usize) -> (Vec<Cell>, Vec<Leaf<'m>>) {
        let model = self.model;
        let mut cells = Vec::new();
        let mut leaves = Vec::new();
        for variable in &model.globals {
            self.global_at.push(*at);
            cells.push(Cell {
                at: *at,
                length: variable.length.unwrap_or(1) as usize,
                stride: layout::element_size(model, variable.kind),
                hidden: variable.hidden,
                read: true,
            });
            layout::leaves(model, variable, *at, &mut leaves);
            *at += layout::size(model, variable);
        }
        (cells, leaves)
    }

    /// Compiles the trace assertion, whose location is two bytes at `at`, which is moved behind them.
    fn monitor(&mut self, cells: &mut Vec<Cell>, at: &mut usize) -> Option<Monitor> {
        let trace = self.model.trace.as_ref()?;
        let location = Cell {
            at: *at,
            length: 1,
            stride: 2,
            hidden: false,
            read: true,
        };
        *at += location.stride;
        let monitor = Monitor {
            graph: self.automaton(&trace.body, false).graph,
            must_match: trace.must_match,
            at: location.at,
        };
        cells.push(location);
        Some(monitor)
    }

    fn next_statement(&mut self) -> u32 {
        self.statements += 1;
        self.statements - 1
    }

    /// The initial values of scalars: the channels to open, laid out from `at`, which is
    /// moved behind them; where their numbers go; the other values.
    #[allow(clippy::type_complexity)]
    fn leaves(
        &mut self,
        leaves: &[Leaf<'m>],
        scope: Scope,
        at: &mut usize,
        proctype: Option<&Proctype>,
    ) -> (Vec<ChannelLayout>, Vec<Target>, Vec<(Target, Node)>) {
        let (mut channels, mut opens, mut values) = (Vec::new(), Vec::new(), Vec::new());
        for leaf in leaves {
            let target = Target {
                scope,
                at: leaf.at,
                indices: Box::new([]),
                scalar: leaf.scalar,
            };
            match leaf.initial {
                LeafInitial::Zero => {}
                LeafInitial::Value(value) => values.push((target, self.expression(value, proctype))),
                LeafInitial::Channel { capacity, fields } => {
                    let channel = layout::channel(capacity, fields, *at);
                    *at += channel.size();
                    channels.push(channel);
                    opens.push(target);
                }
            }
        }
        (channels, opens, values)
    }

    fn automaton(&mut self, proctype: &'m Proctype, dies: bool) -> Automaton {
        let model = self.model;
        let mut at = 0;
        let mut leaves = Vec::new();
        let mut locals = Vec::new();
        let mut parameters = Vec::new();
        for (k, variable) in proctype.locals.iter().enumerate() {
            let size = layout::size(model, variable);
            locals.push(LocalCell {
                at,
                size,
                stable: true,
                read: true,
            });
            if k < proctype.parameters as usize {
                let mut scalars = Vec::new();
                layout::leaves(model, variable, at, &mut scalars);
                parameters.extend(scalars.iter().map(|leaf| Target {
                    scope: Scope::Local,
                    at: leaf.at,
                    indices: Box::new([]),
                    scalar: leaf.scalar,
                }));
            } else {
                layout::leaves(model, variable, at, &mut leaves);
            }
            at += size;
        }
        let (channels, opens, initial) = self.leaves(&leaves, Scope::Local, &mut at, Some(proctype));
        let (graph, labels) = Control::new(self, proctype).graph(&proctype.body, dies.then_some(proctype.span));
        graph.each_assigned(&mut |target| assigned(target, &mut locals));
        let provided = proctype.provided.as_ref().map(|e| self.expression(e, Some(proctype)));
        self.features.provided |= provided.is_some();
        let mut promises = Vec::new();
        for said in &proctype.exclusive {
            let channel = self.expression(&said.channel, Some(proctype));
            promises.push(Promise {
                receives: said.receive,
                channel,
                span: said.span,
            });
        }
        self.features.promises |= !promises.is_empty();
        self.features.priority |= proctype.priority.is_some();
        Automaton {
            name: proctype.name.clone(),
            graph,
            labels,
            size: at,
            frame: 0,
            locals,
            parameters,
            initial,
            opens,
            channels,
            promises,
            provided,
            priority: proctype.priority.unwrap_or(1),
        }
    }

    /// Puts the header in front of the locals: proctype, location, perhaps priority.
    fn place_frame(&self, automaton: &mut Automaton) {
        let header = if self.features.priority { 4 } else { 3 };
        automaton.frame = header;
        automaton.size += header;
        for channel in &mut automaton.channels {
            channel.at += header;
        }
    }
}

/// The values of the scalars of a variable whose bytes begin at `at`, which is moved
/// behind them.
pub(crate) fn scalars(model: &Model, variable: &Variable, bytes: &[u8], at: &mut usize) -> Vec<i32> {
    let mut leaves = Vec::new();
    layout::leaves(model, variable, *at, &mut leaves);
    *at += layout::size(model, variable);
    leaves.iter().map(|leaf| leaf.scalar.load(bytes, leaf.at)).collect()
}

/// A scalar global variable.
#[derive(Clone, Debug)]
pub(crate) struct ScalarName {
    /// Its first byte.
    pub(crate) at: usize,
    /// Its name.
    pub(crate) name: String,
    /// The variable that it is part of.
    pub(crate) global: GlobalId,
    /// The elements and fields that lead from the variable to it.
    pub(crate) path: Vec<u32>,
}

/// The scalar global variables, in the order of their places.
pub(crate) fn scalar_names(model: &Model) -> Vec<ScalarName> {
    fn visit(model: &Model, variable: &Variable, whole: &ScalarName, out: &mut Vec<ScalarName>) {
        let stride = layout::element_size(model, variable.kind);
        for element in 0..variable.length.unwrap_or(1) as usize {
            let mut part = whole.clone();
            if variable.length.is_some() {
                part.name += &format!("[{element}]");
                part.path.push(index(element));
            }
            part.at += element * stride;
            match variable.kind {
                Type::Record(record) => {
                    for (number, field) in layout::fields(model, record).iter().enumerate() {
                        let mut inner = part.clone();
                        inner.name += &format!(".{}", field.name);
                        inner.path.push(index(number));
                        visit(model, field, &inner, out);
                        part.at += layout::size(model, field);
                    }
                }
                _ => out.push(part),
            }
        }
    }
    let mut names = Vec::new();
    let mut at = HEADER;
    for (number, variable) in model.globals.iter().enumerate() {
        let whole = ScalarName {
            at,
            name: variable.name.clone(),
            global: GlobalId(index(number)),
            path: Vec::new(),
        };
        visit(model, variable, &whole, &mut names);
        at += layout::size(model, variable);
    }
    names
}

/// Marks a local that is assigned as not stable.
fn assigned(target: &Target, locals: &mut [LocalCell]) {
    if target.scope == Scope::Local
        && let Some(local) = locals.iter_mut().find(|l| l.bytes().contains(&target.at))
    {
        local.stable = false;
    }
}
