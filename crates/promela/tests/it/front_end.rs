//! The front end accepts what SPIN 6.5 accepts, with the same meaning. Texts that would take for ever are refused at
//! their place.

use mazurka_promela::verify::{Options as Search, Property, Verdict, check};
use mazurka_promela::{Errors, Options, load, load_path, load_with};
use std::path::Path;

/// Whether a model has no violation in any state.
fn holds(text: &str) -> bool {
    let loaded = load("m.pml", text, &Options::default()).unwrap_or_else(|errors| panic!("{errors}\n{text}"));
    let result = check(&loaded.model, &Property::Safety, &Search::default()).expect("it can be checked");
    assert!(
        matches!(result.verdict, Verdict::Holds | Verdict::Violated),
        "{:?}",
        result.verdict
    );
    result.verdict == Verdict::Holds
}

/// The ids of the diagnostics of a text.
fn refused(text: &str) -> Vec<&'static str> {
    ids(load("m.pml", text, &Options::default()).expect_err("it is refused"))
}

fn ids(errors: Errors) -> Vec<&'static str> {
    assert!(!errors.to_string().is_empty());
    errors.diagnostics.iter().map(|found| found.id).collect()
}

#[test]
fn in_is_a_name() {
    assert!(holds(
        "chan in = [1] of { byte };
         active proctype R() { byte msg; in!3; in?msg; assert(msg == 3) }
         ltl l { [] (len(in) < 2) }"
    ));
    assert!(holds(
        "proctype Q(chan out, in) { byte x; in?x; out!x }
         active proctype P() {
           byte in[2], i, got; in[1] = 3;
           for (i in in) { got = got + in[i] }
           assert(got == 3)
         }"
    ));
}

#[test]
fn a_formula_may_end_with_a_semicolon() {
    assert!(holds("byte x; ltl l { [] (x == 0); } active proctype P() { skip }"));
    assert_eq!(refused("byte x; ltl l { ; } active proctype P() { skip }").len(), 1);
}

/// A process inside its `d_step` is at no location, and one of the same proctype may be the process itself.
#[test]
fn a_d_step_does_not_ask_where_its_own_proctype_is() {
    let asking =
        |who: &str| format!("active proctype P() {{ l: d_step {{ {who} }} }} active proctype Q() {{ m: skip }}");
    assert_eq!(refused(&asking("P@l")), ["promela::remote"]);
    assert!(load("m.pml", asking("Q@m"), &Options::default()).is_ok());
}

#[test]
fn the_initial_value_of_a_record_is_ignored() {
    let text = "typedef T { byte a; byte b = 3 };
         typedef U { T t = 4; byte c = 2; T s[2] = 9 };
         byte g = 5;
         T x = g / 0, y[2] = 7, z[2] = { 1, 2 };
         U u;
         active proctype P() {
           T w = _pid, v[2] = 1;
           assert(x.a == 0 && x.b == 3 && y[1].a == 0 && y[1].b == 3 && z[1].a == 0);
           assert(w.a == 0 && w.b == 3 && v[1].b == 3);
           assert(u.t.a == 0 && u.t.b == 3 && u.c == 2 && u.s[1].a == 0 && u.s[1].b == 3)
         }";
    assert!(holds(text));
    let warnings = load("m.pml", text, &Options::default()).unwrap().warnings;
    assert_eq!(warnings.len(), 7);
    assert!(warnings.iter().all(|found| found.id == "promela::record-initial"));
    // As in SPIN, a list is for an array, and a later declaration would be an assignment.
    assert_eq!(
        refused("typedef T { byte a }; T x = { 1 }; init { skip }"),
        ["promela::type"]
    );
    let late = refused("typedef T { byte a }; init { byte b; b++; T x = 1; x.a = b }");
    assert!(late.contains(&"promela::late-record"), "{late:?}");
}

#[test]
fn an_arrow_may_have_two_dashes() {
    assert!(holds(
        "byte x = 1; active proctype P() { x == 1 --> x--; x == 0-->skip; assert(x == 0) }"
    ));
}

