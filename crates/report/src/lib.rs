//! Results as text, JSON, CSV, SVG and HTML.
//!
//! Every function takes a result and returns a `String`. This crate prints nothing and
//! writes no files. The same result gives the same bytes.
//!
//! ```
//! use mazurka_experiments::{Setup, find};
//! use mazurka_report::{experiment_csv, experiment_json, experiment_svg, experiment_text};
//! let entry = find("producer-consumer").expect("a listed experiment");
//! let experiment = entry.run(&Setup { quick: true, ..Setup::default() }, &mut |_| ())?;
//! assert!(experiment_text(&experiment).starts_with("producer-consumer: "));
//! assert!(experiment_json(&experiment).contains("\"experiment\": \"producer-consumer\""));
//! assert!(experiment_csv(&experiment).lines().count() > 1);
//! assert!(experiment_svg(&experiment).starts_with("<svg"));
//! # Ok::<(), mazurka_experiments::Failure>(())
//! ```

#![cfg_attr(not(test), warn(clippy::cast_possible_truncation))]

mod amounts;
pub mod check;
mod csv;
pub mod detection;
mod excerpt;
mod json;
mod limits;
mod line;
pub mod linear;
mod lint;
mod listing;
mod page;
#[expect(
    clippy::cast_possible_truncation,
    reason = "pixels: a plot has some hundred bars, and labels are rounded"
)]
mod plot;
#[cfg(test)]
mod sample;
pub mod space_time;
mod style;
mod table;
mod text;

pub use csv::experiment_csv;
pub use excerpt::Excerpt;
pub use json::{experiment_json, experiments_json};
pub use line::one_line;
pub use lint::{lint_json, lint_summary};
pub use listing::{listing_json, listing_text};
pub use page::printable;
pub use plot::experiment_svg;
pub use text::experiment_text;

/// The layout of text.
#[derive(Clone, Copy, Debug)]
pub struct TextOptions {
    /// The number of columns.
    pub width: usize,
    /// Whether to show everything.
    pub verbose: bool,
}
