//! Random programs: every search sees the outcomes that plain interleaving of all polls and wakes sees.

use mazurka::{Checker, Granularity, Report, Strategy};
use mazurka_seeds::seeds;
use mazurka_tokio as tokio;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex as Plain};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::{Barrier, Mutex, Notify, OnceCell, RwLock, Semaphore, broadcast, mpsc, oneshot, watch};
use tokio::task::{JoinSet, yield_now};
use tokio::time::{Duration, Instant, sleep, timeout};

/// What a task does. Each says what it has seen.
#[derive(Clone, Copy, Debug)]
enum Statement {
    Lock,
    LockAndYield,
    LockTimeout(u64),
    TryLock,
    Acquire(u32),
    AcquireTimeout(u32),
    TryAcquire,
    Forget,
    Add,
    Close,
    Read,
    ReadTwice,
    Write,
    Downgrade,
    NotifyOne,
    NotifyLast,
    NotifyAll,
    Notified,
    NotifiedTimeout,
    Enable,
    OnceGet,
    OnceSet,
    OnceInit,
    BarrierWait,
    OneshotSend,
    OneshotDrop,
    OneshotRecv,
    OneshotTry,
    OneshotRefuse,
    OneshotClosed,
    Send,
    TrySend,
    Reserve,
    Recv,
    TryRecv,
    CloseReceiver,
    DropSender,
    Unbounded,
    UnboundedRecv,
    WatchSend,
    WatchChanged,
    WatchLook,
    BroadcastSend,
    BroadcastRecv,
    BroadcastTry,
    Yield,
    Sleep(u64),
    Now,
    SelectRecvLock,
    SelectBiased,
    JoinLocks,
    SpawnAbort,
    SpawnJoin,
    Set,
}

use Statement::*;

const ALL: &[Statement] = &[
    Lock,
    LockAndYield,
    LockTimeout(0),
    LockTimeout(1),
    TryLock,
    Acquire(1),
    Acquire(2),
    AcquireTimeout(1),
    AcquireTimeout(2),
    TryAcquire,
    Forget,
    Add,
    Close,
    Read,
    ReadTwice,
    Write,
    Downgrade,
    NotifyOne,
    NotifyLast,
    NotifyAll,
    Notified,
    NotifiedTimeout,
    Enable,
    OnceGet,
    OnceSet,
    OnceInit,
    BarrierWait,
    OneshotSend,
    OneshotDrop,
    OneshotRecv,
    OneshotTry,
    OneshotRefuse,
    OneshotClosed,
    Send,
    TrySend,
    Reserve,
    Recv,
    TryRecv,
    CloseReceiver,
    DropSender,
    Unbounded,
    UnboundedRecv,
    WatchSend,
    WatchChanged,
    WatchLook,
    BroadcastSend,
    BroadcastRecv,
    BroadcastTry,
    Yield,
    Sleep(1),
    Sleep(2),
    Now,
    SelectRecvLock,
    SelectBiased,
    JoinLocks,
    SpawnAbort,
    SpawnJoin,
    Set,
];

/// Statements that concern the same things, so that programs of them interact.
const GROUPS: &[&[Statement]] = &[
    &[
        Lock,
        LockAndYield,
        LockTimeout(1),
        TryLock,
        JoinLocks,
        SelectRecvLock,
        SpawnAbort,
        Sleep(1),
        Yield,
    ],
    &[
        Acquire(1),
        Acquire(2),
        AcquireTimeout(1),
        AcquireTimeout(2),
        TryAcquire,
        Forget,
        Add,
        Close,
    ],
    &[Read, ReadTwice, Write, Downgrade, Yield, Sleep(1)],
    &[
        NotifyOne,
        NotifyLast,
        NotifyAll,
        Notified,
        NotifiedTimeout,
        Enable,
        Yield,
    ],
    &[OnceGet, OnceSet, OnceInit, BarrierWait, Yield],
    &[
        OneshotSend,
        OneshotDrop,
        OneshotRecv,
        OneshotTry,
        OneshotRefuse,
        OneshotClosed,
        Lock,
    ],
    &[
        Send,
        TrySend,
        Reserve,
        Recv,
        TryRecv,
        CloseReceiver,
        DropSender,
        SelectRecvLock,
        SelectBiased,
        Lock,
    ],
    &[Send, Recv, Unbounded, UnboundedRecv, DropSender, SelectBiased, Sleep(1)],
    &[WatchSend, WatchChanged, WatchLook, Yield, Lock],
    &[BroadcastSend, BroadcastRecv, BroadcastTry, Yield],
    &[
        SpawnAbort,
        SpawnJoin,
        Set,
        Lock,
        Sleep(1),
        Sleep(2),
        Now,
        NotifyOne,
        Notified,
    ],
];

