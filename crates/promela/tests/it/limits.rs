//! Numbers do not wrap and nesting does not overflow the stack: texts that are too large or too deep are refused at their place.
//!
//! Tests run on threads with 2 MB of stack, which is what the searches have.

use mazurka_logic::BuchiError;
use mazurka_promela::verify::{CheckError, Options as Search, Property, Verdict, check};
use mazurka_promela::{Errors, Options, RuntimeError, load};

fn read(text: &str) -> Result<mazurka_promela::Model, Errors> {
    load("m.pml", text, &Options::default()).map(|loaded| loaded.model)
}

fn verdict(text: &str) -> Result<Verdict, CheckError> {
    let model = read(text).unwrap_or_else(|errors| panic!("{errors}"));
    check(&model, &Property::Safety, &Search::default()).map(|result| result.verdict)
}

/// The ids of the errors, and their lines.
fn refused(text: &str) -> Vec<(&'static str, u32)> {
    let errors = read(text).expect_err("it is refused");
    assert!(!errors.to_string().is_empty());
    let found = errors.diagnostics.iter();
    found
        .map(|found| (found.id, errors.sources.place(found.span).line))
        .collect()
}

#[test]
fn statements() {
    let body = |count: usize| {
        format!(
            "byte x;\nactive proctype P() {{ {} assert(x == 0) }}",
            "x++; ".repeat(count)
        )
    };
    assert_eq!(verdict(&body(60_000)), Ok(Verdict::Violated));
    // The assertion counts as well.
    read(&body(65_533)).unwrap();
    assert_eq!(refused(&body(65_534)), [("promela::too-large", 2)]);
    assert_eq!(refused(&body(65_536)), [("promela::too-large", 2)]);
    let options = |count: usize| {
        let all: String = (0..count).map(|k| format!(":: x == {k} -> x = 1\n")).collect();
        format!("byte x;\nactive proctype P() {{ if\n{all}fi; assert(x == 0) }}")
    };
    assert_eq!(verdict(&options(5_000)), Ok(Verdict::Violated));
    assert_eq!(refused(&options(40_000)), [("promela::too-large", 2)]);
}

/// The last location number is reserved: it means that a trace assertion is settled.
#[test]
fn places_of_trace_assertions() {
    let text = |kind: &str, events: usize, turns: usize| {
        let events: Vec<&str> = (0..events).map(|k| ["c!1", "c?1"][k % 2]).collect();
        format!(
            "chan c = [1] of {{ bit }};
             active proctype P() {{ int i; do :: i < {turns} -> atomic {{ c!1; c?1; i++ }} :: else -> break od }}
             {kind} {{ {} }}",
            events.join("; ")
        )
    };
    assert_eq!(verdict(&text("trace", 65_534, 32_767)), Ok(Verdict::Holds));
    assert_eq!(verdict(&text("trace", 65_534, 32_768)), Ok(Verdict::Violated));
    assert_eq!(verdict(&text("notrace", 65_534, 32_766)), Ok(Verdict::Holds));
    assert_eq!(verdict(&text("notrace", 65_534, 32_767)), Ok(Verdict::Violated));
    for kind in ["trace", "notrace"] {
        assert_eq!(refused(&text(kind, 65_535, 1)), [("promela::too-large", 3)]);
    }
}

/// A formula has at most 64 atoms. Atoms that make no difference to it count too.
#[test]
fn atoms() {
    let text = |atoms: usize| {
        let more: String = (1..atoms).map(|k| format!(" || x < {}", 100 + k)).collect();
        format!("byte x; active proctype P() {{ x = 1 }} ltl {{ <> (x == 9) || (false && (false{more})) }}")
    };
    let found = |atoms: usize| {
        let model = read(&text(atoms)).unwrap();
        let property = Property::Ltl(model.ltl[0].clone());
        check(&model, &property, &Search::default()).map(|result| result.verdict)
    };
    assert_eq!(found(64), Ok(Verdict::Violated));
    assert_eq!(found(65), Err(CheckError::Formula(BuchiError::TooManyAtoms)));
    assert_eq!(found(130), Err(CheckError::Formula(BuchiError::TooManyAtoms)));
}

/// The participants of an `atomic` are listed in the state until it ends.
#[test]
fn components_of_snapshots() {
    let found = |elements: usize| {
        let text = format!(
            "typedef T {{ byte a[{elements}] }}; T t, u; byte x, y;
             active proctype P() {{
                 atomic {{ d_step {{ t.a[x] = 1; u.a[x] = 1 }}; if :: x = 1 :: x = 2 fi; y = 1 }}
             }}
             ltl {{ [] !snapshot(y == 1) }}"
        );
        let model = read(&text).unwrap();
        let property = Property::Ltl(model.ltl[0].clone());
        check(&model, &property, &Search::default()).map(|result| result.verdict)
    };
    assert_eq!(found(1_000), Ok(Verdict::Violated));
    for elements in [17_000, 40_000] {
        let Err(CheckError::Snapshot(found)) = found(elements) else {
            panic!("{elements} variables, twice, are too many");
        };
        assert_eq!(found.id, "promela::snapshot");
        assert!(found.message.contains("at most 32511"), "{}", found.message);
    }
}

