//! The bytes of the states on the path, for stores that cannot look them up.

/// States one after the other.
#[derive(Debug, Default)]
pub(super) struct Trail {
    bytes: Vec<u8>,
    /// Where each of them begins.
    starts: Vec<usize>,
}

impl Trail {
    #[inline]
    pub(super) fn push(&mut self, state: &[u8]) {
        self.starts.push(self.bytes.len());
        self.bytes.extend_from_slice(state);
    }

    #[inline]
    pub(super) fn pop(&mut self) {
        self.bytes.truncate(self.starts.pop().expect("there is a state on top"));
    }

    /// The state on top.
    #[inline]
    pub(super) fn top(&self) -> &[u8] {
        &self.bytes[*self.starts.last().expect("there is a state on top")..]
    }

    /// The state at this depth.
    #[inline]
    pub(super) fn get(&self, depth: usize) -> &[u8] {
        let end = self.starts.get(depth + 1).copied().unwrap_or(self.bytes.len());
        &self.bytes[self.starts[depth]..end]
    }

    /// How many there are.
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.starts.len()
    }

    /// Bytes of memory held.
    pub(super) fn memory(&self) -> usize {
        self.bytes.capacity() + self.starts.capacity() * size_of::<usize>()
    }
}
