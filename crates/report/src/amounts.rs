//! Numbers, times and sizes as text.

use std::fmt::Display;
use std::time::Duration;

/// A number with a comma between thousands.
pub(crate) fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut text = String::new();
    for (k, digit) in digits.chars().enumerate() {
        if k > 0 && (digits.len() - k).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A number of things, such as `1 event` or `2,000 events`.
pub(crate) fn counted(n: u64, one: &str, many: &str) -> String {
    format!("{} {}", grouped(n), if n == 1 { one } else { many })
}

/// A time, rounded to a few digits.
pub(crate) fn duration(time: Duration) -> String {
    match time.as_secs_f64() {
        s if s < 1e-4 => "0.1 ms".to_owned(),
        s if s < 1.0 => with_unit(s * 1e3, &"ms"),
        s => with_unit(s, &"s"),
    }
}

/// A number of bytes, in units of 1,024.
pub(crate) fn bytes(bytes: usize) -> String {
    bytesize::ByteSize::b(bytes as u64).to_string()
}

fn with_unit(value: f64, unit: &dyn Display) -> String {
    match value {
        v if v < 10.0 => format!("{v:.1} {unit}"),
        v => format!("{v:.0} {unit}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_grouped() {
        assert_eq!(
            [0, 999, 1000, 4_782_968].map(grouped),
            ["0", "999", "1,000", "4,782,968"]
        );
    }

    #[test]
    fn numbers_of_things() {
        assert_eq!(counted(1, "process", "processes"), "1 process");
        assert_eq!(counted(1200, "event", "events"), "1,200 events");
    }

    #[test]
    fn times() {
        let times = [0.0, 0.00032, 0.0123, 1.25, 75.4]
            .map(Duration::from_secs_f64)
            .map(duration);
        assert_eq!(times, ["0.1 ms", "0.3 ms", "12 ms", "1.2 s", "75 s"]);
    }

    #[test]
    fn sizes() {
        assert_eq!([17, 1536, 3 << 20].map(bytes), ["17 B", "1.5 KiB", "3.0 MiB"]);
    }
}
