//! The parser of conditions on outcomes.

use super::parse::Parser;
use super::{Condition, ParseError};
use crate::program::{Location, Register};

impl Parser<'_, '_> {
    /// A condition: conjunctions, separated by `||`.
    pub(super) fn either(&mut self) -> Result<Condition, ParseError> {
        let mut condition = self.both()?;
        while self.scanner.takes("||") {
            condition = Condition::Or(Box::new(condition), Box::new(self.both()?));
        }
        Ok(condition)
    }

    fn both(&mut self) -> Result<Condition, ParseError> {
        let mut condition = self.condition()?;
        while self.scanner.takes("&&") {
            condition = Condition::And(Box::new(condition), Box::new(self.condition()?));
        }
        Ok(condition)
    }

    fn condition(&mut self) -> Result<Condition, ParseError> {
        if self.scanner.takes("!") {
            return Ok(Condition::Not(Box::new(self.condition()?)));
        }
        if self.scanner.takes("(") {
            let inner = self.either()?;
            self.scanner.expect(")")?;
            return Ok(inner);
        }
        self.comparison()
    }

    /// `1:r0 == 2` or `x != 2`.
    fn comparison(&mut self) -> Result<Condition, ParseError> {
        let is_register = self.scanner.peek().starts_with(|c: char| c.is_ascii_digit());
        let subject = if is_register {
            self.register_of_a_thread()?
        } else {
            self.known_location()?
        };
        let differs = self.scanner.takes("!=");
        if !differs {
            self.scanner.expect("==")?;
        }
        let value = self.number()?;
        let equal = match subject {
            Subject::Register(thread, register) => Condition::Register(thread, register, value),
            Subject::Location(location) => Condition::Location(location, value),
        };
        Ok(if differs {
            Condition::Not(Box::new(equal))
        } else {
            equal
        })
    }

    fn register_of_a_thread(&mut self) -> Result<Subject, ParseError> {
        let word = self.scanner.peek();
        let thread = word.parse().ok().filter(|thread| *thread < self.program.threads.len());
        let thread = thread.ok_or_else(|| self.scanner.error(format!("there is no thread {word}")))?;
        self.scanner.word("a thread")?;
        self.scanner.expect(":")?;
        let unknown = self
            .scanner
            .error(format!("thread {thread} does not assign `{}`", self.scanner.peek()));
        let register = self.register()?;
        if usize::from(register.0) >= self.program.registers(thread) {
            return Err(unknown);
        }
        Ok(Subject::Register(thread, register))
    }

    fn known_location(&mut self) -> Result<Subject, ParseError> {
        let known = self.locations.len();
        let unknown = self
            .scanner
            .error(format!("no statement mentions `{}`", self.scanner.peek()));
        let location = self.location()?;
        if usize::from(location.0) >= known {
            return Err(unknown);
        }
        Ok(Subject::Location(location))
    }
}

/// What a comparison is about.
enum Subject {
    Register(usize, Register),
    Location(Location),
}
