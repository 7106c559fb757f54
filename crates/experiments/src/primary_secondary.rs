//! Primary and secondary (Stoller, Unnikrishnan and Liu, CAV 2000, section 6).
//!
//! There is always a pair of processes that act as primary and secondary; at first these
//! are processes 1 and 2. Each of the two may look for a successor. The one that does
//! *announces* it to its partner, which *agrees*; it *asks* the processes outside of the
//! pair for volunteers, *appoints* the first whose reply arrives and names it the
//! partner; the successor *reports* to the partner, which takes note of it and *releases*
//! the predecessor. The invariant is *I_pr*: for some i and j, i ≠ j, `isPrimary` of i
//! and `isSecondary` of j hold, `secondary` of i is j, and `primary` of j is i.
//!
//! If both announce at the same time, the primary goes first: it ignores the secondary's
//! announcement, and the secondary, on the primary's, gives up, agrees, and announces
//! again when the new primary reports to it.
//!
//! What the paper leaves open, and what is done here:
//!
//! - **The secondary's protocol** is "similar": the same with the roles exchanged. While
//!   it looks for its successor the primary does not begin to.
//! - **When to look.** A process waits `1 + exp(1)` from getting into the pair and from
//!   each change of its partner. It stops waiting while its partner searches. A
//!   secondary that gave up announces again at once, in the event that receives the new
//!   primary's report.
//! - **Volunteers.** All processes outside of the pair are asked, and all volunteer at
//!   once. A process that is asked before it has been released answers when it is: with
//!   three processes no other could. Later replies are received and ignored.
//! - **Variables.** All processes know the first pair. A successor learns its partner from
//!   its appointment; a process that was released only clears its flag. The processes
//!   outside the pair are not told, so their `primary` and `secondary` may be outdated.
//! - **Channels** must be first-in first-out: a successor may announce a search before its
//!   report has arrived, and a secondary that gives up agrees right after its announcement.
//!
//! This keeps I_pr in every consistent cut. The successor has the role and the partner's
//! name before it reports, the partner turns to it in a single event, and the predecessor
//! keeps its role until after that. So before that event the predecessor and the partner
//! are such a pair, after it the successor and the partner. Two searches never overlap:
//! from its agreement until the report the partner does not search, and no other process
//! can.

use crate::run::{Run, name};
use crate::simulation::{Act, Machine, SimulationError, simulate};
use mazurka_core::ProcessId;
use mazurka_trace::Value;

/// Simulates the primary-secondary protocol until some process has `states` local
/// states, the initial one included.
///
/// ```
/// let run = mazurka_experiments::primary_secondary(4, 10, 1)?;
/// assert_eq!(run.computation().causality().last_cut().iter().max(), Some(&9));
/// # Ok::<(), mazurka_experiments::SimulationError>(())
/// ```
///
/// # Errors
/// If there are fewer than 3 processes (none could volunteer), or no states.
pub fn primary_secondary(processes: usize, states: u32, seed: u64) -> Result<Run, SimulationError> {
    if processes < 3 {
        return Err(SimulationError::TooFewProcesses {
            protocol: "primary-secondary",
            least: 3,
            given: processes,
        });
    }
    let servers = (0..processes).map(|p| Server {
        me: ProcessId::new(p),
        processes,
        office: match p {
            0 => Some(Office::new(Role::Primary, ProcessId::new(1))),
            1 => Some(Office::new(Role::Secondary, ProcessId::new(0))),
            _ => None,
        },
        searches: 0,
        unanswered: Vec::new(),
    });
    simulate(servers.collect(), states, seed)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Primary,
    Secondary,
}

impl Role {
    fn flag(self) -> &'static str {
        match self {
            Self::Primary => "isPrimary",
            Self::Secondary => "isSecondary",
        }
    }

    /// The variable with the name of the process that has this role.
    fn variable(self) -> &'static str {
        match self {
            Self::Primary => "primary",
            Self::Secondary => "secondary",
        }
    }

    fn other(self) -> Self {
        match self {
            Self::Primary => Self::Secondary,
            Self::Secondary => Self::Primary,
        }
    }
}

