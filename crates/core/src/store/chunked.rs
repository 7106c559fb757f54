//! A list that grows in chunks: its memory grows with its length and never doubles.

/// A list in which only the last chunk has spare room.
#[derive(Debug)]
pub(super) struct Chunked<T> {
    chunks: Vec<Vec<T>>,
    len: usize,
}

/// A chunk has 2^SHIFT items.
const SHIFT: u32 = 13;

impl<T> Default for Chunked<T> {
    fn default() -> Self {
        Self {
            chunks: Vec::new(),
            len: 0,
        }
    }
}

impl<T: Copy> Chunked<T> {
    #[inline]
    pub(super) fn get(&self, index: usize) -> T {
        self.chunks[index >> SHIFT][index & ((1 << SHIFT) - 1)]
    }

    #[inline]
    pub(super) fn push(&mut self, item: T) {
        if self.len == self.chunks.len() << SHIFT {
            self.chunks.push(Vec::with_capacity(1 << SHIFT));
        }
        self.chunks.last_mut().expect("just made sure").push(item);
        self.len += 1;
    }

    /// Bytes of memory held; what is reserved in the last chunk is not touched.
    pub(super) fn bytes(&self) -> usize {
        self.len * size_of::<T>() + self.chunks.capacity() * size_of::<Vec<T>>()
    }
}
