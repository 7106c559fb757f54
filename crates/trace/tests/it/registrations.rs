//! Adding an importer is adding a file and registering it.
//!
//! The file says everything about its format, and `formats/mod.rs` lists it. So each file
//! there defines one format, the list has each format once, and no other source names one.
//! [`Format`] cannot be a pattern, so a `match` on formats does not compile. Comparisons and
//! lists of formats would, so the sources are searched for them.

use mazurka_trace::{Format, ImportOptions, Input, ProcessBy, import, lint};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn crate_folder() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn formats_folder() -> PathBuf {
    crate_folder().join("src/import/formats")
}

/// The entries of a folder, sorted.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let read = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut all: Vec<PathBuf> = read.map(|entry| entry.unwrap().path()).collect();
    all.sort();
    all
}

/// The sources in a folder and below it.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let below = |path: PathBuf| match path.is_dir() {
        true => sources(&path),
        false => vec![path],
    };
    let all = entries(folder).into_iter().flat_map(below);
    all.filter(|path| path.extension().is_some_and(|e| e == "rs")).collect()
}

/// The pieces of a text between each `before` and the next `after`.
fn between<'a>(text: &'a str, before: &'a str, after: &'a str) -> impl Iterator<Item = &'a str> {
    let pieces = text.split(before).skip(1);
    pieces.filter_map(move |piece| Some(piece.split_once(after)?.0))
}

/// What a file in the folder of formats defines.
#[derive(Debug)]
struct Importer {
    /// The name of the module.
    module: String,
    /// The name of the constant.
    constant: String,
    format: Format,
}

/// The importers, by their files.
fn importers() -> Vec<Importer> {
    let list = formats_folder().join("mod.rs");
    let files = entries(&formats_folder()).into_iter().filter(|path| *path != list);
    files.map(|path| importer(&path)).collect()
}

/// The only importer of a file, or of a folder for one format.
fn importer(path: &Path) -> Importer {
    let files = if path.is_dir() {
        sources(path)
    } else {
        vec![path.to_owned()]
    };
    let text: String = files.iter().map(|file| fs::read_to_string(file).unwrap()).collect();
    let one = |what: &str, found: Vec<&str>| match found[..] {
        [one] => one.to_owned(),
        _ => panic!(
            "{} should have one {what} of an importer, and has {found:?}",
            path.display()
        ),
    };
    let constant = one(
        "constant",
        between(&text, "pub const ", ": Self = Self::of(&Importer {").collect(),
    );
    let name = one("name", between(&text, " name: \"", "\",\n").collect());
    Importer {
        module: path.file_stem().unwrap().to_str().unwrap().to_owned(),
        constant,
        format: Format::named(&name).unwrap_or_else(|| panic!("`{name}` is not registered")),
    }
}

/// The samples of an importer: those that are named after its module.
fn samples(importer: &Importer) -> Vec<PathBuf> {
    let is_called_so = |path: &PathBuf| {
        let name = path.file_name().unwrap().to_str().unwrap();
        let rest = name.strip_prefix(&importer.module);
        rest.is_some_and(|rest| rest.starts_with(['.', '-']))
    };
    let all = entries(&crate_folder().join("tests/samples"));
    all.into_iter().filter(is_called_so).collect()
}

#[test]
fn each_file_is_registered_once() {
    let importers = importers();
    let list = fs::read_to_string(formats_folder().join("mod.rs")).unwrap();
    let modules: Vec<&str> = between(&list, "mod ", ";").collect();
    let listed: Vec<&str> = between(&list, "    Format::", ",").collect();
    assert_eq!(modules.len(), importers.len(), "{modules:?}");
    assert_eq!(listed.len(), Format::ALL.len(), "{listed:?}");
    for Importer { module, constant, .. } in &importers {
        assert_eq!(modules.iter().filter(|m| *m == module).count(), 1, "mod {module}");
        assert_eq!(listed.iter().filter(|f| *f == constant).count(), 1, "{constant}");
    }
    let of_files: BTreeSet<Format> = importers.iter().map(|importer| importer.format).collect();
    let registered: BTreeSet<Format> = Format::ALL.iter().copied().collect();
    assert_eq!(of_files, registered);
    assert_eq!(importers.len(), Format::ALL.len(), "one format for each file");
}

