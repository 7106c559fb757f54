//! The stable public methods of std's types, up to Rust 1.92, and where ours are. A name that is missing needs a reason.
//! (The orderings of atomics are a matter of their own, and so are their names.)

use crate::sources::sources;

/// A module of std, the files that mirror it, and the methods of its types.
const STD: &[(&str, &[&str], &[&str])] = &[
    (
        "sync::Mutex",
        &["sync/mutex/mod.rs"],
        &[
            "new",
            "lock",
            "try_lock",
            "is_poisoned",
            "clear_poison",
            "into_inner",
            "get_mut",
        ],
    ),
    (
        "sync::RwLock",
        &["sync/rwlock/mod.rs"],
        &[
            "new",
            "read",
            "try_read",
            "write",
            "try_write",
            "is_poisoned",
            "clear_poison",
            "into_inner",
            "get_mut",
            "downgrade",
        ],
    ),
    (
        "sync::Condvar",
        &["sync/condvar/mod.rs"],
        &[
            "new",
            "wait",
            "wait_while",
            "wait_timeout",
            "wait_timeout_while",
            "wait_timeout_ms",
            "notify_one",
            "notify_all",
            "timed_out",
        ],
    ),
    ("sync::Barrier", &["sync/barrier.rs"], &["new", "wait", "is_leader"]),
    (
        "sync::Once, OnceLock, LazyLock",
        &["sync/once/mod.rs"],
        &[
            "new",
            "call_once",
            "call_once_force",
            "is_completed",
            "wait",
            "wait_force",
            "is_poisoned",
            "get",
            "get_mut",
            "set",
            "get_or_init",
            "into_inner",
            "take",
            "force",
        ],
    ),
    (
        "sync::Arc, Weak",
        &["sync/arc/mod.rs", "sync/arc/raw.rs", "sync/arc/convert.rs"],
        &[
            "new",
            "new_cyclic",
            "new_uninit",
            "new_uninit_slice",
            "assume_init",
            "pin",
            "try_unwrap",
            "into_inner",
            "into_raw",
            "as_ptr",
            "from_raw",
            "downgrade",
            "weak_count",
            "strong_count",
            "increment_strong_count",
            "decrement_strong_count",
            "ptr_eq",
            "make_mut",
            "unwrap_or_clone",
            "get_mut",
            "downcast",
            "upgrade",
        ],
    ),
    (
        "sync::mpsc",
        &["sync/mpsc/mod.rs"],
        &[
            "channel",
            "sync_channel",
            "send",
            "try_send",
            "recv",
            "try_recv",
            "recv_timeout",
            "iter",
            "try_iter",
        ],
    ),
    (
        "thread",
        &[
            "thread/mod.rs",
            "thread/builder.rs",
            "thread/handle.rs",
            "thread/scope.rs",
            "thread/parker.rs",
            "thread/local.rs",
        ],
        &[
            "spawn",
            "scope",
            "current",
            "sleep",
            "sleep_ms",
            "yield_now",
            "park",
            "park_timeout",
            "park_timeout_ms",
            "new",
            "name",
            "stack_size",
            "spawn_scoped",
            "spawn_unchecked",
            "thread",
            "join",
            "is_finished",
            "id",
            "unpark",
            "with",
            "try_with",
            "set",
            "get",
            "take",
            "replace",
            "with_borrow",
            "with_borrow_mut",
        ],
    ),
    (
        "time",
        &["time.rs"],
        &[
            "now",
            "duration_since",
            "checked_duration_since",
            "saturating_duration_since",
            "elapsed",
            "checked_add",
            "checked_sub",
        ],
    ),
    (
        "net",
        &["net/tcp.rs", "net/udp.rs"],
        &[
            "bind",
            "local_addr",
            "accept",
            "incoming",
            "connect",
            "connect_timeout",
            "peer_addr",
            "shutdown",
            "try_clone",
            "set_nonblocking",
            "set_read_timeout",
            "read_timeout",
            "set_write_timeout",
            "write_timeout",
            "set_nodelay",
            "send",
            "send_to",
            "recv",
            "recv_from",
            "peek",
            "peek_from",
            "nodelay",
            "set_ttl",
            "ttl",
            "take_error",
            "set_broadcast",
            "broadcast",
        ],
    ),
];

/// Names that are missing, and why.
const MISSING: &[(&str, &[&str])] = &[
    ("deprecated", &["wait_timeout_ms", "park_timeout_ms", "sleep_ms"]),
    (
        "its promise is about lifetimes that a check cannot keep for its caller",
        &["spawn_unchecked"],
    ),
    (
        "options of real networks, which the network of a check does not have",
        &["nodelay", "set_ttl", "ttl", "take_error", "set_broadcast", "broadcast"],
    ),
    (
        "a read of a check's network takes what it reads",
        &["peek", "peek_from"],
    ),
];

#[test]
fn every_stable_method_is_there_or_has_a_reason() {
    let files: Vec<_> = ["", "sync", "thread", "net"].into_iter().flat_map(sources).collect();
    let mut missing = Vec::new();
    for (module, paths, methods) in STD {
        let text: String = files
            .iter()
            .filter(|file| paths.iter().any(|path| file.path == *path))
            .map(|file| file.text.as_str())
            .collect();
        assert!(!text.is_empty(), "{module}: {paths:?}");
        for method in *methods {
            let declared = ["pub fn ", "pub const fn ", "pub unsafe fn "]
                .iter()
                .flat_map(|head| [format!("{head}{method}("), format!("{head}{method}<")])
                .any(|head| text.contains(&head));
            if !declared {
                missing.push(*method);
            }
        }
    }
    let mut explained: Vec<&str> = MISSING.iter().flat_map(|(_, names)| *names).copied().collect();
    missing.sort_unstable();
    explained.sort_unstable();
    assert_eq!(missing, explained);
}

/// Sizes that are std's, and the one word that the others have besides.
#[test]
#[cfg(target_pointer_width = "64")]
fn sizes_are_those_of_std_or_one_word_more() {
    use mazurka::sync as ours;
    use std::sync as theirs;
    macro_rules! words {
        ($extra:expr; $($type:ident $(:: $part:ident)* $(<$of:ty>)?),+ $(,)?) => {
            $(
                let (mine, std) = (size_of::<ours::$type $(:: $part)* $(<$of>)?>(), size_of::<theirs::$type $(:: $part)* $(<$of>)?>());
                // A word, and what it takes to align it.
                assert!(mine <= (std + 8 * $extra).next_multiple_of(8), concat!(stringify!($type $(:: $part)*), ": {} and not {}"), mine, std);
            )+
        };
    }
    words!(0; Arc<u64>, Weak<u64>, Arc<str>, mpsc::Sender<u64>, mpsc::SyncSender<u64>, mpsc::Receiver<u64>);
    words!(
        1;
        atomic::AtomicBool,
        atomic::AtomicU8,
        atomic::AtomicU16,
        atomic::AtomicU32,
        atomic::AtomicU64,
        atomic::AtomicPtr<u8>,
        Mutex<()>,
        Mutex<u64>,
        RwLock<u64>,
        Condvar,
        OnceLock<u64>,
        Barrier,
    );
}
