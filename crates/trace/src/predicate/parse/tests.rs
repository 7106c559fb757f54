//! Places, messages and limits, by example.

use super::shape::shape;
use super::*;

fn shown(text: &str) -> String {
    let (tree, errors) = parse(text).unwrap_or_else(|errors| panic!("{text}: {errors}"));
    assert_eq!(errors, vec![], "{text}");
    shape(&tree)
}

/// The pieces of text of all expressions, outermost first.
fn pieces(text: &str) -> Vec<&str> {
    let (tree, errors) = parse(text).unwrap();
    assert_eq!(errors, vec![]);
    let mut pieces = Vec::new();
    tree.visit(&mut Vec::new(), &mut |e, _| pieces.push(&text[Range::from(e.span)]));
    pieces
}

/// The first error: its piece of text, message and hint.
fn error(text: &str) -> String {
    let error = match parse(text) {
        Err(errors) => errors.errors[0].clone(),
        Ok((_, errors)) => errors[0].clone(),
    };
    let hint = error.hint.unwrap_or_default();
    format!("{}|{}|{hint}", &text[error.span], error.message)
}

#[test]
fn operators_group_as_they_bind() {
    assert_eq!(
        shown("a || b && c == d + e * f - g"),
        "(|| a (&& b (== c (- (+ d (* e f)) g))))"
    );
    assert_eq!(shown("a < b == c in d"), "(in (== (< a b) c) d)");
    assert_eq!(shown("a - b - c * d / e"), "(- (- a b) (/ (* c d) e))");
    assert_eq!(shown("a ? b : c ? d : e"), "(?: a b (?: c d e))");
    assert_eq!(shown("a && (b && (c || (d || e))) && f"), "(&& a b (|| c d e) f)");
    assert_eq!(shown("!a.b == -c[d]"), "(== (! (.\"b\" a)) (negate (index c d)))");
}

#[test]
fn signs_belong_to_numbers_or_cancel() {
    assert_eq!(shown("-1.x"), "(.\"x\" Int(-1))");
    assert_eq!(shown("a-1"), "(- a Int(1))");
    assert_eq!(shown("a--1"), "(- a Int(-1))");
    assert_eq!(shown("--1"), "Int(1)");
    assert_eq!(shown("---1"), "(negate Int(1))");
    assert_eq!(shown("!-1.5"), "(! Double(-1.5))");
    assert_eq!(shown("!!!!a"), "a");
    assert_eq!(shown("-1u"), "(negate Int(1))");
    assert_eq!(shown("-9223372036854775808"), "Int(-9223372036854775808)");
}

#[test]
fn commas_and_dots_at_ends() {
    assert_eq!(
        shown("[,] + [a,] + [{,}, {a: b,}]"),
        "(+ (+ (list) (list a)) (list (map) (map a b)))"
    );
    assert_eq!(shown(".a + .size(.b)"), "(+ a (call size b))");
    assert_eq!(shown("a.for.`b c`.`in`"), "(.\"in\" (.\"b c\" (.\"for\" a)))");
}

#[test]
fn every_expression_knows_its_text() {
    assert_eq!(
        pieces("(p1.x + -1) * 2 == size(\"é\")"),
        [
            "(p1.x + -1) * 2 == size(\"é\")",
            "(p1.x + -1) * 2",
            "p1.x + -1",
            "p1.x",
            "p1",
            "-1",
            "2",
            "size(\"é\")",
            "\"é\""
        ]
    );
    assert_eq!(
        pieces("processes . exists(p, p.`a b` [0])"),
        [
            "processes . exists(p, p.`a b` [0])",
            "processes",
            "p.`a b` [0]",
            "p.`a b`",
            "p",
            "0"
        ]
    );
    assert_eq!(pieces("!(a.b)"), ["!(a.b)", "a.b", "a"]);
    assert_eq!(pieces("has(p.x) ? process('q').y : {'k': [1]}.k == 1").len(), 13);
    // The same name in several places, brackets in strings, comments inside.
    assert_eq!(
        pieces("[x.x, ((x)).size() // x.x)\n] == -- x"),
        [
            "[x.x, ((x)).size() // x.x)\n] == -- x",
            "[x.x, ((x)).size() // x.x)\n]",
            "x.x",
            "x",
            "((x)).size()",
            "x",
            "x"
        ]
    );
}

