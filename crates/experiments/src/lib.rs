//! Published experiments, run again.
//!
//! Each experiment measures what its source printed and keeps both, so that a
//! report can show one beside the other. [`all`] lists them; nothing here prints.
//!
//! ```
//! use mazurka_experiments::{Setup, find};
//!
//! let entry = find("producer-consumer").expect("a listed experiment");
//! let experiment = entry.run(&Setup::default(), &mut |_| ())?;
//! assert_eq!(experiment.series[0].name, "full");
//! # Ok::<(), mazurka_experiments::Failure>(())
//! ```

mod example_8_1;
mod fig_8_1;
mod philosophers;
mod producer_consumer;
mod registry;
mod result;
mod sweep;

pub use philosophers::{Fork, philosophers};
pub use producer_consumer::producer_consumer;
pub use registry::{Entry, all, find};
pub use result::{Cut, Experiment, Parameter, Point, Published, Quantity, Series};
pub use sweep::{Failure, Progress, Setup};
