//! Properties of the states of a typed model.

use super::Model;
use crate::bitset::{self, BitSet};

/// The kinds of properties.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PropertyKind {
    /// The condition is true in every reachable state.
    Always,
    /// The condition is true in some reachable state.
    Sometimes,
    /// Every execution, finite or infinite, passes a state where the condition is true.
    Eventually,
}

/// A condition on states.
pub(super) type Condition<'a, M> = dyn Fn(&<M as Model>::State) -> bool + Sync + 'a;

/// A property as it was stated.
pub(super) struct Property<'a, M: Model> {
    pub(super) name: String,
    pub(super) kind: PropertyKind,
    pub(super) holds: Box<Condition<'a, M>>,
    /// The classes of actions that can change its value; `None` if all can.
    pub(super) visible: Option<BitSet>,
}

/// The classes that can change one of these properties; `None` if all can.
pub(super) fn visible<'p, 'a: 'p, M: Model + 'a>(
    properties: impl IntoIterator<Item = &'p Property<'a, M>>,
) -> Option<BitSet> {
    let mut all = BitSet::default();
    for property in properties {
        let visible = property.visible.as_ref()?;
        if all.is_empty() {
            all.copy_from(visible);
        } else {
            bitset::union(&mut all, visible);
        }
    }
    Some(all)
}
