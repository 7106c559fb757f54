//! `select!`, `join!` and `try_join!`: several futures in one task.

use super::task::Together;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

#[doc(inline)]
pub use crate::{__join as join, __select as select, __try_join as try_join};
pub use std::pin::pin;

/// The branch of `select!` with which a poll starts: any.
#[doc(hidden)]
#[track_caller]
pub fn start(branches: u32) -> u32 {
    if crate::runtime::inside() {
        let chosen = crate::choose(branches as usize);
        return u32::try_from(chosen).expect("a number of a branch");
    }
    fastrand::u32(..branches)
}

/// What became of a `select!` with at most eight branches.
#[doc(hidden)]
#[derive(Debug)]
pub enum Selected<A = (), B = (), C = (), D = (), E = (), F = (), G = (), H = ()> {
    A(A),
    B(B),
    C(C),
    D(D),
    E(E),
    F(F),
    G(G),
    H(H),
    /// All branches are disabled.
    None,
}

/// A future, and then its output.
#[doc(hidden)]
#[derive(Debug)]
pub struct Joined<F: Future> {
    future: Option<Pin<Box<F>>>,
    output: Option<F::Output>,
}

impl<F: Future> Joined<F> {
    pub fn new(future: F) -> Joined<F> {
        Joined {
            future: Some(Box::pin(future)),
            output: None,
        }
    }

    /// Polls it, unless it is ready. True if it is.
    pub fn poll(&mut self, context: &mut Context<'_>) -> bool {
        let _together = Together::new();
        if let Some(future) = &mut self.future
            && let Poll::Ready(output) = future.as_mut().poll(context)
        {
            self.output = Some(output);
            self.future = None;
        }
        self.future.is_none()
    }

    /// The output.
    pub fn take(&mut self) -> F::Output {
        self.output.take().expect("the output of a future that is ready")
    }
}

impl<T, E, F: Future<Output = Result<T, E>>> Joined<F> {
    /// The error, if that is the output.
    pub fn failed(&mut self) -> Option<E> {
        match self.output.take() {
            Some(Err(error)) => Some(error),
            other => {
                self.output = other;
                None
            }
        }
    }
}

/// Waits for all futures and gives their outputs as a tuple, as `tokio::join!`.
#[doc(hidden)]
#[macro_export]
macro_rules! __join {
    (biased; $($future:expr),+ $(,)?) => { $crate::__join!($($future),+) };
    ($($future:expr),+ $(,)?) => { $crate::__join!(@name [] [a b c d e f g h i j k l] $($future,)+) };
    (@name [$($done:tt)*] [$name:ident $($names:ident)*] $future:expr, $($rest:tt)*) => {
        $crate::__join!(@name [$($done)* ($name $future)] [$($names)*] $($rest)*)
    };
    (@name [$(($name:ident $future:expr))+] [$($names:ident)*]) => {{
        $(let mut $name = $crate::future::__private::Joined::new(::std::future::IntoFuture::into_future($future));)+
        ::std::future::poll_fn(move |context| {
            let mut ready = true;
            $(ready &= $name.poll(context);)+
            if ready {
                ::std::task::Poll::Ready(($($name.take(),)+))
            } else {
                ::std::task::Poll::Pending
            }
        })
        .await
    }};
}

/// Waits until all futures are `Ok` or one is `Err`, as `tokio::try_join!`.
#[doc(hidden)]
#[macro_export]
macro_rules! __try_join {
    (biased; $($future:expr),+ $(,)?) => { $crate::__try_join!($($future),+) };
    ($($future:expr),+ $(,)?) => { $crate::__try_join!(@name [] [a b c d e f g h i j k l] $($future,)+) };
    (@name [$($done:tt)*] [$name:ident $($names:ident)*] $future:expr, $($rest:tt)*) => {
        $crate::__try_join!(@name [$($done)* ($name $future)] [$($names)*] $($rest)*)
    };
    (@name [$(($name:ident $future:expr))+] [$($names:ident)*]) => {{
        $(let mut $name = $crate::future::__private::Joined::new(::std::future::IntoFuture::into_future($future));)+
        ::std::future::poll_fn(move |context| {
            let mut ready = true;
            $(
                ready &= $name.poll(context);
                if let ::std::option::Option::Some(error) = $name.failed() {
                    return ::std::task::Poll::Ready(::std::result::Result::Err(error));
                }
            )+
            if !ready {
                return ::std::task::Poll::Pending;
            }
            ::std::task::Poll::Ready(::std::result::Result::Ok(($(
                match $name.take() {
                    ::std::result::Result::Ok(value) => value,
                    ::std::result::Result::Err(error) => return ::std::task::Poll::Ready(::std::result::Result::Err(error)),
                },
            )+)))
        })
        .await
    }};
}

