//! The sources of the crate, for tests that read them.

use std::fs;
use std::path::Path;

/// A source file.
pub struct Source {
    /// Its path in `src`, with `/` between folders.
    pub path: String,
    pub text: String,
}

/// All sources in a folder of `src` and in its folders, by path.
pub fn sources(folder: &str) -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let (mut found, mut folders) = (Vec::new(), vec![root.join(folder)]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder of sources") {
            let path = entry.expect("an entry of the folder").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "rs") {
                let parts: Vec<_> = path
                    .strip_prefix(&root)
                    .unwrap()
                    .iter()
                    .map(|p| p.to_string_lossy())
                    .collect();
                found.push(Source {
                    path: parts.join("/"),
                    text: fs::read_to_string(&path).expect("a source"),
                });
            }
        }
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    found
}

/// The sources that define a type of object.
pub fn object_types() -> Vec<Source> {
    let mut sources = sources("");
    sources.retain(|s| s.text.contains("\nimpl ObjectType for State {"));
    sources
}

/// The names of the variants in an `enum` of a source.
pub fn variants(source: &str, name: &str) -> Vec<String> {
    let start = source.find(&format!("enum {name} {{")).expect("the enum is there");
    let body = &source[start..];
    let body = &body[body.find('{').unwrap() + 1..body.find("\n}").unwrap()];
    let lines = body.lines().map(str::trim).filter(|l| !l.starts_with("//"));
    let name = |l: &str| l.split(|c: char| !c.is_alphanumeric()).next().unwrap_or("").to_owned();
    lines.map(name).filter(|n| !n.is_empty()).collect()
}

/// The body of a function in an `impl`, without its braces.
pub fn body<'a>(source: &'a str, function: &str) -> &'a str {
    let start = source
        .find(&format!("    fn {function}("))
        .expect("the function is there");
    let rest = &source[start..];
    &rest[rest.find("{\n").unwrap() + 1..rest.find("\n    }\n").unwrap()]
}
