//! The parts of a search that do not depend on the system, and the driver for them.
//!
//! [`Strategy::run`] takes any system, dependency relation, persistent-set
//! algorithm and observer, checks that the parts fit together, and runs the
//! search that is compiled for them.

use super::breadth_first::BreadthFirst;
use super::depth_first::DepthFirst;
use super::observer::Observer;
use crate::persistent::PersistentSets;
use crate::store::{FlatStore, PathStore, Storage, Store, TreeStore};
use crate::system::{Dependency, System};
use mazurka_outcome::{End, Limits, Statistics, Watch};

/// How not to ignore a process for ever.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ProvisoKind {
    /// Not at all: enough for deadlocks.
    None,
    /// Def. 6.2.
    Stack,
    /// Def. 6.15.
    Component,
}

/// In which order to explore.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Order {
    /// The newest state first.
    DepthFirst,
    /// The oldest state first: shortest paths (of the reduced state space).
    BreadthFirst,
}

/// A combination that the theory does not support.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Unsupported {
    /// Thesis 6.5.
    #[error(
        "the terminal-component proviso is not compatible with sleep sets (thesis 6.5): use the stack proviso, or switch sleep sets off"
    )]
    ComponentWithSleep,
    /// Provisos are defined for a depth-first search.
    #[error("a proviso needs a depth-first search: it speaks of the current path")]
    ProvisoWithoutDepthFirst,
    /// Thesis 8.4.
    #[error("a cache needs a depth-first search: forgetting states is safe only while the current path is kept")]
    CacheWithoutDepthFirst,
    /// Thesis, Thm 6.12.
    #[error(
        "sleep sets with a proviso need a weakly uniform dependency relation (thesis, Def. 6.6), and that of object `{object}` is not: use Relation::WeaklyUniform or Relation::Constant"
    )]
    NotWeaklyUniform {
        /// An object whose conditional relation is not weakly uniform.
        object: String,
    },
    /// Weak stubborn sets preserve deadlocks, not traces.
    #[error("weak stubborn sets are for deadlocks only: switch sleep sets and the proviso off")]
    WeakWithMore,
    /// A proviso asks which states are known.
    #[error("a store of the path alone needs a system with states of one length, and no proviso")]
    PathWithMore,
    /// A model may have cycles.
    #[error("a store of the path alone is not for models: they may have cycles")]
    PathForModel,
    /// An acyclic system needs no more than that.
    #[error(
        "a search of an acyclic system is depth first, without a proviso, and stores every state or the path alone"
    )]
    MoreThanAcyclic,
    /// There must be room for the initial state.
    #[error("a cache of 0 states cannot hold the initial state")]
    EmptyCache,
    /// Sleep sets and components need the ids of all states.
    #[error("a bitstate store has no ids for states: use the stack proviso or none, and no sleep sets")]
    BitstateWithMore,
    /// There must be a bit.
    #[error("a bitstate store of 0 bytes holds nothing")]
    EmptyBitstate,
    /// Components are told by the ids of states.
    #[error("the search for acceptance cycles needs a store of every state")]
    CyclesWithoutStates,
    /// Marks are bits of a word.
    #[error("at most 64 acceptance sets are supported, and there are {0}")]
    AcceptanceSets(usize),
}

/// How to search a system.
#[derive(Clone, Copy, Debug)]
pub struct Strategy<'a> {
    /// Whether to use sleep sets.
    pub sleep: bool,
    /// Which proviso.
    pub proviso: ProvisoKind,
    /// In which order.
    pub order: Order,
    /// What to remember.
    pub storage: Storage,
    /// Bounds.
    pub limits: Limits<'a>,
}

impl Default for Strategy<'_> {
    /// Depth first, every state stored, nothing else.
    fn default() -> Self {
        Self {
            sleep: false,
            proviso: ProvisoKind::None,
            order: Order::DepthFirst,
            storage: Storage::Exact,
            limits: Limits::default(),
        }
    }
}

/// What a search is made of, besides the strategy.
struct Parts<'a, S, D, P: ?Sized, O: ?Sized> {
    system: &'a S,
    dependency: &'a D,
    persistent: &'a mut P,
    observer: &'a mut O,
}

