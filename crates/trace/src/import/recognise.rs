//! What an input is written in, from its beginning.
//!
//! Each format is asked what the text lacks to be in it. A document may be longer
//! than the beginning that is looked at, so that names of fields decide, not
//! whether it parses; a line format is recognised by any of its first lines, so that
//! a mistake in one of them is reported as such.

use super::error::Rejected;
use super::json;
use super::{Context, Format, ImportError, clocked, govector, shiviz};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::io::Read;

/// How much is looked at.
const BEGINNING: u64 = 1 << 16;
/// How many lines are.
const LINES: usize = 50;

/// The format of the first file that has one.
///
/// # Errors
/// If no file is in a known format: what the first one that is not empty lacked.
pub(crate) fn recognise(context: &Context<'_>) -> Result<Format, ImportError> {
    let mut error = None;
    for file in context.sources.files() {
        let failed = |error| context.failed(file, error);
        let mut bytes = Vec::new();
        let reader = context.sources.open(file).map_err(failed)?;
        reader.take(BEGINNING).read_to_end(&mut bytes).map_err(failed)?;
        let whole = (bytes.len() as u64) < BEGINNING;
        let text = String::from_utf8_lossy(&bytes);
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        if context.options.shiviz_regex.is_some() {
            return Ok(Format::Shiviz);
        }
        match format_of(text, whole) {
            Ok(format) => return Ok(format),
            Err(tried) if error.is_none() || !text.trim().is_empty() => {
                let name = context.sources.name(file);
                error.get_or_insert(ImportError::Unrecognised { name, tried });
            }
            Err(_) => {}
        }
    }
    Err(error.unwrap_or(ImportError::Unrecognised {
        name: "the input".to_owned(),
        tried: Vec::new(),
    }))
}

/// The format of a text, or what it lacks to be in each.
pub(super) fn format_of(text: &str, whole: bool) -> Result<Format, Vec<Rejected>> {
    let mut lines: Vec<&str> = text
        .lines()
        .filter(|line| !line.trim().is_empty())
        .take(LINES)
        .collect();
    if !whole && lines.len() < LINES && lines.len() > 1 {
        // The last one may be cut off by us.
        lines.pop();
    }
    let asked = [
        (Format::Otlp, otlp(text)),
        (Format::Jaeger, jaeger(text)),
        (Format::Zipkin, zipkin(text)),
        (Format::Mazurka, mazurka(&lines)),
        (Format::Clocked, clocked_lines(&lines)),
        (Format::Govector, govector_lines(text, &lines)),
        (Format::Shiviz, shiviz_lines(text, &lines)),
    ];
    let mut tried = Vec::new();
    for (format, lacks) in asked {
        match lacks {
            None => return Ok(format),
            Some(why) => tried.push(Rejected { format, why }),
        }
    }
    Err(tried)
}

/// Fields at the top of an object, as far as it is there.
fn has_field(text: &str, name: &str) -> bool {
    text.match_indices(&format!("\"{name}\""))
        .any(|(at, found)| text[at + found.len()..].trim_start().starts_with(':'))
}

fn otlp(text: &str) -> Option<String> {
    let fine = text.trim_start().starts_with('{') && has_field(text, "resourceSpans");
    (!fine).then(|| "there is no object with a field `resourceSpans`".to_owned())
}

fn jaeger(text: &str) -> Option<String> {
    let begins = text.trim_start().starts_with('{');
    let fine = begins && has_field(text, "spans") && (has_field(text, "traceID") || has_field(text, "processes"));
    (!fine).then(|| "there is no object with fields `spans` and `traceID`".to_owned())
}

fn zipkin(text: &str) -> Option<String> {
    let fine = text.trim_start().starts_with('[') && has_field(text, "traceId") && has_field(text, "id");
    (!fine).then(|| "there is no list of spans with `traceId` and `id`".to_owned())
}

fn objects<'a>(lines: &'a [&'a str]) -> impl Iterator<Item = Vec<(Cow<'a, str>, &'a RawValue)>> {
    lines.iter().filter_map(|line| json::entries(line).ok())
}

fn mazurka(lines: &[&str]) -> Option<String> {
    let other_clock = |entries: &[(Cow<'_, str>, &RawValue)]| {
        !entries.iter().any(|(key, _)| key == "clock") && clocked::lacks(entries).is_none()
    };
    let process = |entries: &[(Cow<'_, str>, &RawValue)]| {
        entries
            .iter()
            .any(|(key, raw)| key == "process" && json::text(raw).is_some())
    };
    if objects(lines).any(|entries| process(&entries) && !other_clock(&entries)) {
        return None;
    }
    let Some(first) = lines.first() else {
        return Some("it is empty".to_owned());
    };
    if objects(lines).next().is_none() {
        // A file whose only record is broken is in the format that it begins like.
        let begins = first.trim_start().starts_with('{') && has_field(first, "process");
        return (!begins).then(|| "none of its first lines is a JSON object".to_owned());
    }
    Some("none of its first lines has a field `process` with a text, and no vector clock of another name".to_owned())
}

fn clocked_lines(lines: &[&str]) -> Option<String> {
    let lacks: Vec<_> = objects(lines).map(|entries| clocked::lacks(&entries)).collect();
    match lacks.first() {
        None => Some("none of its first lines is a JSON object".to_owned()),
        Some(_) if lacks.contains(&None) => None,
        Some(first) => first.map(str::to_owned),
    }
}

/// Whether a line is a host and a clock of whole numbers.
fn is_host_line(line: &str) -> bool {
    let entries = govector::host_line(line).and_then(|(_, clock)| Some(json::entries(clock).ok()?.into_iter()));
    entries.is_some_and(|mut entries| entries.all(|(_, count)| count.get().parse::<u32>().is_ok()))
}

/// How many of the lines at even and at odd places are hosts and clocks.
fn host_lines(lines: &[&str]) -> [usize; 2] {
    let records = lines.iter().filter(|line| !line.starts_with("==="));
    records.enumerate().fold([0; 2], |mut found, (at, line)| {
        found[at % 2] += usize::from(is_host_line(line));
        found
    })
}

fn govector_lines(text: &str, lines: &[&str]) -> Option<String> {
    let [even, odd] = host_lines(lines);
    let fine = even > 0 && even > odd && !shiviz::has_header(text);
    (!fine).then(|| "its first line is not a host and a clock, such as `p1 {\"p1\": 3}`".to_owned())
}

fn shiviz_lines(text: &str, lines: &[&str]) -> Option<String> {
    let [even, odd] = host_lines(lines);
    let fine = shiviz::has_header(text) || shiviz::is_tlc(text) || (odd > 0 && odd >= even);
    (!fine).then(|| "its second line is not a host and a clock, and its first is no expression".to_owned())
}
