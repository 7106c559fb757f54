//! Console blocks: every command that a document shows prints what the document shows.
//!
//! A block consists of commands after `$ ` and what they print on either stream. The
//! commands of a document run one after the other in a folder that contains only the examples of the
//! repository:
//!
//! * `mazurka` and `cargo run --release -p mazurka-cli --` are the program under test;
//! * `cat FILE` shows the reader a file. If the file does not exist, the text that is shown becomes the file;
//! * a line `…` stands for any number of lines;
//! * times are not compared;
//! * other programs of developers are not run, and their output must not be shown.
//!
//! If `MAZURKA_BLESS` is set, the output is written into the documents.

use crate::documents::document::{Block, Document, root};
use regex::Regex;
use std::path::Path;
use std::process::Command;
use std::sync::LazyLock;
use tempfile::TempDir;

/// Programs that are not run here.
const NOT_RUN: [&str; 6] = ["cargo", "git", "gcc", "mdbook", "spin", "./pan"];

/// The command by which the README starts the program.
const FROM_SOURCE: &str = "cargo run --release -p mazurka-cli -- ";

/// A command and what it prints.
struct Shown {
    /// The command as it is written, including continued lines.
    command: String,
    printed: Vec<String>,
}

fn shown(block: &Block) -> Vec<Shown> {
    let mut all: Vec<Shown> = Vec::new();
    let mut continued = false;
    for line in block.text.lines() {
        match all.last_mut() {
            Some(last) if continued => last.command += &format!("\n{line}"),
            _ if line.starts_with("$ ") => all.push(Shown {
                command: line[2..].to_owned(),
                printed: Vec::new(),
            }),
            Some(last) => last.printed.push(line.to_owned()),
            None => panic!("a console block begins with a command, not with `{line}`"),
        }
        let open = all.last().is_some_and(|last| last.printed.is_empty());
        continued = open && line.ends_with('\\');
    }
    all
}

/// A folder with the examples, and the exit code of the last command.
pub struct Console {
    folder: TempDir,
    last: i32,
}

impl Console {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::create_dir(folder.path().join("examples")).expect("a folder");
        copy("examples", &folder.path().join("examples"));
        Self { folder, last: 0 }
    }

    /// Puts the files of another folder of the repository beside the examples.
    pub fn put(&self, folder: &str) {
        copy(folder, self.folder.path());
    }

    /// What a command prints on standard output.
    pub fn stdout(&mut self, script: &str) -> String {
        let program = Path::new(env!("CARGO_BIN_EXE_mazurka"));
        let path = std::env::var("PATH").expect("there is one");
        let folder = program.parent().expect("it is in a folder").display();
        let output = Command::new("sh")
            .args(["-c", &format!("(exit {})\n{script}", self.last)])
            .env("PATH", format!("{folder}:{path}"))
            .current_dir(self.folder.path())
            .output()
            .expect("a shell");
        self.last = output.status.code().expect("it is not ended by a signal");
        String::from_utf8(output.stdout).expect("UTF-8")
    }

    /// What a command prints.
    fn run(&mut self, command: &str) -> Vec<String> {
        let command = command.replace(FROM_SOURCE, "mazurka ");
        let printed = self.stdout(&format!("{{ {command}\n}} 2>&1"));
        printed.lines().map(|line| line.trim_end().to_owned()).collect()
    }

    /// Runs a command, or a substitute for it. Returns what it prints, if it was run.
    fn follow(&mut self, shown: &Shown) -> Option<Vec<String>> {
        let mut words = shown.command.split_whitespace();
        let program = words.find(|word| !word.contains('=')).unwrap_or_default();
        if NOT_RUN.contains(&program) && !shown.command.starts_with(FROM_SOURCE) {
            assert!(shown.printed.is_empty(), "`{}` is not run here", shown.command);
            return None;
        }
        if let Some(file) = shown.command.strip_prefix("cat ") {
            let file = self.folder.path().join(file.trim());
            if !file.exists() {
                std::fs::create_dir_all(file.parent().expect("it is in a folder")).expect("a folder");
                std::fs::write(&file, shown.printed.join("\n") + "\n").expect("a file");
            }
        }
        Some(self.run(&shown.command))
    }
}

