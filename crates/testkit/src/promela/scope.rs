//! What can be named at a point of a random model.

/// A scalar variable, array element or field that may be read and assigned.
#[derive(Clone, Debug)]
pub(super) struct Cell {
    /// How it is written. `#` stands for an index that is safe, chosen at each use.
    pub text: String,
    pub sort: Sort,
    /// How many elements `#` ranges over.
    pub length: usize,
}

/// The kinds of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sort {
    /// Numbers, usually below the modulus.
    Number { modulus: u32, wraps: bool },
    /// Symbolic names of the set without a name.
    Mtype,
    /// Symbolic names of the set `colour`.
    Colour,
}

/// A field whose type is not known: at least 0 and 1 fit, and values are at most 2.
pub(super) const ANY: &str = "any";

impl Sort {
    /// A bit or a truth value.
    pub const BIT: Self = Self::Number {
        modulus: 2,
        wraps: true,
    };

    pub fn is_number(self) -> bool {
        matches!(self, Self::Number { .. })
    }
}

/// A channel.
#[derive(Clone, Debug)]
pub(super) struct Channel {
    /// How it is written; `#` as in [`Cell::text`].
    pub text: String,
    pub length: usize,
    pub fields: Vec<Field>,
    /// Rendezvous if false.
    pub buffered: bool,
}

impl Channel {
    /// Whether it holds messages in each run; a process may be started with one that does not.
    pub fn always_buffered(&self) -> bool {
        self.buffered && self.text != "q"
    }
}

/// A field of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Field {
    Number {
        kind: &'static str,
        modulus: u32,
    },
    Mtype,
    /// A record with one number below 2 and one below 3: its type is `Pair`.
    Pair,
    /// A channel with one field, a number.
    Channel,
}

impl Field {
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Number { kind, .. } => kind,
            Self::Mtype => "mtype",
            Self::Pair => "Pair",
            Self::Channel => "chan",
        }
    }
}

/// A proctype that can be created, by its parameters.
#[derive(Clone, Debug)]
pub(super) struct Creatable {
    pub name: String,
    pub parameters: Vec<Parameter>,
}

#[derive(Clone, Debug)]
pub(super) enum Parameter {
    Number(u32),
    Mtype,
    /// A channel of one number.
    Channel,
}

/// A process that is there from the start and never ends, so that others may refer to
/// what it does.
#[derive(Clone, Debug)]
pub(super) struct Remote {
    pub name: String,
    pub label: String,
    /// A local variable of its own.
    pub variable: Option<String>,
}

/// The context of a statement.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    /// How deep compound statements are nested.
    pub depth: u8,
    /// Whether a `break` would leave a loop of the same `d_step`, if any.
    pub in_loop: bool,
    /// In a `d_step` all choices are deterministic and nothing waits.
    pub in_d_step: bool,
    pub in_atomic: bool,
    /// Whether it is the first one of an option or an atomic sequence, where SPIN wants
    /// no label.
    pub first: bool,
}
