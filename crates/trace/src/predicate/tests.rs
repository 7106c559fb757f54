//! The rules of the language, one example each.

use super::*;
use std::collections::BTreeMap;

/// Values of variables, by process and name; what is not there is null.
pub(super) type State = BTreeMap<(usize, String), Value>;

pub(super) fn names(count: usize) -> Vec<String> {
    (1..=count).map(|k| format!("p{k}")).collect()
}

/// `p1.x = 1` and the like.
fn state(assignments: &[(usize, &str, Value)]) -> State {
    let one =
        |(process, variable, value): &(usize, &str, Value)| ((*process - 1, (*variable).to_owned()), value.clone());
    assignments.iter().map(one).collect()
}

fn json(text: &str) -> Value {
    serde_json::from_str::<serde_json::Value>(text).unwrap().into()
}

pub(super) fn evaluate(formula: &Formula, state: &State) -> Result<bool, EvaluationError> {
    formula.root.evaluate(&mut |atom| {
        let atom = &formula.atoms[atom];
        let null = Value::Null;
        let value = |read: &Read| {
            state
                .get(&(read.process.index(), read.variable.clone()))
                .unwrap_or(&null)
        };
        let values: Vec<_> = atom.reads.iter().map(value).collect();
        atom.evaluate(&values)
    })
}

/// Binds to three processes that assign everything.
fn bound(text: &str) -> Formula {
    let predicate = Predicate::parse(text).unwrap_or_else(|e| panic!("{text}: {e}"));
    let formula = predicate.bind(&names(3), &|_, _| true);
    formula.unwrap_or_else(|e| panic!("{text}: {e}"))
}

fn holds(text: &str, assignments: &[(usize, &str, Value)]) -> bool {
    evaluate(&bound(text), &state(assignments)).unwrap_or_else(|e| panic!("{text}: {e}"))
}

fn fails(text: &str, assignments: &[(usize, &str, Value)]) -> EvaluationError {
    evaluate(&bound(text), &state(assignments)).expect_err(text)
}

#[test]
fn what_is_not_assigned_is_null() {
    assert!(holds(
        "p1.x == null && !(p1.x != 0) && !(p1.x == 0) && !(p1.x != null) && !(p1.x == p2.x)",
        &[]
    ));
    for comparison in ["<", "<=", ">", ">="] {
        assert!(!holds(&format!("p1.x {comparison} 1"), &[]));
        assert!(!holds(&format!("p1.x {comparison} p2.x"), &[(2, "x", Value::Int(1))]));
        assert!(holds(&format!("!(p1.x {comparison} 1)"), &[]));
    }
    assert!(!holds("p1.cs && p2.cs", &[(1, "cs", Value::Bool(true))]));
    assert!(holds("!p1.cs", &[]));
    assert!(holds("p1.o.f.g == null && !has(p1.o) && !has(p1.o.f)", &[]));
    assert!(!holds(
        "1 in p1.list || p1.s.startsWith('a') || p1.s.matches('.*')",
        &[]
    ));
}

#[test]
fn arithmetic_on_null_names_the_variable() {
    let error = fails("p2.y == 1 || p1.x + 1 > p2.x", &[(2, "x", Value::Int(1))]);
    assert_eq!(
        error.message,
        "`p1.x` is null (not assigned yet), but `+` needs a number, a string or a list"
    );
    assert_eq!(error.span, 13..21);
    assert_eq!(error.read, Some(0));
    let error = fails(
        "processes.map(p, p.counter).sum() < 0",
        &[(1, "counter", Value::Int(1)), (3, "counter", Value::Int(1))],
    );
    assert_eq!(
        error.message,
        "`p2.counter` is null (not assigned yet), but `sum` needs a number"
    );
    assert_eq!(error.read, Some(1));
    let error = fails("p1.list.map(v, v * 2) == [2]", &[(1, "list", json("[1, null]"))]);
    assert_eq!(error.message, "`v` is null, but `*` needs a number");
    assert_eq!(error.read, Some(0));
    let error = fails("-(p1.c ? p1.a : p1.b) == 1", &[(1, "a", Value::Int(1))]);
    assert_eq!(error.read.map(|read| read + 1), Some(2), "{error}");
}

