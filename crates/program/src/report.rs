//! What a search has found.

use mazurka_outcome::{Doubt, End, Verdict};
use std::fmt;
use std::time::Duration;

/// What kind of thing is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ViolationKind {
    /// Threads wait for each other, or for something that will never come.
    Deadlock,
    /// A thread panicked; a failed assertion, for example.
    Panic,
    /// Two accesses to a tracked cell, one of them a write, are not ordered.
    DataRace,
    /// No lock protects all accesses to a tracked cell.
    LockingDiscipline,
    /// Something that was made is still alive at the end.
    Leak,
    /// A thread was not joined.
    NotJoined,
    /// A thread used an object that it was declared not to use.
    Undeclared,
    /// The program did something else when it was run again the same way.
    Nondeterminism,
    /// Something that is not under control takes part.
    Uncontrolled,
}

impl fmt::Display for ViolationKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ViolationKind::Deadlock => "deadlock",
            ViolationKind::Panic => "panic",
            ViolationKind::DataRace => "data race",
            ViolationKind::LockingDiscipline => "locking discipline",
            ViolationKind::Leak => "leak",
            ViolationKind::NotJoined => "thread not joined",
            ViolationKind::Undeclared => "undeclared use",
            ViolationKind::Nondeterminism => "nondeterminism",
            ViolationKind::Uncontrolled => "not under control",
        })
    }
}

/// A step of an execution, for people.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Step {
    /// The thread, as an index into the names of threads.
    pub thread: usize,
    /// What it did, to what.
    pub what: String,
    /// Where in the program.
    pub at: String,
    /// False if the violation does not depend on it.
    pub matters: bool,
}

/// Something that is wrong with the program, with the execution that shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Violation {
    /// What kind of thing.
    pub kind: ViolationKind,
    /// What exactly.
    pub message: String,
    /// Runs the execution again: `MAZURKA_REPLAY=<token>`.
    pub token: String,
    /// The names of the threads.
    pub threads: Vec<String>,
    /// The execution.
    pub steps: Vec<Step>,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        crate::render::violation(self, f)
    }
}

/// What a search has seen, and what that proves.
///
/// ```
/// use mazurka::{Checker, Doubt, Limit, Verdict, choose};
///
/// let report = Checker::new().run(|| assert!(choose(3) < 3));
/// assert_eq!((report.verdict, report.executions), (Verdict::Holds, 3));
///
/// let report = Checker::new().max_executions(2).quiet(true).run(|| assert!(choose(3) < 3));
/// assert_eq!(report.verdict, Verdict::Inconclusive(Doubt::Limit(Limit::Executions)));
///
/// let report = Checker::new().run(|| assert!(choose(3) < 2));
/// assert_eq!(report.verdict, Verdict::Violated);
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Report {
    /// The answer. It is inconclusive if nothing wrong was found, but executions may be missing.
    pub verdict: Verdict,
    /// How the search ended.
    pub end: End,
    /// Executions that were run to their end.
    pub executions: u64,
    /// Executions that were started and turned out to be superfluous.
    pub redundant: u64,
    /// Executions in which an assumption failed.
    pub discarded: u64,
    /// Transitions of all executions.
    pub transitions: u64,
    /// Of the longest execution.
    pub depth: usize,
    /// What is wrong, in the order it was found: each execution that ends in a deadlock, and everything
    /// else once. (Beyond a thousand, also those only once that end in the same way.)
    pub violations: Vec<Violation>,
    /// True if every inequivalent execution was seen: there are no other violations. A search that
    /// stopped at a violation or at a limit is not complete, and a random one never is.
    pub complete: bool,
    /// About how many executions there are in all; none if the strategy cannot tell. For a complete search, this is the number of
    /// executions. Otherwise it assumes that the unexplored part branches like the explored one. It is usually too low, because a
    /// search finds more branches as it goes on.
    pub estimate: Option<u64>,
    /// What one should know about the search.
    pub notes: Vec<String>,
    /// How long it took.
    pub duration: Duration,
}

impl Report {
    /// The report of a search that has not begun.
    pub(crate) fn new() -> Report {
        Report {
            verdict: Verdict::Inconclusive(Doubt::Unexplored),
            end: End::Stopped,
            executions: 0,
            redundant: 0,
            discarded: 0,
            transitions: 0,
            depth: 0,
            violations: Vec::new(),
            complete: false,
            estimate: None,
            notes: Vec::new(),
            duration: Duration::ZERO,
        }
    }

    /// The first of the violations with each message, and how many others there are with that message.
    pub(crate) fn distinct(&self) -> impl Iterator<Item = (&Violation, usize)> {
        let same = |a: &Violation, b: &Violation| a.kind == b.kind && a.message == b.message;
        let all = &self.violations;
        let first = move |k: usize| !all[..k].iter().any(|earlier| same(earlier, &all[k]));
        (0..all.len()).filter(move |k| first(*k)).map(move |k| {
            let later = all[k + 1..].iter().filter(|later| same(later, &all[k])).count();
            (&all[k], later)
        })
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (violation, alike) in self.distinct() {
            writeln!(f, "{violation}")?;
            match alike {
                0 => {}
                1 => writeln!(f, "another execution ends in the same way")?,
                n => writeln!(f, "{n} other executions end in the same way")?,
            }
        }
        write!(
            f,
            "{} executions, {} transitions, {:.1} ms{}",
            self.executions,
            self.transitions,
            self.duration.as_secs_f64() * 1e3,
            if self.complete { "" } else { " (not complete)" }
        )?;
        if let (false, Some(all)) = (self.complete, self.estimate) {
            write!(f, "; about {all} executions in all, or more")?;
        }
        for note in &self.notes {
            write!(f, "\n  note: {note}")?;
        }
        Ok(())
    }
}
