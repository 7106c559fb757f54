//! Verification: properties, options of the search, results.
//!
//! [`check`] checks one property, a [`Session`] several. [`Checked`] holds the results as plain data for reports.

mod causes;
mod checked;
mod claim;
mod conjuncts;
mod engines;
mod exchange;
mod findings;
mod graph;
mod invariant;
mod joint_sets;
mod liveness;
mod matters;
mod measure;
mod options;
mod product;
mod property;
mod reduced;
mod replay;
mod safety;
mod same;
mod session;
mod sets;
mod shorten;
mod shorten_cycle;
mod shortest;
mod snapshot;
mod step_id;
mod stutter;
mod trial;

pub use crate::reduce::{PersistentAlgorithm, UnknownAlgorithm};
pub use checked::{
    Checked, Exchange, ExchangeKind, Kind, MissingSnapshot, PropertyFindings, PropertyResult, ReductionUsed, ShownStep,
    SnapshotFinding, SnapshotOutcome, Trial, Unreached, Untrue, Violation, ViolationKind,
};
pub use engines::{EngineDifference, EnginesCompared, NATIVE_SHAPES, compare_engines};
pub use graph::{EdgeLabelId, GraphEdge, GraphError, StateGraph, StateKind, graph};
pub use mazurka_core::{Reduction, Verdict};
pub use measure::{Measured, measure};
pub use options::{Engine, Options, SnapshotMethod};
pub use property::Property;
pub use session::{Companion, Question, Session};
pub use sets::{SetDifference, SetsCompared, compare_sets};
pub use step_id::StepId;

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

/// Why a property cannot be checked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CheckError {
    /// A limit was reached before the search began.
    #[error("{0}")]
    Limit(Limit),
    /// The initial state cannot be computed.
    #[error("the initial state cannot be computed: {0}")]
    Start(RuntimeError),
    /// The options of the search do not fit together.
    #[error(transparent)]
    Unsupported(#[from] Unsupported),
    /// The automaton of a formula is too large.
    #[error(transparent)]
    Formula(#[from] BuchiError),
    /// The search cannot be reduced as requested.
    #[error("{0}")]
    NotReducible(String),
    /// The model has no claim.
    #[error("the model has no `never` claim")]
    NoNever,
    /// There are more processes than weak fairness supports.
    #[error("weak fairness is supported for at most {0} processes")]
    TooManyForFairness(usize),
    /// A snapshot that cannot be checked, with its place in the formula.
    #[error("{0}")]
    Snapshot(Box<Diagnostic>),
    /// A process stays inside an `atomic` for ever, where formulas and claims do not observe it.
    #[error("line {0}: an execution stays inside `atomic` for ever, where formulas and claims do not observe it")]
    EndlessAtomic(u32),
    /// A counterexample could not be replayed. This is a bug in this library; please report it.
    #[error("internal error: the plain interpreter cannot replay a counterexample")]
    Replay,
}

/// Checks a property of a model.
///
/// ```
/// use mazurka_promela::verify::{self, Property, Verdict, ViolationKind};
/// use mazurka_promela::{Options, load};
///
/// let text = "byte x; active [2] proctype P() { byte t; t = x; x = t + 1; assert(x == t + 1) }";
/// let model = load("counter.pml", text, &Options::default())?.model;
/// let result = verify::check(&model, &Property::Safety, &verify::Options::default())?;
/// assert_eq!(result.verdict, Verdict::Violated);
/// assert_eq!(result.found.violations[0].kind, ViolationKind::Assertion);
/// assert_eq!(result.found.violations[0].steps.len(), 5);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If the model cannot start, or the options do not fit together.
pub fn check(model: &Model, property: &Property, options: &Options<'_>) -> Result<PropertyResult, CheckError> {
    let wanted = |errors, deadlocks| Wanted { errors, deadlocks };
    // The limits apply to preparing, searching and replaying together.
    let limits = options.limits.from_now();
    let options = &Options { limits, ..*options };
    match property {
        Property::Safety => safety::check(model, property.name(), wanted(true, true), options),
        Property::Assertions => safety::check(model, property.name(), wanted(true, false), options),
        Property::Deadlock => safety::check(model, property.name(), wanted(false, true), options),
        Property::Ltl(ltl) if !ltl.snapshots.is_empty() => snapshot::check(model, ltl, options),
        Property::Ltl(ltl) => conjuncts::check(model, ltl, options),
        Property::Never => liveness::check_never(model, options),
        Property::Progress => liveness::check(
            model,
            Forbidden {
                name: property.name().to_owned(),
                kind: Kind::Progress,
                violation: ViolationKind::NonProgressCycle,
                message: "an execution runs for ever without progress".to_string(),
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

/// Removes variables that are not read, and values that are not read any more.
fn forget(compiled: &mut Compiled, options: &Options<'_>) {
    if options.reduction == Reduction::None && !options.merge {
        return compiled.forget_hidden();
    }
    compiled.forget_unread();
    compiled.forget_dead();
}

/// Merges steps that the property cannot tell apart from one.
fn merge(compiled: &mut Compiled, options: &Options<'_>) {
    if options.merge {
        compiled.merge();
    }
}

/// A system as the chosen engine executes it.
fn executed<'p>(system: ModelSystem<'p>, options: &Options<'_>) -> ModelSystem<'p> {
    match options.engine {
        Engine::Native => system.natively(),
        Engine::Interpreter => system,
    }
}

/// Searches a model. The observer is a trait object, so that the search is compiled once and not for
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
        "no reduction: the model uses {reason}, so every step may affect every process"
    ))
}

/// A feature of the model that lets every step affect every process, if it has one.
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
