//! Records with a misspelt key.
//!
//! People who write records by hand get a letter wrong, use the plural, another case or a word
//! of another format. Such a record must be refused; otherwise the value of the key would be
//! lost silently.

use super::retelling::Record;
use fastrand::Rng;
use serde_json::{Map, Value as Json};

/// How a key can be misspelt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Slip {
    /// A letter is left out.
    Lost,
    /// A letter is written twice.
    Doubled,
    /// Two letters change places.
    Swapped,
    /// Another case.
    Case,
    /// An `s` too many.
    Plural,
    /// A space after it.
    Space,
    /// Another word.
    Word,
    /// The key occurs twice.
    Twice,
}

impl Slip {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::Lost,
        Self::Doubled,
        Self::Swapped,
        Self::Case,
        Self::Plural,
        Self::Space,
        Self::Word,
        Self::Twice,
    ];
}

const WORDS: [&str; 6] = ["host", "state", "receive", "sent", "label", "x"];

/// A record with a slip in one of its keys: the key, and the line. `None` if that key stays as it was.
pub fn misspelt(rng: &mut Rng, record: &Record, slip: Slip) -> Option<(String, String)> {
    let fields: Map<String, Json> = serde_json::from_str(&record.json).expect("records are objects");
    let key = fields.keys().nth(rng.usize(..fields.len()))?.clone();
    let mut letters: Vec<char> = key.chars().collect();
    let at = rng.usize(..letters.len());
    match slip {
        Slip::Lost => drop(letters.remove(at)),
        Slip::Doubled => letters.insert(at, letters[at]),
        Slip::Swapped => {
            let other = rng.usize(..letters.len());
            letters.swap(at, other);
        }
        Slip::Case => letters[at] = letters[at].to_ascii_uppercase(),
        Slip::Plural => letters.push('s'),
        Slip::Space => letters.push(' '),
        Slip::Word => letters = rng.choice(WORDS)?.chars().collect(),
        Slip::Twice => {}
    }
    let slipped: String = letters.into_iter().collect();
    if slip == Slip::Twice {
        let again = format!("{{{}:{},", Json::from(key.as_str()), fields[&key]);
        return Some((key, record.json.replacen('{', &again, 1)));
    }
    if fields.contains_key(&slipped) {
        return None;
    }
    // Written by hand, so that the order of the fields stays.
    let quoted = |name: &str| format!("{}:", Json::from(name));
    let line = fields.iter().map(|(name, value)| match *name == key {
        true => format!("{}{value}", quoted(&slipped)),
        false => format!("{}{value}", quoted(name)),
    });
    let line: Vec<String> = line.collect();
    Some((key, format!("{{{}}}", line.join(","))))
}
