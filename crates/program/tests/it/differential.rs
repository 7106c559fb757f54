//! Every search sees what plain interleaving sees, on random small programs.

use crate::random::orders::{self, Strength};
use crate::random::{Log, Program, program, run, size};
use mazurka::{
    Checker, Finished, FinishedEvent, Granularity, ObjectNumber, Report, Strategy, Violation, ViolationKind,
};
use mazurka_seeds::seeds;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};

/// How an execution can end: what each thread has observed, and whether threads are left waiting.
pub type Outcomes = BTreeSet<(bool, Vec<Vec<u32>>)>;

/// What is reported. For data races, only that there are some: the order decides which of two accesses comes second.
fn violations(report: &Report) -> BTreeSet<String> {
    let name = |v: &Violation| match v.kind {
        ViolationKind::DataRace => "a data race".to_owned(),
        kind => format!("{kind:?}: {}", v.message),
    };
    report.violations.iter().map(name).collect()
}

pub fn outcomes(program: &Program, checker: Checker) -> (Outcomes, Report) {
    let seen = Rc::new(RefCell::new(Outcomes::new()));
    let log = Log::default();
    let (inner, observed) = (Rc::clone(&seen), log.clone());
    // Many end in a deadlock, and what their threads own must not be leaked.
    let checker = checker
        .all_violations(true)
        .unwind(true)
        .quiet(true)
        .on_execution(move |execution| {
            let logs = observed.lock().unwrap().clone();
            inner.borrow_mut().insert((execution.deadlock, logs));
        });
    let report = checker.run(|| run(program, &log));
    drop(checker);
    (Rc::try_unwrap(seen).unwrap().into_inner(), report)
}

/// Programs with more interleavings are left out.
const MOST: u64 = 2_000;

#[test]
fn every_search_sees_every_outcome() {
    let compared = AtomicU64::new(0);
    seeds(200, |seed| {
        let (threads, statements) = size(seed);
        // Now and then a thread may wake up without a notification.
        let spurious = u32::from(seed % 7 == 0);
        let agreed = outcomes_agree(&program(seed, threads, statements, true), spurious);
        compared.fetch_add(u64::from(agreed), Ordering::Relaxed);
    });
    // The others have too many interleavings.
    println!("{} programs were compared", compared.into_inner());
}

/// Atomics with weak memory, among locks, condition variables, channels and threads that park.
#[test]
fn every_search_of_weak_memory_sees_every_outcome() {
    let compared = AtomicU64::new(0);
    seeds(120, |seed| {
        let (threads, statements) = size(seed);
        let strength = if seed % 3 == 0 {
            Strength::AcqRel
        } else {
            Strength::Relaxed
        };
        let agreed = orders::with(strength, || {
            outcomes_agree(&program(seed, threads, statements, true), 0)
        });
        compared.fetch_add(u64::from(agreed), Ordering::Relaxed);
    });
    println!("{} programs were compared", compared.into_inner());
}

/// False if there is nothing to compare with.
fn outcomes_agree(program: &Program, spurious: u32) -> bool {
    let checker = || Checker::new().spurious_wakeups(spurious);
    let plain = checker().strategy(Strategy::Exhaustive).max_executions(MOST);
    let (expected, exhaustive) = outcomes(program, plain);
    if !exhaustive.complete {
        return false;
    }
    let searches = [
        ("optimal", Strategy::Optimal, Granularity::Composed),
        (
            "optimal, invisible first",
            Strategy::Optimal,
            Granularity::InvisibleFirst,
        ),
        ("optimal, fine", Strategy::Optimal, Granularity::Fine),
        ("source sets", Strategy::SourceSets, Granularity::Composed),
        ("source sets, fine", Strategy::SourceSets, Granularity::Fine),
        ("SSS", Strategy::Selective, Granularity::Fine),
        ("IF-SSS", Strategy::Selective, Granularity::InvisibleFirst),
        ("SSS, composed", Strategy::Selective, Granularity::Composed),
        ("preemptions", Strategy::PreemptionBound(100), Granularity::Composed),
    ];
    for (name, strategy, granularity) in searches {
        let (found, report) = outcomes(program, checker().strategy(strategy).granularity(granularity));
        assert!(report.complete, "{name}: {report}\n{program:?}");
        assert_eq!(found, expected, "{name}\n{program:?}");
        assert_eq!(violations(&report), violations(&exhaustive), "{name}\n{program:?}");
    }
    true
}

/// The number of the bounded channel. Objects are touched in a fixed order before threads start.
const BOUNDED: ObjectNumber = ObjectNumber(10);

/// The number of the message that one event sends and of the one that the other receives, if they do.
fn messages(a: &FinishedEvent, b: &FinishedEvent) -> Option<(u32, u32)> {
    let sends = |e: &FinishedEvent| matches!(e.operation, "send" | "try_send: sent");
    let receives = |e: &FinishedEvent| matches!(e.operation, "recv" | "try_recv: received");
    if sends(a) && receives(b) {
        Some((a.number, b.number))
    } else if sends(b) && receives(a) {
        Some((b.number, a.number))
    } else {
        None
    }
}

