//! The parser of litmus tests, by recursive descent.

use super::scanner::Scanner;
use super::{LitmusTest, ParseError, Question};
use crate::program::{Expr, Location, Mutex, Operator, Order, Program, Register, Statement, Update, Value};

/// Reads litmus tests. The crate's `litmus` folder has examples of everything.
///
/// # Errors
/// The first mistake, with its place.
pub fn parse_litmus(text: &str) -> Result<Vec<LitmusTest>, ParseError> {
    let mut scanner = Scanner::new(text);
    let mut tests = Vec::new();
    while !scanner.is_at_end() {
        tests.push(
            Parser {
                scanner: &mut scanner,
                locations: Vec::new(),
                program: Program::default(),
            }
            .test()?,
        );
    }
    Ok(tests)
}

/// What reads one test.
pub(super) struct Parser<'s, 'a> {
    pub(super) scanner: &'s mut Scanner<'a>,
    /// The names of the locations.
    pub(super) locations: Vec<&'a str>,
    pub(super) program: Program,
}

impl Parser<'_, '_> {
    fn test(mut self) -> Result<LitmusTest, ParseError> {
        let line = self.scanner.line_number();
        self.scanner.expect("test")?;
        let name = self.scanner.line("the name of the test")?.to_string();
        if self.scanner.takes("init") {
            self.initial()?;
        }
        while self.scanner.takes("thread") {
            let thread = self.block()?;
            self.program.threads.push(thread);
        }
        if self.program.threads.is_empty() {
            return Err(self.scanner.expected("`thread`"));
        }
        self.program.validate().map_err(|message| ParseError {
            line,
            column: 1,
            message: format!("{name}: {message}"),
        })?;
        self.scanner.expect("exists")?;
        let question = if self.scanner.takes("race") {
            Question::Race
        } else {
            Question::Outcome(self.either()?)
        };
        let allowed = self.scanner.takes("allowed");
        if !allowed && !self.scanner.takes("forbidden") {
            return Err(self.scanner.expected("`allowed` or `forbidden`"));
        }
        self.scanner.expect("because")?;
        let reason = self.scanner.line("the reason")?.to_string();
        Ok(LitmusTest {
            name,
            program: self.program,
            question,
            allowed,
            reason,
            line,
        })
    }

    fn initial(&mut self) -> Result<(), ParseError> {
        loop {
            let Location(location) = self.location()?;
            self.scanner.expect("=")?;
            self.program.initial[usize::from(location)] = self.number()?;
            if !self.scanner.takes(",") {
                return Ok(());
            }
        }
    }

    fn block(&mut self) -> Result<Vec<Statement>, ParseError> {
        self.scanner.expect("{")?;
        let mut statements = Vec::new();
        while !self.scanner.takes("}") {
            statements.push(self.statement()?);
            if !self.scanner.takes(";") {
                self.scanner.expect("}")?;
                break;
            }
        }
        Ok(statements)
    }

    fn statement(&mut self) -> Result<Statement, ParseError> {
        if self.scanner.takes("if") {
            let cond = self.expression(0)?;
            let then = self.block()?;
            let else_ = if self.scanner.takes("else") {
                self.block()?
            } else {
                Vec::new()
            };
            return Ok(Statement::If { cond, then, else_ });
        }
        if numbered(self.scanner.peek(), 'r').is_some() {
            return self.assignment();
        }
        let name = ["fence", "lock", "unlock", "store", "write"]
            .into_iter()
            .find(|name| self.scanner.takes(name));
        let name = name.ok_or_else(|| self.scanner.expected("a statement"))?;
        self.scanner.expect("(")?;
        let statement = match name {
            "fence" => Statement::Fence(self.order()?),
            "lock" => Statement::Lock(self.mutex()?),
            "unlock" => Statement::Unlock(self.mutex()?),
            _ => {
                let loc = self.location()?;
                let value = self.argument()?;
                if name == "write" {
                    Statement::NonAtomicWrite { loc, value }
                } else {
                    Statement::Store {
                        loc,
                        value,
                        order: self.next_order()?,
                    }
                }
            }
        };
        self.scanner.expect(")")?;
        Ok(statement)
    }

