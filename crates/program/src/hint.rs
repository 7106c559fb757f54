//! Hints, as in `std::hint`.

/// A spinning thread says that it spins; the same as [`yield_now`](crate::thread::yield_now) under control.
#[inline(never)]
pub fn spin_loop() {
    if crate::runtime::inside() {
        let mut state = [0; 2];
        crate::fiber::local_state(&mut state);
        crate::runtime::comes_round(state);
    } else {
        std::hint::spin_loop();
    }
}
