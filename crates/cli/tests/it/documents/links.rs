//! Links: their targets exist, down to the heading.

use crate::documents::document::{Document, Link, root};
use std::path::{Component, Path, PathBuf};

/// The chapters of the book, which become separate pages.
const BOOK: &str = "docs/book/src";

/// The broken links of a document.
fn broken(document: &Document) -> Vec<String> {
    let document = document.expanded();
    let links = document.links();
    let wrong = |link: &Link| {
        let reason = reason(&document, &link.to)?;
        Some(format!("{}:{}: {}: {reason}", document.name(), link.line, link.to))
    };
    links.iter().filter_map(wrong).collect()
}

/// Why a link leads nowhere, if it does.
fn reason(document: &Document, to: &str) -> Option<String> {
    if ["http://", "https://", "mailto:"]
        .iter()
        .any(|scheme| to.starts_with(scheme))
    {
        return None;
    }
    let (path, anchor) = to
        .split_once('#')
        .map_or((to, None), |(path, anchor)| (path, Some(anchor)));
    let target = match path {
        "" => document.path.clone(),
        path => plain(&document.path.parent().expect("it is in a folder").join(path)),
    };
    let inside = |path: &Path| path.starts_with(BOOK);
    if !root().join(&target).exists() {
        return Some("there is no such file".to_owned());
    }
    if inside(&document.path) && !inside(&target) {
        return Some("it leads out of the book, which is published by itself".to_owned());
    }
    let anchor = anchor?;
    let anchors = match path {
        "" => document.anchors(),
        _ => Document::read(target).expanded().anchors(),
    };
    (!anchors.contains(anchor)).then(|| format!("there is no such heading; there are: {anchors:?}"))
}

/// A path without `..`.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => drop(plain.pop()),
            Component::CurDir => {}
            other => plain.push(other),
        }
    }
    plain
}

#[test]
fn every_link_leads_somewhere() {
    let wrong: Vec<String> = Document::all().iter().flat_map(broken).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn links_that_lead_nowhere_are_noticed() {
    let chapter = |text: &str| Document {
        path: "docs/book/src/tutorial/check.md".into(),
        text: text.to_owned(),
    };
    let broken = |text: &str| broken(&chapter(text)).len();
    assert_eq!(
        broken("[a](../guide/check.md) [b](#there)\n# There\n[c](https://cel.dev)"),
        0
    );
    assert_eq!(broken("[a](../guide/checks.md)"), 1);
    assert_eq!(broken("![a](../figures/nothing.svg)"), 1);
    assert_eq!(broken("[a](../guide/check.md#nowhere)"), 1);
    assert_eq!(broken("[a](../../../../README.md)"), 1);
    assert_eq!(broken("```text\n[a](nothing.md)\n```\n`[a](nothing.md)`"), 0);
}
