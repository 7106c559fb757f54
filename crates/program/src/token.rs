//! Tokens: short texts that run an execution again.
//!
//! In the natural schedule, a thread goes on as long as it can, then the thread with the lowest number follows, and
//! every choice is 0. A token lists where a schedule departs from the natural one. It has a header (how the program
//! was observed, and which call of `check` the token belongs to) and then the departures, as numbers with seven bits in
//! each byte, in hexadecimal.

use crate::execution::{Execution, Settings};
use crate::ids::ThreadId;
use crate::narrow::short;
use crate::watch::Watch;
use std::panic::Location;

/// A departure: after this many events, this thread performs its operation in this way.
type Departure = (usize, ThreadId, u32);

/// The schedule of an execution.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Schedule {
    departures: Vec<Departure>,
}

impl Schedule {
    pub(crate) fn push(&mut self, depth: usize, thread: ThreadId, choice: u32) {
        self.departures.push((depth, thread, choice));
    }

    pub(crate) fn at(&self, depth: usize) -> Option<(ThreadId, u32)> {
        let i = self.departures.binary_search_by_key(&depth, |d| d.0).ok()?;
        Some((self.departures[i].1, self.departures[i].2))
    }
}

/// A parsed token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) visible_releases: bool,
    pub(crate) composition: bool,
    pub(crate) visible_cells: bool,
    pub(crate) weak: bool,
    /// Places whose objects are polled, see `future/alone.rs`.
    pub(crate) polled: u64,
    /// The call of `check` that it belongs to.
    pub(crate) site: u16,
    pub(crate) schedule: Schedule,
}

/// The flag of a token that lists classes of places whose objects are polled.
const POLLED: u8 = 16;

/// A number for a place in the program.
pub(crate) fn site(at: &Location<'_>) -> u16 {
    let text = format!("{}:{}", at.file(), at.line());
    let mut hash: u32 = 0x811c_9dc5;
    for byte in text.bytes() {
        hash = (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    }
    let [lowest, second, ..] = (hash ^ hash >> 16).to_le_bytes();
    u16::from_le_bytes([lowest, second])
}

impl Token {
    pub(crate) fn new(settings: &Settings, site: u16, schedule: Schedule) -> Token {
        Token {
            visible_releases: settings.visible_releases,
            composition: settings.composition,
            visible_cells: settings.visible_cells,
            weak: settings.weak,
            polled: settings.polled,
            site,
            schedule,
        }
    }

    pub(crate) fn parse(text: &str) -> Option<Token> {
        let digits = text.trim().strip_prefix("mz")?;
        if !digits.is_ascii() || digits.len() % 2 != 0 {
            return None;
        }
        let bytes: Option<Vec<u8>> = (0..digits.len())
            .step_by(2)
            .map(|i| u8::from_str_radix(&digits[i..i + 2], 16).ok())
            .collect();
        let bytes = bytes?;
        let [flags, high, low, rest @ ..] = &bytes[..] else {
            return None;
        };
        let (mut polled, mut rest) = (0, rest);
        if flags & POLLED != 0 {
            let (classes, schedule) = rest.split_first_chunk()?;
            (polled, rest) = (u64::from_be_bytes(*classes), schedule);
        }
        let mut numbers = Vec::new();
        let mut rest = rest.iter();
        while let Some(first) = rest.next() {
            let mut number = u64::from(first & 0x7f);
            let (mut byte, mut shift) = (*first, 7);
            while byte & 0x80 != 0 {
                if shift >= u32::BITS {
                    return None;
                }
                byte = *rest.next()?;
                number |= u64::from(byte & 0x7f) << shift;
                shift += 7;
            }
            numbers.push(u32::try_from(number).ok()?);
        }
        let mut schedule = Schedule::default();
        let mut depth = 0;
        for triple in numbers.chunks(3) {
            let [delta, thread, choice] = *triple else { return None };
            depth += delta as usize;
            schedule.push(depth, ThreadId(thread), choice);
            depth += 1;
        }
        Some(Token {
            visible_releases: flags & 1 != 0,
            composition: flags & 2 != 0,
            visible_cells: flags & 4 != 0,
            weak: flags & 8 != 0,
            polled,
            site: u16::from(*high) << 8 | u16::from(*low),
            schedule,
        })
    }
}

impl std::fmt::Display for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let flags = u8::from(self.visible_releases)
            | u8::from(self.composition) << 1
            | u8::from(self.visible_cells) << 2
            | u8::from(self.weak) << 3;
        let flags = if self.polled == 0 { flags } else { flags | POLLED };
        write!(f, "mz{flags:02x}{:04x}", self.site)?;
        if self.polled != 0 {
            write!(f, "{:016x}", self.polled)?;
        }
        let mut next = 0;
        for &(depth, thread, choice) in &self.schedule.departures {
            for mut number in [short(depth - next), thread.0, choice] {
                while number > 0x7f {
                    write!(f, "{:02x}", number & 0x7f | 0x80)?;
                    number >>= 7;
                }
                write!(f, "{number:02x}")?;
            }
            next = depth + 1;
        }
        Ok(())
    }
}

/// Records a step in the schedule, if it departs from the natural one.
pub(crate) fn note(watch: &Watch, execution: &Execution, enabled: &[ThreadId], thread: ThreadId, choice: u32) {
    if choice != execution.ways(thread).at(0) || crate::search::natural(execution, enabled) != thread {
        watch.situation().schedule.push(execution.events.len(), thread, choice);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_reads_back() {
        let mut schedule = Schedule::default();
        schedule.push(3, ThreadId(2), 0);
        schedule.push(4, ThreadId(1), 300);
        schedule.push(1000, ThreadId(0), 1);
        let token = Token {
            visible_releases: true,
            composition: false,
            visible_cells: true,
            weak: true,
            polled: 1 << 63 | 1,
            site: 0xbeef,
            schedule,
        };
        assert_eq!(Token::parse(&token.to_string()), Some(token));
        assert_eq!(Token::parse("mz00"), None);
        assert_eq!(Token::parse("hello"), None);
        assert_eq!(Token::parse("mzé"), None);
    }

    #[test]
    fn a_number_of_a_token_has_32_bits() {
        let read = |delta: &str| Token::parse(&format!("mz000000{delta}0100")).map(|token| token.schedule);
        let at = |depth: usize| {
            let mut schedule = Schedule::default();
            schedule.push(depth, ThreadId(1), 0);
            Some(schedule)
        };
        assert_eq!(read("ffffffff0f"), at(u32::MAX as usize));
        assert_eq!(read("ffffffff1f"), None);
        assert_eq!(read("808080808001"), None);
        assert_eq!(read("80808080808080808001"), None);
    }
}
