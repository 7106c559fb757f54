//! The book as a whole: its summary, its figures, and what it shares with the README.

use crate::documents::document::{Document, root};
use std::collections::BTreeSet;
use std::path::Path;

/// The greatest number of lines of the README.
const README: usize = 250;
/// Sentences with fewer words may occur twice.
const WORDS: usize = 7;

fn summary() -> Vec<String> {
    let links = Document::read("docs/book/src/SUMMARY.md").links();
    links.into_iter().map(|link| link.to).collect()
}

#[test]
fn the_summary_has_every_chapter_once() {
    let listed = summary();
    let there = Document::book().into_iter().map(|chapter| {
        let path = chapter
            .path
            .strip_prefix("docs/book/src")
            .expect("it is a chapter")
            .to_owned();
        path.display().to_string()
    });
    let there: BTreeSet<String> = there.filter(|path| path != "SUMMARY.md").collect();
    assert_eq!(listed.iter().cloned().collect::<BTreeSet<_>>(), there);
    assert_eq!(listed.len(), there.len(), "a chapter is listed twice");
}

#[test]
fn every_chapter_begins_with_its_title() {
    for chapter in Document::book() {
        assert!(chapter.expanded().text.starts_with("# "), "{}", chapter.name());
    }
}

#[test]
fn every_figure_is_shown() {
    let shown = Document::all().into_iter().flat_map(|document| document.links());
    let shown: BTreeSet<String> = shown
        .filter_map(|link| Some(Path::new(&link.to).file_name()?.to_str()?.to_owned()))
        .collect();
    for figure in std::fs::read_dir(root().join("docs/book/src/figures")).expect("there are figures") {
        let name = figure.expect("a file").file_name();
        assert!(shown.contains(name.to_str().expect("UTF-8")), "nobody shows {name:?}");
    }
}

#[test]
fn the_readme_is_short() {
    let lines = Document::read("README.md").text.lines().count();
    assert!(lines <= README, "{lines} lines");
}

#[test]
fn no_sentence_is_in_the_readme_and_in_the_book() {
    let long = |sentence: &String| sentence.split(' ').count() >= WORDS;
    let readme: BTreeSet<String> = Document::read("README.md")
        .sentences()
        .into_iter()
        .filter(long)
        .collect();
    let mut repeated = Vec::new();
    for chapter in Document::book() {
        let again = chapter
            .sentences()
            .into_iter()
            .filter(|sentence| readme.contains(sentence));
        repeated.extend(again.map(|sentence| format!("{}: {sentence}", chapter.name())));
    }
    assert!(repeated.is_empty(), "{}", repeated.join("\n"));
    assert!(readme.len() > 10, "the README has sentences");
}
