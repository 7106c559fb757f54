//! Compares states of the compiled form and of the plain interpreter.
//!
//! The values of all variables and the lengths of the channels are compared. This keeps
//! a replay on the path of the search if one place in the text stands for several
//! statements, as in the expansions of `select` and inlines.

use crate::compile::scalars;
use crate::ir::Program;
use crate::model::{Model, Variable};
use crate::narrow::index;
use crate::plain::{State, Value};
use crate::run::{Processes, View};

/// Whether the two states are the same.
pub(super) fn same(model: &Model, program: &Program, bytes: &[u8], state: &State) -> bool {
    let mut at = crate::ir::HEADER;
    let is_read = |k: usize| program.cells[k].read;
    if !variables(model, &model.globals, bytes, &mut at, &state.globals, is_read) {
        return false;
    }
    let view = View::outside(program, bytes);
    let channels = state.channels.iter().enumerate();
    let mut lengths = channels.map(|(k, c)| (view.numbered(crate::narrow::value(k + 1)), c.messages.len()));
    if !lengths.all(|(channel, len)| channel.is_some_and(|c| c.len(bytes) == len)) {
        return false;
    }
    let processes: Vec<_> = Processes::new(program, bytes).collect();
    processes.len() == state.processes.len()
        && processes.iter().zip(&state.processes).all(|(compiled, plain)| {
            let locals = &model.proctypes[plain.proctype.0 as usize].locals;
            let mut at = compiled.frame();
            let dead = &compiled.location(bytes).dead;
            let is_read = |k: usize| compiled.automaton.locals[k].read && !dead.contains(&index(k));
            compiled.proctype == plain.proctype && variables(model, locals, bytes, &mut at, &plain.locals, is_read)
        })
}

/// Compares consecutive variables from `at` on. Variables that are not read, or not any more, are skipped.
fn variables(
    model: &Model,
    variables: &[Variable],
    bytes: &[u8],
    at: &mut usize,
    values: &[Value],
    is_read: impl Fn(usize) -> bool,
) -> bool {
    for (k, (variable, value)) in variables.iter().zip(values).enumerate() {
        let mut plain = Vec::new();
        flatten(value, &mut plain);
        let compiled = scalars(model, variable, bytes, at);
        // The interpreter stores hidden variables separately.
        if !variable.hidden && is_read(k) && compiled != plain {
            return false;
        }
    }
    true
}

fn flatten(value: &Value, out: &mut Vec<i32>) {
    match value {
        Value::Scalar(value) => out.push(*value),
        Value::Array(values) | Value::Record(values) => values.iter().for_each(|v| flatten(v, out)),
    }
}
