//! What a failing test says, and that what it says can be run again.

use mazurka::linear::Test;
use mazurka::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::process::Command;

fn lost_update() -> Test<AtomicU64, u64> {
    let add = |n: &AtomicU64, more: &u64| {
        let before = n.load(SeqCst);
        n.store(before + more, SeqCst);
        before
    };
    let model = |n: &mut u64, more: &u64| {
        *n += more;
        *n - more
    };
    Test::new(|| AtomicU64::new(0), || 0).operation("add", |g| 1 + g.below(1), add, model)
}

#[test]
fn the_report_shows_the_scenario_and_the_execution() {
    let report = lost_update().run();
    let failure = report.failure.as_ref().unwrap();
    assert_eq!(failure.table, "  thread 1: add(1) = 0\n  thread 2: add(1) = 0\n");
    assert_eq!(
        failure.violation.message,
        "no order of the operations explains that add(1) answered 0; it could have answered 1"
    );
    let text = report.to_string();
    assert!(text.contains("run it again: MAZURKA_SCENARIO='/0."), "{text}");
    assert!(text.contains("thread 1") && text.contains("load"), "{text}");
}

/// The second half of the test below.
#[test]
#[ignore = "it fails on purpose, and is run by another test"]
fn fails() {
    lost_update().check();
}

#[test]
fn a_failure_can_be_run_again() {
    let run = |variables: &[(&str, &str)]| {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--ignored", "--exact", "linear::reports::fails", "--nocapture"]);
        command.envs(variables.iter().copied());
        let output = command.output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success(), "{text}");
        text
    };
    let text = run(&[]);
    let part = |after: &str, until: char| {
        let (_, rest) = text.split_once(after).unwrap_or_else(|| panic!("{text}"));
        rest.split(until).next().unwrap().to_owned()
    };
    let (scenario, token) = (part("MAZURKA_SCENARIO='", '\''), part("MAZURKA_REPLAY=", ' '));
    let again = run(&[("MAZURKA_SCENARIO", &scenario), ("MAZURKA_REPLAY", &token)]);
    let story = |text: &str| {
        let (_, rest) = text
            .split_once("this scenario fails")
            .unwrap_or_else(|| panic!("{text}"));
        rest.split("\nrun it again").next().unwrap().to_owned()
    };
    assert_eq!(story(&again), story(&text));
    assert!(again.contains("1 scenario, "), "{again}");
}

#[test]
fn the_guide_shows_what_is_said() {
    use mazurka::sync::Mutex;
    let pop = |s: &Mutex<Vec<u64>>| {
        let last = *s.lock().unwrap().last()?;
        s.lock().unwrap().pop();
        Some(last)
    };
    let report = Test::new(|| Mutex::new(Vec::new()), Vec::new)
        .operation(
            "push",
            |g| g.below(3),
            |s, v| s.lock().unwrap().push(*v),
            |model, v| model.push(*v),
        )
        .operation("pop", |_| (), move |s, ()| pop(s), |model, ()| model.pop())
        .run();
    let text = report.to_string();
    let guide = include_str!("../../../../../docs/book/src/guide/linear.md");
    let (_, shown) = guide.split_once("```text\n").expect("the guide shows a report");
    let (shown, _) = shown.split_once("```").expect("it ends");
    assert!(text.starts_with(shown), "{text}");
}
