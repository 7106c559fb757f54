//! Provisos: do not ignore a process for ever (thesis, ch. 6).
//!
//! Persistent sets alone find every deadlock, but may go round a cycle of one
//! process and never look at another (the ignoring problem, Example 6.1). A
//! proviso forbids that; the reduced state space is then a trace automaton
//! (Thm 6.12, Thm 6.16), on which safety properties can be checked.
//!
//! The depth-first search asks every proviso the same questions. The proviso is chosen at run time: it is asked once for
//! each state, so a search compiled for each proviso would gain nothing.

use super::frugal;
use super::open_states::OpenStates;
use super::strategy::ProvisoKind;
use crate::bitset;
use crate::ids::StateId;
use crate::narrow;
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use std::hash::Hash;

/// The proviso of a depth-first search.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "a search has one")]
pub(crate) enum Proviso<T> {
    /// No proviso: enough for deadlocks.
    None,
    /// Definition 6.2: the persistent set has a member that is not asleep and does
    /// not lead to the current path, or it is all that is enabled.
    Stack,
    /// Definition 6.15.
    Component(ComponentProviso<T>),
}

impl<T: Copy + Eq + Hash> Proviso<T> {
    /// Says whether the store reuses ids.
    pub(crate) fn new(kind: ProvisoKind, reused: bool) -> Self {
        match kind {
            ProvisoKind::None => Self::None,
            ProvisoKind::Stack => Self::Stack,
            ProvisoKind::Component => Self::Component(ComponentProviso::new(reused)),
        }
    }

    /// Whether a persistent set needs a member that is awake and does not lead
    /// back to the current path (Def. 6.2).
    pub(crate) fn leaves_stack(&self) -> bool {
        matches!(self, Self::Stack)
    }

    /// Whether it looks at components, and has to know what was executed in a state.
    pub(crate) fn looks_at_components(&self) -> bool {
        matches!(self, Self::Component(_))
    }

    /// A state is entered for the first time.
    #[inline]
    pub(crate) fn enter(&mut self, id: StateId, suspended: bool) {
        if let Self::Component(components) = self {
            components.enter(id, suspended);
        }
    }

    /// A transition is executed in the state on top of the path.
    #[inline]
    pub(crate) fn execute(&mut self, t: T) {
        if let Self::Component(components) = self {
            components.execute(t);
        }
    }

    /// A transition from the state on top of the path leads to `to`, which is stored already. `path` has the states of
    /// the current path, the last one first.
    #[inline]
    pub(crate) fn known_edge(&mut self, to: StateId, path: impl Iterator<Item = StateId>) {
        if let Self::Component(components) = self {
            components.known_edge(to, path);
        }
    }

    /// Before `id`, which is on top of the path, is left: whether something that is enabled there and was not executed may have
    /// to be looked at.
    #[inline]
    pub(crate) fn may_miss(&self, id: StateId) -> bool {
        match self {
            Self::Component(components) => components.may_miss(id),
            Self::None | Self::Stack => false,
        }
    }

    /// If that is so, with what is enabled there and the positions of what was executed there: makes `missing` the
    /// positions that must still be looked at, and answers whether there are any.
    pub(crate) fn missing(&self, id: StateId, enabled: &[T], executed: &[u64], missing: &mut [u64]) -> bool {
        match self {
            Self::Component(components) => components.missing(id, enabled, executed, missing),
            Self::None | Self::Stack => false,
        }
    }

    /// `id`, which is on top of the path, is left for good. Calls `release` with the states that nothing depends on any more.
    #[inline]
    pub(crate) fn leave(&mut self, id: StateId, mut release: impl FnMut(StateId)) {
        match self {
            Self::Component(components) => components.leave(id, release),
            Self::None | Self::Stack => release(id),
        }
    }

    /// Bytes of memory held.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Self::Component(components) => components.bytes(),
            Self::None | Self::Stack => 0,
        }
    }
}

/// Definition 6.15 (Valmari): when the root of a terminal strongly connected
/// component is left, whatever is enabled there and was executed nowhere in the
/// component is looked at after all.
///
/// A transition that is enabled in one state of such a component and never
/// executed in it is independent of everything that was, so it is enabled in all
/// of them: looking at the root is enough.
///
/// Components are found as in [`components.rs`](super::components): the path goes through all open ones, and what was
/// executed in each of them lies in the same order, so that merging components costs nothing.
///
/// If others are [suspended](crate::System::is_suspended) in the root, what was ignored does not show there. Some transition
/// leads back to that root. On the path to it, the last state in which nobody is suspended belongs
/// to the component, since no cycle consists of suspended states. In that state everything is explored.
#[derive(Debug)]
pub(crate) struct ComponentProviso<T> {
    open: OpenStates,
    /// The open components.
    roots: Vec<Root>,
    /// Per state: whether others are suspended there, and whether everything must be explored. Shorter if there are no more.
    suspended: Vec<u64>,
    in_full: Vec<u64>,
    /// What was executed in each open component, by the numbers of transitions. Few occur twice.
    executed: Vec<u32>,
    numbers: HashMap<T, u32, FixedState>,
    /// Per transition: where it was last put in `executed`. It may be gone from there.
    put_at: Vec<u32>,
}

