//! Programs with tokio's names. One executable, because linking many takes longer than running them.

mod like_tokio;
mod primitives;
mod random;
