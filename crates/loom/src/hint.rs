//! Hints to the compiler and the processor.

pub use mazurka::hint::{spin_loop, unreachable_unchecked};
