//! The two protocols whose runs are searched, with their invariants.

use crate::run::Run;
use crate::simulation::SimulationError;
use crate::{database_partition, primary_secondary};

/// A protocol of the paper (CAV 2000, section 6; long version, section 7).
///
/// ```
/// use mazurka_experiments::Protocol;
/// let protocol = Protocol::PrimarySecondary;
/// let mut trace = Vec::new();
/// protocol.run(4, 10, 1)?.write_jsonl(&mut trace)?;
/// assert!(trace.starts_with(br#"{"process":"p1","init":true"#));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Protocol {
    /// A database is repartitioned while it is in use.
    DatabasePartition,
    /// A primary and a secondary look for successors.
    PrimarySecondary,
}

impl Protocol {
    /// Both.
    pub const ALL: [Self; 2] = [Self::DatabasePartition, Self::PrimarySecondary];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::DatabasePartition => "database-partition",
            Self::PrimarySecondary => "primary-secondary",
        }
    }

    /// What every global state must satisfy, in the language of `mazurka detect`: formulas
    /// (8) and (9) of the conference version, (6) and (7) of the long one.
    pub fn invariant(self) -> &'static str {
        match self {
            Self::DatabasePartition => {
                "!processes.all(p, !p.chg) || processes.all(p, processes.all(q, p.partn == q.partn))"
            }
            Self::PrimarySecondary => {
                "processes.exists(p, processes.exists(q, p.name != q.name && p.isPrimary && q.isSecondary \
                 && p.secondary == q.name && q.primary == p.name))"
            }
        }
    }

    /// Simulates a run: N processes, until one has S local states.
    ///
    /// # Errors
    /// If there are too few processes or no states.
    pub fn run(self, processes: usize, states: u32, seed: u64) -> Result<Run, SimulationError> {
        match self {
            Self::DatabasePartition => database_partition::database_partition(processes, states, seed),
            Self::PrimarySecondary => primary_secondary::primary_secondary(processes, states, seed),
        }
    }
}
