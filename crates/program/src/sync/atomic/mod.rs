//! Atomics, as in `std::sync::atomic`.
//!
//! If all orderings are `SeqCst`, the search explores interleavings. Otherwise it explores all executions that the orderings
//! allow ([`Memory`](crate::Memory)). Data races ([`cell`](crate::cell)) are judged by the orderings as well: a relaxed store does
//! not publish.

mod bits;
mod graphed;
pub(crate) mod register;
pub(crate) mod weak;

use crate::detect::Access;
use crate::execution::values::Done;
use crate::handle::Handle;
use crate::ids::ObjectId;
use crate::memory::{acquires, releases};
use crate::runtime::{self, Runtime};
use bits::Bits;
use graphed::Graphed;
use register::{Op, State};
use std::fmt;
use std::panic::Location;
use std::sync::atomic as std_atomic;
pub use std::sync::atomic::Ordering;
use std::sync::atomic::Ordering::{Relaxed, SeqCst};

/// A fence.
#[track_caller]
pub fn fence(order: Ordering) {
    // It also panics if there is no fence with this ordering.
    std_atomic::fence(order);
    if let Some(rt) = runtime::current().filter(|rt| !rt.abandoning()) {
        let mut execution = rt.execution.borrow_mut();
        execution.weak_orderings |= order != SeqCst;
        let id = execution.current;
        if execution.settings.weak {
            execution.weak_fence(id, order);
        } else {
            execution.detectors.fence(id, acquires(order), releases(order));
        }
    }
}

/// A fence for the compiler only.
pub fn compiler_fence(order: Ordering) {
    std_atomic::compiler_fence(order);
}

/// What an operation has done to the value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Accessed {
    /// Nothing: it was a read.
    Read,
    /// It has written the old value again.
    Kept,
    Changed,
}

/// The object of an atomic, and what an operation on it means.
struct Register {
    handle: Handle,
}

impl Register {
    #[track_caller]
    const fn new() -> Register {
        Register { handle: Handle::new() }
    }

    fn object<A>(&self, atomic: &A, rt: &Runtime) -> ObjectId {
        if rt.execution.borrow().settings.weak {
            rt.object_of(atomic, || true, &self.handle, || weak::State::NEW)
        } else {
            rt.object_of(atomic, || true, &self.handle, || State)
        }
    }

    /// The current thread has read, but not atomically.
    #[track_caller]
    #[cold]
    fn read_plainly<A>(&self, atomic: &A) {
        if let Some(rt) = runtime::current_for(&self.handle).filter(|rt| !rt.abandoning()) {
            let object = self.object(atomic, &rt);
            let mut execution = rt.execution.borrow_mut();
            let id = execution.current;
            let race = execution.detectors.reads_plainly(id, object, Location::caller());
            drop(execution);
            rt.found_race(race);
        }
    }

    /// Performs `f`, which returns what it has done, as one operation.
    ///
    /// An update that keeps the value commutes with reads. But it publishes and continues a release sequence, so it remains
    /// an update while data races are looked for.
    #[track_caller]
    fn perform<A, R>(
        &self,
        atomic: &A,
        operation: Op,
        (success, failure): (Ordering, Ordering),
        now: impl Fn() -> u64,
        f: impl FnOnce() -> (R, Accessed, Done),
    ) -> R {
        let Some(rt) = runtime::current_for(&self.handle) else {
            return f().0;
        };
        let object = self.object(atomic, &rt);
        rt.visible(operation, object, 0);
        let before = now();
        let (result, accessed, done) = f();
        let mut execution = rt.execution.borrow_mut();
        if rt.abandoning() || execution.is_on_trial() {
            return result;
        }
        execution.has_done(object, done);
        let id = execution.current;
        execution.threads[id.index()].saw = Some(before);
        execution.threads[id.index()].kept = before == now();
        let reads = accessed == Accessed::Read || accessed == Accessed::Kept && !execution.detectors.active;
        if operation == Op::Update && reads {
            execution.refine(Op::Load, 0);
        }
        let order = if accessed == Accessed::Read { failure } else { success };
        let access = match operation {
            _ if reads => Access::Read,
            Op::Load => Access::Read,
            Op::Store => Access::Write,
            Op::Update => Access::Update,
        };
        execution.weak_orderings |= order != SeqCst;
        if access != Access::Read {
            execution.wrote_something();
        }
        execution
            .detectors
            .atomic(id, object, access, acquires(order), releases(order));
        if access != Access::Read {
            let race = execution
                .detectors
                .wrote(id, object, releases(order), Location::caller());
            drop(execution);
            rt.found_race(race);
        }
        result
    }
}

