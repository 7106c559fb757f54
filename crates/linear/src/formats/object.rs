//! The objects that recorded histories can be compared with, and the names of their operations.

/// An object that a recorded history can be compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Object {
    /// Read and write.
    Register,
    /// Read, write, compare and swap.
    CasRegister,
    /// A register, or a text, for each key.
    Kv,
    /// Add and read.
    Counter,
    /// Add, remove, contains, read.
    Set,
    /// Add and read.
    GSet,
    /// First in, first out.
    Queue,
    /// Last in, first out.
    Stack,
    /// Acquire and release.
    Mutex,
    /// Append and read.
    AppendList,
}

impl Object {
    /// All of them.
    pub const ALL: [Self; 10] = [
        Self::Register,
        Self::CasRegister,
        Self::Kv,
        Self::Counter,
        Self::Set,
        Self::GSet,
        Self::Queue,
        Self::Stack,
        Self::Mutex,
        Self::AppendList,
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Register => "register",
            Self::CasRegister => "cas-register",
            Self::Kv => "kv",
            Self::Counter => "counter",
            Self::Set => "set",
            Self::GSet => "g-set",
            Self::Queue => "queue",
            Self::Stack => "stack",
            Self::Mutex => "mutex",
            Self::AppendList => "append-list",
        }
    }

    /// The names of its operations. Each list has the names of one operation, the usual one first.
    pub fn functions(self) -> &'static [&'static [&'static str]] {
        match self {
            Self::Register => &[READ, WRITE],
            Self::CasRegister => &[READ, WRITE, CAS],
            Self::Kv => &[READ, WRITE, CAS, DELETE, APPEND],
            Self::Counter => &[READ, ADD, INCREMENT, DECREMENT, &["add-and-get", "increment-and-get"]],
            Self::Set => &[READ, ADD, &["remove", "delete"], &["contains", "contains?", "member"]],
            Self::GSet => &[READ, ADD],
            Self::Queue => &[
                &["enqueue", "push", "offer", "add", "send"],
                &["dequeue", "pop", "poll", "take", "receive"],
            ],
            Self::Stack => &[&["push"], &["pop"]],
            Self::Mutex => &[
                &["acquire", "lock"],
                &["release", "unlock"],
                &["try-acquire", "try-lock"],
            ],
            Self::AppendList => &[READ, APPEND],
        }
    }
}

const READ: &[&str] = &["read", "get"];
const WRITE: &[&str] = &["write", "put", "set"];
const CAS: &[&str] = &["cas", "compare-and-swap", "compare-and-set"];
const DELETE: &[&str] = &["delete"];
const ADD: &[&str] = &["add"];
const APPEND: &[&str] = &["append"];
const INCREMENT: &[&str] = &["increment", "inc"];
const DECREMENT: &[&str] = &["decrement", "dec"];