    /// `r0 = load(x, acq)` and the like.
    fn assignment(&mut self) -> Result<Statement, ParseError> {
        let reg = self.register()?;
        if self.scanner.takes(",") {
            return self.compare_and_swap(reg);
        }
        self.scanner.expect("=")?;
        let name = ["load", "read", "add", "swap"]
            .into_iter()
            .find(|name| self.scanner.takes(name));
        let name = name.ok_or_else(|| self.scanner.expected("`load`, `read`, `add` or `swap`"))?;
        self.scanner.expect("(")?;
        let loc = self.location()?;
        let statement = match name {
            "load" => Statement::Load {
                reg,
                loc,
                order: self.next_order()?,
            },
            "read" => Statement::NonAtomicRead { reg, loc },
            _ => {
                let by = self.argument()?;
                let op = if name == "add" {
                    Update::Add(by)
                } else {
                    Update::Swap(by)
                };
                Statement::Rmw {
                    reg,
                    loc,
                    op,
                    order: self.next_order()?,
                }
            }
        };
        self.scanner.expect(")")?;
        Ok(statement)
    }

    fn compare_and_swap(&mut self, reg: Register) -> Result<Statement, ParseError> {
        let flag = self.register()?;
        self.scanner.expect("=")?;
        let weak = self.scanner.takes("weak_cas");
        if !weak && !self.scanner.takes("cas") {
            return Err(self.scanner.expected("`cas` or `weak_cas`"));
        }
        self.scanner.expect("(")?;
        let loc = self.location()?;
        let expected = self.argument()?;
        let new = self.argument()?;
        let success = self.next_order()?;
        let failure = self.next_order()?;
        self.scanner.expect(")")?;
        Ok(Statement::Cas {
            reg,
            flag,
            loc,
            expected,
            new,
            success,
            failure,
            weak,
        })
    }

    fn argument(&mut self) -> Result<Expr, ParseError> {
        self.scanner.expect(",")?;
        self.expression(0)
    }

    /// An expression of operators that bind at least this tightly: comparisons, sums, products.
    fn expression(&mut self, level: usize) -> Result<Expr, ParseError> {
        const LEVELS: [&[Operator]; 3] = [
            &[Operator::Equal, Operator::NotEqual, Operator::Less],
            &[Operator::Add, Operator::Subtract],
            &[Operator::Multiply],
        ];
        let Some(operators) = LEVELS.get(level) else {
            return self.operand();
        };
        let mut expression = self.expression(level + 1)?;
        while let Some(operator) = operators.iter().find(|operator| self.scanner.takes(operator.symbol())) {
            let right = self.expression(level + 1)?;
            expression = Expr::Binary(*operator, Box::new(expression), Box::new(right));
        }
        Ok(expression)
    }

    fn operand(&mut self) -> Result<Expr, ParseError> {
        if self.scanner.takes("(") {
            let inner = self.expression(0)?;
            self.scanner.expect(")")?;
            return Ok(inner);
        }
        if self.scanner.peek().starts_with(|c: char| c.is_ascii_digit()) {
            return Ok(Expr::Constant(self.number()?));
        }
        Ok(Expr::Register(self.register()?))
    }

    pub(super) fn register(&mut self) -> Result<Register, ParseError> {
        let index = numbered(self.scanner.peek(), 'r').ok_or_else(|| self.scanner.expected("a register"))?;
        self.scanner.word("a register")?;
        Ok(Register(index))
    }

    fn mutex(&mut self) -> Result<Mutex, ParseError> {
        let index = numbered(self.scanner.peek(), 'm').ok_or_else(|| self.scanner.expected("a mutex"))?;
        self.scanner.word("a mutex")?;
        Ok(Mutex(index))
    }

