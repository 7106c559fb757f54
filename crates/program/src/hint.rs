//! Hints, as in `std::hint`.

/// A spinning thread says that it spins. Under control it means nothing: see `docs/program.md` on loops that wait.
pub fn spin_loop() {
    if !crate::runtime::inside() {
        std::hint::spin_loop();
    }
}
