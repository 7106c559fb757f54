//! A typed model as a [`System`].
//!
//! A state is read from its bytes, acted upon in place, and written again. Debug builds check that what is
//! written can be read back, and that no action is listed twice.

use super::encode::Encode;
use super::{Model, Run, SearchError};
use crate::system::{Fault, System};
use std::fmt;

/// A [`Model`] as the searches see it: for [`Strategy`](crate::Strategy), [`CycleSearch`](crate::CycleSearch) and
/// your own observers.
///
/// ```
/// # use mazurka_core::typed::{Model, Typed};
/// # use mazurka_core::{AllDependent, Strategy, System, persistent::AllEnabled};
/// /// Counts to nine and begins again.
/// struct Counter;
///
/// impl Model for Counter {
///     type State = u8;
///     type Action = ();
///     fn initial(&self) -> u8 { 0 }
///     fn actions(&self, _: &u8, actions: &mut Vec<()>) { actions.push(()) }
///     fn apply(&self, state: &mut u8, (): ()) { *state = (*state + 1) % 10 }
/// }
///
/// let system = Typed::new(&Counter);
/// let (statistics, _) = Strategy::default().run(&system, &AllDependent, &mut AllEnabled, &mut ())?;
/// assert_eq!((statistics.states, system.state_len()), (10, Some(1)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Typed<'m, M> {
    model: &'m M,
}

impl<M> fmt::Debug for Typed<'_, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Typed").finish_non_exhaustive()
    }
}

impl<M> Clone for Typed<'_, M> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<M> Copy for Typed<'_, M> {}

impl<'m, M: Model> Typed<'m, M> {
    /// The system of this model.
    pub fn new(model: &'m M) -> Self {
        Self { model }
    }

    /// The model.
    pub fn model(&self) -> &'m M {
        self.model
    }

    /// The state with these bytes.
    ///
    /// # Panics
    /// If they are not the bytes of a state.
    #[inline]
    pub fn decode(&self, mut bytes: &[u8]) -> M::State {
        let state = M::State::decode(&mut bytes);
        assert!(bytes.is_empty(), "a state reads more bytes than it wrote");
        state.expect("a state reads the bytes it wrote")
    }

    /// The bytes of a state, replacing what is in `bytes`.
    #[inline]
    pub fn encode(&self, state: &M::State, bytes: &mut Vec<u8>) {
        bytes.clear();
        state.encode(bytes);
        debug_assert!(
            M::State::LEN.is_none_or(|len| len == bytes.len()),
            "`Encode::LEN` is not the length of {state:?}"
        );
        debug_assert!(
            {
                let mut again = Vec::new();
                self.decode(bytes).encode(&mut again);
                again == *bytes
            },
            "`Encode` does not read back {state:?}"
        );
    }

    /// Executes a path from the initial state on values, without bytes.
    ///
    /// # Errors
    /// If an action cannot happen where the path has it.
    pub fn run(&self, path: &[M::Action]) -> Result<Run<M>, SearchError> {
        let mut state = self.model.initial();
        let (mut run, mut actions) = (Run::new(state.clone()), Vec::new());
        for (k, action) in path.iter().enumerate() {
            actions.clear();
            self.model.actions(&state, &mut actions);
            if !actions.contains(action) {
                return Err(SearchError::not_repeatable(k + 1, action));
            }
            self.model.apply(&mut state, *action);
            run.steps.push((*action, state.clone()));
        }
        Ok(run)
    }
}

/// Whether no action is listed twice.
fn distinct<T: Eq>(actions: &[T]) -> bool {
    (1..actions.len()).all(|k| !actions[..k].contains(&actions[k]))
}

impl<M: Model> System for Typed<'_, M> {
    type Transition = M::Action;
    type Scratch = ();

    fn scratch(&self) {}

    fn initial(&self, state: &mut Vec<u8>) {
        self.encode(&self.model.initial(), state);
    }

    #[inline]
    fn enabled(&self, state: &[u8], out: &mut Vec<M::Action>) {
        let before = out.len();
        self.model.actions(&self.decode(state), out);
        debug_assert!(
            distinct(&out[before..]),
            "an action is listed twice: {:?}",
            &out[before..]
        );
    }

    #[inline]
    fn fire(&self, (): &mut (), state: &[u8], t: M::Action, next: &mut Vec<u8>) -> Result<(), Fault> {
        let mut state = self.decode(state);
        self.model.apply(&mut state, t);
        self.encode(&state, next);
        Ok(())
    }

    fn state_len(&self) -> Option<usize> {
        M::State::LEN
    }
}
