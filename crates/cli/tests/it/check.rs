//! `mazurka check` and `mazurka simulate`, as a protocol designer would use them.

use crate::scenario::Scenario;
use serde_json::{Value, json};

/// Two processes that take two locks in different orders.
const LOCKS: &str = "\
bool a, b;
byte done;
active proctype P() {
  atomic { !a -> a = true };
  atomic { !b -> b = true };
  done++;
  b = false; a = false
}
active proctype Q() {
  atomic { !b -> b = true };
  atomic { !a -> a = true };
  done++;
  a = false; b = false
}
";

/// A counter that two processes increment as if this were one step.
const COUNTER: &str = "\
byte n, ended;
active [2] proctype P() {
  byte t;
  t = n;
  n = t + 1;
  ended++
}
active proctype Monitor() {
  ended == 2;
  assert(n == 2)
}
";

const FINE: &str = "\
chan c = [2] of { byte };
active proctype S() { c!1; c!2 }
active proctype R() { byte x; c?x; c?x; assert(x == 2) }
";

#[test]
fn a_model_that_is_fine() {
    let ended = Scenario::with("m.pml", FINE).run(&["check", "m.pml"]).code(0);
    let (first, row) = ended.stdout.split_once('\n').unwrap();
    assert_eq!(first, "m.pml");
    assert!(row.starts_with("  safety  holds  "), "{row}");
    assert!(
        row.contains(" states  ") && row.contains(" transitions  depth "),
        "{row}"
    );
    assert_eq!(ended.stderr, "");
}

#[test]
fn a_deadlock_with_the_steps_that_lead_there() {
    let ended = Scenario::with("m.pml", LOCKS).run(&["check", "m.pml"]).code(1);
    ended
        .says("  safety  violated  ")
        .says("\nviolated: safety: invalid end state: ")
        .says(" steps lead there:\n")
        .says("  P[0]  line 4")
        .says("a = ");
}

#[test]
fn an_assertion_with_its_line() {
    let ended = Scenario::with("m.pml", COUNTER)
        .run(&["check", "m.pml", "--shortest"])
        .code(1);
    ended
        .says("violated: safety: assertion violated: ")
        .says("  --> m.pml:10:")
        .says("10 |   assert(n == 2)\n")
        .says("  P[1]        line 4   t = n\n")
        .says("  n = 1\n");
}

#[test]
fn the_same_for_a_script() {
    let all = Scenario::with("m.pml", COUNTER)
        .run(&["check", "m.pml", "--format", "json"])
        .code(1)
        .json();
    assert_eq!((&all["model"], &all["verdict"]), (&json!("m.pml"), &json!("violated")));
    assert!(all["states"].is_u64() && all["transitions"].is_u64() && all["memory_bytes"].is_u64());
    let property = &all["properties"][0];
    assert_eq!(
        (&property["name"], &property["kind"]),
        (&json!("safety"), &json!("safety"))
    );
    for count in ["states", "transitions", "matched", "depth"] {
        assert!(property[count].is_u64(), "{count}");
    }
    assert_eq!(property["reduction"]["persistent"], "conditional");
    let violation = &property["violations"][0];
    assert_eq!(violation["kind"], "assertion");
    assert_eq!(
        (&violation["location"]["file"], &violation["location"]["line"]),
        (&json!("m.pml"), &json!(10))
    );
    assert_eq!(violation["cycle_start"], Value::Null);
    let steps = violation["steps"].as_array().unwrap();
    assert!(steps.iter().any(|step| step["changes"]["n"] == 1), "{steps:?}");
    assert!(
        steps
            .iter()
            .all(|step| step["pid"].is_u64() && step["line"].is_u64() && step["statement"].is_string())
    );
}