/// What a compare-exchange has done.
fn exchanged<V: Bits>(result: Result<V, V>, expected: V, new: V) -> Done {
    match result {
        Ok(found) => Done::Updated {
            from: found.value(),
            to: new.value(),
        },
        Err(found) => Done::Failed {
            found: found.value(),
            expected: expected.value(),
        },
    }
}

macro_rules! common {
    ($name:ident, $inner:ident, $value:ty, [$($parameter:tt)*], $doc:literal) => {
        #[doc = $doc]
        pub struct $name $($parameter)* {
            register: Register,
            inner: std_atomic::$inner $($parameter)*,
        }

        impl $($parameter)* fmt::Debug for $name $($parameter)* {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Debug::fmt(&self.inner, f)
            }
        }

        impl $($parameter)* $name $($parameter)* {
            /// Makes an atomic with this value.
            #[track_caller]
            #[inline]
            pub const fn new(value: $value) -> Self {
                $name { register: Register::new(), inner: std_atomic::$inner::new(value) }
            }

            /// Reads the value.
            #[track_caller]
            #[inline(always)]
            pub fn load(&self, order: Ordering) -> $value {
                if runtime::possible() {
                    crate::fiber::watched!(self.load_in_check(order))
                } else {
                    self.inner.load(order)
                }
            }

            #[track_caller]
            #[cold]
            #[inline(never)]
            fn load_in_check(&self, order: Ordering) -> $value {
                if let Some(graphed) = self.graphed() {
                    let now = self.inner.load(order);
                    let value = graphed.load(order).map_or(now, Bits::of);
                    graphed.has_done(Done::Read(value.value()));
                    return value;
                }
                self.register.perform(self, Op::Load, (order, order), || self.bits(), || {
                    let value = self.inner.load(order);
                    (value, Accessed::Read, Done::Read(value.value()))
                })
            }

            /// Reads the value, as if not atomically: to the compiler it is a relaxed load, but in a check it is a data race if another
            /// thread writes at the same time.
            #[track_caller]
            pub fn unsync_load(&self) -> $value {
                let value = self.load(Relaxed);
                if runtime::possible() {
                    self.register.read_plainly(self);
                }
                value
            }

            /// Writes a value.
            #[track_caller]
            #[inline(always)]
            pub fn store(&self, value: $value, order: Ordering) {
                if runtime::possible() {
                    crate::fiber::watched!(self.store_in_check(value, order))
                } else {
                    self.inner.store(value, order)
                }
            }

            #[track_caller]
            #[cold]
            #[inline(never)]
            fn store_in_check(&self, value: $value, order: Ordering) {
                if let Some(graphed) = self.graphed() {
                    graphed.store(value.bits(), order);
                    graphed.has_done(Done::Wrote(value.value()));
                    return self.inner.store(value, order);
                }
                self.register.perform(self, Op::Store, (order, order), || self.bits(), || {
                    (self.inner.store(value, order), Accessed::Changed, Done::Wrote(value.value()))
                })
            }

            /// Writes a value, and returns the old one.
            #[track_caller]
            #[inline(always)]
            pub fn swap(&self, value: $value, order: Ordering) -> $value {
                if runtime::possible() {
                    crate::fiber::watched!(self.swap_in_check(value, order))
                } else {
                    self.inner.swap(value, order)
                }
            }

            #[track_caller]
            #[cold]
            #[inline(never)]
            fn swap_in_check(&self, value: $value, order: Ordering) -> $value {
                if let Some(graphed) = self.graphed() {
                    let old = graphed.update(order, |_| value.bits());
                    let before = self.inner.swap(value, Relaxed);
                    let before: $value = old.map_or(before, Bits::of);
                    graphed.has_done(Done::Updated { from: before.value(), to: value.value() });
                    return before;
                }
                self.register.perform(self, Op::Update, (order, order), || self.bits(), || {
                    let before = self.inner.swap(value, order);
                    (before, Accessed::Changed, Done::Updated { from: before.value(), to: value.value() })
                })
            }

            /// Writes `new` if the value is `current`; returns the old value.
            #[track_caller]
            #[inline(always)]
            pub fn compare_exchange(
                &self, current: $value, new: $value, success: Ordering, failure: Ordering,
            ) -> Result<$value, $value> {
                if runtime::possible() {
                    crate::fiber::watched!(self.compare_exchange_in_check(current, new, success, failure))
                } else {
                    self.inner.compare_exchange(current, new, success, failure)
                }
            }

            #[track_caller]
            #[cold]
            #[inline(never)]
            fn compare_exchange_in_check(
                &self, current: $value, new: $value, success: Ordering, failure: Ordering,
            ) -> Result<$value, $value> {
                if let Some(graphed) = self.graphed() {
                    return self.compare(graphed, (current, new), (success, failure), false);
                }
                self.register.perform(self, Op::Update, (success, failure), || self.bits(), || {
                    let result = self.inner.compare_exchange(current, new, success, failure);
                    let accessed = if result.is_ok() { Accessed::Changed } else { Accessed::Read };
                    (result, accessed, exchanged(result, current, new))
                })
            }

            /// Writes `new` if the value is `current`; returns the old value. Its orderings are those that `order` implies.
            #[track_caller]
            #[deprecated(note = "use `compare_exchange` or `compare_exchange_weak`")]
            pub fn compare_and_swap(&self, current: $value, new: $value, order: Ordering) -> $value {
                let failure = match order {
                    Ordering::AcqRel => Ordering::Acquire,
                    Ordering::Release => Relaxed,
                    order => order,
                };
                let (Ok(old) | Err(old)) = self.compare_exchange(current, new, order, failure);
                old
            }

            /// The same as `compare_exchange`. It may fail for no reason, unless all atomics of the program are sequentially consistent
            /// ([`Checker::spurious_failures`](crate::Checker::spurious_failures)).
            #[track_caller]
            #[inline(always)]
            pub fn compare_exchange_weak(
                &self, current: $value, new: $value, success: Ordering, failure: Ordering,
            ) -> Result<$value, $value> {
                if runtime::possible() {
                    crate::fiber::watched!(self.compare_exchange_weak_in_check(current, new, success, failure))
                } else {
                    self.inner.compare_exchange_weak(current, new, success, failure)
                }
            }

            #[track_caller]
            #[cold]
            #[inline(never)]
            fn compare_exchange_weak_in_check(
                &self, current: $value, new: $value, success: Ordering, failure: Ordering,
            ) -> Result<$value, $value> {
                match self.graphed() {
                    Some(graphed) => self.compare(graphed, (current, new), (success, failure), true),
                    None => self.compare_exchange_in_check(current, new, success, failure),
                }
            }

            /// Applies `f` to the value, and tries again if another thread has changed it meanwhile.
            #[track_caller]
            pub fn fetch_update(
                &self, set: Ordering, fetch: Ordering, mut f: impl FnMut($value) -> Option<$value>,
            ) -> Result<$value, $value> {
                let mut before = self.load(fetch);
                while let Some(next) = f(before) {
                    match self.compare_exchange(before, next, set, fetch) {
                        Ok(value) => return Ok(value),
                        Err(value) => before = value,
                    }
                }
                Err(before)
            }

            /// The same as `fetch_update`.
            #[track_caller]
            pub fn try_update(
                &self, set: Ordering, fetch: Ordering, f: impl FnMut($value) -> Option<$value>,
            ) -> Result<$value, $value> {
                self.fetch_update(set, fetch, f)
            }

            /// Applies `f` to the value, and tries again if another thread has changed it meanwhile. Returns the old value.
            #[track_caller]
            pub fn update(&self, set: Ordering, fetch: Ordering, mut f: impl FnMut($value) -> $value) -> $value {
                let (Ok(old) | Err(old)) = self.fetch_update(set, fetch, |value| Some(f(value)));
                old
            }

            /// The value, by a reference that excludes all others.
            #[track_caller]
            pub fn get_mut(&mut self) -> &mut $value {
                if runtime::possible()
                    && let Some(bits) = self.graphed().and_then(|graphed| graphed.alone())
                {
                    self.inner.store(Bits::of(bits), Relaxed);
                }
                self.inner.get_mut()
            }

            /// Calls a function with the value, by a reference that excludes all others.
            #[track_caller]
            pub fn with_mut<R>(&mut self, f: impl FnOnce(&mut $value) -> R) -> R {
                f(self.get_mut())
            }

            /// The value.
            #[track_caller]
            pub fn into_inner(mut self) -> $value {
                *self.get_mut()
            }

            #[track_caller]
            fn compare(
                &self, graphed: Graphed, (current, new): ($value, $value), (success, failure): (Ordering, Ordering), weak: bool,
            ) -> Result<$value, $value> {
                // It also panics if there is no compare-exchange with these orderings.
                let plain = |value: $value| {
                    std_atomic::$inner::new(value).compare_exchange(current, new, success, failure)
                };
                let _ = plain(current);
                let result = match graphed.compare((current.bits(), new.bits()), (success, failure), weak) {
                    Some(Ok(old)) => {
                        self.inner.store(new, Relaxed);
                        Ok(Bits::of(old))
                    }
                    Some(Err(found)) => Err(Bits::of(found)),
                    None => return self.inner.compare_exchange(current, new, success, failure),
                };
                graphed.has_done(exchanged(result, current, new));
                result
            }

            /// The value as bits.
            fn bits(&self) -> u64 {
                self.inner.load(Relaxed).bits()
            }

            /// The location of the atomic in the execution graph, in controlled code with weak memory.
            #[track_caller]
            fn graphed(&self) -> Option<Graphed> {
                let rt = runtime::current_for(&self.register.handle)?;
                if !rt.execution.borrow().settings.weak {
                    return None;
                }
                let object = self.register.object(self, &rt);
                Some(Graphed::new(rt, object, || self.bits()))
            }

            pub(crate) fn object(&self, rt: &Runtime) -> ObjectId {
                self.register.object(self, rt)
            }
        }
    };
}

