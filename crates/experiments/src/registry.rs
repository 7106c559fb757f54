//! The list of experiments.

use crate::result::Experiment;
use crate::sweep::{Failure, Progress, Setup};
use crate::{
    caching, detection_length, detection_rivals, detection_scaling, detection_table, example_8_1, fig_8_1, provisos,
    thesis_table,
};

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
    /// Runs the experiment.
    ///
    /// # Errors
    /// If a search fails, or finds something that cannot be.
    pub fn run(&self, setup: &Setup<'_>, progress: &mut dyn FnMut(Progress<'_>)) -> Result<Experiment, Failure> {
        (self.run)(self, setup, progress)
    }
}

/// Every experiment.
///
/// ```
/// let names: Vec<_> = mazurka_experiments::all().iter().map(|entry| entry.name).collect();
/// assert!(names.contains(&"philosophers"));
/// ```
pub fn all() -> &'static [Entry] {
    static ALL: [Entry; 9] = [
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
        Entry {
            name: "thesis-table",
            description: "States, transitions and times of four protocols, by partial-order method",
            source: "Godefroid's thesis, section 8.3, Table 8.1",
            run: thesis_table::run,
        },
        Entry {
            name: "provisos",
            description: "States and transitions of the same protocols, by proviso",
            source: "Godefroid's thesis, section 6.5; figures from Table 8.1",
            run: provisos::run,
        },
        Entry {
            name: "caching",
            description: "Transitions of a mutual-exclusion algorithm, by the size of the state cache",
            source: "Godefroid's thesis, section 8.4, Tables 8.1 to 8.3 and Fig. 8.3",
            run: caching::run,
        },
        Entry {
            name: "detection-table",
            description: "Transitions and states of detection, by level of optimisation",
            source: "Stoller, Unnikrishnan and Liu, CAV 2000, section 6; long version, section 7",
            run: detection_table::run,
        },
        Entry {
            name: "detection-scaling",
            description: "Transitions of detection, by the number of processes",
            source: "Stoller, Unnikrishnan and Liu, CAV 2000, section 6; long version, section 7, Figs 6 and 7",
            run: detection_scaling::run,
        },
        Entry {
            name: "detection-length",
            description: "Transitions of detection, by the length of the run",
            source: "Stoller, Unnikrishnan and Liu, CAV 2000, section 6; long version, section 7",
            run: detection_length::run,
        },
        Entry {
            name: "detection-rivals",
            description: "States that detection looks at, by algorithm and number of processes",
            source: "Stoller, Unnikrishnan and Liu, long version, sections 1, 7, 8 and 9",
            run: detection_rivals::run,
        },
    ];
    &ALL
}

/// The experiment with this name.
pub fn find(name: &str) -> Option<&'static Entry> {
    all().iter().find(|e| e.name == name)
}

/// Runs an experiment on the sizes that take little time.
#[cfg(test)]
pub(crate) fn quick(name: &str) -> Experiment {
    let setup = Setup {
        quick: true,
        ..Setup::default()
    };
    let entry = find(name).expect("a listed experiment");
    entry.run(&setup, &mut |_| ()).expect("it runs")
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
