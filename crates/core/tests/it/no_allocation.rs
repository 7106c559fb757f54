//! Once warm, a search allocates nothing per transition.

use mazurka_core::*;
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

/// `n` processes that pass messages around a ring under locks; every object type occurs.
fn ring(n: usize) -> Model {
    let mut m = Builder::new("ring");
    let permits = m.semaphore("permits", SemaphoreType::counting(3).at_most(3));
    let seen = m.variable("seen", VariableType::range(0..=1));
    let locks: Vec<_> = (0..n).map(|i| m.lock(format!("lock {i}"))).collect();
    let channels: Vec<_> = (0..n)
        .map(|i| {
            m.channel(
                format!("channel {i}"),
                ChannelType::bounded(2).containing([i as i64 % 3]),
            )
        })
        .collect();
    for i in 0..n {
        let [idle, ready, busy] = m.process(format!("P{i}"), ["idle", "ready", "busy"]);
        let copy = m.variable(format!("copy {i}"), VariableType::range(0..=255));
        m.transition(format!("{i} takes"), idle, ready)
            .then([permits.acquire(), locks[i].acquire()]);
        m.transition(format!("{i} receives"), ready, busy)
            .then(channels[i].receive_into(copy));
        m.transition(format!("{i} sends"), busy, idle).then([
            channels[(i + 1) % n].send(copy),
            seen.complement(),
            permits.release(),
            locks[i].release(),
        ]);
    }
    m.build().unwrap()
}

#[test]
fn allocations_do_not_grow_with_transitions() {
    let (small, large) = (ring(3), ring(5));
    let searches = |model| {
        let thesis = Search::new(model).sleep(true).proviso(ProvisoKind::Stack);
        [
            ("full", Search::full(model)),
            ("sleep", Search::full(model).sleep(true)),
            ("deadlocks", Search::deadlocks(model)),
            ("component", Search::new(model)),
            ("thesis", thesis),
            ("breadth-first", Search::full(model).order(Order::BreadthFirst)),
            (
                "breadth-first deadlocks",
                Search::deadlocks(model).order(Order::BreadthFirst),
            ),
        ]
    };
    for ((name, few), (_, many)) in searches(&small).into_iter().zip(searches(&large)) {
        let count = |search: Search<'_>| {
            let before = ALLOCATIONS.with(Cell::get);
            let (statistics, end) = search.observe(&mut ()).unwrap();
            assert_eq!(end, End::Complete);
            (ALLOCATIONS.with(Cell::get) - before, statistics.transitions)
        };
        let (few, few_transitions) = count(few);
        let (many, many_transitions) = count(many);

        println!("{name}: {few} allocations for {few_transitions} transitions, {many} for {many_transitions}");
        // What grows is the set-up, with the model, and doubling, with the logarithm.
        assert!(
            many < few + 300,
            "{name}: {few} allocations for {few_transitions} transitions, {many} for {many_transitions}"
        );
    }
}