type Program = Vec<Vec<Statement>>;

fn program(seed: u64) -> Program {
    let mut rng = fastrand::Rng::with_seed(seed);
    let group = if rng.u32(..4) == 0 {
        ALL
    } else {
        GROUPS[rng.usize(..GROUPS.len())]
    };
    let tasks = 2 + usize::from(rng.u32(..4) == 0);
    let most = if tasks == 2 {
        2 + usize::from(rng.u32(..4) == 0)
    } else {
        1
    };
    (0..tasks)
        .map(|_| {
            (0..rng.usize(1..=most))
                .map(|_| group[rng.usize(..group.len())])
                .collect()
        })
        .collect()
}

/// What all tasks share.
struct Shared {
    lock: Mutex<u32>,
    other: Mutex<u32>,
    semaphore: Semaphore,
    rwlock: RwLock<u32>,
    notify: Notify,
    once: OnceCell<u32>,
    barrier: Barrier,
    watch: watch::Sender<u32>,
    broadcast: broadcast::Sender<u32>,
    start: Instant,
}

/// What a task has of its own. The sender of a oneshot channel belongs to one task, and its receiver to the next.
struct Own {
    oneshot: Option<oneshot::Sender<u32>>,
    from: Option<oneshot::Receiver<u32>>,
    sender: Option<mpsc::Sender<u32>>,
    unbounded: Option<mpsc::UnboundedSender<u32>>,
    receivers: Option<(mpsc::Receiver<u32>, mpsc::UnboundedReceiver<u32>)>,
    watch: Option<watch::Receiver<u32>>,
    broadcast: Option<broadcast::Receiver<u32>>,
}

/// The family of a statement. What no statement of a program needs is not made, because each end is a step.
fn family(statement: Statement) -> u32 {
    match statement {
        OneshotSend | OneshotDrop | OneshotRecv | OneshotTry | OneshotRefuse | OneshotClosed => 1,
        Send | TrySend | Reserve | Recv | TryRecv | CloseReceiver | DropSender | Unbounded | UnboundedRecv
        | SelectBiased => 2,
        WatchSend | WatchChanged | WatchLook => 3,
        BroadcastSend | BroadcastRecv | BroadcastTry => 4,
        _ => 0,
    }
}

const MILLI: Duration = Duration::from_millis(1);

async fn lock_and_count(lock: &Mutex<u32>) -> u32 {
    let mut n = lock.lock().await;
    *n += 1;
    *n
}

/// Does a statement of task number `me`; returns what it has seen.
async fn perform(statement: Statement, me: u32, shared: &Arc<Shared>, own: &mut Own) -> u32 {
    match statement {
        Lock | LockAndYield | LockTimeout(_) | TryLock | JoinLocks => with_locks(statement, shared).await,
        Acquire(_) | AcquireTimeout(_) | TryAcquire | Forget | Add | Close => with_semaphore(statement, shared).await,
        Read | ReadTwice | Write | Downgrade => with_rwlock(statement, shared).await,
        NotifyOne | NotifyLast | NotifyAll | Notified | NotifiedTimeout | Enable => {
            with_notify(statement, shared).await
        }
        OneshotSend | OneshotDrop | OneshotRecv | OneshotTry | OneshotRefuse | OneshotClosed => {
            with_oneshot(statement, me, own).await
        }
        Send | TrySend | Reserve | Recv | TryRecv | CloseReceiver | DropSender | Unbounded | UnboundedRecv => {
            with_mpsc(statement, me, own).await
        }
        WatchSend | WatchChanged | WatchLook | BroadcastSend | BroadcastRecv | BroadcastTry => {
            with_values(statement, me, shared, own).await
        }
        OnceGet => shared.once.get().copied().unwrap_or(9),
        OnceSet => u32::from(shared.once.set(me).is_ok()),
        OnceInit => {
            let init = || async {
                yield_now().await;
                me
            };
            *shared.once.get_or_init(init).await
        }
        BarrierWait => u32::from(shared.barrier.wait().await.is_leader()),
        Yield => {
            yield_now().await;
            0
        }
        Sleep(millis) => {
            sleep(Duration::from_millis(millis)).await;
            0
        }
        Now => u32::from(Instant::now() >= shared.start),
        SelectRecvLock | SelectBiased | SpawnAbort | SpawnJoin | Set => with_tasks(statement, me, shared, own).await,
    }
}

