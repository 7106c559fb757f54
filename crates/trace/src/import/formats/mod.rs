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

/// All formats. An input is in the first format whose beginning it has, so the order
/// matters: first the formats that are recognised by the names of their fields, then the
/// line formats, then logs of free text.
pub(super) const FORMATS: &[Format] = &[
    Format::OTLP,
    Format::JAEGER,
    Format::ZIPKIN,
    Format::MAZURKA,
    Format::CLOCKS,
    Format::GOVECTOR,
    Format::SHIVIZ,
];
