//! Ctrl-C: the results so far are printed, and no file is written.

use std::io::Read;
use std::process::{Command, Stdio};
use std::time::Duration;

/// Starts mazurka, interrupts it, and returns its output.
fn interrupted(command: &mut Command) -> String {
    let mut child = command.stdout(Stdio::piped()).spawn().expect("mazurka runs");
    // The interrupted commands take many seconds, even if optimised.
    std::thread::sleep(Duration::from_millis(1500));
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(sent.expect("kill runs").success());
    let mut text = String::new();
    let stdout = child.stdout.as_mut().expect("piped");
    stdout.read_to_string(&mut text).expect("UTF-8");
    assert_eq!(child.wait().expect("mazurka ends").code(), Some(130));
    text
}

#[test]
fn an_interrupted_search_prints_its_statistics() {
    let dir = tempfile::tempdir().expect("a directory");
    let model = dir.path().join("m.pml");
    let text = "active [9] proctype P() { byte x; do :: x < 200 -> x++ :: x > 100 -> x = 0 od }\nltl p { [] true }\n";
    std::fs::write(&model, text).expect("written");
    let mut command = Command::new(env!("CARGO_BIN_EXE_mazurka"));
    command.args(["check", "--reduction", "none"]).arg(&model);
    let text = interrupted(&mut command);
    assert!(text.contains("  safety  inconclusive  "), "{text}");
    assert!(text.contains("Not answered: interrupted."), "{text}");
    assert!(text.contains("  p       inconclusive  "), "{text}");
}

#[test]
fn an_interrupted_experiment_prints_what_it_has() {
    let dir = tempfile::tempdir().expect("a directory");
    let mut command = Command::new(env!("CARGO_BIN_EXE_mazurka"));
    command.args(["reproduce", "philosophers", "--out"]).arg(dir.path());
    let text = interrupted(&mut command);
    assert!(text.contains("interrupted: measurements are missing"), "{text}");
    let is_measured = |line: &str| line.trim_start().starts_with("2 ");
    assert!(text.lines().any(is_measured), "{text}");
    assert_eq!(std::fs::read_dir(dir.path()).expect("readable").count(), 0);
}

#[test]
fn an_interrupted_count_prints_how_far_it_came() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("run.log");
    // There are 51 to the power of 12 global states, which takes years.
    let lines = (0..12 * 50).map(|k| format!("{{\"process\":\"p{}\"}}\n", k % 12));
    std::fs::write(&path, lines.collect::<String>()).expect("written");
    let mut command = Command::new(env!("CARGO_BIN_EXE_mazurka"));
    command.arg("detect").arg(&path).args(["--method", "enumerate"]);
    let text = interrupted(&mut command);
    assert!(
        text.contains("inconclusive: the number of consistent cuts\n  at least "),
        "{text}"
    );
    assert!(!text.contains("at least 0 "), "{text}");
}
