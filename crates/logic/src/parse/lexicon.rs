//! Text as tokens: the words and signs of formulas, and those of the language of their atoms.

use super::{Operator, Token};
use std::ops::Range;

/// What a language of atoms adds to the words and signs of formulas.
///
/// ```
/// use mazurka_logic::{Lexicon, Operator, Token};
/// const PLAIN: Lexicon = Lexicon {
///     signs: &[],
///     word: |_, _| None,
///     literal: |_| 0,
///     stray: Token::CloseIndex,
/// };
/// let tokens = PLAIN.tokens("<> ready");
/// assert_eq!(tokens, [(Token::Operator(Operator::Eventually), 0..2), (Token::Other, 3..8)]);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Lexicon {
    /// Additional signs.
    pub signs: &'static [(&'static str, Token)],
    /// The token of a word, given the text before it; `None` if it is the same as in formulas.
    pub word: fn(word: &str, before: &str) -> Option<Token>,
    /// The number of bytes of the literal that a text begins with; 0 if there is none.
    pub literal: fn(text: &str) -> usize,
    /// The token of a character with which no token begins.
    pub stray: Token,
}

/// Signs of all formulas and of the atoms of most.
const SIGNS: [(&str, Token); 22] = [
    ("<->", Token::Operator(Operator::Equivalent)),
    ("->", Token::Operator(Operator::Implies)),
    ("<>", Token::Operator(Operator::Eventually)),
    ("[]", Token::Operator(Operator::Always)),
    ("&&", Token::Operator(Operator::And)),
    ("||", Token::Operator(Operator::Or)),
    ("!", Token::Operator(Operator::Not)),
    ("==", Token::Tight),
    ("!=", Token::Tight),
    ("<=", Token::Tight),
    (">=", Token::Tight),
    ("<", Token::Tight),
    (">", Token::Tight),
    ("+", Token::Tight),
    ("-", Token::Tight),
    ("*", Token::Tight),
    ("/", Token::Tight),
    ("%", Token::Tight),
    ("(", Token::Open),
    (")", Token::Close),
    ("[", Token::OpenIndex),
    ("]", Token::CloseIndex),
];

impl Lexicon {
    /// The tokens of a text with their places.
    pub fn tokens(&self, text: &str) -> Vec<(Token, Range<usize>)> {
        let mut tokens = Vec::new();
        let mut at = 0;
        while let Some(first) = text[at..].chars().next() {
            if first.is_whitespace() {
                at += first.len_utf8();
                continue;
            }
            let (token, length) = self.first(text, at, first);
            tokens.push((token, at..at + length));
            at += length;
        }
        tokens
    }

    /// The token that begins at a place with a character that is not white space, and its length.
    fn first(&self, text: &str, at: usize, first: char) -> (Token, usize) {
        let rest = &text[at..];
        let literal = (self.literal)(rest);
        if literal > 0 {
            return (Token::Other, literal);
        }
        let word = rest.find(|c: char| !c.is_alphanumeric() && c != '_');
        let word = word.unwrap_or(rest.len());
        if word > 0 {
            let special = (self.word)(&rest[..word], &text[..at]);
            return (special.unwrap_or_else(|| known_word(rest, word)), word);
        }
        // The longest sign wins.
        let signs = self.signs.iter().chain(&SIGNS);
        let sign = signs
            .filter(|(sign, _)| rest.starts_with(sign))
            .max_by_key(|(sign, _)| sign.len());
        sign.map_or((self.stray, first.len_utf8()), |(sign, token)| (*token, sign.len()))
    }
}

/// What a word of this length in bytes is in formulas.
fn known_word(text: &str, length: usize) -> Token {
    match &text[..length] {
        "true" => Token::Constant(true),
        "false" => Token::Constant(false),
        "snapshot" if text[length..].trim_start().starts_with('(') => Token::Snapshot,
        word => Operator::from_word(word).map_or(Token::Other, Token::Operator),
    }
}