/// The number of a search among those of the same process. Replies carry it, so that
/// those to an earlier search are known.
type SearchNumber = u64;

#[derive(Clone, Copy, Debug)]
enum Message {
    /// To the partner: the sender is going to look for a successor.
    Announce,
    /// To the partner: it may.
    Agree,
    /// To all outside of the pair: who wants to be the sender's successor?
    Ask(SearchNumber),
    /// In reply.
    Volunteer(SearchNumber),
    /// To the volunteer: it has the sender's role and partner.
    Appoint { role: Role, partner: ProcessId },
    /// To the partner: the sender is the successor of this process.
    Report { predecessor: ProcessId },
    /// To the predecessor: it can stop.
    Release,
}

/// What a process of the pair is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// Waiting to search; the timer runs.
    Resting,
    /// Waiting for its partner's agreement.
    Announced,
    /// Waiting for volunteers.
    Asking,
    /// Waiting to be released.
    Leaving,
    /// Its partner searches; it has given up a search of its own or not.
    Standing { gave_up: bool },
}

/// The place of a process in the pair.
#[derive(Clone, Copy, Debug)]
struct Office {
    role: Role,
    partner: ProcessId,
    phase: Phase,
}

impl Office {
    fn new(role: Role, partner: ProcessId) -> Self {
        Self {
            role,
            partner,
            phase: Phase::Resting,
        }
    }
}

struct Server {
    me: ProcessId,
    processes: usize,
    /// `None` outside of the pair.
    office: Option<Office>,
    searches: SearchNumber,
    /// Who asked for volunteers while this process was in the pair; empty outside of it.
    unanswered: Vec<(ProcessId, SearchNumber)>,
}

/// Why a message always finds its receiver in the pair and in the right phase.
const ONE_SEARCH: &str = "one search at a time, and channels keep the order";

impl Server {
    /// The place in the pair, of a process that only a member of the pair writes to.
    fn in_pair(&mut self) -> &mut Office {
        self.office.as_mut().expect(ONE_SEARCH)
    }

    fn announced_by(&mut self, partner: ProcessId, event: &mut Act<Message>) {
        let office = self.in_pair();
        debug_assert_eq!(office.partner, partner, "{ONE_SEARCH}");
        let gave_up = office.phase == Phase::Announced;
        if gave_up && office.role == Role::Primary {
            event.label("ignore announcement");
            return;
        }
        debug_assert!(gave_up || office.phase == Phase::Resting, "{ONE_SEARCH}");
        event.label(if gave_up { "give up and agree" } else { "agree" });
        office.phase = Phase::Standing { gave_up };
        event.cancel_timer();
        event.send(partner, Message::Agree);
    }

    fn agreed(&mut self, event: &mut Act<Message>) {
        let office = self.in_pair();
        debug_assert_eq!(office.phase, Phase::Announced, "{ONE_SEARCH}");
        office.phase = Phase::Asking;
        let partner = office.partner;
        self.searches += 1;
        event.label("ask");
        let others = (0..self.processes).map(ProcessId::new);
        for other in others.filter(|p| *p != self.me && *p != partner) {
            event.send(other, Message::Ask(self.searches));
        }
    }

    fn asked(&mut self, by: ProcessId, search: SearchNumber, event: &mut Act<Message>) {
        if self.office.is_some() {
            event.label("asked");
            self.unanswered.push((by, search));
        } else {
            event.label("volunteer");
            event.send(by, Message::Volunteer(search));
        }
    }

    fn volunteered(&mut self, volunteer: ProcessId, search: SearchNumber, event: &mut Act<Message>) {
        match &mut self.office {
            Some(office) if office.phase == Phase::Asking && search == self.searches => {
                event.label("appoint");
                office.phase = Phase::Leaving;
                let (role, partner) = (office.role, office.partner);
                event.send(volunteer, Message::Appoint { role, partner });
            }
            _ => event.label("volunteer too late"),
        }
    }

