//! What a search of a typed model found, in the model's own types.

use super::{Model, PropertyKind};
use crate::search::{Statistics, Unsupported, Verdict};
use std::fmt;

/// What a [`Search`](super::Search) found: the field `found` of its [`Outcome`](crate::Outcome).
#[non_exhaustive]
pub struct Findings<M: Model> {
    /// The deadlocks that were found, in the order of the search; all there are, if the search is complete.
    pub deadlocks: Vec<Deadlock<M>>,
    /// How many states were found in which nothing can happen and the model [may end](Model::may_end).
    pub terminations: u64,
    /// The answer to each property, in the order in which they were stated.
    pub properties: Vec<Answer<M>>,
}

impl<M: Model> fmt::Debug for Findings<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Findings")
            .field("deadlocks", &self.deadlocks)
            .field("terminations", &self.terminations)
            .field("properties", &self.properties)
            .finish()
    }
}

/// A state in which nothing can happen and the model may not end.
#[non_exhaustive]
pub struct Deadlock<M: Model> {
    /// The state.
    pub state: M::State,
    /// An execution that leads to it; kept for the first [`Search::witnesses`](super::Search::witnesses).
    pub run: Option<Run<M>>,
}

impl<M: Model> fmt::Debug for Deadlock<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Deadlock")
            .field("state", &self.state)
            .field("run", &self.run)
            .finish()
    }
}

/// The answer to a property.
#[non_exhaustive]
pub struct Answer<M: Model> {
    /// The name of the property.
    pub name: String,
    /// The kind of property.
    pub kind: PropertyKind,
    /// Whether it holds.
    pub verdict: Verdict,
    /// The counterexample, or for `sometimes` an example.
    pub run: Option<Run<M>>,
    /// What the search cost, if the property needed one of its own, as `eventually` does.
    pub statistics: Option<Statistics>,
}

impl<M: Model> fmt::Debug for Answer<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Answer")
            .field("name", &self.name)
            .field("kind", &self.kind)
            .field("verdict", &self.verdict)
            .field("run", &self.run)
            .field("statistics", &self.statistics)
            .finish()
    }
}

/// An execution. It was replayed on values, not on bytes, before it was reported.
///
/// ```
/// # use mazurka_core::typed::{Model, Search};
/// /// Counts down to zero.
/// struct Countdown;
///
/// impl Model for Countdown {
///     type State = u8;
///     type Action = ();
///     fn initial(&self) -> u8 { 2 }
///     fn actions(&self, n: &u8, actions: &mut Vec<()>) { actions.extend((*n > 0).then_some(())) }
///     fn apply(&self, n: &mut u8, (): ()) { *n -= 1 }
/// }
///
/// let outcome = Search::new(&Countdown).run()?;
/// let run = outcome.deadlocks[0].run.as_ref().expect("the first deadlocks have runs");
/// assert_eq!(run.states().collect::<Vec<_>>(), [&2, &1, &0]);
/// assert_eq!((run.last(), run.actions().count()), (&0, 2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Run<M: Model> {
    /// The initial state.
    pub first: M::State,
    /// Each action, and the state after it.
    pub steps: Vec<(M::Action, M::State)>,
    /// For an infinite execution: after the last step, it goes on from the state after this many steps.
    pub back_to: Option<usize>,
}

impl<M: Model> Run<M> {
    pub(super) fn new(first: M::State) -> Self {
        Self {
            first,
            steps: Vec::new(),
            back_to: None,
        }
    }

    /// Every state, the initial one first.
    pub fn states(&self) -> impl DoubleEndedIterator<Item = &M::State> {
        std::iter::once(&self.first).chain(self.steps.iter().map(|(_, state)| state))
    }

    /// The last state.
    pub fn last(&self) -> &M::State {
        self.states().next_back().expect("there is a first")
    }

    /// Every action, in order.
    pub fn actions(&self) -> impl DoubleEndedIterator<Item = M::Action> + '_ {
        self.steps.iter().map(|(action, _)| *action)
    }
}

impl<M: Model> Clone for Run<M> {
    fn clone(&self) -> Self {
        Self {
            first: self.first.clone(),
            steps: self.steps.clone(),
            back_to: self.back_to,
        }
    }
}

impl<M: Model> fmt::Debug for Run<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Run")
            .field("first", &self.first)
            .field("steps", &self.steps)
            .field("back_to", &self.back_to)
            .finish()
    }
}

/// One line for each state, with the action that leads to it.
impl<M: Model> fmt::Display for Run<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.first)?;
        for (action, state) in &self.steps {
            write!(f, "\n  {action:?}\n{state:?}")?;
        }
        match self.back_to {
            Some(0) => write!(f, "\nand so on from the beginning"),
            Some(step) => write!(f, "\nand so on from after step {step}"),
            None => Ok(()),
        }
    }
}

/// Why a search of a typed model has no outcome.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SearchError {
    /// The settings of the search do not fit together.
    #[error(transparent)]
    Unsupported(#[from] Unsupported),
    /// An action can happen that is not in the footprint's alphabet.
    #[error("{action} can happen, but neither it nor its representative is in the alphabet of the model's footprint")]
    NotInAlphabet {
        /// The action.
        action: String,
    },
    /// A run of the search cannot be repeated on the model.
    #[error(
        "step {step}, {action}, does not lead where it led before: `actions` and `apply` must depend on their arguments alone, and `Encode` must keep all of a state"
    )]
    NotRepeatable {
        /// Counted from 1; 0 for the initial state.
        step: usize,
        /// The action.
        action: String,
    },
}

impl SearchError {
    pub(super) fn not_in_alphabet(action: &impl fmt::Debug) -> Self {
        let action = format!("{action:?}");
        Self::NotInAlphabet { action }
    }

    pub(super) fn not_repeatable(step: usize, action: &impl fmt::Debug) -> Self {
        let action = format!("{action:?}");
        Self::NotRepeatable { step, action }
    }
}
