//! Programs with tokio's names. One executable, because linking many takes longer than running them.

mod primitives;
mod random;
