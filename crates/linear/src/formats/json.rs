//! Records as JSON, one on each line.

use super::datum::Datum;
use super::record::Fault;
use serde_json::Value;

/// The value on a line that begins at this offset.
pub(super) fn line(text: &str, offset: usize) -> Result<Datum, Fault> {
    let value: Value = serde_json::from_str(text).map_err(|error| {
        let message = error.to_string();
        let message = message.split(" at line ").next().unwrap_or_default();
        Fault::new(offset + error.column().saturating_sub(1).min(text.len()), message)
    })?;
    Ok(datum(value))
}

fn datum(value: Value) -> Datum {
    match value {
        Value::Null => Datum::Nil,
        Value::Bool(value) => Datum::Bool(value),
        Value::Number(number) => match number.as_i64() {
            Some(value) => Datum::Integer(value),
            None => Datum::Number(number.to_string()),
        },
        Value::String(text) => Datum::Text(text),
        Value::Array(all) => Datum::List(all.into_iter().map(datum).collect()),
        Value::Object(all) => Datum::Map(
            all.into_iter()
                .map(|(key, value)| (Datum::Text(key), datum(value)))
                .collect(),
        ),
    }
}
