//! Scopes of names.
//!
//! Promela has no shadowing: a name may be declared again only where the first declaration is not
//! visible. Blocks (braces, including those of `atomic`, `for` and inlines) have scopes; the
//! options of `if` and `do` have none. A declaration is visible from its position on,
//! so globals have a position in the text, and a body sees those before it.

use super::Checker;
use crate::diagnostic::{Diagnostic, Severity};
use crate::model::{GlobalId, MtypeId, ProctypeId, RecordId, VariableId};
use crate::preprocess::expansion::At;
use crate::source::Span;
use crate::syntax::Name;
use std::collections::HashMap;
use std::rc::Rc;

/// The greatest number of errors, and of warnings, that are reported.
const MOST: usize = 100;

/// What a name refers to.
#[derive(Clone, Copy, Debug)]
pub(super) enum Meaning {
    Global(GlobalId),
    Local(VariableId),
    Proctype(ProctypeId),
    Record(RecordId),
    Symbol(MtypeId, i32),
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub(super) meaning: Meaning,
    pub(super) span: Span,
    /// The unit that declares it. Locals belong to the unit that is being checked.
    unit: usize,
}

/// All declared names.
#[derive(Default)]
pub(super) struct Scopes {
    globals: HashMap<Rc<str>, Entry>,
    /// The open blocks of the body that is being checked, innermost last.
    blocks: Vec<HashMap<Rc<str>, Entry>>,
    /// The unit that is being checked. It does not see the declarations of later units.
    pub(super) unit: usize,
}

impl Scopes {
    pub(super) fn open(&mut self) {
        self.blocks.push(HashMap::new());
    }

    pub(super) fn close(&mut self) {
        self.blocks.pop();
    }

    /// What a name refers to at this point.
    pub(super) fn find(&self, name: &str) -> Option<Entry> {
        let local = self.blocks.iter().rev().find_map(|block| block.get(name));
        local.copied().or_else(|| self.find_global(name))
    }

    fn find_global(&self, name: &str) -> Option<Entry> {
        let entry = self.globals.get(name)?;
        let everywhere = matches!(entry.meaning, Meaning::Proctype(_));
        (everywhere || entry.unit <= self.unit).then_some(*entry)
    }

    /// A global with this name that is declared later.
    pub(super) fn find_later(&self, name: &str) -> Option<Entry> {
        self.globals.get(name).copied()
    }

    /// All visible names whose meaning passes `test`.
    pub(super) fn names(&self, test: impl Fn(Meaning) -> bool) -> Vec<&str> {
        let blocks = self.blocks.iter().flatten();
        let globals = self.globals.iter().filter(|(_, entry)| entry.unit <= self.unit);
        let all = blocks.chain(globals).filter(|(_, entry)| test(entry.meaning));
        all.map(|(name, _)| &**name).collect()
    }

    fn insert(&mut self, name: &Name, meaning: Meaning) {
        let entry = Entry {
            meaning,
            span: name.at.span,
            unit: self.unit,
        };
        let block = match meaning {
            Meaning::Local(_) => self.blocks.last_mut(),
            _ => None,
        };
        block.unwrap_or(&mut self.globals).insert(name.text.clone(), entry);
    }
}

impl Checker<'_> {
    /// Declares a name, which must be free.
    pub(super) fn declare(&mut self, name: &Name, meaning: Meaning) {
        if let Some(before) = self.scopes.find(&name.text) {
            // A symbolic name hides a variable with the same name from here on.
            let hides = matches!(meaning, Meaning::Symbol(..)) && matches!(before.meaning, Meaning::Global(_));
            if !hides && before.span != name.at.span {
                let message = format!("the name `{}` is already declared", name.text);
                let diagnostic = Diagnostic::error("promela::redeclared", name.at.span, message);
                self.report(diagnostic.note(before.span, "declared here"), name.at);
                return;
            }
        }
        self.scopes.insert(name, meaning);
    }

    /// Reports an undeclared name, with the name that may be meant.
    pub(super) fn undeclared(&mut self, what: &str, name: &Name, test: impl Fn(Meaning) -> bool) {
        if self.says_enough(Severity::Error) {
            return;
        }
        let message = format!("there is no {what} `{}`", name.text);
        let mut diagnostic = Diagnostic::error("promela::undeclared", name.at.span, message);
        if let Some(later) = self.scopes.find_later(&name.text) {
            diagnostic.message = format!("`{}` is declared after its use", name.text);
            diagnostic = diagnostic.note(later.span, "declared here");
        } else if let Some(near) = nearest(&name.text, self.scopes.names(test)) {
            diagnostic = diagnostic.label(format!("did you mean `{near}`?"));
        }
        self.report(diagnostic, name.at);
    }

    /// Adds a diagnostic, with the expansions that its place comes from.
    pub(super) fn report(&mut self, diagnostic: Diagnostic, at: At) {
        if self.says_enough(diagnostic.severity) {
            return;
        }
        let diagnostic = self.expansions.explain(diagnostic, at.origin);
        let same = |found: &Diagnostic| found.span == diagnostic.span && found.message == diagnostic.message;
        if !self.diagnostics.iter().any(same) {
            self.diagnostics.push(diagnostic);
        }
    }

    /// Whether the limit of errors or warnings is reached.
    fn says_enough(&self, severity: Severity) -> bool {
        let alike = self.diagnostics.iter().filter(|found| found.severity == severity);
        alike.count() >= MOST
    }

    pub(super) fn error(&mut self, id: &'static str, at: At, message: impl Into<String>) {
        self.report(Diagnostic::error(id, at.span, message), at);
    }

    pub(super) fn warning(&mut self, id: &'static str, at: At, message: impl Into<String>) {
        self.report(Diagnostic::warning(id, at.span, message), at);
    }
}

/// The name that is most similar to another, if any is similar enough.
pub(super) fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let close = candidates
        .into_iter()
        .map(|known| (strsim::osa_distance(name, known), known));
    let limit = name.chars().count().div_ceil(3);
    close
        .filter(|(distance, _)| *distance <= limit)
        .min()
        .map(|(_, known)| known)
}
