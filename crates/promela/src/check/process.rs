//! Checks proctypes, `init` and claims.

use super::Checker;
use super::outline::{Outline, Path};
use super::scope::Meaning;
use crate::model::{Exclusive, Proctype, Variable, VariableId};
use crate::narrow::index;
use crate::syntax::{Declaration, Process};
use std::rc::Rc;

/// The body that is being checked.
#[derive(Default)]
pub(super) struct Body {
    /// Its proctype. None for a claim.
    pub(super) proctype: Option<usize>,
    /// Whether it is a trace assertion.
    pub(super) is_trace: bool,
    pub(super) outline: Rc<Outline>,
    pub(super) locals: Vec<Variable>,
    pub(super) exclusive: Vec<Exclusive>,
    /// The numbers of declarations, variables, labels and blocks met so far.
    pub(super) declared: usize,
    pub(super) next_local: u32,
    pub(super) next_label: u32,
    pub(super) blocks: u32,
    /// The open blocks.
    pub(super) path: Path,
    /// The number of open loops.
    pub(super) loops: usize,
    /// The number of open `d_step` sequences.
    pub(super) d_steps: usize,
    /// Whether no statement was met yet, so that declarations give initial values.
    pub(super) beginning: bool,
}

impl Checker<'_> {
    /// Checks the body of a proctype whose head is in the model.
    pub(super) fn process(&mut self, process: &Process, index: usize) -> Proctype {
        let head = self.model.proctypes[index].clone();
        let outline = self.outlines[index].clone();
        self.checked(process, head, outline, Some(index))
    }

    /// Checks a claim.
    pub(super) fn claim(&mut self, unit: usize, process: &Process) -> Proctype {
        let head = self.head(process);
        let outline = Rc::new(self.outline(unit, process));
        self.checked(process, head, outline, None)
    }

    fn checked(
        &mut self,
        process: &Process,
        head: Proctype,
        outline: Rc<Outline>,
        proctype: Option<usize>,
    ) -> Proctype {
        let mut locals = head.locals.clone();
        locals.extend(outline.declared.iter().flatten().cloned());
        self.body = Body {
            proctype,
            is_trace: matches!(&*head.name, "trace" | "notrace") && proctype.is_none(),
            outline: outline.clone(),
            locals,
            beginning: true,
            ..Body::default()
        };
        self.scopes.open();
        self.parameters(&process.parameters);
        self.body.next_local = head.parameters;
        let provided = process.provided.as_ref().map(|condition| self.value(condition));
        let body = self.sequence(&process.body, false);
        self.scopes.close();
        Proctype {
            locals: std::mem::take(&mut self.body.locals),
            exclusive: std::mem::take(&mut self.body.exclusive),
            labels: outline.model_labels(),
            provided,
            body,
            ..head
        }
    }

    fn parameters(&mut self, declarations: &[Declaration]) {
        let all = declarations.iter().flat_map(|declaration| &declaration.variables);
        for (k, declared) in all.enumerate() {
            // If a parameter has an error, the numbers of the others are wrong too, but
            // then there is no model.
            if k < self.body.locals.len() {
                self.declare(&declared.name, Meaning::Local(VariableId(index(k))));
            }
        }
    }
}
