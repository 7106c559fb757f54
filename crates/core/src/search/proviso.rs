//! Provisos: do not ignore a process for ever (thesis, ch. 6).
//!
//! Persistent sets alone find every deadlock, but may go round a cycle of one
//! process and never look at another (the ignoring problem, Example 6.1). A
//! proviso forbids that; the reduced state space is then a trace automaton
//! (Thm 6.12, Thm 6.16), on which safety properties can be checked.
//!
//! The depth-first search asks every proviso the same questions. The proviso is chosen at run time: it is asked once for
//! each state, so a search compiled for each proviso would gain nothing.

use super::strategy::ProvisoKind;
use crate::bitset;
use crate::ids::StateId;
use crate::narrow;

/// The proviso of a depth-first search.
#[derive(Debug)]
pub(crate) enum Proviso<T> {
    /// No proviso: enough for deadlocks.
    None,
    /// Definition 6.2: the persistent set has a member that is not asleep and does
    /// not lead to the current path, or it is all that is enabled.
    Stack,
    /// Definition 6.15.
    Component(ComponentProviso<T>),
}

impl<T: Copy + Eq> Proviso<T> {
    pub(crate) fn new(kind: ProvisoKind) -> Self {
        match kind {
            ProvisoKind::None => Self::None,
            ProvisoKind::Stack => Self::Stack,
            ProvisoKind::Component => Self::Component(ComponentProviso::default()),
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

    /// A transition from `from` leads to `to`, which is stored already. `path` has the states of the current path, the last one
    /// first.
    #[inline]
    pub(crate) fn known_edge(&mut self, from: StateId, to: StateId, path: impl Iterator<Item = StateId>) {
        if let Self::Component(components) = self {
            components.known_edge(from, to, path);
        }
    }

    /// Before `id` is left, with what is enabled there and the positions of what
    /// was executed: makes `missing` the positions that must still be looked at,
    /// and answers whether there are any.
    pub(crate) fn missing(&mut self, id: StateId, enabled: &[T], executed: &[u64], missing: &mut [u64]) -> bool {
        match self {
            Self::Component(components) => components.missing(id, enabled, executed, missing),
            Self::None | Self::Stack => false,
        }
    }

    /// `id` is left for good; `parent` is below it on the path. Calls `release`
    /// with the states that nothing depends on any more.
    #[inline]
    pub(crate) fn leave(
        &mut self,
        id: StateId,
        parent: Option<StateId>,
        enabled: &[T],
        executed: &[u64],
        mut release: impl FnMut(StateId),
    ) {
        match self {
            Self::Component(components) => components.leave(id, parent, enabled, executed, release),
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
/// of them: looking at the root is enough. Components are found as Tarjan does.
///
/// If others are [suspended](crate::System::is_suspended) in the root, what was ignored does not show there. Some transition
/// leads back to that root. On the path to it, the last state in which nobody is suspended belongs
/// to the component, since no cycle consists of suspended states. In that state everything is explored.
#[derive(Debug)]
pub(crate) struct ComponentProviso<T> {
    /// Per state: one more than its place in `open`, or 0 if it is not there, and
    /// its low-link. Only the order of open states matters, so places will do.
    number: Vec<u32>,
    low: Vec<u32>,
    /// Per state on the path: whether something leaves its component.
    leads_out: Vec<bool>,
    /// Per state: whether others are suspended there, and whether everything must be explored. Shorter if there are no more.
    suspended: Vec<bool>,
    in_full: Vec<bool>,
    /// States whose component is not complete, in the order of their numbers.
    open: Vec<Open>,
    /// What was executed in them, one piece per state that was left.
    executed: Vec<T>,
}

#[derive(Debug)]
struct Open {
    id: StateId,
    /// Its piece of `executed`; empty while it is on the path.
    from: usize,
    to: usize,
}

impl<T> Default for ComponentProviso<T> {
    fn default() -> Self {
        Self {
            number: Vec::new(),
            low: Vec::new(),
            leads_out: Vec::new(),
            suspended: Vec::new(),
            in_full: Vec::new(),
            open: Vec::new(),
            executed: Vec::new(),
        }
    }
}

impl<T: Copy + Eq> ComponentProviso<T> {
    fn is_root(&self, id: StateId) -> bool {
        self.low[id.index()] == self.number[id.index()]
    }

    /// Where `id` is in `open`.
    fn place(&self, id: StateId) -> usize {
        self.number[id.index()] as usize - 1
    }

    fn enter(&mut self, id: StateId, suspended: bool) {
        if suspended {
            mark(&mut self.suspended, id);
        }
        let needed = id.index() + 1;
        if self.number.len() < needed {
            self.number.resize(needed, 0);
            self.low.resize(needed, 0);
            self.leads_out.resize(needed, false);
        }
        let number = narrow::short(self.open.len() + 1);
        self.number[id.index()] = number;
        self.low[id.index()] = number;
        self.leads_out[id.index()] = false;
        self.open.push(Open { id, from: 0, to: 0 });
    }

    fn known_edge(&mut self, from: StateId, to: StateId, mut path: impl Iterator<Item = StateId>) {
        match self.number.get(to.index()) {
            Some(&number) if number != 0 => {
                let low = &mut self.low[from.index()];
                *low = (*low).min(number);
                if is_marked(&self.suspended, to)
                    && let Some(last) = path.find(|id| !is_marked(&self.suspended, *id))
                {
                    mark(&mut self.in_full, last);
                }
            }
            _ => self.leads_out[from.index()] = true,
        }
    }

    fn missing(&mut self, id: StateId, enabled: &[T], executed: &[u64], missing: &mut [u64]) -> bool {
        missing.fill(0);
        if is_marked(&self.in_full, id) {
            let others = (0..enabled.len()).filter(|k| !bitset::contains(executed, *k));
            others.for_each(|k| bitset::insert(missing, k));
            return !bitset::is_empty(missing);
        }
        if !self.is_root(id) || self.leads_out[id.index()] {
            return false;
        }
        let members = &self.open[self.place(id)..];
        for (k, t) in enabled.iter().enumerate() {
            let here = bitset::contains(executed, k);
            let elsewhere = || members.iter().any(|o| self.executed[o.from..o.to].contains(t));
            if !here && !elsewhere() {
                bitset::insert(missing, k);
            }
        }
        !bitset::is_empty(missing)
    }

    fn leave(
        &mut self,
        id: StateId,
        parent: Option<StateId>,
        enabled: &[T],
        executed: &[u64],
        mut release: impl FnMut(StateId),
    ) {
        let root = self.is_root(id);
        if let Some(parent) = parent {
            let (p, i) = (parent.index(), id.index());
            self.leads_out[p] |= root || self.leads_out[i];
            self.low[p] = self.low[p].min(self.low[i]);
        }
        if root {
            let place = self.place(id);
            let start = self.open[place..]
                .iter()
                .filter(|o| o.to > o.from)
                .map(|o| o.from)
                .min();
            for o in self.open.drain(place..) {
                self.number[o.id.index()] = 0;
                release(o.id);
            }
            if let Some(start) = start {
                self.executed.truncate(start);
            }
        } else {
            let place = self.place(id);
            let from = self.executed.len();
            self.executed.extend(bitset::iter(executed).map(|k| enabled[k]));
            let to = self.executed.len();
            let o = &mut self.open[place];
            (o.from, o.to) = (from, to);
        }
    }

    fn bytes(&self) -> usize {
        self.number.capacity() * 9
            + self.suspended.capacity()
            + self.in_full.capacity()
            + self.open.capacity() * size_of::<Open>()
            + self.executed.capacity() * size_of::<T>()
    }
}

fn mark(marks: &mut Vec<bool>, id: StateId) {
    if marks.len() <= id.index() {
        marks.resize(id.index() + 1, false);
    }
    marks[id.index()] = true;
}

fn is_marked(marks: &[bool], id: StateId) -> bool {
    marks.get(id.index()).is_some_and(|marked| *marked)
}
