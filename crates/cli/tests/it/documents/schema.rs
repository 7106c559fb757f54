//! The part of JSON Schema that `docs/schema` uses, stricter in one respect.
//!
//! If a schema lists properties and says nothing about others, an object must have no others. For
//! readers of outputs, a published schema leaves room for future fields. For us, a
//! field that no schema has is undocumented. The validator remembers which properties it has
//! seen, so it also notices a property that no output has.

use crate::documents::document::root;
use serde_json::Value;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

/// The schemas, by the names of their files.
pub struct Schemas {
    files: BTreeMap<String, Value>,
    /// Properties that occurred in some value.
    seen: RefCell<BTreeSet<String>>,
}

/// A piece of a schema.
#[derive(Clone, Copy)]
struct Piece<'a> {
    file: &'a str,
    schema: &'a Value,
}

impl Schemas {
    pub fn read() -> Self {
        let files = std::fs::read_dir(root().join("docs/schema")).expect("there are schemas");
        let read = |entry: std::io::Result<std::fs::DirEntry>| {
            let path = entry.expect("a file").path();
            let name = path.file_name().expect("it has one").to_string_lossy().into_owned();
            let text = std::fs::read_to_string(&path).expect("a text");
            let schema = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
            (name, schema)
        };
        Self {
            files: files.map(read).collect(),
            seen: RefCell::default(),
        }
    }

    /// Schemas that are not on disk.
    #[cfg(test)]
    fn of(name: &str, schema: Value) -> Self {
        Self {
            files: BTreeMap::from([(name.to_owned(), schema)]),
            seen: RefCell::default(),
        }
    }

    /// The problems of a value, with their places.
    pub fn problems(&self, file: &str, value: &Value) -> Vec<String> {
        let (file, schema) = self.files.get_key_value(file).expect("there is such a schema");
        let (mut problems, mut seen) = (Vec::new(), BTreeSet::new());
        self.validate(Piece { file, schema }, value, "", &mut problems, &mut seen);
        if problems.is_empty() {
            self.seen.borrow_mut().extend(seen);
        }
        problems
    }

    /// The properties that no value has had so far.
    pub fn unseen(&self) -> Vec<String> {
        let mut all = BTreeSet::new();
        for (file, schema) in &self.files {
            properties(file, schema, &mut all);
        }
        let seen = self.seen.borrow();
        all.into_iter().filter(|property| !seen.contains(property)).collect()
    }

    fn resolve<'a>(&'a self, from: Piece<'a>, reference: &str) -> Piece<'a> {
        let (file, pointer) = reference.split_once('#').expect("a reference has a fragment");
        let file = if file.is_empty() { from.file } else { file };
        let (file, schema) = self
            .files
            .get_key_value(file)
            .unwrap_or_else(|| panic!("there is no {file}"));
        let schema = schema
            .pointer(pointer)
            .unwrap_or_else(|| panic!("{file} has no {pointer}"));
        Piece { file, schema }
    }

    fn validate<'a>(
        &'a self,
        piece: Piece<'a>,
        value: &Value,
        at: &str,
        problems: &mut Vec<String>,
        seen: &mut BTreeSet<String>,
    ) {
        let Piece { file, schema } = piece;
        let keywords = schema.as_object().expect("a schema is an object");
        let none = serde_json::Map::new();
        let inside = |schema| Piece { file, schema };
        let known = keywords
            .get("properties")
            .map_or(&none, |p| p.as_object().expect("an object"));
        let here = if at.is_empty() { "/" } else { at };
        let wrong = keywords
            .iter()
            .flat_map(|(keyword, argument)| assertion(file, keyword, argument, value));
        problems.extend(wrong.map(|what| format!("{here}: {what}")));
        if let Some(reference) = keywords.get("$ref") {
            let target = self.resolve(piece, reference.as_str().expect("a text"));
            self.validate(target, value, at, problems, seen);
        }
        if let (Some(items), Some(values)) = (keywords.get("items"), value.as_array()) {
            for (k, value) in values.iter().enumerate() {
                self.validate(inside(items), value, &format!("{at}/{k}"), problems, seen);
            }
        }
        if let Some(alternatives) = keywords.get("anyOf") {
            self.any(piece, alternatives, value, at, problems, seen);
        }
        if let Some(object) = value.as_object() {
            for (name, value) in object {
                let at = format!("{at}/{name}");
                let other = keywords.get("additionalProperties");
                match (known.get(name), other) {
                    (Some(schema), _) => {
                        seen.insert(property(file, known, name));
                        self.validate(inside(schema), value, &at, problems, seen);
                    }
                    (None, Some(schema)) if schema.is_object() => {
                        self.validate(inside(schema), value, &at, problems, seen);
                    }
                    (None, None) if known.is_empty() => {}
                    (None, _) => problems.push(format!("{at}: the schema has no such property")),
                }
            }
        }
    }

    /// One of several schemas. If a value fits none, the problems with the closest schema.
    fn any<'a>(
        &'a self,
        piece: Piece<'a>,
        alternatives: &'a Value,
        value: &Value,
        at: &str,
        problems: &mut Vec<String>,
        seen: &mut BTreeSet<String>,
    ) {
        let mut closest: Option<(Vec<String>, BTreeSet<String>)> = None;
        for schema in alternatives.as_array().expect("a list") {
            let (mut found, mut here) = (Vec::new(), BTreeSet::new());
            self.validate(Piece { schema, ..piece }, value, at, &mut found, &mut here);
            if closest.as_ref().is_none_or(|(least, _)| found.len() < least.len()) {
                closest = Some((found, here));
            }
        }
        let (found, here) = closest.expect("there is an alternative");
        problems.extend(found);
        seen.extend(here);
    }
}

