//! The formats: one importer in each file, and the list of them.
//!
//! A new importer is a file here, its `mod` line below, and its entry in [`FORMATS`].
//! `tests/it/registrations.rs` checks that nothing else has to be touched.

pub mod clocked;
mod govector;
mod jaeger;
pub mod native;
mod otlp;
mod shiviz;
mod zipkin;

use super::Format;

/// All formats. An input is in the first of them that it begins like, so the order
/// counts: those whose beginnings are told apart by the names of fields come first, then
/// the line formats, then logs of free text.
pub(super) const FORMATS: &[Format] = &[
    Format::OTLP,
    Format::JAEGER,
    Format::ZIPKIN,
    Format::MAZURKA,
    Format::CLOCKS,
    Format::GOVECTOR,
    Format::SHIVIZ,
];
