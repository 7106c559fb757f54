//! What importers tell about the records that they read.
//!
//! A record is begun with [`Sink::init`] or [`Sink::event`]; everything said
//! until the next one begins belongs to it. A [`crate::Recorder`] records
//! the whole input; an on-line monitor listens in the same way, record by record.

use crate::causality::Event;
use crate::problem::{Place, Problem};
use crate::value::Value;
use mazurka_core::ProcessId;

/// Listens to an importer.
pub trait Sink {
    /// The process of this name, a new one if it is not known yet.
    fn process(&mut self, name: &str) -> ProcessId;

    /// Begins the record of a process's initial state.
    fn init(&mut self, process: ProcessId, place: Place);

    /// Begins the record of the next event of a process.
    fn event(&mut self, process: ProcessId, place: Place) -> Event;

    /// What the event of this record is called.
    fn label(&mut self, text: &str);

    /// Whether a variable is kept, so that its value is worth reading.
    fn wants(&mut self, variable: &str) -> bool;

    /// This record assigns a value to a variable.
    fn set(&mut self, variable: &str, value: Value);

    /// This record assigns a text to a variable.
    fn set_str(&mut self, variable: &str, text: &str);

    /// The event of this record sends a message.
    fn send(&mut self, message: &str);

    /// The event of this record receives a message, which may be sent later in the input.
    fn receive(&mut self, message: &str);

    /// The event of this record follows another one directly. That one may be
    /// told later.
    fn after(&mut self, cause: Event);

    /// An entry of the vector timestamp of this record's event: how many events
    /// of a process it knows, itself included. A timestamp without entries is
    /// told as an entry of 0.
    fn clock(&mut self, process: &str, events: u32);

    /// Notes a problem that the importer found itself.
    fn problem(&mut self, problem: Problem);
}
