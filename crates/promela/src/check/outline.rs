//! The outline of a body: its variables and labels, collected before any statement is checked.
//!
//! Labels are found as in SPIN: a jump prefers a label of its own block, then
//! the first of an enclosing block, then any. A remote reference takes the first label with
//! that name.

use super::Checker;
use crate::model::{Label, LabelId, Proctype, Variable};
use crate::narrow::index;
use crate::preprocess::expansion::At;
use crate::syntax::{Process, Statement, StatementKind};
use std::collections::HashMap;
use std::rc::Rc;

/// The numbers of nested blocks, outermost first.
pub(super) type Path = Vec<u32>;

/// The variables and labels of a body.
#[derive(Default)]
pub(super) struct Outline {
    /// The variables after the parameters, in the order of their declarations. None for
    /// a declaration with an error.
    pub(super) declared: Vec<Option<Variable>>,
    pub(super) labels: Vec<OutlinedLabel>,
    /// The labels with each name, in order.
    named: HashMap<Rc<str>, Vec<usize>>,
    path: Path,
    blocks: u32,
}

/// A label and the block that it is in.
pub(super) struct OutlinedLabel {
    pub(super) name: Rc<str>,
    pub(super) at: At,
    path: Path,
}

impl Outline {
    /// The outline of a proctype of a complete model.
    pub(super) fn of(proctype: &Proctype) -> Self {
        let declared = proctype.locals.iter().skip(proctype.parameters as usize);
        let label = |label: &Label| OutlinedLabel {
            name: label.name.as_str().into(),
            at: At {
                span: label.span,
                ..At::default()
            },
            path: Path::new(),
        };
        let mut outline = Self {
            declared: declared.cloned().map(Some).collect(),
            ..Self::default()
        };
        proctype.labels.iter().map(label).for_each(|label| outline.add(label));
        outline
    }

    fn add(&mut self, label: OutlinedLabel) {
        let named = self.named.entry(label.name.clone()).or_default();
        named.push(self.labels.len());
        self.labels.push(label);
    }

    /// The labels with this name, and their numbers.
    fn named(&self, name: &str) -> impl DoubleEndedIterator<Item = (usize, &OutlinedLabel)> {
        let numbers = self.named.get(name).into_iter().flatten();
        numbers.map(|k| (*k, &self.labels[*k]))
    }

    /// The label that a jump from a block refers to.
    pub(super) fn jump(&self, name: &str, from: &[u32]) -> Option<LabelId> {
        let mut best = None;
        for (k, label) in self.named(name).rev() {
            if label.path == from {
                return Some(LabelId(index(k)));
            }
            if from.starts_with(&label.path) || best.is_none() {
                best = Some(LabelId(index(k)));
            }
        }
        best
    }

    /// The label that a remote reference refers to.
    pub(super) fn label(&self, name: &str) -> Option<LabelId> {
        self.named(name).next().map(|(k, _)| LabelId(index(k)))
    }

    /// The labels of the model.
    pub(super) fn model_labels(&self) -> Vec<Label> {
        let one = |label: &OutlinedLabel| Label {
            name: label.name.to_string(),
            span: label.at.span,
        };
        self.labels.iter().map(one).collect()
    }

    /// The variable with this name, and its index among all locals.
    pub(super) fn variable<'a>(&'a self, head: &'a Proctype, name: &str) -> Option<(usize, &'a Variable)> {
        let parameters = head.locals.iter().take(head.parameters as usize).map(Some);
        let declared = self.declared.iter().map(Option::as_ref);
        let mut all = parameters.chain(declared).flatten().enumerate();
        all.find(|(_, variable)| variable.name == name)
    }
}

impl Checker<'_> {
    /// Collects the variables and labels of a body.
    pub(super) fn outline(&mut self, unit: usize, process: &Process) -> Outline {
        self.scopes.unit = unit;
        let mut outline = Outline::default();
        for statement in &process.body {
            self.outline_statement(statement, &mut outline);
        }
        outline
    }

    fn outline_statement(&mut self, statement: &Statement, outline: &mut Outline) {
        for label in &statement.labels {
            let path = outline.path.clone();
            let same = |(_, other): &(usize, &OutlinedLabel)| other.path == path;
            if let Some((_, before)) = outline.named(&label.text).find(same) {
                let message = format!("there is already a label `{}` here", label.text);
                let diagnostic = crate::Diagnostic::error("promela::redeclared", label.at.span, message);
                let diagnostic = diagnostic.note(before.at.span, "declared here");
                self.report(diagnostic, label.at);
            }
            outline.add(OutlinedLabel {
                name: label.text.clone(),
                at: label.at,
                path,
            });
        }
        match &statement.kind {
            StatementKind::Declaration(declaration) => {
                for declared in &declaration.variables {
                    let variable = self.variable(declaration, declared);
                    outline.declared.push(variable);
                }
            }
            StatementKind::If(options) | StatementKind::Do(options) => {
                for statement in options.iter().flatten() {
                    self.outline_statement(statement, outline);
                }
            }
            StatementKind::For { body, .. }
            | StatementKind::ForIn { body, .. }
            | StatementKind::Atomic(body)
            | StatementKind::DStep(body)
            | StatementKind::Block(body) => {
                outline.blocks += 1;
                outline.path.push(outline.blocks);
                for statement in body {
                    self.outline_statement(statement, outline);
                }
                outline.path.pop();
            }
            StatementKind::Unless { main, escape } => {
                self.outline_statement(main, outline);
                self.outline_statement(escape, outline);
            }
            _ => {}
        }
    }
}
