//! What is printed when the process ends or cannot go on. Each case runs in its own process.

use mazurka::sync::Mutex;
use mazurka::sync::atomic::{AtomicPtr, AtomicUsize, Ordering::SeqCst};
use mazurka::{Checker, thread};
use std::process::{Command, Output};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The environment variable that names the case to run.
const CASE: &str = "MAZURKA_TEST_CASE";

/// Runs `program` in its own process, as the test with this name.
fn in_a_process(name: &str, program: impl FnOnce()) -> Option<(Output, String)> {
    if std::env::var_os(CASE).is_some() {
        program();
        return None;
    }
    let output = Command::new(std::env::current_exe().unwrap())
        .args([
            "--exact",
            &format!("end_of_process::{name}"),
            "--nocapture",
            "--test-threads=1",
        ])
        .env(CASE, "1")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    Some((output, said))
}

/// A queue whose tail is marked as busy while it is pushed to, and whose destructor relies on nobody pushing.
struct Queue {
    tail: AtomicUsize,
    lock: Mutex<()>,
}

impl Queue {
    fn push(&self) {
        self.tail.fetch_add(1, SeqCst);
        drop(self.lock.lock());
        self.tail.fetch_add(1, SeqCst);
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        assert!(self.tail.load(SeqCst).is_multiple_of(2), "half done");
    }
}

/// The deadlock leaves a push half done. A destructor that sees that would panic while another panic is on its way.
#[test]
fn an_execution_that_is_cut_runs_no_destructors() {
    let case = in_a_process("an_execution_that_is_cut_runs_no_destructors", || {
        mazurka::check(|| {
            let queue = Arc::new(Queue {
                tail: AtomicUsize::new(0),
                lock: Mutex::new(()),
            });
            let other = Arc::clone(&queue);
            let t = thread::spawn(move || other.push());
            let held = queue.lock.lock().unwrap();
            t.join().unwrap();
            drop(held);
        });
    });
    let Some((output, said)) = case else { return };
    assert_eq!(output.status.code(), Some(101), "{said}");
    assert!(said.contains("deadlock: 2 of 2 threads wait for ever"), "{said}");
}

/// A stack whose nodes are boxes. Its destructor frees them.
struct Stack(AtomicPtr<Node>);

struct Node {
    next: *mut Node,
}

#[allow(unsafe_code)]
impl Drop for Stack {
    fn drop(&mut self) {
        let mut node = self.0.load(SeqCst);
        while !node.is_null() {
            // SAFETY: it would be safe if nobody had freed the node.
            node = unsafe { Box::from_raw(node) }.next;
        }
    }
}

/// A panic in a destructor while a stack is unwound: Rust ends the process.
#[test]
fn an_abort_does_not_go_without_a_report() {
    struct Bomb;
    impl Drop for Bomb {
        fn drop(&mut self) {
            assert!(!std::thread::panicking(), "the second panic");
        }
    }
    let case = in_a_process("an_abort_does_not_go_without_a_report", || {
        mazurka::check(|| {
            let n = Arc::new(AtomicUsize::new(0));
            let m = Arc::clone(&n);
            let t = thread::spawn(move || {
                let _bomb = Bomb;
                assert_eq!(m.load(SeqCst), 0, "the first panic");
            });
            n.store(1, SeqCst);
            drop(t.join());
        });
    });
    let Some((output, said)) = case else { return };
    assert_eq!(output.status.code(), None, "{said}");
    assert!(said.contains("thread 1 has ended the process by an abort"), "{said}");
    assert!(
        said.contains("the last visible operation of thread 1 was load"),
        "{said}"
    );
    assert!(said.contains("panicked at"), "{said}");
    assert!(said.contains("the second panic"), "{said}");
    assert!(said.contains("MAZURKA_REPLAY=mz"), "{said}");
}