#[test]
fn properties_by_name() {
    let scenario = Scenario::with("m.pml", LOCKS);
    let verdict = |name: &str, code| {
        let arguments = ["check", "m.pml", "--format", "json", "--property", name];
        let all = scenario.run(&arguments).code(code).json();
        assert_eq!(all["properties"].as_array().unwrap().len(), 1);
        all["properties"][0]["verdict"].clone()
    };
    assert_eq!(verdict("assertions", 0), "holds");
    assert_eq!(verdict("deadlock", 1), "violated");
    let unknown = scenario.run(&["check", "m.pml", "--property", "liveness"]).code(2);
    unknown
        .prints_nothing()
        .complains("there is no property `liveness`")
        .complains("expected one of: safety, assertions, deadlock, progress, acceptance");
}

/// A process that may stay away for ever, and formulas about it.
const TURNS: &str = "\
byte x;
active proctype P() { do :: x = 1 - x od }
active proctype Q() { end: do :: x == 3 -> break od }
ltl bounded { [] (x < 2) }
ltl stays { <> [] (x == 1) }
";

#[test]
fn formulas_of_the_model_each_on_its_line() {
    let scenario = Scenario::with("m.pml", TURNS);
    let ended = scenario.run(&["check", "m.pml"]).code(1);
    ended
        .says("  safety   holds ")
        .says("  bounded  holds ")
        .says("  stays    violated ")
        .says("from here on for ever:")
        .says("and again from step ");
    let json = scenario
        .run(&["check", "m.pml", "--property", "stays", "--format", "json"])
        .code(1)
        .json();
    let property = &json["properties"][0];
    assert_eq!((&property["name"], &property["kind"]), (&json!("stays"), &json!("ltl")));
    let violation = &property["violations"][0];
    assert_eq!(violation["kind"], "acceptance-cycle");
    assert!(violation["cycle_start"].is_u64());
}

#[test]
fn properties_at_a_time_are_answered_in_their_order() {
    let scenario = Scenario::with("m.pml", TURNS);
    let names = |threads: &str| {
        let arguments = ["check", "m.pml", "--threads", threads, "--format", "json"];
        let json = scenario.run(&arguments).code(1).json();
        let properties = json["properties"].as_array().expect("a list").clone();
        let name = |p: &Value| (p["name"].clone(), p["verdict"].clone(), p["states"].clone());
        properties.iter().map(name).collect::<Vec<_>>()
    };
    assert_eq!(names("3"), names("1"));
    // A property that cannot be checked is listed too.
    let arguments = [
        "check",
        "m.pml",
        "--threads",
        "2",
        "--store",
        "bitstate=1MB",
        "--format",
        "json",
    ];
    let json = scenario.run(&arguments).code(2).json();
    let properties = json["properties"].as_array().expect("a list").clone();
    assert!(properties[0]["error"].is_null() && properties.len() > 1);
    // Invariants need no cycles.
    let is_invariant = |property: &Value| property["reduction"]["proviso"] == "stack";
    let answered = |property: &Value| property["error"].is_string() != is_invariant(property);
    assert!(properties[1..].iter().all(answered));
    assert!(properties[1..].iter().any(|property| property["error"].is_string()));
}

/// With so few bits, states are missed, and different hash functions miss different states.
#[test]
fn another_seed_misses_other_states() {
    let model = "byte a, b, c; active proctype P() { do :: a = (a + 1) % 9 :: b = (b + 1) % 9 :: c = (c + 1) % 9 od }";
    let scenario = Scenario::with("m.pml", model);
    let states = |seed: &str| {
        let arguments = [
            "check",
            "m.pml",
            "--store",
            "bitstate=64B",
            "--seed",
            seed,
            "--format",
            "json",
        ];
        let json = scenario.run(&arguments).code(3).json();
        json["properties"][0]["states"].as_u64().expect("a number")
    };
    let found: Vec<u64> = ["1", "2", "3", "4"].map(states).to_vec();
    assert_eq!(states("1"), found[0]);
    assert!(found.iter().any(|n| *n != found[0]), "{found:?}");
}

#[test]
fn a_formula_of_the_command_line() {
    let scenario = Scenario::with("m.pml", TURNS);
    let ended = scenario.run(&["check", "m.pml", "--ltl", "[] (x < 2)"]).code(0);
    assert_eq!(ended.stdout.lines().count(), 2, "only that: {}", ended.stdout);
    ended.says("  [] (x < 2)  holds ");
    let wrong = scenario.run(&["check", "m.pml", "--ltl", "[] (y < 2)"]).code(2);
    wrong
        .prints_nothing()
        .complains(" --> --ltl:1:")
        .complains("the formula `[] (y < 2)` cannot be used: it has an error");
}