impl Strategy<'_> {
    /// Whether the parts fit together.
    ///
    /// # Errors
    /// The reason why they do not.
    pub fn supported(&self) -> Result<(), Unsupported> {
        if self.proviso == ProvisoKind::Component && self.sleep {
            return Err(Unsupported::ComponentWithSleep);
        }
        if self.order == Order::BreadthFirst {
            if self.proviso != ProvisoKind::None {
                return Err(Unsupported::ProvisoWithoutDepthFirst);
            }
            if !self.storage.keeps_every_state() {
                return Err(Unsupported::CacheWithoutDepthFirst);
            }
        }
        if self.storage.is_for_trees() && self.proviso != ProvisoKind::None {
            return Err(Unsupported::PathWithMore);
        }
        if let Some(defect) = self.storage.defect() {
            return Err(defect);
        }
        if !self.storage.identifies_states() && (self.sleep || self.proviso == ProvisoKind::Component) {
            return Err(Unsupported::BitstateWithMore);
        }
        Ok(())
    }

    /// Searches a system. Sleep sets together with a proviso that matters need a
    /// `dependency` that is weakly uniform (thesis, Def. 6.6), and `persistent`
    /// must compute persistent sets with respect to the same relation; neither
    /// can be checked here.
    ///
    /// # Errors
    /// If the parts of the strategy do not fit together.
    pub fn run<S, D, P, O>(
        &self,
        system: &S,
        dependency: &D,
        persistent: &mut P,
        observer: &mut O,
    ) -> Result<(Statistics, End), Unsupported>
    where
        S: System,
        D: Dependency<S::Transition>,
        P: PersistentSets<S::Transition> + ?Sized,
        O: Observer<S> + ?Sized,
    {
        self.supported()?;
        if self.storage.is_for_trees() && system.state_len().is_none() {
            return Err(Unsupported::PathWithMore);
        }
        let parts = Parts {
            system,
            dependency,
            persistent,
            observer,
        };
        let watch = &mut Watch::new(self.limits);
        let len = system.state_len();
        Ok(match (self.order, self.storage) {
            (Order::DepthFirst, Storage::Exact | Storage::Collapse) => {
                self.asleep_or_not(parts, TreeStore::new(), watch)
            }
            (Order::DepthFirst, storage) => self.asleep_or_not(parts, storage.open(len), watch),
            (Order::BreadthFirst, storage) => {
                let store = storage.open_readable(len);
                let store = store.ok_or(Unsupported::CacheWithoutDepthFirst)?;
                match self.sleep {
                    true => BreadthFirst::<_, _, _, _, true>::new(system, dependency, parts.persistent, store)
                        .run(parts.observer, watch),
                    false => BreadthFirst::<_, _, _, _, false>::new(system, dependency, parts.persistent, store)
                        .run(parts.observer, watch),
                }
            }
        })
    }

    /// Searches a system without cycles, such as the histories of a computation, depth first: nothing can be ignored
    /// for ever there without a proviso. Every state is stored. Unlike [`run`](Self::run) it is compiled for sleep
    /// sets or for none, and so to one search instead of dozens.
    ///
    /// # Errors
    /// If the strategy asks for something else.
    pub fn run_acyclic<S, D, P, O, const SLEEP: bool>(
        &self,
        system: &S,
        dependency: &D,
        persistent: &mut P,
        observer: &mut O,
    ) -> Result<(Statistics, End), Unsupported>
    where
        S: System,
        D: Dependency<S::Transition>,
        P: PersistentSets<S::Transition> + ?Sized,
        O: Observer<S> + ?Sized,
    {
        self.supported_acyclic(Storage::Exact, SLEEP)?;
        let store = FlatStore::new(system.state_len());
        let parts = Parts {
            system,
            dependency,
            persistent,
            observer,
        };
        Ok(self.depth_first::<_, _, _, _, _, SLEEP>(parts, store, &mut Watch::new(self.limits)))
    }

    /// The same with sleep sets, for a system in which they let no state be reached twice: the current path alone is
    /// stored ([`Storage::Path`]).
    ///
    /// # Errors
    /// If the strategy asks for something else, or states differ in length.
    pub fn run_along_path<S, D, P, O>(
        &self,
        system: &S,
        dependency: &D,
        persistent: &mut P,
        observer: &mut O,
    ) -> Result<(Statistics, End), Unsupported>
    where
        S: System,
        D: Dependency<S::Transition>,
        P: PersistentSets<S::Transition> + ?Sized,
        O: Observer<S> + ?Sized,
    {
        self.supported_acyclic(Storage::Path, true)?;
        let store = PathStore::new(system.state_len().ok_or(Unsupported::PathWithMore)?);
        let parts = Parts {
            system,
            dependency,
            persistent,
            observer,
        };
        Ok(self.depth_first::<_, _, _, _, _, true>(parts, store, &mut Watch::new(self.limits)))
    }

    fn supported_acyclic(&self, storage: Storage, sleep: bool) -> Result<(), Unsupported> {
        self.supported()?;
        let fits = self.order == Order::DepthFirst
            && self.proviso == ProvisoKind::None
            && self.storage == storage
            && self.sleep == sleep;
        if fits {
            Ok(())
        } else {
            Err(Unsupported::MoreThanAcyclic)
        }
    }

    fn asleep_or_not<S, D, P, O, H>(
        &self,
        parts: Parts<'_, S, D, P, O>,
        store: H,
        watch: &mut Watch<'_>,
    ) -> (Statistics, End)
    where
        S: System,
        D: Dependency<S::Transition>,
        P: PersistentSets<S::Transition> + ?Sized,
        O: Observer<S> + ?Sized,
        H: Store,
    {
        match self.sleep {
            true => self.depth_first::<_, _, _, _, _, true>(parts, store, watch),
            false => self.depth_first::<_, _, _, _, _, false>(parts, store, watch),
        }
    }

    fn depth_first<S, D, P, O, H, const SLEEP: bool>(
        &self,
        parts: Parts<'_, S, D, P, O>,
        store: H,
        watch: &mut Watch<'_>,
    ) -> (Statistics, End)
    where
        S: System,
        D: Dependency<S::Transition>,
        P: PersistentSets<S::Transition> + ?Sized,
        O: Observer<S> + ?Sized,
        H: Store,
    {
        DepthFirst::<_, _, _, _, SLEEP>::new(parts.system, parts.dependency, parts.persistent, store, self.proviso)
            .run(parts.observer, watch)
    }
}
