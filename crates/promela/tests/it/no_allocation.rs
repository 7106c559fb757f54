//! Once warm, a search of a model allocates nothing per transition, with reduction or without.

use mazurka_core::Limits;
use mazurka_promela::verify::{Options, Property, Reduction, Verdict, check};
use mazurka_promela::{Model, load};
use std::alloc::{GlobalAlloc, Layout, System as Heap};
use std::cell::Cell;

/// Counts the allocations of each thread.
struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

#[expect(unsafe_code, reason = "a counting allocator is one")]
// SAFETY: every call goes to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.with(|count| count.set(count.get() + 1));
        unsafe { Heap.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        unsafe { Heap.dealloc(memory, layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ALLOCATIONS.with(|count| count.set(count.get() + 1));
        unsafe { Heap.realloc(memory, layout, size) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// Stations around a ring, with everything that a transition may need room for: messages in buffers and handed over,
/// `atomic` that branches, `d_step` with a loop, `else`, `unless`, and processes that end.
fn ring(rounds: u32) -> Model {
    let text = format!(
        "chan link[3] = [2] of {{ byte, byte }}; chan sorted = [3] of {{ byte }}; chan direct = [0] of {{ byte, byte }};
        byte total[3], seen;
        proctype station(byte me) {{
            byte k, x, y;
            do
            :: k < {rounds} -> atomic {{ link[me]!me, k; k++; if :: x > 0 -> x-- :: y > 0 -> y-- :: else fi }}
            :: link[(me + 2) % 3]?eval((me + 2) % 3), y ->
                d_step {{ x = 0; do :: x < 3 -> total[x] = (total[x] + y) % 4; x++ :: else -> break od }}
            :: direct!me, y
            :: direct?x, _
            :: sorted!!k
            :: sorted??eval(me)
            :: k == {rounds} -> break
            od unless {{ seen > 200 }}
        }}
        init {{ atomic {{ run station(0); run station(1); run station(2) }} }}"
    );
    load("ring.pml", text, &mazurka_promela::Options::default())
        .unwrap()
        .model
}

#[test]
fn allocations_do_not_grow_with_transitions() {
    let count = |model: &Model, reduction: Reduction, states: u64| {
        let options = Options {
            reduction,
            limits: Limits {
                states: Some(states),
                ..Limits::default()
            },
            ..Options::default()
        };
        let before = ALLOCATIONS.with(Cell::get);
        let result = check(model, &Property::Assertions, &options).unwrap();
        assert_ne!(result.verdict, Verdict::Violated, "{:?}", result.violations);
        (ALLOCATIONS.with(Cell::get) - before, result.statistics.transitions)
    };
    // What grows is the set-up, with the model, and doubling, with the logarithm. With reduction, it is also what is worked out
    // where questions about a state have new answers.
    for (reduction, grown) in [(Reduction::None, 300), (Reduction::Full, 3_000)] {
        let (few, few_transitions) = count(&ring(1), reduction, 2_000);
        let (many, many_transitions) = count(&ring(2), reduction, 60_000);
        let counts = format!("{few} allocations for {few_transitions} transitions, {many} for {many_transitions}");
        println!("{reduction:?}: {counts}");
        assert!(many_transitions > 10 * few_transitions, "{counts}");
        assert!(many < few + grown, "{counts}");
    }
}
