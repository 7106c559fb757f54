//! The random programs use every statement, operation and method. Searches are compared with the plain one only on what these programs do.

use crate::random::{Log, Program, program, run, size};
use crate::sources::{Source, body, object_types, sources, variants};
use mazurka::{Checker, Granularity, ObjectNumber, Strategy};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

const SEEDS: u64 = 4_000;

/// The program of a seed, as the comparison of searches draws it.
fn drawn_for(seed: u64) -> Program {
    let (threads, statements) = size(seed);
    program(seed, threads, statements, true)
}

#[test]
fn every_statement_is_drawn() {
    let drawn: BTreeSet<String> = (0..SEEDS)
        .flat_map(drawn_for)
        .flatten()
        .map(|s| format!("{s:?}"))
        .map(|s| s.split('(').next().unwrap().to_owned())
        .collect();
    let all = variants(include_str!("random/mod.rs"), "Statement");
    assert!(all.len() > 80, "{}", all.len());
    let missing: Vec<_> = all.iter().filter(|s| !drawn.contains(*s)).collect();
    assert!(missing.is_empty(), "no program has {missing:?}");
}

/// The verbs of all operations, with the names of the operations.
fn verbs() -> Vec<(Vec<String>, String)> {
    let mut verbs = Vec::new();
    // What tasks do is in the random programs of `mazurka-tokio`, and what nodes do is in `distributed.rs`.
    let elsewhere = |source: &Source| {
        ["future/", "net/", "node/"]
            .iter()
            .any(|folder| source.path.starts_with(folder))
    };
    for source in object_types().into_iter().filter(|s| !elsewhere(s)) {
        let operations = variants(&source.text, "Op");
        let arms = body(&source.text, "verb").lines().map(str::trim);
        let of_type: Vec<(Vec<String>, String)> = arms
            .filter(|arm| arm.contains('"'))
            .map(|arm| {
                let (names, verb) = arm.split_once("=>").unwrap_or(("", arm));
                let names: Vec<String> = match names {
                    "" => operations.clone(),
                    names => names.split('|').map(|n| n.trim().to_owned()).collect(),
                };
                (names, verb.trim().trim_matches(|c| c == '"' || c == ',').to_owned())
            })
            .collect();
        for operation in operations {
            let has_verb = of_type.iter().any(|(names, _)| names.contains(&operation));
            assert!(has_verb, "{}: {operation} has no verb", source.path);
        }
        verbs.extend(of_type);
    }
    verbs
}

/// Kinds that are only announced. What they turn out to be has another name.
const ANNOUNCED: &[&str] = &[
    "TryLock",
    "TryRead",
    "TryWrite",
    "TrySend",
    "TryRecv",
    "TryAcquire",
    "Begin",
    "Get",
];

/// The numbers of the channels, which come after everything that is touched before them.
const CHANNELS: [ObjectNumber; 3] = [ObjectNumber(9), ObjectNumber(10), ObjectNumber(11)];

/// What happens to each class of channels: without a bound, bounded, and those that hand over.
const ALWAYS: &[&str] = &[
    "send",
    "recv",
    "recv: disconnected",
    "try_recv: received",
    "try_recv: empty",
    "try_recv: disconnected",
    "drop receiver",
    "drop sender",
];
const BOUNDED: &[&str] = &["try_send: sent", "try_send: full"];
const HANDED: &[&str] = &["recv: ready", "send: wait until received", "send: never received"];

