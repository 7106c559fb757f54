//! The same program, built and not tested: its primitives are std's.

use std::mem::{align_of, size_of};

/// Compiles if the types are the same.
macro_rules! same {
    ($(($($path:tt)+))+) => {
        $(const _: fn(mazurka::$($path)+) -> std::$($path)+ = |same| same;)+
    };
}

same! {
    (sync::atomic::AtomicU8) (sync::atomic::AtomicPtr<u8>) (sync::Mutex<u8>) (sync::MutexGuard<'static, u8>)
    (sync::RwLock<u8>) (sync::RwLockReadGuard<'static, u8>) (sync::Condvar) (sync::Once) (sync::OnceLock<u8>)
    (sync::LazyLock<u8>) (sync::Barrier) (sync::Arc<u8>) (sync::Weak<u8>) (sync::mpsc::Sender<u8>)
    (sync::mpsc::Receiver<u8>) (thread::JoinHandle<u8>) (thread::Builder) (thread::LocalKey<u8>) (time::Instant)
    (time::SystemTime) (net::TcpStream) (net::UdpSocket) (fs::File) (alloc::Layout)
}

const _: () = assert!(size_of::<production::UnsafeCell<u8>>() == 1 && align_of::<production::UnsafeCell<u64>>() == 8);

mazurka::thread::thread_local!(static LOCAL: u8 = const { 7 });

fn main() {
    assert_eq!(production::count(true), 2);
    production::others();
    assert_eq!(LOCAL.with(|n| *n), 7);
    assert!(!mazurka::is_checking());
    assert_eq!(mazurka::choose(3), 0);
    mazurka::assume(false);
}
