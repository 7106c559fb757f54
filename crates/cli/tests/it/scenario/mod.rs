//! A folder with files in it, and commands that are run there.

use serde_json::Value;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use tempfile::TempDir;

pub struct Scenario {
    dir: TempDir,
}

/// The exit code and the output of a command.
pub struct Ended {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Scenario {
    pub fn new() -> Self {
        Self {
            dir: tempfile::tempdir().expect("a directory"),
        }
    }

    /// A folder with one file in it.
    pub fn with(name: &str, content: impl AsRef<[u8]>) -> Self {
        Self::new().and(name, content)
    }

    /// Adds another file.
    pub fn and(self, name: &str, content: impl AsRef<[u8]>) -> Self {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().expect("it has one")).expect("a directory");
        std::fs::write(path, content).expect("a file");
        self
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// A command with arguments.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_mazurka"));
        command.args(arguments).current_dir(self.dir.path());
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Ended {
        self.run_with(arguments, b"")
    }

    /// Runs a command with `input` on standard input.
    pub fn run_with(&self, arguments: &[&str], input: &[u8]) -> Ended {
        let file = self.path(".standard-input");
        std::fs::write(&file, input).expect("a file");
        let output = (self.command(arguments))
            .stdin(Stdio::from(std::fs::File::open(&file).expect("just written")))
            .output()
            .expect("mazurka runs");
        std::fs::remove_file(&file).expect("just written");
        Ended {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).expect("UTF-8"),
            stderr: String::from_utf8(output.stderr).expect("UTF-8"),
        }
    }

    /// The names of the files, sorted.
    pub fn files(&self) -> Vec<String> {
        let name = |e: std::io::Result<std::fs::DirEntry>| e.expect("an entry").file_name().into_string();
        let entries = std::fs::read_dir(self.dir.path()).expect("readable");
        let mut names: Vec<String> = entries.map(|e| name(e).expect("UTF-8")).collect();
        names.sort();
        names
    }
}

impl Ended {
    /// Expects an exit code.
    #[track_caller]
    pub fn code(self, code: i32) -> Self {
        assert_eq!(
            self.code,
            Some(code),
            "\nstdout: {}\nstderr: {}",
            self.stdout,
            self.stderr
        );
        self
    }

    /// Expects a text on standard output.
    #[track_caller]
    pub fn says(self, text: &str) -> Self {
        assert!(self.stdout.contains(text), "no `{text}` in\n{}", self.stdout);
        self
    }

    /// Expects a text on standard error.
    #[track_caller]
    pub fn complains(self, text: &str) -> Self {
        assert!(self.stderr.contains(text), "no `{text}` in\n{}", self.stderr);
        self
    }

    /// Expects that standard output is empty.
    #[track_caller]
    pub fn prints_nothing(self) -> Self {
        assert_eq!(self.stdout, "");
        self
    }

    /// Standard output as JSON.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).expect("one JSON value")
    }
}
