//! crossbeam's names: that they mean what they mean there, inside a check and outside.

use mazurka::time::{Duration, Instant};
use mazurka::{Checker, ViolationKind, thread};
use mazurka_crossbeam::atomic::AtomicCell;
use mazurka_crossbeam::channel::{
    Receiver, RecvTimeoutError, Select, TryRecvError, TrySendError, after, bounded, never, select, tick, unbounded,
};
use mazurka_crossbeam::queue::{ArrayQueue, SegQueue};
use mazurka_crossbeam::sync::{Parker, WaitGroup};
use mazurka_crossbeam::utils::{Backoff, CachePadded};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Runs a program in a check and outside.
fn both(program: impl Fn()) {
    mazurka::check(&program);
    program();
}

/// Everything that a program can return.
fn outcomes<T: Ord + Clone>(program: impl Fn() -> T) -> BTreeSet<T> {
    let seen = RefCell::new(BTreeSet::new());
    let report = Checker::new().all_violations(true).quiet(true).run(|| {
        let outcome = program();
        seen.borrow_mut().insert(outcome);
    });
    assert!(report.complete && report.violations.is_empty(), "{report}");
    seen.into_inner()
}

const SOON: Duration = Duration::from_millis(1);

#[test]
fn messages_come_in_order_and_end() {
    for capacity in [None, Some(0), Some(1), Some(2)] {
        both(|| {
            let (sender, receiver) = capacity.map_or_else(unbounded, bounded);
            let thread = thread::spawn(move || (0..2).for_each(|n| sender.send(n).unwrap()));
            assert_eq!(receiver.iter().collect::<Vec<_>>(), [0, 1], "{capacity:?}");
            assert_eq!(receiver.try_recv(), Err(TryRecvError::Disconnected));
            thread.join().unwrap();
        });
    }
}

#[test]
fn a_channel_that_is_full_or_left_refuses() {
    both(|| {
        let (sender, receiver) = bounded(1);
        assert_eq!(receiver.try_recv(), Err(TryRecvError::Empty));
        assert_eq!(receiver.recv_timeout(SOON), Err(RecvTimeoutError::Timeout));
        sender.send(1).unwrap();
        assert_eq!(sender.try_send(2), Err(TrySendError::Full(2)));
        assert!(sender.send_timeout(2, SOON).unwrap_err().is_timeout());
        assert!(sender.is_full() && receiver.len() == 1);
        drop(receiver);
        assert!(sender.send(3).is_err());
        let (sender, receiver) = bounded(0);
        assert_eq!(sender.try_send(1), Err(TrySendError::Full(1)));
        assert!(sender.send_timeout(1, SOON).unwrap_err().is_timeout());
        assert_eq!((sender.len(), receiver.is_empty(), receiver.is_full()), (0, true, true));
    });
}

#[test]
fn each_message_has_one_receiver() {
    let seen = outcomes(|| {
        let (sender, receiver) = unbounded();
        let other = receiver.clone();
        let thread = thread::spawn(move || other.recv().unwrap());
        sender.send(1).unwrap();
        sender.send(2).unwrap();
        let mine = receiver.recv().unwrap();
        (mine, thread.join().unwrap())
    });
    assert_eq!(seen, [(1, 2), (2, 1)].into());
}

#[test]
fn a_receiver_that_never_comes_is_a_deadlock() {
    let report = Checker::new().run(|| {
        let (sender, _receiver) = bounded(0);
        sender.send(1).unwrap();
    });
    assert_eq!(report.violations[0].kind, ViolationKind::Deadlock, "{report}");
}

#[test]
fn every_operation_that_is_possible_is_selected() {
    let seen = outcomes(|| {
        let ((a, from_a), (b, from_b)) = (unbounded(), bounded(1));
        let thread = thread::spawn(move || a.send(1).unwrap());
        let got = select! {
            recv(from_a) -> message => message.unwrap(),
            send(b, 7) -> sent => { sent.unwrap(); 2 }
        };
        thread.join().unwrap();
        assert_eq!(got == 2, from_b.try_recv() == Ok(7));
        got
    });
    assert_eq!(seen, [1, 2].into());
}

#[test]
fn a_message_is_selected_by_one_thread() {
    let seen = outcomes(|| {
        let (sender, receiver) = unbounded();
        let other = receiver.clone();
        let take = |receiver: &Receiver<u32>| {
            select! {
                recv(receiver) -> message => message.unwrap_or(0),
            }
        };
        let thread = thread::spawn(move || take(&other));
        sender.send(1).unwrap();
        drop(sender);
        (take(&receiver), thread.join().unwrap())
    });
    assert_eq!(seen, [(0, 1), (1, 0)].into());
}

#[test]
fn a_select_can_give_up() {
    let seen = outcomes(|| {
        let (sender, receiver) = bounded(0);
        let thread = thread::spawn(move || sender.send(1).is_ok());
        let got = select! {
            recv(receiver) -> message => message.unwrap(),
            default(SOON) => 2,
        };
        let now = select! {
            recv(receiver) -> message => message.unwrap_or(3),
            default => 4,
        };
        drop(receiver);
        (got, now, thread.join().unwrap())
    });
    assert_eq!(seen, [(1, 3, true), (1, 4, true), (2, 1, true), (2, 4, false)].into());
}

