//! SPIN as a peer: its verifier, without reduction and without optimisations that change
//! the number of states.

use std::path::Path;
use std::process::{Command, Output};

/// What SPIN found.
#[derive(Debug)]
pub struct Found {
    pub holds: bool,
    /// How many states it stored; none if its verifier broke down.
    pub states: Option<usize>,
}

/// Whether SPIN and a C compiler can be started. Fails if they are required and cannot.
pub fn is_there() -> bool {
    let starts = |name: &str, argument: &str| Command::new(name).arg(argument).output().is_ok();
    if starts("spin", "-V") && starts("gcc", "--version") {
        return true;
    }
    let required = std::env::var("MAZURKA_PEERS").is_ok_and(|v| v == "required");
    assert!(!required, "spin or gcc cannot be started");
    println!("skipped: spin or gcc cannot be started");
    false
}

/// Verifies a model with SPIN: assertions and end states, all errors.
pub fn verify(path: &Path) -> Found {
    let folder = tempfile::tempdir().unwrap();
    let run = |name: &str, arguments: &[&str]| -> Output {
        let mut command = Command::new(name);
        command.args(arguments).current_dir(folder.path()).output().unwrap()
    };
    std::fs::copy(path, folder.path().join("model.pml")).unwrap();
    run("spin", &["-a", "-o1", "-o2", "-o3", "model.pml"]);
    let options = ["-DSAFETY", "-DNOREDUCE", "-DNOCLAIM", "-DVECTORSZ=16384"];
    let compiled = run("gcc", &[&["-w", "-O0", "-o", "pan", "pan.c"], &options[..]].concat());
    assert!(compiled.status.success(), "{}: SPIN rejects it", path.display());
    let verifier = folder.path().join("pan");
    let output = run(verifier.to_str().unwrap(), &["-c0", "-m1000000"]);
    let text = String::from_utf8_lossy(&output.stdout);
    let number = |before: &str, after: &str| -> Option<usize> {
        let line = text
            .lines()
            .find(|line| line.contains(before) && line.contains(after))?;
        let end = if after.is_empty() {
            line.len()
        } else {
            line.find(after)?
        };
        line[line.find(before)? + before.len()..end].trim().parse().ok()
    };
    Found {
        // A division by zero kills the verifier: then it says nothing at all.
        holds: number("errors: ", "") == Some(0),
        states: number("", " states, stored"),
    }
}
