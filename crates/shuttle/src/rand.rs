//! Random numbers that a check controls.
//!
//! A number from a small range is a choice: a complete search tries each of its values, a random one draws it, and a
//! token repeats it. So are `bool`s. There are too many of all others to try. They come from a generator with a seed for each
//! thread. In a search that draws executions at random, the seed is drawn as well, as a choice that a token repeats. In a search that
//! tries all executions, it depends on the thread alone, and these numbers are the same in every execution.

pub use rngs::ThreadRng;
use std::cell::Cell;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::{Range, RangeInclusive};

/// The most values that are tried.
const FEW: u64 = 16;

/// The generator of the current thread.
pub fn thread_rng() -> ThreadRng {
    ThreadRng::default()
}

/// Generators.
pub mod rngs {
    /// The generator of the current thread.
    #[derive(Clone, Debug, Default)]
    pub struct ThreadRng {
        _private: (),
    }
}

mazurka::thread::thread_local! {
    /// The state of the generator of a thread.
    static STATE: Cell<u64> = Cell::new(seed());
}

thread_local! {
    /// Among how many seeds the search draws that of a thread.
    static SEEDS: Cell<usize> = const { Cell::new(1) };
}

/// While it exists, the searches of this OS thread draw the seeds of their threads, or do not.
pub(crate) struct Seeds {
    before: usize,
}

impl Seeds {
    pub(crate) fn drawn(drawn: bool) -> Seeds {
        let before = SEEDS.replace(if drawn { 1 << 16 } else { 1 });
        Seeds { before }
    }
}

impl Drop for Seeds {
    fn drop(&mut self) {
        SEEDS.set(self.before);
    }
}

/// Another seed in each thread. With one seed there is a choice as well, so that the token of either search can be replayed.
fn seed() -> u64 {
    let mut hasher = DefaultHasher::new();
    mazurka::thread::current().id().hash(&mut hasher);
    mazurka::choose(SEEDS.get()).hash(&mut hasher);
    hasher.finish()
}

/// A source of random bits.
pub trait RngCore {
    /// 32 bits.
    #[expect(clippy::cast_possible_truncation, reason = "half of the bits are wanted")]
    fn next_u32(&mut self) -> u32 {
        self.next_u64() as u32
    }

    /// 64 bits.
    fn next_u64(&mut self) -> u64;

    /// Fills a buffer.
    fn fill_bytes(&mut self, bytes: &mut [u8]) {
        for chunk in bytes.chunks_mut(8) {
            let random = self.next_u64().to_le_bytes();
            chunk.copy_from_slice(&random[..chunk.len()]);
        }
    }

    /// A number below `n`, which is tried if there are few.
    #[doc(hidden)]
    fn below(&mut self, n: u64) -> u64;
}

impl RngCore for ThreadRng {
    fn next_u64(&mut self) -> u64 {
        let mut generator = fastrand::Rng::with_seed(STATE.get());
        let number = generator.u64(..);
        STATE.set(generator.get_seed());
        number
    }

    #[track_caller]
    fn below(&mut self, n: u64) -> u64 {
        if n <= FEW {
            let choices = usize::try_from(n).expect("few");
            return mazurka::choose(choices) as u64;
        }
        // The remainder is not quite uniform, which nobody can rely on here.
        self.next_u64() % n
    }
}

/// Random values.
pub trait Rng: RngCore {
    /// A value of any type that has random values.
    #[track_caller]
    fn r#gen<T: Random>(&mut self) -> T {
        T::random(self)
    }

    /// A number in a range.
    ///
    /// # Panics
    /// If the range is empty.
    #[track_caller]
    fn gen_range<T, R: Span<T>>(&mut self, range: R) -> T {
        range.draw(self)
    }

    /// True or false; both are tried, unless `probability` is 0 or 1.
    ///
    /// # Panics
    /// If `probability` is not between 0 and 1.
    #[track_caller]
    fn gen_bool(&mut self, probability: f64) -> bool {
        assert!((0.0..=1.0).contains(&probability), "a probability is between 0 and 1");
        if probability == 0.0 || probability == 1.0 {
            return probability == 1.0;
        }
        self.below(2) == 1
    }

    /// The same for a probability of `numerator` in `denominator`.
    ///
    /// # Panics
    /// If that is not between 0 and 1.
    #[track_caller]
    fn gen_ratio(&mut self, numerator: u32, denominator: u32) -> bool {
        self.gen_bool(f64::from(numerator) / f64::from(denominator))
    }
}

impl<R: RngCore + ?Sized> Rng for R {}

/// A type with random values.
pub trait Random: Sized {
    #[doc(hidden)]
    #[track_caller]
    fn random<R: Rng + ?Sized>(rng: &mut R) -> Self;
}

impl Random for bool {
    #[track_caller]
    fn random<R: Rng + ?Sized>(rng: &mut R) -> bool {
        rng.below(2) == 1
    }
}

impl Random for f64 {
    #[track_caller]
    fn random<R: Rng + ?Sized>(rng: &mut R) -> f64 {
        // 53 bits are a number below 1 in any case.
        (rng.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// A range of numbers.
pub trait Span<T> {
    #[doc(hidden)]
    #[track_caller]
    fn draw<R: Rng + ?Sized>(self, rng: &mut R) -> T;
}

macro_rules! integers {
    ($($type:ty),+) => {
        $(
            impl Random for $type {

                #[allow(clippy::cast_possible_truncation, reason = "some of the bits are wanted")]
                fn random<R: Rng + ?Sized>(rng: &mut R) -> $type {
                    rng.next_u64() as $type
                }
            }

            impl Span<$type> for Range<$type> {
                #[track_caller]
                fn draw<R: Rng + ?Sized>(self, rng: &mut R) -> $type {
                    assert!(self.start < self.end, "cannot sample empty range");
                    (self.start..=self.end - 1).draw(rng)
                }
            }

            impl Span<$type> for RangeInclusive<$type> {

                #[allow(clippy::cast_possible_truncation, reason = "the sum wraps into the range")]
                #[track_caller]
                fn draw<R: Rng + ?Sized>(self, rng: &mut R) -> $type {
                    let (first, last) = self.into_inner();
                    assert!(first <= last, "cannot sample empty range");
                    let width = (last as i128 - first as i128) as u64;
                    let number = match width.checked_add(1) {
                        Some(values) => rng.below(values),
                        None => rng.next_u64(),
                    };
                    first.wrapping_add(number as $type)
                }
            }
        )+
    };
}

integers!(u8, u16, u32, u64, usize, i8, i16, i32, i64, isize);