#[test]
fn values_of_the_wrong_type_are_errors_that_name_the_variable() {
    let error = fails("p1.x < 3", &[(1, "x", Value::string("a"))]);
    assert_eq!(
        error.message,
        "`<` cannot be applied to a string and an int, because of `p1.x`"
    );
    let error = fails("3 < p1.x", &[(1, "x", Value::string("a"))]);
    assert_eq!(error.read, Some(0));
    let error = fails("p1.x && p2.x", &[(1, "x", Value::Int(1)), (2, "x", Value::Bool(true))]);
    assert_eq!(error.message, "`p1.x` is an int, but a boolean is needed");
    let error = fails("p1.x / p2.x == 1", &[(1, "x", Value::Int(1)), (2, "x", Value::Int(0))]);
    assert_eq!(error.message, "division by zero, because of `p2.x`");
    assert!(
        fails("p1.x + 1 > 0", &[(1, "x", Value::Int(i64::MAX))])
            .message
            .contains("64 bits")
    );
    assert!(
        fails("p1.x[1] == 0", &[(1, "x", json("[0]"))])
            .message
            .contains("no element 1")
    );
    assert!(fails("p1.x.size() == 0", &[]).message.contains("`p1.x` is null"));
}

#[test]
fn errors_are_absorbed_where_the_rest_decides() {
    let x = [(1, "x", Value::Int(0))];
    assert!(!holds("p1.x != 0 && 1 / p1.x == 1", &x));
    assert!(!holds("1 / p1.x == 1 && p1.x != 0", &x));
    assert!(holds("1 / p1.x == 1 || p1.x == 0", &x));
    assert!(holds("[0, 1].exists(v, v / p1.x == 1 || v == 1)", &x));
    fails("1 / p1.x == 1 || p1.x == 1", &x);
    // The same holds within an atom.
    assert!(holds("(1 / p1.x == 1 && p1.x != 0) == (p1.x == 1)", &x));
    assert!(holds("[1].filter(v, v / p1.x == 1 || p1.x == 0) == [1]", &x));
    fails("(1 / p1.x == 1 && p1.x == 0) == true", &x);
}

#[test]
fn numbers_compare_and_mix() {
    assert!(holds(
        "p1.x == 1.0 && p1.x < 1.5 && p1.x + 0.5 == 1.5",
        &[(1, "x", Value::Int(1))]
    ));
    // Division of doubles does not round.
    assert!(!holds(
        "p1.x in [1, 2] && p1.x * 2 / 3 == 0",
        &[(1, "x", Value::Double(1.0))]
    ));
    assert!(holds(
        "p1.x in [1, 2] && p1.x * 2 / 3 == 0 && -p1.x % 2 == -1",
        &[(1, "x", Value::Int(1))]
    ));
    assert!(holds(
        "int(p1.x) == 1 && double('1.5') == p1.x && string(1) == '1'",
        &[(1, "x", Value::Double(1.5))]
    ));
}

