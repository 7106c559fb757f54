//! Ctrl-C: what was measured is printed, nothing is written.
#![cfg(unix)]

use std::io::Read;
use std::process::{Command, Stdio};
use std::time::Duration;

#[test]
fn an_interrupted_experiment_prints_what_it_has() {
    let dir = tempfile::tempdir().expect("a directory");
    let mut child = Command::new(env!("CARGO_BIN_EXE_mazurka"))
        .args(["reproduce", "philosophers", "--out"])
        .arg(dir.path())
        .stdout(Stdio::piped())
        .spawn()
        .expect("mazurka runs");
    // The whole experiment takes many seconds even when optimised.
    std::thread::sleep(Duration::from_millis(1500));
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(sent.expect("kill runs").success());
    let mut text = String::new();
    child
        .stdout
        .take()
        .expect("piped")
        .read_to_string(&mut text)
        .expect("UTF-8");
    assert_eq!(child.wait().expect("mazurka ends").code(), Some(130));
    assert!(text.contains("interrupted: measurements are missing"), "{text}");
    assert!(text.contains("\n 2 "), "{text}");
    assert_eq!(std::fs::read_dir(dir.path()).expect("readable").count(), 0);
}
