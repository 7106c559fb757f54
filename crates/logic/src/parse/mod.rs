//! Parsing of the operators of logic; atoms are parsed by the front end.
//!
//! The parser reads a stream of [`Token`]s of the front end's language through the
//! trait [`Tokens`], and calls back where an atom begins. Precedence is that of an
//! `ltl` block in SPIN 6.5, from loose to tight, every level associating to the left:
//!
//! | level | operators |
//! |---|---|
//! | 1 | `->`, `<->` |
//! | 2 | `\|\|` |
//! | 3 | `&&` |
//! | 4 | `U`, `V`, `W` |
//! | 5 | `!`, `X`, `[]`, `<>` |
//!
//! So `p -> q -> r` is `(p -> q) -> r` and `p U q U r` is `(p U q) U r`. (`spin -f`
//! has a second grammar in which `&&`, `||`, `->` and `<->` are one level.)
//!
//! A parenthesis may belong to the formula or to an atom. It belongs to the atom when
//! what follows its end is an operator of expressions, as in `(x + 1) > 3` and
//! `(a && b) == c`; otherwise both readings mean the same, and it belongs to the formula.
//! `! x == 3` is the expression `(!x) == 3`, as in Promela. `[] x > 3`, in which SPIN
//! compares the truth value of `[] x` with 3 and generates nonsense, is `[] (x > 3)`
//! here, the only reading with a meaning.
//!
//! `snapshot(q)` is an atom whose argument is a formula without temporal operators; see
//! [`snapshot`](crate::snapshot). A name `snapshot` that no parenthesis follows is a name.

mod lexicon;
mod text;

pub use lexicon::Lexicon;
pub use text::{ParseError, parse};

use crate::formula::Formula;

/// An operator of logic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operator {
    /// `!`
    Not,
    /// `X`, `next`
    Next,
    /// `[]`, `always`
    Always,
    /// `<>`, `eventually`
    Eventually,
    /// `U`, `until`, `stronguntil`
    Until,
    /// `V`, `release`
    Release,
    /// `W`, `weakuntil`
    WeakUntil,
    /// `&&`
    And,
    /// `||`
    Or,
    /// `->`, `implies`
    Implies,
    /// `<->`, `equivalent`
    Equivalent,
}

impl Operator {
    /// The operator that a word stands for, where SPIN expects a formula.
    ///
    /// ```
    /// # use mazurka_logic::Operator;
    /// assert_eq!(Operator::from_word("weakuntil"), Some(Operator::WeakUntil));
    /// assert_eq!(Operator::from_word("x"), None);
    /// ```
    pub fn from_word(word: &str) -> Option<Self> {
        Some(match word {
            "X" | "next" => Self::Next,
            "always" => Self::Always,
            "eventually" => Self::Eventually,
            "U" | "until" | "stronguntil" => Self::Until,
            "V" | "release" => Self::Release,
            "W" | "weakuntil" => Self::WeakUntil,
            "implies" => Self::Implies,
            "equivalent" => Self::Equivalent,
            _ => return None,
        })
    }

    /// How tightly it binds between two operands; `None` for a prefix operator.
    fn level(self) -> Option<u32> {
        Some(match self {
            Self::Implies | Self::Equivalent => 1,
            Self::Or => 2,
            Self::And => 3,
            Self::Until | Self::Release | Self::WeakUntil => 4,
            Self::Not | Self::Next | Self::Always | Self::Eventually => return None,
        })
    }
}

/// What the parser needs to know about a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Token {
    /// An operator of logic.
    Operator(Operator),
    /// The constant `true` or `false`.
    Constant(bool),
    /// `(`
    Open,
    /// `)`
    Close,
    /// `[`, which opens an index.
    OpenIndex,
    /// `]`
    CloseIndex,
    /// An operator that joins two expressions and binds tighter than logic: arithmetic, bits, comparisons.
    Tight,
    /// The word `snapshot` before `(`.
    Snapshot,
    /// Any other token of an atom.
    Other,
    /// The end of the formula: of the text, or the `}` of the block.
    End,
}

