//! No input makes the front end panic. Inputs are valid texts with pieces deleted,
//! doubled, moved and exchanged, and with odd bytes. `MAZURKA_CASES=100000` tries more.

use mazurka_promela::{Errors, Options, Severity, load_with, render};
use mazurka_seeds::seeds;
use std::path::Path;

const TOUR: &str = include_str!("../models/tour.pml");

/// Pieces of text that often cause trouble.
const ODD: [&str; 34] = [
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    "::",
    ";",
    "->",
    "if",
    "fi",
    "do",
    "od",
    "unless",
    "inline f(x) { f(x) x }",
    "f(1)",
    "#define N N N\n",
    "\n#if\n",
    "\n#else\n",
    "\n#endif\n",
    "\n#include \"self\"\n",
    "99999999999999",
    "\"",
    "'",
    "\0",
    "ß",
    "\u{fffd}",
    "/*",
    "\\\n",
    "##",
    "typedef T { T t }",
    "byte x : 99;",
    "select (x : 5 .. 1)",
    "[-1]",
];

/// Loads a text that may include itself as `self`, and renders its diagnostics.
fn read(text: &[u8]) -> Result<usize, Errors> {
    let own = String::from_utf8_lossy(text).into_owned();
    let files = |path: &Path| match path.ends_with("self") {
        true => Ok(text.to_vec()),
        false => Err(std::io::Error::other("there is no such file")),
    };
    load_with("fuzz.pml", own, &Options::default(), &files).map(|loaded| {
        let drawn = loaded
            .warnings
            .iter()
            .map(|found| render(&loaded.model.sources, found).len());
        drawn.sum()
    })
}

fn mutated(random: &mut fastrand::Rng, text: &str) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..random.usize(1..6) {
        let at = random.usize(0..=bytes.len());
        let end = (at + random.usize(0..40)).min(bytes.len());
        match random.u8(0..6) {
            0 => drop(bytes.drain(at..end)),
            1 => {
                let piece = bytes[at..end].to_vec();
                let to = random.usize(0..=bytes.len());
                bytes.splice(to..to, piece);
            }
            2 => bytes.truncate(at.max(20)),
            3 => bytes.splice(at..at, [random.u8(..), random.u8(..)]).for_each(drop),
            _ => {
                let odd = ODD[random.usize(0..ODD.len())].bytes();
                bytes.splice(at..at, odd).for_each(drop);
            }
        }
    }
    bytes
}

#[test]
fn the_tour_is_valid() {
    let read = mazurka_promela::load("tour.pml", TOUR, &Options::default());
    let loaded = read.unwrap_or_else(|errors| panic!("{errors}"));
    let shown: String = loaded
        .warnings
        .iter()
        .map(|found| render(&loaded.model.sources, found))
        .collect();
    assert!(loaded.warnings.is_empty(), "{shown}");
}

#[test]
fn changed_models_do_not_panic() {
    seeds(1000, |seed| {
        let mut random = fastrand::Rng::with_seed(seed);
        let text = mutated(&mut random, TOUR);
        if let Err(errors) = read(&text) {
            assert!(errors.diagnostics.iter().any(|found| found.severity == Severity::Error));
            assert!(!errors.to_string().is_empty());
        }
    });
}

#[test]
fn any_bytes_do_not_panic() {
    seeds(1000, |seed| {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut text: Vec<u8> = Vec::new();
        for _ in 0..random.usize(0..200) {
            match random.u8(0..3) {
                0 => text.push(random.u8(..)),
                1 => text.extend(ODD[random.usize(0..ODD.len())].bytes()),
                _ => text.push(b' '),
            }
        }
        if let Err(errors) = read(&text) {
            assert!(!errors.to_string().is_empty());
        }
    });
}

#[test]
fn deep_and_long_texts_do_not_exhaust_the_stack() {
    let body = |inside: &str| format!("active proctype P() {{ byte x; {inside} }}");
    let deep = |open: &str, close: &str| body(&format!("{}x{}", open.repeat(30_000), close.repeat(30_000)));
    let chain = |count: usize| body(&format!("x = x{}", " + x".repeat(count)));
    let texts = [
        deep("(", ")"),
        deep("!", ""),
        deep("- ", ""),
        deep("{ ", " }"),
        deep("if :: ", " fi"),
        deep("atomic { ", " }"),
        deep("x[", "]"),
        body(&format!("x = x{}", ".x".repeat(50_000))),
        chain(50_000),
        format!(
            "#define A(x) {}x{}\n{}",
            "A(".repeat(5000),
            ")".repeat(5000),
            body("A(1)")
        ),
        format!(
            "{}\n{}",
            "#define A B B\n#define B C C\n#define C D D\n",
            body(&"A ".repeat(3000))
        ),
        (0..40)
            .map(|k| format!("#define M{k} M{0} M{0}\n", k + 1))
            .collect::<String>()
            + &body("M0"),
        (0..40)
            .map(|k| format!("inline i{}() {{ i{k}(); i{k}() }}\n", k + 1))
            .collect::<String>()
            + &body("i40()"),
    ];
    let wide = (0..60).map(|k| format!("typedef T{} {{ T{k} a; T{k} b[9] }};\n", k + 1));
    let wide = format!(
        "typedef T0 {{ byte x }};\n{}T60 t; {}",
        wide.collect::<String>(),
        body("x = 1")
    );
    for text in texts.into_iter().chain([wide]) {
        assert!(read(text.as_bytes()).is_err(), "{}", &text[..60]);
    }
    // Texts that people write are accepted.
    assert!(read(chain(900).as_bytes()).is_ok());
    assert!(read(body(&format!("{}x == 1{}", "(".repeat(50), ")".repeat(50))).as_bytes()).is_ok());
}
