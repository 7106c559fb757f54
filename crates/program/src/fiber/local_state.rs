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

use super::fault;

/// The contents of the lowest frame that is compared. The registers come first.
#[repr(C)]
struct Frame {
    registers: [usize; COUNT],
    digest: [u64; 2],
}

/// Calls `f` with a digest of the local state of the current fiber, or with zeros on platforms that are not supported.
///
/// Compilers reserve places in a frame before they use them, and these contain leftovers of other calls. So this
/// function has no locals but those that it fills at once.
#[inline(never)]
pub(crate) fn with_local_state(f: fn([u64; 2])) {
    let mut frame = Frame {
        registers: [0; COUNT],
        digest: [0; 2],
    };
    store(&mut frame);
    sum_up(&mut frame);
    f(frame.digest);
}

#[inline(never)]
fn sum_up(frame: &mut Frame) {
    let from = std::ptr::from_ref(frame).cast::<u64>();
    let words = fault::base_of_stack().saturating_sub(from.addr()) / size_of::<u64>();
    if COUNT == 0 || words == 0 {
        return;
    }
    // Two different sums, so that two states which differ do not look alike by chance.
    let (mut a, mut b) = (0xcbf2_9ce4_8422_2325_u64, 0x9e37_79b9_7f4a_7c15_u64);
    for i in 0..words {
        // SAFETY: the words lie between a local of the caller and the base of the stack that this runs on, which is mapped. They are
        // read as they are: bytes that were never written only make states look different.
        let word = unsafe { from.wrapping_add(i).read_volatile() };
        a = (a ^ word).wrapping_mul(0x0100_0000_01b3).rotate_left(23);
        b = (b.rotate_left(17) ^ word).wrapping_mul(0xff51_afd7_ed55_8ccd);
    }
    // Never zero.
    frame.digest = [a | 1, b];
}

#[cfg(all(target_arch = "x86_64", unix))]
const COUNT: usize = 6;

/// Stores the registers that a function must preserve.
#[cfg(all(target_arch = "x86_64", unix))]
#[unsafe(naked)]
extern "C" fn store(into: &mut Frame) {
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

#[cfg(all(target_arch = "aarch64", unix))]
const COUNT: usize = 19;

/// Stores the registers that a function must preserve.
#[cfg(all(target_arch = "aarch64", unix))]
#[unsafe(naked)]
extern "C" fn store(into: &mut Frame) {
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

#[cfg(not(all(any(target_arch = "x86_64", target_arch = "aarch64"), unix)))]
const COUNT: usize = 0;

#[cfg(not(all(any(target_arch = "x86_64", target_arch = "aarch64"), unix)))]
fn store(_: &mut Frame) {}
