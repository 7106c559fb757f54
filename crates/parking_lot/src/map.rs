//! Guards of parts of a value.
//!
//! A mapped guard is the guard of the whole value, whatever its type, and a pointer to the part. The only `unsafe` code of the
//! crate is here and in `reentrant.rs`.
#![allow(unsafe_code)]

use crate::{MutexGuard, RwLockReadGuard, RwLockWriteGuard};
use std::fmt;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;

/// A guard whose type does not matter: it holds a lock as long as it exists.
trait Holds {}
impl<T: ?Sized> Holds for T {}

/// Defines a guard of a part.
macro_rules! mapped {
    ($name:ident, $guard:ident, $lock:literal, $reference:ty, $get:ident, [$($mutable:tt)?]) => {
        #[doc = concat!("The lock of a part of what ", $lock, " protects.")]
        #[must_use = "a lock that is not kept is released at once"]
        pub struct $name<'a, T: ?Sized> {
            part: NonNull<T>,
            /// Dropped last, and never looked at. The value that it protects is elsewhere, so moving the guard does not move the
            /// part.
            _whole: Box<dyn Holds + 'a>,
            _part: PhantomData<$reference>,
        }

        impl<'a, T: ?Sized> $name<'a, T> {
            #[allow(unused_mut)]
            pub(crate) fn of<W: ?Sized + 'a>(
                mut whole: $guard<'a, W>,
                f: impl FnOnce(& $($mutable)? W) -> & $($mutable)? T,
            ) -> $name<'a, T> {
                let part = NonNull::from(f(whole.$get()));
                $name {
                    part,
                    _whole: Box::new(whole),
                    _part: PhantomData,
                }
            }

            #[allow(unused_mut)]
            pub(crate) fn try_of<W: ?Sized + 'a>(
                mut whole: $guard<'a, W>,
                f: impl FnOnce(& $($mutable)? W) -> Option<& $($mutable)? T>,
            ) -> Result<$name<'a, T>, $guard<'a, W>> {
                let Some(part) = f(whole.$get()).map(NonNull::from) else {
                    return Err(whole);
                };
                Ok($name {
                    part,
                    _whole: Box::new(whole),
                    _part: PhantomData,
                })
            }

            /// A guard of a part of this part.
            pub fn map<U: ?Sized>(
                guard: $name<'a, T>,
                f: impl FnOnce(& $($mutable)? T) -> & $($mutable)? U,
            ) -> $name<'a, U> {
                #[allow(unused_mut)]
                let $name { mut part, _whole, .. } = guard;
                // SAFETY: as for `deref`. The guard is taken apart, so there is no other reference.
                let part = NonNull::from(f(unsafe { part.$get() }));
                $name {
                    part,
                    _whole,
                    _part: PhantomData,
                }
            }
        }

        impl<T: ?Sized> Deref for $name<'_, T> {
            type Target = T;
            fn deref(&self) -> &T {
                // SAFETY: the part belongs to a value that the guard of the whole protects, which exists. References to the
                // part come from this guard only, and follow the rules for references to it.
                unsafe { self.part.as_ref() }
            }
        }

        impl<T: ?Sized + fmt::Debug> fmt::Debug for $name<'_, T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                (**self).fmt(f)
            }
        }
    };
}

/// A guard's own reference, by the names that pointers have for theirs.
trait Whole<W: ?Sized> {
    fn as_mut(&mut self) -> &mut W;
}

impl<W: ?Sized> Whole<W> for MutexGuard<'_, W> {
    fn as_mut(&mut self) -> &mut W {
        self
    }
}

impl<W: ?Sized> Whole<W> for RwLockWriteGuard<'_, W> {
    fn as_mut(&mut self) -> &mut W {
        self
    }
}

/// The same for a reader, who shares it.
trait SharedWhole<W: ?Sized> {
    fn as_ref(&self) -> &W;
}

impl<W: ?Sized> SharedWhole<W> for RwLockReadGuard<'_, W> {
    fn as_ref(&self) -> &W {
        self
    }
}

mapped!(MappedMutexGuard, MutexGuard, "a [`Mutex`](crate::Mutex)", &'a mut T, as_mut, [mut]);
mapped!(MappedRwLockWriteGuard, RwLockWriteGuard, "an [`RwLock`](crate::RwLock)", &'a mut T, as_mut, [mut]);
mapped!(
    MappedRwLockReadGuard,
    RwLockReadGuard,
    "an [`RwLock`](crate::RwLock)",
    &'a T,
    as_ref,
    []
);

/// Lets a guard change its part.
macro_rules! changes {
    ($($name:ident),+) => {
        $(
            impl<T: ?Sized> DerefMut for $name<'_, T> {
                fn deref_mut(&mut self) -> &mut T {
                    // SAFETY: as for `deref`, and the guard of the whole excludes all others.
                    unsafe { self.part.as_mut() }
                }
            }
        )+
    };
}

changes!(MappedMutexGuard, MappedRwLockWriteGuard);
