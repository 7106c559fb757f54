//! Typed numbers of components.

/// A component of a system: a process or a shared object, by its number from 0. In sets of components, which are bit
/// sets, this is the number of its bit.
///
/// ```
/// use mazurka_logic::snapshot::ComponentId;
/// assert_eq!(ComponentId::new(3).index(), 3);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ComponentId(u32);

impl ComponentId {
    /// The component with this number.
    ///
    /// # Panics
    /// If the number does not fit into 32 bits.
    #[inline]
    pub fn new(index: usize) -> Self {
        Self(u32::try_from(index).expect("more than 2^32 components"))
    }

    /// Its number.
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}
