//! A child process that runs the cases, and a parent that watches it.
//!
//! A stack overflow, an abort or a loop without end cannot be caught where it happens. So the cases run in a child,
//! which writes each one to a file first. If the child dies, or takes too long for one case, that file is the input
//! that caused it. It is made smaller, by leaving out pieces as long as it still shows a fault, and kept.

use crate::target::Target;
use std::fmt;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// What a run may cost.
pub struct Limits {
    /// How long cases are tried.
    pub seconds: u64,
    /// How many seconds one case may take.
    pub hang: u64,
    /// How many MiB a case may use.
    pub memory: u64,
}

/// What went wrong, and with which input.
pub struct Fault {
    what: String,
    input: PathBuf,
    target: &'static str,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { what, input, target } = self;
        let input = input.display();
        write!(
            f,
            "FAULT: {what}\n  input: {input}\n  again: cargo run --release -p mazurka-fuzz -- {target} --replay {input}"
        )
    }
}

/// Bounds the address space of this process: an allocation beyond it aborts.
pub fn limit_memory(mebibytes: u64) -> io::Result<()> {
    let bytes = mebibytes << 20;
    rlimit::setrlimit(rlimit::Resource::AS, bytes, bytes)
}

/// Tries a target for a while. Returns the number of cases, or the first fault.
pub fn supervise(target: &Target, seed: u64, limits: &Limits, out: &Path) -> io::Result<Result<u64, Fault>> {
    let folder = tempfile::tempdir()?;
    let case = folder.path().join("case");
    let mut worker = command(target, limits)?;
    worker
        .args(["--seed", &seed.to_string(), "--seconds", &limits.seconds.to_string()])
        .arg("--worker")
        .arg(&case);
    let what = match watched(&mut worker, &case, limits)? {
        Ended::Well(said) => return Ok(Ok(said.trim().parse().unwrap_or(0))),
        Ended::Badly(what) => what,
    };
    let input = shrunk(target, std::fs::read(&case)?, limits, folder.path())?;
    std::fs::create_dir_all(out)?;
    let kept = out.join(format!("{}-{seed}", target.name));
    std::fs::write(&kept, input)?;
    Ok(Err(Fault {
        what,
        input: kept,
        target: target.name,
    }))
}

enum Ended {
    Well(String),
    Badly(String),
}

fn command(target: &Target, limits: &Limits) -> io::Result<Command> {
    let mut command = Command::new(std::env::current_exe()?);
    command.arg(target.name).args(["--memory", &limits.memory.to_string()]);
    Ok(command)
}

/// Runs a child until it ends, or hangs at a case: `case` was not written to for too long.
fn watched(command: &mut Command, case: &Path, limits: &Limits) -> io::Result<Ended> {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let errors = first_lines(&mut child);
    let started = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            let mut said = String::new();
            if let Some(mut stdout) = child.stdout.take() {
                stdout.read_to_string(&mut said)?;
            }
            let error = errors.join().unwrap_or_default();
            return Ok(match status.success() {
                true => Ended::Well(said),
                false => Ended::Badly(format!("{}: {error}", how(status))),
            });
        }
        let written = std::fs::metadata(case).and_then(|about| about.modified()).ok();
        let busy = written.and_then(|at| at.elapsed().ok()).unwrap_or(started.elapsed());
        if busy > Duration::from_secs(limits.hang) {
            child.kill()?;
            child.wait()?;
            return Ok(Ended::Badly(format!("no answer in {} s", limits.hang)));
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Reads the stderr of a child, and keeps the first two lines: where a panic happened, and why.
fn first_lines(child: &mut Child) -> std::thread::JoinHandle<String> {
    let stderr = child.stderr.take();
    std::thread::spawn(move || {
        let mut said = Vec::new();
        if let Some(mut stderr) = stderr {
            // What cannot be read is not shown.
            let _ = stderr.read_to_end(&mut said);
        }
        let said = String::from_utf8_lossy(&said);
        said.lines()
            .filter(|line| !line.is_empty())
            .take(2)
            .collect::<Vec<_>>()
            .join(" ")
    })
}

fn how(status: ExitStatus) -> String {
    match status.code() {
        Some(101) => "panic".to_owned(),
        Some(code) => format!("exit code {code}"),
        None => status.to_string(),
    }
}

/// Leaves out pieces of an input, halves first, for as long as it fails and the time for that is not over.
fn shrunk(target: &Target, input: Vec<u8>, limits: &Limits, folder: &Path) -> io::Result<Vec<u8>> {
    let file = folder.join("smaller");
    let until = Instant::now() + Duration::from_secs(20);
    let fails = |bytes: &[u8]| -> io::Result<bool> {
        std::fs::write(&file, bytes)?;
        let mut again = command(target, limits)?;
        again.arg("--replay").arg(&file);
        Ok(matches!(watched(&mut again, &file, limits)?, Ended::Badly(_)))
    };
    let mut best = input;
    let mut piece = best.len() / 2;
    while piece > 0 && Instant::now() < until {
        let mut at = 0;
        while at < best.len() && Instant::now() < until {
            let mut smaller = best.clone();
            smaller.drain(at..(at + piece).min(best.len()));
            match fails(&smaller)? {
                true => best = smaller,
                false => at += piece,
            }
        }
        piece /= 2;
    }
    Ok(best)
}
