//! Formulas of linear temporal logic as plain text, and their automata.

use super::{Target, fingerprint, magnitude, text};
use mazurka_logic::parse;

pub fn target() -> Target {
    Target {
        name: "logic",
        about: "formulas of linear temporal logic as plain text",
        samples: &[],
        words: &[
            "[]",
            "<>",
            "U",
            "V",
            "W",
            "X",
            "R",
            "!",
            "&&",
            "||",
            "->",
            "<->",
            "(",
            ")",
            "a",
            "b",
            "true",
            "false",
            "always",
            "eventually",
            "until",
            "release",
            "weakuntil",
            "next",
            "\"a b\"",
            " ",
        ],
        generate: None,
        run: |bytes| match parse(&text(bytes)) {
            Ok(formula) => {
                let again = formula.to_string();
                fingerprint((true, magnitude(again.len())))
            }
            Err(error) => {
                assert!(!error.to_string().trim().is_empty(), "a message without words");
                // Messages name what they found: its letters are not what makes them different.
                let words: String = error
                    .to_string()
                    .chars()
                    .filter(|c| c.is_ascii_lowercase())
                    .take(12)
                    .collect();
                fingerprint((false, words))
            }
        },
    }
}
