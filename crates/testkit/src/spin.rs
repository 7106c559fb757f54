//! SPIN as an oracle: generates, compiles and runs its verifier, and reads its output.
//!
//! SPIN's reduction is unsound on some models, so the verifiers of tests are compiled with
//! `-DNOREDUCE`. Models here are small, so most of the time goes into compiling: `tcc` takes a
//! twentieth of the time of `gcc -O0`, and is used where it is installed. [`Spin::optimised`] makes
//! the verifier that is measured, with `gcc -O2`: SPIN at its best.

use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// SPIN and a C compiler, which can be started.
#[derive(Clone, Copy, Debug)]
pub struct Spin {
    compiler: Compiler,
}

/// Who compiles the verifiers of tests.
#[derive(Clone, Copy, Debug)]
enum Compiler {
    Tcc,
    Gcc,
}

impl Compiler {
    /// Its name, and the flags for a verifier that takes little time to make.
    fn command(self) -> (&'static str, &'static [&'static str]) {
        match self {
            Self::Tcc => ("tcc", &["-w"]),
            Self::Gcc => ("gcc", &["-O0", "-fwrapv", "-w", "-pipe"]),
        }
    }
}

/// How a verifier is made.
#[derive(Clone, Debug, Default)]
pub struct Options<'a> {
    /// Arguments of `spin -a`, such as `-o1`.
    pub generate: &'a [&'a str],
    /// Arguments of the compiler besides `-DNOREDUCE`, such as `-DSAFETY`, `-DNP`.
    pub compile: &'a [&'a str],
}

/// Without `-o1 -o2 -o3`, SPIN leaves out states that it considers irrelevant.
pub const ALL_STATES: &[&str] = &["-o1", "-o2", "-o3"];

/// Why there is no verifier.
#[derive(Clone, Debug)]
pub enum Refused {
    /// SPIN refuses the model, with this message.
    Model(String),
    /// The C that SPIN produced does not compile.
    Verifier(String),
}

/// A compiled verifier.
#[derive(Debug)]
pub struct Verifier {
    folder: TempDir,
}

/// The output of a verifier.
#[derive(Clone, Debug, Default)]
pub struct Run {
    /// The number of errors.
    pub errors: u64,
    /// The errors that it describes: all, but not each repetition, with `-c0`.
    pub found: Vec<Found>,
    /// States stored.
    pub states: u64,
    /// States reached again.
    pub matched: u64,
    /// Transitions: the sum of the two.
    pub transitions: u64,
    /// Whether the search is incomplete: it stopped at an error, or at a limit on depth,
    /// memory or time.
    pub truncated: bool,
    /// The statements that were not reached, as proctype, line and text.
    pub unreached: Vec<(String, u32, String)>,
    /// The text that it wrote.
    pub text: String,
}

/// An error that a verifier describes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Its kind.
    pub kind: ErrorKind,
    /// Its message.
    pub message: String,
}

/// The kinds of errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ErrorKind {
    /// `assert` of something false.
    Assertion,
    /// A process waits for ever.
    InvalidEndState,
    /// A cycle through an accept label.
    AcceptanceCycle,
    /// A cycle without progress.
    NonProgressCycle,
    /// A claim reached its end.
    ClaimCompleted,
    /// A `trace` or `notrace` assertion.
    Trace,
    /// An index out of range.
    Index,
    /// A division by zero, which kills SPIN's verifier, unless the C compiler removes it:
    /// gcc turns `1 / x` into `x == 1` and `x % x` into 0 for a byte `x`, and nothing is found.
    Division,
    /// A wait inside `d_step`, a channel that is not there, and other errors of execution.
    Execution,
}

impl ErrorKind {
    /// Whether it is an error after which the rest of the search is meaningless.
    pub fn is_fault(self) -> bool {
        matches!(self, Self::Index | Self::Division | Self::Execution)
    }

