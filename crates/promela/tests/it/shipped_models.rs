//! The front end reads every example model of SPIN that SPIN itself accepts.
//!
//! Debian's package installs the models in its folder of documentation. They are not part of this
//! repository. If the package is not installed, the test says so and passes.

use mazurka_promela::{Options, load_path};
use std::path::{Path, PathBuf};
use std::process::Command;

const FOLDER: &str = "/usr/share/doc/spin/examples/Examples";

/// Features that are not supported: C code, and input from the simulator.
const OUTSIDE: [&str; 2] = ["promela::embedded-c", "promela::unsupported"];

fn models(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(models(&path));
        } else if path.extension().is_some_and(|extension| extension == "pml") {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// Whether SPIN generates a verifier for a model. It writes to the current folder.
fn spin_accepts(path: &Path) -> Option<bool> {
    let folder = tempfile::tempdir().ok()?;
    let output = Command::new("spin")
        .arg("-a")
        .arg(path)
        .current_dir(&folder)
        .output()
        .ok()?;
    Some(output.status.success())
}

#[test]
fn every_shipped_model_that_spin_accepts_is_read() {
    let models = models(Path::new(FOLDER));
    if models.is_empty() {
        eprintln!("skipped: the examples of SPIN are not installed");
        return;
    }
    let mut refused = Vec::new();
    let mut read = 0;
    for path in &models {
        match load_path(path, &Options::default()).expect("a file") {
            Ok(_) => read += 1,
            Err(errors) => match spin_accepts(path) {
                None => eprintln!("skipped: SPIN cannot be asked about {}", path.display()),
                Some(false) => eprintln!("{}: SPIN refuses it too", path.display()),
                Some(true) if errors.diagnostics.iter().all(|found| OUTSIDE.contains(&found.id)) => {
                    eprintln!("{}: {}", path.display(), errors.diagnostics[0]);
                }
                Some(true) => refused.push(format!("{}\n{errors}", path.display())),
            },
        }
    }
    eprintln!("{read} of {} models were read", models.len());
    assert!(refused.is_empty(), "refused:\n{}", refused.join("\n"));
}
