//! Synchronisation, as in `mazurka::sync`, and what only loom has.

mod notify;

pub use mazurka::sync::*;
pub use notify::Notify;

/// Atomics.
pub mod atomic {
    pub use mazurka::sync::atomic::*;

    /// Tells that the thread spins.
    #[deprecated(note = "use hint::spin_loop")]
    #[inline(always)]
    pub fn spin_loop_hint() {
        mazurka::hint::spin_loop();
    }
}
