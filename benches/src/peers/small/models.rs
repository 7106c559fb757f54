//! The models: SPIN's own examples, where they are installed, and some of ours.

use mazurka_testkit::spin::installed_examples;
use std::path::{Path, PathBuf};

/// A model to verify.
pub struct Subject {
    /// Its name in the table.
    pub name: String,
    /// Its path.
    pub path: PathBuf,
    /// What is defined before its first line.
    pub defines: Vec<(&'static str, &'static str)>,
}

/// Our models, by their paths in the repository, with their definitions.
const OURS: &[(&str, &[(&str, &str)])] = &[
    ("corpus/promela/alternating_bit.pml", &[]),
    ("corpus/promela/bakery.pml", &[]),
    ("corpus/promela/elevator.pml", &[]),
    ("corpus/promela/elevator.pml", &[("FLOORS", "4")]),
    ("corpus/promela/lamport_fast.pml", &[("N", "3")]),
    ("corpus/promela/philosophers.pml", &[]),
    ("corpus/promela/philosophers_ordered.pml", &[]),
    ("corpus/promela/philosophers_ordered.pml", &[("N", "8")]),
    ("corpus/promela/readers_writers.pml", &[]),
    ("corpus/promela/readers_writers.pml", &[("READERS", "5")]),
    ("corpus/promela/szymanski.pml", &[]),
    ("crates/experiments/models/abra.pml", &[]),
    ("crates/experiments/models/mulog.pml", &[]),
];

/// All models that are installed.
pub fn models() -> Vec<Subject> {
    let mut models = ours();
    models.extend(shipped());
    models
}

fn ours() -> Vec<Subject> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let subject = |(path, defines): &(&str, &[(&'static str, &'static str)])| {
        let file = Path::new(path).file_stem().unwrap_or_default().to_string_lossy();
        let given: Vec<String> = defines.iter().map(|(name, value)| format!(" {name}={value}")).collect();
        Subject {
            name: format!("{file}{}", given.concat()),
            path: root.join(path),
            defines: defines.to_vec(),
        }
    };
    OURS.iter().map(subject).collect()
}

/// The examples that Debian's package of SPIN installs.
fn shipped() -> Vec<Subject> {
    let subject = |path: PathBuf| {
        let whole = path.to_string_lossy();
        let name = whole.split_once("/Examples/").map_or(&*whole, |(_, name)| name);
        Subject {
            name: format!("SPIN {name}"),
            path: path.clone(),
            defines: Vec::new(),
        }
    };
    installed_examples().into_iter().map(subject).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_models_are_there_and_have_different_names() {
        let models = ours();
        assert!(models.iter().all(|model| model.path.exists()));
        let mut names: Vec<&String> = models.iter().map(|model| &model.name).collect();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), OURS.len());
    }
}
