//! The names of crossbeam 0.8, for code that uses them and is to be checked by mazurka.
//!
//! ```toml
//! [target.'cfg(mazurka)'.dependencies]
//! crossbeam = { package = "mazurka-crossbeam", version = "0.1" }
//! ```
//!
//! Crossbeam's own algorithms are not what is checked here, but the code that uses them. So everything is made of mazurka's locks,
//! and each operation on a channel or a queue takes effect at one moment. Outside a check it works as well, but not as fast as
//! crossbeam.
//!
//! Not there: `epoch` and `deque`.

pub mod atomic;
pub mod channel;
pub mod queue;
pub mod sync;
pub mod thread;
pub mod utils;

pub use thread::scope;

use mazurka::sync::{LockResult, PoisonError};

/// The guard, whether a thread has panicked or not.
fn unpoisoned<G>(result: LockResult<G>) -> G {
    result.unwrap_or_else(PoisonError::into_inner)
}