macro_rules! updates {
    ($name:ident, $value:ty, $($method:ident: $what:literal),+) => {
        impl $name {
            $(
                #[doc = $what]
                #[track_caller]
                #[inline(always)]
                pub fn $method(&self, value: $value, order: Ordering) -> $value {
                    if runtime::possible() {
                        // By value, so that the arguments need not be in memory.
                        let graphed = move |old: u64| {
                            let atomic = std_atomic::$name::new(Bits::of(old));
                            atomic.$method(value, order);
                            atomic.into_inner().bits()
                        };
                        crate::fiber::watched!(self.update_in_check(order, graphed, move || self.inner.$method(value, order)))
                    } else {
                        self.inner.$method(value, order)
                    }
                }
            )+

            #[track_caller]
            #[cold]
            #[inline(never)]
            fn update_in_check(
                &self, order: Ordering, next: impl Fn(u64) -> u64, update: impl Fn() -> $value,
            ) -> $value {
                if let Some(graphed) = self.graphed() {
                    return match graphed.update(order, &next) {
                        Some(old) => {
                            let (from, to): ($value, $value) = (Bits::of(old), Bits::of(next(old)));
                            self.inner.store(to, Relaxed);
                            graphed.has_done(Done::Updated { from: from.value(), to: to.value() });
                            from
                        }
                        None => update(),
                    };
                }
                self.register.perform(self, Op::Update, (order, order), || self.bits(), || {
                    let before = update();
                    let after = self.inner.load(Relaxed);
                    let accessed = if before == after { Accessed::Kept } else { Accessed::Changed };
                    (before, accessed, Done::Updated { from: before.value(), to: after.value() })
                })
            }
        }
    };
}