/// The name of a property: its file, and the properties beside it.
fn property(file: &str, list: &serde_json::Map<String, Value>, name: &str) -> String {
    let all: Vec<&str> = list.keys().map(String::as_str).collect();
    format!("{file}: `{name}` of {{{}}}", all.join(", "))
}

fn properties(file: &str, schema: &Value, all: &mut BTreeSet<String>) {
    match schema {
        Value::Object(keywords) => {
            for (keyword, argument) in keywords {
                if keyword == "properties" {
                    let list = argument.as_object().expect("an object");
                    all.extend(list.keys().map(|name| property(file, list, name)));
                    list.values().for_each(|schema| properties(file, schema, all));
                } else {
                    properties(file, argument, all);
                }
            }
        }
        Value::Array(schemas) => schemas.iter().for_each(|schema| properties(file, schema, all)),
        _ => {}
    }
}

/// The problem of a value with a keyword about the value itself, not about its parts.
fn assertion(file: &str, keyword: &str, argument: &Value, value: &Value) -> Vec<String> {
    let wrong = |is_wrong: bool, what: String| if is_wrong { vec![what] } else { Vec::new() };
    match keyword {
        "$schema" | "$defs" | "title" | "description" | "properties" | "additionalProperties" => Vec::new(),
        "items" | "$ref" | "anyOf" => Vec::new(),
        "type" => wrong(
            !is_of_type(value, argument),
            format!("{value} is not of type {argument}"),
        ),
        "enum" => wrong(
            !argument.as_array().expect("a list").contains(value),
            format!("{value} is none of {argument}"),
        ),
        "const" => wrong(value != argument, format!("{value} is not {argument}")),
        "minimum" => wrong(
            value.as_f64() < argument.as_f64() && value.is_number(),
            format!("{value} is less than {argument}"),
        ),
        "required" => {
            let names = argument.as_array().expect("a list").iter();
            let names = names.map(|name| name.as_str().expect("a name"));
            let missing = names.filter(|name| value.as_object().is_some_and(|object| !object.contains_key(*name)));
            missing.map(|name| format!("there is no `{name}`")).collect()
        }
        other => panic!("{file}: the keyword `{other}` is not supported"),
    }
}

fn is_of_type(value: &Value, types: &Value) -> bool {
    let is = |name: &Value| match name.as_str().expect("a type is a text") {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("there is no type `{other}`"),
    };
    types.as_array().map_or_else(|| is(types), |types| types.iter().any(is))
}

#[test]
fn what_does_not_fit_is_noticed() {
    use serde_json::json;
    let schemas = Schemas::of(
        "s.json",
        json!({
            "type": "object",
            "required": ["n"],
            "properties": {
                "n": {"type": "integer", "minimum": 1},
                "kind": {"enum": ["a", "b"]},
                "list": {"type": "array", "items": {"anyOf": [{"$ref": "#/$defs/pair"}, {"type": "null"}]}},
                "map": {"type": "object", "additionalProperties": {"type": "boolean"}},
            },
            "$defs": {"pair": {"type": "object", "required": ["x"], "properties": {"x": {"const": 7}}}},
        }),
    );
    let wrong = |value: Value| schemas.problems("s.json", &value).len();
    assert_eq!(wrong(json!({"n": 1})), 0);
    assert_eq!(schemas.unseen().len(), 4, "{:?}", schemas.unseen());
    assert_eq!(
        wrong(json!({"n": 1, "kind": "a", "list": [null, {"x": 7}], "map": {"y": true}})),
        0
    );
    assert!(schemas.unseen().is_empty(), "{:?}", schemas.unseen());
    assert_eq!(wrong(json!({})), 1);
    assert_eq!(wrong(json!({"n": 0})), 1);
    assert_eq!(wrong(json!({"n": "1"})), 1);
    assert_eq!(wrong(json!({"n": 1, "more": 1})), 1);
    assert_eq!(wrong(json!({"n": 1, "kind": "c"})), 1);
    assert_eq!(wrong(json!({"n": 1, "list": [{"x": 8}]})), 1);
    assert_eq!(wrong(json!({"n": 1, "list": [{"x": 7, "y": 1}]})), 1);
    assert_eq!(wrong(json!({"n": 1, "map": {"y": 1}})), 1);
    assert_eq!(wrong(json!([])), 1);
}
