//! Published experiments, run again.

mod philosophers;
mod producer_consumer;

pub use philosophers::{Fork, philosophers};
pub use producer_consumer::producer_consumer;
