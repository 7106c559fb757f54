//! What is asked about all histories, as it was written and as it is bound to a run.

use crate::causality::Event;
use crate::computation::Computation;
use crate::detection::undefined_record;
use crate::narrow::short;
use crate::predicate::{self, Predicate, PredicateErrors};
use crate::sltl::{SltlError, SltlFormula};
use mazurka_core::ProcessId;
use mazurka_logic::{AtomId, Formula};
use std::collections::BTreeSet;
use std::fmt;
use std::ops::Range;
use std::sync::atomic::AtomicBool;

/// A letter has a bit for each condition.
const MOST_CONDITIONS: usize = 64;

/// The parts of a sequence are counted in a byte.
const LONGEST_SEQUENCE: usize = 255;

/// What to ask about a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PatternModality {
    /// Some history passes through the states in turn.
    PossiblySequence,
    /// No history does; a "no" is a violation.
    NeverSequence,
    /// Some history satisfies the formula.
    PossiblyLtl,
    /// Every history does.
    DefinitelyLtl,
    /// No history does; a "no" is a violation.
    NeverLtl,
    /// As `DefinitelyLtl`, but a "no" is a violation.
    AlwaysLtl,
}

impl PatternModality {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::PossiblySequence,
        Self::NeverSequence,
        Self::PossiblyLtl,
        Self::DefinitelyLtl,
        Self::NeverLtl,
        Self::AlwaysLtl,
    ];

    /// Whether a "no" is a violation.
    pub fn is_requirement(self) -> bool {
        matches!(self, Self::NeverSequence | Self::NeverLtl | Self::AlwaysLtl)
    }

    /// What a verdict means for the user: a "no" to a mere question is not a violation.
    pub fn judgement(self, verdict: mazurka_core::Verdict) -> mazurka_core::Verdict {
        match verdict {
            mazurka_core::Verdict::Violated if !self.is_requirement() => mazurka_core::Verdict::Holds,
            verdict => verdict,
        }
    }

    /// Whether a history that is found makes the answer "yes".
    pub(super) fn seeks_example(self) -> bool {
        matches!(self, Self::PossiblySequence | Self::PossiblyLtl)
    }

    /// Whether it is about all histories: what is searched for violates the formula.
    fn is_universal(self) -> bool {
        matches!(self, Self::DefinitelyLtl | Self::AlwaysLtl)
    }
}

impl fmt::Display for PatternModality {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::PossiblySequence => "possibly-sequence",
            Self::NeverSequence => "never-sequence",
            Self::PossiblyLtl => "possibly-ltl",
            Self::DefinitelyLtl => "definitely-ltl",
            Self::NeverLtl => "never-ltl",
            Self::AlwaysLtl => "always-ltl",
        })
    }
}

/// A question about the orders in which a run could have happened.
#[derive(Clone, Debug)]
pub struct Pattern {
    modality: PatternModality,
    kind: Kind,
    /// The formula over the conditions; of a sequence, what it says as a formula.
    formula: Formula,
    /// The conditions, as combinations of predicates.
    conditions: Vec<Formula>,
}

#[derive(Clone, Debug)]
pub(super) enum Kind {
    Sequence(Vec<Predicate>),
    Formula(SltlFormula),
}

/// Why there is no answer to a question about orders.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
#[non_exhaustive]
pub struct PatternError {
    /// What is wrong.
    pub message: String,
    /// Where: in which of the texts that were given, and there.
    pub place: Option<(usize, Range<usize>)>,
    /// What to do about it.
    pub hint: Option<String>,
    /// If a condition has no value in a global state: the event whose value is to blame, if one is, and the state.
    pub undefined: Option<(Option<Event>, Vec<u32>)>,
}

impl PatternError {
    pub(super) fn general(message: String) -> Self {
        Self {
            message,
            place: None,
            hint: None,
            undefined: None,
        }
    }

    fn of_formula(error: SltlError) -> Self {
        Self {
            place: Some((0, error.span)),
            hint: error.hint,
            ..Self::general(error.message)
        }
    }

    fn of_predicate(errors: &PredicateErrors, text: usize, at: usize) -> Self {
        match errors.errors.first() {
            None => Self::general(errors.to_string()),
            Some(first) => Self {
                place: Some((text, first.span.start + at..first.span.end + at)),
                hint: first.hint.clone(),
                ..Self::general(first.message.clone())
            },
        }
    }
}