    /// A location, which is new if its name is.
    pub(super) fn location(&mut self) -> Result<Location, ParseError> {
        let name = self.scanner.peek();
        let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic());
        if !is_name || numbered(name, 'r').is_some() || numbered(name, 'm').is_some() {
            return Err(self.scanner.expected("a location"));
        }
        let index = self
            .locations
            .iter()
            .position(|known| *known == name)
            .unwrap_or(self.locations.len());
        let location = u8::try_from(index).map_err(|_| self.scanner.error("more than 256 locations".to_string()))?;
        if index == self.locations.len() {
            self.locations.push(name);
            self.program.initial.push(0);
        }
        self.scanner.word("a location")?;
        Ok(Location(location))
    }

    fn next_order(&mut self) -> Result<Order, ParseError> {
        self.scanner.expect(",")?;
        self.order()
    }

    fn order(&mut self) -> Result<Order, ParseError> {
        let order = Order::ALL.into_iter().find(|order| self.scanner.takes(order.name()));
        order.ok_or_else(|| self.scanner.expected("`rlx`, `acq`, `rel`, `acqrel` or `sc`"))
    }

    pub(super) fn number(&mut self) -> Result<Value, ParseError> {
        let number = self
            .scanner
            .peek()
            .parse()
            .map_err(|_| self.scanner.expected("a number"))?;
        self.scanner.word("a number")?;
        Ok(number)
    }
}

/// The number in `r0`, `m12`.
fn numbered(word: &str, letter: char) -> Option<u8> {
    let digits = word.strip_prefix(letter)?;
    if digits.starts_with(|c: char| c.is_ascii_digit()) {
        digits.parse().ok()
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::super::Condition;
    use super::*;

    fn message(text: &str) -> String {
        parse_litmus(text).expect_err(text).to_string()
    }

    #[test]
    fn mistakes_are_named_with_their_places() {
        let cases = [
            ("SB", "1:1: expected `test`, found `SB`"),
            ("test", "1:5: expected the name of the test, found the end"),
            ("test A\nexists x == 0", "2:1: expected `thread`, found `exists`"),
            ("test A\nthread { jump(x) }", "2:10: expected a statement, found `jump`"),
            (
                "test A\nthread { store(x, 1, strong) }",
                "2:22: expected `rlx`, `acq`, `rel`, `acqrel` or `sc`, found `strong`",
            ),
            (
                "test A\nthread { store(x, 1, acq) }",
                "1:1: A: thread 0: std has no such ordering for this: store(x, 1, acq)",
            ),
            (
                "test A\nthread { store(r1, 1, rlx) }",
                "2:16: expected a location, found `r1`",
            ),
            (
                "test A\nthread { r0 = store(x, 1, rlx) }",
                "2:15: expected `load`, `read`, `add` or `swap`, found `store`",
            ),
            (
                "test A\nthread { r0, r1 = load(x, rlx) }",
                "2:19: expected `cas` or `weak_cas`, found `load`",
            ),
            ("test A\nthread { lock(x) }", "2:15: expected a mutex, found `x`"),
            (
                "test A\nthread { lock(m0) }\nexists race",
                "1:1: A: thread 0: m0 is locked at the end",
            ),
            (
                "test A\nthread { r0 = load(x, rlx) }\nexists 1:r0 == 0",
                "3:8: there is no thread 1",
            ),
            (
                "test A\nthread { r0 = load(x, rlx) }\nexists 0:r1 == 0",
                "3:10: thread 0 does not assign `r1`",
            ),
            (
                "test A\nthread { r0 = load(x, rlx) }\nexists y == 0",
                "3:8: no statement mentions `y`",
            ),
            (
                "test A\nthread { r0 = load(x, rlx) }\nexists x = 0",
                "3:10: expected `==`, found `=`",
            ),
            (
                "test A\nthread { }\nexists race maybe",
                "3:13: expected `allowed` or `forbidden`, found `maybe`",
            ),
            (
                "test A\nthread { }\nexists race\nallowed",
                "4:8: expected `because`, found the end",
            ),
        ];
        for (text, expected) in cases {
            assert_eq!(message(text), expected, "{text}");
        }
    }

    #[test]
    fn operators_bind_as_usual() {
        let text = "test A\nthread { store(x, 1 + 2 * 3 == 7, rlx) }\nexists x == 1 || x == 2 && x == 3\nallowed because 7 == 7";
        let test = parse_litmus(text).unwrap().remove(0);
        assert_eq!(
            test.program.to_string(),
            "init x = 0\nthread { store(x, ((1 + (2 * 3)) == 7), rlx) }"
        );
        assert!(test.is_found());
        assert!(matches!(test.question, Question::Outcome(Condition::Or(..))));
    }
}
