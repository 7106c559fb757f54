//! What importers tell about the records that they read.
//!
//! [`Sink::init`] and [`Sink::event`] begin a record. What is said until the next one
//! begins belongs to it. A [`crate::Recorder`] records the whole input. An on-line
//! monitor listens in the same way, record by record.

use crate::causality::Event;
use crate::problem::{Place, Problem};
use crate::stamp::Stamp;
use crate::value::Value;
use mazurka_core::ProcessId;

/// Listens to an importer.
pub trait Sink {
    /// The process of this name, which may be new.
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

    /// The event of this record directly follows another one, which may be told later.
    fn after(&mut self, cause: Event);

    /// An entry of the vector timestamp of this record's event: how many events of a
    /// process it knows, including itself. A timestamp without entries is told as an
    /// entry of 0.
    fn clock(&mut self, process: &str, events: u32);

    /// Whether times order events, so that they are worth reading where they need not be read.
    fn wants_time(&self) -> bool {
        false
    }

    /// When the event of this record happened, by the clock of its process.
    fn time(&mut self, time: Stamp);

    /// Reports a problem that the importer found.
    fn problem(&mut self, problem: Problem);
}
