//! Lines of Jepsen's log: `INFO  jepsen.util - 4  :invoke  :write  3`.
//!
//! Lines of other loggers are not about operations. They are left out, and counted.

use super::datum::Datum;
use super::edn::Reader;
use super::record::Fault;

/// Process, type, function and value on a line that begins at this offset. None if the line is about something else.
pub(super) fn line(text: &str, offset: usize) -> Result<Option<[Datum; 4]>, Fault> {
    let Some((_, operation)) = text.split_once("jepsen.util - ") else {
        return Ok(None);
    };
    let start = offset + text.len() - operation.len();
    let shift = |fault: Fault| Fault::new(start + fault.offset, fault.message);
    let mut reader = Reader::new(operation);
    let mut next = || match reader.next_value() {
        Ok(Some(_)) => reader.value().map_err(shift),
        Ok(None) => Err(Fault::new(
            offset + text.len(),
            "expected a process, a type, a function and a value",
        )),
        Err(fault) => Err(shift(fault)),
    };
    let all = [next()?, next()?, next()?, next()?];
    // What follows a value is a reason, such as `:timed-out`.
    Ok(Some(all))
}
