//! The steps of an execution, by their place in it.
//!
//! A counterexample is a sequence of steps, and its partial order (`causes.rs`) is a relation between places in the
//! sequence. Two executions of the same partial order may have the same step at different places, so an id is meaningful
//! only together with its execution.

use crate::narrow;

/// A step of an execution. The first step has index 0, and number 1 for people.
///
/// ```
/// use mazurka_promela::verify::StepId;
///
/// let third = StepId::new(2);
/// assert_eq!((third.index(), third.number()), (2, 3));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StepId(u32);

impl StepId {
    /// The first step.
    pub const FIRST: Self = Self(0);

    /// The step with this index.
    ///
    /// # Panics
    /// If the index does not fit into 32 bits.
    #[inline]
    pub fn new(index: usize) -> Self {
        Self(narrow::index(index))
    }

    /// The number of steps before it, which is its index in a list of all steps.
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// Its number in texts for people, who count from 1.
    #[inline]
    pub fn number(self) -> usize {
        self.index() + 1
    }
}