#[test]
fn reductions_and_stores_agree() {
    let scenario = Scenario::with("m.pml", FINE).and("d.pml", LOCKS);
    for options in [
        &["--reduction", "none"][..],
        &["--reduction", "sleep"],
        &["--reduction", "persistent", "--persistent", "stubborn"],
        &["--store", "collapse"],
        &["--store", "cache=1000"],
        &[
            "--max-memory",
            "1GB",
            "--max-depth",
            "1000",
            "--timeout",
            "1min",
            "--seed",
            "3",
        ],
    ] {
        scenario.run(&[&["check", "m.pml"], options].concat()).code(0);
        scenario.run(&[&["check", "d.pml"], options].concat()).code(1);
    }
}

#[test]
fn limits_are_named_and_inconclusive() {
    let scenario = Scenario::with("m.pml", FINE);
    let few = ["check", "m.pml", "--reduction", "none", "--max-states", "2"];
    let ended = scenario.run(&few).code(3);
    ended
        .says("  safety  inconclusive  ")
        .says("Not answered: the limit on states was reached; --max-states sets it.");
    let json = scenario.run(&[&few[..], &["--format", "json"]].concat()).code(3).json();
    assert_eq!(
        (&json["verdict"], &json["properties"][0]["limit"]),
        (&json!("inconclusive"), &json!("states"))
    );
    let bitstate = ["check", "m.pml", "--reduction", "none", "--store", "bitstate=1MiB"];
    let bitstate = scenario.run(&bitstate).code(3);
    bitstate.says("Not answered: a bitstate search may take a new state for a known one");
}

#[test]
fn a_page_and_a_trace_that_detect_reads() {
    let scenario = Scenario::with("m.pml", COUNTER);
    let arguments = ["check", "m.pml", "--report", "m.html", "--trace-out", "m.jsonl"];
    scenario
        .run(&arguments)
        .code(1)
        .complains("wrote m.html\n")
        .complains("wrote m.jsonl\n");
    let page = std::fs::read_to_string(scenario.path("m.html")).expect("written");
    assert!(page.contains("<title>m.pml · mazurka check</title>"));
    scenario.run(&["trace", "lint", "m.jsonl"]).code(0);
    let detect = scenario.run(&["detect", "m.jsonl", "--possibly", "processes.exists(p, p.n == 1)"]);
    detect.code(0).says("yes: possibly");
    let fine = Scenario::with("m.pml", FINE);
    let ended = fine.run(&["check", "m.pml", "--trace-out", "m.jsonl"]).code(0);
    ended.complains("there is no counterexample to write to m.jsonl");
    assert_eq!(fine.files(), ["m.pml"]);
    let at_once = Scenario::with("m.pml", "byte x; active proctype P() { x == 1 }");
    let ended = at_once.run(&["check", "m.pml", "--trace-out", "m.jsonl"]).code(1);
    ended.complains("the counterexample has no steps: there is nothing to write to m.jsonl");
    assert_eq!(at_once.files(), ["m.pml"]);
}

#[test]
fn what_is_wrong_with_a_model_is_shown() {
    let model = "byte count;\nactive proctype P() {\n  conut++;\n  c!1\n}\n";
    let scenario = Scenario::with("m.pml", model);
    let ended = scenario.run(&["check", "m.pml", "--report", "m.html"]).code(2);
    ended
        .prints_nothing()
        .complains("error: ")
        .complains(" --> m.pml:3:3\n")
        .complains("3 |   conut++;\n")
        .complains("did you mean `count`?")
        .complains("m.pml:4:3")
        .complains("error: m.pml cannot be used: it has 2 errors\n");
    assert_eq!(scenario.files(), ["m.pml"]);
    scenario
        .run(&["check", "missing.pml"])
        .code(2)
        .complains("cannot read missing.pml: ");
    scenario
        .run(&["simulate", "missing.pml"])
        .code(2)
        .complains("cannot read missing.pml: ");
}

