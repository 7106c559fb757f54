//! Values of variables, and their ids.
//!
//! A trace assigns few different values many times, so a computation keeps each
//! value once and refers to it by a [`ValueId`]. Two values are the same iff
//! they have the same id; in particular 1 and 1.0 are different values here,
//! though a predicate calls them equal.

use hashbrown::HashTable;
use std::collections::BTreeMap;
use std::fmt;
use std::hash::{BuildHasher, Hash, Hasher};
use std::sync::Arc;

/// A value, as in JSON.
#[derive(Clone, Debug, Default)]
pub enum Value {
    /// Not assigned, or assigned `null`.
    #[default]
    Null,
    /// A truth value.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// Any other number.
    Double(f64),
    /// Text.
    String(Arc<str>),
    /// A list.
    List(Arc<[Value]>),
    /// An object.
    Map(Arc<BTreeMap<String, Value>>),
}

impl Value {
    /// Text as a value.
    pub fn string(text: &str) -> Self {
        Self::String(text.into())
    }

    /// The value as JSON.
    pub fn to_json(&self) -> serde_json::Value {
        use serde_json::Value as Json;
        match self {
            Self::Null => Json::Null,
            Self::Bool(b) => Json::Bool(*b),
            Self::Int(n) => Json::from(*n),
            Self::Double(x) => serde_json::Number::from_f64(*x).map_or(Json::Null, Json::Number),
            Self::String(text) => Json::String(text.to_string()),
            Self::List(items) => Json::Array(items.iter().map(Self::to_json).collect()),
            Self::Map(entries) => Json::Object(entries.iter().map(|(k, v)| (k.clone(), v.to_json())).collect()),
        }
    }

    fn rank(&self) -> u8 {
        match self {
            Self::Null => 0,
            Self::Bool(_) => 1,
            Self::Int(_) => 2,
            Self::Double(_) => 3,
            Self::String(_) => 4,
            Self::List(_) => 5,
            Self::Map(_) => 6,
        }
    }
}

impl From<serde_json::Value> for Value {
    fn from(json: serde_json::Value) -> Self {
        use serde_json::Value as Json;
        match json {
            Json::Null => Self::Null,
            Json::Bool(b) => Self::Bool(b),
            Json::Number(n) => match (n.as_i64(), n.as_f64()) {
                (Some(n), _) => Self::Int(n),
                (None, x) => Self::Double(x.unwrap_or(f64::NAN)),
            },
            Json::String(text) => Self::String(text.into()),
            Json::Array(items) => Self::List(items.into_iter().map(Self::from).collect()),
            Json::Object(entries) => {
                Self::Map(Arc::new(entries.into_iter().map(|(k, v)| (k, Self::from(v))).collect()))
            }
        }
    }
}

impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Null, Self::Null) => true,
            (Self::Bool(a), Self::Bool(b)) => a == b,
            (Self::Int(a), Self::Int(b)) => a == b,
            (Self::Double(a), Self::Double(b)) => a.to_bits() == b.to_bits(),
            (Self::String(a), Self::String(b)) => a == b,
            (Self::List(a), Self::List(b)) => a == b,
            (Self::Map(a), Self::Map(b)) => a == b,
            _ => false,
        }
    }
}

impl Eq for Value {}

impl Hash for Value {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.rank().hash(state);
        match self {
            Self::Null => {}
            Self::Bool(b) => b.hash(state),
            Self::Int(n) => n.hash(state),
            Self::Double(x) => x.to_bits().hash(state),
            Self::String(text) => text.hash(state),
            Self::List(items) => items.hash(state),
            Self::Map(entries) => entries.hash(state),
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.to_json().fmt(f)
    }
}

/// The id of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ValueId(u32);

impl ValueId {
    /// The id of [`Value::Null`].
    pub const NULL: Self = Self(0);

    /// Its position in the table of values.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Whole numbers from 0 up to this have fixed ids, found without hashing.
const SMALL: i64 = 1024;
/// The id of 0.
const ZERO: u32 = 3;

/// Every value of a computation, each once.
#[derive(Clone, Debug)]
pub struct Values {
    values: Vec<Value>,
    table: HashTable<u32>,
    hasher: foldhash::fast::FixedState,
}

impl Default for Values {
    fn default() -> Self {
        let mut values = vec![Value::Null, Value::Bool(false), Value::Bool(true)];
        values.extend((0..SMALL).map(Value::Int));
        Self {
            values,
            table: HashTable::new(),
            hasher: foldhash::fast::FixedState::default(),
        }
    }
}

impl Values {
    /// The id of `value`, which is added if it is new.
    pub fn intern(&mut self, value: Value) -> ValueId {
        match value {
            Value::Null => return ValueId::NULL,
            Value::Bool(b) => return ValueId(1 + u32::from(b)),
            #[expect(clippy::cast_possible_truncation, reason = "it is small")]
            Value::Int(n) if (0..SMALL).contains(&n) => return ValueId(ZERO + n as u32),
            _ => {}
        }
        let hash = self.hasher.hash_one(&value);
        if let Some(id) = self.table.find(hash, |&id| self.values[id as usize] == value) {
            return ValueId(*id);
        }
        self.keep(hash, value)
    }

    /// The id of a text, which is copied only if it is new.
    pub fn intern_str(&mut self, text: &str) -> ValueId {
        let hash = {
            // As `Value::String(text)` hashes.
            let mut state = self.hasher.build_hasher();
            4u8.hash(&mut state);
            text.hash(&mut state);
            state.finish()
        };
        let same = |&id: &u32| matches!(&self.values[id as usize], Value::String(known) if **known == *text);
        if let Some(id) = self.table.find(hash, same) {
            return ValueId(*id);
        }
        self.keep(hash, Value::string(text))
    }

    /// The value with this id.
    pub fn get(&self, id: ValueId) -> &Value {
        &self.values[id.index()]
    }

    fn keep(&mut self, hash: u64, value: Value) -> ValueId {
        let id = u32::try_from(self.values.len()).expect("fewer than 2^32 values");
        self.values.push(value);
        let (values, hasher) = (&self.values, &self.hasher);
        self.table
            .insert_unique(hash, id, |&id| hasher.hash_one(&values[id as usize]));
        ValueId(id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_has_one_number() {
        let mut values = Values::default();
        let all = [
            Value::Null,
            Value::Bool(true),
            Value::Int(7),
            Value::Int(-1),
            Value::Int(SMALL),
            Value::Double(7.0),
            Value::string("7"),
            Value::List([Value::Int(7)].into()),
        ];
        let ids: Vec<_> = all.iter().map(|v| values.intern(v.clone())).collect();
        for (id, value) in ids.iter().zip(&all) {
            assert_eq!(values.get(*id), value);
            assert_eq!(values.intern(value.clone()), *id);
        }
        assert_eq!(values.intern_str("7"), ids[6]);
        let distinct: std::collections::BTreeSet<_> = ids.iter().collect();
        assert_eq!(distinct.len(), all.len());
    }
}
