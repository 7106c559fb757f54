//! Signals that end the process while controlled code runs: a stack overflow, an abort, an invalid access.
//!
//! Rust ends the process if a destructor panics while a stack is unwound, an allocator does so if memory was freed twice, and a
//! stack that overflows hits its guard page. None of them says which execution it was. So the handler of these signals tells
//! the watchdog ([`crate::watch`]), which prints what is known, and waits until it is done. Then the signal
//! takes its course: if it came from controlled code, as if there were no handler, and otherwise as the previous
//! handler (std's) handles it.
//!
//! The handler only loads and stores atomics and thread-local cells without destructors, and sleeps, so it can be called at any
//! moment. It runs on the alternate stack that std gives to its threads, or on one that is made here.

#[cfg(unix)]
pub(crate) use unix::{base_of_stack, enter_stack, prepare};

#[cfg(not(unix))]
pub(crate) fn enter_stack(stack: (usize, usize)) -> (usize, usize) {
    stack
}

#[cfg(not(unix))]
pub(crate) fn base_of_stack() -> usize {
    0
}

#[cfg(not(unix))]
pub(crate) fn prepare(_search: u64) {}

use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU32, AtomicU64, Ordering};

/// A signal, as the watchdog needs it.
pub(crate) struct Fault {
    /// The search whose controlled code raised it.
    pub(crate) search: u64,
    pub(crate) signal: i32,
    /// Whether the stack overflowed.
    pub(crate) overflow: bool,
}

const IDLE: u32 = 0;
const RAISING: u32 = 1;
const RAISED: u32 = 2;
const REPORTED: u32 = 3;

static STATE: AtomicU32 = AtomicU32::new(IDLE);
static SEARCH: AtomicU64 = AtomicU64::new(0);
static SIGNAL: AtomicI32 = AtomicI32::new(0);
static OVERFLOW: AtomicBool = AtomicBool::new(false);

/// The signal that came, if any did.
pub(crate) fn raised() -> Option<Fault> {
    (STATE.load(Ordering::Acquire) == RAISED).then(|| Fault {
        search: SEARCH.load(Ordering::Relaxed),
        signal: SIGNAL.load(Ordering::Relaxed),
        overflow: OVERFLOW.load(Ordering::Relaxed),
    })
}

/// Tells the handler that everything was printed, so that the signal takes its course.
pub(crate) fn reported() {
    STATE.store(REPORTED, Ordering::Release);
}

#[cfg(unix)]
mod unix {
    use super::{IDLE, OVERFLOW, Ordering, RAISED, RAISING, REPORTED, SEARCH, SIGNAL, STATE};
    use std::cell::Cell;
    use std::mem::MaybeUninit;
    use std::ptr;
    use std::sync::OnceLock;

    const SIGNALS: [libc::c_int; 5] = [libc::SIGSEGV, libc::SIGBUS, libc::SIGILL, libc::SIGFPE, libc::SIGABRT];

    /// The largest distance of a guard page from the limit of its stack.
    const GUARD: usize = super::super::GUARD;

    /// How long the handler waits for the watchdog, in hundredths of a second.
    const PATIENCE: u32 = 500;

    static BEFORE: OnceLock<[libc::sigaction; SIGNALS.len()]> = OnceLock::new();

    thread_local! {
        /// The search of this OS thread.
        static CURRENT: Cell<u64> = const { Cell::new(0) };
        /// The limit and the base of the stack of the fiber that runs.
        static STACK: Cell<(usize, usize)> = const { Cell::new((0, 0)) };
    }

    /// A fiber with this stack runs now; returns the stack of the one that ran.
    pub(crate) fn enter_stack(stack: (usize, usize)) -> (usize, usize) {
        STACK.replace(stack)
    }

    /// The base of the stack of the fiber that runs; 0 if none does.
    pub(crate) fn base_of_stack() -> usize {
        STACK.get().1
    }

    /// Faults in controlled code of this OS thread belong to `search`.
    pub(crate) fn prepare(search: u64) {
        CURRENT.set(search);
        BEFORE.get_or_init(install);
        alternate_stack();
    }

