//! The checker: from a syntax tree to a model. It resolves names and removes sugar.
//!
//! There are three passes. The first takes the units in the order of the text and declares everything
//! global, including the heads of proctypes. The second ([`outline`]) collects
//! the variables and labels of each body, since other proctypes, formulas and jumps may refer
//! to them. The third checks the statements. Passes two and three meet blocks, labels
//! and declarations in the same order, so counting them is enough to find an
//! entry again.
//!
//! What SPIN refuses is an error here; what it accepts is at most a warning.

mod constant;
mod declaration;
mod expression;
mod formula;
#[cfg(test)]
mod listing;
mod local;
mod loops;
mod message;
mod outline;
mod place;
mod print;
mod process;
mod scope;
mod statement;

use crate::diagnostic::{Diagnostic, Severity};
use crate::model::{GlobalId, Model, Mtype, ProctypeId};
use crate::parser::written;
use crate::preprocess::expansion::Expansions;
use crate::syntax::{Process, Unit};
use declaration::Size;
pub(crate) use formula::check_formula;
use outline::Outline;
use process::Body;
use scope::{Meaning, Scopes};
use std::collections::HashMap;
use std::rc::Rc;

/// Checks a tree. Returns the model and its diagnostics.
pub(crate) fn check(units: &[Unit], expansions: &Expansions) -> (Model, Vec<Diagnostic>) {
    let mut checker = Checker::new(Model::default(), expansions);
    checker.model.mtypes.push(Mtype::default());
    let bodies = checker.declarations(units);
    for (unit, process) in &bodies {
        let outline = checker.outline(*unit, process);
        checker.outlines.push(Rc::new(outline));
    }
    for (k, (unit, process)) in bodies.iter().enumerate() {
        checker.scopes.unit = *unit;
        let checked = checker.process(process, k);
        checker.model.proctypes[k] = checked;
    }
    checker.claims(units);
    checker.runnable();
    checker.unhide();
    checker.sizes_fit();
    let mut diagnostics = checker.diagnostics;
    diagnostics.sort_by_key(|found| (found.span.file, found.span.start, found.severity == Severity::Warning));
    (checker.model, diagnostics)
}

pub(crate) struct Checker<'a> {
    model: Model,
    expansions: &'a Expansions,
    diagnostics: Vec<Diagnostic>,
    scopes: Scopes,
    /// The size of each record.
    sizes: Vec<Size>,
    /// The number of scalars that records in messages may still have.
    spread_left: u64,
    /// For each proctype, the declarations of its body.
    outlines: Vec<Rc<Outline>>,
    /// The body that is being checked.
    body: Body,
    /// For each global variable, how often it is read.
    reads: HashMap<GlobalId, usize>,
}

impl<'a> Checker<'a> {
    fn new(model: Model, expansions: &'a Expansions) -> Self {
        Self {
            model,
            expansions,
            diagnostics: Vec::new(),
            scopes: Scopes::default(),
            sizes: Vec::new(),
            spread_left: declaration::SPREAD,
            outlines: Vec::new(),
            body: Body::default(),
            reads: HashMap::new(),
        }
    }

    /// Declares everything global. Returns the proctypes with their units.
    fn declarations<'t>(&mut self, units: &'t [Unit]) -> Vec<(usize, &'t Process)> {
        let mut bodies = Vec::new();
        for (k, unit) in units.iter().enumerate() {
            self.scopes.unit = k;
            match unit {
                Unit::Variables(declaration) => self.globals(declaration),
                Unit::Mtype { set, names } => self.symbols(set.as_ref(), names),
                Unit::Typedef { name, fields } => self.record(name, fields),
                Unit::Process(process) => {
                    let id = ProctypeId(crate::narrow::index(bodies.len()));
                    let twice = process.is_init && bodies.iter().any(|(_, other): &(usize, &Process)| other.is_init);
                    if twice {
                        self.error("promela::redeclared", process.name.at, "there is already an `init`");
                    } else if !process.is_init {
                        self.declare(&process.name, Meaning::Proctype(id));
                    }
                    let head = self.head(process);
                    self.model.proctypes.push(head);
                    bodies.push((k, process));
                }
                Unit::Never(_) | Unit::Trace { .. } | Unit::Ltl(_) => {}
            }
        }
        bodies
    }

    /// Checks claims, trace assertions and formulas.
    fn claims(&mut self, units: &[Unit]) {
        for (k, unit) in units.iter().enumerate() {
            self.scopes.unit = k;
            match unit {
                Unit::Never(process) => {
                    if self.model.never.is_some() {
                        let message = "there is already a `never` claim: this one is ignored";
                        self.warning("promela::unused-claim", process.name.at, message);
                        continue;
                    }
                    let claim = self.claim(k, process);
                    self.model.never = Some(claim);
                }
                Unit::Trace { must_match, body } => {
                    if self.model.trace.is_some() {
                        self.error(
                            "promela::redeclared",
                            body.name.at,
                            "there is already a trace assertion",
                        );
                        continue;
                    }
                    let must_match = *must_match;
                    let body = self.claim(k, body);
                    self.model.trace = Some(crate::model::TraceAssertion { must_match, body });
                }
                Unit::Ltl(ltl) => {
                    let free = |number: &usize| {
                        let name = format!("ltl_{number}");
                        self.model.ltl.iter().all(|ltl| ltl.name != name)
                    };
                    let number = (0..).find(free).unwrap_or_default();
                    let name = ltl
                        .name
                        .as_ref()
                        .map_or_else(|| format!("ltl_{number}"), |name| name.text.to_string());
                    if let (Some(given), true) = (&ltl.name, self.model.ltl.iter().any(|other| other.name == name)) {
                        self.error(
                            "promela::redeclared",
                            given.at,
                            format!("there is already a formula `{name}`"),
                        );
                    }
                    let text = written(&ltl.tokens);
                    if let Some(formula) = &ltl.formula {
                        let ltl = self.ltl(name, text, ltl.at.span, formula);
                        self.model.ltl.push(ltl);
                    }
                }
                _ => {}
            }
        }
    }

    /// Reports a model in which no process runs.
    fn runnable(&mut self) {
        if !self.model.proctypes.iter().any(|proctype| proctype.active > 0) {
            let span = self
                .model
                .proctypes
                .first()
                .map(|proctype| proctype.span)
                .unwrap_or_default();
            let message = "nothing runs: there is no `init` and no active proctype";
            self.diagnostics
                .push(Diagnostic::error("promela::nothing-runs", span, message));
        }
    }
}
