//! What the compiled form cannot hold, found before it is used.
//!
//! A state names a proctype and a channel by one byte and a location by two, and a transition names an edge by two.
//! A model with more of them is refused where it has too many; a number is never cut. Since how many
//! locations and edges there are is known once a body is compiled, each body is. So are jumps found that lead
//! nowhere: SPIN refuses them as well.

use super::{Compiler, layout};
use crate::diagnostic::Diagnostic;
use crate::ir::HEADER;
use crate::model::{Initial, Model, Proctype, Sequence, StatementKind, Type, Variable};

/// How many proctypes there can be, `init` included.
const PROCTYPES: usize = 256;
/// How many channels can be open.
pub(crate) const CHANNELS: usize = 255;
/// How many statements a body can have: behind the last there is one more place.
const STATEMENTS: usize = 65_534;

/// Why a model cannot be compiled.
pub(crate) fn refused(model: &Model) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let mut refuse = |span, message| found.push(Diagnostic::error("promela::too-large", span, message));
    if let Some(one_too_many) = model.proctypes.get(PROCTYPES) {
        let message = format!("a model has at most {PROCTYPES} proctypes");
        refuse(one_too_many.span, message);
    }
    if let Some(span) = one_too_many(model, &model.globals) {
        refuse(span, format!("a model has at most {CHANNELS} channels"));
    }
    let claims = model.never.iter().chain(model.trace.iter().map(|trace| &trace.body));
    for proctype in model.proctypes.iter().chain(claims) {
        if let Some(span) = one_too_many(model, &proctype.locals) {
            refuse(span, format!("a process has at most {CHANNELS} channels"));
        }
        let statements = count(&proctype.body);
        if statements > STATEMENTS {
            let Proctype { name, span, .. } = proctype;
            let message = format!("`{name}` has {statements} statements: at most {STATEMENTS} are possible");
            refuse(*span, message);
        }
    }
    if found.is_empty() {
        found = Compiler::new(model).bodies();
    }
    found
}

/// The variable with the first channel of which there are too many.
fn one_too_many(model: &Model, variables: &[Variable]) -> Option<crate::source::Span> {
    let mut open = 0;
    for variable in variables {
        open += channels(model, variable);
        if open > CHANNELS {
            return Some(variable.span);
        }
    }
    None
}

fn channels(model: &Model, variable: &Variable) -> usize {
    let one = match (variable.kind, &variable.initial) {
        (Type::Record(record), _) => {
            let fields = layout::fields(model, record).iter();
            fields.map(|field| channels(model, field)).sum()
        }
        (_, Initial::Channel { .. }) => 1,
        _ => 0,
    };
    one * variable.length.unwrap_or(1) as usize
}

fn count(sequence: &Sequence) -> usize {
    let inside = sequence.iter().map(|statement| match &statement.kind {
        StatementKind::If(options) | StatementKind::Do(options) => options.iter().map(count).sum(),
        StatementKind::Atomic(inner) | StatementKind::DStep(inner) | StatementKind::Block(inner) => count(inner),
        StatementKind::Unless { main, escape } => count(main) + count(escape),
        _ => 0,
    });
    sequence.len() + inside.sum::<usize>()
}

impl Compiler<'_> {
    /// Compiles all bodies, to see whether it can be done.
    fn bodies(mut self) -> Vec<Diagnostic> {
        let model = self.model;
        let mut at = HEADER;
        for variable in &model.globals {
            self.global_at.push(at);
            at += layout::size(model, variable);
        }
        let traces = model.trace.iter().map(|trace| &trace.body);
        for body in model.proctypes.iter().chain(&model.never).chain(traces) {
            self.automaton(body, true);
        }
        self.refused
    }
}
