//! Formulas over CEL expressions.
//!
//! The operators of logic are those of `mazurka-logic`; an atom is a CEL expression without `&&`, `||` and `!`
//! outside of its parentheses. `[]` and `<>` are operators, so there is no empty list (write
//! `size(l) == 0` instead of a comparison with it), and the single letters `U`, `V`, `W`, `X` are not names.

use super::{SltlError, SltlFormula, Snapshot};
use crate::narrow::short;
use crate::predicate::Predicate;
use mazurka_logic::{AtomId, Formula, Lexicon, Operator, SyntaxError, Token, Tokens, parse_tokens};
use std::ops::Range;

/// Reads a formula.
pub(super) fn parse(text: &str) -> Result<SltlFormula, SltlError> {
    let mut cursor = Cursor {
        text,
        tokens: LEXICON.tokens(text),
        at: 0,
        predicates: Vec::new(),
        snapshots: Vec::new(),
    };
    let formula = parse_tokens(&mut cursor)?;
    let Cursor {
        predicates, snapshots, ..
    } = cursor;
    let number = |place: Place| {
        AtomId(short(match place {
            Place::Predicate(k) => k,
            Place::Snapshot(k) => predicates.len() + k,
        }))
    };
    Ok(SltlFormula {
        text: text.to_string(),
        formula: formula.map(&mut |place| number(place)),
        predicates,
        snapshots,
    })
}

/// Which of the lists an atom is in.
#[derive(Clone, Copy, Debug)]
enum Place {
    Predicate(usize),
    Snapshot(usize),
}

struct Cursor<'a> {
    text: &'a str,
    tokens: Vec<(Token, Range<usize>)>,
    at: usize,
    predicates: Vec<(Predicate, usize)>,
    snapshots: Vec<Snapshot>,
}

/// Atoms in CEL.
const LEXICON: Lexicon = Lexicon {
    signs: &[("?", Token::Tight), (":", Token::Tight)],
    word: |word, before| match word {
        "in" => Some(Token::Tight),
        // After a dot it is a field, whatever it is called.
        _ => before.trim_end().ends_with('.').then_some(Token::Other),
    },
    literal: quoted,
    stray: Token::Other,
};

/// The length of a string that a text begins with, its quotes included.
fn quoted(text: &str) -> usize {
    let mut characters = text.char_indices();
    let Some((_, quote @ ('"' | '\''))) = characters.next() else {
        return 0;
    };
    let mut escaped = false;
    for (at, c) in characters {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if c == quote => return at + c.len_utf8(),
            _ => {}
        }
    }
    text.len()
}

impl Cursor<'_> {
    fn place(&self, at: usize) -> Range<usize> {
        let end = self.text.len();
        self.tokens.get(at).map_or(end..end, |(_, place)| place.clone())
    }
}

impl Tokens for Cursor<'_> {
    type Atom = Place;
    type Error = SltlError;

    fn token(&self, ahead: usize) -> Token {
        self.tokens.get(self.at + ahead).map_or(Token::End, |(token, _)| *token)
    }

    fn advance(&mut self) {
        self.at += 1;
    }

    fn atom(&mut self) -> Result<Place, SltlError> {
        let start = self.at;
        let mut open = 0;
        loop {
            match self.token(0) {
                Token::End => break,
                Token::Open | Token::OpenIndex => open += 1,
                Token::Close | Token::CloseIndex if open == 0 => break,
                Token::Close | Token::CloseIndex => open -= 1,
                // A negation belongs to the expression where an operand begins.
                Token::Operator(Operator::Not) if self.at == start => {}
                Token::Operator(_) if open == 0 => break,
                _ => {}
            }
            self.at += 1;
        }
        if self.at == start {
            return Err(self.error(SyntaxError::ExpectedFormula));
        }
        let place = self.place(start).start..self.place(self.at - 1).end;
        let predicate = Predicate::parse(&self.text[place.clone()]);
        let predicate = predicate.map_err(|errors| SltlError::of_predicate(&errors, place.start))?;
        let known = self
            .predicates
            .iter()
            .position(|(other, _)| other.text() == predicate.text());
        Ok(Place::Predicate(known.unwrap_or_else(|| {
            self.predicates.push((predicate, place.start));
            self.predicates.len() - 1
        })))
    }

    fn snapshot(&mut self, q: Formula<Place>) -> Result<Place, SltlError> {
        // Predicates alone: the parser allows no snapshot in a snapshot.
        let q = q.map(&mut |place| match place {
            Place::Predicate(k) | Place::Snapshot(k) => AtomId(short(k)),
        });
        let text = q
            .clone()
            .map(&mut |atom| self.predicates[atom.0 as usize].0.text().to_string());
        let text = format!("snapshot({text})");
        let known = self.snapshots.iter().position(|other| other.text == text);
        Ok(Place::Snapshot(known.unwrap_or_else(|| {
            self.snapshots.push(Snapshot { text, q });
            self.snapshots.len() - 1
        })))
    }

    fn error(&self, error: SyntaxError) -> SltlError {
        SltlError {
            message: error.to_string(),
            span: self.place(self.at),
            hint: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn atoms(text: &str) -> Vec<String> {
        let formula = parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        let atoms = formula
            .predicates
            .iter()
            .map(|(predicate, _)| predicate.text().to_string());
        atoms.chain(formula.snapshots.iter().map(|s| s.text.clone())).collect()
    }

    #[test]
    fn atoms_are_expressions_of_cel() {
        assert_eq!(
            atoms("[] (a.x > 1 -> <> b.done) && !process(\"node-1\").U"),
            ["a.x > 1", "b.done", "process(\"node-1\").U"]
        );
        assert_eq!(
            atoms("[] !snapshot(processes.exists(p, p.cs && p.x in [1, 2]) && a.y == 'U W')"),
            [
                "processes.exists(p, p.cs && p.x in [1, 2])",
                "a.y == 'U W'",
                "snapshot((processes.exists(p, p.cs && p.x in [1, 2])) && (a.y == 'U W'))"
            ]
        );
        assert_eq!(
            atoms("(a.x + 1) * 2 > 3 U b.y ? a.z : b.z"),
            ["(a.x + 1) * 2 > 3", "b.y ? a.z : b.z"]
        );
    }

    #[test]
    fn errors_have_places() {
        for (text, at) in [
            ("[] ", 3),
            ("a.x U", 5),
            ("a.x && (b.y", 11),
            ("snapshot(<> a.x)", 9),
            ("a.x +", 0),
        ] {
            let error = parse(text).unwrap_err();
            assert!(
                error.span.start >= at && error.span.end <= text.len(),
                "{text}: {error:?}"
            );
        }
    }
}
