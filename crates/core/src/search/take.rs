//! Taking a transition: what every search does alike.
//!
//! The transition is fired, the state that it leads to is looked up or stored, and the observer is told. What the state
//! means to the search, new or known, is the search's own business.

use super::ahead::Ahead;
use super::observer::{Edge, Observer, Path};
use super::passed::Passed;
use crate::ids::StateId;
use crate::persistent::PersistentSets;
use crate::store::{Store, Stored};
use crate::system::{Passing, System};
use std::ops::ControlFlow;

/// What came of taking a transition.
#[derive(Clone, Copy, Debug)]
pub(super) enum Taken {
    /// It failed, and the observer wants to go on.
    Failed,
    /// It leads to a new state that is too deep to be stored.
    TooDeep,
    /// It leads to a state that was offered to the store.
    Offered(Stored),
}

/// A transition that is about to be taken.
#[derive(Debug)]
pub(super) struct Step<T> {
    /// Where it is enabled.
    pub(super) from: StateId,
    /// Its position among what is enabled there.
    pub(super) position: usize,
    pub(super) transition: T,
    /// Whether it leads beyond the limit on the depth, so that no new state is stored.
    pub(super) too_deep: bool,
}

/// Who searches: a system, room to compute in, and the states that were seen.
pub(super) struct Worker<'a, S: System, H> {
    pub(super) system: &'a S,
    pub(super) scratch: Box<S::Scratch>,
    pub(super) store: H,
    /// The state that a chain begins in, or from which the search looks ahead.
    here: Vec<u8>,
    /// What was fired of the state on top already.
    ahead: Ahead<S>,
    /// How often the first transition from a state has led to a known one lately, up to [`OFTEN`].
    known_first: u32,
    /// Where chains led, if that is kept.
    passed: Option<Passed>,
}

/// So many states in a row, at the most, are looked at before the first transition of a state is expected to lead to a known one.
const OFTEN: u32 = 16;

/// How many states before the end of the path one is that may be asked for soon. Fewer are not enough time to get it from memory.
const SOON: usize = 6;

impl<'a, S: System, H: Store> Worker<'a, S, H> {
    pub(super) fn new(system: &'a S, store: H) -> Self {
        Self {
            system,
            scratch: Box::new(system.scratch()),
            passed: None,
            store,
            here: Vec::new(),
            ahead: Ahead::default(),
            known_first: 0,
        }
    }

    /// Says that another state is on top of the store's path.
    #[inline]
    pub(super) fn moved(&mut self) {
        self.ahead.clear();
    }

    /// Whether it is worth while to [look ahead](Self::look_ahead) now; `begun` says that a transition was taken from the state already.
    ///
    /// If the first one leads to a new state, the search goes on there, and the others were fired in vain.
    #[inline]
    pub(super) fn may_look_ahead(&self, begun: bool) -> bool {
        (begun || self.known_first == OFTEN) && self.ahead.is_empty() && self.store.is_slow()
    }

    /// Says whether the first transition that was taken from a state has led to a new one.
    #[inline]
    pub(super) fn began(&mut self, is_new: bool) {
        self.known_first = match is_new {
            true => self.known_first.saturating_sub(OFTEN / 4),
            false => (self.known_first + 1).min(OFTEN),
        };
    }

    /// Says that the state at the end of this path is left. Those before it will be left soon, too.
    #[inline]
    pub(super) fn will_be_back(&mut self, path: &[StateId]) {
        if self.store.is_slow()
            && let Some(soon) = path.len().checked_sub(SOON)
        {
            self.store.will_be_back_at(path[soon]);
        }
    }

    /// Fires transitions that will be taken next from the state on top of the path.
    pub(super) fn look_ahead(&mut self, from: StateId, transitions: impl Iterator<Item = (usize, S::Transition)>) {
        self.here.clear();
        self.here.extend_from_slice(self.store.top(from));
        self.ahead.fire(self.system, &mut self.store, &self.here, transitions);
    }

    /// Keeps where chains led, unless ids may come to mean other states.
    pub(super) fn keep_passed(&mut self) {
        self.passed = (!self.store.reuses_ids()).then(Passed::default);
    }

    /// Takes a transition from the state with these bytes, or from that on top of the store's path; `path` ends with it.
    /// Makes `after` the state that it leads to. Breaks if the observer has seen enough.
    #[inline]
    pub(super) fn take<O: Observer<S> + ?Sized>(
        &mut self,
        step: &Step<S::Transition>,
        before: Option<&[u8]>,
        after: &mut Vec<u8>,
        observer: &mut O,
        path: &dyn Path<S::Transition>,
    ) -> ControlFlow<(), Taken> {
        let Self {
            system,
            scratch,
            store,
            ahead,
            ..
        } = self;
        let fired = ahead.take(step.position, scratch, after).unwrap_or_else(|| {
            let here = before.unwrap_or_else(|| store.top(step.from));
            system.fire(scratch, here, step.transition, after)
        });
        if let Err(fault) = fired {
            observer.fault(fault, scratch, path)?;
            return ControlFlow::Continue(Taken::Failed);
        }
        self.offer(step, before, after, observer, path)
    }

