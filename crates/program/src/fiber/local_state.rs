//! A digest of the local state of a controlled thread: everything on its stack, and the registers.
//!
//! A loop that waits comes round to the same state again and again, until it reads something else. To notice that, the
//! bytes of the stack are compared, from the frame of `yield_now` or `spin_loop` to the first one. Compilers
//! keep values in registers, too. Those registers that a function must preserve are stored into the lowest frame first, so
//! they are among the bytes; the others do not survive a call. Frames below are ignored, because finished calls have left
//! their traces there.
//!
//! Changes on the heap without a visible operation are not seen here, so `execution/spinning.rs` tries a loop before it
//! assumes that the loop waits.

/// Calls `f` with a digest of the local state of the current fiber, or with zeros on platforms that are not supported.
///
/// Compilers reserve places in a frame before they use them, and these contain leftovers of other calls. So the lowest frame is
/// written by hand: it has the registers that a function must preserve, and the address to return to, and nothing else. There is
/// no way to unwind through it: `f` neither panics nor suspends.
#[cfg(all(target_arch = "x86_64", unix))]
#[unsafe(naked)]
#[allow(improper_ctypes_definitions)]
pub(crate) extern "C" fn with_local_state(f: fn([u64; 2])) {
    std::arch::naked_asm!(
        "push r15",
        "push r14",
        "push r13",
        "push r12",
        "push rbp",
        "push rbx",
        "mov rsi, rdi",
        "mov rdi, rsp",
        "sub rsp, 8",
        "call {sum_up}",
        "add rsp, 56",
        "ret",
        sum_up = sym sum_up,
    )
}

/// The same; see above.
#[cfg(all(target_arch = "aarch64", unix))]
#[unsafe(naked)]
#[allow(improper_ctypes_definitions)]
pub(crate) extern "C" fn with_local_state(f: fn([u64; 2])) {
    std::arch::naked_asm!(
        "sub sp, sp, #160",
        "stp x19, x20, [sp]",
        "stp x21, x22, [sp, #16]",
        "stp x23, x24, [sp, #32]",
        "stp x25, x26, [sp, #48]",
        "stp x27, x28, [sp, #64]",
        "stp x29, x30, [sp, #80]",
        "stp d8, d9, [sp, #96]",
        "stp d10, d11, [sp, #112]",
        "stp d12, d13, [sp, #128]",
        "stp d14, d15, [sp, #144]",
        "mov x1, x0",
        "mov x0, sp",
        "bl {sum_up}",
        "ldp x29, x30, [sp, #80]",
        "add sp, sp, #160",
        "ret",
        sum_up = sym sum_up,
    )
}

/// Without the registers, states cannot be compared.
#[cfg(not(all(any(target_arch = "x86_64", target_arch = "aarch64"), unix)))]
pub(crate) fn with_local_state(f: fn([u64; 2])) {
    f([0; 2]);
}

#[cfg(all(any(target_arch = "x86_64", target_arch = "aarch64"), unix))]
#[allow(improper_ctypes_definitions)]
extern "C" fn sum_up(from: *const u64, f: fn([u64; 2])) {
    let words = super::fault::base_of_stack().saturating_sub(from.addr()) / size_of::<u64>();
    if words == 0 {
        return f([0; 2]);
    }
    // Two different sums, so that two states which differ do not look alike by chance.
    let (mut a, mut b) = (0xcbf2_9ce4_8422_2325_u64, 0x9e37_79b9_7f4a_7c15_u64);
    for i in 0..words {
        // SAFETY: the words lie between the lowest frame and the base of the stack that this runs on, which is mapped. They are
        // read as they are: bytes that were never written only make states look different.
        let word = unsafe { from.wrapping_add(i).read_volatile() };
        a = (a ^ word).wrapping_mul(0x0100_0000_01b3).rotate_left(23);
        b = (b.rotate_left(17) ^ word).wrapping_mul(0xff51_afd7_ed55_8ccd);
    }
    // Never zero.
    f([a | 1, b]);
}