/// True if the order of two events matters, by the plainest rules.
fn dependent(a: &FinishedEvent, b: &FinishedEvent) -> bool {
    if a.thread == b.thread {
        return true;
    }
    if a.object.is_none() || a.object != b.object {
        return false;
    }
    let both = |verbs: &[&str]| verbs.contains(&a.operation) && verbs.contains(&b.operation);
    let pair = |x: &str, y: &str| a.operation == x && b.operation == y || a.operation == y && b.operation == x;
    let independent = both(&["load"])
        || both(&["read", "try_read: acquired", "try_read: would block", "unlock (reader)"])
        || both(&["try_read: would block", "try_write: would block"])
        || both(&["try_lock: would block"])
        || both(&["wait"])
        || both(&["notify: nobody waits"])
        || both(&["release"])
        || both(&["try_acquire: no permit"])
        || both(&["unpark"])
        || both(&["initialise: done before", "get: initialised", "get: not initialised"])
        || pair("initialise: first", "get: not initialised")
        || pair("initialise: first", "get: initialised")
        || both(&["try_send: full"])
        || messages(a, b).is_some_and(|(sent, received)| {
            // The second channel has room for one message.
            sent != received && (a.object != Some(BOUNDED) || sent != received + 1)
        })
        || pair("wait: arrive", "wait: pass") && a.number != b.number
        || both(&["wait: pass"]);
    !independent
}

/// The least of the equivalent interleavings, in the order of threads.
fn normal_form(execution: &Finished) -> Vec<FinishedEvent> {
    let mut left: Vec<FinishedEvent> = execution.events.clone();
    // Permits have no number, and their operations are announced otherwise while there are enough.
    let permits = ["acquire", "release", "try_acquire: acquired", "try_acquire: no permit"];
    for event in left.iter_mut().filter(|e| permits.contains(&e.operation)) {
        event.number = 0;
    }
    let mut form = Vec::new();
    while !left.is_empty() {
        let first = (0..left.len())
            .filter(|&i| left[..i].iter().all(|earlier| !dependent(earlier, &left[i])))
            .min_by_key(|&i| left[i].thread)
            .unwrap();
        form.push(left.remove(first));
    }
    // Objects are numbered when they are first touched. Here they are numbered by the normal form.
    let mut numbers = Vec::new();
    for event in &mut form {
        if let Some(object) = event.object {
            let number = numbers.iter().position(|n| *n == object).unwrap_or_else(|| {
                numbers.push(object);
                numbers.len() - 1
            });
            event.object = Some(ObjectNumber(number as u32));
        }
    }
    form
}

/// The inequivalent executions that a search sees, and whether it saw one twice.
fn traces(program: &Program, checker: Checker) -> (BTreeSet<String>, bool, Report) {
    let seen = Rc::new(RefCell::new((BTreeSet::new(), false)));
    let inner = Rc::clone(&seen);
    let checker = checker.all_violations(true).on_execution(move |execution| {
        let events = normal_form(execution);
        let event =
            |e: &FinishedEvent| format!("{}: {} {:?}.{}/{}", e.thread, e.operation, e.object, e.number, e.choice);
        let form = events.iter().map(event).collect::<Vec<_>>().join("; ");
        let (seen, twice) = &mut *inner.borrow_mut();
        *twice |= !seen.insert(form);
    });
    let log = Log::default();
    let report = checker.run(|| run(program, &log));
    drop(checker);
    let (seen, twice) = Rc::try_unwrap(seen).unwrap().into_inner();
    (seen, twice, report)
}

#[test]
fn optimal_search_sees_each_trace_once() {
    seeds(150, |seed| {
        // Some things go wrong only where many threads do one thing each.
        let (threads, statements) = if seed % 6 == 3 { (5, 1) } else { size(seed) };
        each_trace_once(&program(seed, threads, statements, false));
    });
}

fn each_trace_once(program: &Program) {
    let apart = || Checker::new().granularity(Granularity::InvisibleFirst);
    let (expected, _, exhaustive) = traces(program, apart().strategy(Strategy::Exhaustive).max_executions(MOST));
    if !exhaustive.complete {
        return;
    }
    let (found, twice, report) = traces(program, apart());
    let missed: Vec<_> = expected.difference(&found).take(2).collect();
    assert!(missed.is_empty(), "missed {missed:#?}\n{program:?}");
    assert_eq!(found.len(), expected.len(), "{program:?}");
    assert!(!twice, "a trace was seen twice: {program:?}");
    assert_eq!(report.redundant, 0, "executions were started in vain: {program:?}");
}

/// Programs that earlier versions answered wrongly or with superfluous executions.
#[test]
fn programs_that_went_wrong() {
    use crate::random::Statement::*;
    let programs: [Program; 6] = [
        // A wait that a failure ends comes before another attempt.
        vec![vec![WaitOnce], vec![FailOnce, CallOnceForce]],
        // The second acquisition needs the release, and races with the first acquisition all the same.
        vec![vec![Acquire, Release], vec![Unpark(0)], vec![Acquire]],
        // What a branch of the wakeup tree chooses must not be chosen for others.
        vec![
            vec![Get, Store(0, 1)],
            vec![Load(0), Initialise],
            vec![Choose(2), Add(0), Initialise],
        ],
        // The other way to choose need not be explored in a continuation that a race asks for.
        vec![
            vec![FetchAdd(0), Add(0), Exchange(1)],
            vec![WaitTimeout, Load(1), NotifyLocked],
        ],
        // A branch of the wakeup tree that the present execution does not reach.
        vec![
            vec![Send, Read, Add(0)],
            vec![Release, SendBounded, TryAcquire],
            vec![Send, SendBounded],
        ],
        // An exchange that fails is a load, and sleeps beside other loads.
        vec![
            vec![Store(1, 1)],
            vec![Exchange(1)],
            vec![Exchange(1)],
            vec![Load(1)],
            vec![Load(1)],
        ],
    ];
    for program in &programs {
        outcomes_agree(program, 0);
        each_trace_once(program);
    }
}
