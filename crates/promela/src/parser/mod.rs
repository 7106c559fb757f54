//! The parser: from tokens to a syntax tree, by recursive descent.
//!
//! It accepts what SPIN 6.5's grammar accepts, and a little more. Statements are
//! separated by `;` or `->`, which may be missing after `}`, `fi`, `od` and `else`, and
//! at the end of a line. A line that begins with an operator that cannot begin a
//! statement continues the line before; SPIN refuses this.
//!
//! The parser never gives up: after an error it continues with the next statement, option
//! or declaration, so it finds several errors at once. Nesting is
//! limited, so no text exhausts the stack.

mod declaration;
mod expression;
mod formula;
mod inline;
mod message;
mod statement;
mod unit;

use crate::diagnostic::Diagnostic;
use crate::lexer::{Token, TokenKind};
use crate::preprocess::expansion::{At, Expansions};
use crate::syntax::{Atom, Name, Unit};
pub(crate) use formula::written;
use inline::{Call, Inline};
use mazurka_logic::Formula;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// An error that was reported.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reported;

type Parsed<T> = Result<T, Reported>;

/// How deep statements and expressions may be nested.
const DEPTH: usize = 150;

/// The greatest number of operators in an expression.
const CHAIN: usize = 1000;

/// The greatest number of errors that are reported.
const ERRORS: usize = 20;

/// The keywords. `in` is not among them, since many channels have this name; it is special only in `for (x in a)`.
pub(crate) const KEYWORDS: [&str; 69] = [
    "active",
    "assert",
    "atomic",
    "bit",
    "bool",
    "break",
    "byte",
    "c_code",
    "c_decl",
    "c_expr",
    "c_state",
    "c_track",
    "D_proctype",
    "do",
    "chan",
    "else",
    "empty",
    "enabled",
    "eval",
    "false",
    "fi",
    "for",
    "full",
    "get_priority",
    "goto",
    "hidden",
    "if",
    "init",
    "inline",
    "int",
    "len",
    "local",
    "ltl",
    "mtype",
    "nempty",
    "never",
    "nfull",
    "notrace",
    "np_",
    "od",
    "of",
    "pc_value",
    "pid",
    "printf",
    "printm",
    "priority",
    "proctype",
    "provided",
    "return",
    "run",
    "d_step",
    "select",
    "set_priority",
    "short",
    "skip",
    "timeout",
    "trace",
    "true",
    "show",
    "typedef",
    "unless",
    "unsigned",
    "xr",
    "xs",
    "_",
    "_pid",
    "_last",
    "_nr_pr",
    "_priority",
];

/// The syntax tree, and its diagnostics.
pub(crate) struct Tree {
    pub(crate) units: Vec<Unit>,
    pub(crate) expansions: Expansions,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

/// Parses a model.
pub(crate) fn parse(tokens: Vec<Token>, expansions: Expansions) -> Tree {
    let mut parser = Parser::new(tokens, expansions);
    let units = parser.units();
    Tree {
        units,
        expansions: parser.expansions,
        diagnostics: parser.diagnostics,
    }
}

/// Parses a text as a formula about these proctypes.
pub(crate) fn parse_formula(
    tokens: Vec<Token>,
    expansions: Expansions,
    proctypes: impl IntoIterator<Item = Rc<str>>,
) -> (Option<Formula<Atom>>, Expansions, Vec<Diagnostic>) {
    let mut parser = Parser::new(Vec::new(), expansions);
    parser.proctypes.extend(proctypes);
    let formula = parser.formula(&tokens).ok();
    (formula, parser.expansions, parser.diagnostics)
}

struct Parser {
    tokens: Rc<[Token]>,
    at: usize,
    expansions: Expansions,
    diagnostics: Vec<Diagnostic>,
    inlines: HashMap<Rc<str>, Rc<Inline>>,
    /// The inlines that are being expanded, innermost last.
    calls: Vec<Call>,
    typedefs: HashSet<Rc<str>>,
    proctypes: HashSet<Rc<str>>,
    depth: usize,
    /// The depth of the innermost statement.
    statement_depth: usize,
    /// The number of operators in the current expression.
    operators: usize,
    /// The number of open brackets around the current expression.
    brackets: usize,
    /// Whether `>` closes a `c?<…>` here.
    in_copy: bool,
    /// The number of tokens that inlines may still expand to.
    budget: usize,
}

impl Parser {
    fn new(tokens: Vec<Token>, expansions: Expansions) -> Self {
        Self {
            tokens: tokens.into(),
            at: 0,
            expansions,
            diagnostics: Vec::new(),
            inlines: HashMap::new(),
            calls: Vec::new(),
            typedefs: HashSet::new(),
            proctypes: HashSet::new(),
            depth: 0,
            statement_depth: 0,
            operators: 0,
            brackets: 0,
            in_copy: false,
            budget: 1_000_000,
        }
    }