async fn with_locks(statement: Statement, shared: &Shared) -> u32 {
    match statement {
        Lock => lock_and_count(&shared.lock).await,
        LockAndYield => {
            let mut n = shared.lock.lock().await;
            yield_now().await;
            *n += 1;
            *n
        }
        LockTimeout(millis) => {
            let limited = timeout(Duration::from_millis(millis), shared.lock.lock()).await;
            let Ok(mut n) = limited else { return 0 };
            *n += 1;
            sleep(MILLI).await;
            *n
        }
        TryLock => shared.lock.try_lock().map_or(0, |n| 1 + *n),
        _ => {
            let (a, b) = tokio::join!(lock_and_count(&shared.lock), lock_and_count(&shared.other));
            10 * a + b
        }
    }
}

async fn with_semaphore(statement: Statement, shared: &Shared) -> u32 {
    let semaphore = &shared.semaphore;
    match statement {
        Acquire(n) => match semaphore.acquire_many(n).await {
            Ok(permit) => {
                yield_now().await;
                drop(permit);
                1
            }
            Err(_) => 2,
        },
        AcquireTimeout(n) => {
            let acquired = timeout(MILLI, semaphore.acquire_many(n)).await;
            acquired.map_or(0, |permit| 1 + u32::from(permit.is_err()))
        }
        TryAcquire => match semaphore.try_acquire() {
            Ok(permit) => {
                permit.forget();
                1
            }
            Err(tokio::sync::TryAcquireError::NoPermits) => 2,
            Err(tokio::sync::TryAcquireError::Closed) => 3,
        },
        Forget => semaphore.forget_permits(1) as u32,
        Add => {
            semaphore.add_permits(1);
            semaphore.available_permits() as u32
        }
        _ => {
            semaphore.close();
            u32::from(semaphore.is_closed())
        }
    }
}

async fn with_rwlock(statement: Statement, shared: &Shared) -> u32 {
    match statement {
        Read => *shared.rwlock.read().await,
        ReadTwice => {
            let first = shared.rwlock.read().await;
            let second = shared.rwlock.read().await;
            *first + *second
        }
        Write => {
            let mut n = shared.rwlock.write().await;
            *n += 1;
            *n
        }
        _ => {
            let mut n = shared.rwlock.write().await;
            *n += 10;
            let read = n.downgrade();
            yield_now().await;
            *read
        }
    }
}

async fn with_notify(statement: Statement, shared: &Shared) -> u32 {
    match statement {
        NotifyOne => shared.notify.notify_one(),
        NotifyLast => shared.notify.notify_last(),
        NotifyAll => shared.notify.notify_waiters(),
        Notified => shared.notify.notified().await,
        NotifiedTimeout => return u32::from(timeout(MILLI, shared.notify.notified()).await.is_ok()),
        _ => {
            let notified = shared.notify.notified();
            tokio::pin!(notified);
            if notified.as_mut().enable() {
                return 1;
            }
            shared.notify.notify_waiters();
            notified.await;
            return 2;
        }
    }
    0
}

async fn with_oneshot(statement: Statement, me: u32, own: &mut Own) -> u32 {
    match statement {
        OneshotSend => own
            .oneshot
            .take()
            .map_or(9, |sender| u32::from(sender.send(me).is_ok())),
        OneshotDrop => u32::from(own.oneshot.take().is_some()),
        OneshotRecv => match own.from.take() {
            Some(receiver) => receiver.await.unwrap_or(8),
            None => 9,
        },
        OneshotTry => match own.from.as_mut().map(oneshot::Receiver::try_recv) {
            Some(Ok(n)) => n,
            Some(Err(oneshot::error::TryRecvError::Empty)) => 7,
            Some(Err(oneshot::error::TryRecvError::Closed)) => 8,
            None => 9,
        },
        OneshotRefuse => {
            if let Some(receiver) = &mut own.from {
                receiver.close();
            }
            0
        }
        _ => match &mut own.oneshot {
            Some(sender) => {
                sender.closed().await;
                u32::from(sender.is_closed())
            }
            None => 9,
        },
    }
}