    fn of(message: &str) -> Self {
        let has = |text| message.contains(text);
        match () {
            () if has("invalid array index") => Self::Index,
            () if has("assertion violated") => Self::Assertion,
            () if has("invalid end state") => Self::InvalidEndState,
            () if has("acceptance cycle") || has("accept stutter") => Self::AcceptanceCycle,
            () if has("non-progress cycle") => Self::NonProgressCycle,
            () if has("end state in claim") => Self::ClaimCompleted,
            () if has("event_trace") => Self::Trace,
            () => Self::Execution,
        }
    }
}

impl Run {
    /// Whether there is an error of this kind.
    pub fn has(&self, kind: ErrorKind) -> bool {
        self.found.iter().any(|f| f.kind == kind)
    }

    /// Whether something went wrong that makes the counts meaningless.
    pub fn has_fault(&self) -> bool {
        self.found.iter().any(|f| f.kind.is_fault())
    }
}

/// The models that Debian's package of SPIN installs as examples, where it installs them; none
/// elsewhere.
pub fn installed_examples() -> Vec<PathBuf> {
    let Ok(listing) = Command::new("dpkg").args(["-L", "spin"]).output() else {
        return Vec::new();
    };
    let listing = String::from_utf8_lossy(&listing.stdout).into_owned();
    let paths = listing.lines().filter(|line| line.ends_with(".pml")).map(PathBuf::from);
    paths.filter(|path| path.exists()).collect()
}

impl Spin {
    /// SPIN, if it can be started. Without it tests say that they are skipped, and fail if
    /// `MAZURKA_PEERS=required`.
    pub fn find() -> Option<Self> {
        let starts = |program: &str, argument: &str| {
            let output = Command::new(program).arg(argument).output();
            output.is_ok_and(|o| o.status.success())
        };
        if starts("spin", "-V") && starts("gcc", "--version") {
            let compiler = match starts("tcc", "-v") {
                true => Compiler::Tcc,
                false => Compiler::Gcc,
            };
            return Some(Self { compiler });
        }
        let required = std::env::var("MAZURKA_PEERS").is_ok_and(|v| v == "required");
        assert!(!required, "`spin` and `gcc` are required and cannot be started");
        println!("skipped: `spin` and `gcc` cannot be started");
        None
    }

    /// Makes the verifier of a model.
    pub fn verifier(self, model: &str, options: &Options) -> Result<Verifier, Refused> {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let at = folder.path();
        std::fs::write(at.join("model.pml"), model).expect("a file in a temporary folder");
        let generated = run(at, "spin", options.generate, &["-a", "model.pml"]);
        let said = String::from_utf8_lossy(&generated.stdout).into_owned();
        // Some errors leave the exit code at 0, and no verifier.
        if !generated.status.success() || !at.join("pan.c").exists() {
            return Err(Refused::Model(said));
        }
        let (compiler, flags) = self.compiler.command();
        let flags = [flags, &["-DNOREDUCE", "-o", "pan", "pan.c"]].concat();
        let compiled = run(at, compiler, options.compile, &flags);
        if !compiled.status.success() {
            return Err(Refused::Verifier(
                String::from_utf8_lossy(&compiled.stderr).into_owned(),
            ));
        }
        Ok(Verifier { folder })
    }

    /// Makes the verifier of a file as users of SPIN do: with all its optimisations, `-O2`,
    /// for assertions and end states, claims aside. `generate` are arguments of `spin -a`,
    /// such as `-DN=4`; `compile` those of the compiler, such as `-DNOREDUCE`.
    pub fn optimised(self, model: &Path, generate: &[&str], compile: &[&str]) -> Result<Verifier, Refused> {
        let path = std::path::absolute(model).map_err(|e| Refused::Model(e.to_string()))?;
        let path = path.to_string_lossy();
        let folder = tempfile::tempdir().expect("a temporary folder");
        let at = folder.path();
        let generated = run(at, "spin", generate, &["-a", &path]);
        let said = String::from_utf8_lossy(&generated.stdout).into_owned();
        if !generated.status.success() || !at.join("pan.c").exists() {
            return Err(Refused::Model(said));
        }
        let flags = ["-O2", "-w", "-pipe", "-DSAFETY", "-DNOCLAIM", "-o", "pan", "pan.c"];
        let compiled = run(at, "gcc", compile, &flags);
        if !compiled.status.success() {
            return Err(Refused::Verifier(
                String::from_utf8_lossy(&compiled.stderr).into_owned(),
            ));
        }
        Ok(Verifier { folder })
    }
}

