//! The models that take SPIN seconds, and the sizes at which they do.
//!
//! Each search of SPIN takes from one to twenty seconds of processor time at the full size, without
//! generating and compiling, so that fixed costs do not hide the speed of the search. The sizes in
//! the files are small, for a quick look.

use std::path::{Path, PathBuf};

/// A model at some size.
#[derive(Clone, Debug)]
pub struct Instance {
    /// Its name in the table.
    pub name: String,
    /// Its path.
    pub path: PathBuf,
    /// What is defined before its first line.
    pub defines: Vec<(&'static str, &'static str)>,
    /// How many steps SPIN's stack has room for. More than are needed would cost it memory.
    pub depth: u32,
}

impl Instance {
    fn new(path: &'static str, defines: &[(&'static str, &'static str)], depth: u32) -> Self {
        let file = Path::new(path).file_stem().unwrap_or_default().to_string_lossy();
        let given: Vec<String> = defines.iter().map(|(name, value)| format!(" {name}={value}")).collect();
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let path = match path.contains('/') {
            true => root.join(path),
            false => root.join("benches/models").join(path),
        };
        Self {
            name: format!("{file}{}", given.concat()),
            path,
            defines: defines.to_vec(),
            depth,
        }
    }

    /// Its definitions as arguments, which both tools take.
    pub fn definitions(&self) -> impl Iterator<Item = String> {
        self.defines.iter().map(|(name, value)| format!("-D{name}={value}"))
    }
}

/// A path, definitions, and the depth that SPIN needs. A path without folders is in `benches/models`.
type Entry = (&'static str, &'static [(&'static str, &'static str)], u32);

const SAFETY: &[Entry] = &[
    ("peterson.pml", &[("N", "4"), ("V", "5")], 700_000),
    ("szymanski.pml", &[("N", "4"), ("V", "8")], 300_000),
    ("dijkstra.pml", &[("N", "3"), ("V", "40")], 600_000),
    ("burns.pml", &[("N", "4"), ("V", "6")], 1_000_000),
    ("bakery.pml", &[("N", "3"), ("MAX", "25")], 400_000),
    ("lamport_fast.pml", &[("N", "4"), ("V", "3")], 700_000),
    ("fischer.pml", &[("N", "7"), ("WRITE", "2"), ("WAIT", "3")], 40_000),
    ("anderson.pml", &[("N", "5"), ("V", "8")], 800_000),
    ("mcs.pml", &[("N", "4"), ("V", "4")], 500_000),
    ("ring_election.pml", &[("N", "6")], 10_000),
    ("dkr.pml", &[("N", "6"), ("SIZE", "2")], 10_000),
    ("tree_election.pml", &[("N", "6")], 10_000),
    ("token_ring.pml", &[("N", "6"), ("V", "2")], 150_000),
    ("stabilise.pml", &[("N", "4")], 10_000),
    ("cyclers.pml", &[("N", "8")], 300_000),
    ("go_back.pml", &[("W", "4"), ("C", "3")], 400_000),
    ("alternating_bit.pml", &[("C", "12"), ("V", "8")], 200_000),
    ("ricart_agrawala.pml", &[("N", "3"), ("ROUNDS", "3")], 10_000),
    ("suzuki_kasami.pml", &[("N", "3"), ("MORE", "1")], 10_000),
    ("two_phase_commit.pml", &[("N", "6")], 10_000),
    ("paxos.pml", &[("A", "4")], 10_000),
    ("snapshot.pml", &[("N", "3"), ("MONEY", "4")], 100_000),
    ("snapshot.pml", &[("N", "4")], 100_000),
    ("termination.pml", &[("N", "3"), ("SENDS", "2")], 10_000),
    ("termination.pml", &[("N", "4")], 10_000),
    ("snooping.pml", &[("N", "4"), ("V", "3")], 600_000),
    ("directory.pml", &[("N", "5")], 200_000),
    ("philosophers_butler.pml", &[("N", "8")], 1_000_000),
    ("philosophers_deadlock.pml", &[("N", "13")], 1_400_000),
    ("philosophers_free.pml", &[("N", "6")], 4_000_000),
    ("corpus/promela/philosophers_ordered.pml", &[("N", "12")], 1_000_000),
    ("lifts.pml", &[("N", "6")], 3_000_000),
    ("corpus/promela/elevator.pml", &[("FLOORS", "6")], 500_000),
    (
        "corpus/promela/readers_writers.pml",
        &[("READERS", "10"), ("WRITERS", "4")],
        600_000,
    ),
    ("bounded_buffer.pml", &[("PRODUCERS", "5"), ("CONSUMERS", "4")], 700_000),
    ("barber.pml", &[("N", "11"), ("CHAIRS", "6")], 40_000),
    ("barrier.pml", &[("N", "6"), ("PHASES", "5")], 700_000),
    ("deque.pml", &[("N", "7"), ("THIEVES", "2")], 10_000),
    ("treiber.pml", &[("ROUNDS", "3")], 10_000),
    ("qrcu.pml", &[("READERS", "3"), ("WRITERS", "2")], 500_000),
    ("sort.pml", &[("N", "6"), ("V", "2")], 10_000),
];

