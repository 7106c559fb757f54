//! The models of the corpus, and the expectations in their headers. `corpus/promela/README.md` describes the format.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The expectations of a header.
#[derive(Debug)]
pub struct Expected {
    /// The kinds of violations; none if the model is safe.
    pub safety: BTreeSet<String>,
    /// The number of states, if it must be SPIN's number.
    pub states: Option<usize>,
}

/// All models with their expectations, by name.
pub fn models() -> Vec<(PathBuf, Expected)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/promela");
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut paths: Vec<PathBuf> = files
        .filter(|path| path.extension().is_some_and(|e| e == "pml"))
        .collect();
    paths.sort();
    assert!(!paths.is_empty(), "the corpus is empty");
    let read = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).unwrap();
        let expected = expected(&text).unwrap_or_else(|| panic!("{}: bad header", path.display()));
        (path, expected)
    };
    paths.into_iter().map(read).collect()
}

fn expected(text: &str) -> Option<Expected> {
    let header = text.strip_prefix("/*")?.split("*/").next()?;
    let field = |name: &str| {
        let lines = header.lines().map(|line| line.trim_start_matches([' ', '*']));
        lines
            .filter_map(|line| line.strip_prefix(name)?.strip_prefix(':'))
            .map(str::trim)
            .next()
    };
    let kinds = field("safety")?.split(',').map(str::trim);
    let states = match field("states") {
        Some(number) => Some(number.parse().ok()?),
        None => None,
    };
    Some(Expected {
        safety: kinds.filter(|kind| *kind != "holds").map(str::to_owned).collect(),
        states,
    })
}