impl Verifier {
    /// Runs it with these arguments, such as `-c0` for all errors, `-a`, `-f`, `-N name`,
    /// for at most that long.
    pub fn run(&self, arguments: &[&str], limit: Duration) -> Run {
        // A small hash table is made faster than the default of 128 MB.
        let all = [&["-w18", "-m200000", "-T"], arguments].concat();
        self.run_with(&all, limit, std::process::Child::kill)
    }

    /// Runs it with exactly these arguments. At the limit it is interrupted, and reports how
    /// far it got.
    pub fn measure(&self, arguments: &[&str], limit: Duration) -> Run {
        self.run_with(arguments, limit, |child| {
            let pid = child.id().to_string();
            Command::new("kill").args(["-INT", &pid]).status().map(drop)
        })
    }

    fn run_with(
        &self,
        arguments: &[&str],
        limit: Duration,
        stop: impl Fn(&mut std::process::Child) -> std::io::Result<()>,
    ) -> Run {
        let path = self.folder.path().join("output");
        let output = std::fs::File::create(&path).expect("a file in a temporary folder");
        let mut child = Command::new(self.folder.path().join("pan"))
            .args(arguments)
            .current_dir(self.folder.path())
            .stdout(output.try_clone().expect("another handle"))
            .stderr(output)
            .stdin(Stdio::null())
            .spawn()
            .expect("the verifier starts");
        let begin = Instant::now();
        let status = loop {
            match child.try_wait().expect("a child process") {
                Some(status) => break Some(status),
                None if begin.elapsed() > limit => {
                    stop(&mut child).expect("a child process");
                    child.wait().expect("a child process");
                    break None;
                }
                None => std::thread::sleep(Duration::from_millis(3)),
            }
        };
        let text = std::fs::read(&path).expect("what was just written");
        let mut run = Run::parse(&String::from_utf8_lossy(&text));
        match status {
            None => run.truncated = true,
            Some(status) => {
                const SIGFPE: i32 = 8;
                if let Some(signal) = status.signal() {
                    let kind = if signal == SIGFPE {
                        ErrorKind::Division
                    } else {
                        ErrorKind::Execution
                    };
                    run.errors += 1;
                    run.found.push(Found {
                        kind,
                        message: format!("killed by signal {signal}"),
                    });
                    run.truncated = true;
                }
            }
        }
        run
    }
}

impl Run {
    /// Reads the output of a verifier.
    pub fn parse(text: &str) -> Self {
        #[expect(clippy::cast_possible_truncation, reason = "what it reads are counts")]
        let before = |what: &str| -> u64 {
            let line = text.lines().find(|l| l.contains(what)).unwrap_or_default();
            let number = line.split(what).next().and_then(|l| l.split_whitespace().last());
            // Large counts are written as 1.5e+06.
            number.and_then(|n| n.parse::<f64>().ok()).unwrap_or_default() as u64
        };
        let found = text.lines().filter_map(|line| {
            let (number, message) = line.strip_prefix("pan:")?.split_once(": ")?;
            number.parse::<u64>().ok()?;
            Some(Found {
                kind: ErrorKind::of(message),
                message: message.to_string(),
            })
        });
        let summary = text.lines().find_map(|l| l.split_once("errors: "));
        let counts = summary.and_then(|(_, n)| n.trim().parse().ok());
        let incomplete = [
            "max search depth too small",
            "out of memory",
            "reached -DMEMLIM",
            "Search not completed",
        ];
        let found: Vec<Found> = found.collect();
        Self {
            errors: counts.unwrap_or(found.len() as u64),
            found,
            states: before(" states, stored"),
            matched: before(" states, matched"),
            transitions: before(" transitions ("),
            truncated: counts.is_none() || incomplete.iter().any(|i| text.contains(i)),
            unreached: unreached(text),
            text: text.to_string(),
        }
    }
}

