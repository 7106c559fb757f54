//! What `Arc`s are made of, and what they are like: the traits that std's has.

use super::{Arc, Weak, raw};
use std::any::Any;
use std::borrow::{Borrow, Cow};
use std::cmp::Ordering;
use std::error::Error;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync;

impl<T: ?Sized> From<sync::Arc<T>> for Arc<T> {
    #[track_caller]
    fn from(inner: sync::Arc<T>) -> Arc<T> {
        Arc::from_std(inner)
    }
}

impl<T> From<T> for Arc<T> {
    #[track_caller]
    fn from(value: T) -> Arc<T> {
        Arc::new(value)
    }
}

impl<T, const N: usize> From<[T; N]> for Arc<[T]> {
    #[track_caller]
    fn from(values: [T; N]) -> Arc<[T]> {
        Arc::from_std(sync::Arc::from(values))
    }
}

/// Conversions that std's `Arc` has.
macro_rules! from {
    ($([$($parameter:tt)*] $from:ty => $to:ty),+ $(,)?) => {
        $(
            impl<$($parameter)*> From<$from> for Arc<$to> {
                #[track_caller]
                fn from(value: $from) -> Self {
                    Arc::from_std(sync::Arc::from(value))
                }
            }
        )+
    };
}

from!(
    [T: ?Sized] Box<T> => T,
    [T] Vec<T> => [T],
    [T: Clone] &[T] => [T],
    [] &str => str,
    [] String => str,
);

impl<'a, B: ?Sized + ToOwned> From<Cow<'a, B>> for Arc<B>
where
    Arc<B>: From<&'a B> + From<B::Owned>,
{
    #[track_caller]
    fn from(value: Cow<'a, B>) -> Arc<B> {
        match value {
            Cow::Borrowed(value) => Arc::from(value),
            Cow::Owned(value) => Arc::from(value),
        }
    }
}

impl From<Arc<str>> for Arc<[u8]> {
    fn from(text: Arc<str>) -> Arc<[u8]> {
        Arc {
            inner: sync::Arc::from(raw::std_arc(text)),
        }
    }
}

impl<T, const N: usize> TryFrom<Arc<[T]>> for Arc<[T; N]> {
    type Error = Arc<[T]>;
    fn try_from(values: Arc<[T]>) -> Result<Self, Self::Error> {
        match <sync::Arc<[T; N]>>::try_from(raw::std_arc(values)) {
            Ok(inner) => Ok(Arc { inner }),
            Err(inner) => Err(Arc { inner }),
        }
    }
}

impl<T> FromIterator<T> for Arc<[T]> {
    #[track_caller]
    fn from_iter<I: IntoIterator<Item = T>>(values: I) -> Arc<[T]> {
        Arc::from_std(sync::Arc::from_iter(values))
    }
}

impl Arc<dyn Any + Send + Sync> {
    /// The value as one of type `T`, if it is one.
    pub fn downcast<T: Any + Send + Sync>(self) -> Result<Arc<T>, Self> {
        match raw::std_arc(self).downcast() {
            Ok(inner) => Ok(Arc { inner }),
            Err(inner) => Err(Arc { inner }),
        }
    }
}

impl<T: Default> Default for Arc<T> {
    #[track_caller]
    fn default() -> Arc<T> {
        Arc::new(T::default())
    }
}

impl Default for Arc<str> {
    #[track_caller]
    fn default() -> Arc<str> {
        Arc::from("")
    }
}

impl<T> Default for Arc<[T]> {
    #[track_caller]
    fn default() -> Arc<[T]> {
        Arc::from_iter([])
    }
}

impl<T: ?Sized> AsRef<T> for Arc<T> {
    fn as_ref(&self) -> &T {
        self
    }
}

impl<T: ?Sized> Borrow<T> for Arc<T> {
    fn borrow(&self) -> &T {
        self
    }
}

impl<T: ?Sized + PartialEq> PartialEq for Arc<T> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<T: ?Sized + Eq> Eq for Arc<T> {}

impl<T: ?Sized + PartialOrd> PartialOrd for Arc<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        (**self).partial_cmp(&**other)
    }
}

impl<T: ?Sized + Ord> Ord for Arc<T> {
    fn cmp(&self, other: &Self) -> Ordering {
        (**self).cmp(&**other)
    }
}

impl<T: ?Sized + Hash> Hash for Arc<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (**self).hash(state);
    }
}

impl<T: ?Sized + Error> Error for Arc<T> {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        (**self).source()
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for Arc<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T: ?Sized + fmt::Display> fmt::Display for Arc<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T: ?Sized> fmt::Pointer for Arc<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Pointer::fmt(&self.inner, f)
    }
}

impl<T> Default for Weak<T> {
    fn default() -> Weak<T> {
        Weak::new()
    }
}

impl<T: ?Sized> fmt::Debug for Weak<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(Weak)")
    }
}