    fn appointed(&mut self, predecessor: ProcessId, role: Role, partner: ProcessId, event: &mut Act<Message>) {
        debug_assert!(self.office.is_none(), "{ONE_SEARCH}");
        self.office = Some(Office::new(role, partner));
        event.label("report");
        event.set(role.flag(), Value::Bool(true));
        event.set(role.variable(), Value::string(&name(self.me)));
        event.set(role.other().variable(), Value::string(&name(partner)));
        event.set_timer();
        event.send(partner, Message::Report { predecessor });
    }

    fn reported(&mut self, successor: ProcessId, predecessor: ProcessId, event: &mut Act<Message>) {
        let office = self.in_pair();
        debug_assert_eq!(office.partner, predecessor, "{ONE_SEARCH}");
        office.partner = successor;
        event.set(office.role.other().variable(), Value::string(&name(successor)));
        event.send(predecessor, Message::Release);
        if office.phase == (Phase::Standing { gave_up: true }) {
            event.label("release and announce again");
            office.phase = Phase::Announced;
            event.send(successor, Message::Announce);
        } else {
            event.label("release");
            office.phase = Phase::Resting;
            event.set_timer();
        }
    }

    fn released(&mut self, event: &mut Act<Message>) {
        let office = self.office.take().expect(ONE_SEARCH);
        debug_assert_eq!(office.phase, Phase::Leaving, "{ONE_SEARCH}");
        event.label("stop");
        event.set(office.role.flag(), Value::Bool(false));
        for (asker, search) in self.unanswered.drain(..) {
            event.send(asker, Message::Volunteer(search));
        }
    }
}

impl Machine for Server {
    type Message = Message;

    fn start(&mut self, initial: &mut Act<Message>) {
        let role = self.office.map(|o| o.role);
        for (first, holder) in [(Role::Primary, "p1"), (Role::Secondary, "p2")] {
            initial.set(first.flag(), Value::Bool(role == Some(first)));
            initial.set(first.variable(), Value::string(holder));
        }
        if role.is_some() {
            initial.set_timer();
        }
    }

    fn timeout(&mut self, event: &mut Act<Message>) {
        let office = self.in_pair();
        debug_assert_eq!(office.phase, Phase::Resting, "the timer runs only then");
        office.phase = Phase::Announced;
        event.label("announce");
        event.send(office.partner, Message::Announce);
    }

    fn receive(&mut self, from: ProcessId, message: Message, event: &mut Act<Message>) {
        match message {
            Message::Announce => self.announced_by(from, event),
            Message::Agree => self.agreed(event),
            Message::Ask(search) => self.asked(from, search, event),
            Message::Volunteer(search) => self.volunteered(from, search, event),
            Message::Appoint { role, partner } => self.appointed(from, role, partner, event),
            Message::Report { predecessor } => self.reported(from, predecessor, event),
            Message::Release => self.released(event),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A process of a pair that has announced, when its partner's announcement arrives.
    fn conflict(role: Role) -> (Phase, usize) {
        let (me, partner) = (ProcessId::new(0), ProcessId::new(1));
        let mut server = Server {
            me,
            processes: 3,
            office: Some(Office::new(role, partner)),
            searches: 0,
            unanswered: Vec::new(),
        };
        server.timeout(&mut Act::nothing());
        let mut event = Act::nothing();
        server.receive(partner, Message::Announce, &mut event);
        (server.in_pair().phase, event.sent())
    }

    #[test]
    fn the_primary_goes_first_and_the_secondary_gives_up() {
        assert_eq!(conflict(Role::Primary), (Phase::Announced, 0));
        assert_eq!(conflict(Role::Secondary), (Phase::Standing { gave_up: true }, 1));
    }
}
