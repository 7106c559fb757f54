//! Random texts: everything that the grammar allows, in every spelling, with and without mistakes.

use fastrand::Rng;

/// Names, among them some that look like something else.
const NAMES: &str = "a p1 _x9 size has process r b br e5 u processes";
/// Reserved words, which may be fields.
const RESERVED: &str =
    "as break const continue else for function if import let loop namespace package return var void while";
const METHODS: &str = "size exists all map filter exists_one startsWith sum for f";
const FUNCTIONS: &str = "size int double string has process f _ exists for";
const INFIX: &str = "|| && == != < <= > >= in + - * / %";
const INTS: &str = "0 1 007 9223372036854775807 9223372036854775808 9223372036854775809 18446744073709551616 0x0 0xAf \
    0x7fffffffffffffff 0x8000000000000000 0x10000000000000000 1u 1U 0xfU 18446744073709551615u 18446744073709551616u";
const DOUBLES: &str = "1.5 0.0 .5 1e3 1.5E+2 .5e-2 1e400 4.9e-324 1.7976931348623157e308";
const GOOD_ESCAPES: &str = r#"\a \b \f \n \r \t \v \" \' \\ \? \` \x41 \X7e \xff \u00e9 \U0001f600 \101 \377 \000"#;
const BAD_ESCAPES: &str = "\\ud800 \\U00110000 \\400 \\q \\x4 \\u41 \\08 \\\n \\8 \\";
/// Tokens to put anywhere, right or wrong.
const OTHERS: &str =
    "( ) [ ] { } , : ? . ! - = & | in true null for a 1 ' ` `` `a_b` `a.b-c/d_1` # é @ \\ {} () [] \u{1} ~ $ ;";
/// Pieces of strings; some are not allowed in every kind of string.
const CHARACTERS: [&str; 14] = [
    "x", " ", "é", "😀", "\"", "'", "\"\"", "''", "\n", "\r", "\r\n", "//", "`", "\0",
];
/// What may separate tokens.
const BLANKS: [&str; 8] = [" ", "\t", "\n", "\r", "\x0C", " // ( é ' comment\n", "//\n", "  "];

/// A random text, which is often correct.
pub(super) fn random_text(random: &mut Rng) -> String {
    let mut writer = Writer {
        random,
        tokens: Vec::new(),
    };
    let depth = writer.random.u32(..4);
    writer.expression(depth);
    let mut tokens = writer.tokens;
    let mistakes = [0, 0, 1, 1, 2, 4][random.usize(..6)];
    for _ in 0..mistakes {
        misplace(&mut tokens, random);
    }
    let mut text = String::new();
    let spaced = random.u8(..3);
    for token in &tokens {
        let glued = text.ends_with(is_of_word) && token.starts_with(is_of_word);
        // Tokens that would merge are mostly kept apart.
        if spaced == 0 || glued && random.u8(..20) > 0 || random.u8(..8) == 0 {
            text += BLANKS[random.usize(..BLANKS.len())];
        }
        text += token;
    }
    if random.u8(..6) == 0 {
        misspell(&mut text, random);
    }
    text
}

fn is_of_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// One of several words.
fn one_of(random: &mut Rng, words: &str) -> String {
    let all: Vec<_> = words.split(' ').collect();
    all[random.usize(..all.len())].to_owned()
}

/// Inserts a random token, removes one, doubles one, or exchanges two.
fn misplace(tokens: &mut Vec<String>, random: &mut Rng) {
    let at = random.usize(..=tokens.len());
    let words = if random.bool() { OTHERS } else { INFIX };
    let other = one_of(random, words);
    match random.u8(..4) {
        0 => tokens.insert(at, other),
        1 if at < tokens.len() => tokens[at] = other,
        2 if at < tokens.len() => drop(tokens.remove(at)),
        3 if at + 1 < tokens.len() => tokens.swap(at, at + 1),
        _ if at < tokens.len() => tokens.insert(at, tokens[at].clone()),
        _ => {}
    }
}

/// Changes, removes or adds one character.
fn misspell(text: &mut String, random: &mut Rng) {
    let letters: Vec<char> = "'\"\\`0123789abefnrtuvxXU_.-+!=<>&|?:,()[]{}/%* \n\r\té\u{0}"
        .chars()
        .collect();
    let mut all: Vec<char> = text.chars().collect();
    let at = random.usize(..=all.len());
    let letter = letters[random.usize(..letters.len())];
    match random.u8(..3) {
        0 if at < all.len() => all[at] = letter,
        1 if at < all.len() => drop(all.remove(at)),
        _ => all.insert(at, letter),
    }
    *text = all.into_iter().collect();
}

/// Writes tokens as the grammar allows.
struct Writer<'a> {
    random: &'a mut Rng,
    tokens: Vec<String>,
}