/// A formula: the model, the name of its `ltl` block, and the depth that SPIN needs.
const FORMULAS: &[(Entry, &str)] = &[
    (("peterson.pml", &[("N", "4")], 1_000_000), "served"),
    (("anderson.pml", &[("N", "5"), ("V", "4")], 1_000_000), "served"),
    (("mcs.pml", &[("N", "4"), ("V", "2")], 1_000_000), "served"),
    (("szymanski.pml", &[("N", "4"), ("V", "4")], 1_000_000), "comes_out"),
    (("dkr.pml", &[("N", "5"), ("SIZE", "3")], 10_000), "elected"),
    (("two_phase_commit.pml", &[("N", "5")], 10_000), "decided"),
    (("paxos.pml", &[("A", "4")], 10_000), "stable"),
    (("sort.pml", &[("N", "5"), ("V", "3")], 10_000), "ends"),
    (("fischer.pml", &[("N", "6")], 100_000), "served"),
    (("snooping.pml", &[("N", "4")], 1_000_000), "writes"),
    (("stabilise.pml", &[("N", "4")], 10_000), "agrees"),
    (("lifts.pml", &[("N", "5")], 1_000_000), "comes"),
];

/// The models whose assertions and end states are checked. `quick`: each file once, and small.
pub fn safety(quick: bool) -> Vec<Instance> {
    let mut instances = Vec::new();
    for (path, defines, depth) in SAFETY {
        let instance = match quick {
            true => Instance::new(path, &[], 100_000),
            false => Instance::new(path, defines, *depth),
        };
        if instances
            .last()
            .is_none_or(|last: &Instance| last.name != instance.name)
        {
            instances.push(instance);
        }
    }
    instances
}

/// The formulas that are checked.
pub fn formulas(quick: bool) -> Vec<(Instance, &'static str)> {
    let formula = |((path, defines, depth), name): &(Entry, &'static str)| {
        let mut instance = match quick {
            true => Instance::new(path, &[], 100_000),
            false => Instance::new(path, defines, *depth),
        };
        instance.name = format!("{} {name}", instance.name);
        (instance, *name)
    };
    FORMULAS.iter().map(formula).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use mazurka_promela::verify::{self, Property};
    use std::collections::BTreeSet;

    #[test]
    fn the_set_is_large_and_has_many_families() {
        let instances = safety(false);
        let names: BTreeSet<&String> = instances.iter().map(|instance| &instance.name).collect();
        assert_eq!(names.len(), instances.len());
        assert!(names.len() >= 25 && safety(true).len() >= 20);
        assert!(instances.iter().all(|instance| instance.path.exists()));
        assert!(formulas(false).len() >= 8);
    }

    #[test]
    fn every_model_is_in_the_table() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("models");
        let files = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().file_name());
        let used = |name: &str| SAFETY.iter().any(|entry| entry.0 == name);
        for file in files {
            assert!(used(&file.to_string_lossy()), "{} is in no table", file.display());
        }
    }

    /// A model says in its first comment whether it is right, and is so at its small size too.
    #[test]
    fn models_are_as_they_say() {
        for instance in safety(true)
            .iter()
            .filter(|instance| instance.path.parent().unwrap().ends_with("models"))
        {
            let text = std::fs::read_to_string(&instance.path).unwrap();
            let said = text.lines().find_map(|line| line.strip_prefix(" * safety: "));
            let loaded = mazurka_promela::load_path(&instance.path, &mazurka_promela::Options::default()).unwrap();
            let model = loaded.unwrap_or_else(|_| panic!("{} is refused", instance.name)).model;
            let result = verify::check(&model, &Property::Safety, &verify::Options::default()).unwrap();
            let found = match result.verdict {
                verify::Verdict::Holds => "holds",
                verify::Verdict::Violated => "violated",
                verify::Verdict::Inconclusive(_) => "inconclusive",
            };
            if let Some(said) = said {
                assert_eq!(said, found, "{}", instance.name);
            }
        }
    }
}
