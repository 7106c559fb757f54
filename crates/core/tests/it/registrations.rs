//! To add an object type, a store or an algorithm for persistent sets, add a file and register it.
//!
//! One file lists the contents of each folder: for object types, which users see, `lib.rs`, and else the folder's
//! `mod.rs`. Each file of the folder is registered there, and no other source names what the file defines, except for
//! those that are listed here with a reason.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// What may be named in another file of the crate, and why.
const ALLOWED: &[(&str, &str, &str)] = &[
    (
        "TreeStore",
        "search/strategy.rs",
        "depth-first search is compiled for it",
    ),
    (
        "FlatStore",
        "search/strategy.rs",
        "the search of histories, which are short, is compiled for it",
    ),
    (
        "FlatStore",
        "search/lasso.rs",
        "a cycle is closed among few states, whatever the store of the search",
    ),
    (
        "PathStore",
        "search/strategy.rs",
        "the search of histories is compiled for it",
    ),
    (
        "Variable",
        "objects/channel.rs",
        "a message is received into a variable",
    ),
];

fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

/// The sources in a folder and below it, by their paths in the crate.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => found.extend(files(&path)),
            false => found.push(path),
        }
    }
    found.sort();
    found
}

/// The lines of code of a file: no comments, and nothing of the tests at its foot.
fn code(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap();
    let text = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
    let lines = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    lines.map(|line| format!("{line}\n")).collect()
}

fn words(code: &str) -> impl Iterator<Item = &str> {
    code.split(|c: char| !c.is_alphanumeric() && c != '_')
}

/// The names of what the files of a folder define for others, by file: those that follow one of these phrases.
fn defined(folder: &str, phrases: &[&str]) -> BTreeMap<String, Vec<String>> {
    let mut found = BTreeMap::new();
    for path in files(&sources().join(folder)) {
        let module = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let code = code(&path);
        let after = |phrase: &&str| -> Vec<String> {
            let pieces = code.split(*phrase).skip(1);
            pieces
                .filter_map(|piece| words(piece.trim_start()).next().map(str::to_owned))
                .collect()
        };
        let names: Vec<String> = phrases.iter().flat_map(after).filter(|name| !name.is_empty()).collect();
        if module != "mod" && !names.is_empty() {
            found.insert(module, names);
        }
    }
    found
}

/// Every file is a module of its folder, and only it, the list and what is allowed name what it defines.
fn registered_once(folder: &str, list: &str, defined: &BTreeMap<String, Vec<String>>) {
    let modules = code(&sources().join(folder).join("mod.rs"));
    let listed = code(&sources().join(list));
    for (module, names) in defined {
        assert!(
            modules.contains(&format!("mod {module};")),
            "{folder}/{module}.rs is no module"
        );
        for name in names {
            assert!(words(&listed).any(|word| word == name), "{list} does not list {name}");
            for path in files(&sources()) {
                let relative = path
                    .strip_prefix(sources())
                    .unwrap()
                    .to_str()
                    .unwrap()
                    .replace('\\', "/");
                let own = [
                    format!("{folder}/{module}.rs"),
                    format!("{folder}/mod.rs"),
                    list.to_owned(),
                ];
                let allowed = ALLOWED
                    .iter()
                    .any(|(what, place, _)| what == name && *place == relative);
                if own.contains(&relative) || allowed {
                    continue;
                }
                let found = words(&code(&path)).any(|word| word == name);
                assert!(!found, "{relative} names {name}, which only {list} should");
            }
        }
    }
}

#[test]
fn object_types() {
    let mut defined = defined("objects", &["pub struct "]);
    for (module, names) in &mut defined {
        // A handle is made by a macro.
        let own = code(&sources().join("objects").join(format!("{module}.rs")));
        let handle = own
            .split("handle! {")
            .nth(1)
            .unwrap_or_else(|| panic!("{module}.rs has no handle"));
        names.push(words(handle).find(|word| !word.is_empty()).unwrap().to_owned());
    }
    assert_eq!(
        defined.keys().collect::<Vec<_>>(),
        ["channel", "lock", "semaphore", "variable"]
    );
    registered_once("objects", "lib.rs", &defined);
}

#[test]
fn stores() {
    let mut defined = defined("store", &["pub(crate) struct "]);
    // The parts of stores are no stores.
    defined.retain(|_, names| {
        names.retain(|name| name.ends_with("Store"));
        !names.is_empty()
    });
    assert_eq!(
        defined.keys().collect::<Vec<_>>(),
        ["bitstate", "cache", "flat", "path", "tree"]
    );
    registered_once("store", "store/mod.rs", &defined);
}

#[test]
fn algorithms_for_persistent_sets() {
    let defined = defined("persistent", &["PersistentSets<TransitionId> for "]);
    assert_eq!(
        defined.keys().collect::<Vec<_>>(),
        ["conflicting", "overman", "stubborn"]
    );
    registered_once("persistent", "persistent/mod.rs", &defined);
}

#[test]
fn what_is_allowed_is_needed() {
    for (name, place, reason) in ALLOWED {
        let code = code(&sources().join(place));
        assert!(
            words(&code).any(|word| word == *name),
            "{place} does not name {name}: {reason}"
        );
    }
}