#[test]
fn nested_values() {
    let object = json(r#"{"list": [1, 2, {"f": "abc"}], "b": true}"#);
    let text = "p1.o.list[2].f == 'abc' && p1.o['b'] && has(p1.o.b) && !has(p1.o.c) && p1.o.c == null && 2 in p1.o.list
        && 'list' in p1.o && size(p1.o) == 2 && p1.o.list.size() == 3 && p1.o.list[0] < p1.o.list[1]";
    assert!(holds(text, &[(1, "o", object.clone())]));
    assert!(holds(
        "p1.o == {'b': true, 'list': [1.0, 2, {'f': 'a' + 'bc'}]}",
        &[(1, "o", object)]
    ));
}

#[test]
fn strings() {
    let text = "p1.s.startsWith('gr') && p1.s.endsWith('ß') && p1.s.contains('ü') && p1.s.matches('^g.*$') && p1.s.size() == 3";
    assert!(holds(&text.replace("== 3", "== 4"), &[(1, "s", Value::string("grüß"))]));
    assert!(!holds(text, &[(1, "s", Value::string("grüß"))]));
    assert!(holds(
        "p1.s + 'b' == 'ab' && p1.s < 'b'",
        &[(1, "s", Value::string("a"))]
    ));
}

#[test]
fn lists_at_run_time() {
    let list = [(1, "l", json("[3, 1, 2]")), (2, "l", json("[[1], [2, 3]]"))];
    for text in [
        "p1.l.exists(v, v > 2) && !p1.l.exists(v, v > 3) && p1.l.all(v, v > 0) && p1.l.exists_one(v, v == 1)",
        "p1.l.map(v, v * 2) == [6, 2, 4] && p1.l.filter(v, v > 1) == [3, 2] && p1.l.map(v, v > 1, v + 1) == [4, 3]",
        "p1.l.sum() == 6 && p1.l.min() == 1 && p1.l.max() == 3 && [].sum() == 0 && [1.5, 2].max() == 2",
        "p2.l.exists(inner, inner.all(v, v > 1 && v in p1.l))",
        "p2.l.map(inner, inner.map(v, v + inner.size())) == [[2], [4, 5]]",
        "p1.l + [4] == [3, 1, 2, 4] && p1.l[p1.l[1]] == 1",
        "processes.exists(p, p.l.exists(v, v == 3))",
    ] {
        assert!(holds(text, &list), "{text}");
    }
    assert!(fails("p3.l.all(v, true)", &list).message.contains("`p3.l` is null"));
    assert!(
        fails("p1.l.filter(v, v > 9).min() == 1", &list)
            .message
            .contains("empty")
    );
}

#[test]
fn processes_as_values() {
    let state = [
        (1, "x", Value::Int(1)),
        (2, "x", Value::Int(2)),
        (3, "x", Value::Int(3)),
        (1, "next", Value::string("p2")),
        (2, "next", Value::string("p3")),
    ];
    for text in [
        "processes.map(p, p.x).sum() == 6 && processes.size() == 3 && processes[1].x == 2",
        "processes.filter(p, p.x > 1).size() == 2 && processes.filter(p, p.x > 1)[0].name == 'p2'",
        "processes.filter(p, p.x > 1).map(p, p.x) == [2, 3] && processes.filter(p, p.x > 1).all(p, p.x > 1)",
        "processes.filter(p, p.x > 1).exists(p, p.x == 3) && !processes.filter(p, p.x > 1).exists(p, p.x == 1)",
        "processes.exists_one(p, p.x == 2) && !processes.exists_one(p, p.x > 1)",
        "process(p1.next).x == 2 && process(process(p1.next).next).x == 3",
        "processes.filter(p, p.x > 1)[0] == p2 && p1 != p2 && p1 in processes && p1 in [p1] && !(p1 in [p2, p3])",
        "(p1.x > 1 ? p2 : p3).x == 3 && [p1, p3].map(p, p.name) == ['p1', 'p3']",
        "processes.map(p, p.x > 1, p.x) == [2, 3] && p1[\"x\"] == 1 && process('p1').x == 1",
        "processes.filter(p, has(p.next)).all(p, process(p.next).x == p.x + 1)",
    ] {
        assert!(holds(text, &state), "{text}");
    }
    let error = fails("process(p1.next).x == 1", &[(1, "next", Value::string("p9"))]);
    assert_eq!(error.message, "there is no process `p9`, because of `p1.next`");
}

#[test]
fn atoms_are_shared_and_have_small_supports() {
    let formula = bound("processes.exists(p, processes.exists(q, p.name != q.name && p.cs && q.cs))");
    assert_eq!(
        formula.to_string(),
        "(p1.cs && p2.cs) || (p1.cs && p3.cs) || (p2.cs && p3.cs)"
    );
    assert_eq!(formula.atoms.len(), 3);
    assert_eq!(formula.atoms[1].support(), [ProcessId::new(1)]);
    assert_eq!(
        formula.support(&formula.root),
        BTreeSet::from([0, 1, 2].map(ProcessId::new))
    );
    let formula = bound("p1.x == p2.x || p2.x != p1.x || p1.x > p2.x || p2.x < p1.x || 1 == p1.x || p1.x == 1");
    assert_eq!(
        formula.atoms.iter().map(Atom::text).collect::<Vec<_>>(),
        ["p1.x == p2.x", "p1.x != p2.x", "p2.x < p1.x", "p1.x == 1"]
    );
    assert_eq!(formula.atoms[1].reads.len(), 2);
    assert_eq!(formula.atoms[0].span(), 0..12);
}

#[test]
fn negations_are_pushed_to_the_atoms() {
    let show = |text: &str| bound(text).to_string();
    assert_eq!(show("!(!(p1.a && p2.b) || p1.c > 1)"), "p1.a && p2.b && !(p1.c > 1)");
    assert_eq!(show("!(p1.a ? p2.b : p3.c)"), "(!p1.a || !p2.b) && (p1.a || !p3.c)");
    assert_eq!(
        show("!processes.all(p, p.x == 1)"),
        "!(p1.x == 1) || !(p2.x == 1) || !(p3.x == 1)"
    );
    // They differ if p1.x is null.
    assert_eq!(show("!(p1.x != 1)"), "!(p1.x != 1)");
    // Guards are conditions too.
    assert_eq!(
        show("[p1].filter(p, p.a || p.b).exists(p, p.c)"),
        "p1.c && (p1.a || p1.b)"
    );
    assert_eq!(
        show("!([p1].filter(p, p.a || p.b && !p.d).exists(p, p.c))"),
        "!p1.c || (!p1.a && (!p1.b || p1.d))"
    );
    assert_eq!(show("(p1.a ? p2 : p3).cs"), "(!p1.a || p2.cs) && (p1.a || p3.cs)");
    assert_eq!(
        show("p1.name == 'p1' && (1 + 1 == 2) && p2.x in [1, 2 + 1]"),
        "p2.x in [1,3]"
    );
    assert_eq!(show("p1.x == 1 && !(p1.x == 1 && false) && p1.x == 1"), "p1.x == 1");
    // It is false if the value is null.
    assert_eq!(show("p1.x == p1.x"), "p1.x == p1.x");
    assert_eq!(show("p1.x != p1.x"), "false");
    assert_eq!(
        show("(p1.x + 1) * 2 - (3 - p1.y) > 0 || !(p1.z in [1])"),
        "(p1.x + 1) * 2 - (3 - p1.y) > 0 || !(p1.z in [1])"
    );
    let negated = Predicate::parse("p1.a || p2.b").unwrap().negated();
    assert_eq!(
        negated.bind(&names(2), &|_, _| true).unwrap().to_string(),
        "!p1.a && !p2.b"
    );
    assert_eq!(negated.text(), "p1.a || p2.b");
    assert_eq!(
        negated.negated().bind(&names(2), &|_, _| true).unwrap().to_string(),
        "p1.a || p2.b"
    );
}

/// The example of the paper, section 6, formula 8: N-1 conjuncts of one process
/// and one of all.
#[test]
fn database_partitioning() {
    let text = "!processes.all(p, !p.chg) || processes.all(p, processes.all(q, p.partn == q.partn))";
    for count in 2..8 {
        let invariant = Predicate::parse(text).unwrap();
        // Process 1 has no variable `chg`.
        let assigned = |process: ProcessId, variable: &str| variable == "partn" || process.index() > 0;
        let formula = invariant.negated().bind(&names(count), &assigned).unwrap();
        let sizes: Vec<_> = formula.conjuncts().iter().map(|c| formula.support(c).len()).collect();
        let mut expected = vec![1; count - 1];
        expected.push(count);
        assert_eq!(sizes, expected);
        // Each pair, and each process with itself, which is true unless its variable is null.
        assert_eq!(formula.atoms.len(), count - 1 + count * (count + 1) / 2);
        assert!(!invariant.grows_with_processes());
    }
}

/// The example of the paper, section 6, formula 9: N(N-1) conjuncts of two processes.
#[test]
fn primary_and_secondary() {
    let text = "processes.exists(p, processes.exists(q, p != q && p.isPrimary && q.isSecondary
        && p.secondary == q.name && q.primary == p.name))";
    for count in 2..8 {
        let invariant = Predicate::parse(text).unwrap();
        let formula = invariant.negated().bind(&names(count), &|_, _| true).unwrap();
        let sizes: Vec<_> = formula.conjuncts().iter().map(|c| formula.support(c).len()).collect();
        assert_eq!(sizes, vec![2; count * (count - 1)]);
        assert_eq!(formula.disjuncts(10), None);
        assert_eq!(
            invariant
                .bind(&names(count), &|_, _| true)
                .unwrap()
                .disjuncts(100)
                .unwrap()
                .len(),
            count * (count - 1)
        );
        assert!(invariant.grows_with_processes());
        assert!(!invariant.negated().grows_with_processes());
    }
}

