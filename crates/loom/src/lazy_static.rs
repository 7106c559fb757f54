//! What [`lazy_static!`](crate::lazy_static!) declares.

use mazurka::sync::LazyLock;

/// A value that is made when it is first needed, once in each execution.
#[derive(Debug)]
pub struct Lazy<T>(LazyLock<T>);

impl<T> Lazy<T> {
    /// A value that `init` makes.
    #[track_caller]
    pub const fn new(init: fn() -> T) -> Lazy<T> {
        Lazy(LazyLock::new(init))
    }

    /// The value.
    #[track_caller]
    pub fn get(&'static self) -> &'static T {
        LazyLock::force(&self.0)
    }
}