#[test]
fn a_comment_may_be_closed_twice() {
    assert!(holds(
        "byte x; /* a */ */\nactive proctype P() { x = 1 */; assert(x == 1) }"
    ));
    assert_eq!(refused("init { skip } /* a"), ["promela::syntax"]);
}

#[test]
fn the_arguments_of_a_macro_may_span_directives() {
    let text = "#define SUM(a, b, c) a + b + c
        byte x;
        active proctype P() { x = SUM(1,
        #ifdef NO
           2,
        #else
           3,
        #endif
           4); assert(x == 8) }";
    assert!(holds(text));
}

/// Nesting as deep as in a text that once exhausted the memory.
#[test]
fn macros_that_double_their_arguments() {
    let doubling = [
        "#define F(x) x x\n",
        "#define F(x) G(x, x)\n#define G(x, y) x##y\n",
        "#define F(x) G(x)\n#define G(x) #x\n",
    ];
    for macros in doubling {
        let text = format!("{macros}{}a{}\ninit {{ skip }}", "F(".repeat(40), ")".repeat(40));
        assert_eq!(refused(&text), ["promela::too-large"], "{macros}");
    }
    let chain = (1..40).map(|k| format!("#define G{k}(x) G{}(x) G{}(x)\n", k - 1, k - 1));
    let chain: String = chain.collect();
    assert_eq!(
        refused(&format!("{chain}G39(a)\ninit {{ skip }}")),
        ["promela::too-large"]
    );
    let names: String = (0..50_000).map(|k| format!("#define N{k} N{}\n", k + 1)).collect();
    assert_eq!(refused(&format!("{names}N0")), ["promela::too-large"]);
    let nothing = format!("#define E(x) {}\n{}", "x ".repeat(100_000), "E()\n".repeat(1000));
    assert_eq!(refused(&nothing), ["promela::too-large"]);
}

#[test]
fn headers_that_include_the_next_one_twice() {
    let files = |path: &Path| {
        let number: u32 = path.to_str().and_then(|name| name.parse().ok()).unwrap_or(0);
        Ok(format!("#include \"{}\"\n#include \"{}\"\n", number + 1, number + 1).into_bytes())
    };
    let read = |files: &dyn Fn(&Path) -> std::io::Result<Vec<u8>>, limit: u32| {
        let bounded = |path: &Path| {
            let number: u32 = path.to_str().and_then(|name| name.parse().ok()).unwrap_or(0);
            if number > limit { Ok(Vec::new()) } else { files(path) }
        };
        ids(load_with("m.pml", "#include \"0\"\ninit { skip }", &Options::default(), &bounded).unwrap_err())
    };
    assert!(read(&files, 35).contains(&"promela::too-large"));
    let large = |_: &Path| Ok(vec![b' '; 1 << 20]);
    let text = "#include \"a\"\n".repeat(20);
    let errors = load_with("m.pml", text, &Options::default(), &large).unwrap_err();
    assert!(ids(errors).contains(&"promela::too-large"));
    assert_eq!(refused(&" ".repeat(17 << 20)), ["promela::too-large"]);
}

#[cfg(unix)]
#[test]
fn only_regular_files_are_included() {
    let folder = tempfile::tempdir().unwrap();
    let fifo = folder.path().join("fifo");
    assert!(
        std::process::Command::new("mkfifo")
            .arg(&fifo)
            .status()
            .unwrap()
            .success()
    );
    for name in ["/dev/urandom", "/dev/zero", "fifo", "."] {
        let model = folder.path().join("m.pml");
        std::fs::write(&model, format!("#include \"{name}\"\ninit {{ skip }}")).unwrap();
        let errors = load_path(&model, &Options::default()).unwrap().unwrap_err();
        assert_eq!(ids(errors), ["promela::include"], "{name}");
    }
    // The model may come from a pipe, but an endless one is refused.
    let errors = load_path("/dev/zero", &Options::default()).unwrap().unwrap_err();
    assert_eq!(ids(errors), ["promela::too-large"]);
}
