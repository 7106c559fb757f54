//! The crate without its feature `check`: what a program that is built, and not tested, has. Cargo builds `tests/production`,
//! a crate outside the workspace, once so and once with checks.

use crate::sources::sources;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{Mutex, PoisonError};
use std::{env, fs};

/// Modules that are std's without checks, and the files that have the names.
const MODULES: &[(&str, &str)] = &[
    ("alloc", "alloc.rs"),
    ("cell", "cell.rs"),
    ("fs", "fs/mod.rs"),
    ("hint", "hint.rs"),
    ("net", "net/mod.rs"),
    ("sync", "sync/mod.rs"),
    ("sync::atomic", "sync/atomic/mod.rs"),
    ("sync::mpsc", "sync/mpsc/mod.rs"),
    ("thread", "thread/mod.rs"),
    ("time", "time.rs"),
];

/// Modules in which the names of std are other types, which have more methods.
const WRAPPED: &[&str] = &["cell"];

/// Names that only checks have, and why.
const ONLY_IN_CHECKS: &[(&str, &[&str])] = &[
    ("the network of a check", &["heal", "partition"]),
    ("a thread of a check need not be `Send`", &["spawn_local"]),
    ("the search is told what a thread uses", &["Declared", "Uses"]),
];

/// The public names of a source, which are at the beginning of a line or, in the list of primitives, after a brace.
fn names(text: &str) -> Vec<String> {
    let mut names = Vec::new();
    for part in ["\npub use ", "{ pub use "]
        .iter()
        .flat_map(|head| text.split(head).skip(1))
    {
        let list = part.split_once(';').expect("the end of an import").0;
        let list = list.rsplit("::").next().unwrap_or(list);
        let list = list.trim_matches(['{', '}']).split(',').map(str::trim);
        names.extend(list.map(|name| name.rsplit(' ').next().unwrap_or(name).to_owned()));
    }
    let kinds = ["struct", "enum", "trait", "const", "fn", "unsafe fn", "const fn", "mod"];
    for kind in kinds {
        let head = format!("\npub {kind} ");
        let parts = text.split(&head).skip(1);
        let name = |part: &str| {
            part.split(|c: char| !c.is_alphanumeric() && c != '_')
                .next()
                .map(str::to_owned)
        };
        names.extend(parts.filter_map(name));
    }
    // Atomics are made by macros.
    if let Some((_, atomics)) = text.split_once("uses!(\n    [] AtomicU8") {
        let words = atomics.split(|c: char| !c.is_alphanumeric());
        names.extend(words.filter(|word| word.starts_with("Atomic")).map(str::to_owned));
        names.push("AtomicU8".to_owned());
    }
    names.retain(|name| !name.is_empty() && !name.starts_with("__") && !kinds.contains(&&**name));
    names.sort();
    names.dedup();
    names
}

/// A program with all the names. One that std has, too, is ambiguous if it is not the same item, of which the compiler warns.
fn program_with_names() -> String {
    let sources = sources("");
    let mut program = String::from("//! Names.\n#![deny(warnings)]\n#![allow(unused_imports)]\nfn main() {}\n");
    let mut only: Vec<_> = ONLY_IN_CHECKS.iter().flat_map(|(_, names)| *names).collect();
    for (i, (module, path)) in MODULES.iter().enumerate() {
        let source = sources.iter().find(|s| s.path == *path).expect("the module's source");
        let mut names = names(&source.text);
        assert!(!names.is_empty(), "{module}");
        names.retain(|name| match only.iter().position(|only| *only == name) {
            Some(known) => {
                only.remove(known);
                false
            }
            None => true,
        });
        let std = if WRAPPED.contains(module) {
            String::new()
        } else {
            format!("use std::{module}::*; ")
        };
        let names = names.join(", ");
        writeln!(program, "mod there{i} {{ use mazurka::{module}::{{{names}}}; }}").unwrap();
        writeln!(
            program,
            "mod same{i} {{ use mazurka::{module}::*; {std}mod names {{ use super::{{{names}}}; }} }}"
        )
        .unwrap();
    }
    assert!(only.is_empty(), "nothing has these names: {only:?}");
    program
}

