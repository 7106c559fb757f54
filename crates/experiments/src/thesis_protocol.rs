//! The four protocols of the thesis (section 8.3), as Promela models.
//!
//! PFTP and DTP are among the examples that come with SPIN. We do not redistribute them:
//! they are read from where Debian's package `spin` installs them, and skipped without
//! it. The models of MULOG and ABRA were never published; ours are written from the
//! descriptions of the algorithms (see the models), so only the proportions of their counts
//! can be compared with the published ones.

use crate::combination::Combination;
use crate::result::Parameter;
use crate::sweep::{Failure, Setup};
use mazurka_core::{Limit, Limits, Statistics, Storage};
use mazurka_promela::verify::{PersistentAlgorithm, measure};
use mazurka_promela::{Model, Options, load, load_path};
use std::io;
use std::path::Path;
use std::time::Duration;

/// Where Debian's package `spin` has its examples.
const EXAMPLES: &str = "/usr/share/doc/spin/examples/Examples";

const MULOG: &str = include_str!("../models/mulog.pml");
const ABRA: &str = include_str!("../models/abra.pml");

/// A protocol of the thesis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ThesisProtocol {
    /// A file transfer protocol (Holzmann, Design and Validation of Computer Protocols, ch. 14).
    Pftp,
    /// Mutual exclusion of `n` participants (Trehel and Naimi).
    Mulog(u64),
    /// The Abracadabra protocol.
    Abra,
    /// A data transfer protocol.
    Dtp,
}

impl ThesisProtocol {
    /// Its name in the thesis.
    pub(crate) fn name(self) -> String {
        match self {
            Self::Pftp => "PFTP".to_string(),
            Self::Mulog(n) => format!("MULOG{n}"),
            Self::Abra => "ABRA".to_string(),
            Self::Dtp => "DTP".to_string(),
        }
    }

    /// The model; `None` if it is one of SPIN's examples and they are not installed.
    pub(crate) fn model(self) -> Result<Option<Model>, Failure> {
        match self {
            Self::Pftp => self.example("LTL/pftp.pml"),
            Self::Dtp => self.example("dtp.pml"),
            Self::Mulog(n) => self.own(MULOG, vec![("N".to_string(), Some(n.to_string()))]).map(Some),
            Self::Abra => self.own(ABRA, Vec::new()).map(Some),
        }
    }

    fn own(self, text: &str, defines: Vec<(String, Option<String>)>) -> Result<Model, Failure> {
        match load(
            &self.name(),
            text,
            &Options {
                defines,
                ..Options::default()
            },
        ) {
            Ok(loaded) => Ok(loaded.model),
            Err(errors) => Err(self.unreadable(errors)),
        }
    }

    fn example(self, file: &str) -> Result<Option<Model>, Failure> {
        match load_path(Path::new(EXAMPLES).join(file), &Options::default()) {
            Ok(Ok(loaded)) => Ok(Some(loaded.model)),
            Ok(Err(errors)) => Err(self.unreadable(errors)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(self.unreadable(error)),
        }
    }

    fn unreadable(self, why: impl ToString) -> Failure {
        Failure::Model {
            model: self.name(),
            why: why.to_string(),
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
    Complete(Statistics),
    /// The search was given up.
    Limit(Statistics),
    /// The current path does not fit into the cache.
    NoRoom,
    /// The search was interrupted.
    Interrupt,
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
        let measured = measure(self.model, self.combination.persistent(self.algorithm), &strategy)
            .map_err(|error| failure(error.to_string()))?;
        let statistics = measured.statistics;
        match measured.end {
            _ if measured.faults > 0 => Err(failure("a transition cannot be executed".to_string())),
            mazurka_core::End::Complete => Ok(Searched::Complete(statistics)),
            mazurka_core::End::Limit(Limit::Cache) => Ok(Searched::NoRoom),
            mazurka_core::End::Limit(Limit::Interrupt) => Ok(Searched::Interrupt),
            mazurka_core::End::Limit(_) => Ok(Searched::Limit(statistics)),
            mazurka_core::End::Stopped => unreachable!("it only counts"),
        }
    }
}
