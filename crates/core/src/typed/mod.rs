//! Models with states and actions of the user's own types.
//!
//! [`Model`] is the trait to implement: an initial state, the actions that can happen, and their effects. The adapter
//! [`Typed`] makes it a [`System`](crate::System), so that every search and every store of this crate works on it.
//! [`Search`] asks the usual questions (deadlocks, [`always`](Search::always), [`sometimes`](Search::sometimes),
//! [`eventually`](Search::eventually)) with closures over states, and answers with typed [`Run`]s.
//!
//! **States** are bytes for the engine, like those of any other system. [`Encode`] writes them and reads them back exactly;
//! [its module](Encode) says why it is a trait and not a hash or a table of ids.
//!
//! **Dependency** is optional. Without it, every action depends on every other, and nothing is left out. A model that also
//! implements [`Footprint`] says which parts of the state its actions read and write. Two actions
//! are then independent if neither writes what the other touches. That is a valid dependency relation (thesis, Def. 3.1) if
//! the footprints are true, and [`Search::audit`] checks Def. 3.1 itself on every reachable state. The relation is the same in all
//! states, so it is weakly uniform (Def. 6.6), and all combinations of persistent sets, sleep sets and provisos are
//! open to it.
//!
//! **Properties** of states, unlike deadlocks, can depend on the order of independent actions. So a search that leaves out
//! actions has to know which parts a property reads ([`Search::reading`]). Where it leaves something out, the actions that it
//! explores do not write these parts (thesis 7.3, visible transitions). A property without this statement may read everything.

mod answers;
mod audit;
mod encode;
mod eventually;
mod footprint;
mod knowledge;
mod outcome;
mod property;
mod search;
mod selection;
mod system;
mod table;

pub use audit::{Audit, Mistake};
pub use encode::Encode;
#[doc(hidden)]
pub use encode::{all_of, one_of};
pub use footprint::{Footprint, Obstacles, Parts};
pub use knowledge::{Knowledge, Nothing};
pub use outcome::{Answer, Deadlock, Findings, Run, SearchError};
pub use property::PropertyKind;
pub use search::Search;
pub use system::Typed;
pub use table::Footprints;

use std::fmt;
use std::hash::Hash;

/// A system in the user's own types.
///
/// ```
/// use mazurka_core::typed::{Model, Search};
/// use mazurka_core::Verdict;
///
/// /// Two processes increment a counter, without a lock: read, then write.
/// struct Increments;
///
/// mazurka_core::encode! {
///     #[derive(Clone, Debug)]
///     struct State { counter: u8, read: [Option<u8>; 2], done: [bool; 2] }
/// }
///
/// #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
/// enum Action { Read(usize), Write(usize) }
///
/// impl Model for Increments {
///     type State = State;
///     type Action = Action;
///
///     fn initial(&self) -> State {
///         State { counter: 0, read: [None; 2], done: [false; 2] }
///     }
///
///     fn actions(&self, state: &State, actions: &mut Vec<Action>) {
///         for i in 0..2 {
///             match state.read[i] {
///                 None => actions.push(Action::Read(i)),
///                 Some(_) if !state.done[i] => actions.push(Action::Write(i)),
///                 Some(_) => {}
///             }
///         }
///     }
///
///     fn apply(&self, state: &mut State, action: Action) {
///         match action {
///             Action::Read(i) => state.read[i] = Some(state.counter),
///             Action::Write(i) => {
///                 state.counter = state.read[i].expect("it has read") + 1;
///                 state.done[i] = true;
///             }
///         }
///     }
///
///     fn may_end(&self, state: &State) -> bool {
///         state.done == [true; 2]
///     }
/// }
///
/// let outcome = Search::new(&Increments)
///     .always("nothing is lost", |s: &State| s.done != [true; 2] || s.counter == 2)
///     .run()?;
/// assert_eq!(outcome.verdict, Verdict::Violated);
/// let run = outcome.properties[0].run.as_ref().expect("there is a counterexample");
/// assert_eq!(run.steps.len(), 4);
/// assert_eq!(run.last().counter, 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// The methods are functions: their results depend on their arguments alone. To have several initial states, begin with a
/// state whose actions choose one.
pub trait Model: Sync {
    /// A state. [`encode!`](crate::encode) makes a type one that can be stored.
    type State: Encode + Clone + fmt::Debug;

    /// Something that can happen. Two actions are the same iff they are equal, in whatever state.
    type Action: Copy + Eq + Hash + fmt::Debug;

    /// The initial state.
    fn initial(&self) -> Self::State;

    /// Appends the actions that can happen in `state`, each once.
    fn actions(&self, state: &Self::State, actions: &mut Vec<Self::Action>);

    /// Makes `state` the state after `action`, which can happen there.
    fn apply(&self, state: &mut Self::State, action: Self::Action);

    /// Whether the model may end in `state`, where nothing can happen. If not, the state is a deadlock.
    fn may_end(&self, _state: &Self::State) -> bool {
        false
    }
}
