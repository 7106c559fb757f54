//! The README's commands print what the README says.

use std::path::Path;
use std::process::Command;

#[test]
fn the_first_command_prints_what_the_readme_says() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let readme = std::fs::read_to_string(root.join("README.md")).unwrap();
    let (_, block) = readme.split_once("```console\n").unwrap();
    let (block, _) = block.split_once("\n$ cargo test").unwrap();
    let (command, printed) = block.split_once('\n').unwrap();
    let arguments = command
        .strip_prefix("$ cargo run --release -p mazurka-cli -- ")
        .expect("it runs the program");
    let (plain, quoted) = arguments.split_once('\'').expect("a predicate in quotes");
    let output = Command::new(env!("CARGO_BIN_EXE_mazurka"))
        .args(plain.split_whitespace())
        .arg(quoted.trim_end_matches('\''))
        .current_dir(root)
        .output()
        .unwrap();
    let timeless = |text: &str| {
        let lines = text.trim_end().lines();
        let lines = lines.map(|line| match line.trim_start().starts_with("method ") {
            true => line.rsplit_once(", ").unwrap().0.to_owned(),
            false => line.to_owned(),
        });
        lines.collect::<Vec<_>>()
    };
    let stdout = String::from_utf8(output.stdout).unwrap();
    assert_eq!(timeless(&stdout), timeless(printed));
    assert_eq!(output.status.code(), Some(1), "the run is found guilty");
}

#[test]
fn the_model_is_checked_as_the_readme_says() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let readme = std::fs::read_to_string(root.join("README.md")).unwrap();
    let command = "```console\n$ cargo run --release -p mazurka-cli -- check examples/counter.pml\n";
    let (_, block) = readme.split_once(command).unwrap();
    let (printed, _) = block.split_once("\n```").unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_mazurka"))
        .args(["check", "examples/counter.pml"])
        .current_dir(root)
        .output()
        .unwrap();
    // The time is behind the depth.
    let timeless = |text: &str| {
        let lines = text.trim_end().lines().map(|line| match line.split_once("  depth ") {
            Some((before, _)) => before.to_owned(),
            None => line.to_owned(),
        });
        lines.collect::<Vec<_>>()
    };
    let stdout = String::from_utf8(output.stdout).unwrap();
    assert_eq!(timeless(&stdout), timeless(printed));
    assert_eq!(output.status.code(), Some(1));
}
