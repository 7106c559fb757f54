//! Checks a formula conjunct by conjunct (thesis 7.4).
//!
//! `f && g` holds of all executions iff `f` does and `g` does. Each has fewer atoms than both, so more steps are
//! invisible, and one of the form `[] p` is an [invariant](super::invariant). Without reduction there is nothing to
//! gain, and all conjuncts are checked at once.

use super::CheckError;
use super::checked::{Kind, PropertyResult, ViolationKind};
use super::liveness::{self, Forbidden};
use super::options::Options;
use crate::model::{Expr, Ltl, Model};
use mazurka_core::{Limits, Verdict};
use mazurka_logic::{AtomId, Formula};

/// With more conjuncts than this, they are checked together.
const MOST: usize = 16;

/// Checks a formula without snapshots.
pub(super) fn check(model: &Model, ltl: &Ltl, options: &Options<'_>) -> Result<PropertyResult, CheckError> {
    let mut parts = Vec::new();
    split(&ltl.formula, &mut parts);
    if parts.len() == 1 || parts.len() > MOST || !options.reduction.persistent() {
        return check_one(model, ltl, ltl.formula.clone(), &ltl.atoms, options);
    }
    let mut sum: Option<PropertyResult> = None;
    for part in parts {
        let mut used: Vec<AtomId> = Vec::new();
        let formula = part.number_atoms(&mut used);
        let atoms: Vec<Expr> = used.iter().map(|atom| ltl.atoms[atom.0 as usize].clone()).collect();
        let spent = sum.as_ref().map_or(0, |sum| sum.statistics.states);
        let limits = Limits {
            states: options.limits.states.map(|most| most.saturating_sub(spent)),
            ..options.limits
        };
        let result = check_one(model, ltl, formula, &atoms, &Options { limits, ..*options })?;
        let sum = match &mut sum {
            None => sum.insert(result),
            Some(sum) => {
                add(sum, result);
                sum
            }
        };
        if sum.verdict == Verdict::Violated || sum.end.limit().is_some() {
            break;
        }
    }
    Ok(sum.expect("a formula has at least one conjunct"))
}

fn check_one(
    model: &Model,
    ltl: &Ltl,
    formula: Formula,
    atoms: &[Expr],
    options: &Options<'_>,
) -> Result<PropertyResult, CheckError> {
    let forbidden = Forbidden {
        name: ltl.name.clone(),
        kind: Kind::Ltl,
        violation: ViolationKind::AcceptanceCycle,
        message: format!("an execution violates {}", ltl.text),
        formula: formula.negated(),
        atoms,
        nodes: Vec::new(),
    };
    liveness::check(model, forbidden, options)
}

/// Adds the result for one more conjunct.
fn add(sum: &mut PropertyResult, result: PropertyResult) {
    let (all, this) = (&mut sum.statistics, result.statistics);
    all.states += this.states;
    all.stored = all.stored.max(this.stored);
    all.transitions += this.transitions;
    all.matched += this.matched;
    all.depth = all.depth.max(this.depth);
    all.bytes = all.bytes.max(this.bytes);
    all.time += this.time;
    sum.verdict = sum.verdict.max(result.verdict);
    sum.end = result.end;
    let found = &mut sum.found;
    found.violations.extend(result.found.violations);
    if found.reduction.note.is_none() {
        found.reduction.note = result.found.reduction.note;
    }
}

/// Adds the conjuncts of a formula.
fn split(formula: &Formula, out: &mut Vec<Formula>) {
    match formula {
        Formula::And(f, g) => {
            split(f, out);
            split(g, out);
        }
        Formula::Always(inner) => {
            let mut parts = Vec::new();
            split(inner, &mut parts);
            out.extend(parts.into_iter().map(|part| Formula::Always(Box::new(part))));
        }
        Formula::Not(inner) => match &**inner {
            Formula::Or(f, g) => {
                split(&(**f).clone().negated(), out);
                split(&(**g).clone().negated(), out);
            }
            Formula::Eventually(f) => split(&Formula::Always(Box::new((**f).clone().negated())), out),
            _ => out.push(formula.clone()),
        },
        _ => out.push(formula.clone()),
    }
}
