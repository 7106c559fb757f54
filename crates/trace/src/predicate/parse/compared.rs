//! Random texts, read by this parser and by the crate `cel`.
//!
//! Both accept the same texts and build the same trees. These differences are intended:
//!
//! - Messages, `a.b{c: 1}`: CEL has them, traces do not, so they are refused at once.
//! - Optional fields and elements, `a.?b` and `[?a]`: an extension of CEL, for values that traces do not have either.
//!   The crate is told that it does not exist.
//! - The character 0 in a raw literal with three quotes: every character is allowed there, but the crate does not
//!   accept this one. It must accept the text with the character 1 instead.
//! - Limits on depth and length, for which `tests.rs` has examples. The crate's limits are not reached here.

use super::lexer::SYMBOLS;
use super::oracle::{self, MESSAGE};
use super::shape::shape;
use super::texts::random_text;
use super::*;
use crate::predicate::Predicate;
use crate::predicate::random::Generator;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// What both say about a text that both accept: the tree, and the messages of errors other than syntax errors.
fn compare(text: &str) -> Option<Expression> {
    let ours = parse(text);
    let theirs = oracle::parse(text);
    let messages = |errors: &[PredicateError]| {
        let mut messages: Vec<_> = errors.iter().map(|error| error.message.clone()).collect();
        messages.sort();
        messages
    };
    match (ours, theirs) {
        (Ok((ours, our_errors)), Ok((theirs, their_errors))) => {
            assert_eq!(shape(&ours), shape(&theirs), "{text:?}");
            assert_eq!(messages(&our_errors), messages(&their_errors), "{text:?}");
            Some(ours)
        }
        (Err(_), Err(_)) => None,
        (Err(ours), Ok((_, errors))) => {
            let message = errors.iter().any(|error| error.message == MESSAGE);
            assert!(message, "{text:?} is refused: {ours}");
            None
        }
        (Ok((ours, _)), Err(_)) if text.contains('\0') => compare(&text.replace('\0', "\u{1}")).map(|_| ours),
        (Ok((ours, _)), Err(theirs)) => panic!("{text:?} is read as {}: {theirs}", shape(&ours)),
    }
}

/// The piece of text of each expression parses to that expression, and lies within the piece of the expression
/// around it.
fn check_places(e: &Expression, text: &str) {
    let whole = Range::from(e.span);
    let (again, _) = parse(&text[whole.clone()]).unwrap_or_else(|errors| panic!("{whole:?} of {text:?}: {errors}"));
    assert_eq!(shape(e), shape(&again), "{whole:?} of {text:?}");
    let mut end = whole.start;
    for child in e.children() {
        let part = Range::from(child.span);
        assert!(
            end <= part.start && part.end <= whole.end,
            "{part:?} in {whole:?} of {text:?}"
        );
        end = part.end;
        check_places(child, text);
    }
}

#[test]
fn random_predicates_are_read_as_the_reference_reads_them() {
    mazurka_seeds::seeds(500, |seed| {
        let mut generator = Generator::new(seed);
        let text = generator.predicate();
        let tree = compare(&text).unwrap_or_else(|| panic!("{text} is refused"));
        check_places(&tree, &text);
        let predicate = Predicate::parse(&text).expect("it was read before");
        if let Ok(formula) = predicate.bind(&["p1".to_owned(), "p2".to_owned()], &|_, _| true) {
            let printed = formula.to_string();
            let tree = compare(&printed).unwrap_or_else(|| panic!("{printed} is refused"));
            check_places(&tree, &printed);
        }
    });
}

#[test]
fn random_texts_are_read_as_the_reference_reads_them() {
    const CASES: u64 = 6000;
    let (accepted, refused) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let seen = Mutex::new(BTreeSet::new());
    mazurka_seeds::seeds(CASES, |seed| {
        let text = random_text(&mut fastrand::Rng::with_seed(seed));
        match compare(&text) {
            Some(tree) => {
                accepted.fetch_add(1, Ordering::Relaxed);
                check_places(&tree, &text);
                let mut forms = forms_of_text(&text);
                forms_of_tree(&tree, &mut forms);
                seen.lock().unwrap_or_else(PoisonError::into_inner).extend(forms);
            }
            None => drop(refused.fetch_add(1, Ordering::Relaxed)),
        }
    });
    let range = mazurka_seeds::range(CASES);
    if range.end - range.start < CASES {
        return;
    }
    let (accepted, refused) = (accepted.into_inner(), refused.into_inner());
    assert!(
        accepted > 1000 && refused > 1000,
        "{accepted} accepted, {refused} refused"
    );
    let seen = seen.into_inner().unwrap_or_else(PoisonError::into_inner);
    let never: Vec<_> = all_forms().difference(&seen).cloned().collect();
    assert!(never.is_empty(), "no random text that is right has {never:?}");
    let unlisted: Vec<_> = seen.difference(&all_forms()).cloned().collect();
    assert!(unlisted.is_empty(), "not in the list: {unlisted:?}");
}

