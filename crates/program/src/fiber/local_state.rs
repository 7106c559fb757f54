//! The local state of a controlled thread, as a number: everything on its stack, and the registers.
//!
//! A loop that waits comes round to the same state again and again, until it reads something else. To see that it does, the
//! bytes of the stack are compared, from the frame of the function that says so (`yield_now`, `spin_loop`) to the first one. Compilers
//! keep values in registers, too: those that a function must preserve are stored into the lowest frame first, so they are
//! among the bytes; the others do not survive a call. Frames below are not looked at, because calls that are over have left
//! their traces there.
//!
//! What the thread changes on the heap without a visible operation is not seen. The report says what it was taken for.

/// A digest of the local state of the current fiber; none if nobody knows how to get it here.
#[inline(never)]
pub(crate) fn digest(base: usize, into: &mut [u64; 2]) {
    let mut registers = [0_usize; COUNT];
    if base == 0 || !save(&mut registers) {
        return;
    }
    let from = std::ptr::from_ref(&registers).cast::<u64>();
    let words = base.saturating_sub(from.addr()) / size_of::<u64>();
    // Two different sums, so that two states which differ do not look alike by chance.
    let (mut a, mut b) = (0xcbf2_9ce4_8422_2325_u64, 0x9e37_79b9_7f4a_7c15_u64);
    for i in 0..words {
        // SAFETY: the words lie between a local of this function and the base of the stack it runs on, which is mapped. They are
        // read as they are: bytes that were never written, or that others write at will, only make states look different.
        let word = unsafe { from.wrapping_add(i).read_volatile() };
        a = (a ^ word).wrapping_mul(0x0100_0000_01b3).rotate_left(23);
        b = (b.rotate_left(17) ^ word).wrapping_mul(0xff51_afd7_ed55_8ccd);
    }
    // The digest is never what a caller puts there before.
    *into = [a | 1, b];
}

#[cfg(all(target_arch = "x86_64", unix))]
mod registers {
    pub(super) const COUNT: usize = 6;

    /// Stores the registers that a function must preserve.
    #[unsafe(naked)]
    extern "C" fn store(into: *mut usize) {
        std::arch::naked_asm!(
            "mov [rdi], rbx",
            "mov [rdi + 8], rbp",
            "mov [rdi + 16], r12",
            "mov [rdi + 24], r13",
            "mov [rdi + 32], r14",
            "mov [rdi + 40], r15",
            "ret"
        )
    }

    #[inline(always)]
    pub(super) fn save(into: &mut [usize; COUNT]) -> bool {
        store(into.as_mut_ptr());
        true
    }
}

#[cfg(all(target_arch = "aarch64", unix))]
mod registers {
    pub(super) const COUNT: usize = 19;

    /// Stores the registers that a function must preserve.
    #[unsafe(naked)]
    extern "C" fn store(into: *mut usize) {
        std::arch::naked_asm!(
            "stp x19, x20, [x0]",
            "stp x21, x22, [x0, #16]",
            "stp x23, x24, [x0, #32]",
            "stp x25, x26, [x0, #48]",
            "stp x27, x28, [x0, #64]",
            "str x29, [x0, #80]",
            "stp d8, d9, [x0, #88]",
            "stp d10, d11, [x0, #104]",
            "stp d12, d13, [x0, #120]",
            "stp d14, d15, [x0, #136]",
            "ret"
        )
    }

    #[inline(always)]
    pub(super) fn save(into: &mut [usize; COUNT]) -> bool {
        store(into.as_mut_ptr());
        true
    }
}

#[cfg(not(all(any(target_arch = "x86_64", target_arch = "aarch64"), unix)))]
mod registers {
    pub(super) const COUNT: usize = 1;

    pub(super) fn save(_: &mut [usize; COUNT]) -> bool {
        false
    }
}

use registers::{COUNT, save};