impl Writer<'_> {
    fn push(&mut self, token: &str) {
        self.tokens.push(token.to_owned());
    }

    fn one_of(&mut self, words: &str) -> String {
        one_of(self.random, words)
    }

    fn chance(&mut self, of: u8) -> bool {
        self.random.u8(..of) == 0
    }

    fn expression(&mut self, depth: u32) {
        self.binary(depth);
        if depth > 0 && self.chance(8) {
            self.push("?");
            self.binary(depth - 1);
            // This is a mistake.
            if self.chance(8) {
                for token in ["?", "a", ":", "b"] {
                    self.push(token);
                }
            }
            self.push(":");
            self.expression(depth - 1);
        }
    }

    fn binary(&mut self, depth: u32) {
        self.unary(depth);
        let operators = if depth == 0 { 0 } else { self.random.usize(..3) };
        for _ in 0..operators {
            let infix = self.one_of(INFIX);
            self.push(&infix);
            self.unary(depth - 1);
        }
    }

    fn unary(&mut self, depth: u32) {
        if self.chance(3) {
            let sign = self.one_of("! -");
            for _ in 0..[1, 1, 2, 3][self.random.usize(..4)] {
                self.push(&sign);
            }
        }
        self.member(depth);
    }

    fn member(&mut self, depth: u32) {
        self.primary(depth);
        while self.chance(3) {
            match self.random.u8(..8) {
                0..=3 => {
                    self.push(".");
                    let field = match self.random.u8(..6) {
                        0 => self.one_of(RESERVED),
                        1 => self.one_of("`a-b` `a.b-c/d_1` `in` `9`").replace('-', " "),
                        2 => self.one_of("in true null"),
                        _ => self.one_of(NAMES),
                    };
                    self.push(&field);
                }
                4..=5 => {
                    self.push(".");
                    let name = self.one_of(METHODS);
                    self.push(&name);
                    self.arguments(depth);
                }
                6 => {
                    self.push("[");
                    self.expression(depth.saturating_sub(1));
                    self.push("]");
                }
                _ => {
                    for token in [".", "matches", "(", "'a*'", ")"] {
                        self.push(token);
                    }
                }
            }
        }
    }

    fn arguments(&mut self, depth: u32) {
        self.push("(");
        for k in 0..self.random.usize(..4) {
            if k > 0 {
                self.push(",");
            }
            match k == 0 && self.random.bool() {
                true => self.push("v"),
                false => self.expression(depth.saturating_sub(1)),
            }
        }
        // This is a mistake.
        if self.chance(12) {
            self.push(",");
        }
        self.push(")");
    }

    fn primary(&mut self, depth: u32) {
        match if depth == 0 {
            self.random.u8(..12)
        } else {
            self.random.u8(..20)
        } {
            0..=3 => {
                if self.chance(6) {
                    self.push(".");
                }
                let name = if self.chance(20) {
                    self.one_of(RESERVED)
                } else {
                    self.one_of(NAMES)
                };
                self.push(&name);
            }
            4..=6 => {
                let doubles = self.chance(3);
                let number = self.one_of(if doubles { DOUBLES } else { INTS });
                if self.chance(3) {
                    self.push("-");
                }
                self.push(&number);
            }
            7..=8 => {
                let literal = self.one_of("true false null");
                self.push(&literal);
            }
            9..=11 => {
                let literal = self.quoted();
                self.push(&literal);
            }
            12..=14 => {
                self.push("(");
                self.expression(depth - 1);
                self.push(")");
            }
            15..=16 => {
                if self.chance(6) {
                    self.push(".");
                }
                let name = self.one_of(FUNCTIONS);
                self.push(&name);
                self.arguments(depth);
            }
            17 => {
                for token in ["has", "(", "a", ".", "b", ")"] {
                    self.push(token);
                }
            }
            18 => self.elements(depth, "[", "]"),
            _ => self.elements(depth, "{", "}"),
        }
    }

    /// A list, an object, or a message.
    fn elements(&mut self, depth: u32, open: &str, close: &str) {
        let message = open == "{" && self.chance(6);
        if message {
            let name = self.one_of(NAMES);
            self.push(&name);
        }
        self.push(open);
        for k in 0..self.random.usize(..3) {
            if k > 0 {
                self.push(",");
            }
            match message {
                true => self.push("field"),
                false => self.expression(depth - 1),
            }
            if open == "{" {
                self.push(":");
                self.expression(depth - 1);
            }
        }
        if self.chance(4) {
            self.push(",");
        }
        self.push(close);
    }

    fn quoted(&mut self) -> String {
        let prefix = match self.chance(3) {
            true => String::new(),
            false => self.one_of("r R b B br bR Br BR rb"),
        };
        let quote = self.one_of("' \" ''' \"\"\"");
        let mut text = prefix + &quote;
        for _ in 0..self.random.usize(..4) {
            // Most pieces are allowed in every kind of literal.
            text += &match self.random.u8(..12) {
                0 => self.one_of(BAD_ESCAPES),
                1..=5 => self.one_of(GOOD_ESCAPES),
                6..=7 => CHARACTERS[self.random.usize(..CHARACTERS.len())].to_owned(),
                _ => CHARACTERS[self.random.usize(..4)].to_owned(),
            };
        }
        text + &quote
    }
}
