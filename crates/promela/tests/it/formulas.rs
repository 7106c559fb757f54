//! Formulas in `ltl` blocks, and separate formulas.

use mazurka_promela::{Base, ExprKind, Options, load, parse_ltl};

const MODEL: &str = "
#define idle (x == 0)
#define above(n) (x > n)
ltl first { [] (idle -> <> P@done) }
ltl { always eventually idle until ! busy }
mtype = { red, green }
byte x, a[3];
bool busy;
mtype light;
chan q = [2] of { byte };
active [2] proctype P() {
	byte y;
	x++;
done:	skip
}
";

/// A formula as [`mazurka_logic`] writes it, with the text of its atoms.
fn read(text: &str) -> (String, Vec<String>) {
    let mut model = load("m.pml", MODEL, &Options::default()).unwrap().model;
    let ltl = parse_ltl(&mut model, "given", text).unwrap_or_else(|errors| panic!("{errors}"));
    let atoms = ltl.atoms.iter().map(|atom| model.sources.one_line(atom.span)).collect();
    (ltl.formula.to_string(), atoms)
}

#[test]
fn blocks_may_speak_of_what_is_declared_after_them() {
    let model = load("m.pml", MODEL, &Options::default()).unwrap().model;
    let names: Vec<_> = model.ltl.iter().map(|ltl| ltl.name.as_str()).collect();
    assert_eq!(names, ["first", "ltl_0"]);
    assert_eq!(model.ltl[0].text, "[] ((x == 0) -> <> P@done)");
    assert!(matches!(model.ltl[0].atoms[1].kind, ExprKind::AtLabel { .. }));
    assert_eq!(model.ltl[1].formula.to_string(), read("([]<> idle) U !busy").0);
}

#[test]
fn atoms_are_expressions_and_equal_ones_are_one() {
    let (formula, atoms) = read("[] (x + 1 > 3 -> <> (x + 1 > 3 || a[x] == 2))");
    assert_eq!(atoms, ["x + 1 > 3", "a[x] == 2"]);
    assert_eq!(formula, read("[] (busy -> <> (busy || idle))").0);
    assert_eq!(read("light == red U q?[1]").1, ["light == red", "q?[1]"]);
    assert_eq!(
        read("P[0]:y == 1 && !P[1]@done && nempty(q)").1,
        ["P[0]:y == 1", "P[1]@done", "nempty(q)"]
    );
    assert_eq!(read("!!busy /\\ (x | 1) == 1 \\/ true").1, ["busy", "(x | 1) == 1"]);
}

#[test]
fn macros_of_the_text_can_be_used_in_a_formula_apart() {
    let (formula, atoms) = read("idle W above(2)");
    assert_eq!(formula, read("busy W x").0);
    assert_eq!(atoms.len(), 2);
}

#[test]
fn a_local_of_a_process_is_found_by_its_name() {
    let mut model = load("m.pml", MODEL, &Options::default()).unwrap().model;
    let ltl = parse_ltl(&mut model, "given", "<> P:y == 1").unwrap();
    let ExprKind::Binary(_, left, _) = &ltl.atoms[0].kind else {
        panic!("a comparison")
    };
    let ExprKind::Remote { place, .. } = &left.kind else {
        panic!("a remote reference")
    };
    assert!(matches!(place.base, Base::Local(id) if id.0 == 0));
}

#[test]
fn what_is_wrong_is_drawn_in_the_formula() {
    let mut model = load("m.pml", MODEL, &Options::default()).unwrap().model;
    let drawn = |model: &mut _, text: &str| parse_ltl(model, "given", text).unwrap_err().to_string();
    let expected = "error: there is no variable `bsuy`
 --> --ltl:1:4
  |
1 | [] bsuy
  |    ^^^^ did you mean `busy`?
";
    assert_eq!(drawn(&mut model, "[] bsuy"), expected);
    assert!(drawn(&mut model, "[] (x > 1").contains("expected an operator or `)`"));
    assert!(drawn(&mut model, "").contains("expected a formula"));
    assert!(drawn(&mut model, "<> P@dnoe").contains("did you mean `done`?"));
    assert!(drawn(&mut model, "x = 1").contains("expected an operator"));
    // The model can still be used.
    assert!(parse_ltl(&mut model, "given", "[] busy").is_ok());
}
