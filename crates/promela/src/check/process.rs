//! Proctypes, `init` and claims.

use super::Checker;
use super::outline::{Outline, Path};
use super::scope::Meaning;
use crate::model::{Exclusive, Proctype, Variable, VariableId};
use crate::narrow::index;
use crate::syntax::{Declaration, Process};
use std::rc::Rc;

/// The body that is checked, and how far.
#[derive(Default)]
pub(super) struct Body {
    /// Which proctype; none for a claim.
    pub(super) proctype: Option<usize>,
    /// Whether it is a trace assertion.
    pub(super) is_trace: bool,
    pub(super) outline: Rc<Outline>,
    pub(super) locals: Vec<Variable>,
    pub(super) exclusive: Vec<Exclusive>,
    /// How many declarations, variables, labels and blocks were met.
    pub(super) declared: usize,
    pub(super) next_local: u32,
    pub(super) next_label: u32,
    pub(super) blocks: u32,
    /// The blocks that are open.
    pub(super) path: Path,
    /// How many loops are open.
    pub(super) loops: usize,
    /// How many `d_step` are.
    pub(super) d_steps: usize,
    /// Whether declarations are still at the beginning, where they give initial values.
    pub(super) beginning: bool,
}

impl Checker<'_> {
    /// Checks a proctype, the head of which is in the model.
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
            // Where a parameter is wrong, the numbers of the others are as well, but
            // then there is no model.
            if k < self.body.locals.len() {
                self.declare(&declared.name, Meaning::Local(VariableId(index(k))));
            }
        }
    }
}
