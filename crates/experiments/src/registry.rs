//! The list of experiments.

use crate::result::Experiment;
use crate::sweep::{Failure, Progress, Setup};
use crate::{example_8_1, fig_8_1};

/// An experiment that can be run.
#[derive(Debug)]
pub struct Entry {
    /// Its name on the command line.
    pub name: &'static str,
    /// What it measures, in one line.
    pub description: &'static str,
    /// Where it was published.
    pub source: &'static str,
    pub(crate) run: Run,
}

pub(crate) type Run = fn(&Entry, &Setup<'_>, &mut dyn FnMut(Progress<'_>)) -> Result<Experiment, Failure>;

impl Entry {
    /// Runs it.
    ///
    /// # Errors
    /// If a search fails, or finds what cannot be.
    pub fn run(&self, setup: &Setup<'_>, progress: &mut dyn FnMut(Progress<'_>)) -> Result<Experiment, Failure> {
        (self.run)(self, setup, progress)
    }
}

/// Every experiment.
pub fn all() -> &'static [Entry] {
    static ALL: [Entry; 2] = [
        Entry {
            name: "philosophers",
            description: "States of n dining philosophers, full and reduced",
            source: "Godefroid's thesis, Fig. 8.1",
            run: fig_8_1::run,
        },
        Entry {
            name: "producer-consumer",
            description: "States of a producer and a consumer, by the capacity of their channel",
            source: "Godefroid's thesis, Example 8.1 and Fig. 8.2",
            run: example_8_1::run,
        },
    ];
    &ALL
}

/// The experiment of this name.
pub fn find(name: &str) -> Option<&'static Entry> {
    all().iter().find(|e| e.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_distinct_and_found() {
        for entry in all() {
            assert!(std::ptr::eq(find(entry.name).unwrap(), entry));
        }
        assert!(find("philosopher").is_none());
    }
}
