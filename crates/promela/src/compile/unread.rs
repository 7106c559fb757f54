//! Variables that nothing reads.
//!
//! States that differ only in variables that are never read have the same future. So a variable that is assigned
//! and never read, except to compute its own next value, keeps one value. A local is 0 from the start, whatever a process
//! is started with, so no two states differ in it. SPIN does the same when
//! it hides variables that are only written (`-o2` switches that off). Otherwise, a counter that
//! is never read would make a model infinite. Counterexamples are executed by the plain interpreter, which
//! shows all values.
//!
//! Evaluations that can fail are kept: an index out of range, a division by zero.

use super::Compiled;
use crate::ir::{Action, Automaton, Edge, Graph, Node, PatternNode, Scope, Target};
use crate::model::Binary;
use crate::run::Processes;

/// Which variables are read: the global ones, and the locals of each proctype.
#[derive(Clone, PartialEq, Eq)]
struct Read {
    globals: Vec<bool>,
    locals: Vec<Vec<bool>>,
}

impl Compiled {
    /// Removes the effect of assignments to variables that are not read.
    pub(crate) fn forget_unread(&mut self) {
        self.forget(false);
    }

    /// Does the same for hidden variables only, which are not part of the state in SPIN's full search either.
    pub(crate) fn forget_hidden(&mut self) {
        if self.program.cells.iter().any(|cell| cell.hidden) {
            self.forget(true);
        }
    }

    fn forget(&mut self, only_hidden: bool) {
        let program = &self.program;
        let mut read = Read {
            globals: vec![false; program.cells.len()],
            locals: program.automata.iter().map(|a| vec![false; a.locals.len()]).collect(),
        };
        // A variable that is read may be computed from others, which are then read too.
        loop {
            let before = read.clone();
            self.look(&mut read);
            if read == before {
                break;
            }
        }
        for (cell, is_read) in self.program.cells.iter_mut().zip(&read.globals) {
            cell.read = *is_read || (only_hidden && !cell.hidden);
        }
        for (automaton, is_read) in self.program.automata.iter_mut().zip(&read.locals) {
            for (local, is_read) in automaton.locals.iter_mut().zip(is_read) {
                local.read = *is_read || only_hidden;
            }
        }
        let cells = self.program.cells.clone();
        for automaton in &mut self.program.automata {
            let locals = automaton.locals.clone();
            let is_read = |target: &Target| match target.scope {
                Scope::Global => cells.iter().any(|cell| cell.read && cell.bytes().contains(&target.at)),
                Scope::Local => locals
                    .iter()
                    .any(|local| local.read && local.bytes().contains(&target.at)),
                Scope::Scratch => true,
            };
            forget(&mut automaton.graph, &is_read);
            let parameters = automaton.parameters.iter_mut();
            let initial = automaton.initial.iter_mut().map(|(target, _)| target);
            for target in parameters.chain(initial).chain(&mut automaton.opens) {
                if !is_read(target) {
                    target.scope = Scope::Scratch;
                }
            }
        }
        self.forget_first_values();
    }

    /// Resets the unread locals of the processes in the initial state.
    fn forget_first_values(&mut self) {
        let program = &mut self.program;
        let started = Processes::new(program, &program.initial);
        let unread = started.flat_map(|process| {
            let frame = process.frame();
            let locals = process.automaton.locals.iter().filter(|local| !local.read);
            locals.map(move |local| frame + local.at..frame + local.at + local.size)
        });
        for bytes in unread.collect::<Vec<_>>() {
            program.initial[bytes].fill(0);
        }
    }

    /// Adds the variables that are read in order to compute those known to be read.
    fn look(&self, read: &mut Read) {
        let program = &self.program;
        let mut reader = Reader {
            compiled: self,
            read,
            owner: None,
        };
        for (k, automaton) in program.automata.iter().enumerate() {
            reader.owner = Some(k);
            reader.automaton(automaton);
        }
        // A claim has its own locals.
        reader.owner = None;
        if let Some(automaton) = &self.never {
            reader.automaton(automaton);
        }
        if let Some(monitor) = &program.monitor {
            reader.graph(&monitor.graph);
        }
        self.atoms.iter().for_each(|atom| reader.node(atom));
    }
}

/// Visits everything that is executed.
struct Reader<'a> {
    compiled: &'a Compiled,
    read: &'a mut Read,
    /// The proctype that executes.
    owner: Option<usize>,
}

