//! Values that a check would watch.

/// A value that a check reports as a leak if it is alive at the end.
#[derive(Debug)]
#[repr(transparent)]
pub struct Track<T> {
    value: T,
}

impl<T> Track<T> {
    /// Tracks a value.
    #[inline]
    pub const fn new(value: T) -> Track<T> {
        Track { value }
    }

    /// The value.
    #[inline]
    pub const fn get_ref(&self) -> &T {
        &self.value
    }

    /// The value.
    #[inline]
    pub const fn get_mut(&mut self) -> &mut T {
        &mut self.value
    }

    /// The value, which is tracked no longer.
    #[inline]
    pub fn into_inner(self) -> T {
        self.value
    }
}