#[test]
fn errors_of_syntax_say_what_was_expected_and_found() {
    assert_eq!(error("p1.x == "), "|expected a value, found the end of the predicate|");
    assert_eq!(error(""), "|expected a value, found the end of the predicate|");
    assert_eq!(error("a + * b"), "*|expected a value, found `*`|");
    assert_eq!(
        error("a b"),
        "b|expected an operator or the end of the predicate, found `b`|"
    );
    assert_eq!(
        error("(p1.x"),
        "(|`(` is not closed: expected an operator or `)`, found the end of the predicate|"
    );
    assert_eq!(error("f(a[1)"), ")|expected an operator or `]`, found `)`|");
    assert_eq!(error("[a b]"), "b|expected an operator, `,` or `]`, found `b`|");
    assert_eq!(error("{a}"), "}|expected an operator or `:`, found `}`|");
    assert_eq!(error("{a: b: c}"), ":|expected an operator, `,` or `}`, found `:`|");
    assert_eq!(
        error("a ? b"),
        "|expected an operator or `:`, found the end of the predicate|"
    );
    assert_eq!(
        error("a.1"),
        ".1|expected an operator or the end of the predicate, found `.1`|"
    );
    assert_eq!(error("a. 1"), "1|expected the name of a field, found `1`|");
    assert_eq!(error(". 1"), "1|expected a name, found `1`|");
    assert_eq!(
        error("a 'a long string that is not repeated'"),
        "'a long string that is not repeated'|expected an operator or the end of the predicate, found `'a long string that is n…`|"
    );
}

#[test]
fn common_slips_get_a_hint() {
    let hint = |text: &str| error(text).splitn(3, '|').nth(2).unwrap_or_default().to_owned();
    for text in ["p1.x = 1", "p1.x === 1"] {
        assert_eq!(hint(text), "equality is written `==`");
    }
    assert_eq!(
        error("p1.x\n == 'é' & 1"),
        "&|expected an operator or the end of the predicate, found `&`|conjunction is written `&&`"
    );
    assert_eq!(hint("p1.x and p2.y"), "conjunction is written `&&`");
    assert_eq!(hint("p1.x or p2.y"), "disjunction is written `||`");
    for text in ["not p1.x", "p1.x not in [1]", "p1.x && not p2.y", "not(p1.x)"] {
        assert_eq!(hint(text), "negation is written `!`", "{text}");
    }
    for text in ["p1.x <> 1", "p1.x !== 1"] {
        assert_eq!(hint(text), "inequality is written `!=`");
    }
    assert_eq!(hint("!-a"), "put what comes after `!` in brackets");
    assert_eq!(hint("-!a"), "put what comes after `-` in brackets");
    assert_eq!(hint("a ? b ? c : d : e"), "put the inner `?:` in brackets");
    assert_eq!(hint("f(a,)"), "arguments do not end with a comma");
    for text in ["a.?b", "a[?b]", "[?a]", "{?a: b}", "[a, ?b]"] {
        assert_eq!(hint(text), "optional fields and elements are not supported", "{text}");
    }
    assert_eq!(hint("a.in"), "a field of that name is written `[\"in\"]`");
    assert_eq!(
        error("for.x == 1"),
        "for|`for` is a reserved word|a process of that name is written `process(\"for\")`"
    );
    assert_eq!(error("for(1)"), "for|`for` is a reserved word|");
    assert_eq!(
        error("a + b.c{x: 1}"),
        "b.c{|messages are not supported|an object is written `{\"x\": 1}`"
    );
}

