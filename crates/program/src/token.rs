//! Tokens: short texts that run an execution again.
//!
//! In the natural schedule, a thread goes on as long as it can, then the thread with the lowest number follows, and
//! every choice is the first one. A token lists where a schedule departs from the natural one. It has the version of its form, a header (how
//! the program was observed, and which check the token belongs to), the departures, as numbers with seven bits in each byte, in
//! hexadecimal, and the names of the operations at the departures.
//!
//! # What a token survives
//!
//! Nothing in a token is a place in a file. A check is named by the type of its closure, which has the path of the function around
//! it ([`site`]); an operation by its thread and its verb. A thread is the `k`-th child of its parent. So tokens survive every edit that
//! leaves the operations of the program as they are. For any other edit, a token says what it expects: the operation at each departure, and
//! a sum over all steps up to there and to the end ([`Expected`]). The sums have eight bits for each departure, and so an execution that has
//! changed passes for the one of the token only if all of them agree by chance. `search/replay.rs` compares.
//!
//! A token that is printed when the process ends by force expects nothing, because what has happened is then not at hand.

use crate::execution::{Event, Execution, Settings};
use crate::ids::ThreadId;
use crate::narrow::short;
use crate::operation::Operation;
use crate::watch::Watch;
use std::cell::RefCell;
use std::collections::HashMap;

/// What a token of this form begins with. Those before had no version; their third character was 0 or 1.
const FORM: &str = "mz2";

/// A departure: after this many events, this thread performs its operation in this way.
type Departure = (usize, ThreadId, u32);

/// The schedule of an execution.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Schedule {
    departures: Vec<Departure>,
    /// The parents of the threads from number 1 on, if threads are not numbered in the order in which the execution starts them.
    pub(crate) parents: Vec<u32>,
}

impl Schedule {
    pub(crate) fn push(&mut self, depth: usize, thread: ThreadId, choice: u32) {
        self.departures.push((depth, thread, choice));
    }

    /// The number of departures.
    pub(crate) fn len(&self) -> usize {
        self.departures.len()
    }

    pub(crate) fn at(&self, depth: usize) -> Option<(ThreadId, u32)> {
        let i = self.departures.binary_search_by_key(&depth, |d| d.0).ok()?;
        Some((self.departures[i].1, self.departures[i].2))
    }
}

/// What should happen when an execution is run again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Expected {
    /// For each departure, the verb of its operation, and the sum of the steps since the departure before, that one included.
    pub(crate) departures: Vec<(String, u8)>,
    /// How many steps there are, and the sum of those since the last departure.
    pub(crate) end: (usize, u8),
}

/// The sum of some steps.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sum(u32);

impl Default for Sum {
    fn default() -> Sum {
        Sum(0x811c_9dc5)
    }
}

impl Sum {
    fn add(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u32::from(*byte)).wrapping_mul(0x0100_0193);
        }
    }

    /// Adds a step: who does what with which object.
    pub(crate) fn step(&mut self, execution: &Execution, thread: ThreadId, operation: &Operation) {
        self.add(&thread.0.to_le_bytes());
        self.add(operation.kind.verb().as_bytes());
        self.add(execution.object_name(operation.object).as_bytes());
    }

    pub(crate) fn byte(self) -> u8 {
        self.0.to_le_bytes().into_iter().fold(0, |all, byte| all ^ byte)
    }
}

/// A verb as it is written in a token.
pub(crate) fn written(verb: &str) -> String {
    let letter = |c: char| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' };
    verb.chars().map(letter).collect()
}

impl Expected {
    /// What has happened in an execution with this schedule.
    fn of(execution: &Execution, schedule: &Schedule) -> Expected {
        let mut sum = Sum::default();
        let mut expected = Expected::default();
        for (depth, Event { thread, asked, .. }) in execution.events.iter().enumerate() {
            if schedule.at(depth).is_some() {
                let departure = (written(asked.kind.verb()), std::mem::take(&mut sum).byte());
                expected.departures.push(departure);
            }
            sum.step(execution, *thread, asked);
        }
        expected.end = (execution.events.len(), sum.byte());
        expected
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
    /// The check that it belongs to.
    pub(crate) site: u16,
    pub(crate) schedule: Schedule,
    pub(crate) expected: Option<Expected>,
}

/// The flags of a token for what it may have: classes of places whose objects are polled, parents, what is expected.
const POLLED: u8 = 16;
const PARENTS: u8 = 32;
const EXPECTED: u8 = 64;

/// A number for a check: a sum of the name of its closure's type, and of how many checks with closures of that name have begun on this
/// OS thread before it. A test runs its checks in the same order each time, and on an OS thread of its own.
pub(crate) fn site(name: &str) -> u16 {
    thread_local! {
        static CHECKS: RefCell<HashMap<String, u32>> = RefCell::default();
    }
    let number = CHECKS.with_borrow_mut(|checks| {
        let number = checks.entry(name.to_owned()).or_default();
        *number += 1;
        *number
    });
    let mut sum = Sum::default();
    sum.add(name.as_bytes());
    sum.add(&number.to_le_bytes());
    let [lowest, second, ..] = (sum.0 ^ sum.0 >> 16).to_le_bytes();
    u16::from_le_bytes([lowest, second])
}

impl Token {
    /// The token of a schedule, which expects nothing.
    pub(crate) fn new(settings: &Settings, site: u16, schedule: Schedule) -> Token {
        Token {
            visible_releases: settings.visible_releases,
            composition: settings.composition,
            visible_cells: settings.visible_cells,
            weak: settings.weak,
            polled: settings.polled,
            site,
            schedule,
            expected: None,
        }
    }

