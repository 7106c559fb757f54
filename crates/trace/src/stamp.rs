//! Times of events, as clocks of machines or hybrid logical clocks give them.
//!
//! A time is a number of nanoseconds since a beginning that all clocks share. As text it is RFC 3339
//! (`2024-05-01T12:00:00.25Z`), a number with a unit (`1714564800250ms`), or a number of seconds (`1714564800.25`), each
//! perhaps followed by a comma and the counter of a hybrid logical clock (`1714564800.25,3`; Kulkarni, Demirbas,
//! Madappa, Avva and Leone, *Logical Physical Clocks*, OPODIS 2014). Digits below a nanosecond are dropped.

use std::fmt;

/// The time of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Stamp {
    /// Nanoseconds since the beginning.
    pub nanoseconds: u128,
    /// The counter of a hybrid logical clock, if it is one.
    pub counter: Option<u32>,
}

/// The units of numbers, and how many nanoseconds each has as a power of ten.
const UNITS: [(&str, i64); 6] = [("ns", 0), ("us", 3), ("µs", 3), ("μs", 3), ("ms", 6), ("s", 9)];

/// A time has at most this many digits before the point, in its unit.
const MOST_DIGITS: i64 = 24;

/// What a time looks like.
pub(crate) const EXPECTED: &str = "seconds such as 1714564800.25, a number with a unit such as \"1714564800250ms\", or RFC 3339 such as \
     \"2024-05-01T12:00:00.25Z\"; the counter of a hybrid logical clock may follow a comma";

impl Stamp {
    /// The time that a text stands for.
    ///
    /// ```
    /// use mazurka_trace::Stamp;
    /// let time = |text| Stamp::parse(text).map(|stamp| stamp.nanoseconds);
    /// assert_eq!(time("1.5"), Some(1_500_000_000));
    /// assert_eq!(time("1500ms"), time("1970-01-01T01:00:01.5+01:00"));
    /// assert_eq!(Stamp::parse("1.5,3").unwrap().counter, Some(3));
    /// ```
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let (time, counter) = match text.rsplit_once(',') {
            Some((time, counter)) => (time, Some(counter.trim().parse().ok()?)),
            None => (text, None),
        };
        let time = time.trim();
        let nanoseconds = match time.as_bytes().get(4) {
            Some(b'-') => calendar(time)?,
            _ => {
                let unit = UNITS
                    .iter()
                    .find_map(|(unit, power)| Some((time.strip_suffix(unit)?, *power)));
                let (number, power) = unit.unwrap_or((time, 9));
                decimal(number.trim_end(), power)?
            }
        };
        Some(Self { nanoseconds, counter })
    }
}

impl fmt::Display for Stamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (seconds, rest) = (self.nanoseconds / 1_000_000_000, self.nanoseconds % 1_000_000_000);
        let fraction = format!("{rest:09}");
        match fraction.trim_end_matches('0') {
            "" => write!(f, "{seconds} s")?,
            digits => write!(f, "{seconds}.{digits} s")?,
        }
        self.counter.map_or(Ok(()), |counter| write!(f, ", {counter}"))
    }
}

