//! SPIN as a peer: its verifier, without reduction and without optimisations that change
//! the number of states.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// What SPIN found.
#[derive(Debug)]
pub struct Found {
    pub holds: bool,
    /// The number of states that it stored. None if its verifier crashed.
    pub states: Option<usize>,
}

fn starts(name: &str, argument: &str) -> bool {
    Command::new(name).arg(argument).output().is_ok()
}

/// Whether SPIN and a C compiler can be started. Fails if they are required and cannot.
pub fn is_there() -> bool {
    if starts("spin", "-V") && starts("gcc", "--version") {
        return true;
    }
    let required = std::env::var("MAZURKA_PEERS").is_ok_and(|v| v == "required");
    assert!(!required, "spin or gcc cannot be started");
    println!("skipped: spin or gcc cannot be started");
    false
}

/// The example models that Debian's package of SPIN installs. Empty if it is not installed.
pub fn examples() -> Vec<PathBuf> {
    let Ok(listing) = Command::new("dpkg").args(["-L", "spin"]).output() else {
        return Vec::new();
    };
    let listing = String::from_utf8_lossy(&listing.stdout).into_owned();
    let paths = listing.lines().filter(|line| line.ends_with(".pml")).map(PathBuf::from);
    paths.filter(|path| path.exists()).collect()
}

/// Verifies a model with SPIN: assertions and end states, all errors. None if the model
/// has no verifier.
pub fn verify(path: &Path) -> Option<Found> {
    let folder = tempfile::tempdir().unwrap();
    let run = |name: &str, arguments: &[&str]| -> Output {
        let mut command = Command::new(name);
        command.args(arguments).current_dir(folder.path()).output().unwrap()
    };
    let path = path.canonicalize().unwrap();
    run("spin", &["-a", "-o1", "-o2", "-o3", path.to_str().unwrap()]);
    let options = ["-DSAFETY", "-DNOREDUCE", "-DNOCLAIM", "-DVECTORSZ=16384"];
    // tcc compiles a verifier in a twentieth of the time.
    let compiler = if starts("tcc", "-v") { "tcc" } else { "gcc" };
    let compiled = run(compiler, &[&["-w", "-o", "pan", "pan.c"], &options[..]].concat());
    if !compiled.status.success() {
        return None;
    }
    let verifier = folder.path().join("pan");
    let output = run(verifier.to_str().unwrap(), &["-c0", "-w18", "-m1000000"]);
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
    Some(Found {
        // A division by zero kills the verifier, which then prints nothing.
        holds: number("errors: ", "") == Some(0),
        states: number("", " states, stored"),
    })
}
