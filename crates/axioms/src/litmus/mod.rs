//! Litmus tests: small programs, an outcome, and whether the model allows it.
//!
//! The files in `litmus/` have one family each. A test is
//!
//! ```text
//! test MP+rel+acq
//! init x = 0, y = 0
//! thread { store(x, 1, rlx); store(y, 1, rel) }
//! thread { r0 = load(y, acq); r1 = load(x, rlx) }
//! exists 1:r0 == 1 && 1:r1 == 0
//! forbidden because the load of y synchronises with the store that it reads
//! ```
//!
//! Locations that `init` does not mention hold 0. They are numbered in the order in which the text mentions them.
//! Registers are `r0`, `r1`, …, mutexes `m0`, `m1`, …, any other word is a location. The statements are `load`, `store`,
//! `add` and `swap` (which give the old value), `cas` and `weak_cas` (old value, and whether it succeeded), `fence`,
//! `if … { … } else { … }`, `read` and `write` (not atomic), `lock` and `unlock`. Conditions have `==`, `!=`, `&&`, `||`, `!`
//! and parentheses; `exists race` asks for a data race. `#` begins a comment.

mod condition;
mod parse;
mod scanner;

use std::fmt::{self, Display, Formatter};

pub use parse::parse_litmus;

use crate::enumerate::enumerate;
use crate::graph::Outcome;
use crate::program::{Location, Program, Register, Value};

/// A program, a question about its outcomes, and the answer with its reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LitmusTest {
    /// Its name, as in the literature where it has one there.
    pub name: String,
    /// The program.
    pub program: Program,
    /// What is asked.
    pub question: Question,
    /// Whether the model allows it.
    pub allowed: bool,
    /// Why.
    pub reason: String,
    /// The line at which it begins.
    pub line: usize,
}

/// What a litmus test asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Question {
    /// Whether a consistent execution ends like this.
    Outcome(Condition),
    /// Whether a consistent execution has a data race.
    Race,
}

/// A condition on outcomes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    /// A register of a thread has this value.
    Register(usize, Register, Value),
    /// The last value of a location is this.
    Location(Location, Value),
    /// Not.
    Not(Box<Condition>),
    /// Both.
    And(Box<Condition>, Box<Condition>),
    /// At least one.
    Or(Box<Condition>, Box<Condition>),
}

impl Condition {
    /// Whether it holds of this outcome.
    pub fn holds(&self, outcome: &Outcome) -> bool {
        match self {
            Condition::Register(thread, register, value) => {
                outcome.registers[*thread][usize::from(register.0)] == *value
            }
            Condition::Location(location, value) => outcome.locations[usize::from(location.0)] == *value,
            Condition::Not(condition) => !condition.holds(outcome),
            Condition::And(a, b) => a.holds(outcome) && b.holds(outcome),
            Condition::Or(a, b) => a.holds(outcome) || b.holds(outcome),
        }
    }
}

impl LitmusTest {
    /// Whether the enumerator finds what is asked for.
    pub fn is_found(&self) -> bool {
        let executions = enumerate(&self.program);
        match &self.question {
            Question::Outcome(condition) => executions.outcomes.iter().any(|outcome| condition.holds(outcome)),
            Question::Race => executions.racy(),
        }
    }
}

/// What is wrong with the text of litmus tests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1, in characters.
    pub column: usize,
    /// What is wrong there.
    pub message: String,
}

impl Display for ParseError {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.message)
    }
}

impl std::error::Error for ParseError {}

/// The files of the corpus, and their texts.
const FAMILIES: &[(&str, &str)] = &[
    ("store_buffering", include_str!("../../litmus/store_buffering.litmus")),
    ("message_passing", include_str!("../../litmus/message_passing.litmus")),
    ("load_buffering", include_str!("../../litmus/load_buffering.litmus")),
    ("s", include_str!("../../litmus/s.litmus")),
    ("r", include_str!("../../litmus/r.litmus")),
    (
        "two_plus_two_writes",
        include_str!("../../litmus/two_plus_two_writes.litmus"),
    ),
    ("iriw", include_str!("../../litmus/iriw.litmus")),
    ("wrc", include_str!("../../litmus/wrc.litmus")),
    ("isa2", include_str!("../../litmus/isa2.litmus")),
    ("z6", include_str!("../../litmus/z6.litmus")),
    ("rwc", include_str!("../../litmus/rwc.litmus")),
    ("coherence", include_str!("../../litmus/coherence.litmus")),
    (
        "release_sequences",
        include_str!("../../litmus/release_sequences.litmus"),
    ),
    ("updates", include_str!("../../litmus/updates.litmus")),
    ("cas_orders", include_str!("../../litmus/cas_orders.litmus")),
    ("fences", include_str!("../../litmus/fences.litmus")),
    ("locks", include_str!("../../litmus/locks.litmus")),
    ("races", include_str!("../../litmus/races.litmus")),
];

/// The whole corpus, file by file.
///
/// # Panics
/// If a file of the corpus cannot be read, which a test excludes.
pub fn litmus_tests() -> Vec<LitmusTest> {
    let family =
        |(name, text): &(&str, &str)| parse_litmus(text).unwrap_or_else(|error| panic!("litmus/{name}.litmus:{error}"));
    FAMILIES.iter().flat_map(family).collect()
}
