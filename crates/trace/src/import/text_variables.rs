//! Variables in the text of an event: `key=value` words and a JSON object at the end.

use super::json;
use super::sink::Sink;
use crate::value::Value;

/// Tells a sink the variables that a text mentions.
pub(crate) fn variables(text: &str, sink: &mut impl Sink) {
    let body = text.trim_end();
    let object = body.ends_with('}').then(|| {
        body.match_indices('{')
            .find_map(|(at, _)| Some((at, json::entries(&body[at..]).ok()?)))
    });
    let (words, entries) = match object.flatten() {
        Some((at, entries)) => (&body[..at], entries),
        None => (body, Vec::new()),
    };
    let mut rest = words;
    while let Some(at) = rest.find('=') {
        let (before, after) = (&rest[..at], &rest[at + 1..]);
        let start = before
            .rfind(|c: char| !is_key(c))
            .map_or(0, |at| at + char_len(before, at));
        let key = &before[start..];
        // `a == b` and `a=` say nothing about a variable.
        let value = value_of(after);
        if key.starts_with(|c: char| c.is_alphabetic() || c == '_') && !value.is_empty() && sink.wants(key) {
            sink.set(key, scalar(value));
        }
        rest = &after[value.len()..];
        rest = rest.strip_prefix('=').unwrap_or(rest);
    }
    for (name, raw) in entries {
        // What is not JSON after all, such as a number that no double can represent, is text.
        let _ = json::assign(&name, raw, sink);
    }
}

fn char_len(text: &str, at: usize) -> usize {
    text[at..].chars().next().map_or(1, char::len_utf8)
}

fn is_key(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '.' | '-')
}

/// The value at the beginning of a text: up to its closing quote, or to the end of the word.
fn value_of(text: &str) -> &str {
    if let Some(inner) = text.strip_prefix('"')
        && let Some(end) = inner.find('"')
    {
        return &text[..end + 2];
    }
    let end = text.find(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | '=' | ')' | ']'));
    &text[..end.unwrap_or(text.len())]
}

/// The scalar that a text looks like: a number, a truth value, otherwise a string.
pub(crate) fn scalar(text: &str) -> Value {
    let text = text.trim();
    match text {
        "true" | "TRUE" => return Value::Bool(true),
        "false" | "FALSE" => return Value::Bool(false),
        "null" => return Value::Null,
        _ => {}
    }
    let inner = text.strip_prefix('"').and_then(|t| t.strip_suffix('"'));
    if let Some(inner) = inner {
        return Value::string(inner);
    }
    let number = text.starts_with(|c: char| c == '-' || c.is_ascii_digit());
    match number.then(|| serde_json::from_str::<serde_json::Number>(text)) {
        Some(Ok(number)) => serde_json::Value::Number(number).into(),
        _ => Value::string(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recorder::{Recorder, Recording};

    fn found(text: &str) -> String {
        let mut recorder = Recorder::new(Recording::default());
        let p = recorder.process("p");
        recorder.event(p, crate::problem::Place::NOWHERE);
        variables(text, &mut recorder);
        let computation = recorder.finish().unwrap();
        let state = computation.local_state(p, 1);
        state.iter().map(|(k, v)| format!("{k}:{v} ")).collect()
    }

    #[test]
    fn words_and_bodies_speak_of_variables() {
        assert_eq!(
            found("enter x=1, ok=true name=\"a b\" t=1.5s"),
            "name:\"a b\" ok:true t:\"1.5s\" x:1 "
        );
        assert_eq!(found("put k=2 {\"v\": [1], \"w\": \"z\"}"), "k:2 v:[1] w:\"z\" ");
        assert_eq!(found("a == b, =1 and 3=4, c="), "");
        assert_eq!(found("größe=7"), "größe:7 ");
    }
}
