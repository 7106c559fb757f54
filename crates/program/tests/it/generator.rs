//! The random programs use everything there is: a search is compared with the plain one only on what they do.

use crate::random::{Log, Program, program, run, size};
use mazurka::{Checker, Granularity, Strategy};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

/// The names of the variants in an `enum` of a source.
fn variants(source: &str, name: &str) -> Vec<String> {
    let start = source.find(&format!("enum {name} {{")).expect("the enum is there");
    let body = &source[start..];
    let body = &body[body.find('{').unwrap() + 1..body.find("\n}").unwrap()];
    let lines = body.lines().map(str::trim).filter(|l| !l.starts_with("//"));
    let name = |l: &str| l.split(|c: char| !c.is_alphanumeric()).next().unwrap_or("").to_owned();
    lines.map(name).filter(|n| !n.is_empty()).collect()
}

const SEEDS: u64 = 3_000;

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

/// What operations are called in the words of `Kind::verb`, by kind.
fn verbs() -> Vec<(Vec<String>, String)> {
    let source = include_str!("../../src/operation.rs");
    let start = source.find("fn verb").expect("the verbs are there");
    let arms = source[start..].lines().filter(|l| l.contains("=> \""));
    arms.map(|arm| {
        let (kinds, verb) = arm.split_once("=>").unwrap();
        let kinds = kinds.split('|').map(|k| k.trim().to_owned()).collect();
        (kinds, verb.trim().trim_matches(|c| c == '"' || c == ',').to_owned())
    })
    .collect()
}

/// Kinds that are announced only: what comes of them has another name.
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

/// The channels' numbers: they come after what is touched before them.
const CHANNELS: [u32; 3] = [9, 10, 11];

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

/// What has happened, to which channel if to one.
type Seen = BTreeSet<(Option<u32>, &'static str)>;

#[test]
fn every_operation_happens() {
    let kinds = variants(include_str!("../../src/operation.rs"), "Kind");
    let verbs = verbs();
    for kind in &kinds {
        assert!(
            verbs.iter().any(|(kinds, _)| kinds.contains(kind)),
            "{kind} has no verb"
        );
    }
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
        "needs the value itself, so that nobody else can have it",
        &["into_inner", "get_mut", "take", "new", "default"],
    ),
    ("poison is not a step; odd_corners.rs", &["is_poisoned", "clear_poison"]),
    (
        "names, sizes and declarations are not steps",
        &["id", "name", "stack_size", "uses", "current", "ptr_eq", "spawn_scoped"],
    ),
    ("means nothing to a search", &["yield_now", "sleep", "compiler_fence"]),
    (
        "thread-local values concern one thread; odd_corners.rs",
        &["with_borrow", "with_borrow_mut", "try_with", "with", "set", "get"],
    ),
    ("a compare_exchange here", &["compare_exchange_weak"]),
    ("an order of accesses, not a step; orderings.rs", &["fence"]),
];

/// Methods of primitives, as far as macros do not hide them.
fn methods() -> Vec<(&'static str, String)> {
    let sources = [
        ("arc", include_str!("../../src/sync/arc.rs")),
        ("atomic", include_str!("../../src/sync/atomic.rs")),
        ("barrier", include_str!("../../src/sync/barrier.rs")),
        ("condvar", include_str!("../../src/sync/condvar.rs")),
        ("monitor", include_str!("../../src/sync/monitor.rs")),
        ("mpsc", include_str!("../../src/sync/mpsc.rs")),
        ("mutex", include_str!("../../src/sync/mutex.rs")),
        ("once", include_str!("../../src/sync/once.rs")),
        ("rwlock", include_str!("../../src/sync/rwlock.rs")),
        ("semaphore", include_str!("../../src/sync/semaphore.rs")),
        ("builder", include_str!("../../src/thread/builder.rs")),
        ("handle", include_str!("../../src/thread/handle.rs")),
        ("local", include_str!("../../src/thread/local.rs")),
        ("scope", include_str!("../../src/thread/scope.rs")),
        ("thread", include_str!("../../src/thread/mod.rs")),
        ("user", include_str!("../../src/user.rs")),
    ];
    let mut methods = Vec::new();
    for (file, source) in sources {
        for line in source.lines().map(str::trim) {
            let Some(rest) = line.strip_prefix("pub fn ").or(line.strip_prefix("pub const fn ")) else {
                continue;
            };
            let name = rest.split(['(', '<']).next().unwrap();
            if !name.starts_with('$') {
                methods.push((file, name.to_owned()));
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
        include_str!("random/owners.rs"),
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