/// The same from the allocator, which notices that memory was freed twice, or from the processor.
#[test]
fn a_fault_does_not_go_without_a_report() {
    let case = in_a_process("a_fault_does_not_go_without_a_report", || {
        mazurka::check(|| {
            let stack = Stack(AtomicPtr::new(std::ptr::without_provenance_mut(16)));
            drop(stack);
        });
    });
    let Some((output, said)) = case else { return };
    assert_eq!(output.status.code(), None, "{said}");
    assert!(said.contains("main has ended the process by"), "{said}");
    assert!(said.contains("the last visible operation of main was load"), "{said}");
}

#[test]
fn a_stack_overflow_says_whose_it_is() {
    fn deep(n: usize) -> usize {
        let frame = [n; 64];
        std::hint::black_box(&frame)[7].wrapping_add(if n == usize::MAX { 0 } else { deep(n + 1) })
    }
    let case = in_a_process("a_stack_overflow_says_whose_it_is", || {
        mazurka::check(|| {
            let n = Arc::new(AtomicUsize::new(0));
            let builder = thread::Builder::new().name("digger".to_owned());
            let t = builder.spawn(move || deep(n.load(SeqCst))).unwrap();
            drop(t.join());
        });
    });
    let Some((output, said)) = case else { return };
    assert!(!output.status.success());
    assert!(said.contains("digger has overflowed its stack of 2048 KiB"), "{said}");
    assert!(said.contains("Checker::stack_size"), "{said}");
}

#[test]
fn stacks_are_as_large_as_one_asks() {
    fn deep(n: usize) -> usize {
        let frame = [1; 64];
        match n {
            0 => 0,
            _ => std::hint::black_box(&frame)[7] + deep(n - 1),
        }
    }
    Checker::new().stack_size(16 << 20).check(|| {
        let t = thread::spawn(|| deep(8_000));
        assert_eq!(deep(8_000) + t.join().unwrap(), 16_000);
    });
}

#[test]
fn a_loop_without_visible_operations_does_not_outlast_the_time() {
    let case = in_a_process("a_loop_without_visible_operations_does_not_outlast_the_time", || {
        Checker::new().max_duration(Duration::from_millis(200)).check(|| {
            let n = Arc::new(AtomicUsize::new(0));
            let t = thread::spawn(move || {
                n.store(1, SeqCst);
                while std::hint::black_box(true) {}
            });
            t.join().unwrap();
        });
    });
    let Some((output, said)) = case else { return };
    assert_eq!(output.status.code(), Some(101), "{said}");
    assert!(said.contains("thread 1 has run for"), "{said}");
    assert!(said.contains("it loops without visible operations"), "{said}");
    assert!(
        said.contains("the last visible operation of thread 1 was store"),
        "{said}"
    );
}

/// A mutex of std's that a suspended thread holds and will never release.
#[test]
fn a_thread_that_waits_for_something_of_std_is_named() {
    let start = Instant::now();
    let case = in_a_process("a_thread_that_waits_for_something_of_std_is_named", || {
        let checker = Checker::new().max_step_duration(Duration::from_millis(300));
        checker.check(|| {
            let pair = Arc::new((std::sync::Mutex::new(0), AtomicUsize::new(0)));
            let other = Arc::clone(&pair);
            let t = thread::spawn(move || {
                let _held = other.0.lock().unwrap();
                other.1.store(1, SeqCst);
                other.1.store(2, SeqCst);
            });
            pair.1.load(SeqCst);
            *pair.0.lock().unwrap() += 1;
            t.join().unwrap();
        });
    });
    let Some((output, said)) = case else { return };
    assert_eq!(output.status.code(), Some(101), "{said}");
    assert!(said.contains("without a visible operation"), "{said}");
    if cfg!(target_os = "linux") {
        assert!(
            said.contains("it waits for something that is not under control"),
            "{said}"
        );
    }
    assert!(start.elapsed() < Duration::from_secs(60));
}
