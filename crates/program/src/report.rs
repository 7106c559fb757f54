//! The result of a search, and what it has found.

use mazurka_outcome::{Doubt, End, Verdict};
use std::fmt;
use std::time::Duration;

/// What kind of fault a violation is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ViolationKind {
    /// Threads wait for each other, or for something that will never come.
    Deadlock,
    /// A thread panicked: an assertion failed, for example.
    Panic,
    /// Two accesses to a tracked cell, one of them a write, are not ordered.
    DataRace,
    /// No lock protects all accesses to a tracked cell.
    LockingDiscipline,
    /// A value is still alive at the end.
    Leak,
    /// A thread was not joined.
    NotJoined,
    /// A thread used an object that it had not declared.
    Undeclared,
    /// The program did something else when it was run again with the same schedule.
    Nondeterminism,
    /// Something outside the control of the search takes part.
    Uncontrolled,
    /// No order of the operations of a [generated test](crate::linear) explains their responses.
    NotLinearizable,
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
            ViolationKind::NotLinearizable => "not linearizable",
        })
    }
}

/// The number of a thread in the executions of a check. The thread that runs the closure has number 0. Each other thread is
/// the `k`-th child of its parent, and keeps its number in all executions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ThreadNumber(pub u32);

/// The number of an object in an execution: objects are numbered in the order in which they are first used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectNumber(pub u32);

impl fmt::Display for ThreadNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Display for ObjectNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl ThreadNumber {
    /// The number as an index, into [`Violation::threads`] for example.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A step of an execution, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Step {
    /// The thread. [`Violation::name`] has its name.
    pub thread: ThreadNumber,
    /// What it did, and to which object.
    pub what: String,
    /// Where in the program.
    pub at: String,
    /// Whether the violation depends on it.
    pub matters: bool,
}

/// A fault of the program, with the execution that shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Violation {
    /// What kind of fault it is.
    pub kind: ViolationKind,
    /// What happened, in words.
    pub message: String,
    /// A token that runs the execution again: `MAZURKA_REPLAY=<token>`.
    pub token: String,
    /// The names of all threads, by number.
    pub threads: Vec<String>,
    /// The execution, step by step.
    pub steps: Vec<Step>,
}

impl Violation {
    /// The name of a thread, or its number in words if it has none.
    ///
    /// # Panics
    /// If the execution has no thread with this number.
    pub fn name(&self, thread: ThreadNumber) -> &str {
        &self.threads[thread.index()]
    }
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
    /// The number of executions that were run to their end.
    pub executions: u64,
    /// The number of executions that were started and turned out to be superfluous.
    pub redundant: u64,
    /// The number of executions in which an assumption failed.
    pub discarded: u64,
    /// The number of further executions that were chosen at random, see [`Checker::probes`](crate::Checker::probes). They count nowhere
    /// else.
    pub probes: u64,
    /// The number of transitions of all executions.
    pub transitions: u64,
    /// The number of transitions of the longest execution.
    pub depth: usize,
    /// What is wrong, in the order in which it was found. Each execution that ends in a deadlock is listed, and
    /// everything else once. (Beyond a thousand violations, deadlocks that are alike are listed once as well.)
    pub violations: Vec<Violation>,
    /// True if every inequivalent execution was seen: there are no other violations. A search that
    /// stopped at a violation or at a limit is not complete, and a random one never is.
    pub complete: bool,
    /// About how many executions there are in all; none if the strategy cannot tell. For a complete search, this is the number of
    /// executions. Otherwise it is a guess, which assumes that the unexplored part branches like the explored one. After a tenth of all
    /// executions it is usually right within a factor of three, and after a hundredth it may be far too low.
    pub estimate: Option<u64>,
    /// What else one should know about the search, such as why it is not complete.
    pub notes: Vec<String>,
    /// How long it took.
    pub duration: Duration,
    /// An execution was to be run again, but its token does not fit the program.
    pub(crate) misfit: bool,
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
            probes: 0,
            transitions: 0,
            depth: 0,
            violations: Vec::new(),
            complete: false,
            estimate: None,
            notes: Vec::new(),
            duration: Duration::ZERO,
            misfit: false,
        }
    }

    /// How far an unfinished search is, as an estimate.
    pub(crate) fn outlook(&self) -> Option<String> {
        let all = self.estimate.filter(|_| !self.complete)?;
        crate::search::outlook(self.executions, self.duration, self.executions as f64 / all as f64)
    }

    /// The first violation with each message, and how many others have that message.
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

/// A number of things, as in "1 execution" and "2 executions".
pub(crate) fn counted(number: u64, thing: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {thing}{plural}")
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
            "{}, {}, {:.1} ms{}",
            counted(self.executions, "execution"),
            counted(self.transitions, "transition"),
            self.duration.as_secs_f64() * 1e3,
            if self.complete { "" } else { " (not complete)" }
        )?;
        if self.probes > 0 {
            write!(f, "; {} at random", counted(self.probes, "more execution"))?;
        }
        if let Some(outlook) = self.outlook() {
            write!(f, "; {outlook}")?;
        }
        for note in &self.notes {
            write!(f, "\n  note: {note}")?;
        }
        Ok(())
    }
}
