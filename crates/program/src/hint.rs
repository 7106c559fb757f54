//! Hints, as in `std::hint`.

/// A spinning thread says that it spins; the same as [`yield_now`](crate::thread::yield_now) under control.
pub fn spin_loop() {
    if crate::runtime::inside() {
        crate::fiber::with_local_state(crate::runtime::comes_round);
    } else {
        std::hint::spin_loop();
    }
}