/// A copy of the crate, in a folder that Cargo keeps for tests; none if Cargo cannot build it here.
struct Production(PathBuf);

/// Cargo would wait for itself.
static TURN: Mutex<()> = Mutex::new(());

impl Production {
    fn new() -> Option<Production> {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let (from, to) = (
            here.join("tests/production"),
            Path::new(env!("CARGO_TARGET_TMPDIR")).join("production"),
        );
        for file in ["src/lib.rs", "src/main.rs", "src/bin/mistaken.rs"] {
            keep(
                &to.join(file),
                &fs::read_to_string(from.join(file)).expect("a file of the crate"),
            );
        }
        keep(&to.join("src/bin/names.rs"), &program_with_names());
        let manifest = fs::read_to_string(from.join("Cargo.toml")).expect("the crate's manifest");
        let path = format!("{:?}", here.to_str().expect("a folder with a usual name"));
        assert!(manifest.contains("\"../..\""));
        keep(&to.join("Cargo.toml"), &manifest.replace("\"../..\"", &path));
        // The workspace's versions are those that are there without a network.
        if let Ok(lock) = fs::read_to_string(here.join("../../Cargo.lock")) {
            keep(&to.join("Cargo.lock"), &lock);
        }
        let production = Production(to);
        let metadata = production.cargo(&["metadata", "--format-version", "1"]);
        if !metadata.status.success() {
            let why = String::from_utf8_lossy(&metadata.stderr);
            assert!(env::var_os("MAZURKA_PEERS").is_none(), "{why}");
            eprintln!("skipped: Cargo cannot build a crate here: {why}");
            return None;
        }
        Some(production)
    }

    fn cargo(&self, arguments: &[&str]) -> Output {
        Command::new(env!("CARGO"))
            .args(arguments)
            .arg("--offline")
            .current_dir(&self.0)
            .env("CARGO_TARGET_DIR", self.0.join("target"))
            .env("CARGO_TERM_COLOR", "never")
            .env_remove("RUSTFLAGS")
            .output()
            .expect("Cargo starts")
    }

    /// What Cargo prints if it succeeds.
    fn succeeds(&self, arguments: &[&str]) -> String {
        let output = self.cargo(arguments);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).into_owned()
    }
}

/// Writes a file unless it is there with this text, so that nothing is built again.
fn keep(path: &Path, text: &str) {
    if fs::read_to_string(path).is_ok_and(|old| old == text) {
        return;
    }
    fs::create_dir_all(path.parent().expect("a folder")).expect("a folder for the crate");
    fs::write(path, text).expect("a file of the crate");
}

#[test]
fn a_program_has_stds_types_and_its_tests_have_checks() {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(production) = Production::new() else { return };
    // The types are compared while this is compiled.
    production.succeeds(&["run", "--quiet", "--bin", "production"]);
    let tree = production.succeeds(&["tree", "--edges", "normal", "--prefix", "none"]);
    let packages: Vec<_> = tree.lines().filter_map(|line| line.split(' ').next()).collect();
    assert_eq!(packages, ["production", "mazurka"], "nothing of the engine is built");
    let tests = production.succeeds(&["test", "--lib"]);
    assert!(tests.contains("2 passed"), "{tests}");
    // And Cargo keeps them apart.
    production.succeeds(&["run", "--quiet", "--bin", "production"]);
}

#[test]
fn every_name_is_there_without_checks() {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(production) = Production::new() else { return };
    production.succeeds(&["check", "--quiet", "--bin", "names"]);
}

#[test]
fn a_check_without_the_feature_is_an_error_that_names_it() {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(production) = Production::new() else { return };
    let output = production.cargo(&["check", "--bin", "mistaken"]);
    assert!(!output.status.success());
    let text = String::from_utf8_lossy(&output.stderr);
    for name in ["`check`", "`Checker`"] {
        assert!(text.contains(name), "{text}");
    }
    let reasons = text.matches("gated behind the `check` feature").count();
    assert_eq!(reasons, 2, "{text}");
}