#[test]
fn the_widest_unsigned() {
    let text = "unsigned x : 31; init { x = -1; assert(x == 2147483647); x = x + 1; assert(x == 0) }";
    assert_eq!(verdict(text), Ok(Verdict::Holds));
}

/// A few statements can have many edges, since an escape is an edge of every statement that it can interrupt.
#[test]
fn edges() {
    let text = |count: usize| {
        let escapes: String = (0..count).map(|k| format!(":: y == {k} ")).collect();
        let body = "x = 1; ".repeat(count);
        format!("byte x, y = 255;\nactive proctype P() {{ {{ {body} assert(x == 0) }} unless {{ if {escapes} fi }} }}")
    };
    assert_eq!(verdict(&text(150)), Ok(Verdict::Violated));
    assert_eq!(refused(&text(260)), [("promela::too-large", 2)]);
}

#[test]
fn proctypes() {
    let many = |count: usize, parameters: &str| {
        let all: String = (0..count)
            .map(|k| format!("proctype P{k}({parameters}) {{ x = {} }}\n", k % 2))
            .collect();
        let last = count - 1;
        let value = if parameters.is_empty() { "" } else { "7" };
        format!("byte x; {all}init {{ run P{last}({value}); _nr_pr == 1; assert(x == 0) }}")
    };
    for parameters in ["", "byte a"] {
        assert_eq!(verdict(&many(255, parameters)), Ok(Verdict::Holds));
        assert_eq!(verdict(&many(254, parameters)), Ok(Verdict::Violated));
        for count in [256, 257, 258, 600] {
            assert_eq!(
                refused(&many(count, parameters)),
                [("promela::too-large", 257)],
                "{count}"
            );
        }
    }
}

#[test]
fn channels() {
    let many = |count: usize| {
        let last = count - 1;
        format!(
            "byte a;\nchan c[{count}] = [1] of {{ byte }};
             active proctype P() {{ c[{last}]!1; assert(empty(c[{}])) }}",
            last % 256
        )
    };
    assert_eq!(verdict(&many(255)), Ok(Verdict::Violated));
    assert_eq!(refused(&many(256)), [("promela::too-large", 2)]);
    assert_eq!(refused(&many(300)), [("promela::too-large", 2)]);
    let record = "typedef T { chan c[100] = [0] of { byte } };\nT t[3];\ninit { skip }";
    assert_eq!(refused(record), [("promela::too-large", 2)]);
    let local = "proctype P() {\nchan c[256] = [1] of { byte }; c[1]!1 } init { run P() }";
    assert_eq!(refused(local), [("promela::too-large", 2)]);
    // Processes open their channels while the model runs, so having too many is a runtime error.
    let opened = |count: usize| {
        format!(
            "proctype P() {{ chan c[{count}] = [0] of {{ byte }}; end: false }}
             init {{ atomic {{ run P(); run P(); run P() }} }}"
        )
    };
    assert_eq!(verdict(&opened(85)), Ok(Verdict::Holds));
    assert_eq!(verdict(&opened(86)), Ok(Verdict::Violated));
    let active = "active [3] proctype P() { chan c[100] = [0] of { byte }; end: false }";
    assert_eq!(verdict(active), Err(CheckError::Start(RuntimeError::TooManyChannels)));
}

#[test]
fn variables() {
    let ids = |text: &str| refused(text).into_iter().map(|(id, _)| id).collect::<Vec<_>>();
    for text in [
        "int a[1048576], b[1048576]; init { skip }",
        "typedef T { int a[60000] }; T t[60000]; init { skip }",
        "typedef T { int a[60000] }; chan c[250] = [250] of { T }; init { skip }",
        "init { int a[1048576], b; b = a[1] }",
    ] {
        assert_eq!(ids(text), ["promela::too-large"], "{text}");
    }
    let fields = vec!["T"; 100].join(", ");
    let text = format!("typedef T {{ int a[60000] }}; chan c = [1] of {{ {fields} }}; init {{ skip }}");
    assert!(ids(&text).contains(&"promela::too-large"));
    let sends = "c!t; ".repeat(100);
    let text = format!("typedef T {{ int a[60000] }}; chan c = [1] of {{ T }}; init {{ T t; {sends} }}");
    assert!(ids(&text).contains(&"promela::too-large"));
}