    /// Takes a transition from the state on top of the store's path, and passes on to a state that was seen before or in which no
    /// transition is a persistent set by itself. Also returns whether `enabled` is what is enabled there.
    #[inline]
    pub(super) fn take_chain<O, P>(
        &mut self,
        step: &Step<S::Transition>,
        sets: &mut P,
        (after, enabled): (&mut Vec<u8>, &mut Vec<S::Transition>),
        observer: &mut O,
        path: &dyn Path<S::Transition>,
    ) -> ControlFlow<(), (Taken, bool)>
    where
        O: Observer<S> + ?Sized,
        P: PersistentSets<S::Transition> + ?Sized,
    {
        let Self {
            system,
            scratch,
            store,
            here,
            passed,
            ..
        } = self;
        here.clear();
        here.extend_from_slice(store.top(step.from));
        if let Some(passed) = passed {
            passed.begin();
        }
        let mut through = Unseen {
            store,
            sets,
            passed: passed.as_mut(),
            end: None,
        };
        let listed = match system.fire_through(scratch, here, step.transition, &mut through, after, enabled) {
            Ok(listed) => listed,
            Err(fault) => {
                observer.fault(fault, scratch, path)?;
                return ControlFlow::Continue((Taken::Failed, false));
            }
        };
        if let Some(end) = through.end {
            if let Some(passed) = &mut self.passed {
                passed.lead_to(end, after, self.store.len());
            }
            let taken = Taken::Offered(Stored::Known(end));
            self.tell(step, None, (taken, after), observer, path)?;
            return ControlFlow::Continue((taken, false));
        }
        let taken = self.offer(step, None, after, observer, path)?;
        if let (Some(passed), Taken::Offered(Stored::New(id) | Stored::Known(id))) = (&mut self.passed, taken) {
            passed.lead_to(id, after, self.store.len());
        }
        ControlFlow::Continue((taken, listed))
    }

    /// Looks up or stores the state that a transition has led to, and tells the observer.
    #[inline]
    fn offer<O: Observer<S> + ?Sized>(
        &mut self,
        step: &Step<S::Transition>,
        before: Option<&[u8]>,
        after: &[u8],
        observer: &mut O,
        path: &dyn Path<S::Transition>,
    ) -> ControlFlow<(), Taken> {
        let taken = if step.too_deep && !self.store.contains(after) {
            Taken::TooDeep
        } else {
            Taken::Offered(self.store.insert(after))
        };
        self.tell(step, before, (taken, after), observer, path)?;
        ControlFlow::Continue(taken)
    }

    /// Tells the observer what came of a transition.
    #[inline]
    fn tell<O: Observer<S> + ?Sized>(
        &self,
        step: &Step<S::Transition>,
        before: Option<&[u8]>,
        (taken, after): (Taken, &[u8]),
        observer: &mut O,
        path: &dyn Path<S::Transition>,
    ) -> ControlFlow<()> {
        let Self { scratch, store, .. } = self;
        let edge = Edge {
            from: step.from,
            before: before.unwrap_or_else(|| store.top(step.from)),
            transition: step.transition,
            position: step.position,
            to: match taken {
                Taken::Offered(Stored::New(id) | Stored::Known(id)) => Some(id),
                _ => None,
            },
            after,
            scratch: &**scratch,
        };
        observer.transition(&edge, path)
    }

    /// Bytes of memory held, with the store's.
    pub(super) fn bytes(&self) -> usize {
        self.store.bytes() + self.passed.as_ref().map_or(0, Passed::bytes)
    }
}

/// Passes through states that were not seen before.
struct Unseen<'a, H, P: ?Sized> {
    store: &'a mut H,
    sets: &'a mut P,
    passed: Option<&'a mut Passed>,
    /// The stored state that another chain has led to from here.
    end: Option<StateId>,
}

impl<T, H: Store, P: PersistentSets<T> + ?Sized> Passing<T> for Unseen<'_, H, P> {
    #[inline]
    fn at_once(&mut self, state: &[u8], last: T) -> Option<T> {
        self.sets.at_once(state, last)
    }

    #[inline]
    fn ends(&mut self, state: &[u8]) -> bool {
        if self.store.contains(state) {
            return true;
        }
        self.end = self.passed.as_mut().and_then(|passed| passed.end(state));
        self.end.is_some()
    }

    #[inline]
    fn single(&mut self, state: &[u8], enabled: &[T], last: T) -> Option<T> {
        self.sets.single(state, enabled, last)
    }
}