#[test]
fn definitions_of_the_command_line() {
    let model = "#ifdef N\nbyte n = N;\n#else\nbyte n;\n#endif\nactive proctype P() { assert(n == 4) }\n";
    let scenario = Scenario::with("m.pml", model);
    scenario.run(&["check", "m.pml"]).code(1);
    scenario.run(&["check", "m.pml", "-DN=4"]).code(0);
    scenario.run(&["check", "m.pml", "-D", "N=4"]).code(0);
    scenario
        .run(&["check", "m.pml", "-D", "4"])
        .code(2)
        .complains("expected NAME or NAME=VALUE");
}

#[test]
fn wrong_command_lines() {
    let scenario = Scenario::with("m.pml", FINE);
    for (arguments, complaint) in [
        (&["check"][..], "MODEL"),
        (
            &["check", "m.pml", "--store", "hash"],
            "expected one of: exact, collapse, flat, cache=N",
        ),
        (
            &["check", "m.pml", "--store", "cache=no"],
            "`no` is not a number of states",
        ),
        (
            &["check", "m.pml", "--max-memory", "much"],
            "expected one such as 512MiB or 2GB",
        ),
        (&["check", "m.pml", "--timeout", "soon"], "--timeout"),
        (
            &["check", "m.pml", "--reduction", "some"],
            "possible values: none, sleep, persistent, full",
        ),
        (
            &["check", "m.pml", "--persistent", "best"],
            "conflicting, overman, stubborn, conditional",
        ),
        (&["check", "m.pml", "--threads", "0"], "--threads"),
        (
            &["check", "m.pml", "--report", "no/such/place.html"],
            "no/such/place.html",
        ),
        (&["simulate", "m.pml", "--seed", "x"], "--seed"),
    ] {
        scenario.run(arguments).code(2).prints_nothing().complains(complaint);
    }
}

#[test]
fn unreached_statements_are_counted_or_listed() {
    let model = "active proctype P() {\n  byte x;\n  if\n  :: x == 0 -> x = 1\n  :: x == 1 -> x = 2\n  fi\n}\n";
    let scenario = Scenario::with("m.pml", model);
    scenario
        .run(&["check", "m.pml"])
        .code(0)
        .says(" never executed (-v lists them)\n");
    scenario
        .run(&["check", "m.pml", "-v"])
        .code(0)
        .says("    P  line 5  x = 2\n");
}

#[test]
fn the_same_seed_gives_the_same_run() {
    let scenario = Scenario::with("m.pml", COUNTER);
    let run = |seed: &str| scenario.run(&["simulate", "m.pml", "--seed", seed, "--format", "json"]);
    let first = run("5");
    assert_eq!(first.stdout, run("5").stdout);
    let all = first.json();
    assert_eq!(all["seed"], 5);
    assert!(matches!(all["end"].as_str(), Some("finished" | "error")), "{all}");
    let texts: std::collections::BTreeSet<String> = (0..12).map(|seed| run(&seed.to_string()).stdout).collect();
    assert!(texts.len() > 6, "runs differ");
}

#[test]
fn a_run_as_text() {
    let scenario = Scenario::with("m.pml", FINE).and("d.pml", "active proctype P() { false }\n");
    let ended = scenario.run(&["simulate", "m.pml"]).code(0);
    ended.says("  S[0]").says("c!1").says("c = [1]").says("finished after ");
    scenario
        .run(&["simulate", "m.pml", "--steps", "2"])
        .code(0)
        .says("stopped after 2 steps; --steps sets how many");
    scenario
        .run(&["simulate", "d.pml"])
        .code(1)
        .says("deadlock after 0 steps");
}

#[test]
fn a_run_by_hand() {
    let scenario = Scenario::with("m.pml", COUNTER);
    let ended = scenario
        .run_with(&["simulate", "m.pml", "--interactive"], b"1\nv\n2\n\n9\nq\n")
        .code(0);
    ended
        .says("    1  P[0]")
        .says("    3  ")
        .says("stopped after 3 steps\n")
        .complains("  1  P[0] line 4: t = n\n")
        .complains("       n = 0\n")
        .complains("there is no step `9`");
}