/// A condition bound to a run.
#[derive(Debug)]
pub(super) struct Proposition {
    pub(super) formula: predicate::Formula,
    /// For each atom, which of the texts it is in, and where its predicate begins there.
    origins: Vec<(usize, usize)>,
}

impl Pattern {
    /// Asks about a sequence of conditions.
    ///
    /// # Errors
    /// If one of them is wrong, or there are none or too many.
    pub fn sequence(modality: PatternModality, parts: &[String]) -> Result<Self, PatternError> {
        if parts.is_empty() || parts.len() > LONGEST_SEQUENCE {
            let message = format!("a sequence has from 1 to {LONGEST_SEQUENCE} parts");
            return Err(PatternError::general(message));
        }
        let mut predicates = Vec::new();
        for (k, text) in parts.iter().enumerate() {
            let predicate = Predicate::parse(text);
            predicates.push(predicate.map_err(|errors| PatternError::of_predicate(&errors, k, 0))?);
        }
        let atom = |k: usize| Formula::Atom(AtomId(short(k)));
        let last = Formula::Eventually(Box::new(atom(parts.len() - 1)));
        let formula = (0..parts.len() - 1).rev().fold(last, |rest, k| {
            Formula::Eventually(Box::new(Formula::And(Box::new(atom(k)), Box::new(rest))))
        });
        Ok(Self {
            modality,
            formula,
            conditions: (0..parts.len()).map(atom).collect(),
            kind: Kind::Sequence(predicates),
        })
    }

    /// Asks about a formula.
    ///
    /// # Errors
    /// If it is wrong, or it has a snapshot.
    pub fn ltl(modality: PatternModality, text: &str) -> Result<Self, PatternError> {
        let formula = SltlFormula::parse(text).map_err(PatternError::of_formula)?;
        if formula.has_snapshots() {
            let at = text.find("snapshot").unwrap_or(0);
            return Err(PatternError {
                place: Some((0, at..at + "snapshot".len())),
                hint: Some(
                    "all orders of the events are considered here, so a condition needs no `snapshot(…)`".to_owned(),
                ),
                ..PatternError::general(format!("`--{modality}` is for formulas without snapshots"))
            });
        }
        let mut conditions = Vec::new();
        let over = over_conditions(formula.formula(), &mut conditions);
        if conditions.len() > MOST_CONDITIONS {
            let message = format!("the formula has more than {MOST_CONDITIONS} conditions");
            return Err(PatternError::general(message));
        }
        Ok(Self {
            modality,
            formula: over,
            conditions,
            kind: Kind::Formula(formula),
        })
    }

    /// What is asked about it.
    pub fn modality(&self) -> PatternModality {
        self.modality
    }

    /// The formula, or the parts of the sequence, as they were written.
    pub fn texts(&self) -> Vec<&str> {
        match &self.kind {
            Kind::Sequence(parts) => parts.iter().map(Predicate::text).collect(),
            Kind::Formula(formula) => vec![formula.text()],
        }
    }

    /// As one text: the parts of a sequence are joined by `; `.
    pub fn text(&self) -> String {
        self.texts().join("; ")
    }

    /// The names of all variables that it may read.
    pub fn variables(&self) -> BTreeSet<String> {
        match &self.kind {
            Kind::Sequence(parts) => parts.iter().flat_map(Predicate::variables).collect(),
            Kind::Formula(formula) => formula.variables(),
        }
    }

    /// The variables that it reads from processes that it names.
    pub fn named_reads(&self) -> BTreeSet<(String, String)> {
        match &self.kind {
            Kind::Sequence(parts) => parts.iter().flat_map(Predicate::named_reads).collect(),
            Kind::Formula(formula) => formula.named_reads(),
        }
    }

    pub(super) fn kind(&self) -> &Kind {
        &self.kind
    }

    /// The formula that a history is searched for that satisfies it.
    pub(super) fn searched(&self) -> Formula {
        match self.modality.is_universal() {
            true => self.formula.clone().negated(),
            false => self.formula.clone(),
        }
    }

    /// The predicates, with the text that each is in and its place there.
    fn predicates(&self) -> Vec<(&Predicate, usize, usize)> {
        match &self.kind {
            Kind::Sequence(parts) => parts.iter().enumerate().map(|(k, part)| (part, k, 0)).collect(),
            Kind::Formula(formula) => formula.predicates().map(|(predicate, at)| (predicate, 0, at)).collect(),
        }
    }

