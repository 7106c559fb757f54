//! The front end of Promela: preprocessor, lexer, parser, checker, and their messages.

use super::{Target, fingerprint, magnitude, text};
use mazurka_promela::{Diagnostic, Errors, Options, Severity, Sources, load, load_with, parse_ltl, render};
use std::collections::BTreeSet;
use std::path::Path;

/// The words of Promela, and pieces that have caused trouble.
pub const WORDS: &[&str] = &[
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    "::",
    ";",
    "->",
    "-->",
    "--",
    "++",
    "=",
    "==",
    "!=",
    "!",
    "!!",
    "?",
    "??",
    "?<",
    ">",
    "@",
    ":",
    ".",
    ",",
    "<<",
    "&&",
    "||",
    "~",
    "%",
    "/",
    "*",
    "-",
    "+",
    "\n",
    " ",
    "if",
    "fi",
    "do",
    "od",
    "for",
    "in",
    "select",
    "unless",
    "atomic",
    "d_step",
    "proctype",
    "active",
    "init",
    "never",
    "ltl",
    "trace",
    "notrace",
    "inline",
    "typedef",
    "mtype",
    "chan",
    "bit",
    "bool",
    "byte",
    "short",
    "int",
    "unsigned",
    "pid",
    "hidden",
    "show",
    "local",
    "run",
    "goto",
    "break",
    "skip",
    "else",
    "timeout",
    "assert",
    "printf",
    "printm",
    "len",
    "empty",
    "nempty",
    "full",
    "nfull",
    "eval",
    "enabled",
    "pc_value",
    "np_",
    "_pid",
    "_nr_pr",
    "_last",
    "set_priority",
    "get_priority",
    "priority",
    "provided",
    "xr",
    "xs",
    "of",
    "end",
    "accept",
    "progress",
    "true",
    "false",
    "STDIN",
    "c_code {",
    "L: goto L",
    "P@l",
    "P:v",
    "P[0]@l",
    "\n#define F(x) x x\n",
    "F(",
    "##",
    "#",
    "\n#if ",
    "\n#ifdef A\n",
    "\n#else\n",
    "\n#endif\n",
    "\n#elif 1\n",
    "\n#include \"self\"\n",
    "\n#undef F\n",
    "\n#line 5\n",
    "defined(A)",
    "inline f(x) { f(x) x }",
    "typedef T { T t }",
    "byte x : 99;",
    "select (x : 5 .. 1)",
    "[-1]",
    "[]",
    "<>",
    "U",
    "W",
    "V",
    "X",
    "always",
    "eventually",
    "snapshot(",
    "? 1 :",
    "-> 1 :",
];

pub fn target() -> Target {
    Target {
        name: "promela",
        about: "models, as far as the front end",
        samples: &["corpus/promela", "examples", "crates/promela/tests/models"],
        words: WORDS,
        generate: None,
        run: front_end,
    }
}

pub fn formula() -> Target {
    Target {
        name: "ltl",
        about: "formulas about a model, as with --ltl",
        samples: &[],
        words: WORDS,
        generate: None,
        run: given,
    }
}

/// Reads a model that may include itself.
fn front_end(bytes: &[u8]) -> u64 {
    let files = |path: &Path| match path.ends_with("self") {
        true => Ok(bytes.to_vec()),
        false => Err(std::io::Error::other("there is no such file")),
    };
    match load_with("fuzz.pml", text(bytes), &Options::default(), &files) {
        Ok(loaded) => fingerprint((
            true,
            shown(&loaded.model.sources, &loaded.warnings),
            magnitude(loaded.model.proctypes.len()),
        )),
        Err(errors) => refused(&errors),
    }
}

/// Reads a formula about a model with something of everything.
fn given(bytes: &[u8]) -> u64 {
    let model = "#define BIG(x) (x > 3)\nmtype = { red, green }; typedef R { byte f[2] }; byte x; bool b; R r; chan c = [2] of { byte };\n\
        proctype Q(byte n) { byte v; l: v = n } active [2] proctype P() { byte v; l: v = 1; c!v; run Q(v) }";
    let mut model = load("model.pml", model, &Options::default())
        .expect("the model is right")
        .model;
    match parse_ltl(&mut model, "given", &text(bytes)) {
        Ok(ltl) => fingerprint((true, magnitude(ltl.atoms.len()), ltl.snapshots.len())),
        Err(errors) => refused(&errors),
    }
}

fn refused(errors: &Errors) -> u64 {
    assert!(
        errors.diagnostics.iter().any(|found| found.severity == Severity::Error),
        "refused without an error"
    );
    fingerprint((false, shown(&errors.sources, &errors.diagnostics)))
}

/// Draws every message, and gives their names.
fn shown(sources: &Sources, diagnostics: &[Diagnostic]) -> BTreeSet<&'static str> {
    for found in diagnostics {
        let shown = render(sources, found);
        assert!(!shown.trim().is_empty(), "a message without words");
    }
    diagnostics.iter().map(|found| found.id).collect()
}
