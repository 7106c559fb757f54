//! The names of loom 0.7, for tests that were written for loom and are to run on mazurka.
//!
//! Cargo renames the dependency, and the tests stay as they are:
//!
//! ```toml
//! [dev-dependencies]
//! loom = { package = "mazurka-loom", version = "0.1" }
//! ```
//!
//! It is a crate of its own because loom gives some names of std another meaning: its `spawn` takes what is not `Send`, and its
//! `UnsafeCell::get` returns a guard. Everything else is re-exported from `mazurka`. The chapter "For loom and shuttle users"
//! of the book says which name stands for what.

pub mod alloc;
pub mod cell;
pub mod hint;
pub mod lazy_static;
pub mod model;
pub mod sync;
pub mod thread;

#[doc(hidden)]
pub use mazurka;

pub use model::model;

/// Futures: `block_on`, and a place for a waker.
pub mod future {
    pub use mazurka::future::{AtomicWaker, block_on};
}

/// How many threads a model of loom may have. Here there is no limit.
pub const MAX_THREADS: usize = 5;

/// Ends this execution: what it would do later does not count. As `mazurka::assume(false)`.
pub fn skip_branch() {
    mazurka::assume(false);
}

/// Asks loom not to explore what follows. Everything is explored here, so it does nothing.
pub fn stop_exploring() {}

/// Asks loom to explore what follows. Everything is explored here, so it does nothing.
pub fn explore() {}

/// Declares thread-local values, as `std::thread_local!`.
#[macro_export]
macro_rules! thread_local {
    ($($declaration:tt)*) => {
        $crate::mazurka::thread::thread_local! { $($declaration)* }
    };
}

/// Declares values that are made when they are first needed, once in each execution.
///
/// ```
/// # use mazurka_loom as loom;
/// use std::sync::atomic::Ordering::Relaxed;
/// loom::lazy_static! {
///     static ref COUNT: loom::sync::atomic::AtomicUsize = loom::sync::atomic::AtomicUsize::new(7);
/// }
/// loom::model(|| {
///     assert_eq!(COUNT.fetch_add(1, Relaxed), 7);
/// });
/// ```
#[macro_export]
macro_rules! lazy_static {
    () => {};
    ($(#[$attribute:meta])* $visibility:vis static ref $name:ident: $type:ty = $init:expr; $($rest:tt)*) => {
        #[allow(missing_copy_implementations, non_camel_case_types, dead_code)]
        $(#[$attribute])*
        $visibility struct $name {
            __private_field: (),
        }
        #[doc(hidden)]
        $visibility static $name: $name = $name { __private_field: () };
        impl ::core::ops::Deref for $name {
            type Target = $type;
            fn deref(&self) -> &$type {
                fn initialise() -> $type {
                    $init
                }
                static LAZY: $crate::lazy_static::Lazy<$type> = $crate::lazy_static::Lazy::new(initialise);
                LAZY.get()
            }
        }
        $crate::lazy_static! { $($rest)* }
    };
}