/// `before` `count` times, `inside`, and `after` `count` times.
fn nested(count: usize, before: &str, inside: &str, after: &str) -> String {
    format!("{}{inside}{}", before.repeat(count), after.repeat(count))
}

/// Depths of nesting. The first is accepted, the others are refused.
const NESTED: [usize; 3] = [100, 1100, 30_000];

/// A model with a statement in it.
fn around(statement: &str) -> String {
    format!(
        "byte x, y, a[3]; chan c = [1] of {{ byte }}; inline f(z) {{ z }}\nactive proctype P() {{ l: {statement} }}"
    )
}

#[test]
fn nested_expressions() {
    let expressions = [
        ("(", ")"),
        ("! ", ""),
        ("-", ""),
        ("~", ""),
        ("a[", "]"),
        ("(1 -> 2 : ", ")"),
        ("(1 -> ", " : 2)"),
        ("(", " -> 1 : 2)"),
        ("1 + (", ")"),
        ("(", ") + 1"),
        ("1 + ", ""),
        ("len(", ")"),
        ("enabled(", ")"),
        ("P[", "]@l"),
        ("P[", "]:a"),
        ("c?[", "]"),
        ("c?[eval(", ")]"),
    ];
    for count in NESTED {
        for (before, after) in expressions {
            for statement in ["x = ", "", "c!", "c?eval(", "assert ", "a[0] = "] {
                let close = if statement.ends_with('(') { ")" } else { "" };
                let text = around(&format!("{statement}{}{close}", nested(count, before, "x", after)));
                let read = read(&text);
                assert!(count == 100 || read.is_err(), "{count} {statement} {before}");
            }
            let text = format!("{} ltl {{ [] {} }}", around("skip"), nested(count, before, "x", after));
            assert!(count == 100 || read(&text).is_err(), "{count} {before}");
        }
    }
}

#[test]
fn nested_statements() {
    let statements = [
        ("{ ", " }"),
        ("if :: ", " fi"),
        ("do :: ", " od"),
        ("atomic { ", " }"),
        ("d_step { ", " }"),
        ("{ ", " } unless { y = 1 }"),
        ("{ y = 1 } unless { ", " }"),
        ("for (x : 0 .. 1) { ", " }"),
        ("l: ", ""),
        ("y = 1 unless ", ""),
        ("f(", ")"),
        ("c!a(", ")"),
        ("c?(", ")"),
    ];
    for count in NESTED {
        for (before, after) in statements {
            let text = around(&nested(count, before, "y = 1", after));
            let read = read(&text);
            assert!(count == 100 || before == "l: " || read.is_err(), "{count} {before}");
        }
    }
}

#[test]
fn nested_formulas() {
    for count in NESTED {
        for before in ["[] ", "X ", "! ", "(", "(x U ", "<> (x -> "] {
            let after = if before.contains('(') { ")" } else { "" };
            let text = format!(
                "byte x; init {{ skip }} ltl {{ {} }}",
                nested(count, before, "x", after)
            );
            assert!(count == 100 || read(&text).is_err(), "{count} {before}");
        }
    }
}

#[test]
fn long_chains_inside_of_brackets() {
    let mut text = "x".to_owned();
    for _ in 0..120 {
        text = format!("({text}{})", " + x".repeat(990));
    }
    let text = format!("byte x;\ninit {{ x = {text} }}");
    assert!(refused(&text).iter().all(|(id, _)| *id == "promela::too-deep"));
    // The deepest model that is accepted can be searched.
    let sum = " + x".repeat(990);
    assert_eq!(
        verdict(&format!(
            "byte x; init {{ x = 1; assert(x{sum} == 991); assert(x{} == 0) }}",
            " + x".repeat(900)
        )),
        Ok(Verdict::Violated)
    );
    let deep = |before: &str, after: &str| nested(140, before, "y = 1", after);
    for (before, after) in [
        ("{ ", " }"),
        ("if :: ", " fi"),
        ("atomic { ", " }"),
        ("{ ", " } unless { y == 9 }"),
    ] {
        let text = format!("byte y; init {{ {}; assert(y == 0) }}", deep(before, after));
        assert_eq!(verdict(&text), Ok(Verdict::Violated), "{before}");
    }
}