/// What is wrong with a formula, at the cursor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum SyntaxError {
    /// A formula must begin here.
    #[error("expected a formula")]
    ExpectedFormula,
    /// A formula is complete, but followed by something other than an operator.
    #[error("expected an operator or the end of the formula")]
    ExpectedOperator,
    /// An operator or the end of the group must be here.
    #[error("expected an operator or `)`")]
    ExpectedClose,
    /// A temporal operator or a snapshot inside a snapshot.
    #[error("a snapshot is about one state: only `!`, `&&`, `||`, `->` and `<->` may be used in it")]
    NotAState,
    /// More operators than [`MAX_OPERATORS`] or deeper nesting than [`MAX_DEPTH`].
    #[error("the formula is too large")]
    TooLarge,
}

/// The most operators that a formula may have.
pub const MAX_OPERATORS: usize = 1000;

/// How deep parentheses and prefix operators may be nested.
pub const MAX_DEPTH: usize = 200;

/// A cursor over the tokens of the language that the atoms are written in.
pub trait Tokens {
    /// The type of atoms.
    type Atom;
    /// The type of diagnostics.
    type Error;

    /// The token `ahead` places after the cursor; `token(0)` is next. [`Token::End`] at the end and beyond.
    fn token(&self, ahead: usize) -> Token;

    /// Moves the cursor over one token.
    fn advance(&mut self);

    /// Reads the longest expression at the cursor that has no operator of logic outside
    /// its parentheses, except for `!` before an operand, and leaves the cursor after it.
    fn atom(&mut self) -> Result<Self::Atom, Self::Error>;

    /// The atom `snapshot(q)`. There are no temporal operators in `q`.
    fn snapshot(&mut self, q: Formula<Self::Atom>) -> Result<Self::Atom, Self::Error>;

    /// The diagnostic for `error` at the cursor.
    fn error(&self, error: SyntaxError) -> Self::Error;
}

/// Reads a formula up to [`Token::End`].
///
/// ```
/// use mazurka_logic::{Formula, Operator, SyntaxError, Token, Tokens, parse_tokens};
///
/// /// Words; those that are no operators are atoms.
/// struct Words<'a>(&'a [&'a str]);
///
/// impl<'a> Tokens for Words<'a> {
///     type Atom = &'a str;
///     type Error = SyntaxError;
///     fn token(&self, ahead: usize) -> Token {
///         self.0.get(ahead).map_or(Token::End, |word| match Operator::from_word(word) {
///             Some(operator) => Token::Operator(operator),
///             None => Token::Other,
///         })
///     }
///     fn advance(&mut self) {
///         self.0 = &self.0[1..];
///     }
///     fn atom(&mut self) -> Result<&'a str, SyntaxError> {
///         let atom = self.0[0];
///         self.advance();
///         Ok(atom)
///     }
///     fn snapshot(&mut self, _: Formula<&'a str>) -> Result<&'a str, SyntaxError> {
///         Err(SyntaxError::ExpectedFormula)
///     }
///     fn error(&self, error: SyntaxError) -> SyntaxError {
///         error
///     }
/// }
///
/// let formula = parse_tokens(&mut Words(&["always", "p", "until", "q"]))?;
/// assert_eq!(formula.to_string(), "[]p U q");
/// # Ok::<(), SyntaxError>(())
/// ```
///
/// # Errors
/// If the tokens are no formula, or `tokens` refuses an atom.
pub fn parse_tokens<T: Tokens>(tokens: &mut T) -> Result<Formula<T::Atom>, T::Error> {
    let mut parser = Parser {
        tokens,
        operators: 0,
        depth: 0,
        in_snapshot: false,
    };
    let formula = parser.formula(0)?;
    match parser.tokens.token(0) {
        Token::End => Ok(formula),
        _ => Err(parser.tokens.error(SyntaxError::ExpectedOperator)),
    }
}

struct Parser<'a, T> {
    tokens: &'a mut T,
    /// Operators read so far.
    operators: usize,
    /// Open parentheses and prefix operators.
    depth: usize,
    /// Whether the parser is inside a snapshot, which is about one state.
    in_snapshot: bool,
}

