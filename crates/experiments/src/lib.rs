//! Published experiments, run again.
//!
//! Each experiment measures what its source published and keeps both figures, so
//! that a report can show them side by side. [`all`] lists the experiments; nothing
//! here prints.
//!
//! ```
//! use mazurka_experiments::{Setup, find};
//!
//! let entry = find("producer-consumer").expect("a listed experiment");
//! let experiment = entry.run(&Setup::default(), &mut |_| ())?;
//! assert_eq!(experiment.series[0].name, "full");
//! # Ok::<(), mazurka_experiments::Failure>(())
//! ```

#![cfg_attr(not(test), warn(clippy::cast_possible_truncation))]

mod caching;
mod combination;
mod database_partition;
mod detection;
mod detection_length;
mod detection_rivals;
mod detection_scaling;
mod detection_table;
mod example_8_1;
mod fig_8_1;
mod fit;
mod level;
mod philosophers;
mod primary_secondary;
mod producer_consumer;
mod protocol;
mod provisos;
mod registry;
mod result;
mod run;
mod simulation;
mod sweep;
mod thesis_protocol;
mod thesis_table;

pub use combination::Combination;
pub use database_partition::database_partition;
pub use fit::{Fit, Form};
pub use level::Level;
pub use philosophers::{Fork, philosophers};
pub use primary_secondary::primary_secondary;
pub use producer_consumer::producer_consumer;
pub use protocol::Protocol;
pub use registry::{Entry, all, find};
pub use result::{Cached, Cut, Experiment, Parameter, Point, Published, Quantity, Series, Spread};
pub use run::Run;
pub use simulation::SimulationError;
pub use sweep::{Failure, Progress, Setup};
