//! Refuses models that are too large for the compiled form.
//!
//! A state names a proctype or channel by one byte and a location by two, and a transition names an edge by two.
//! A model with more of them is refused at the place where it has too many; numbers are never truncated. The numbers of
//! locations and edges are known only when a body is compiled, so each body is compiled for this check. That also finds
//! jumps that lead nowhere, which SPIN refuses as well.

use super::{Compiler, layout};
use crate::diagnostic::Diagnostic;
use crate::ir::HEADER;
use crate::model::{Initial, Model, Proctype, Sequence, StatementKind, Type, Variable};

/// The greatest number of proctypes, including `init`.
const PROCTYPES: usize = 256;
/// The greatest number of open channels.
pub(crate) const CHANNELS: usize = 255;
/// The greatest number of statements in a body. After the last there is one more location.
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

/// The variable whose channels exceed the limit.
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
    /// Compiles all bodies, and returns why that fails.
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
