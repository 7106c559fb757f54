//! Parses the units of a model: proctypes, declarations, claims.

use super::{Parsed, Parser, at};
use crate::lexer::TokenKind;
use crate::preprocess::expansion::At;
use crate::syntax::{Active, Expr, Ltl, Name, Process, Sequence, Unit};
use std::rc::Rc;

/// The words that a unit begins with.
const BEGINS: [&str; 16] = [
    "active",
    "proctype",
    "D_proctype",
    "init",
    "never",
    "trace",
    "notrace",
    "ltl",
    "typedef",
    "inline",
    "mtype",
    "chan",
    "c_code",
    "c_decl",
    "c_state",
    "c_track",
];

impl Parser {
    pub(super) fn units(&mut self) -> Vec<Unit> {
        let mut units = Vec::new();
        while !self.at_end() {
            if self.eat(";") || self.eat("->") {
                continue;
            }
            let begin = self.at;
            match self.unit() {
                Ok(unit) => units.extend(unit),
                Err(_) => self.next_unit(begin),
            }
        }
        // As in SPIN, a formula may refer to later declarations.
        for unit in &mut units {
            if let Unit::Ltl(ltl) = unit {
                ltl.formula = self.formula(&ltl.tokens).ok();
            }
        }
        units
    }

    fn unit(&mut self) -> Parsed<Option<Unit>> {
        let begin = self.here();
        let Some(word) = self.peek().word().cloned() else {
            return Err(self.expected("a declaration or a proctype"));
        };
        Ok(Some(match &*word {
            "active" | "proctype" | "D_proctype" => Unit::Process(self.proctype()?),
            "init" => {
                self.next();
                let priority = self.priority()?;
                let mut process = self.claim("init", begin)?;
                process.priority = priority;
                process.is_init = true;
                Unit::Process(process)
            }
            "never" => {
                self.next();
                let given = if self.is("{") {
                    None
                } else {
                    Some(self.name("the name of the claim")?)
                };
                let mut process = self.claim("never", begin)?;
                process.name = given.unwrap_or(process.name);
                Unit::Never(process)
            }
            "trace" | "notrace" => {
                self.next();
                let body = self.claim(&word, begin)?;
                let must_match = &*word == "trace";
                Unit::Trace { must_match, body }
            }
            "ltl" => self.ltl()?,
            "typedef" => self.typedef()?,
            "inline" => {
                self.inline_definition()?;
                return Ok(None);
            }
            word if word.starts_with("c_") && super::is_keyword(word) => return Err(self.embedded(begin, word)),
            "mtype" if self.is_mtype_set() => self.mtype()?,
            _ if self.is_declaration() => Unit::Variables(self.declaration()?),
            _ => return Err(self.expected("a declaration or a proctype")),
        }))
    }

    fn proctype(&mut self) -> Parsed<Process> {
        let mut active = None;
        if self.eat("active") {
            let mut count = None;
            if self.eat("[") {
                count = Some(self.expression()?);
                self.expect("]")?;
            }
            active = Some(Active { count });
        }
        let deterministic = self.is("D_proctype");
        if !self.eat("D_proctype") {
            self.expect("proctype")?;
        }
        let name = self.name("the name of the proctype")?;
        self.proctypes.insert(name.text.clone());
        self.expect("(")?;
        let mut parameters = Vec::new();
        while !self.is(")") {
            parameters.push(self.declaration()?);
            if !self.eat(";") && !self.eat(",") {
                break;
            }
        }
        self.expect(")")?;
        let mut priority = self.priority()?;
        let mut provided = None;
        if self.eat("provided") {
            self.expect("(")?;
            provided = Some(self.bracketed(Self::expression)?);
            self.expect(")")?;
        }
        if priority.is_none() {
            priority = self.priority()?;
        }
        let body = self.body()?;
        Ok(Process {
            name,
            active,
            is_init: false,
            deterministic,
            parameters,
            priority,
            provided,
            body,
        })
    }

    pub(super) fn priority(&mut self) -> Parsed<Option<Expr>> {
        if !self.eat("priority") {
            return Ok(None);
        }
        self.primary().map(Some)
    }

    fn claim(&mut self, name: &str, at: At) -> Parsed<Process> {
        let text: Rc<str> = name.into();
        Ok(Process {
            name: Name { text, at },
            active: None,
            is_init: false,
            deterministic: false,
            parameters: Vec::new(),
            priority: None,
            provided: None,
            body: self.body()?,
        })
    }

    /// Parses `{ … }`, which may contain nothing but declarations.
    fn body(&mut self) -> Parsed<Sequence> {
        let open = self.expect("{")?;
        let body = self.sequence(&["}"]);
        self.close("}", open, "{")?;
        if body.is_empty() {
            return Err(self.without_statement(open));
        }
        Ok(body)
    }

    fn ltl(&mut self) -> Parsed<Unit> {
        let begin = self.here();
        self.expect("ltl")?;
        let name = if self.is("{") {
            None
        } else {
            Some(self.name("the name of the formula")?)
        };
        let mut formula = self.braces()?;
        let close = formula.pop();
        formula.remove(0);
        // SPIN accepts a semicolon after the formula.
        if formula.last().is_some_and(|token| token.is(";")) {
            formula.pop();
        }
        let inside = match (formula.first(), formula.last()) {
            (Some(first), Some(last)) => self.expansions.join(at(first), at(last)),
            _ => begin,
        };
        if formula.is_empty() {
            return Err(self.error("promela::syntax", self.before(), "expected a formula"));
        }
        formula.extend(close.map(|mut token| {
            token.kind = TokenKind::End;
            token
        }));
        Ok(Unit::Ltl(Ltl {
            name,
            at: inside,
            tokens: formula,
            formula: None,
        }))
    }

    /// After an error, skips to the next unit.
    fn next_unit(&mut self, begin: usize) {
        // The part of the unit that was parsed may have opened braces.
        let open = |token: &crate::lexer::Token| i64::from(token.is("{")) - i64::from(token.is("}"));
        let mut nested: i64 = self.tokens[begin..self.at].iter().map(open).sum();
        if self.at == begin {
            nested += open(&self.next());
        }
        while !self.at_end() {
            let token = self.peek();
            let starts = token.word().is_some_and(|word| BEGINS.contains(&&**word));
            if starts
                && (nested <= 0
                    || token.first && !matches!(&**token.word().expect("a word"), "chan" | "mtype" | "c_code"))
            {
                return;
            }
            if nested <= 0 && (token.is(";") || token.newline && self.is_declaration()) {
                return;
            }
            nested += open(token);
            self.next();
        }
    }
}
