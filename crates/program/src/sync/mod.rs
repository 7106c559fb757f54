//! Synchronisation, with the names and signatures of `std::sync`, and the registration of all types of objects.
//!
//! A primitive is one module, with what users get, and with what the engine knows about it as an `ObjectType`. It is registered
//! here, by its `mod` line and its entry in `objects!`.

mod arc;
pub mod atomic;
mod barrier;
mod condvar;
mod monitor;
pub mod mpsc;
mod mutex;
mod once;
mod poison;
mod rwlock;
mod semaphore;

pub use monitor::{IllegalMonitorState, Monitor};
pub use std::sync::{LockResult, PoisonError, TryLockError, TryLockResult};

// An entry is a name, the state of the engine's type, and what users get in `sync`.
crate::registry::objects! {
    Mutex = mutex::object::State { pub use mutex::{Mutex, MutexGuard}; }
    RwLock = rwlock::object::State { pub use rwlock::{RwLock, RwLockReadGuard, RwLockWriteGuard}; }
    Condvar = condvar::object::State { pub use condvar::{Condvar, WaitTimeoutResult}; }
    Register = atomic::register::State {}
    Graphed = atomic::weak::State {}
    Queue = mpsc::queue::State {}
    Semaphore = semaphore::State { pub use semaphore::Semaphore; }
    Parker = crate::thread::parker::State {}
    Barrier = barrier::State { pub use barrier::{Barrier, BarrierWaitResult}; }
    Once = once::object::State { pub use once::{LazyLock, Once, OnceLock, OnceState}; }
    End = crate::thread::end::State {}
    User = crate::user::State {}
    Owners = arc::owners::State { pub use arc::{Arc, Weak}; pub(crate) use arc::Owned; }
    Choice = crate::choice::State {}
    Clock = crate::time::State {}
    Wakeup = crate::future::wakeup::State {}
    Future = crate::future::awaitable::State {}
    Place = crate::net::place::State {}
    Crash = crate::node::crash::State {}
}
