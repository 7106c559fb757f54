//! A document in Markdown: its code blocks, links, headings and sentences.

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};
use std::collections::BTreeSet;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// The root of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A document, and its path from the root.
pub struct Document {
    pub path: PathBuf,
    pub text: String,
}

/// A fenced code block.
pub struct Block {
    /// The text after the opening fence.
    pub info: String,
    pub text: String,
    /// The range of the text in the document.
    pub range: Range<usize>,
}

impl Block {
    /// Whether the block is in this language.
    pub fn is(&self, language: &str) -> bool {
        self.info.split(',').next() == Some(language)
    }
}

/// A link or a picture.
#[derive(Debug)]
pub struct Link {
    pub to: String,
    /// Its line, from 1.
    pub line: usize,
}

impl Document {
    pub fn read(path: impl Into<PathBuf>) -> Self {
        let path = path.into();
        let text = std::fs::read_to_string(root().join(&path)).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        Self { path, text }
    }

    pub fn name(&self) -> String {
        self.path.display().to_string()
    }

    /// The documents that users read: the README and those beside it, `docs`, the book.
    pub fn all() -> Vec<Self> {
        let mut paths: Vec<PathBuf> = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"]
            .map(PathBuf::from)
            .into();
        markdown_below(Path::new("docs"), &mut paths);
        paths.into_iter().map(Self::read).collect()
    }

    /// The chapters of the book, including those that its summary lacks.
    pub fn book() -> Vec<Self> {
        let mut paths = Vec::new();
        markdown_below(Path::new("docs/book/src"), &mut paths);
        paths.into_iter().map(Self::read).collect()
    }

    /// Expands includes as mdBook does.
    pub fn expanded(&self) -> Self {
        let folder = self.path.parent().expect("it is in a folder");
        let include = |line: &str| match line
            .strip_prefix("{{#include ")
            .and_then(|rest| rest.strip_suffix("}}"))
        {
            Some(path) => Self::read(folder.join(path.trim())).text,
            None => format!("{line}\n"),
        };
        Self {
            path: self.path.clone(),
            text: self.text.lines().map(include).collect(),
        }
    }

    fn events(&self) -> impl Iterator<Item = (Event<'_>, Range<usize>)> {
        Parser::new_ext(&self.text, Options::ENABLE_TABLES).into_offset_iter()
    }

    /// The fenced code blocks.
    pub fn blocks(&self) -> Vec<Block> {
        let mut blocks = Vec::new();
        let mut open: Option<Block> = None;
        for (event, range) in self.events() {
            match event {
                Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) => {
                    open = Some(Block {
                        info: info.to_string(),
                        text: String::new(),
                        range: 0..0,
                    });
                }
                Event::Text(text) if open.is_some() => {
                    let block = open.as_mut().expect("it is open");
                    if block.text.is_empty() {
                        block.range.start = range.start;
                    }
                    block.text += &text;
                    block.range.end = range.end;
                }
                Event::End(TagEnd::CodeBlock) => blocks.extend(open.take()),
                _ => {}
            }
        }
        blocks
    }

    /// The links and pictures.
    pub fn links(&self) -> Vec<Link> {
        let link = |(event, range): (Event<'_>, Range<usize>)| match event {
            Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => Some(Link {
                to: dest_url.to_string(),
                line: self.line_of(range.start),
            }),
            _ => None,
        };
        self.events().filter_map(link).collect()
    }

    /// The line of a place in the text, from 1.
    pub fn line_of(&self, at: usize) -> usize {
        self.text[..at].lines().count().max(1)
    }

    /// The anchors that links can point to after `#`: the headings, as mdBook and forges name them.
    pub fn anchors(&self) -> BTreeSet<String> {
        let mut anchors = BTreeSet::new();
        let mut heading: Option<String> = None;
        for (event, _) in self.events() {
            match event {
                Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
                Event::Text(text) | Event::Code(text) => {
                    if let Some(heading) = &mut heading {
                        *heading += &text;
                    }
                }
                Event::End(TagEnd::Heading(_)) => {
                    let name = anchor(&heading.take().unwrap_or_default());
                    // The second heading with the same name gets a number.
                    let numbered = (1..).map(|n| format!("{name}-{n}"));
                    let free = std::iter::once(name.clone())
                        .chain(numbered)
                        .find(|name| !anchors.contains(name));
                    anchors.extend(free);
                }
                _ => {}
            }
        }
        anchors
    }

    /// The sentences of the prose: no code blocks, no tables, no headings.
    pub fn sentences(&self) -> Vec<String> {
        let mut prose = String::new();
        let mut inside = 0;
        for (event, _) in self.events() {
            match event {
                Event::Start(Tag::CodeBlock(_) | Tag::Heading { .. }) => inside += 1,
                Event::End(TagEnd::CodeBlock | TagEnd::Heading(_)) => inside -= 1,
                Event::Text(text) | Event::Code(text) if inside == 0 => prose += &text,
                Event::SoftBreak | Event::HardBreak => prose += " ",
                Event::End(TagEnd::Paragraph | TagEnd::Item | TagEnd::TableCell) => prose += ". ",
                _ => {}
            }
        }
        let sentences = prose.split_inclusive(['.', ':', ';', '?', '!']);
        sentences
            .map(|s| s.split_whitespace().collect::<Vec<_>>().join(" "))
            .collect()
    }
}

/// The name of a heading in links.
fn anchor(heading: &str) -> String {
    let kept = heading.trim().chars().filter_map(|c| match c {
        c if c.is_alphanumeric() || c == '_' || c == '-' => Some(c.to_lowercase().to_string()),
        c if c.is_whitespace() => Some("-".to_owned()),
        _ => None,
    });
    kept.collect()
}

fn markdown_below(folder: &Path, paths: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(root().join(folder)).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut entries: Vec<_> = entries.map(|entry| entry.expect("an entry").file_name()).collect();
    entries.sort();
    for name in entries {
        let path = folder.join(name);
        if root().join(&path).is_dir() {
            markdown_below(&path, paths);
        } else if path.extension().is_some_and(|extension| extension == "md") {
            paths.push(path);
        }
    }
}

#[test]
fn headings_have_names() {
    let document = Document {
        path: PathBuf::new(),
        text: "# Exit codes\n## `--follow`, and\n## Exit codes\n```text\n# no heading\n```\n".to_owned(),
    };
    let anchors: Vec<String> = document.anchors().into_iter().collect();
    assert_eq!(anchors, ["--follow-and", "exit-codes", "exit-codes-1"]);
}
