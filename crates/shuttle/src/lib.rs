//! The names of shuttle 0.9, for tests that were written for shuttle and are to run on mazurka.
//!
//! Cargo renames the dependency, and the tests stay as they are:
//!
//! ```toml
//! [dev-dependencies]
//! shuttle = { package = "mazurka-shuttle", version = "0.1" }
//! ```
//!
//! It is a crate of its own because runners, schedulers and random numbers are not mazurka's concern; threads and primitives are
//! re-exported from `mazurka`. The chapter "For loom and shuttle users" of the book says which name stands for what.

mod check;
mod config;
pub mod current;
pub mod future;
pub mod lazy_static;
pub mod rand;
mod runner;
pub mod scheduler;

#[doc(hidden)]
pub use mazurka;

pub use check::{
    check, check_dfs, check_pct, check_random, check_random_with_seed, check_uncontrolled_nondeterminism, check_urw,
    replay, replay_from_file,
};
pub use config::{Config, ContinuationFunctionBehavior, FailurePersistence, MaxSteps, UngracefulShutdownConfig};
pub use mazurka::hint;
pub use runner::{PortfolioRunner, Runner};

/// Synchronisation. `Arc` is std's, as in shuttle, so it becomes an `Arc<dyn Trait>` by itself and leaks are not reported.
pub mod sync {
    pub use mazurka::sync::*;
    pub use std::sync::{Arc, Weak};
}

/// Threads.
pub mod thread {
    pub use mazurka::thread::*;
}

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
/// # use mazurka_shuttle as shuttle;
/// use shuttle::sync::Mutex;
/// shuttle::lazy_static! {
///     static ref LIST: Mutex<Vec<u32>> = Mutex::new(vec![7]);
/// }
/// shuttle::check_dfs(|| {
///     LIST.lock().unwrap().push(8);
///     assert_eq!(LIST.lock().unwrap().len(), 2);
/// }, None);
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
        impl $crate::lazy_static::LazyStatic for $name {
            fn initialize(lazy: &Self) {
                let _ = &**lazy;
            }
        }
        $crate::lazy_static! { $($rest)* }
    };
}