/// The lists of `unreached in proctype P`, without the ends of processes.
fn unreached(text: &str) -> Vec<(String, u32, String)> {
    let mut process = String::new();
    let mut list = Vec::new();
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("unreached in ") {
            process = name.trim_start_matches("proctype ").trim().to_string();
        } else if let (false, Some((place, rest))) = (process.is_empty(), line.split_once(", state ")) {
            let line = place.rsplit(':').next().and_then(|n| n.parse().ok());
            let statement = rest.split_once(", ").map(|(_, s)| s.trim_matches('"'));
            if let (Some(line), Some(statement)) = (line, statement) {
                list.push((process.clone(), line, statement.to_string()));
            }
        }
    }
    list
}

fn run(folder: &Path, program: &str, first: &[&str], then: &[&str]) -> Output {
    let output = Command::new(program)
        .args(first)
        .args(then)
        .current_dir(folder)
        .output();
    output.unwrap_or_else(|e| panic!("{program}: {e}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODEL: &str = "
byte x; byte a[3];
active proctype P() {
    do
    :: x < 3 -> x++; assert(x != 2)
    :: x > 0 -> x--
    :: x == 3 -> break
    od;
    x == 0;
    x = 1
}";

    fn check(model: &str, compile: &[&str], arguments: &[&str]) -> Option<Run> {
        let options = Options {
            generate: ALL_STATES,
            compile,
        };
        let verifier = Spin::find()?.verifier(model, &options).unwrap();
        Some(verifier.run(arguments, Duration::from_secs(60)))
    }

    #[test]
    fn all_errors_and_counts_are_read() {
        let Some(run) = check(MODEL, &["-DSAFETY"], &["-c0"]) else {
            return;
        };
        assert!(run.has(ErrorKind::Assertion) && run.has(ErrorKind::InvalidEndState));
        assert!(!run.has_fault() && !run.truncated);
        assert_eq!(run.states, 14);
        assert_eq!(run.transitions, run.states + run.matched);
        assert!(
            run.unreached.contains(&("P".to_string(), 10, "x = 1".to_string())),
            "{:?}",
            run.unreached
        );
    }

    #[test]
    fn faults_and_cycles_have_kinds() {
        let kinds = |model: &str, compile: &[&str], arguments: &[&str]| {
            check(model, compile, arguments).map(|run| run.found.iter().map(|f| f.kind).collect::<Vec<_>>())
        };
        let index = "byte a[3]; byte x = 3; active proctype P() { a[x] = 1 }";
        assert!(kinds(index, &["-DSAFETY"], &[]).is_none_or(|k| k == [ErrorKind::Index]));
        let division = "byte x; active proctype P() { x = 5 / x }";
        assert!(kinds(division, &["-DSAFETY"], &[]).is_none_or(|k| k == [ErrorKind::Division]));
        let formula = "bit x; active proctype P() { do :: x = 1 :: x = 0 od } ltl f { <> [] (x == 1) }";
        assert!(kinds(formula, &[], &["-a"]).is_none_or(|k| k == [ErrorKind::AcceptanceCycle]));
        let progress = "bit x; active proctype P() { do :: x = 1 :: x = 0; progress: x = 0 od }";
        assert!(kinds(progress, &["-DNP"], &["-l"]).is_none_or(|k| k == [ErrorKind::NonProgressCycle]));
    }

    #[test]
    fn a_measured_verifier_says_how_far_it_came() {
        let Some(spin) = Spin::find() else { return };
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("m.pml");
        // SPIN leaves out of its states what is only assigned.
        let model = "byte a[N]; active [N] proctype P() { do :: a[_pid] = a[_pid] + 1; assert(a[_pid] < 256) od }";
        std::fs::write(&path, model).unwrap();
        let small = spin.optimised(&path, &["-DN=1"], &["-DNOREDUCE"]).unwrap();
        let run = small.measure(&["-c0"], Duration::from_secs(60));
        assert_eq!((run.states, run.truncated), (512, false), "{}", run.text);
    }

    #[test]
    fn what_is_no_model_is_refused() {
        let Some(spin) = Spin::find() else { return };
        let refused = spin.verifier("active proctype P() { byte x = ; }", &Options::default());
        assert!(matches!(refused, Err(Refused::Model(said)) if said.contains("syntax error")));
    }
}
