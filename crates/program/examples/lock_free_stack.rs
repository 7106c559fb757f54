//! Treiber's stack with the ABA problem, and with a count that solves it.
//!
//! Nodes are numbers, so that nothing needs `unsafe`: `next[i]` is what is below node `i`. A thread that pops
//! reads the top node and what is below it; if others pop both and push the first again in between, its
//! compare-exchange succeeds and the second node is on the stack although somebody owns it.
//!
//! `cargo run -p mazurka --example lock_free_stack`

use mazurka::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use mazurka::{Checker, thread};
use std::sync::Arc;

/// No node.
const NONE: usize = 0;
/// Where the count begins in the top, above the number of the node.
const COUNT: usize = 1 << 8;

/// A stack of the nodes 1 and 2.
pub struct Stack {
    top: AtomicUsize,
    next: [AtomicUsize; 3],
    counted: bool,
}

impl Stack {
    fn new(counted: bool) -> Stack {
        let next = [NONE, 2, NONE].map(AtomicUsize::new);
        Stack {
            top: AtomicUsize::new(1),
            next,
            counted,
        }
    }

    /// The top with another node, counted if need be.
    fn change(&self, top: usize, node: usize) -> usize {
        let count = if self.counted { top / COUNT + 1 } else { 0 };
        count * COUNT + node
    }

    fn pop(&self) -> usize {
        loop {
            let top = self.top.load(SeqCst);
            let node = top % COUNT;
            if node == NONE {
                return NONE;
            }
            let below = self.next[node].load(SeqCst);
            if self
                .top
                .compare_exchange(top, self.change(top, below), SeqCst, SeqCst)
                .is_ok()
            {
                return node;
            }
        }
    }

    fn push(&self, node: usize) {
        loop {
            let top = self.top.load(SeqCst);
            self.next[node].store(top % COUNT, SeqCst);
            if self
                .top
                .compare_exchange(top, self.change(top, node), SeqCst, SeqCst)
                .is_ok()
            {
                return;
            }
        }
    }
}

/// One thread pops; the other pops twice and pushes the first node again. No node may have two owners.
pub fn share(counted: bool) {
    let stack = Arc::new(Stack::new(counted));
    let other = Arc::clone(&stack);
    let t = thread::spawn(move || {
        let first = other.pop();
        let second = other.pop();
        if first != NONE {
            other.push(first);
        }
        second
    });
    let mine = stack.pop();
    let theirs = t.join().unwrap();
    let left = stack.pop();
    let mut owned = [mine, theirs, left];
    owned.sort_unstable();
    assert!(
        owned.windows(2).all(|w| w[0] != w[1] || w[0] == NONE),
        "a node has two owners: {owned:?}"
    );
}

/// Shows the violation, and that it is gone.
pub fn main() {
    println!("{}\n", Checker::new().run(|| share(false)));
    println!("{}", Checker::new().run(|| share(true)));
}