/// All kinds of tokens, symbols, literals, separators and expressions occur.
fn all_forms() -> BTreeSet<String> {
    let mut all: BTreeSet<String> = SYMBOLS.iter().map(|symbol| (*symbol).to_owned()).collect();
    for quote in ["'", "\"", "'''", "\"\"\""] {
        for prefix in ["", "r", "R", "b", "B", "br", "bR", "Br", "BR"] {
            all.insert(format!("{prefix}{quote}"));
        }
    }
    let escapes = r#"\a \b \f \n \r \t \v \" \' \\ \? \` \x \X \u \U \0 \1 \3"#;
    all.extend(escapes.split(' ').map(str::to_owned));
    let tokens = [
        "in",
        "true",
        "false",
        "null",
        "name",
        "reserved word",
        "escaped name",
        "int",
        "hexadecimal int",
        "unsigned",
        "hexadecimal unsigned",
        "1.5",
        "1.5e1",
        "1e1",
        ".5",
        ".5e1",
        "comment",
    ];
    all.extend(tokens.map(str::to_owned));
    all.extend([' ', '\t', '\n', '\r', '\x0C'].map(|blank| format!("{blank:?}")));
    let pairs = ["[ ,", "{ ,", ", ]", ", }", "! !", "- -", "! -", "- 1"];
    all.extend(pairs.map(str::to_owned));
    let trees = "name constant invalid process field has index not negate and or compare arithmetic member \
        conditional list object call matches exists all exists_one map filter";
    all.extend(trees.split(' ').map(|tree| format!("tree {tree}")));
    all
}

/// How the tokens of a correct text are written, and what stands between them.
fn forms_of_text(text: &str) -> BTreeSet<String> {
    let mut forms = BTreeSet::new();
    let mut before = (String::new(), 0);
    for (token, place) in tokens(text) {
        let between = &text[before.1..place.start];
        if between.contains("//") {
            forms.insert("comment".to_owned());
        } else {
            forms.extend(between.chars().map(|blank| format!("{blank:?}")));
        }
        let written = &text[place.clone()];
        let radix = if written.starts_with("0x") { "hexadecimal " } else { "" };
        let form = match token {
            Token::Name(word) if is_reserved(word) => "reserved word".to_owned(),
            Token::Name(_) => "name".to_owned(),
            Token::Escaped(_) => "escaped name".to_owned(),
            Token::Int(_) => format!("{radix}int"),
            Token::Unsigned(_) => format!("{radix}unsigned"),
            Token::Double(_) => {
                let whole = if written.starts_with('.') { "" } else { "1" };
                let part = if written.contains('.') { ".5" } else { "" };
                let exponent = if written.contains(['e', 'E']) { "e1" } else { "" };
                format!("{whole}{part}{exponent}")
            }
            Token::Bytes | Token::Literal(Value::String(_)) => {
                let prefix = written.find(['"', '\'']).unwrap_or_default();
                let quote = &written[prefix..=prefix];
                let three = quote.repeat(3);
                let quote = if written[prefix..].starts_with(&three) {
                    &three
                } else {
                    quote
                };
                if !written[..prefix].contains(['r', 'R']) {
                    forms.extend(escapes(&written[prefix + quote.len()..]));
                }
                format!("{}{quote}", &written[..prefix])
            }
            Token::Literal(_) | Token::Symbol(_) => written.to_owned(),
            Token::Stray | Token::Wrong(_) => panic!("{text:?} is accepted"),
            Token::End => break,
        };
        let pair = format!("{} {}", before.0, if form == "int" { "1" } else { &form });
        if ["[ ,", "{ ,", ", ]", ", }", "! !", "- -", "! -", "- 1"].contains(&&*pair) {
            forms.insert(pair);
        }
        before = (form.clone(), place.end);
        forms.insert(form);
    }
    forms
}

/// The escapes in a string, by the character after the backslash.
fn escapes(written: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut characters = written.chars();
    while let Some(c) = characters.next() {
        if c == '\\' {
            found.extend(characters.next().map(|kind| format!("\\{kind}")));
        }
    }
    found
}

/// The kinds of expressions in a tree.
fn forms_of_tree(tree: &Expression, forms: &mut BTreeSet<String>) {
    tree.visit(&mut Vec::new(), &mut |e, _| {
        let form = match &e.kind {
            Kind::Constant(_) => "constant",
            Kind::Invalid => "invalid",
            Kind::Name(_) => "name",
            Kind::Process(_) => "process",
            Kind::Field(..) => "field",
            Kind::Has(..) => "has",
            Kind::Index(_) => "index",
            Kind::Not(_) => "not",
            Kind::Negate(_) => "negate",
            Kind::And(_) => "and",
            Kind::Or(_) => "or",
            Kind::Compare(..) => "compare",
            Kind::Arithmetic(..) => "arithmetic",
            Kind::In(_) => "member",
            Kind::Conditional(_) => "conditional",
            Kind::List(_) => "list",
            Kind::Map(_) => "object",
            Kind::Call(..) => "call",
            Kind::Matches(..) => "matches",
            Kind::Comprehension(c) => c.quantifier.name(),
        };
        forms.insert(format!("tree {form}"));
    });
}