/// Waits until one of several futures is ready, drops the others, and runs what belongs to it, as `tokio::select!`.
#[doc(hidden)]
#[macro_export]
macro_rules! __select {
    // Each branch becomes (name variant number pattern future condition handler).
    (@arms $start:tt $done:tt $names:tt else => $handler:expr $(,)?) => {
        $crate::__select!(@end $start $done $handler)
    };
    (@arms $start:tt $done:tt $names:tt) => {
        $crate::__select!(@end $start $done
            ::std::panic!("all branches are disabled and there is no else branch"))
    };
    (@arms $start:tt [$($done:tt)*] [$name:tt $($names:tt)*] $p:pat = $f:expr, if $c:expr => $h:block, $($rest:tt)*) => {
        $crate::__select!(@arms $start [$($done)* ($name ($p) ($f) ($c) ($h))] [$($names)*] $($rest)*)
    };
    (@arms $start:tt [$($done:tt)*] [$name:tt $($names:tt)*] $p:pat = $f:expr => $h:block, $($rest:tt)*) => {
        $crate::__select!(@arms $start [$($done)* ($name ($p) ($f) (true) ($h))] [$($names)*] $($rest)*)
    };
    (@arms $start:tt [$($done:tt)*] [$name:tt $($names:tt)*] $p:pat = $f:expr, if $c:expr => $h:block $($rest:tt)*) => {
        $crate::__select!(@arms $start [$($done)* ($name ($p) ($f) ($c) ($h))] [$($names)*] $($rest)*)
    };
    (@arms $start:tt [$($done:tt)*] [$name:tt $($names:tt)*] $p:pat = $f:expr => $h:block $($rest:tt)*) => {
        $crate::__select!(@arms $start [$($done)* ($name ($p) ($f) (true) ($h))] [$($names)*] $($rest)*)
    };
    (@arms $start:tt [$($done:tt)*] [$name:tt $($names:tt)*] $p:pat = $f:expr, if $c:expr => $h:expr $(, $($rest:tt)*)?) => {
        $crate::__select!(@arms $start [$($done)* ($name ($p) ($f) ($c) ($h))] [$($names)*] $($($rest)*)?)
    };
    (@arms $start:tt [$($done:tt)*] [$name:tt $($names:tt)*] $p:pat = $f:expr => $h:expr $(, $($rest:tt)*)?) => {
        $crate::__select!(@arms $start [$($done)* ($name ($p) ($f) (true) ($h))] [$($names)*] $($($rest)*)?)
    };
    (@end ($start:expr) [$((($name:ident $variant:ident $number:literal $infer:tt) ($p:pat) ($f:expr) ($c:expr) ($h:expr)))+] $else:expr) => {{
        let count: u32 = [$($number),+].iter().map(|_: &u32| 1).sum();
        let selected: $crate::future::__private::Selected<$($infer),+> = {
            let mut disabled = 0_u32;
            $(if !$c { disabled |= 1 << $number; })+
            $(let mut $name = ::std::pin::pin!(::std::future::IntoFuture::into_future($f));)+
            ::std::future::poll_fn(|context| {
                let _together = $crate::future::__private::Together::new();
                let mut waits = false;
                let start: u32 = ($start)(count);
                for i in 0..count {
                    let branch = (start + i) % count;
                    if disabled & 1 << branch != 0 {
                        continue;
                    }
                    match branch {
                        $($number => match ::std::future::Future::poll($name.as_mut(), context) {
                            ::std::task::Poll::Pending => waits = true,
                            ::std::task::Poll::Ready(output) => {
                                disabled |= 1 << $number;
                                #[allow(unused_variables, unreachable_patterns)]
                                match &output {
                                    $p => {}
                                    _ => continue,
                                }
                                return ::std::task::Poll::Ready($crate::future::__private::Selected::$variant(output));
                            }
                        },)+
                        _ => ::std::unreachable!("the number of a branch"),
                    }
                }
                if waits {
                    ::std::task::Poll::Pending
                } else {
                    ::std::task::Poll::Ready($crate::future::__private::Selected::None)
                }
            })
            .await
        };
        #[allow(unreachable_patterns)]
        match selected {
            $($crate::future::__private::Selected::$variant($p) => $h,)+
            $crate::future::__private::Selected::None => $else,
            _ => ::std::unreachable!("a branch of this select!"),
        }
    }};
    (biased; $($arms:tt)+) => {
        $crate::__select!(@arms (|_: u32| 0) []
            [(a A 0 _) (b B 1 _) (c C 2 _) (d D 3 _) (e E 4 _) (f F 5 _) (g G 6 _) (h H 7 _)] $($arms)+)
    };
    ($($arms:tt)+) => {
        $crate::__select!(@arms ($crate::future::__private::start) []
            [(a A 0 _) (b B 1 _) (c C 2 _) (d D 3 _) (e E 4 _) (f F 5 _) (g G 6 _) (h H 7 _)] $($arms)+)
    };
}