#[test]
fn what_a_predicate_mentions() {
    let predicate =
        Predicate::parse("p1.x == 1 && processes.exists(p, p.y.z > 2 || process('a b')['v w'] && has(p.w))").unwrap();
    let set = |all: &[&str]| all.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<_>>();
    assert_eq!(predicate.variables(), set(&["v w", "w", "x", "y", "z"]));
    assert_eq!(predicate.named_processes(), set(&["a b", "p1"]));
    assert!(predicate.quantifies() && predicate.grows_with_processes());
    for (text, grows) in [
        ("p1.x", true),
        ("!processes.all(p, !p.x)", true),
        ("processes.exists(p, !processes.exists(q, q.x == p.x))", false),
        ("processes.size() > 3", false),
        ("processes.exists(p, p.x > processes.size())", false),
        ("processes.filter(p, p.x).exists(p, p.y)", false),
        ("process(p1.leader).x", false),
        ("p1.x ? processes.exists(p, p.y) : p1.z", true),
        ("processes.exists(p, p.y) ? p1.x : p1.z", false),
    ] {
        assert_eq!(Predicate::parse(text).unwrap().grows_with_processes(), grows, "{text}");
    }
    assert!(!Predicate::parse("p1.x == 1").unwrap().quantifies());
}

#[test]
fn variables_that_nobody_assigns_are_errors() {
    let errors = |text: &str| {
        let predicate = Predicate::parse(text).unwrap();
        let assigned = |process: ProcessId, variable: &str| variable == "x" || variable == "y" && process.index() > 0;
        let variables = ["counter".to_owned(), "x".to_owned(), "y".to_owned()];
        match predicate.bind_among(&names(3), &variables, &assigned) {
            Ok(formula) => vec![formula.to_string()],
            Err(errors) => {
                let show = |e: &PredicateError| format!("{}: {e}", &text[e.span.clone()]);
                errors.errors.iter().map(show).collect()
            }
        }
    };
    assert_eq!(errors("p1.y == 1"), ["p1.y: `p1` never assigns `y` (p2, p3 do)"]);
    assert_eq!(
        errors("p1.countr == 1"),
        ["p1.countr: `p1` never assigns `countr` (did you mean `counter`?)"]
    );
    assert_eq!(errors("processes.exists(p, p.z)"), ["p.z: no process ever assigns `z`"]);
    assert_eq!(errors("processes.exists(p, p.y)"), ["p2.y || p3.y"]);
    assert_eq!(errors("processes.exists(p, p.name == 'p1' && p.y)"), ["false"]);
    assert_eq!(
        errors("processes.exists(p, p1.y)"),
        ["p1.y: `p1` never assigns `y` (p2, p3 do)"]
    );
    assert_eq!(
        errors("p1.x == 1 || has(p1.y) || p2.y == null"),
        ["p1.x == 1 || p2.y == null"]
    );
    assert_eq!(
        errors("processes.all(p, p.y == null)"),
        ["p2.y == null && p3.y == null"]
    );
    // All errors are reported at once.
    assert_eq!(errors("p1.z && p9.x && p1.x + true == 2 && foo(1)").len(), 4);
    assert_eq!(
        errors("p1.x == 1 && 1 / 0 == 1"),
        ["1 / 0: this always fails: division by zero"]
    );
}

