//! Parses declarations of variables, typedefs and symbolic names.

use super::{Parsed, Parser};
use crate::lexer::TokenKind;
use crate::syntax::{Declaration, Declared, Initial, TypeName, Unit, Visibility};

const TYPES: [&str; 9] = [
    "bit", "bool", "byte", "pid", "short", "int", "unsigned", "mtype", "chan",
];

impl Parser {
    /// Whether a declaration of variables begins here.
    pub(super) fn is_declaration(&self) -> bool {
        let token = self.peek();
        let Some(word) = token.word() else { return false };
        if TYPES.contains(&&**word) || matches!(&**word, "hidden" | "show" | "local") {
            return true;
        }
        if self.typedefs.contains(word) {
            return true;
        }
        // Two names in a row on one line are a declaration with an unknown type.
        let next = self.peek_at(1);
        !super::is_keyword(word) && !next.newline && next.word().is_some_and(|next| !super::is_keyword(next))
    }

    /// Whether `mtype` declares names here, rather than variables.
    pub(super) fn is_mtype_set(&self) -> bool {
        self.is_at(1, "=") || self.is_at(1, "{") || self.is_at(1, ":") && self.is_at(3, "=") && self.is_at(4, "{")
    }

    /// `mtype = { a, b }`, `mtype:set = { a b }`
    pub(super) fn mtype(&mut self) -> Parsed<Unit> {
        self.expect("mtype")?;
        let set = if self.eat(":") {
            Some(self.name("the name of the set")?)
        } else {
            None
        };
        self.eat("=");
        let open = self.expect("{")?;
        let mut names = Vec::new();
        while !self.is("}") && !self.at_end() {
            names.push(self.name("a symbolic name")?);
            while self.eat(",") {}
        }
        self.close("}", open, "{")?;
        if names.is_empty() {
            return Err(self.error("promela::syntax", open, "expected symbolic names"));
        }
        Ok(Unit::Mtype { set, names })
    }

    /// `typedef Name { fields }`
    pub(super) fn typedef(&mut self) -> Parsed<Unit> {
        self.expect("typedef")?;
        let name = self.name("the name of the type")?;
        let open = self.expect("{")?;
        let mut fields = Vec::new();
        loop {
            while self.eat(";") {}
            if self.is("}") || self.at_end() {
                break;
            }
            fields.push(self.declaration()?);
            if !self.is(";") && !self.is("}") && !self.peek().newline {
                return Err(self.expected("`;`"));
            }
        }
        self.close("}", open, "{")?;
        self.typedefs.insert(name.text.clone());
        if fields.is_empty() {
            return Err(self.error("promela::syntax", open, "a typedef has at least one field"));
        }
        Ok(Unit::Typedef { name, fields })
    }

    /// `type a, b = 1, c[3]`
    pub(super) fn declaration(&mut self) -> Parsed<Declaration> {
        let visibility = match self.peek().word().map(|word| &**word) {
            Some("hidden") => Visibility::Hidden,
            Some("show") => Visibility::Show,
            Some("local") => Visibility::Local,
            _ => Visibility::Plain,
        };
        if visibility != Visibility::Plain {
            self.next();
        }
        let kind = self.type_name()?;
        let mut variables = vec![self.declared()?];
        while self.eat(",") {
            // In the parameters of a proctype a type may follow instead of a variable.
            variables.push(self.declared()?);
            if self.is(",") && self.begins_type(1) {
                break;
            }
        }
        Ok(Declaration {
            visibility,
            kind,
            variables,
        })
    }

    fn begins_type(&self, k: usize) -> bool {
        self.peek_at(k).word().is_some_and(|word| TYPES.contains(&&**word))
    }

    /// The name of a type.
    fn type_name(&mut self) -> Parsed<TypeName> {
        let word = self.peek().word().cloned();
        let known = match word.as_deref() {
            Some("bit") => TypeName::Bit,
            Some("bool") => TypeName::Bool,
            Some("byte") => TypeName::Byte,
            Some("pid") => TypeName::Pid,
            Some("short") => TypeName::Short,
            Some("int") => TypeName::Int,
            Some("unsigned") => TypeName::Unsigned,
            Some("chan") => TypeName::Chan,
            Some("mtype") => {
                self.next();
                let set = if self.eat(":") {
                    Some(self.name("the name of a set")?)
                } else {
                    None
                };
                return Ok(TypeName::Mtype(set));
            }
            _ => return self.name("a type").map(TypeName::User),
        };
        self.next();
        Ok(known)
    }

    fn declared(&mut self) -> Parsed<Declared> {
        let name = self.name("the name of a variable")?;
        let mut width = None;
        let mut length = None;
        if self.eat(":") {
            width = Some(self.primary()?);
        } else if self.eat("[") {
            length = Some(self.bracketed(Self::expression)?);
            self.expect("]")?;
        }
        let mut initial = None;
        if self.eat("=") {
            initial = Some(self.initial()?);
        }
        Ok(Declared {
            at: self.since(name.at),
            name,
            width,
            length,
            initial,
        })
    }

    fn initial(&mut self) -> Parsed<Initial> {
        let begin = self.here();
        if self.eat("{") {
            let mut values = Vec::new();
            while !self.is("}") {
                values.push(self.expression()?);
                if !self.eat(",") {
                    break;
                }
            }
            self.close("}", begin, "{")?;
            return Ok(Initial::List(values, self.since(begin)));
        }
        if !self.is("[") {
            return self.expression().map(Initial::Value);
        }
        self.next();
        let capacity = self.bracketed(Self::expression)?;
        self.expect("]")?;
        self.expect("of")?;
        self.expect("{")?;
        let mut fields = Vec::new();
        while !self.is("}") {
            let at = self.here();
            let kind = self.type_name()?;
            fields.push((kind, self.since(at)));
            if matches!(self.peek().kind, TokenKind::Word(_)) {
                return Err(self.expected("`,` or `}`"));
            }
            if !self.eat(",") {
                break;
            }
        }
        self.expect("}")?;
        let at = self.since(begin);
        if fields.is_empty() {
            return Err(self.error("promela::syntax", at, "a message has at least one field"));
        }
        Ok(Initial::Channel { capacity, fields, at })
    }
}