    /// The token of an execution that has this schedule.
    pub(crate) fn of(execution: &Execution, site: u16, schedule: Schedule) -> Token {
        let expected = Some(Expected::of(execution, &schedule));
        Token {
            expected,
            ..Token::new(&execution.settings, site, schedule)
        }
    }

    /// The token that a text stands for, or why it stands for none.
    pub(crate) fn parse(text: &str) -> Result<Token, &'static str> {
        const BROKEN: &str = "it is not a token, or some of it is missing";
        let text = text.trim();
        if text.starts_with("mz0") || text.starts_with("mz1") {
            return Err("an earlier version of mazurka has made it; run the search again");
        }
        let rest = text.strip_prefix(FORM).ok_or(BROKEN)?;
        let mut parts = rest.split('.');
        let bytes = bytes(parts.next().unwrap_or_default()).ok_or(BROKEN)?;
        let verbs: Vec<&str> = parts.collect();
        let mut reader = Reader { bytes: bytes.iter() };
        let token = reader.token(&verbs).ok_or(BROKEN)?;
        if reader.bytes.len() > 0 {
            return Err(BROKEN);
        }
        Ok(token)
    }
}

/// The bytes of hexadecimal digits.
fn bytes(digits: &str) -> Option<Vec<u8>> {
    if !digits.is_ascii() || !digits.len().is_multiple_of(2) {
        return None;
    }
    (0..digits.len())
        .step_by(2)
        .map(|i| u8::from_str_radix(&digits[i..i + 2], 16).ok())
        .collect()
}

/// Reads a token.
struct Reader<'a> {
    bytes: std::slice::Iter<'a, u8>,
}

impl Reader<'_> {
    fn byte(&mut self) -> Option<u8> {
        self.bytes.next().copied()
    }

    fn number(&mut self) -> Option<u32> {
        let (mut number, mut shift) = (0, 0);
        loop {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return u32::try_from(number).ok();
            }
            shift += 7;
            if shift > u32::BITS {
                return None;
            }
        }
    }

    fn token(&mut self, verbs: &[&str]) -> Option<Token> {
        let flags = self.byte()?;
        let site = u16::from_be_bytes([self.byte()?, self.byte()?]);
        let mut polled = 0;
        if flags & POLLED != 0 {
            for _ in 0..size_of::<u64>() {
                polled = polled << 8 | u64::from(self.byte()?);
            }
        }
        let mut schedule = Schedule::default();
        if flags & PARENTS != 0 {
            for id in 0..self.number()? {
                let parent = self.number().filter(|parent| *parent <= id)?;
                schedule.parents.push(parent);
            }
        }
        let mut expected = (flags & EXPECTED != 0).then(Expected::default);
        let mut depth = 0usize;
        for _ in 0..self.number()? {
            depth = depth.checked_add(self.number()? as usize)?;
            let (thread, choice) = (ThreadId(self.number()?), self.number()?);
            schedule.push(depth, thread, choice);
            depth = depth.checked_add(1)?;
            if let Some(expected) = &mut expected {
                let verb = verbs.get(self.number()? as usize)?;
                expected.departures.push(((*verb).to_owned(), self.byte()?));
            }
        }
        if let Some(expected) = &mut expected {
            expected.end = (self.number()? as usize, self.byte()?);
        }
        Some(Token {
            visible_releases: flags & 1 != 0,
            composition: flags & 2 != 0,
            visible_cells: flags & 4 != 0,
            weak: flags & 8 != 0,
            polled,
            site,
            schedule,
            expected,
        })
    }
}

/// Writes a number with seven bits in each byte.
fn number(f: &mut std::fmt::Formatter<'_>, mut number: u32) -> std::fmt::Result {
    while number > 0x7f {
        write!(f, "{:02x}", number & 0x7f | 0x80)?;
        number >>= 7;
    }
    write!(f, "{number:02x}")
}

