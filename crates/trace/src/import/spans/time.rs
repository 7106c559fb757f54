//! Times of spans, which may be numbers or strings of digits.

use serde::de::{Deserialize, Deserializer, Error, Visitor};
use std::fmt;

/// A time in the unit of its format; none if it is 0 or an empty string, which stand for "not known".
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Time(Option<Amount>);

#[derive(Clone, Copy, Debug, PartialEq)]
enum Amount {
    Whole(u64),
    Fraction(f64),
}

/// The latest time, in its unit. A later one was not meant.
const LATEST: f64 = 1e24;

impl Time {
    /// The time in nanoseconds, given how many of them its unit has.
    pub(crate) fn nanoseconds(self, unit: u32) -> Option<u128> {
        let time = match self.0? {
            Amount::Whole(n) => u128::from(n) * u128::from(unit),
            Amount::Fraction(x) => whole(x * f64::from(unit)),
        };
        (time > 0).then_some(time)
    }
}

/// The whole part of a number that is neither negative nor larger than [`LATEST`] units.
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "checked when it was read"
)]
fn whole(x: f64) -> u128 {
    x as u128
}

impl<'de> Deserialize<'de> for Time {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Digits)
    }
}

struct Digits;

impl Visitor<'_> for Digits {
    type Value = Time;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a time, a number or a text of digits")
    }
    fn visit_u64<E>(self, n: u64) -> Result<Time, E> {
        Ok(Time(Some(Amount::Whole(n))))
    }
    fn visit_i64<E: Error>(self, n: i64) -> Result<Time, E> {
        u64::try_from(n).map(|n| Time(Some(Amount::Whole(n)))).map_err(|_| {
            E::custom(format!(
                "the time `{n}` is before all others, expected a number that is not negative"
            ))
        })
    }
    fn visit_f64<E: Error>(self, x: f64) -> Result<Time, E> {
        match (0.0..LATEST).contains(&x) {
            true => Ok(Time(Some(Amount::Fraction(x)))),
            false => Err(E::custom(format!(
                "the time `{x}` is none, expected a number from 0 to {LATEST:e}"
            ))),
        }
    }
    fn visit_str<E: Error>(self, text: &str) -> Result<Time, E> {
        let digits = text.trim();
        match digits.parse() {
            _ if digits.is_empty() => Ok(Time(None)),
            Ok(n) => Ok(Time(Some(Amount::Whole(n)))),
            Err(_) => Err(E::custom(format!(
                "`{}` is not a time, expected a text of digits",
                super::shorten(digits)
            ))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_texts_of_digits_are_times() {
        let time = |json: &str| serde_json::from_str::<Time>(json).map(|time| time.nanoseconds(1000));
        assert_eq!(time("7").unwrap(), Some(7000));
        assert_eq!(time("\"7\"").unwrap(), Some(7000));
        assert_eq!(time("1.5").unwrap(), Some(1500));
        assert_eq!(
            time("18446744073709551615").unwrap(),
            Some(18_446_744_073_709_551_615_000)
        );
        for unknown in ["0", "\"\"", "\" \""] {
            assert_eq!(time(unknown).unwrap(), None);
        }
        for wrong in ["-1", "\"noon\"", "1e30", "true", "\"1.5\""] {
            let said = time(wrong).unwrap_err().to_string();
            assert!(said.contains(", expected "), "{said}");
        }
    }
}