impl Reader<'_> {
    /// The entry of the variable that a place belongs to, for a process of `owner`.
    fn entry(&mut self, target: &Target, owner: Option<usize>) -> Option<&mut bool> {
        let program = &self.compiled.program;
        match target.scope {
            Scope::Global => {
                let cell = program.cells.iter().position(|c| c.bytes().contains(&target.at));
                Some(&mut self.read.globals[cell?])
            }
            Scope::Local => {
                let locals = &program.automata[owner?].locals;
                let local = locals.iter().position(|l| l.bytes().contains(&target.at));
                Some(&mut self.read.locals[owner?][local?])
            }
            Scope::Scratch => None,
        }
    }

    fn mark(&mut self, target: &Target, owner: Option<usize>) {
        if let Some(read) = self.entry(target, owner) {
            *read = true;
        }
    }

    fn indices(&mut self, target: &Target) {
        target.indices.iter().for_each(|index| self.node(&index.value));
    }

    fn automaton(&mut self, automaton: &Automaton) {
        self.graph(&automaton.graph);
        automaton.provided.iter().for_each(|node| self.node(node));
        automaton.initial.iter().for_each(|(_, node)| self.node(node));
        automaton
            .promises
            .iter()
            .for_each(|promise| self.node(&promise.channel));
    }

    fn graph(&mut self, graph: &Graph) {
        graph.edges.iter().for_each(|edge| self.edge(edge));
    }

    fn edge(&mut self, edge: &Edge) {
        if let Some(run) = &edge.run {
            run.arguments.iter().for_each(|argument| self.node(argument));
        }
        match &edge.action {
            Action::Condition(node) | Action::Assert(node) => self.node(node),
            Action::Assign(target, value) => {
                self.indices(target);
                let is_forgotten = self.entry(target, self.owner).is_some_and(|read| !*read);
                if !(is_forgotten && cannot_fail(value, target)) {
                    self.node(value);
                }
            }
            Action::Send { channel, message, .. } => {
                self.node(channel);
                message.iter().for_each(|value| self.node(value));
            }
            Action::Receive { channel, patterns, .. } => {
                self.node(channel);
                self.patterns(patterns);
            }
            Action::DStep(inner) => self.graph(inner),
            Action::Else | Action::Skip | Action::End => {}
        }
    }

    fn patterns(&mut self, patterns: &[PatternNode]) {
        for pattern in patterns {
            match pattern {
                PatternNode::Match(value) => self.node(value),
                PatternNode::Store(target) => self.indices(target),
                PatternNode::Any => {}
            }
        }
    }

    fn node(&mut self, node: &Node) {
        match node {
            Node::Load(target) => self.mark(target, self.owner),
            Node::Linear(linear) => linear.terms.iter().for_each(|t| self.mark(&t.target, self.owner)),
            Node::Remote { proctype, target, .. } => self.mark(target, Some(proctype.0 as usize)),
            _ => {}
        }
        node.each_part(&mut |part| self.node(part));
    }
}

/// Whether evaluating the assigned value cannot fail unless evaluating the address of `target` fails.
fn cannot_fail(value: &Node, target: &Target) -> bool {
    match value {
        Node::Load(other) => other.indices.is_empty() || other == target,
        Node::Unary(_, inner) => cannot_fail(inner, target),
        Node::Binary(Binary::Divide | Binary::Remainder, _) => false,
        Node::Binary(_, parts) => cannot_fail(&parts.0, target) && cannot_fail(&parts.1, target),
        other => other.is_certain(),
    }
}

/// Makes assignments to unread variables only check indices.
fn forget(graph: &mut Graph, is_read: &impl Fn(&Target) -> bool) {
    for edge in &mut graph.edges {
        match &mut edge.action {
            Action::Assign(target, value) if !is_read(target) => {
                if cannot_fail(value, target) {
                    *value = Node::Constant(0);
                }
                target.scope = Scope::Scratch;
            }
            Action::Receive { patterns, .. } => {
                for pattern in patterns {
                    if let PatternNode::Store(target) = pattern
                        && !is_read(target)
                    {
                        target.scope = Scope::Scratch;
                    }
                }
            }
            Action::DStep(inner) => forget(inner, is_read),
            _ => {}
        }
    }
}
