//! The four protocols of the thesis (section 8.3), as Promela models.
//!
//! All are texts of our own (see the models). The full state spaces of PFTP and DTP are the
//! published ones. The models of MULOG and ABRA were never published; ours are written from the
//! descriptions of the algorithms, so only the proportions of their counts can be compared with the
//! published ones. MULOG has two readings: participants who ask for the token once, as the
//! published counts suggest, and again and again, as the algorithm lets them.

use crate::combination::Combination;
use crate::result::Parameter;
use crate::sweep::{Failure, Setup};
use mazurka_core::{Limit, Limits, Statistics, Storage};
use mazurka_promela::verify::{PersistentAlgorithm, measure};
use mazurka_promela::{Model, Options, load};
use std::time::{Duration, Instant};

const PFTP: &str = include_str!("../models/pftp.pml");
const MULOG: &str = include_str!("../models/mulog.pml");
const ABRA: &str = include_str!("../models/abra.pml");
const DTP: &str = include_str!("../models/dtp.pml");

/// A protocol of the thesis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ThesisProtocol {
    /// A file transfer protocol (Holzmann, Design and Validation of Computer Protocols, ch. 14).
    Pftp,
    /// Mutual exclusion of `n` participants (Trehel and Naimi), who enter once each.
    Mulog(u64),
    /// The same, and they enter again and again.
    RepeatedMulog(u64),
    /// The Abracadabra protocol.
    Abra,
    /// A data transfer protocol.
    Dtp,
}

impl ThesisProtocol {
    /// Its name in the thesis, and what is different here.
    pub(crate) fn name(self) -> String {
        match self {
            Self::Pftp => "PFTP".to_string(),
            Self::Mulog(n) => format!("MULOG{n}"),
            Self::RepeatedMulog(n) => format!("MULOG{n} with repeated requests"),
            Self::Abra => "ABRA".to_string(),
            Self::Dtp => "DTP".to_string(),
        }
    }

    /// The model.
    pub(crate) fn model(self) -> Result<Model, Failure> {
        let participants = |n: u64| ("N".to_string(), Some(n.to_string()));
        let (text, defines) = match self {
            Self::Pftp => (PFTP, vec![]),
            Self::Mulog(n) => (MULOG, vec![participants(n), ("ONCE".to_string(), None)]),
            Self::RepeatedMulog(n) => (MULOG, vec![participants(n)]),
            Self::Abra => (ABRA, vec![]),
            Self::Dtp => (DTP, vec![]),
        };
        let options = Options {
            defines,
            ..Options::default()
        };
        match load(&self.name(), text, &options) {
            Ok(loaded) => Ok(loaded.model),
            Err(errors) => Err(Failure::Model {
                model: self.name(),
                why: errors.to_string(),
            }),
        }
    }
}

/// One search of a model.
pub(crate) struct ModelSearch<'a> {
    pub(crate) model: &'a Model,
    pub(crate) combination: Combination,
    pub(crate) algorithm: PersistentAlgorithm,
    pub(crate) storage: Storage,
    /// The search is given up when this many states were entered.
    pub(crate) states: Option<u64>,
    /// The search is given up after this time.
    pub(crate) time: Option<Duration>,
}

/// How a search ended.
#[derive(Debug)]
pub(crate) enum Searched {
    /// Everything that the reduction selects was explored.
    Complete(Counts),
    /// The search was given up.
    Limit(Counts),
    /// The current path does not fit into the cache.
    NoRoom,
    /// The search was interrupted.
    Interrupt,
}

/// What a search counted.
#[derive(Debug)]
pub(crate) struct Counts {
    pub(crate) statistics: Statistics,
    /// States in which nothing can be executed. Searches that forget states may count some several times.
    pub(crate) stopped: u64,
    /// How long it took.
    pub(crate) time: Duration,
}

impl ModelSearch<'_> {
    /// Explores the model. `series` and `n` name the search in a failure.
    pub(crate) fn run(&self, series: &str, n: Parameter, setup: &Setup<'_>) -> Result<Searched, Failure> {
        let mut strategy = self.combination.strategy();
        strategy.storage = self.storage;
        strategy.limits = Limits {
            states: self.states,
            time: self.time,
            interrupt: setup.interrupt,
            ..Limits::default()
        };
        let failure = |why: String| Failure::ModelSearch {
            series: series.to_string(),
            n,
            why,
        };
        let start = Instant::now();
        let measured = measure(self.model, self.combination.persistent(self.algorithm), &strategy)
            .map_err(|error| failure(error.to_string()))?;
        let counts = Counts {
            statistics: measured.statistics,
            stopped: measured.stopped,
            time: start.elapsed(),
        };
        match measured.end {
            _ if measured.faults > 0 => Err(failure("a transition cannot be executed".to_string())),
            mazurka_core::End::Complete => Ok(Searched::Complete(counts)),
            mazurka_core::End::Limit(Limit::Cache) => Ok(Searched::NoRoom),
            mazurka_core::End::Limit(Limit::Interrupt) => Ok(Searched::Interrupt),
            mazurka_core::End::Limit(_) => Ok(Searched::Limit(counts)),
            mazurka_core::End::Stopped => unreachable!("it only counts"),
        }
    }
}
