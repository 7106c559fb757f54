//! Diagnostics as users see them: the whole text of each message.

use mazurka_promela::{Options, load, load_with, render};
use std::path::Path;

/// All diagnostics of a text, rendered.
fn drawn(text: &str) -> String {
    match load("m.pml", text, &Options::default()) {
        Ok(loaded) => {
            let all = loaded.warnings.iter().map(|found| render(&loaded.model.sources, found));
            all.collect::<Vec<_>>().join("\n")
        }
        Err(errors) => errors.to_string(),
    }
}

fn check(text: &str, expected: &str) {
    let drawn = drawn(text);
    assert_eq!(drawn.trim_end(), expected.trim(), "\n{drawn}");
}

#[test]
fn a_typo_in_a_variable() {
    check(
        "active proctype P() {\n\tbyte count;\n\tconut++\n}\n",
        "
error: there is no variable `conut`
 --> m.pml:3:2
  |
3 | \tconut++
  | \t^^^^^ did you mean `count`?",
    );
}

#[test]
fn a_selection_that_is_not_closed() {
    check(
        "active proctype P() {\n  byte x;\n  if\n  :: x == 0 -> x = 1\n  x = 2\n}\n",
        "
error: expected `fi`, found `}`
 --> m.pml:6:1
  |
6 | }
  | ^
 ::: m.pml:3:3
  |
3 |   if
  |   -- this `if` is not closed",
    );
}

#[test]
fn a_message_that_is_too_long() {
    check(
        "chan c = [1] of { byte };\nactive proctype P() {\n  c!1,2;\n  c!1\n}\n",
        "
error: a message of this channel has 1 field, but 2 are sent
 --> m.pml:3:3
  |
3 |   c!1,2;
  |   ^^^^^",
    );
}

#[test]
fn a_run_with_too_few_arguments() {
    check(
        "proctype Worker(byte id; chan c) { skip }\ninit { run Worker(1) }\n",
        "
error: the proctype `Worker` takes 2 arguments, not 1
 --> m.pml:2:8
  |
2 | init { run Worker(1) }
  |        ^^^^^^^^^^^^^
 ::: m.pml:1:10
  |
1 | proctype Worker(byte id; chan c) { skip }
  |          ------ declared here",
    );
}

#[test]
fn an_error_inside_of_a_macro() {
    check(
        "#define REST(y) limit - y\nbyte limits;\nactive proctype P() {\n  limits = REST(1)\n}\n",
        "
error: there is no variable `limit`
 --> m.pml:1:17
  |
1 | #define REST(y) limit - y
  |                 ^^^^^ did you mean `limits`?
 ::: m.pml:4:12
  |
4 |   limits = REST(1)
  |            ------- in the expansion of the macro `REST`",
    );
}

#[test]
fn an_error_in_the_argument_of_an_inline() {
    check(
        "inline set(v, n) { v = n }\nactive proctype P() {\n  byte x;\n  set(x, y)\n}\n",
        "
error: there is no variable `y`
 --> m.pml:4:10
  |
4 |   set(x, y)
  |          ^ did you mean `x`?
 ::: m.pml:1:24
  |
1 | inline set(v, n) { v = n }
  |                        - it replaces the parameter `n` here",
    );
}

#[test]
fn an_error_inside_of_an_included_file() {
    let files = |path: &Path| match path.to_str() {
        Some("models/lib/types.h") => Ok(b"\n#include \"more.h\"\n".to_vec()),
        Some("models/lib/more.h") => Ok(b"byte a\n#define\n".to_vec()),
        _ => Err(std::io::Error::other("there is no such file")),
    };
    let text = "#include \"lib/types.h\"\n#include \"lib/other.h\"\nactive proctype P() { a = 1 }\n";
    let errors = load_with("models/m.pml", text, &Options::default(), &files).unwrap_err();
    let expected = "
error: `#define` needs a name
 --> models/lib/more.h:2:1
  |
2 | #define
  | ^^^^^^^
 ::: models/lib/types.h:2:1
  |
2 | #include \"more.h\"
  | ----------------- included here
 ::: models/m.pml:1:1
  |
1 | #include \"lib/types.h\"
  | ---------------------- included here

error: the file `models/lib/other.h` cannot be read
 --> models/m.pml:2:1
  |
2 | #include \"lib/other.h\"
  | ^^^^^^^^^^^^^^^^^^^^^^ there is no such file
";
    assert_eq!(errors.to_string().trim_end(), expected.trim(), "\n{errors}");
}

#[test]
fn several_errors_at_once() {
    let text = "active proctype P() {\n  byte x = ;\n  x = 1 x = 2;\n  if :: fi;\n  x == ) 3\n}\nproctype {\nbyte y;\n";
    let errors = load("m.pml", text, &Options::default()).unwrap_err();
    let found: Vec<_> = errors
        .diagnostics
        .iter()
        .map(|found| (errors.sources.place(found.span).line, found.message.as_str()))
        .collect();
    assert_eq!(
        found,
        [
            (2, "expected an expression, found `;`"),
            (3, "expected `;`, found `x`"),
            (4, "this option has no statement"),
            (5, "expected an expression, found `)`"),
            (7, "expected the name of the proctype, found `{`"),
        ]
    );
}

#[test]
fn embedded_c_is_refused_by_name() {
    check(
        "c_decl { int x; };\nactive proctype P() {\n  c_code { now.x = 1; };\n  skip\n}\n",
        "
error: `c_decl`: C code inside a model is not supported
 --> m.pml:1:1
  |
1 | c_decl { int x; };
  | ^^^^^^
  = help: write it in Promela: a macro or an inline is often enough

error: `c_code`: C code inside a model is not supported
 --> m.pml:3:3
  |
3 |   c_code { now.x = 1; };
  |   ^^^^^^
  = help: write it in Promela: a macro or an inline is often enough",
    );
}

#[test]
fn what_is_legal_and_surely_wrong() {
    check(
        "byte a[3];\nactive proctype P() {\n  a[3] = 300;\n  goto L;\n  a[0] = 1;\nL: skip\n}\n",
        "
warning: `a` has the elements 0 to 2, not 3
 --> m.pml:3:5
  |
3 |   a[3] = 300;
  |     ^
 ::: m.pml:1:6
  |
1 | byte a[3];
  |      - declared here

warning: 300 does not fit in a byte: it is stored as 44
 --> m.pml:3:10
  |
3 |   a[3] = 300;
  |          ^^^

warning: this statement cannot be reached
 --> m.pml:5:3
  |
5 |   a[0] = 1;
  |   ^^^^^^^^",
    );
}

#[test]
fn a_line_that_begins_with_an_operator_goes_on() {
    check(
        "byte x;\nactive proctype P() {\n  x == 1\n  || x == 2\n  && x > 0;\n  x = x\n    + 1\n}\n",
        "",
    );
}
