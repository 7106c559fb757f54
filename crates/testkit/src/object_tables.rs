//! placeholder
/// placeholder
#[derive(Debug)]
pub struct Entry;
/// placeholder
#[derive(Debug)]
pub struct ObjectTables;