impl<T: Tokens> Parser<'_, T> {
    /// Reads operands joined by operators that bind tighter than `level`.
    fn formula(&mut self, level: u32) -> Result<Formula<T::Atom>, T::Error> {
        let mut left = self.operand()?;
        while let Token::Operator(operator) = self.tokens.token(0) {
            let Some(tight) = operator.level().filter(|&tight| tight > level) else {
                break;
            };
            self.check_state(operator)?;
            self.step_over_operator()?;
            let (f, g) = (Box::new(left), Box::new(self.formula(tight)?));
            left = match operator {
                Operator::Until => Formula::Until(f, g),
                Operator::Release => Formula::Release(f, g),
                Operator::WeakUntil => Formula::WeakUntil(f, g),
                Operator::And => Formula::And(f, g),
                Operator::Or => Formula::Or(f, g),
                Operator::Implies => Formula::Implies(f, g),
                _ => Formula::Equivalent(f, g),
            };
        }
        Ok(left)
    }

    fn operand(&mut self) -> Result<Formula<T::Atom>, T::Error> {
        if self.depth == MAX_DEPTH {
            return Err(self.tokens.error(SyntaxError::TooLarge));
        }
        self.depth += 1;
        let formula = match self.tokens.token(0) {
            Token::Operator(Operator::Not) if self.expression_before_logic() => Formula::Atom(self.tokens.atom()?),
            Token::Operator(operator) if operator.level().is_none() => {
                self.check_state(operator)?;
                self.step_over_operator()?;
                let f = Box::new(self.operand()?);
                match operator {
                    Operator::Not => Formula::Not(f),
                    Operator::Next => Formula::Next(f),
                    Operator::Always => Formula::Always(f),
                    _ => Formula::Eventually(f),
                }
            }
            Token::Open if self.tokens.token(self.after_group(0)) != Token::Tight => self.group()?,
            Token::Snapshot if self.in_snapshot => return Err(self.tokens.error(SyntaxError::NotAState)),
            Token::Snapshot => {
                self.tokens.advance();
                self.in_snapshot = true;
                let q = self.group()?;
                self.in_snapshot = false;
                Formula::Atom(self.tokens.snapshot(q)?)
            }
            Token::Constant(value) if self.tokens.token(1) != Token::Tight => {
                self.tokens.advance();
                if value { Formula::True } else { Formula::False }
            }
            Token::Open | Token::Constant(_) | Token::Tight | Token::Other => Formula::Atom(self.tokens.atom()?),
            Token::Operator(_) | Token::Close | Token::OpenIndex | Token::CloseIndex | Token::End => {
                return Err(self.tokens.error(SyntaxError::ExpectedFormula));
            }
        };
        self.depth -= 1;
        Ok(formula)
    }

    /// Reads a formula in parentheses.
    fn group(&mut self) -> Result<Formula<T::Atom>, T::Error> {
        self.tokens.advance();
        let formula = self.formula(0)?;
        if self.tokens.token(0) != Token::Close {
            return Err(self.tokens.error(SyntaxError::ExpectedClose));
        }
        self.tokens.advance();
        Ok(formula)
    }

    /// Refuses temporal operators inside a snapshot.
    fn check_state(&self, operator: Operator) -> Result<(), T::Error> {
        use Operator::{And, Equivalent, Implies, Not, Or};
        match operator {
            Not | And | Or | Implies | Equivalent => Ok(()),
            _ if self.in_snapshot => Err(self.tokens.error(SyntaxError::NotAState)),
            _ => Ok(()),
        }
    }

    /// Steps over an operator, unless there are too many.
    fn step_over_operator(&mut self) -> Result<(), T::Error> {
        if self.operators == MAX_OPERATORS {
            return Err(self.tokens.error(SyntaxError::TooLarge));
        }
        self.operators += 1;
        self.tokens.advance();
        Ok(())
    }

    /// The place after the group that opens at `ahead`, or of the end if it does not close.
    fn after_group(&self, mut ahead: usize) -> usize {
        let mut open = 0;
        loop {
            match self.tokens.token(ahead) {
                Token::Open | Token::OpenIndex => open += 1,
                Token::Close | Token::CloseIndex => open -= 1,
                Token::End => return ahead,
                _ => {}
            }
            ahead += 1;
            if open == 0 {
                return ahead;
            }
        }
    }

    /// Whether an operator of expressions comes before the next operator of logic other than `!`.
    fn expression_before_logic(&self) -> bool {
        let mut ahead = 0;
        loop {
            match self.tokens.token(ahead) {
                Token::Tight => return true,
                Token::Operator(Operator::Not) | Token::Other | Token::Constant(_) => ahead += 1,
                Token::Open | Token::OpenIndex => ahead = self.after_group(ahead),
                Token::Operator(_) | Token::Snapshot | Token::Close | Token::CloseIndex | Token::End => return false,
            }
        }
    }
}
