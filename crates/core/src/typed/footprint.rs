//! What actions read and write: the dependency information that a model may give.
//!
//! A state is seen as a number of named parts. The [`Footprint`] of an action says which of them it
//! touches, and how. Whether an action can happen, and what it does, depends on the parts it reads or writes, and it changes only
//! those it writes or adds to. Then two actions are independent if neither changes what the other touches
//!  (thesis, Def. 3.1; the syntactic condition of 3.1 and Def. 3.21, with parts as objects).

use super::Model;
use std::fmt;
use std::hash::Hash;

/// A model whose actions are known beforehand, with what they touch.
///
/// Give it to [`Search::reduced`](super::Search::reduced), and check it with [`Search::audit`](super::Search::audit) on an
/// instance that is small enough to be explored completely: with a wrong footprint, a search misses states.
///
/// ```
/// use mazurka_core::typed::{Footprint, Model, Parts, Search};
///
/// /// Eight lamps, each switched on once.
/// struct Lamps;
///
/// impl Model for Lamps {
///     type State = [bool; 8];
///     type Action = usize;
///     fn initial(&self) -> [bool; 8] { [false; 8] }
///     fn actions(&self, on: &[bool; 8], actions: &mut Vec<usize>) {
///         actions.extend((0..8).filter(|i| !on[*i]));
///     }
///     fn apply(&self, on: &mut [bool; 8], lamp: usize) { on[lamp] = true }
///     fn may_end(&self, on: &[bool; 8]) -> bool { *on == [true; 8] }
/// }
///
/// impl Footprint for Lamps {
///     type Part = usize; // a lamp
///     fn alphabet(&self) -> Vec<usize> { (0..8).collect() }
///     fn touches(&self, lamp: usize, parts: &mut Parts<usize>) { parts.writes(lamp) }
/// }
///
/// let everything = Search::new(&Lamps).run()?;
/// let one_order = Search::reduced(&Lamps).run()?;
/// assert_eq!(everything.statistics.states, 256);
/// assert_eq!(one_order.statistics.states, 9);
/// Search::reduced(&Lamps).audit()?; // the footprints are true
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Footprint: Model {
    /// The name of a part of the state. Smaller parts make more actions independent.
    type Part: Copy + Eq + Hash + fmt::Debug;

    /// Every action that can ever happen, or the [representative](Self::representative) of each class of them.
    fn alphabet(&self) -> Vec<Self::Action>;

    /// What `action` touches, whatever the state. It is a member of the alphabet.
    fn touches(&self, action: Self::Action, parts: &mut Parts<Self::Part>);

    /// The member of the alphabet that stands for `action`; by default, the action itself. Where actions carry data, such as
    /// messages, one member may stand for all that touch the same parts.
    fn representative(&self, action: Self::Action) -> Self::Action {
        action
    }

    /// Why `action`, a member of the alphabet, cannot happen in `state`, nor any action that it stands for. Each call of
    /// [`Obstacles::change`] is a reason of its own. If none is given, the reason is that some part which the action reads
    /// or writes has to change. Better reasons make smaller sets of actions (necessary enabling sets,
    /// thesis 4.5): "it is not at this point", "the lock is taken".
    fn obstacles(&self, _state: &Self::State, _action: Self::Action, _obstacles: &mut Obstacles<Self::Part>) {}
}

/// How an action touches a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Touch {
    Reads,
    Adds,
    Writes,
}

/// Collects the parts that an action touches.
#[derive(Clone, Debug)]
pub struct Parts<P>(pub(super) Vec<(P, Touch)>);

impl<P> Parts<P> {
    /// The action depends on this part and leaves it as it is.
    pub fn reads(&mut self, part: P) {
        self.0.push((part, Touch::Reads));
    }

    /// The action changes this part, and may depend on it.
    pub fn writes(&mut self, part: P) {
        self.0.push((part, Touch::Writes));
    }

    /// The action changes this part and does not depend on it, and whatever is added to the part by this and other
    /// actions may be added in any order: an increment, a message that is put into a bag.
    pub fn adds(&mut self, part: P) {
        self.0.push((part, Touch::Adds));
    }
}

/// Collects the reasons why an action cannot happen.
#[derive(Clone, Debug)]
pub struct Obstacles<P>(pub(super) Vec<Vec<P>>);

impl<P> Obstacles<P> {
    /// The action cannot happen before one of these parts is changed.
    pub fn change(&mut self, parts: impl IntoIterator<Item = P>) {
        self.0.push(parts.into_iter().collect());
    }
}