macro_rules! pointer_updates {
    ($($method:ident($value:ident: usize), $what:literal, |$old:ident| $new:expr;)+) => {
        impl<T> AtomicPtr<T> {
            $(
                #[doc = $what]
                #[track_caller]
                #[inline(always)]
                pub fn $method(&self, $value: usize, order: Ordering) -> *mut T {
                    if runtime::possible() {
                        crate::fiber::watched!(
                            self.update_in_check(order, move |$old: *mut T| $new, move || self.inner.$method($value, order))
                        )
                    } else {
                        self.inner.$method($value, order)
                    }
                }
            )+

            #[track_caller]
            #[cold]
            #[inline(never)]
            fn update_in_check(
                &self, order: Ordering, next: impl Fn(*mut T) -> *mut T, update: impl Fn() -> *mut T,
            ) -> *mut T {
                if let Some(graphed) = self.graphed() {
                    return match graphed.update(order, |old| next(Bits::of(old)).bits()) {
                        Some(old) => {
                            let (from, to): (*mut T, *mut T) = (Bits::of(old), next(Bits::of(old)));
                            self.inner.store(to, Relaxed);
                            graphed.has_done(Done::Updated { from: from.value(), to: to.value() });
                            from
                        }
                        None => update(),
                    };
                }
                self.register.perform(self, Op::Update, (order, order), || self.bits(), || {
                    let before = update();
                    let to = next(before).value();
                    (before, Accessed::Changed, Done::Updated { from: before.value(), to })
                })
            }
        }
    };
}

