//! A process of its own, with what it cost: the same measure for every tool.
//!
//! `wait4` says how much processor time a process and those it waited for took, and how much
//! memory the largest of them had at once.

use std::fs::File;
use std::io::{Read, Result, Seek};
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// How long a process has, after it was asked to stop, before it is killed.
const GRACE: Duration = Duration::from_secs(20);

/// What a process printed and cost.
#[derive(Clone, Debug, Default)]
pub struct Ended {
    /// What it wrote on standard output.
    pub text: String,
    /// What it wrote on standard error.
    pub errors: String,
    /// User and system time, in seconds.
    pub cpu: f64,
    /// Seconds on the clock.
    pub wall: f64,
    /// The most memory that was resident, in bytes.
    pub peak: u64,
    /// Its exit code, if it was not killed.
    pub code: Option<i32>,
    /// Whether it was asked to stop.
    pub late: bool,
}

/// Runs a command to its end, or interrupts it (as Ctrl-C does) after it has used `limit` of processor
/// time, because clocks go faster on a busy machine. Where that cannot be seen, the clock decides.
pub fn run(command: &mut Command, limit: Duration) -> Result<Ended> {
    let (mut output, mut errors) = (tempfile::tempfile()?, tempfile::tempfile()?);
    command.stdin(Stdio::null());
    command.stdout(output.try_clone()?).stderr(errors.try_clone()?);
    heed_interrupts(command);
    let begin = Instant::now();
    let child = command.spawn()?;
    let pid = libc::pid_t::try_from(child.id()).expect("the number of a process");
    let (mut late, mut killed) = (false, false);
    let (status, usage) = loop {
        if let Some(ended) = ended(pid)? {
            break ended;
        }
        let elapsed = used(pid).unwrap_or_else(|| begin.elapsed());
        if elapsed > limit && !late {
            signal(pid, libc::SIGINT)?;
            late = true;
        }
        if elapsed > limit + GRACE && !killed {
            signal(pid, libc::SIGKILL)?;
            killed = true;
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    Ok(Ended {
        wall: begin.elapsed().as_secs_f64(),
        text: contents(&mut output)?,
        errors: contents(&mut errors)?,
        cpu: seconds(usage.ru_utime) + seconds(usage.ru_stime),
        peak: u64::try_from(usage.ru_maxrss).unwrap_or_default() * 1024,
        code: libc::WIFEXITED(status).then(|| libc::WEXITSTATUS(status)),
        late,
    })
}

/// Lets the process be interrupted, even if we are not: shells start what runs in the background with
/// interrupts ignored, and children inherit that.
#[expect(unsafe_code, reason = "std keeps signals as they were inherited")]
fn heed_interrupts(command: &mut Command) {
    let reset = || {
        // SAFETY: `signal` may be called between `fork` and `exec`, and no handler is installed.
        match unsafe { libc::signal(libc::SIGINT, libc::SIG_DFL) } {
            libc::SIG_ERR => Err(std::io::Error::last_os_error()),
            _ => Ok(()),
        }
    };
    // SAFETY: the closure only calls `signal` and reads `errno`, both of which are allowed there.
    unsafe { command.pre_exec(reset) };
}

/// The processor time that a process has used so far, on Linux.
fn used(pid: libc::pid_t) -> Option<Duration> {
    let text = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    parse_used(&text)
}

/// Fields 14 and 15 are user and system time, in hundredths of a second. The second field is a name
/// in parentheses, which may have blanks.
fn parse_used(text: &str) -> Option<Duration> {
    let (_, rest) = text.rsplit_once(") ")?;
    let mut ticks = rest.split(' ').skip(11).take(2).map(|field| field.parse::<u64>().ok());
    Some(Duration::from_millis((ticks.next()?? + ticks.next()??) * 10))
}

/// The status and the costs of a child, if it has ended.
#[expect(unsafe_code, reason = "std does not say what a child has cost")]
fn ended(pid: libc::pid_t) -> Result<Option<(libc::c_int, libc::rusage)>> {
    let mut status = 0;
    // SAFETY: the structure is plain numbers, for which zero is a value.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: both pointers are to variables that live longer than the call.
    match unsafe { libc::wait4(pid, &raw mut status, libc::WNOHANG, &raw mut usage) } {
        0 => Ok(None),
        -1 => Err(std::io::Error::last_os_error()),
        _ => Ok(Some((status, usage))),
    }
}

#[expect(unsafe_code, reason = "std can only kill, and tools print nothing then")]
fn signal(pid: libc::pid_t, number: libc::c_int) -> Result<()> {
    // SAFETY: the child has not been waited for, so the number is still its own.
    match unsafe { libc::kill(pid, number) } {
        0 => Ok(()),
        _ => Err(std::io::Error::last_os_error()),
    }
}

#[expect(clippy::cast_precision_loss, reason = "a time that somebody waited for")]
fn seconds(time: libc::timeval) -> f64 {
    time.tv_sec as f64 + time.tv_usec as f64 / 1e6
}

fn contents(file: &mut File) -> Result<String> {
    let mut bytes = Vec::new();
    file.rewind()?;
    file.read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str, limit: Duration) -> Ended {
        run(Command::new("sh").args(["-c", script]), limit).unwrap()
    }

    #[test]
    fn a_process_is_measured() {
        let minute = Duration::from_secs(60);
        let ended = shell("echo out; echo err >&2; exit 3", minute);
        assert_eq!((ended.text.as_str(), ended.errors.as_str()), ("out\n", "err\n"));
        assert_eq!((ended.code, ended.late), (Some(3), false));
        assert!(ended.peak > 100_000, "{}", ended.peak);
        assert!(ended.cpu < 30.0, "{}", ended.cpu);
    }

    #[test]
    fn the_time_of_children_counts() {
        let alone = shell(
            "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done",
            Duration::from_secs(60),
        );
        let child = shell(
            "sh -c 'i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done'; true",
            Duration::from_secs(60),
        );
        assert!(
            alone.cpu > 0.0 && child.cpu > alone.cpu / 20.0,
            "{} {}",
            alone.cpu,
            child.cpu
        );
    }

    #[test]
    fn processor_time_is_read() {
        let text = "17 (a (b) c) R 1 17 17 0 -1 4194304 98 0 0 0 150 25 7 7 20 0 1 0 100 2 3";
        assert_eq!(parse_used(text), Some(Duration::from_millis(1750)));
        assert_eq!(parse_used("17 (a) R 1"), None);
    }

    #[test]
    fn what_takes_too_long_is_interrupted() {
        let ended = shell(
            "trap 'echo asked; exit 7' INT; while :; do :; done",
            Duration::from_millis(300),
        );
        assert_eq!(
            (ended.text.as_str(), ended.code, ended.late),
            ("asked\n", Some(7), true)
        );
    }
}