#[test]
fn typedefs_in_typedefs() {
    let chain = |count: usize| {
        let all: String = (1..count)
            .map(|k| format!("typedef T{k} {{ T{} t }};\n", k - 1))
            .collect();
        format!("typedef T0 {{ byte a }};\n{all}T{} t; init {{ skip }}", count - 1)
    };
    assert_eq!(verdict(&chain(32)), Ok(Verdict::Holds));
    assert!(refused(&chain(33)).contains(&("promela::too-large", 33)));
    assert!(refused(&chain(20_000)).contains(&("promela::too-large", 33)));
    let doubled: String = (1..30)
        .map(|k| format!("typedef T{k} {{ T{} t[9] }};\n", k - 1))
        .collect();
    refused(&format!("typedef T0 {{ byte a }};\n{doubled}T29 t; init {{ skip }}"));
}

#[test]
fn jumps_that_lead_nowhere() {
    for body in [
        "L: goto L",
        "x = 1; L: goto M; M: goto L",
        "if :: x = 1; L: goto L :: x = 2 fi",
        "atomic { x = 1; L: goto L }",
        "d_step { x = 1; L: goto L }",
        "goto M; L: goto L; M: skip",
        "x = 1; L: M: goto M",
    ] {
        let text = format!("byte x;\nactive proctype P() {{ {body} }}");
        assert_eq!(refused(&text), [("promela::endless-jump", 2)], "{body}");
    }
    for body in [
        "L: if :: goto L :: x == 1 fi",
        "L: { goto L }",
        "x = 1; L: do :: break od; goto L",
    ] {
        let text = format!("byte x;\nactive proctype P() {{ {body} }}");
        assert_eq!(verdict(&text), Ok(Verdict::Holds), "{body}");
    }
    let chain: String = (0..20_000).map(|k| format!("L{k}: goto L{};\n", k + 1)).collect();
    let text = format!("init {{ skip; {chain} L20000: assert(false) }}");
    assert_eq!(verdict(&text), Ok(Verdict::Violated));
}

#[test]
fn what_has_no_meaning_of_its_own_is_refused_at_its_place() {
    let cases = [
        (
            "byte x; proctype R(byte a) { x = a } init {\nd_step { run R(1) } }",
            "promela::run",
        ),
        (
            "byte x, p; proctype R(byte a) { x = a } init {\nd_step { p = run R(1); x = 5 } }",
            "promela::run",
        ),
        (
            "active proctype P() { skip } active proctype Q() {\npc_value(0) > 1 }",
            "promela::pc-value",
        ),
        (
            "byte x; active proctype P() { x = 1 }\nltl { [] !timeout }",
            "promela::timeout",
        ),
        (
            "byte x; active proctype P() { x = 1 }\nnever { do :: timeout -> break :: else od }",
            "promela::timeout",
        ),
    ];
    for (text, id) in cases {
        assert_eq!(refused(text), [(id, 2)], "{text}");
    }
}

/// Formulas say nothing about an execution that never leaves an `atomic`, since they do not observe its inside.
#[test]
fn a_loop_that_stays_inside_of_atomic() {
    for formula in ["[] <> !np_", "[] <> (x == 2)"] {
        let text = format!("byte x;\nactive proctype P() {{ atomic {{ do :: x = 1 - x od }} }} ltl {{ {formula} }}");
        let model = read(&text).unwrap();
        let property = Property::Ltl(model.ltl[0].clone());
        let found = check(&model, &property, &Search::default());
        assert_eq!(
            found.map(|result| result.verdict),
            Err(CheckError::EndlessAtomic(2)),
            "{formula}"
        );
    }
}

/// As in SPIN, `P@l` and `P:v` refer to the first instance of `P`.
#[test]
fn a_remote_reference_without_a_number_is_about_the_first() {
    let model = |asked: &str| {
        format!(
            "byte x; active [2] proctype P() {{ byte v; v = 1; l: x++; v = 2 + _pid }}
             active proctype Q() {{ {asked} }}"
        )
    };
    assert_eq!(verdict(&model("assert(!P@l)")), Ok(Verdict::Violated));
    assert_eq!(verdict(&model("assert(P:v < 2)")), Ok(Verdict::Violated));
    assert_eq!(verdict(&model("assert(P:v < 3)")), Ok(Verdict::Holds));
}

/// The plain interpreter replays a long `d_step` as the compiled form executes it, and does not wait for an endless one.
#[test]
fn a_long_d_step_is_replayed_and_an_endless_one_is_an_error() {
    let long = "int x; active proctype P() {
        d_step { do :: x < 60000 -> x = x + 1 :: else -> break od }; assert(x == 0) }";
    assert_eq!(verdict(long), Ok(Verdict::Violated));
    let endless = "int x; active proctype P() { d_step { do :: x = 1 - x od } }";
    let model = read(endless).unwrap();
    let found = check(&model, &Property::Safety, &Search::default()).unwrap();
    let [violation] = &found.violations[..] else {
        panic!("{:?}", found.violations)
    };
    assert_eq!(violation.message, "this d_step does not end");
}