impl std::fmt::Display for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let flag = |there: bool, flag: u8| if there { flag } else { 0 };
        let flags = u8::from(self.visible_releases)
            | u8::from(self.composition) << 1
            | u8::from(self.visible_cells) << 2
            | u8::from(self.weak) << 3
            | flag(self.polled != 0, POLLED)
            | flag(!self.schedule.parents.is_empty(), PARENTS)
            | flag(self.expected.is_some(), EXPECTED);
        write!(f, "{FORM}{flags:02x}{:04x}", self.site)?;
        if self.polled != 0 {
            write!(f, "{:016x}", self.polled)?;
        }
        if !self.schedule.parents.is_empty() {
            number(f, short(self.schedule.parents.len()))?;
            self.schedule.parents.iter().try_for_each(|parent| number(f, *parent))?;
        }
        let mut verbs: Vec<&str> = Vec::new();
        let mut next = 0;
        number(f, short(self.schedule.departures.len()))?;
        for (i, &(depth, thread, choice)) in self.schedule.departures.iter().enumerate() {
            [short(depth - next), thread.0, choice]
                .into_iter()
                .try_for_each(|n| number(f, n))?;
            next = depth + 1;
            if let Some(expected) = &self.expected {
                // A departure whose step did not happen any more expects what nothing is.
                let (verb, sum) = expected
                    .departures
                    .get(i)
                    .map_or(("", 0), |(verb, sum)| (&verb[..], *sum));
                let known = verbs.iter().position(|known| *known == verb);
                number(f, short(known.unwrap_or(verbs.len())))?;
                write!(f, "{sum:02x}")?;
                if known.is_none() {
                    verbs.push(verb);
                }
            }
        }
        if let Some(expected) = &self.expected {
            number(f, short(expected.end.0))?;
            write!(f, "{:02x}", expected.end.1)?;
        }
        verbs.iter().try_for_each(|verb| write!(f, ".{verb}"))
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

    fn token() -> Token {
        let mut schedule = Schedule::default();
        schedule.push(3, ThreadId(2), 0);
        schedule.push(4, ThreadId(1), 300);
        schedule.push(1000, ThreadId(0), 1);
        Token {
            visible_releases: true,
            composition: false,
            visible_cells: true,
            weak: true,
            polled: 0,
            site: 0xbeef,
            schedule,
            expected: None,
        }
    }

    #[test]
    fn a_token_reads_back() {
        let polled = Token {
            polled: 1 << 63 | 1,
            ..token()
        };
        let mut expecting = token();
        expecting.schedule.parents = vec![0, 0, 1];
        expecting.expected = Some(Expected {
            departures: vec![("lock".into(), 7), ("send--ready".into(), 8), ("lock".into(), 255)],
            end: (1004, 3),
        });
        for token in [token(), polled, expecting] {
            assert_eq!(Token::parse(&token.to_string()), Ok(token));
        }
    }

    #[test]
    fn what_is_no_token_is_refused() {
        let whole = token().to_string();
        for end in 0..whole.len() {
            assert!(Token::parse(&whole[..end]).is_err(), "{}", &whole[..end]);
        }
        for text in [
            "hello",
            "mzé",
            "mz2é",
            "mz2000000012",
            "mz20000000000",
            "mz24000000001000000000000.lock.x",
        ] {
            assert!(Token::parse(text).is_err(), "{text}");
        }
        let old = Token::parse("mz028d27010100").unwrap_err();
        assert!(old.contains("earlier version"), "{old}");
        // A thread whose parent comes later.
        assert!(Token::parse("mz220000002000100").is_ok());
        assert!(Token::parse("mz220000002010000").is_err());
    }

    #[test]
    fn a_number_of_a_token_has_32_bits() {
        let read = |delta: &str| Token::parse(&format!("mz200000001{delta}0100")).map(|token| token.schedule);
        let at = |depth: usize| {
            let mut schedule = Schedule::default();
            schedule.push(depth, ThreadId(1), 0);
            Ok(schedule)
        };
        assert_eq!(read("ffffffff0f"), at(u32::MAX as usize));
        assert!(read("ffffffff1f").is_err());
        assert!(read("808080808001").is_err());
        assert!(read("80808080808080808001").is_err());
    }

    #[test]
    fn checks_are_told_apart_by_their_order() {
        let [first, second] = [site("a::b::{{closure}}"), site("a::b::{{closure}}")];
        assert_ne!(first, second);
        let again = std::thread::spawn(|| site("a::b::{{closure}}")).join().unwrap();
        assert_eq!(again, first);
    }
}
