//! Verification: which properties, how to search, what came of it.
//!
//! [`Checked`] is plain data: what the reports show.

mod checked;

pub use checked::{
    Checked, Exchange, ExchangeKind, Kind, PropertyResult, ReductionUsed, ShownStep, Unreached, Verdict, Violation,
    ViolationKind,
};
