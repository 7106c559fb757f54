//! The usual objects.
//!
//! Each module has the specification, its operations and its responses. Values are of any type that can be compared.

pub mod append_list;
pub mod counter;
pub mod mutex;
pub mod queue;
pub mod register;
pub mod set;
pub mod stack;
pub mod text;
mod zones;
