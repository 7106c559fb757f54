//! Checks the declarations of local variables among the statements of a body.

use super::Checker;
use super::scope::Meaning;
use super::statement::{number, skip};
use crate::model::{self, Access, Place, Sequence, Statement, StatementKind, Type, VariableId};
use crate::preprocess::expansion::At;
use crate::syntax::Declaration;

impl Checker<'_> {
    /// Checks a declaration in a body. Variables declared before the first statement get initial values, later ones
    /// are assigned where they are declared.
    pub(super) fn local(&mut self, declaration: &Declaration, out: &mut Sequence) {
        for declared in &declaration.variables {
            let number = self.body.declared;
            self.body.declared += 1;
            if self.body.outline.declared[number].is_none() {
                continue;
            }
            let id = VariableId(self.body.next_local);
            self.body.next_local += 1;
            let variable = self.body.locals[id.0 as usize].clone();
            let initial = self.initial(declared, &variable);
            self.declare(&declared.name, Meaning::Local(id));
            if self.body.beginning {
                self.body.locals[id.0 as usize].initial = initial;
            } else {
                if declared.initial.is_some() && matches!(variable.kind, Type::Record(_)) {
                    let message = format!("the record `{}` can have no initial value here", variable.name);
                    self.error("promela::late-record", declared.at, message);
                }
                let kind = self.late(declared.at, id, &variable, initial);
                out.extend(kind.map(|kind| Statement {
                    labels: Vec::new(),
                    kind,
                    span: declared.at.span,
                }));
            }
        }
    }

    /// The assignment that stands for a declaration after the first statement. As in SPIN, it resets only the first
    /// element of an array, and nothing of a record.
    fn late(
        &mut self,
        at: At,
        id: VariableId,
        variable: &model::Variable,
        initial: model::Initial,
    ) -> Option<StatementKind> {
        let value = match initial {
            model::Initial::Channel { .. } => {
                let message = format!(
                    "the channel `{}` must be declared before the first statement",
                    variable.name
                );
                self.error("promela::late-channel", at, message);
                return None;
            }
            model::Initial::List(_) => {
                let message = format!(
                    "the array `{}` must be declared before the first statement",
                    variable.name
                );
                self.error("promela::late-list", at, message);
                return None;
            }
            _ if matches!(variable.kind, Type::Record(_)) => return Some(skip(at.span).kind),
            model::Initial::Value(value) => value,
            model::Initial::Zero => number(0, at.span),
        };
        let first = variable.length.map(|_| Access::Index(number(0, at.span)));
        let place = Place {
            base: model::Base::Local(id),
            path: first.into_iter().collect(),
            kind: variable.kind,
            span: variable.span,
        };
        Some(StatementKind::Assign { place, value })
    }
}