async fn with_mpsc(statement: Statement, me: u32, own: &mut Own) -> u32 {
    let received = |message: Option<u32>| message.unwrap_or(8);
    match (statement, &mut own.receivers, &own.sender) {
        (Send, _, Some(sender)) => u32::from(sender.send(me).await.is_ok()),
        (TrySend, _, Some(sender)) => match sender.try_send(me) {
            Ok(()) => 1,
            Err(mpsc::error::TrySendError::Full(_)) => 2,
            Err(mpsc::error::TrySendError::Closed(_)) => 3,
        },
        (Reserve, _, Some(sender)) => match sender.reserve().await {
            Ok(permit) => {
                yield_now().await;
                permit.send(me);
                1
            }
            Err(_) => 2,
        },
        (Recv, Some((receiver, _)), _) => received(receiver.recv().await),
        (TryRecv, Some((receiver, _)), _) => match receiver.try_recv() {
            Ok(n) => n,
            Err(mpsc::error::TryRecvError::Empty) => 7,
            Err(mpsc::error::TryRecvError::Disconnected) => 8,
        },
        (CloseReceiver, Some((receiver, _)), _) => {
            receiver.close();
            receiver.len() as u32
        }
        (DropSender, ..) => {
            own.sender = None;
            own.unbounded = None;
            0
        }
        (Unbounded, ..) => match &own.unbounded {
            Some(sender) => u32::from(sender.send(me).is_ok()),
            None => 9,
        },
        (UnboundedRecv, Some((_, receiver)), _) => received(receiver.recv().await),
        _ => 9,
    }
}

async fn with_values(statement: Statement, me: u32, shared: &Shared, own: &mut Own) -> u32 {
    use broadcast::error::{RecvError, TryRecvError};
    match statement {
        WatchSend => shared.watch.send_replace(me),
        WatchChanged => {
            let watch = own.watch.as_mut().unwrap();
            match watch.changed().await {
                Ok(()) => *watch.borrow(),
                Err(_) => 9,
            }
        }
        WatchLook => {
            let watch = own.watch.as_mut().unwrap();
            let changed = watch.has_changed().map_or(9, u32::from);
            10 * *watch.borrow_and_update() + changed
        }
        BroadcastSend => shared.broadcast.send(me).map_or(9, |n| n as u32),
        BroadcastRecv => match own.broadcast.as_mut().unwrap().recv().await {
            Ok(n) => n,
            Err(RecvError::Lagged(n)) => 10 + n as u32,
            Err(RecvError::Closed) => 9,
        },
        _ => match own.broadcast.as_mut().unwrap().try_recv() {
            Ok(n) => n,
            Err(TryRecvError::Lagged(n)) => 10 + n as u32,
            Err(TryRecvError::Empty) => 8,
            Err(TryRecvError::Closed) => 9,
        },
    }
}

async fn with_tasks(statement: Statement, me: u32, shared: &Arc<Shared>, own: &mut Own) -> u32 {
    match statement {
        SelectRecvLock => tokio::select! {
            n = lock_and_count(&shared.lock) => n,
            () = shared.notify.notified() => 20,
            () = sleep(MILLI) => 30,
        },
        SelectBiased => {
            let Some((receiver, unbounded)) = &mut own.receivers else {
                return 9;
            };
            tokio::select! {
                biased;
                Some(n) = receiver.recv() => n,
                Some(n) = unbounded.recv() => 10 + n,
                else => 8,
            }
        }
        SpawnAbort => {
            let inner = Arc::clone(shared);
            let task = tokio::spawn(async move { lock_and_count(&inner.lock).await });
            task.abort();
            task.await.unwrap_or(0)
        }
        SpawnJoin => {
            let inner = Arc::clone(shared);
            tokio::spawn(async move { lock_and_count(&inner.lock).await })
                .await
                .unwrap()
        }
        _ => {
            let mut set = JoinSet::new();
            for _ in 0..2 {
                let inner = Arc::clone(shared);
                set.spawn(async move { me + 10 * lock_and_count(&inner.other).await });
            }
            let first = set.join_next().await.unwrap().unwrap();
            let second = set.join_next().await.unwrap().unwrap();
            100 * first + second
        }
    }
}

type Logs = Arc<Plain<Vec<Vec<u32>>>>;

