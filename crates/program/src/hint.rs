//! Hints, as in `std::hint`.

/// Tells that the thread spins. In a check it is the same as [`yield_now`](crate::thread::yield_now).
pub fn spin_loop() {
    if crate::runtime::inside() {
        crate::fiber::with_local_state(crate::runtime::comes_round);
    } else {
        std::hint::spin_loop();
    }
}
