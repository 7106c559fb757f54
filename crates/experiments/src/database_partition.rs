//! Database partitioning (Stoller, Unnikrishnan and Liu, CAV 2000, section 6).
//!
//! A database is partitioned among processes 2 to N; process 1 hands out tasks by the
//! partition. Any process but the first may propose a new partition at any time: it sets
//! `chg` and broadcasts the partition with a version number. A recipient accepts if its
//! own version is smaller, or equal and proposed by a process with a larger number.
//! The invariant is *I_db*: if no `chg` is set, all `partn` are equal.
//!
//! What the paper leaves open, and what is done here:
//!
//! - **The version number** of a proposal is the proposer's own plus 1, and the proposer
//!   has the partition that it proposes at once, in the event that sets `chg`.
//! - **The end of a change.** A recipient that accepts tells the proposer so. `chg` goes
//!   back when all others have accepted, or when the proposer accepts a proposal itself
//!   and its own has lost. A recipient that rejects need not answer: what it has instead
//!   is on its way to the proposer and supersedes its proposal there too. Late acceptances of a proposal
//!   that has lost are ignored.
//! - **When to propose.** A process waits `1 + exp(1)` after the start and after each of
//!   its changes has ended. What it accepts meanwhile does not make it wait longer.
//! - **The partition** is a text that names the proposal, so that two proposals never
//!   agree by accident.
//!
//! This keeps I_db in every consistent cut. Order proposals by version, then by falling
//! number of the proposer; a process's version only ever grows in it. Let g be the
//! greatest proposal made in the cut. Its proposer has accepted nothing since, so its
//! `chg` is false only if every acceptance of g is in the cut, and then all processes
//! still have g. First-in first-out channels are not needed for that.

use crate::run::{Run, name};
use crate::simulation::{Act, Machine, SimulationError, simulate};
use mazurka_core::ProcessId;
use mazurka_trace::Value;

/// Simulates the database-partitioning protocol until some process has `states` local
/// states, the initial one included.
///
/// ```
/// let run = mazurka_experiments::database_partition(3, 10, 1)?;
/// assert_eq!(run.computation().causality().last_cut().iter().max(), Some(&9));
/// # Ok::<(), mazurka_experiments::SimulationError>(())
/// ```
///
/// # Errors
/// If there are fewer than 2 processes, or no states.
pub fn database_partition(processes: usize, states: u32, seed: u64) -> Result<Run, SimulationError> {
    if processes < 2 {
        return Err(SimulationError::TooFewProcesses {
            protocol: "database-partition",
            least: 2,
            given: processes,
        });
    }
    let members = (0..processes).map(|p| Member {
        me: ProcessId::new(p),
        processes,
        version: Version {
            number: 0,
            proposer: ProcessId::new(0),
        },
        missing: None,
    });
    simulate(members.collect(), states, seed)
}

/// A proposal: no two have the same number and proposer, because the version of a
/// process grows with each of its proposals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Version {
    number: u64,
    proposer: ProcessId,
}

impl Version {
    /// Whether a process that has `own` accepts this one.
    fn supersedes(self, own: Self) -> bool {
        self.number > own.number || self.number == own.number && own.proposer > self.proposer
    }

    fn partition(self) -> Value {
        match self.number {
            0 => Value::string("initial"),
            n => Value::string(&format!("{n} by {}", name(self.proposer))),
        }
    }
}

#[derive(Clone, Copy, Debug)]
enum Message {
    Propose(Version),
    Accepted(Version),
}

struct Member {
    me: ProcessId,
    processes: usize,
    version: Version,
    /// How many have not accepted this process's proposal yet, which then is `version`;
    /// `None` if it is not changing the partition.
    missing: Option<usize>,
}

impl Member {
    fn end_change(&mut self, event: &mut Act<Message>) {
        self.missing = None;
        event.set("chg", Value::Bool(false));
        event.set_timer();
    }
}

impl Machine for Member {
    type Message = Message;

    fn start(&mut self, initial: &mut Act<Message>) {
        initial.set("partn", self.version.partition());
        if self.me.index() > 0 {
            initial.set("chg", Value::Bool(false));
            initial.set_timer();
        }
    }

    fn timeout(&mut self, event: &mut Act<Message>) {
        self.version = Version {
            number: self.version.number + 1,
            proposer: self.me,
        };
        self.missing = Some(self.processes - 1);
        event.label("propose");
        event.set("partn", self.version.partition());
        event.set("chg", Value::Bool(true));
        for other in (0..self.processes).map(ProcessId::new).filter(|p| *p != self.me) {
            event.send(other, Message::Propose(self.version));
        }
    }

    fn receive(&mut self, from: ProcessId, message: Message, event: &mut Act<Message>) {
        match message {
            Message::Propose(proposed) if proposed.supersedes(self.version) => {
                self.version = proposed;
                event.set("partn", proposed.partition());
                event.send(from, Message::Accepted(proposed));
                if self.missing.is_some() {
                    event.label("accept and give up");
                    self.end_change(event);
                } else {
                    event.label("accept");
                }
            }
            Message::Propose(_) => event.label("reject"),
            Message::Accepted(accepted) => match &mut self.missing {
                Some(1) if accepted == self.version => {
                    event.label("accepted by all");
                    self.end_change(event);
                }
                Some(missing) if accepted == self.version => {
                    event.label("accepted");
                    *missing -= 1;
                }
                _ => event.label("accepted too late"),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn version(number: u64, proposer: usize) -> Version {
        Version {
            number,
            proposer: ProcessId::new(proposer),
        }
    }

    #[test]
    fn a_larger_version_wins_and_of_equal_ones_the_smaller_proposer() {
        assert!(version(2, 4).supersedes(version(1, 1)));
        assert!(!version(1, 1).supersedes(version(2, 4)));
        assert!(version(2, 1).supersedes(version(2, 3)));
        assert!(!version(2, 3).supersedes(version(2, 1)));
        assert!(!version(2, 3).supersedes(version(2, 3)));
    }

    #[test]
    fn a_proposer_whose_proposal_has_lost_gives_up() {
        let mut p3 = Member {
            me: ProcessId::new(2),
            processes: 3,
            version: version(0, 0),
            missing: None,
        };
        let act = |f: &mut dyn FnMut(&mut Act<Message>)| {
            let mut event = Act::nothing();
            f(&mut event);
            event.assigned("chg")
        };
        assert_eq!(act(&mut |e| p3.timeout(e)), Some(Value::Bool(true)));
        let from = |p| ProcessId::new(p);
        let accepted = Message::Accepted(version(1, 2));
        assert_eq!(act(&mut |e| p3.receive(from(0), accepted, e)), None);
        let other = Message::Propose(version(1, 1));
        assert_eq!(act(&mut |e| p3.receive(from(1), other, e)), Some(Value::Bool(false)));
        assert_eq!(p3.version, version(1, 1));
        assert_eq!(act(&mut |e| p3.receive(from(1), accepted, e)), None);
        assert_eq!(p3.missing, None);
    }
}