    fn install() -> [libc::sigaction; SIGNALS.len()] {
        SIGNALS.map(|signal| {
            let mut before = MaybeUninit::<libc::sigaction>::zeroed();
            // SAFETY: an all-zero sigaction is valid (no flags, default handler, empty mask); the pointers are to locals, and the
            // handler has the signature that SA_SIGINFO asks for.
            unsafe {
                let mut action = MaybeUninit::<libc::sigaction>::zeroed().assume_init();
                action.sa_sigaction = handle as extern "C" fn(_, _, _) as usize;
                action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
                libc::sigaction(signal, &raw const action, before.as_mut_ptr());
                before.assume_init()
            }
        })
    }

    /// Gives this OS thread an alternate stack, if it has none. It is used as long as the thread lives, and so it is leaked.
    fn alternate_stack() {
        const SIZE: usize = 64 << 10;
        // SAFETY: the first call only reads; the second one is given memory that is never freed.
        unsafe {
            let mut now = MaybeUninit::<libc::stack_t>::zeroed().assume_init();
            if libc::sigaltstack(ptr::null(), &raw mut now) != 0 || now.ss_flags & libc::SS_DISABLE == 0 {
                return;
            }
            let memory: &'static mut [u8] = Box::leak(vec![0; SIZE].into_boxed_slice());
            now.ss_sp = memory.as_mut_ptr().cast();
            now.ss_size = SIZE;
            now.ss_flags = 0;
            libc::sigaltstack(&raw const now, ptr::null_mut());
        }
    }

    extern "C" fn handle(signal: libc::c_int, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
        let position = SIGNALS.iter().position(|s| *s == signal);
        let Some(before) = BEFORE.get().and_then(|all| position.map(|p| &all[p])) else {
            return;
        };
        let (limit, base) = STACK.get();
        if base == 0 {
            pass_on(before, signal, info, context);
            return;
        }
        let memory = signal == libc::SIGSEGV || signal == libc::SIGBUS;
        // SAFETY: the kernel gives a valid siginfo, which has an address for these signals.
        let overflow = memory && unsafe { (*info).si_addr() as usize }.wrapping_sub(limit) < GUARD;
        tell(signal, overflow);
        // SAFETY: a valid action. When this returns, the instruction that failed fails again, or `abort` goes on.
        unsafe {
            let action = MaybeUninit::<libc::sigaction>::zeroed().assume_init();
            libc::sigaction(signal, &raw const action, ptr::null_mut());
        }
    }

    /// Tells the watchdog, and waits until it has printed everything.
    fn tell(signal: libc::c_int, overflow: bool) {
        let mine = STATE.compare_exchange(IDLE, RAISING, Ordering::Acquire, Ordering::Relaxed);
        if mine.is_ok() {
            SEARCH.store(CURRENT.get(), Ordering::Relaxed);
            SIGNAL.store(signal, Ordering::Relaxed);
            OVERFLOW.store(overflow, Ordering::Relaxed);
            STATE.store(RAISED, Ordering::Release);
        }
        let nap = libc::timespec {
            tv_sec: 0,
            tv_nsec: 10_000_000,
        };
        for _ in 0..PATIENCE {
            if STATE.load(Ordering::Acquire) == REPORTED {
                return;
            }
            // SAFETY: a valid timespec; the remaining time is not asked for.
            unsafe { libc::nanosleep(&raw const nap, ptr::null_mut()) };
        }
    }

    /// Passes a signal of other code on to the previous handler.
    fn pass_on(before: &libc::sigaction, signal: libc::c_int, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
        let handler = before.sa_sigaction;
        if handler == libc::SIG_DFL || handler == libc::SIG_IGN {
            // SAFETY: the action is one that was valid before. What failed fails again.
            unsafe { libc::sigaction(signal, before, ptr::null_mut()) };
        } else if before.sa_flags & libc::SA_SIGINFO != 0 {
            // SAFETY: with this flag the handler has this signature.
            let handler = unsafe {
                std::mem::transmute::<usize, extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void)>(
                    handler,
                )
            };
            handler(signal, info, context);
        } else {
            // SAFETY: without the flag the handler takes the signal only.
            let handler = unsafe { std::mem::transmute::<usize, extern "C" fn(libc::c_int)>(handler) };
            handler(signal);
        }
    }
}
