//! A digest of the local state of a controlled thread: everything on its stack, and the registers.
//!
//! A loop that waits comes round to the same state again and again, until it reads something else. To notice that, the
//! bytes of the stack are compared, from the frame of the function that calls a primitive to the first one. Compilers
//! keep values in registers, too. Those that a function must preserve are noted when the primitive is called; the others do not survive a
//! call. So a primitive whose calls may be compared is called by [`watched`], in a function that is always inlined: what is noted then belongs
//! to the program, and the frames of the engine, with their counters, are not yet there.
//!
//! Compilers reserve places in a frame before they use them, and these contain leftovers of other calls. Those of the program are
//! the same in each turn of a loop, but those of the engine are not. So the stack below the program's frame is [scrubbed](scrub)
//! when the call is over.
//!
//! Changes on the heap without a visible operation are not seen here, so `execution/spinning.rs` tries a loop before it
//! assumes that the loop waits.

use std::cell::Cell;

/// How many registers a function must preserve, and the address to return to.
#[cfg(not(target_arch = "aarch64"))]
const SAVED: usize = 7;
#[cfg(target_arch = "aarch64")]
const SAVED: usize = 20;

/// The first words of a stack belong to the coroutine: they say where its scheduler is.
const ABOVE: usize = 2;

/// What is noted of the caller of a primitive.
#[derive(Clone, Copy)]
struct Mark {
    /// The lowest address of its frame, or 0.
    frame: usize,
    registers: [u64; SAVED],
}

thread_local! {
    static MARK: Cell<Mark> = const { Cell::new(Mark { frame: 0, registers: [0; SAVED] }) };
}

/// Calls a primitive, and notes the local state of the caller.
macro_rules! watched {
    ($call:expr) => {{
        $crate::fiber::mark();
        let result = $call;
        $crate::fiber::scrub();
        result
    }};
}
pub(crate) use watched;

/// Notes the registers of the caller, and where its frame is.
#[cfg(all(target_arch = "x86_64", unix))]
#[unsafe(naked)]
pub(crate) extern "C" fn mark() {
    std::arch::naked_asm!(
        "push r15",
        "push r14",
        "push r13",
        "push r12",
        "push rbp",
        "push rbx",
        "mov rdi, rsp",
        "sub rsp, 8",
        "call {note}",
        "add rsp, 8",
        "pop rbx",
        "pop rbp",
        "pop r12",
        "pop r13",
        "pop r14",
        "pop r15",
        "ret",
        note = sym note,
    )
}

/// The same; see above.
#[cfg(all(target_arch = "aarch64", unix))]
#[unsafe(naked)]
pub(crate) extern "C" fn mark() {
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
        "mov x0, sp",
        "bl {note}",
        "ldp x29, x30, [sp, #80]",
        "add sp, sp, #160",
        "ret",
        note = sym note,
    )
}

/// Without the registers, states cannot be compared.
#[cfg(not(all(any(target_arch = "x86_64", target_arch = "aarch64"), unix)))]
pub(crate) fn mark() {}

#[cfg(all(any(target_arch = "x86_64", target_arch = "aarch64"), unix))]
extern "C" fn note(from: *const u64) {
    let mut registers = [0; SAVED];
    for (i, register) in registers.iter_mut().enumerate() {
        // SAFETY: `mark` has stored so many words there.
        *register = unsafe { from.add(i).read() };
    }
    let frame = from.addr() + SAVED * size_of::<u64>();
    MARK.set(Mark { frame, registers });
}

/// The call of a primitive is over: its marks are of no use any more, and what it has left on the stack is overwritten.
#[inline(never)]
pub(crate) fn scrub() {
    MARK.with(|mark| {
        mark.set(Mark {
            frame: 0,
            registers: [0; SAVED],
        })
    });
    wipe();
}

/// Overwrites two kilobytes of the stack below the frame of the caller. The call that is over needed more.
#[cfg(all(target_arch = "x86_64", unix))]
#[unsafe(naked)]
extern "C" fn wipe() {
    std::arch::naked_asm!(
        "lea rdi, [rsp - 2048]",
        "mov ecx, 256",
        "xor eax, eax",
        "cld",
        "rep stosq",
        "ret",
    )
}

/// The same; see above.
#[cfg(all(target_arch = "aarch64", unix))]
#[unsafe(naked)]
extern "C" fn wipe() {
    std::arch::naked_asm!(
        "sub x0, sp, #2048",
        "mov x1, sp",
        "2:",
        "stp xzr, xzr, [x0], #16",
        "cmp x0, x1",
        "b.lo 2b",
        "ret",
    )
}

#[cfg(not(all(any(target_arch = "x86_64", target_arch = "aarch64"), unix)))]
fn wipe() {}

/// A digest of the local state of the current fiber when it called the primitive that runs now; none if that was not noted, or on platforms
/// that are not supported.
pub(crate) fn local_state() -> Option<[u64; 2]> {
    let Mark { frame, registers } = MARK.get();
    let (here, base) = (std::ptr::from_ref(&registers).addr(), super::fault::base_of_stack());
    // A mark of another fiber, or of a call that has ended by a panic, is of no use.
    if frame <= here || frame + ABOVE * size_of::<u64>() >= base {
        return None;
    }
    // Two different sums, so that two states which differ do not look alike by chance.
    let (mut a, mut b) = (0xcbf2_9ce4_8422_2325_u64, 0x9e37_79b9_7f4a_7c15_u64);
    let mut add = |word: u64| {
        a = (a ^ word).wrapping_mul(0x0100_0000_01b3).rotate_left(23);
        b = (b.rotate_left(17) ^ word).wrapping_mul(0xff51_afd7_ed55_8ccd);
    };
    add(frame as u64);
    registers.into_iter().for_each(&mut add);
    let words = (base - frame) / size_of::<u64>() - ABOVE;
    let from = std::ptr::with_exposed_provenance::<u64>(frame);
    for i in 0..words {
        // SAFETY: the words lie between a frame of the stack that this runs on and its base. They are read as they are: bytes
        // that were never written only make states look different.
        add(unsafe { from.add(i).read_volatile() });
    }
    Some([a, b])
}
