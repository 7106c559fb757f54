//! Random garbage: read, bound, evaluated.

use super::tests::{State, evaluate, names};
use super::*;

/// What predicates and garbage are made of.
const PIECES: &[&str] = &[
    "p1",
    ".",
    "x",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ",",
    ":",
    "?",
    "==",
    "!=",
    "<",
    "&&",
    "||",
    "!",
    "-",
    "+",
    "*",
    "/",
    "%",
    "in",
    "true",
    "null",
    "1",
    "1.5",
    "1u",
    "0x",
    "'a'",
    "\"",
    "'",
    "`",
    "`a b`",
    "r'\\'",
    "b'x'",
    "'''",
    "\\",
    "\n",
    " ",
    "//",
    "é",
    "😀",
    "\0",
    "processes",
    "exists",
    "all",
    "map",
    "filter",
    "size",
    "sum",
    "matches",
    "has",
    "process",
    "@",
    "#",
    ".exists(p, ",
    ".map(p, ",
    "has(",
    "process(",
    "int(",
    "9223372036854775808",
    "for",
    "p1.x",
    "[0]",
    "$",
    "~",
    "=",
    "&",
    "|",
    ";",
];

/// Every text gets an answer.
#[test]
fn garbage_never_panics() {
    mazurka_seeds::seeds(3000, |seed| {
        let mut random = fastrand::Rng::with_seed(seed);
        let count = random.usize(..24);
        let text: String = (0..count).map(|_| PIECES[random.usize(..PIECES.len())]).collect();
        let known: &[&str] = &[
            "p1.x == 1",
            "processes.exists(p, p.x + [1, 2][0] > 3 ? true : 'a' in {'b': p1.y})",
        ];
        let text = match random.u8(..3) {
            0 => {
                // A correct predicate with something inserted.
                let good = known[random.usize(..known.len())];
                let at = random.usize(..=good.len());
                format!("{}{}{}", &good[..at], PIECES[random.usize(..PIECES.len())], &good[at..])
            }
            _ => text,
        };
        let errors = match Predicate::parse(&text) {
            Ok(predicate) => match predicate.bind(&names(2), &|_, _| true) {
                Ok(formula) => {
                    let _ = evaluate(&formula, &State::new());
                    return;
                }
                Err(errors) => errors,
            },
            Err(errors) => errors,
        };
        assert!(!errors.errors.is_empty());
        for error in &errors.errors {
            assert!(text.get(error.span.clone()).is_some(), "{text:?}: {error:?}");
        }
    });
}
