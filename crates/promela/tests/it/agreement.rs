//! Texts that must be accepted or refused, one line each, compared with SPIN.
//!
//! `+` marks a text that must be accepted, `-` one that must be refused. If SPIN is installed,
//! it must give the same answer, except on lines marked `!`, where we differ on purpose.

use mazurka_promela::{Options, load};
use std::process::Command;

const LINES: &str = r#"
+  byte a; active proctype P() { a = 1 }
+  active proctype P(byte x) { skip }
+  byte a[3] = 5; byte b[2] = {1, 2}; chan c[2] = [1] of {byte}; active proctype P() { skip }
+  byte a = 5; byte b[a]; byte c = a + 1; active proctype P() { b[0] = c }
+  active proctype P() { byte x }
+  active proctype P() { int x; x = (x > 1 -> 2 : 3); !x; }
+  active proctype P() { byte x; { byte y; y = 1 }; { byte y; y = 2 } }
+  active proctype P() { byte y; if :: y = 1; L: :: y = 2 -> M: fi; N: }
+  active proctype P() { byte x; x = x; if :: (1) -> ; fi }
+  byte x; active proctype P() { if :: x == 1 -> skip :: else fi; ; ; x = 2;; }
+  inline f(x) { x = 1 } active proctype P() { byte y; f(y) ; f(y) }
+  inline g(a) { return a + 1 } active proctype P() { byte x; x = g(3) }
+  typedef T { byte a; byte b }; proctype P(T t; byte k) { t.a = k } init { T u; run P(u, 4) }
+  typedef T { byte a = 3; chan c = [2] of {byte} }; T t; active proctype P() { t.c!1 }
+  chan c = [2] of {byte, byte}; active proctype P() { byte x; c!1; c?x; c?[x] }
+  chan c = [2] of {byte, byte}; active proctype P() { byte x; c?[x, x, x] }
+  chan d = [1] of {byte}; active proctype P() { byte x; x = d; d = x; (d == 1) }
+  chan c = [1] of {byte}; active proctype P() { c?(1); c?1; c!(1); c!1 }
+  mtype = {a, b}; mtype:f = {c}; mtype:f x = c; mtype y; active proctype P() { y = a; x = c; x = 3 }
+  byte a; mtype = {a}; active proctype P() { skip }
+  proctype P() { skip } init { byte x; x = run P(); run P() }
+  init { run P() } proctype P() { skip }
+  active proctype P() { do :: break :: skip od unless { timeout }; }
+! active proctype P() { { L: skip }; goto end; end: skip }
+  active proctype P() { { skip; L: skip }; goto L }
+  byte x; ltl { [] (x < 3) } ltl q { <> x } active proctype P() { x++ }
+  active proctype P() { byte x; for (x : 1 .. 3) { skip }; select (x : 1 .. 3) }
+  active proctype P() { byte _x; select (_x : 1 .. 3) }
+  typedef M { byte a }; chan q = [2] of {M}; active proctype P() { M m; for (m in q) { skip } }
+  unsigned u : 31; hidden byte h; local byte l; show byte s; active proctype P() { u = 3 }
+  active proctype P() { byte x; L: skip } active proctype Q() { P[0]@L; P@L }
+  byte z; active proctype P() priority 3 provided (z == 0) { skip }
+  active proctype P() { printf("%d %d\n", 1, 2); printf("x") }
+  mtype = {a}; active proctype P() { printm(a) }
+  active proctype P() { assert(true); assert 1 == 1 }
+  active proctype P() { byte x; d_step { x = 1; x = 2 }; atomic { x = 3 } }
+  init { skip } never { do :: np_ od }
+  chan c = [1] of {byte}; trace { do :: c?_ :: c!_; break od; c!3 } active proctype P() { c?_ }
-  trace { do :: c?_ od } chan c = [1] of {byte}; active proctype P() { c?_ }
-  byte x; trace { do :: x = 1 od } active proctype P() { skip }
+  chan in = [1] of {byte}; active proctype P() { byte x; in!1; in?x; if :: nempty(in) -> skip :: empty(in) fi }
+  proctype P(chan in; byte x) { x = len(in) } init { byte a[2], i; for (i in a) { skip } }
+  typedef T { byte a = 2 }; typedef U { T t = 1 }; T x = 5; T y[2] = 7; T z[2] = {1, 2}; U u; init { T v = _pid; skip }
-  typedef T { byte a = 2 }; T x = {1, 2}; init { skip }
+  byte x; active proctype P() { x == 0 --> x = 1; x-->skip }
+  byte x; /* a */ */ active proctype P() { x = 1 }
-  active proctype P() { skip } /* a
-  proctype R(byte a) { skip } init { d_step { run R(1) } }
-  proctype R(byte a) { skip } init { byte p; d_step { p = run R(1); p = 2 } }
-  active proctype P() { L: goto L }
-  byte x; active proctype P() { x = 1; L: goto M; M: goto L }
-  byte x; active proctype P() { goto M; L: goto L; M: skip }
-  byte x; active proctype P() { d_step { x = 1; L: goto L } }
+  byte x; active proctype P() { L: if :: goto L :: x == 1 fi }
+  active proctype P() { L: { goto L } }
+  active proctype P() { progress: goto progress }
-  chan c[300] = [1] of {byte}; active proctype P() { c[299]!1 }
+  active [2] proctype P() { byte v; l: v = 1 } active proctype Q() { P@l; P:v == 1 }
-! active proctype P() { skip } active proctype Q() { pc_value(0) > 1 }
-! active proctype P() { skip } ltl { [] !timeout }
-  active proctype P() { y = 3 }
-  active proctype P() { x = 1 } byte x;
-  active proctype P() { goto L }
-  active proctype P() { break }
-  active proctype P() { }
-  proctype P() { skip }
-  active proctype P() { skip } active proctype P() { skip }
-  byte x; active proctype P() { byte x; skip }
-  byte x; proctype P(byte x) { skip } init { skip }
-  active proctype P() { byte x; { byte x; skip } }
-  active proctype P() { byte x; if :: byte y; x = 1 :: byte y; x = 2 fi }
-  byte P; active proctype P() { skip }
-  byte L; active proctype P() { L: skip }
-  active proctype P() { L: skip; L: skip }
-  active proctype P() { L: byte x; skip }
-  active proctype P() { byte x; { byte y; y = 1 }; y = 2 }
-  active proctype P() { skip; chan c = [2] of {byte}; c!1 }
-  active proctype P() { skip; byte a[2] = {1, 2}; a[0] = 1 }
-  byte a[3]; active proctype P() { a = 3 }
-  byte a[0]; active proctype P() { skip }
-  typedef T { byte a }; active proctype P() { T t, u; t = u }
-  typedef T { byte a }; active proctype P() { T t; t.b = 1 }
-  typedef T { byte a }; active proctype P() { byte t; t.b = 1 }
-  typedef T { T2 a }; typedef T2 { byte b }; active proctype P() { skip }
-  active proctype P() { T t; skip }
-  chan c = [2] of {byte, byte}; active proctype P() { c!1,2,3 }
-! chan c = [2] of {byte, byte}; active proctype P() { byte x, y, z; c?x,y,z }
-  chan c = [2] of {byte, byte}; active proctype P() { byte x; c?x,x }
-  chan d = [1] of {byte}; active proctype P() { d = 3 }
-  chan d = [1] of {byte}; active proctype P() { byte x; x = d + 1 }
-  chan c = [1] of {unsigned}; active proctype P() { skip }
-  byte b; active proctype P() { b?1 }
-  byte b; active proctype P() { b!1 }
-  proctype Q(byte z) { skip } init { run Q(1, 2) }
-  init { run Q() }
-  proctype Q() { skip } active proctype P() { byte x; run Q() && x }
-  proctype Q() { skip } active proctype P() { byte x = run Q(); x = 1 }
-  proctype P(byte t[2]) { skip } init { skip }
-  typedef T { byte b[2] }; proctype P(T t) { skip } init { skip }
-  active proctype P() { _pid = 3 }
-  active proctype P() { byte x; x = np_ }
-  mtype:f = {a}; mtype:g = {b}; mtype:f x; active proctype P() { x = b }
-  mtype = {a}; byte a; active proctype P() { skip }
-  hidden bit c; active proctype P() { skip }
-  unsigned u : 32; active proctype P() { skip }
-  byte k : 3; active proctype P() { skip }
-  inline f(x) { f(x) } active proctype P() { byte y; f(y) }
-  inline f(x) { x = 1 } active proctype P() { byte y; f(y, y) }
-  active proctype P() { if :: else -> skip :: else -> skip fi }
-  active proctype P() { goto skip }
-  active proctype P() { byte x; x = 0x10 }
-  active proctype P() { byte x; if :: x = 1 }
-  active proctype P() { skip
-  chan c = [1] of {byte}; active proctype P() { int x; for (x in c) { skip } }
+! init { Q@M } proctype Q() { M: skip }
-! proctype Q() { skip } init { Q@L }
+! active proctype P() { byte x; if :: x = 1 fi x = 2 }
+! chan c = [1] of {byte}; active proctype P() { (!full(c) && len(c) == 0) }
-! init { skip } init { skip }
-! proctype Q(byte z) { skip } init { run Q() }
-! proctype Q() { skip } active proctype P() { byte x; x = 1 + run Q() }
"#;

/// Whether SPIN accepts a text. None if SPIN is not installed.
fn spin(text: &str) -> Option<bool> {
    let folder = tempfile::tempdir().ok()?;
    std::fs::write(folder.path().join("model.pml"), format!("{text}\n")).ok()?;
    let command = Command::new("spin")
        .args(["-a", "model.pml"])
        .current_dir(&folder)
        .output();
    Some(command.ok()?.status.success())
}

#[test]
fn the_same_is_accepted_as_by_spin() {
    let mut wrong = Vec::new();
    let mut asked = 0;
    for line in LINES.lines().filter(|line| !line.is_empty()) {
        let (mark, text) = line.split_at(3);
        let expected = mark.starts_with('+');
        let read = load("line.pml", text, &Options::default());
        if read.is_ok() != expected {
            let errors = read.err().map(|errors| errors.to_string()).unwrap_or_default();
            wrong.push(format!("here: {line}\n{errors}"));
        }
        if mark.contains('!') {
            continue;
        }
        if let Some(accepted) = spin(text) {
            asked += 1;
            if accepted != expected {
                wrong.push(format!("SPIN: {line}"));
            }
        }
    }
    if asked == 0 {
        eprintln!("skipped: SPIN is not installed, so that only half of this was checked");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