#[test]
fn a_literal_that_is_wrong_says_so_itself() {
    assert_eq!(error("a == 'abc"), "'abc|this string has no end: `'` is missing|");
    assert_eq!(
        error("a == 'abc\n'"),
        "'abc|this string has no end: `'` is missing|only between `'''` it may go over several lines"
    );
    assert_eq!(error("[1, 'a\\qb']").split('|').next(), Some("\\q"));
    assert_eq!(
        error("1 + 9223372036854775808").split('|').nth(1),
        Some("this number is too large")
    );
    assert_eq!(
        error("-9223372036854775809").split('|').next(),
        Some("-9223372036854775809")
    );
    assert_eq!(
        error("1 + 9223372036854775808u").split('|').next(),
        Some("9223372036854775808u")
    );
    assert_eq!(error("b'x' == 1").split('|').next(), Some("b'x'"));
    // The first error is reported.
    assert_eq!(error("a b 'c").split('|').next(), Some("b"));
}

#[test]
fn errors_of_calls_have_a_place_and_a_hint() {
    assert_eq!(
        error("p1.x.startWith('a')"),
        "startWith|there is no function `startWith`|did you mean `startsWith`?"
    );
    assert_eq!(
        error("p1.x.size(1) > 1"),
        "p1.x.size(1)|`size` takes no argument, not 1|"
    );
    assert_eq!(error("sum(p1.x) > 1"), "sum|`sum` is a method|write `x.sum(…)`");
    assert_eq!(error("p1.x.int() > 1"), "int|`int` is not a method|write `int(x)`");
    assert_eq!(
        error("exists(p, p.x)"),
        "exists|`exists` is called on a list|write `processes.exists(p, …)`"
    );
    assert_eq!(error("processes.all(p.x)").split('|').next(), Some("all"));
    assert_eq!(error("processes.all(p.x, true)").split('|').next(), Some("p.x"));
    assert_eq!(error("p1.x.matches('(')").split('|').next(), Some("'('"));
    assert_eq!(error("has(p1)"), "has(p1)|`has` needs one field, as in `has(p.x)`|");
}

#[test]
fn deep_text_is_an_error() {
    // How deep each may be nested. The outermost expression counts too.
    let most = MAX_NESTING - 1;
    for (open, close, most) in [
        ("(", ")", most),
        ("[", "]", most),
        ("{1:", "}", most),
        ("{", ":1}", most),
        ("!(", ")", most),
        ("f(", ")", most),
        ("a.f(", ")", most),
        ("a[", "]", most),
        ("-(", ")", most),
        ("a ? a : ", "", most),
        ("(a ? a : ", ")", most / 2),
        // Five operators in each.
        ("a || a && a == a + a * (", ")", MAX_DEPTH / 5),
    ] {
        let nested = |count: usize| format!("{}1{}", open.repeat(count), close.repeat(count));
        for count in [MAX_NESTING, 1000, 2000] {
            let message = error(&nested(count));
            let expected = format!("|brackets and `?:` are nested more than {MAX_NESTING} deep|");
            assert!(message.ends_with(&expected), "{open}: {message}");
        }
        assert!(parse(&nested(most)).is_ok(), "{open}");
        assert!(parse(&nested(most + 1)).is_err(), "{open}");
    }
}

#[test]
fn long_chains_are_an_error() {
    for (operand, rest) in [
        ("1", "+1"),
        ("1", "*1"),
        ("1", "<1"),
        ("1", "[0]"),
        ("a", ".a"),
        ("1", " in 1"),
        ("a", ".size()"),
    ] {
        let chain = |count: usize| format!("{operand}{}", rest.repeat(count));
        assert!(parse(&chain(MAX_DEPTH)).is_ok(), "{rest}");
        for count in [MAX_DEPTH + 1, 5000] {
            let expected = format!("|more than {MAX_DEPTH} operators apply to each other's results|");
            assert!(error(&chain(count)).contains(&expected), "{rest}");
        }
    }
    let message = error(&" ".repeat(MAX_LENGTH + 1));
    assert_eq!(message, format!("|the predicate is longer than {MAX_LENGTH} bytes|"));
    // Flattened chains and siblings do not add depth.
    for text in [
        format!("a{}", " && a".repeat(9000)),
        format!("a{}", " || a".repeat(9000)),
        format!("[{}]", "a, ".repeat(9000)),
        format!("a{}", " + a * a".repeat(MAX_DEPTH - 1)),
        format!("{}a", "!".repeat(60_000)),
        format!("{}a", "-".repeat(60_000)),
    ] {
        assert!(parse(&text).is_ok(), "{}", &text[..20]);
    }
}
