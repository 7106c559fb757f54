//! Programs with tokio's names. One executable, because linking many takes longer than running them.

mod examples;
mod like_tokio;
mod net;
mod primitives;
mod random;