#[test]
fn a_trace_assertion_that_is_violated() {
    let model = "\
chan c = [2] of { byte };
trace { c!1; c!2 }
active proctype P() { c!1; c!3 }
";
    let ended = Scenario::with("m.pml", model).run(&["check", "m.pml"]).code(1);
    let expected = "violated: safety: the trace assertion does not allow this event here\n --> m.pml:3:28\n";
    assert!(ended.stdout.contains(expected), "{}", ended.stdout);
    let json = Scenario::with("m.pml", model).run(&["check", "m.pml", "--format", "json"]);
    let json: Value = serde_json::from_str(&json.code(1).stdout).unwrap();
    assert_eq!(json["properties"][0]["violations"][0]["kind"], json!("trace-mismatch"));
}

#[test]
fn an_exclusive_use_that_is_not() {
    let model = "\
chan c = [2] of { byte };
active proctype P() { xs c; c!1 }
active proctype Q() { byte x; c!2; c?x }
";
    let ended = Scenario::with("m.pml", model).run(&["check", "m.pml"]).code(0);
    let expected = "this `xs` of P is not true: Q sends to the channel too\n --> m.pml:2:26\n";
    assert!(ended.stdout.contains(expected), "{}", ended.stdout);
    let alone = model.replace("c!2; ", "");
    let ended = Scenario::with("m.pml", &alone).run(&["check", "m.pml"]).code(0);
    assert!(!ended.stdout.contains("is not true"), "{}", ended.stdout);
}

/// Steps without alternatives are taken in chains, even where they are only tried.
#[test]
fn counts_are_the_same_for_every_store() {
    let model = "byte x, y;\n\
                 active proctype P() { do :: x < 200 -> x++ :: x == 200 -> break od; assert(x == 200) }\n\
                 active proctype Q() { do :: y < 200 -> y++ :: y == 200 -> break od; assert(y == 200) }\n\
                 ltl p { [] (x <= 200) }\n";
    let scenario = Scenario::with("m.pml", model);
    let counts = |store: &str| {
        let arguments = ["check", "m.pml", "--store", store, "--format", "json"];
        let json = scenario.run(&arguments).json();
        let counts =
            |property: &Value| ["states", "transitions", "matched", "depth"].map(|name| property[name].clone());
        (counts(&json["properties"][0]), counts(&json["properties"][1]))
    };
    let (safety, formula) = counts("exact");
    assert_eq!((&safety, &formula), (&counts("collapse").0, &counts("collapse").1));
    for store in ["cache=10000", "bitstate=1MB"] {
        assert_eq!(counts(store).0, safety, "{store}");
    }
    // Each process has 402 steps and its end, and the search takes each step once.
    assert_eq!(safety[1], 806);
}

#[test]
fn a_cache_is_too_small_only_for_the_path() {
    // Every state is reachable from every other, so no component is complete before the search is.
    let model = "byte a, b;\n\
                 active proctype P() { do :: a = (a + 1) % 40; assert(a < 40) od }\n\
                 active proctype Q() { do :: b = (b + a) % 40; assert(b < 40) od }\n";
    let scenario = Scenario::with("m.pml", model);
    let with = |store: &str, code| {
        let arguments = [
            "check",
            "m.pml",
            "--store",
            store,
            "--timeout",
            "60s",
            "--format",
            "json",
        ];
        scenario.run(&arguments).code(code).json()["properties"][0].clone()
    };
    let exact = with("exact", 0);
    let (states, depth) = (exact["states"].as_u64(), exact["depth"].as_u64());
    let (Some(states), Some(depth)) = (states, depth) else {
        panic!("{exact}")
    };
    assert!(states > depth + 200, "{exact}");
    let cached = with(&format!("cache={}", depth + 100), 0);
    assert_eq!((&cached["verdict"], &cached["limit"]), (&"holds".into(), &Value::Null));
    assert_eq!(with(&format!("cache={}", depth / 2), 3)["limit"], "cache");
}