#[test]
fn a_select_knows_its_operations_by_number() {
    both(|| {
        let (sender, receiver) = unbounded();
        let silent = never::<u8>();
        let mut select = Select::new();
        let (first, second) = (select.recv(&receiver), select.recv(&silent));
        assert!(select.try_select().is_err() && select.ready_timeout(SOON).is_err());
        sender.send(5).unwrap();
        assert_eq!(select.ready(), first);
        let operation = select.select();
        assert_eq!(operation.index(), first);
        assert_eq!(operation.recv(&receiver), Ok(5));
        select.remove(second);
        assert!(select.select_timeout(SOON).is_err());
    });
}

#[test]
fn timers_take_virtual_time() {
    let start = std::time::Instant::now();
    mazurka::check(|| {
        let start = Instant::now();
        let hour = Duration::from_secs(3600);
        assert_eq!(after(hour).recv().unwrap() - start, hour);
        let ticks = tick(hour);
        assert_eq!(ticks.recv().unwrap() - start, 2 * hour);
        assert_eq!(ticks.recv().unwrap() - start, 3 * hour);
        assert_eq!(start.elapsed(), 3 * hour);
    });
    assert!(start.elapsed() < Duration::from_secs(60));
    assert!(after(SOON).recv().unwrap() > Instant::now() - Duration::from_secs(60));
}

#[test]
fn a_timer_comes_before_or_after_a_message() {
    let seen = outcomes(|| {
        let (sender, receiver) = unbounded();
        let thread = thread::spawn(move || sender.send(1).unwrap());
        let got = select! {
            recv(receiver) -> message => message.unwrap(),
            recv(after(Duration::from_secs(1))) -> _ => 2,
        };
        thread.join().unwrap();
        got
    });
    assert_eq!(seen, [1, 2].into());
}

#[test]
fn queues_hold_values() {
    both(|| {
        let (bounded, unbounded) = (ArrayQueue::new(1), SegQueue::new());
        assert_eq!((bounded.push(1), bounded.push(2)), (Ok(()), Err(2)));
        assert_eq!((bounded.force_push(3), bounded.capacity()), (Some(1), 1));
        assert!(bounded.is_full() && unbounded.is_empty());
        unbounded.push(4);
        unbounded.push(5);
        assert_eq!((bounded.pop(), unbounded.pop(), unbounded.len()), (Some(3), Some(4), 1));
        assert_eq!(unbounded.into_iter().collect::<Vec<_>>(), [5]);
    });
}

#[test]
fn threads_wait_for_each_other() {
    both(|| {
        let (group, count) = (WaitGroup::new(), Arc::new(AtomicCell::new(0_u32)));
        for _ in 0..2 {
            let (group, count) = (group.clone(), Arc::clone(&count));
            thread::spawn(move || {
                count.fetch_add(1);
                drop(group);
            });
        }
        group.wait();
        assert_eq!(count.load(), 2);
        let parker = Parker::new();
        let unparker = parker.unparker().clone();
        thread::spawn(move || unparker.unpark());
        parker.park();
        parker.park_timeout(SOON);
    });
}

#[test]
fn an_atomic_cell_changes_as_a_whole() {
    both(|| {
        let cell = AtomicCell::new((1, 2));
        assert_eq!(cell.compare_exchange((1, 2), (3, 4)), Ok((1, 2)));
        assert_eq!(cell.compare_exchange((1, 2), (5, 6)), Err((3, 4)));
        assert_eq!(
            (cell.swap((7, 8)), cell.take(), cell.into_inner()),
            ((3, 4), (7, 8), (0, 0))
        );
        let bits = AtomicCell::new(0b01_u8);
        assert_eq!(
            (bits.fetch_or(0b10), bits.fetch_and(0b10), bits.fetch_xor(1)),
            (1, 3, 2)
        );
        assert_eq!(bits.fetch_update(|n| (n < 3).then_some(0)), Err(3));
        assert_eq!(
            (bits.fetch_max(9), bits.fetch_min(1), bits.fetch_sub(2), bits.load()),
            (3, 9, 1, 255)
        );
    });
}

/// A loop that backs off until another thread has stored waits, so the search ends.
#[test]
fn a_loop_that_backs_off_waits() {
    use mazurka::sync::atomic::{AtomicBool, Ordering::SeqCst};
    both(|| {
        let flag = Arc::new(CachePadded::new(AtomicBool::new(false)));
        let other = Arc::clone(&flag);
        let thread = thread::spawn(move || other.store(true, SeqCst));
        let backoff = Backoff::new();
        while !flag.load(SeqCst) {
            backoff.snooze();
        }
        thread.join().unwrap();
    });
    assert_eq!(align_of::<CachePadded<u8>>(), 128);
}

#[test]
fn a_scope_returns_panics() {
    let result = mazurka_crossbeam::scope(|s| {
        s.spawn(|_| std::panic::resume_unwind(Box::new(())));
    });
    assert!(result.is_err());
    both(|| {
        let mut numbers = [1, 2];
        mazurka_crossbeam::scope(|s| {
            for number in &mut numbers {
                s.spawn(move |_| *number += 1);
            }
        })
        .unwrap();
        assert_eq!(numbers, [2, 3]);
    });
}
