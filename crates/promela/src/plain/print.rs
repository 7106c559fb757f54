//! Formats values and the output of `printf`.

use crate::model::{Expr, ExprKind, Model, MtypeId, Type};

/// A value of a type, as it would be written in a model.
pub(crate) fn shown(model: &Model, kind: Type, value: i32) -> String {
    match kind {
        Type::Bool => match value {
            0 => "false".to_owned(),
            1 => "true".to_owned(),
            other => other.to_string(),
        },
        Type::Mtype(set) => name(model, Some(set), value).unwrap_or_else(|| value.to_string()),
        Type::Unsigned(_) => (value as u32).to_string(),
        _ => value.to_string(),
    }
}

/// The symbolic name of a value, in one set or in any.
fn name(model: &Model, set: Option<MtypeId>, value: i32) -> Option<String> {
    let sets = match set {
        Some(set) => model.mtypes.get(set.0 as usize..=set.0 as usize)?,
        None => &model.mtypes,
    };
    let names = sets.iter().flat_map(|set| &set.names);
    names
        .filter(|(_, number)| *number == value)
        .map(|(name, _)| name.clone())
        .next()
}

/// The output of `printf`.
pub(super) fn formatted(model: &Model, format: &str, arguments: &[Expr], values: &[i32]) -> String {
    let mut text = String::new();
    let mut rest = arguments.iter().zip(values);
    let mut characters = format.chars();
    while let Some(character) = characters.next() {
        if character != '%' {
            text.push(character);
            continue;
        }
        let Some(conversion) = characters.next() else {
            text.push('%');
            break;
        };
        if conversion == '%' {
            text.push('%');
            continue;
        }
        let Some((argument, value)) = rest.next() else {
            text.extend(['%', conversion]);
            continue;
        };
        match conversion {
            #[expect(clippy::cast_possible_truncation, reason = "as in C, where a character is a byte")]
            'c' => text.push(char::from(*value as u8)),
            'd' | 'i' => text.push_str(&value.to_string()),
            'u' => text.push_str(&(*value as u32).to_string()),
            'x' => text.push_str(&format!("{value:x}")),
            'o' => text.push_str(&format!("{value:o}")),
            'e' => {
                let set = match &argument.kind {
                    ExprKind::Read(place) => match place.kind {
                        Type::Mtype(set) => Some(set),
                        _ => None,
                    },
                    _ => None,
                };
                text.push_str(&name(model, set, *value).unwrap_or_else(|| value.to_string()));
            }
            other => text.extend(['%', other]),
        }
    }
    text
}