#[derive(Debug)]
struct Root {
    number: u32,
    /// Where what was executed in the component begins, and [`LEADS_OUT`].
    executed: u32,
}

/// Set if something leaves the component.
const LEADS_OUT: u32 = 1 << 31;

impl Root {
    #[inline]
    fn leads_out(&self) -> bool {
        self.executed & LEADS_OUT != 0
    }

    #[inline]
    fn executed(&self) -> usize {
        (self.executed & !LEADS_OUT) as usize
    }
}

impl<T: Copy + Eq + Hash> ComponentProviso<T> {
    fn new(reused: bool) -> Self {
        Self {
            open: OpenStates::new(reused),
            roots: Vec::new(),
            suspended: Vec::new(),
            in_full: Vec::new(),
            executed: Vec::new(),
            numbers: HashMap::default(),
            put_at: Vec::new(),
        }
    }

    /// The component on top, if the state is its root.
    #[inline]
    fn rooted_in(&self, id: StateId) -> Option<&Root> {
        let top = self.roots.last()?;
        (self.open.number(id) == Some(top.number)).then_some(top)
    }

    #[inline]
    fn enter(&mut self, id: StateId, suspended: bool) {
        if suspended {
            bitset::insert_growing(&mut self.suspended, id.index());
        }
        let executed = narrow::short(self.executed.len());
        assert!(
            executed < LEADS_OUT,
            "fewer than 2^31 executed transitions in open components"
        );
        let number = self.open.enter(id);
        frugal::push(&mut self.roots, Root { number, executed });
    }

    #[inline]
    fn execute(&mut self, t: T) {
        let next = narrow::short(self.numbers.len());
        let number = *self.numbers.entry(t).or_insert(next);
        if number == next {
            self.put_at.push(0);
        }
        let from = self.roots.last().map_or(0, Root::executed);
        let at = &mut self.put_at[number as usize];
        if *at as usize >= from && self.executed.get(*at as usize) == Some(&number) {
            return;
        }
        *at = narrow::short(self.executed.len());
        frugal::push(&mut self.executed, number);
        // Merged components may have had the same ones.
        if self.executed.len() - from > 2 * self.numbers.len() {
            self.keep_one_of_each(from);
        }
    }

    #[cold]
    fn keep_one_of_each(&mut self, from: usize) {
        self.executed[from..].sort_unstable();
        let mut end = from;
        for k in from..self.executed.len() {
            if end == from || self.executed[end - 1] != self.executed[k] {
                self.executed[end] = self.executed[k];
                self.put_at[self.executed[k] as usize] = narrow::short(end);
                end += 1;
            }
        }
        self.executed.truncate(end);
    }

    #[inline]
    fn known_edge(&mut self, to: StateId, mut path: impl Iterator<Item = StateId>) {
        match self.open.number(to) {
            Some(number) => {
                let mut leads_out = 0;
                while let Some(root) = self.roots.pop_if(|root| root.number > number) {
                    leads_out |= root.executed & LEADS_OUT;
                }
                self.roots.last_mut().expect("the first state is a root").executed |= leads_out;
                if bitset::contains_growing(&self.suspended, to.index())
                    && let Some(last) = path.find(|id| !bitset::contains_growing(&self.suspended, id.index()))
                {
                    bitset::insert_growing(&mut self.in_full, last.index());
                }
            }
            None => self.roots.last_mut().expect("the path is not empty").executed |= LEADS_OUT,
        }
    }

    #[inline]
    fn may_miss(&self, id: StateId) -> bool {
        bitset::contains_growing(&self.in_full, id.index())
            || self.rooted_in(id).is_some_and(|component| !component.leads_out())
    }

    fn missing(&self, id: StateId, enabled: &[T], executed: &[u64], missing: &mut [u64]) -> bool {
        missing.fill(0);
        let elsewhere = match bitset::contains_growing(&self.in_full, id.index()) {
            true => &[],
            false => match self.rooted_in(id) {
                Some(component) if !component.leads_out() => &self.executed[component.executed()..],
                _ => return false,
            },
        };
        for (k, t) in enabled.iter().enumerate() {
            let elsewhere = || self.numbers.get(t).is_some_and(|number| elsewhere.contains(number));
            if !bitset::contains(executed, k) && !elsewhere() {
                bitset::insert(missing, k);
            }
        }
        !bitset::is_empty(missing)
    }

    #[inline]
    fn leave(&mut self, id: StateId, release: impl FnMut(StateId)) {
        if self.rooted_in(id).is_some()
            && let Some(root) = self.roots.pop()
        {
            self.executed.truncate(root.executed());
            self.open.complete(root.number, release);
            if let Some(below) = self.roots.last_mut() {
                below.executed |= LEADS_OUT;
            }
        }
    }

    fn bytes(&self) -> usize {
        self.open.bytes()
            + self.roots.capacity() * size_of::<Root>()
            + (self.suspended.capacity() + self.in_full.capacity()) * 8
            + (self.executed.capacity() + self.put_at.capacity()) * 4
            + self.numbers.allocation_size()
    }
}
