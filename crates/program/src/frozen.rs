//! Types without interior mutability: what is behind a shared reference to them does not change.
//!
//! A critical section that only dereferences its guard is a read if, and only if, the data has such
//! a type. The compiler knows these types (`Freeze`) but does not tell, so we go by the name of
//! the type: it must consist of names of std's types that own their data. A type that
//! is not recognised is assumed to change, which costs executions, not soundness. A program can vouch for
//! its own types with [`declare_frozen`].

use std::any::type_name;
use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, PoisonError};

/// Full names, up to the parameters.
const OWNING: &[&str] = &[
    "alloc::boxed::Box",
    "alloc::collections::binary_heap::BinaryHeap",
    "alloc::collections::btree::map::BTreeMap",
    "alloc::collections::btree::set::BTreeSet",
    "alloc::collections::linked_list::LinkedList",
    "alloc::collections::vec_deque::VecDeque",
    "alloc::string::String",
    "alloc::vec::Vec",
    "core::cmp::Ordering",
    "core::cmp::Reverse",
    "core::num::wrapping::Wrapping",
    "core::option::Option",
    "core::ops::range::Range",
    "core::result::Result",
    "core::time::Duration",
    "std::collections::hash::map::HashMap",
    "std::collections::hash::set::HashSet",
    "std::hash::random::RandomState",
    "alloc::alloc::Global",
];

const PRIMITIVE: &[&str] = &[
    "bool", "char", "u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "i128", "isize", "f32",
    "f64", "str",
];

/// Other types whose destructors only drop what is in them. Primitives list theirs themselves.
const SILENT: &[&str] = &[
    "alloc::sync::Arc",
    "core::cell::Cell",
    "core::cell::RefCell",
    "core::cell::UnsafeCell",
    "core::sync::atomic::Atomic",
    "mazurka::cell::Cell",
    "mazurka::cell::UnsafeCell",
    "mazurka::sync::monitor::Monitor",
    "std::sync::poison::mutex::Mutex",
    "std::sync::poison::rwlock::RwLock",
];

/// Where atomics are.
const ATOMICS: &str = "mazurka::sync::atomic::Atomic";

/// What is known of types, by name; filled as they are met.
static KNOWN: LazyLock<Mutex<HashMap<&'static str, bool>>> = LazyLock::new(|| Mutex::new(HashMap::new()));

/// Vouches that values of the type do not change behind a shared reference, not even in part.
///
/// Critical sections that only look at such a value then commute. If the claim is false, violations can be missed.
///
/// ```
/// use mazurka::{Checker, declare_frozen, sync::Mutex, thread};
///
/// struct Config { retries: u32 }
/// declare_frozen::<Config>();
///
/// let report = Checker::new().run(|| {
///     let config = Mutex::new(Config { retries: 3 });
///     thread::scope(|s| {
///         s.spawn(|| assert_eq!(config.lock().unwrap().retries, 3));
///         s.spawn(|| assert_eq!(config.lock().unwrap().retries, 3));
///     });
/// });
/// assert_eq!(report.executions, 1);
/// ```
pub fn declare_frozen<T: ?Sized>() {
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    known.insert(type_name::<T>(), true);
}

/// True for `()`.
pub(crate) fn is_nothing<T: ?Sized>() -> bool {
    type_name::<T>() == "()"
}

/// True if a shared reference to the type surely cannot change the value.
pub(crate) fn is_frozen<T: ?Sized>() -> bool {
    let name = type_name::<T>();
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(&frozen) = known.get(name) {
        return frozen;
    }
    // What `()` stands for is unknown.
    let frozen = name != "()" && recognised(name, &known);
    known.insert(name, frozen);
    frozen
}

/// True if every name in a type's name is one of those above, or was vouched for.
fn recognised(name: &str, known: &HashMap<&'static str, bool>) -> bool {
    if name.contains("dyn ") || name.contains(['*', '&']) || name.contains("fn(") {
        return false;
    }
    parts(name).all(|n| owns(n) || known.get(n).copied().unwrap_or(false))
}

/// The names in a type's name.
fn parts(name: &str) -> impl Iterator<Item = &str> {
    let separators = |c: char| matches!(c, '<' | '>' | '(' | ')' | '[' | ']' | ',' | ';' | ' ');
    name.split(separators).filter(|n| !n.is_empty())
}

/// True for the name of a type that owns its data, and for the length of an array.
fn owns(name: &str) -> bool {
    PRIMITIVE.contains(&name) || OWNING.contains(&name) || name.bytes().all(|b| b.is_ascii_digit())
}

/// True if dropping a value of the type surely does nothing that a program could notice.
pub(crate) fn drops_silently<T: ?Sized>() -> bool {
    let name = type_name::<T>();
    let hidden = name.contains("dyn ") || name.contains("{{");
    !hidden && parts(name).all(|n| owns(n) || is_silent(n))
}

/// True for the name of a type whose destructor only drops what is in it.
fn is_silent(name: &str) -> bool {
    SILENT.contains(&name)
        || crate::sync::SILENT.iter().any(|of_type| of_type.contains(&name))
        || name.starts_with(ATOMICS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_that_own_their_data() {
        assert!(is_frozen::<u32>());
        assert!(is_frozen::<Vec<(String, [Option<u8>; 3])>>());
        assert!(is_frozen::<HashMap<String, u64>>());
        assert!(is_frozen::<std::collections::VecDeque<Box<i32>>>());
    }

    #[test]
    fn types_that_may_change_when_looked_at() {
        assert!(!is_frozen::<std::cell::Cell<u32>>());
        assert!(!is_frozen::<Vec<std::sync::atomic::AtomicU8>>());
        assert!(!is_frozen::<&'static u32>());
        assert!(!is_frozen::<Box<dyn Fn()>>());
        assert!(!is_frozen::<()>());
        struct Own(#[allow(dead_code)] u8);
        assert!(!is_frozen::<Own>());
    }

    #[test]
    fn destructors_that_nobody_notices() {
        use crate::sync::{Mutex, atomic::AtomicBool, mpsc};
        assert!(drops_silently::<Vec<(String, AtomicBool, Mutex<Vec<u8>>)>>());
        assert!(!drops_silently::<Vec<mpsc::Sender<u8>>>());
        assert!(!drops_silently::<Box<dyn Fn()>>());
        struct Mine(#[allow(dead_code)] Vec<u8>);
        assert!(!drops_silently::<Option<Mine>>());
    }

    #[test]
    fn a_program_can_vouch_for_its_types() {
        struct Mine(#[allow(dead_code)] u8);
        assert!(!is_frozen::<Mine>());
        declare_frozen::<Mine>();
        assert!(is_frozen::<Mine>());
    }
}
