//! To add a primitive, one adds its module and registers it in `sync/mod.rs`. Nothing else in the sources names it.
//!
//! The engine's half of a primitive is a type `State` with operations `Op`. Code outside the primitive's own files can name
//! them only by their module, or through the enums that the registration makes. These tests look for both in the sources.

use crate::sources::{Source, object_types, sources};
use std::collections::BTreeMap;

const REGISTRATION: &str = "sync/mod.rs";

/// Files that name a primitive which is not theirs, and why.
const ALLOWED: &[(&str, &str, &str)] = &[("cell.rs", "Register", "a tracked cell is a register for the search")];

/// An entry of the registration.
#[derive(Debug)]
struct Entry {
    name: String,
    /// The path of the module that defines the type, from `src`.
    module: Vec<String>,
}

/// The entries, in order.
fn entries() -> Vec<Entry> {
    let sources = sources("");
    let source = sources
        .iter()
        .find(|s| s.path == REGISTRATION)
        .expect("the registration");
    let list = source.text.split_once("objects! {\n").expect("the list").1;
    let lines = list.lines().take_while(|l| *l != "}").map(str::trim);
    let entry = |line: &str| {
        let (name, rest) = line.split_once(" = ").unwrap_or_else(|| panic!("no entry: {line}"));
        let path = rest.split_once(" {").unwrap_or_else(|| panic!("no entry: {line}")).0;
        let path = path.strip_suffix("::State").expect("a type of the name State");
        let module = match path.strip_prefix("crate::") {
            Some(path) => path.to_owned(),
            None => format!("sync::{path}"),
        };
        Entry {
            name: name.to_owned(),
            module: module.split("::").map(str::to_owned).collect(),
        }
    };
    lines
        .filter(|l| !l.is_empty() && !l.starts_with("//"))
        .map(entry)
        .collect()
}

impl Entry {
    /// The file with the engine's half.
    fn file(&self) -> String {
        format!("{}.rs", self.module.join("/"))
    }

    /// True for the files of the primitive: its folder in `sync`, or its only file.
    fn owns(&self, path: &str) -> bool {
        match &self.module[..] {
            [sync, folder, _] if sync == "sync" => path.starts_with(&format!("sync/{folder}/")),
            _ => path == self.file(),
        }
    }

    /// How others could name its operations or its state.
    fn names(&self) -> Vec<String> {
        let last = self.module.last().unwrap();
        let mut names = vec![format!("Kind::{}", self.name), format!("State::{}", self.name)];
        if last == "object" {
            names.push(format!("{}::object", self.module[self.module.len() - 2]));
        } else {
            names.extend(["Op", "State", "{Op", "{State"].map(|what| format!("{last}::{what}")));
        }
        names
    }
}

/// True if a source has a name, not as part of a longer one.
fn has(source: &Source, name: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    source.text.match_indices(name).any(|(at, _)| {
        let before = source.text[..at].chars().next_back().is_some_and(part);
        let after = source.text[at + name.len()..].chars().next().is_some_and(part);
        !before && !after
    })
}

#[test]
fn every_type_of_object_is_registered_once() {
    let mut registered: Vec<String> = entries().iter().map(Entry::file).collect();
    assert!(registered.len() >= 13, "{registered:?}");
    registered.sort();
    let defined: Vec<String> = object_types().into_iter().map(|s| s.path).collect();
    assert_eq!(registered, defined, "registered, and defined");
    let mut modules = BTreeMap::new();
    for entry in entries() {
        *modules.entry(entry.name).or_insert(0) += 1;
    }
    assert!(modules.values().all(|n| *n == 1), "{modules:?}");
}

#[test]
fn nobody_else_names_a_primitive() {
    let entries = entries();
    let mut named = Vec::new();
    for source in sources("").iter().filter(|s| s.path != REGISTRATION) {
        for entry in entries.iter().filter(|e| !e.owns(&source.path)) {
            if entry.names().iter().any(|name| has(source, name)) {
                named.push((source.path.clone(), entry.name.clone()));
            }
        }
        // Without a module in front of it, it was imported.
        let own = entries.iter().any(|e| e.owns(&source.path));
        let allowed = ALLOWED.iter().any(|(path, ..)| *path == source.path);
        assert!(own || allowed || !has(source, "Op"), "{} names operations", source.path);
    }
    let allowed: Vec<_> = ALLOWED
        .iter()
        .map(|(p, n, _)| ((*p).to_owned(), (*n).to_owned()))
        .collect();
    assert_eq!(named, allowed);
}

#[test]
fn the_registration_is_all_that_names_the_modules() {
    for entry in entries() {
        let [sync, module, ..] = &entry.module[..] else {
            continue;
        };
        if sync != "sync" {
            continue;
        }
        let declares = |s: &&Source| {
            s.text
                .lines()
                .any(|l| l.trim_start_matches("pub ") == format!("mod {module};"))
        };
        let sources = sources("");
        let declared: Vec<_> = sources.iter().filter(declares).map(|s| &s.path).collect();
        assert_eq!(declared, [REGISTRATION], "{}", entry.name);
    }
}