    /// Its conditions, bound to a run.
    pub(super) fn propositions(
        &self,
        computation: &Computation,
        stop: Option<&AtomicBool>,
    ) -> Result<Vec<Proposition>, PatternError> {
        let assigned = |_: ProcessId, variable: &str| computation.variable(variable).is_some();
        let mut bound = Vec::new();
        for (predicate, text, at) in self.predicates() {
            let formula = predicate.bind_until(computation.names(), computation.variables(), &assigned, stop);
            let formula = formula.map_err(|errors| PatternError::of_predicate(&errors, text, at))?;
            let origins = vec![(text, at); formula.atoms.len()];
            bound.push(Proposition { formula, origins });
        }
        Ok(self
            .conditions
            .iter()
            .map(|condition| combined(condition, &bound))
            .collect())
    }
}

impl Proposition {
    /// The error that it has no value in a global state.
    pub(super) fn undefined(&self, computation: &Computation, cut: Vec<u32>) -> PatternError {
        let Err((atom, error)) = crate::detection::truth(computation, &self.formula, &cut) else {
            return PatternError::general(
                "internal error: a condition without a value has one (please report it)".into(),
            );
        };
        let (text, at) = self.origins[atom];
        let read = error.read.and_then(|read| self.formula.atoms[atom].reads.get(read));
        PatternError {
            place: Some((text, error.span.start + at..error.span.end + at)),
            undefined: Some((read.map(|read| undefined_record(computation, read, &cut)), cut)),
            ..PatternError::general(error.message)
        }
    }
}

/// A formula over conditions instead of predicates: what is between the temporal operators becomes one condition, so
/// that events are seen only if they change all of it.
fn over_conditions(formula: &Formula, conditions: &mut Vec<Formula>) -> Formula {
    use Formula::*;
    if is_state(formula) && !matches!(formula, True | False) {
        let known = conditions.iter().position(|other| other == formula);
        return Atom(AtomId(short(known.unwrap_or_else(|| {
            conditions.push(formula.clone());
            conditions.len() - 1
        }))));
    }
    let mut go = |f: &Formula| Box::new(over_conditions(f, conditions));
    match formula {
        True | False | Atom(_) => formula.clone(),
        Not(f) => Not(go(f)),
        Next(f) => Next(go(f)),
        Eventually(f) => Eventually(go(f)),
        Always(f) => Always(go(f)),
        And(f, g) => And(go(f), go(g)),
        Or(f, g) => Or(go(f), go(g)),
        Implies(f, g) => Implies(go(f), go(g)),
        Equivalent(f, g) => Equivalent(go(f), go(g)),
        Until(f, g) => Until(go(f), go(g)),
        Release(f, g) => Release(go(f), go(g)),
        WeakUntil(f, g) => WeakUntil(go(f), go(g)),
    }
}

/// Whether a formula is about one state, and no larger in negation normal form.
fn is_state(formula: &Formula) -> bool {
    use Formula::*;
    match formula {
        True | False | Atom(_) => true,
        Not(f) => is_state(f),
        And(f, g) | Or(f, g) | Implies(f, g) => is_state(f) && is_state(g),
        _ => false,
    }
}

/// A combination of bound predicates as one.
fn combined(condition: &Formula, bound: &[Proposition]) -> Proposition {
    use Formula::*;
    let join = |f: Proposition, g: Proposition, and: bool| Proposition {
        formula: f.formula.joined(g.formula, and),
        origins: [f.origins, g.origins].concat(),
    };
    let not = |f: Proposition| Proposition {
        formula: f.formula.negated(),
        ..f
    };
    let constant = |truth: bool| Proposition {
        formula: predicate::Formula::constant(truth),
        origins: Vec::new(),
    };
    match condition {
        Atom(k) => {
            let Proposition { formula, origins } = &bound[k.0 as usize];
            Proposition {
                formula: formula.clone(),
                origins: origins.clone(),
            }
        }
        Not(f) => not(combined(f, bound)),
        And(f, g) => join(combined(f, bound), combined(g, bound), true),
        Or(f, g) => join(combined(f, bound), combined(g, bound), false),
        Implies(f, g) => join(not(combined(f, bound)), combined(g, bound), false),
        True => constant(true),
        // `is_state` lets nothing else through.
        _ => constant(false),
    }
}