/// Copies the files of a folder of the repository.
fn copy(from: &str, to: &Path) {
    for file in std::fs::read_dir(root().join(from)).expect("there is such a folder") {
        let file = file.expect("a file");
        std::fs::copy(file.path(), to.join(file.file_name())).expect("a file");
    }
}

/// A line without the times in it.
pub fn timeless(line: &str) -> String {
    static TIME: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r#"\s*\b[0-9]+(\.[0-9]+)? (ns|µs|ms|s|min)\b|"seconds": [-+.e0-9]+"#).expect("it is one")
    });
    TIME.replace_all(line.trim_end(), " TIME").into_owned()
}

/// Whether lines match the expected ones, in which `…` stands for any lines.
fn matches(expected: &[String], lines: &[String]) -> bool {
    match expected.split_first() {
        None => lines.is_empty(),
        Some((first, rest)) if first.trim() == "…" => {
            (0..=lines.len()).any(|skipped| matches(rest, &lines[skipped..]))
        }
        Some((first, rest)) => match lines.split_first() {
            Some((line, lines)) => timeless(first) == timeless(line) && matches(rest, lines),
            None => false,
        },
    }
}

/// Runs the commands of a document. Returns the differences, and the document as it should be.
fn check(document: &Document) -> (Vec<String>, String) {
    let mut console = Console::new();
    let (mut wrong, mut right, mut end) = (Vec::new(), String::new(), 0);
    for block in document.blocks().iter().filter(|block| block.is("console")) {
        right += &document.text[end..block.range.start];
        end = block.range.end;
        for shown in shown(block) {
            right += &format!("$ {}\n", shown.command);
            let printed = console.follow(&shown);
            let panicked = console.last > 3 && console.last != 130;
            assert!(
                !panicked,
                "{}: `{}` ends with {}",
                document.name(),
                shown.command,
                console.last
            );
            match printed {
                Some(printed) if !matches(&shown.printed, &printed) => {
                    let line = document.line_of(block.range.start);
                    let (shown_lines, lines) = (shown.printed.join("\n"), printed.join("\n"));
                    wrong.push(format!(
                        "{}, block at line {line}:\n$ {}\nprints\n{lines}\nbut the document says\n{shown_lines}\n",
                        document.name(),
                        shown.command
                    ));
                    right.extend(printed.iter().map(|line| format!("{line}\n")));
                }
                _ => right.extend(shown.printed.iter().map(|line| format!("{line}\n"))),
            }
        }
    }
    (wrong, right + &document.text[end..])
}

#[test]
fn commands_print_what_the_documents_show() {
    let bless = std::env::var_os("MAZURKA_BLESS").is_some();
    let mut wrong = Vec::new();
    for document in Document::all() {
        let (differences, right) = check(&document);
        if bless && !differences.is_empty() {
            std::fs::write(root().join(&document.path), right).expect("it can be written");
        } else {
            wrong.extend(differences);
        }
    }
    let count = wrong.len();
    assert!(
        count == 0,
        "{}\n{count} differences; MAZURKA_BLESS=1 corrects the documents",
        wrong.join("\n")
    );
}

#[test]
fn a_command_that_prints_something_else_is_noticed() {
    let document = |printed: &str| Document {
        path: "test.md".into(),
        text: format!("Say\n```console\n$ cat a\nb\n$ cat a; false\n{printed}$ echo $?\n1\n```\nend\n"),
    };
    assert_eq!(check(&document("b\n")).0, Vec::<String>::new());
    assert_eq!(check(&document("…\n")).0, Vec::<String>::new());
    let (wrong, right) = check(&document("c\n"));
    assert_eq!(wrong.len(), 1);
    assert_eq!(right, document("b\n").text);
}

#[test]
fn times_are_not_compared() {
    assert_eq!(
        timeless("safety  holds  depth 4  0.1 ms"),
        timeless("safety  holds  depth 4  12.0 ms")
    );
    assert_ne!(timeless("3 states, 1 s"), timeless("4 states, 1 s"));
}