fn run(program: &Program, logs: &Logs, one: bool, runtime: &Arc<Runtime>) {
    *logs.lock().unwrap() = vec![Vec::new(); program.len()];
    let shared = Arc::new(Shared {
        lock: Mutex::new(0),
        other: Mutex::new(0),
        semaphore: Semaphore::new(2),
        rwlock: RwLock::new(0),
        notify: Notify::new(),
        once: OnceCell::new(),
        barrier: Barrier::new(2),
        watch: watch::Sender::new(5),
        broadcast: broadcast::Sender::new(1),
        start: Instant::now(),
    });
    let needs = |wanted: u32| program.iter().flatten().any(|s| family(*s) == wanted);
    let (sender, receiver) = needs(2).then(|| mpsc::channel(1)).unzip();
    let (unbounded, unbounded_receiver) = needs(2).then(mpsc::unbounded_channel).unzip();
    let mut receivers = receiver.zip(unbounded_receiver);
    let oneshots = program.iter().map(|_| needs(1).then(oneshot::channel).unzip());
    let (mut senders, mut from): (Vec<_>, Vec<_>) = oneshots.unzip();
    from.rotate_right(1);
    let tasks: Vec<_> = program
        .iter()
        .enumerate()
        .map(|(i, statements)| {
            let (statements, logs, shared) = (statements.clone(), Arc::clone(logs), Arc::clone(&shared));
            let mut own = Own {
                oneshot: senders[i].take(),
                from: from[i].take(),
                sender: sender.clone(),
                unbounded: unbounded.clone(),
                receivers: receivers.take(),
                watch: needs(3).then(|| shared.watch.subscribe()),
                broadcast: needs(4).then(|| shared.broadcast.subscribe()),
            };
            let task = async move {
                for statement in statements {
                    let seen = perform(statement, i as u32, &shared, &mut own).await;
                    logs.lock().unwrap()[i].push(seen);
                }
            };
            start(runtime, one, task)
        })
        .collect();
    drop((sender, unbounded));
    tasks.into_iter().for_each(|end| end());
}

/// Starts a task, or a thread that runs it, which has fewer steps; returns a function that waits for its end.
fn start(
    runtime: &Arc<Runtime>,
    as_task: bool,
    task: impl Future<Output = ()> + std::marker::Send + 'static,
) -> Box<dyn FnOnce()> {
    if as_task {
        let (runtime, task) = (Arc::clone(runtime), runtime.spawn(task));
        return Box::new(move || runtime.block_on(task).unwrap());
    }
    let runtime = Arc::clone(runtime);
    let thread = mazurka::thread::spawn(move || runtime.block_on(task));
    Box::new(move || thread.join().unwrap())
}

/// How executions end: what each task has seen, and whether tasks are left waiting.
type Outcomes = BTreeSet<(bool, Vec<Vec<u32>>)>;

fn outcomes(program: &Program, one_thread: bool, checker: Checker) -> (Outcomes, Report) {
    let seen = Rc::new(RefCell::new(Outcomes::new()));
    let logs = Logs::default();
    let (inner, observed) = (Rc::clone(&seen), Arc::clone(&logs));
    let checker = checker.all_violations(true).quiet(true).on_execution(move |execution| {
        let logs = observed.lock().unwrap().clone();
        inner.borrow_mut().insert((execution.deadlock, logs));
    });
    let report = checker.run(|| {
        let builder = if one_thread {
            Builder::new_current_thread()
        } else {
            Builder::new_multi_thread()
        };
        run(program, &logs, one_thread, &Arc::new({ builder }.build().unwrap()));
    });
    drop(checker);
    (Rc::try_unwrap(seen).unwrap().into_inner(), report)
}

/// Programs with more interleavings are left out.
const MOST: u64 = 1_500;

#[test]
fn every_search_sees_every_outcome() {
    let (compared, plain, optimal) = (AtomicU64::new(0), AtomicU64::new(0), AtomicU64::new(0));
    seeds(60, |seed| {
        let program = program(seed);
        let one_thread = seed % 8 == 7;
        let checker = || Checker::new().early_timers(seed % 5 == 4);
        let naive = checker()
            .strategy(Strategy::Exhaustive)
            .granularity(Granularity::Composed)
            .every_poll(true)
            .max_executions(MOST);
        let (expected, exhaustive) = outcomes(&program, one_thread, naive);
        if !exhaustive.complete {
            return;
        }
        let searches = [
            ("alone", checker()),
            ("every poll", checker().every_poll(true)),
            ("source sets", checker().strategy(Strategy::SourceSets)),
        ];
        for (name, checker) in searches {
            let (found, report) = outcomes(&program, one_thread, checker);
            assert!(report.complete, "{name}: {report}\n{program:?}");
            assert_eq!(found, expected, "{name}, one thread: {one_thread}\n{program:?}");
            if name == "alone" {
                optimal.fetch_add(report.executions, Ordering::Relaxed);
                assert_eq!(report.redundant, 0, "{program:?}");
            }
        }
        compared.fetch_add(1, Ordering::Relaxed);
        plain.fetch_add(exhaustive.executions, Ordering::Relaxed);
    });
    println!(
        "{} programs were compared: {} executions instead of {}",
        compared.into_inner(),
        optimal.into_inner(),
        plain.into_inner()
    );
}