macro_rules! integer {
    ($($name:ident: $value:ty, $doc:literal;)+) => {
        $(
            common!($name, $name, $value, [], $doc);
            updates!($name, $value,
                fetch_add: "Adds; gives what was there.",
                fetch_sub: "Subtracts; gives what was there.",
                fetch_and: "And; gives what was there.",
                fetch_nand: "Not and; gives what was there.",
                fetch_or: "Or; gives what was there.",
                fetch_xor: "Exclusive or; gives what was there.",
                fetch_max: "The greater of both; gives what was there.",
                fetch_min: "The smaller of both; gives what was there."
            );

            impl Default for $name {
                #[track_caller]
                fn default() -> Self { $name::new(0) }
            }

            impl From<$value> for $name {
                #[track_caller]
                fn from(value: $value) -> Self { $name::new(value) }
            }
        )+
    };
}

integer! {
    AtomicU8: u8, "An atomic `u8`.";
    AtomicU16: u16, "An atomic `u16`.";
    AtomicU32: u32, "An atomic `u32`.";
    AtomicU64: u64, "An atomic `u64`.";
    AtomicUsize: usize, "An atomic `usize`.";
    AtomicI8: i8, "An atomic `i8`.";
    AtomicI16: i16, "An atomic `i16`.";
    AtomicI32: i32, "An atomic `i32`.";
    AtomicI64: i64, "An atomic `i64`.";
    AtomicIsize: isize, "An atomic `isize`.";
}

common!(AtomicBool, AtomicBool, bool, [], "An atomic `bool`.");
updates!(AtomicBool, bool,
    fetch_and: "And; gives what was there.",
    fetch_nand: "Not and; gives what was there.",
    fetch_or: "Or; gives what was there.",
    fetch_xor: "Exclusive or; gives what was there."
);

impl AtomicBool {
    /// Not; gives what was there.
    #[track_caller]
    pub fn fetch_not(&self, order: Ordering) -> bool {
        self.fetch_xor(true, order)
    }
}

impl Default for AtomicBool {
    #[track_caller]
    fn default() -> Self {
        AtomicBool::new(false)
    }
}

impl From<bool> for AtomicBool {
    #[track_caller]
    fn from(value: bool) -> Self {
        AtomicBool::new(value)
    }
}

common!(AtomicPtr, AtomicPtr, *mut T, [<T>], "An atomic pointer.");

pointer_updates! {
    fetch_ptr_add(value: usize), "Adds that many elements; gives what was there.", |old| old.wrapping_add(value);
    fetch_ptr_sub(value: usize), "Subtracts that many elements; gives what was there.", |old| old.wrapping_sub(value);
    fetch_byte_add(value: usize), "Adds bytes; gives what was there.", |old| old.wrapping_byte_add(value);
    fetch_byte_sub(value: usize), "Subtracts bytes; gives what was there.", |old| old.wrapping_byte_sub(value);
    fetch_or(value: usize), "Or of the address; gives what was there.", |old| old.map_addr(|a| a | value);
    fetch_and(value: usize), "And of the address; gives what was there.", |old| old.map_addr(|a| a & value);
    fetch_xor(value: usize), "Exclusive or of the address; gives what was there.", |old| old.map_addr(|a| a ^ value);
}

impl<T> fmt::Pointer for AtomicPtr<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Pointer::fmt(&self.inner, f)
    }
}

impl<T> Default for AtomicPtr<T> {
    #[track_caller]
    fn default() -> Self {
        AtomicPtr::new(std::ptr::null_mut())
    }
}

crate::thread::uses!(
    [] AtomicU8, [] AtomicU16, [] AtomicU32, [] AtomicU64, [] AtomicUsize,
    [] AtomicI8, [] AtomicI16, [] AtomicI32, [] AtomicI64, [] AtomicIsize,
    [] AtomicBool, [T] AtomicPtr<T>,
);
