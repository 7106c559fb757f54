//! The things that every command-line tool has: version, help, completions, manual pages.

use std::process::{Command, Output};

fn mazurka(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_mazurka"))
        .args(arguments)
        .output()
        .expect("mazurka runs")
}

fn text(arguments: &[&str]) -> String {
    let output = mazurka(arguments);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

#[test]
fn version() {
    assert_eq!(text(&["--version"]), format!("mazurka {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn help_of_a_subcommand() {
    let help = text(&["help", "reproduce"]);
    for option in ["--out", "--quick", "--format", "--quiet", "philosophers"] {
        assert!(help.contains(option), "{help}");
    }
}

#[test]
fn every_way_in_has_an_example() {
    for (subcommand, example) in [
        (&["check"][..], "mazurka check model.pml --report"),
        (&["simulate"], "mazurka simulate model.pml --seed 7"),
        (&["export"], "mazurka export model.pml --to aut -o model.aut"),
        (&["detect"], "mazurka detect run.log --never"),
        (&["generate"], "mazurka generate primary-secondary"),
        (&["trace", "lint"], "mazurka trace lint run.log"),
    ] {
        let help = text(&[subcommand, &["--help"]].concat());
        assert!(help.contains(example), "{help}");
        assert!(text(&[&["man"], subcommand].concat()).contains("SYNOPSIS"));
    }
    for option in [
        "--inevitably",
        "--shiviz-regex",
        "--process-by",
        "--follow",
        "--max-states",
        "--default",
    ] {
        assert!(text(&["help", "detect"]).contains(option), "{option}");
    }
}

#[test]
fn completions_for_three_shells() {
    for shell in ["bash", "zsh", "fish"] {
        let script = text(&["completions", shell]);
        assert!(script.contains("reproduce") && script.contains("quick"), "{shell}");
        assert!(script.contains("inevitably") && script.contains("lint"), "{shell}");
        assert!(
            script.contains("max-memory") && script.contains("interactive"),
            "{shell}"
        );
    }
    assert_eq!(mazurka(&["completions", "csh"]).status.code(), Some(2));
}

#[test]
fn manual_pages() {
    assert!(text(&["man"]).contains(".TH mazurka 1"));
    let page = text(&["man", "reproduce"]);
    assert!(
        page.contains(".TH mazurka-reproduce 1") && page.contains("quick"),
        "{page}"
    );
    let page = text(&["man", "trace", "lint"]);
    assert!(page.contains(".TH mazurka-trace-lint 1"), "{page}");
    let unknown = mazurka(&["man", "dance"]);
    assert_eq!(unknown.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&unknown.stderr).contains("`dance`"));
}

#[test]
fn a_wrong_command_line() {
    for arguments in [&[][..], &["dance"], &["reproduce", "--frmat", "json"]] {
        let output = mazurka(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(!output.stderr.is_empty(), "{arguments:?}");
        assert!(output.stdout.is_empty(), "{arguments:?}");
    }
}
