//! Memory, and values that must not leak.

pub use mazurka::alloc::{Layout, Track, alloc, alloc_zeroed, dealloc};