/// A number without a sign, in a unit of 10 to `power` nanoseconds.
fn decimal(text: &str, power: i64) -> Option<u128> {
    let (mantissa, exponent) = match text.find(['e', 'E']) {
        Some(at) => (&text[..at], text[at + 1..].parse::<i64>().ok()?),
        None => (text, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits: String = [whole, fraction].concat();
    if whole.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) || exponent.unsigned_abs() > 100 {
        return None;
    }
    // The point is after this many digits, counted in nanoseconds.
    let point = i64::try_from(whole.len()).ok()? + exponent + power;
    let significant = digits.trim_start_matches('0');
    let zeros = i64::try_from(digits.len() - significant.len()).ok()?;
    let point = point - zeros;
    if significant.is_empty() || point <= 0 {
        return Some(0);
    }
    if point > MOST_DIGITS + power {
        return None;
    }
    let mut value: u128 = 0;
    for k in 0..usize::try_from(point).ok()? {
        let digit = significant.as_bytes().get(k).map_or(0, |b| b - b'0');
        value = value * 10 + u128::from(digit);
    }
    Some(value)
}

/// A time of RFC 3339, after 1970.
fn calendar(text: &str) -> Option<u128> {
    let (date, time) = text.split_at_checked(10)?;
    let mut parts = date.split('-').map(number);
    let (year, month, day) = (parts.next()??, parts.next()??, parts.next()??);
    let time = time.strip_prefix(['T', 't', ' '])?;
    let zone = time.find(['Z', 'z', '+', '-'])?;
    let (clock, zone) = time.split_at(zone);
    let (clock, fraction) = clock.split_once('.').unwrap_or((clock, "0"));
    let mut parts = clock.split(':').map(number);
    let (hour, minute, second) = (parts.next()??, parts.next()??, parts.next()??);
    let offset = match zone {
        "Z" | "z" => 0,
        _ => {
            let (hours, minutes) = zone[1..].split_once(':')?;
            let minutes = number(hours)? * 60 + number(minutes)?;
            if zone.starts_with('-') { -minutes } else { minutes }
        }
    };
    let valid = (1..=12).contains(&month)
        && (1..=days_of(year, month)).contains(&day)
        && hour < 24
        && minute < 60
        && second <= 60
        && parts.next().is_none()
        && !fraction.is_empty();
    if !valid {
        return None;
    }
    let days = days_before(year) + (1..month).map(|m| days_of(year, m)).sum::<i64>() + day - 1;
    let seconds = ((days * 24 + hour) * 60 + minute - offset) * 60 + second;
    let nanoseconds = decimal(&format!("0.{fraction}"), 9)?;
    Some(u128::try_from(seconds).ok()? * 1_000_000_000 + nanoseconds)
}

fn number(digits: &str) -> Option<i64> {
    let plain = !digits.is_empty() && digits.len() <= 4 && digits.bytes().all(|b| b.is_ascii_digit());
    plain.then(|| digits.parse().ok())?
}

fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

fn days_of(year: i64, month: i64) -> i64 {
    match month {
        2 => 28 + i64::from(is_leap(year)),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// The days from the beginning of 1970 to that of a year.
fn days_before(year: i64) -> i64 {
    let leap_years = |year: i64| year / 4 - year / 100 + year / 400;
    (year - 1970) * 365 + leap_years(year - 1) - leap_years(1969)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_in_all_forms() {
        let time = |text: &str| Stamp::parse(text).map(|stamp| stamp.nanoseconds);
        for (text, nanoseconds) in [
            ("0", 0),
            ("1714564800.25", 1_714_564_800_250_000_000),
            ("1714564800250ms", 1_714_564_800_250_000_000),
            ("1714564800250000 us", 1_714_564_800_250_000_000),
            ("1714564800250000000ns", 1_714_564_800_250_000_000),
            ("2024-05-01T12:00:00.25Z", 1_714_564_800_250_000_000),
            ("2024-05-01 14:30:00.250000000999+02:30", 1_714_564_800_250_000_000),
            ("2000-02-29T00:00:00Z", 951_782_400_000_000_000),
            ("1970-01-01T00:00:00-00:01", 60_000_000_000),
            ("1.5e3", 1_500_000_000_000),
            ("0.0000000019", 1),
            ("12.5e-10s", 1),
        ] {
            assert_eq!(time(text), Some(nanoseconds), "{text}");
        }
        for wrong in [
            "",
            "-1",
            "noon",
            "1.2.3",
            ".5",
            "1e999",
            "2023-02-29T00:00:00Z",
            "2024-05-01T24:00:00Z",
            "2024-05-01T12:00:00",
            "1969-12-31T23:59:59Z",
            "1,",
            "1,x",
            "1h",
            "9999999999999999999999999",
            "2024-05-01T12:00Z",
            "2024-é5-01T12:00:00Z",
        ] {
            assert_eq!(time(wrong), None, "{wrong}");
        }
        assert_eq!(Stamp::parse("1.5,3").unwrap().to_string(), "1.5 s, 3");
    }
}
