//! tokio's names, for checks with mazurka: every interleaving of the tasks of an asynchronous program, without repetition.
//!
//! Rename the dependency under a `cfg`, and nothing else changes in the program:
//!
//! ```toml
//! [target.'cfg(not(mazurka))'.dependencies]
//! tokio = { version = "1", features = ["full"] }
//! [target.'cfg(mazurka)'.dependencies]
//! tokio = { package = "mazurka-tokio", version = "0.1" }
//! ```
//!
//! A test then runs what it would give to `Runtime::block_on` in a check:
//!
//! ```
//! use mazurka_tokio as tokio;
//! use tokio::sync::mpsc;
//!
//! mazurka::check(|| {
//!     tokio::runtime::Runtime::new().unwrap().block_on(async {
//!         let (sender, mut receiver) = mpsc::channel(1);
//!         let task = tokio::spawn(async move {
//!             for i in 0..2 {
//!                 sender.send(i).await.unwrap();
//!             }
//!         });
//!         assert_eq!(receiver.recv().await, Some(0));
//!         assert_eq!(receiver.recv().await, Some(1));
//!         assert_eq!(receiver.recv().await, None);
//!         task.await.unwrap();
//!     });
//! });
//! ```
//!
//! Names, signatures and documented behaviour are tokio's. What is not here does not compile. Outside a check, tasks are
//! threads and time is real, so that the same tests run without a check as well. The chapter "Asynchronous programs" of the
//! book, `docs/book/src/guide/async.md` in the repository, lists what there is.

#![cfg_attr(not(test), warn(clippy::cast_possible_truncation))]

pub mod io;
pub mod net;
pub mod runtime;
pub mod sync;
pub mod task;
pub mod time;

pub use mazurka::future::{join, select, try_join};
pub use task::spawn;

/// Pins variables on the stack, as `tokio::pin!`.
///
/// ```
/// use mazurka_tokio as tokio;
/// mazurka::check(|| {
///     tokio::runtime::Runtime::new().unwrap().block_on(async {
///         let future = async { 1 };
///         tokio::pin!(future);
///         tokio::pin! {
///             let other = async { 2 };
///         }
///         assert_eq!(future.as_mut().await + other.as_mut().await, 3);
///     });
/// });
/// ```
#[macro_export]
macro_rules! pin {
    ($($name:ident),+ $(,)?) => {
        $(
            #[allow(unused_mut)]
            let mut $name = ::std::pin::pin!($name);
        )+
    };
    ($(let $name:ident = $init:expr;)+) => {
        $(
            #[allow(unused_mut)]
            let mut $name = ::std::pin::pin!($init);
        )+
    };
}

/// The code of the chapter about this crate is tested.
#[cfg(doctest)]
mod documents {
    #[doc = include_str!("../../../docs/book/src/guide/async.md")]
    struct Guide;
}
