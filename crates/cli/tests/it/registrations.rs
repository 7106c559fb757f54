//! Adding a subcommand is adding a file and registering it.
//!
//! `commands/mod.rs` lists the subcommands. Each file or folder beside it is listed there and is a subcommand of the
//! binary, and no other source names it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

/// The subcommands, by their files.
fn commands() -> Vec<String> {
    let entries = fs::read_dir(sources().join("commands")).unwrap();
    let name = |path: PathBuf| path.file_stem().unwrap().to_str().unwrap().to_owned();
    let mut all: Vec<String> = entries.map(|entry| name(entry.unwrap().path())).collect();
    all.retain(|name| name != "mod");
    all.sort();
    all
}

/// The sources outside the folder of subcommands.
fn others() -> Vec<PathBuf> {
    let entries = fs::read_dir(sources()).unwrap();
    let all = entries.map(|entry| entry.unwrap().path());
    all.filter(|path| path.is_file()).collect()
}

#[test]
fn each_file_is_a_subcommand() {
    let list = fs::read_to_string(sources().join("commands/mod.rs")).unwrap();
    let help = Command::new(env!("CARGO_BIN_EXE_mazurka"))
        .arg("--help")
        .output()
        .unwrap();
    let help = String::from_utf8(help.stdout).unwrap();
    let commands = commands();
    assert!(commands.len() >= 9, "{commands:?}");
    for command in &commands {
        assert_eq!(list.matches(&format!("mod {command};")).count(), 1, "mod {command}");
        assert_eq!(
            list.matches(&format!("=> {command}::run(")).count(),
            1,
            "{command}::run"
        );
        let is_shown = |line: &str| line.split_whitespace().next() == Some(command.as_str());
        assert!(help.lines().any(is_shown), "`mazurka --help` does not show {command}");
    }
    assert_eq!(list.matches("::run(").count(), commands.len());
}

#[test]
fn no_other_source_names_a_subcommand() {
    for path in others() {
        let text = fs::read_to_string(&path).unwrap();
        for command in commands() {
            let named = text.contains(&format!("commands::{command}"));
            assert!(!named, "{} uses the subcommand {command}", path.display());
        }
    }
}