#[test]
fn names_that_are_not_identifiers_are_printed_so_that_they_can_be_read() {
    let text = r#"process("node-1").x == 1 && process("node-1")["a b"] > 2"#;
    let processes = ["node-1".to_owned()];
    let formula = Predicate::parse(text).unwrap().bind(&processes, &|_, _| true).unwrap();
    assert_eq!(formula.to_string(), text);
}

#[test]
fn large_and_deep_predicates_are_bound_and_evaluated() {
    let sum: Vec<_> = (0..398).map(|k| format!("p1.x{k}")).collect();
    let formula = bound(&format!("{} == 398", sum.join(" + ")));
    let values = vec![&Value::Int(1); 398];
    assert_eq!(formula.atoms[0].evaluate(&values), Ok(true));
    let deep = format!("{}p1.x{}", "(1 + ".repeat(63), ")".repeat(63));
    assert_eq!(
        bound(&format!("{deep} == 64")).atoms[0].evaluate(&[&Value::Int(1)]),
        Ok(true)
    );
    let deep = format!("{}p1.x{}", "!(p1.y && ".repeat(64), ")".repeat(64));
    assert!(Predicate::parse(&deep).unwrap().bind(&names(1), &|_, _| true).is_ok());
    let text =
        "processes.exists(a, processes.exists(b, processes.exists(c, processes.exists(d, a.x + b.x + c.x < d.x))))";
    let error = Predicate::parse(text)
        .unwrap()
        .bind(&names(200), &|_, _| true)
        .unwrap_err();
    assert!(error.to_string().contains("too large"), "{error}");
    let pairs = "processes.exists(p, processes.exists(q, p != q && p.x && q.x))";
    let formula = Predicate::parse(pairs)
        .unwrap()
        .bind(&names(200), &|_, _| true)
        .unwrap();
    assert!(matches!(&formula.root, Node::Or(members) if members.len() == 200 * 199 / 2));
}
