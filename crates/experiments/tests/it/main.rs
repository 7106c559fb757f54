//! The published systems. One executable, because linking many takes longer than running them.

mod philosophers;
mod protocols;
