//! The two protocols whose runs are searched, with what each must keep true.

use crate::run::Run;
use crate::simulation::SimulationError;
use crate::{database_partition, primary_secondary};

/// A protocol of the paper (CAV 2000, section 6; long version, section 7).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Protocol {
    /// A database is partitioned anew while it is in use.
    DatabasePartition,
    /// A primary and a secondary find successors.
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

    /// A run of it: N processes, until one has S local states.
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