    /// The token `k` tokens ahead. The last token, the end of the text, is never consumed.
    fn peek_at(&self, k: usize) -> &Token {
        &self.tokens[(self.at + k).min(self.tokens.len() - 1)]
    }

    fn peek(&self) -> &Token {
        self.peek_at(0)
    }

    fn is(&self, text: &str) -> bool {
        self.peek().is(text)
    }

    fn is_at(&self, k: usize, text: &str) -> bool {
        self.peek_at(k).is(text)
    }

    fn at_end(&self) -> bool {
        self.peek().kind == TokenKind::End
    }

    /// The place of the next token.
    fn here(&self) -> At {
        at(self.peek())
    }

    /// The place of the token before.
    fn before(&self) -> At {
        at(&self.tokens[self.at.saturating_sub(1)])
    }

    /// The span from a place to the token before.
    fn since(&self, begin: At) -> At {
        self.expansions.join(begin, self.before())
    }

    fn next(&mut self) -> Token {
        let token = self.peek().clone();
        if self.at + 1 < self.tokens.len() {
            self.at += 1;
        }
        token
    }

    fn eat(&mut self, text: &str) -> bool {
        let found = self.is(text);
        if found {
            self.next();
        }
        found
    }

    fn expect(&mut self, text: &str) -> Parsed<At> {
        if self.is(text) {
            return Ok(at(&self.next()));
        }
        Err(self.expected(&format!("`{text}`")))
    }

    fn report(&mut self, diagnostic: Diagnostic, place: At) -> Reported {
        let diagnostic = self.expansions.explain(diagnostic, place.origin);
        // An error in an inline or macro is reported only once.
        let known = |found: &Diagnostic| found.span == diagnostic.span && found.message == diagnostic.message;
        if self.diagnostics.len() <= ERRORS && !self.diagnostics.iter().any(known) {
            self.diagnostics.push(diagnostic);
        }
        Reported
    }

    fn error(&mut self, id: &'static str, place: At, message: impl Into<String>) -> Reported {
        self.report(Diagnostic::error(id, place.span, message), place)
    }

    /// Reports that something else was expected here.
    fn expected(&mut self, what: &str) -> Reported {
        let token = self.peek().clone();
        let place = at(&token);
        let message = match &token.kind {
            TokenKind::End if !self.calls.is_empty() => format!("expected {what}, but the inline ends"),
            TokenKind::End => format!("expected {what}, but the text ends"),
            TokenKind::Unterminated => "this string does not end on its line".to_owned(),
            TokenKind::OpenComment => "this comment does not end".to_owned(),
            TokenKind::Other('\'') => "a quote here must be around one character, as in 'x'".to_owned(),
            TokenKind::Other(c) => format!("`{c}` means nothing in Promela"),
            TokenKind::Word(word) if word.starts_with("c_") && KEYWORDS.contains(&&**word) => {
                return self.embedded(place, word);
            }
            _ => format!("expected {what}, found `{}`", token.text()),
        };
        self.error("promela::syntax", place, message)
    }

    /// Reports embedded C code.
    fn embedded(&mut self, place: At, word: &str) -> Reported {
        let message = format!("`{word}`: C code inside a model is not supported");
        let diagnostic = Diagnostic::error("promela::embedded-c", place.span, message);
        self.report(
            diagnostic.help("write it in Promela: a macro or an inline is often enough"),
            place,
        )
    }

    /// Parses a name that is not a keyword.
    fn name(&mut self, what: &str) -> Parsed<Name> {
        let token = self.peek();
        match token.word() {
            Some(word) if !is_keyword(word) => {
                let name = Name {
                    text: word.clone(),
                    at: at(token),
                };
                self.next();
                Ok(name)
            }
            Some(word) if is_keyword(word) && !word.starts_with("c_") => {
                let message = format!("expected {what}, but `{word}` is a keyword");
                let place = self.here();
                Err(self.error("promela::syntax", place, message))
            }
            _ => Err(self.expected(what)),
        }
    }

    /// Parses something one level deeper, unless that is too deep.
    fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= DEPTH {
            let place = self.here();
            return Err(self.error("promela::too-deep", place, "this is nested too deeply"));
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }
}

/// Whether a word is a keyword.
pub(crate) fn is_keyword(word: &str) -> bool {
    KEYWORDS.contains(&word)
}

/// The place of a token.
pub(crate) fn at(token: &Token) -> At {
    At {
        span: token.span,
        origin: token.origin,
    }
}
