//! Random models have every construct of the language: no random test covers what the generator lacks.
//!
//! The list is read from `model.rs`, so this test fails as soon as a construct is added there.

use mazurka_promela::{Options, load};
use mazurka_testkit::promela::{Shape, random_program, random_races};
use std::collections::BTreeSet;

/// The enums of the constructs of a model.
const ENUMS: [&str; 10] = [
    "Type",
    "Initial",
    "StatementKind",
    "Pattern",
    "Base",
    "Access",
    "ExprKind",
    "Unary",
    "Binary",
    "ChannelTest",
];

/// The names of the constructs.
fn constructs() -> BTreeSet<&'static str> {
    let source = include_str!("../../../promela/src/model.rs");
    let mut found = BTreeSet::new();
    for name in ENUMS {
        let begin = source.find(&format!("pub enum {name} {{\n")).expect("it is there");
        let body = source[begin..].split("\n}").next().unwrap_or_default();
        for line in body.lines().skip(1) {
            // A variant is indented once and begins with a capital letter.
            let Some(variant) = line
                .strip_prefix("    ")
                .filter(|rest| rest.starts_with(char::is_uppercase))
            else {
                continue;
            };
            found.extend(variant.split(|c: char| !c.is_alphanumeric()).next());
        }
    }
    found
}

#[test]
fn every_construct_is_generated() {
    let mut missing = constructs();
    assert!(missing.len() > 70, "{missing:?}");
    // Texts of constructs that the front end replaces, so that the model does not show them.
    let mut texts = vec![
        "chan in",
        "Rec rs[2] =",
        "Outer r =",
        "active [2]",
        "d_step",
        "inline",
        "#define",
    ];
    let shapes = [
        Shape::safety(),
        Shape::never(),
        Shape::cycles(),
        Shape::trace(),
        Shape::faulty(),
        Shape::ltl(),
    ];
    for seed in 0..3000 {
        let shape = &shapes[seed as usize % shapes.len()];
        let text = random_program(seed, shape).to_string();
        texts.retain(|wanted| !text.contains(wanted));
        let mut model = load("random.pml", text.as_str(), &Options::default())
            .unwrap_or_else(|errors| panic!("seed {seed}: {errors}\n{text}"))
            .model;
        // The text would contain some of the names as well.
        model.sources = Default::default();
        model.definitions.clear();
        let shown = format!("{model:?}");
        let words: BTreeSet<&str> = shown.split(|c: char| !c.is_alphanumeric()).collect();
        missing.retain(|construct| !words.contains(construct));
        if missing.is_empty() && texts.is_empty() {
            return;
        }
    }
    panic!("never generated: {missing:?} {texts:?}");
}

/// Rules of the dependency relation are about how things are written, and random races are what tests them most sharply.
#[test]
fn races_have_all_that_the_dependency_relation_recognises() {
    let mut missing: BTreeSet<String> = ["++", "--", "empty(c", "nfull(c", "!(len(c", "&& b", "|| b", "&& x > 0"]
        .map(str::to_string)
        .into();
    for operator in ["+", "-", "|", "&", "^"] {
        missing.insert(format!("b0 = b0 {operator} "));
        missing.insert(format!(" {operator} b0"));
    }
    for comparison in ["==", "!=", "<", "<=", ">", ">="] {
        missing.insert(format!("len(c0) {comparison} "));
        missing.insert(format!(" {comparison} len(c0)"));
    }
    for seed in 0..3000 {
        let text = random_races(seed);
        missing.retain(|wanted| !text.contains(wanted.as_str()));
    }
    assert!(missing.is_empty(), "never generated: {missing:?}");
}
