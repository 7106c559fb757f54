//! Verification: which properties, how to search, what came of it.
//!
//! [`check`] answers about one property; [`Checked`] is plain data, which reports show.

mod causes;
mod checked;
mod claim;
mod exchange;
mod graph;
mod liveness;
mod measure;
mod options;
mod product;
mod property;
mod reduced;
mod replay;
mod safety;
mod same;
mod session;
mod snapshot;
mod stutter;

pub use crate::reduce::{PersistentAlgorithm, UnknownAlgorithm};
pub use checked::{
    Checked, Exchange, ExchangeKind, Kind, MissingSnapshot, PropertyFindings, PropertyResult, ReductionUsed, ShownStep,
    SnapshotFinding, SnapshotOutcome, Unreached, Untrue, Violation, ViolationKind,
};
pub use graph::{GraphEdge, GraphError, StateGraph, StateKind, graph};
pub use mazurka_core::{Reduction, Verdict};
pub use measure::{Measured, measure};
pub use options::{Options, SnapshotMethod};
pub use property::Property;
pub use session::{Companion, Question, Session};

use crate::RuntimeError;
use crate::compile::Compiled;
use crate::diagnostic::Diagnostic;
use crate::ir::{Node, Program};
use crate::model::Model;
use crate::reduce::Independence;
use crate::run::Step;
use crate::system::ModelSystem;
use liveness::Forbidden;
use mazurka_core::persistent::PersistentSets;
use mazurka_core::{End, Limit, Observer, Statistics, Strategy, Unsupported};
use mazurka_logic::{AtomId, BuchiError, Formula};
use safety::Wanted;

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CheckError {
    /// A limit was reached before the search began.
    #[error("{0}")]
    Limit(Limit),
    /// The first state cannot be made.
    #[error("the initial state cannot be made: {0}")]
    Start(RuntimeError),
    /// The parts of the search do not fit together.
    #[error(transparent)]
    Unsupported(#[from] Unsupported),
    /// The automaton of a formula is too large.
    #[error(transparent)]
    Formula(#[from] BuchiError),
    /// A search with reduction was asked for that cannot be had.
    #[error("{0}")]
    NotReducible(String),
    /// The model has no claim.
    #[error("the model has no `never` claim")]
    NoNever,
    /// There are acceptance sets for this many processes only.
    #[error("weak fairness is supported for at most {0} processes")]
    TooManyForFairness(usize),
    /// A snapshot that cannot be checked, and where in the formula.
    #[error("{0}")]
    Snapshot(Box<Diagnostic>),
    /// A process stays inside an `atomic` for ever: formulas and claims look at nothing there.
    #[error("line {0}: an execution goes on for ever inside `atomic`, where neither a formula nor a claim looks at it")]
    EndlessAtomic(u32),
    /// A counterexample could not be replayed: a defect of this library. Please report it.
    #[error("internal error: the plain interpreter cannot replay a counterexample")]
    Replay,
}

/// Checks a property of a model.
///
/// # Errors
/// If the model cannot start, or the options do not fit together.
pub fn check(model: &Model, property: &Property, options: &Options<'_>) -> Result<PropertyResult, CheckError> {
    let wanted = |errors, deadlocks| Wanted { errors, deadlocks };
    // Preparing, searching, replaying: all of it together keeps to the limits.
    let limits = options.limits.from_now();
    let options = &Options { limits, ..*options };
    match property {
        Property::Safety => safety::check(model, property.name(), wanted(true, true), options),
        Property::Assertions => safety::check(model, property.name(), wanted(true, false), options),
        Property::Deadlock => safety::check(model, property.name(), wanted(false, true), options),
        Property::Ltl(ltl) if !ltl.snapshots.is_empty() => snapshot::check(model, ltl, options),
        Property::Ltl(ltl) => liveness::check(
            model,
            Forbidden {
                name: ltl.name.clone(),
                kind: Kind::Ltl,
                violation: ViolationKind::AcceptanceCycle,
                message: format!("an execution violates {}", ltl.text),
                formula: ltl.formula.clone().negated(),
                atoms: &ltl.atoms,
                nodes: Vec::new(),
            },
            options,
        ),
        Property::Never => liveness::check_never(model, options),
        Property::Progress => liveness::check(
            model,
            Forbidden {
                name: property.name().to_owned(),
                kind: Kind::Progress,
                violation: ViolationKind::NonProgressCycle,
                message: "an execution goes on for ever without progress".to_string(),
                formula: Formula::Eventually(Box::new(Formula::Always(Box::new(Formula::Atom(AtomId(0)))))),
                atoms: &[],
                nodes: vec![Node::NonProgress],
            },
            options,
        ),
        Property::Acceptance => liveness::check(
            model,
            Forbidden {
                name: property.name().to_owned(),
                kind: Kind::Acceptance,
                violation: ViolationKind::AcceptanceCycle,
                message: "an execution passes through accept labels for ever".to_string(),
                formula: Formula::Always(Box::new(Formula::Eventually(Box::new(Formula::Atom(AtomId(0)))))),
                atoms: &[],
                nodes: vec![Node::Accepting],
            },
            options,
        ),
    }
}

/// Leaves out what nothing reads; of a full search, what is no part of SPIN's states either.
fn forget(compiled: &mut Compiled, options: &Options<'_>) {
    match options.reduction {
        Reduction::None => compiled.forget_hidden(),
        _ => compiled.forget_unread(),
    }
}

/// Searches a model. Whoever looks on is asked through a table, so that the search is compiled once and not for
/// each observer.
fn searched<'p>(
    strategy: &Strategy<'_>,
    system: &ModelSystem<'p>,
    independence: &Independence<'p>,
    sets: &mut dyn PersistentSets<Step>,
    observer: &mut dyn Observer<ModelSystem<'p>>,
) -> Result<(Statistics, End), Unsupported> {
    strategy.run(system, independence, sets, observer)
}

/// Why a model cannot be reduced, if it cannot.
fn why_unreduced(program: &Program) -> Option<String> {
    let reason = concerns_all(program)?;
    Some(format!(
        "no reduction: the model uses {reason}, where every step may matter to every process"
    ))
}

/// What a model uses where every step may matter to every process.
fn concerns_all(program: &Program) -> Option<&'static str> {
    let features = program.features;
    let reasons = [
        (features.priority, "priorities"),
        (features.provided, "`provided`"),
        (features.introspection, "`enabled`"),
        (features.last, "`_last`"),
        (features.non_progress, "`np_`"),
    ];
    reasons.iter().find(|(used, _)| *used).map(|(_, reason)| *reason)
}
