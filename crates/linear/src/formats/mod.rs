//! Recorded histories: reading them, and asking whether they are linearizable.
//!
//! Bytes become records ([`Datum`]s with places), records become a [`Recorded`] history, whose operations are texts and values.
//! [`judge`] reads them as operations of an [`Object`] and checks them.

mod datum;
mod edn;
mod json;
mod judge;
mod log;
mod object;
mod reading;
mod record;

pub use datum::Datum;
pub use judge::{Judged, judge};
pub use object::Object;
pub use record::{Ended, Fault, Recorded, RecordedOperation, read};
