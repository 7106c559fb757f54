//! The values that a step assigns, for JSON: numbers as numbers, the rest as text.

use serde::ser::{Serialize, SerializeMap, Serializer};

/// What a step assigns. A variable that is assigned twice has its last value.
pub(super) struct Assignments<'a>(pub(super) &'a [(String, String)]);

impl Serialize for Assignments<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (k, (name, value)) in self.0.iter().enumerate() {
            if self.0[k + 1..].iter().any(|(later, _)| later == name) {
                continue;
            }
            match value.parse::<i64>() {
                // Only if the number is written in the same way: `007` remains a text.
                Ok(number) if number.to_string() == *value => map.serialize_entry(name, &number)?,
                _ => map.serialize_entry(name, value)?,
            }
        }
        map.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_texts_and_the_last_value_of_each() {
        let changes = [("x", "1"), ("m", "ack"), ("x", "-2"), ("y", "007")];
        let changes = changes.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let json = serde_json::to_string(&Assignments(&changes)).unwrap();
        assert_eq!(json, r#"{"m":"ack","x":-2,"y":"007"}"#);
    }
}