/// What has happened, and to which channel, if to one.
type Seen = BTreeSet<(Option<ObjectNumber>, &'static str)>;

#[test]
fn every_operation_happens() {
    let verbs = verbs();
    assert!(verbs.len() > 55, "{}", verbs.len());
    let seen: Rc<RefCell<Seen>> = Rc::default();
    for seed in 0..SEEDS {
        let inner = Rc::clone(&seen);
        let granularity = [Granularity::Fine, Granularity::Composed][seed as usize % 2];
        let checker = Checker::new()
            .strategy(Strategy::Random { seed, executions: 4 })
            .granularity(granularity)
            .all_violations(true)
            .on_execution(move |execution| {
                for event in &execution.events {
                    let channel = event.object.filter(|o| CHANNELS.contains(o));
                    inner.borrow_mut().insert((channel, event.operation));
                }
            });
        let (program, log) = (drawn_for(seed), Log::default());
        checker.run(|| run(&program, &log));
    }
    let seen = seen.borrow();
    let missing: Vec<_> = verbs
        .iter()
        .filter(|(kinds, _)| !kinds.iter().all(|k| ANNOUNCED.contains(&k.as_str())))
        .filter(|(_, verb)| !seen.iter().any(|(_, operation)| operation == verb))
        .collect();
    assert!(missing.is_empty(), "nobody does {missing:?}");
    assert!(seen.iter().any(|(_, operation)| *operation == "peek"));
    for (class, number) in CHANNELS.iter().enumerate() {
        let more: [&[&str]; 2] = [
            if class > 0 { BOUNDED } else { &[] },
            if class > 1 { HANDED } else { &[] },
        ];
        for verb in ALWAYS.iter().chain(more.into_iter().flatten()) {
            assert!(
                seen.contains(&(Some(*number), *verb)),
                "channel {class}: nobody does {verb:?}"
            );
        }
    }
}

/// Methods that the programs do not use, and why.
const ELSEWHERE: &[(&str, &[&str])] = &[
    (
        "calls a method that is called; see like_std.rs",
        &["compare_and_swap", "try_update", "update", "fetch_not"],
    ),
    (
        "needs the value itself, so that nobody else can have it",
        &[
            "into_inner",
            "get_mut",
            "take",
            "new",
            "default",
            "force_mut",
            "replace",
        ],
    ),
    ("poison is not a step; odd_corners.rs", &["is_poisoned", "clear_poison"]),
    (
        "names, sizes and declarations are not steps",
        &[
            "id",
            "name",
            "stack_size",
            "uses",
            "current",
            "ptr_eq",
            "as_ptr",
            "spawn_scoped",
        ],
    ),
    (
        "other ways to make an Arc, or to look at it; shared_values.rs",
        &[
            "downcast",
            "new_cyclic",
            "new_uninit",
            "new_uninit_slice",
            "from_std",
            "pin",
            "into_raw",
        ],
    ),
    ("means nothing to a search", &["yield_now", "compiler_fence"]),
    (
        "thread-local values concern one thread; odd_corners.rs",
        &["with_borrow", "with_borrow_mut", "try_with", "with", "set", "get"],
    ),
    ("a compare_exchange here", &["compare_exchange_weak"]),
    ("a load that must not race; detection.rs", &["unsync_load"]),
    ("an order of accesses, not a step; orderings.rs", &["fence"]),
];

/// Methods of primitives, except those that macros define.
fn methods() -> Vec<(String, String)> {
    let mut files = sources("sync");
    files.extend(sources("thread"));
    files.extend(sources("").into_iter().filter(|s| s.path == "user.rs"));
    let mut methods = Vec::new();
    for file in files {
        for line in file.text.lines().map(str::trim) {
            let Some(rest) = line.strip_prefix("pub fn ").or(line.strip_prefix("pub const fn ")) else {
                continue;
            };
            let name = rest.split(['(', '<']).next().unwrap();
            if !name.starts_with('$') {
                methods.push((file.path.clone(), name.to_owned()));
            }
        }
    }
    methods
}

#[test]
fn every_method_is_called() {
    let programs = [
        include_str!("random/run.rs"),
        include_str!("random/locks.rs"),
        include_str!("random/channels.rs"),
        include_str!("random/objects.rs"),
        include_str!("random/owners.rs"),
        include_str!("random/threads.rs"),
        include_str!("random/values.rs"),
    ]
    .concat();
    let called = |name: &str| {
        [".", "::"].iter().any(|dot| {
            [format!("{dot}{name}("), format!("{dot}{name})")]
                .iter()
                .any(|call| programs.contains(call))
        })
    };
    let elsewhere = |name: &str| ELSEWHERE.iter().any(|(_, names)| names.contains(&name));
    let methods = methods();
    assert!(methods.len() > 90, "{}", methods.len());
    let missing: Vec<_> = methods.iter().filter(|(_, m)| !called(m) && !elsewhere(m)).collect();
    assert!(missing.is_empty(), "no program calls {missing:?}");
}
