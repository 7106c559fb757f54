//! Typed ids: small integers that the compiler keeps apart.

use std::fmt;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(u32);

        impl $name {
            /// The id with this index.
            ///
            /// # Panics
            /// If the index does not fit into 32 bits.
            #[inline]
            pub fn new(index: usize) -> Self {
                Self(u32::try_from(index).expect("more than 2^32 ids"))
            }

            /// The first `count` ids, in order.
            ///
            /// # Panics
            /// If the count does not fit into 32 bits.
            #[inline]
            pub fn first(count: usize) -> impl DoubleEndedIterator<Item = Self> + ExactSizeIterator + Clone {
                let count = u32::try_from(count).expect("more than 2^32 ids");
                (0..count).map(Self)
            }

            /// Its index in the table of its kind.
            #[inline]
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($name), "({})"), self.0)
            }
        }
    };
}

id! {
    /// A process of a concurrent system.
    ProcessId
}
id! {
    /// A shared object.
    ObjectId
}
id! {
    /// A transition of a model.
    TransitionId
}
id! {
    /// A control point (local state), numbered over all processes of a model.
    LocalId
}
id! {
    /// A stored global state.
    StateId
}
id! {
    /// A property stated in a model: an assertion, an invariant, a safety automaton.
    PropertyId
}