#[test]
fn names_are_told_apart() {
    let mut names = BTreeSet::from(["auto"]);
    for format in Format::ALL {
        for name in [format.name()].iter().chain(format.aliases()) {
            assert!(names.insert(name), "`{name}` stands for two formats");
            assert_eq!(Format::named(name), Some(*format));
            let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
            assert!(!name.is_empty() && name.chars().all(plain), "`{name}`");
        }
        let description = format.description();
        assert!(
            !description.is_empty() && !description.ends_with('.') && !description.contains('\n'),
            "{format}: {description:?}"
        );
        assert_eq!(format.to_string(), format.name());
    }
}

#[test]
fn each_format_has_samples_that_are_recognised_and_read() {
    for importer in importers() {
        let format = importer.format;
        let samples = samples(&importer);
        assert!(!samples.is_empty(), "tests/samples has no {}.*", importer.module);
        for path in samples {
            let sample = path.display();
            let text = fs::read_to_string(&path).unwrap();
            // Its format is the first one that it begins like, so no earlier one matches.
            assert_eq!(Format::of_beginning(&text), Ok(format), "{sample}");
            for given in [None, Some(format)] {
                let options = ImportOptions {
                    format: given,
                    ..ImportOptions::default()
                };
                let input = || Input::Paths(vec![path.clone()]);
                let imported = import(input(), &options).unwrap_or_else(|error| panic!("{sample}: {error}"));
                assert_eq!(imported.format, format, "{sample}");
                let events = |e: &mazurka_trace::Execution| e.computation.causality().total();
                assert!(imported.executions.iter().map(events).sum::<u64>() > 0, "{sample}");
                let lint = lint(input(), &options).unwrap();
                assert!(!lint.has_errors(), "{sample}: {lint}");
            }
        }
    }
}

/// Options for some formats have an effect on these; for others there is a warning.
#[test]
fn options_for_some_formats_are_useless_for_the_others() {
    for importer in importers() {
        let path = samples(&importer).swap_remove(0);
        let options = ImportOptions {
            format: Some(importer.format),
            process_by: ProcessBy::Service,
            ..ImportOptions::default()
        };
        let imported = import(Input::Paths(vec![path]), &options).unwrap();
        let useless = imported.warnings.iter().any(|w| w.rule == "option-without-effect");
        assert_eq!(useless, !importer.format.is_spans(), "{}", importer.format);
    }
}

/// Sources that would have to change for a new format, if they named formats.
fn other_sources() -> Vec<PathBuf> {
    let crates = crate_folder().parent().unwrap();
    let folders = ["trace/src", "cli/src", "report/src"].map(|folder| sources(&crates.join(folder)));
    let inside = formats_folder();
    let all = folders.into_iter().flatten();
    all.filter(|path| !path.starts_with(&inside)).collect()
}

#[test]
fn no_other_source_names_a_format() {
    let importers = importers();
    let others = other_sources();
    assert!(others.len() > 100, "the sources are looked at");
    for path in others {
        let text = fs::read_to_string(&path).unwrap();
        let code = text
            .lines()
            .enumerate()
            .filter(|(_, line)| !line.trim_start().starts_with("//"));
        for (number, line) in code {
            for Importer { constant, format, .. } in &importers {
                let constant = format!("Format::{constant}");
                let name = format!("\"{format}\"");
                // The program has the same name as its own format, and mentions itself.
                let is_named = line.contains(&name) && format.name() != "mazurka";
                assert!(
                    !line.contains(&constant) && !is_named,
                    "{}:{}: only its importer may know {format}: {line}",
                    path.display(),
                    number + 1
                );
            }
        }
    }
}

/// The schemas of JSON outputs are documents: they list the formats for readers.
#[test]
fn the_schemas_list_the_formats() {
    let path = crate_folder().join("../../docs/schema/common.json");
    let text = fs::read_to_string(path).unwrap();
    let schema: serde_json::Value = serde_json::from_str(&text).unwrap();
    let listed = schema["$defs"]["format"]["enum"].as_array().unwrap();
    let listed: BTreeSet<&str> = listed.iter().map(|name| name.as_str().unwrap()).collect();
    let names: BTreeSet<&str> = Format::ALL.iter().map(|format| format.name()).collect();
    assert_eq!(listed, names, "docs/schema/common.json lists the formats");
}
