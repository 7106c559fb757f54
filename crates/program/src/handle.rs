//! What every primitive carries: one word, with which an execution finds the object that it knows the primitive as.
//!
//! Constructors are `const`, so a primitive is numbered when an execution first touches it. Until then the word says where it
//! was made ([`Word`]), and afterwards it holds
//!
//! * the *block* that the number is from. An execution numbers its objects from blocks of 256 numbers that no other
//!   execution of the process has, so a primitive that outlives an execution (a `static`) is seen to have an old number;
//! * which number of the block it is;
//! * the place where the primitive was made, as a number in a table of the process.
//!
//! The word moves with the primitive, so it stays the same object when it moves, and is another one than whatever takes its
//! address later. A table by address could not know either, which is why primitives are not as small as std's.

use crate::fiber::word::Word;
use crate::ids::ObjectId;
use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt;
use std::panic::Location;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// Bits that name the object in its block.
const INDEX_BITS: u32 = 8;
/// Bits that name the block: enough for two weeks of a hundred thousand executions a second.
const BLOCK_BITS: u32 = 37;
/// Bits that name the place.
const PLACE_BITS: u32 = 18;

const _: () = assert!(INDEX_BITS + BLOCK_BITS + PLACE_BITS == 63);

/// What every primitive carries.
pub(crate) struct Handle(Word);

impl fmt::Debug for Handle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "made at {}", self.made())
    }
}

impl Handle {
    #[track_caller]
    #[inline]
    pub(crate) const fn new() -> Handle {
        Handle(Word::new())
    }

    /// The object's number in the execution with these blocks, or else the block that it was numbered from, 0 for none.
    pub(crate) fn number(&self, blocks: &Blocks) -> Result<ObjectId, u64> {
        let Ok(word) = self.0.get() else { return Err(0) };
        let block = block_of(word);
        let Some(position) = blocks.0.iter().position(|b| *b == block) else {
            return Err(block);
        };
        let index = word & ((1 << INDEX_BITS) - 1);
        let number = (position as u64) << INDEX_BITS | index;
        Ok(ObjectId(u32::try_from(number).expect("it was an object's number")))
    }

    /// Numbers the object in the execution with these blocks.
    pub(crate) fn set_number(&self, blocks: &mut Blocks, object: ObjectId) {
        let block = blocks.get((object.0 >> INDEX_BITS) as usize);
        let place = match self.0.get() {
            Ok(word) => word >> (INDEX_BITS + BLOCK_BITS),
            Err(made) => number_of(made),
        };
        let index = u64::from(object.0) & ((1 << INDEX_BITS) - 1);
        self.0.set((place << BLOCK_BITS | block) << INDEX_BITS | index);
    }

    /// The block that it was last numbered from; 0 if it has no number.
    #[inline]
    pub(crate) fn block(&self) -> u64 {
        self.0.get().map_or(0, block_of)
    }

    /// Where the primitive was made.
    pub(crate) fn made(&self) -> &'static Location<'static> {
        match self.0.get() {
            Ok(word) => place(word >> (INDEX_BITS + BLOCK_BITS)),
            Err(made) => made,
        }
    }

    /// The primitive's address, which identifies it while it stays there.
    pub(crate) fn address(&self) -> usize {
        std::ptr::from_ref(self).addr()
    }
}

fn block_of(word: u64) -> u64 {
    word >> INDEX_BITS & ((1 << BLOCK_BITS) - 1)
}

/// The blocks of an execution, in the order of its objects.
#[derive(Default)]
pub(crate) struct Blocks(Vec<u64>);

impl Blocks {
    /// Blocks for another execution.
    pub(crate) fn renew(&mut self) {
        self.0.clear();
        self.get(0);
    }

    /// The `k`-th block.
    fn get(&mut self, k: usize) -> u64 {
        while self.0.len() <= k {
            self.0.push(next_block());
        }
        self.0[k]
    }

    /// All of them.
    pub(crate) fn all(&self) -> &[u64] {
        &self.0
    }
}

/// A new block. All executions of all searches in the process have different ones.
pub(crate) fn next_block() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    let block = NEXT.fetch_add(1, Ordering::Relaxed);
    assert!(
        block < 1 << BLOCK_BITS,
        "a process can number 35,184,372,088,832 objects"
    );
    block
}

/// Places where primitives were made, each once. The first one stands for all that do not fit.
static PLACES: Mutex<Vec<&'static Location<'static>>> = Mutex::new(Vec::new());

thread_local! {
    /// The numbers of places by their addresses.
    static NUMBERS: RefCell<HashMap<usize, u64>> = RefCell::default();
}

fn number_of(made: &'static Location<'static>) -> u64 {
    let address = std::ptr::from_ref(made).addr();
    NUMBERS.with_borrow_mut(|numbers| {
        *numbers.entry(address).or_insert_with(|| {
            let mut places = PLACES.lock().unwrap_or_else(PoisonError::into_inner);
            if places.is_empty() {
                places.push(Location::caller());
            }
            let known = places.iter().position(|p| std::ptr::eq(*p, made));
            let number = known.unwrap_or_else(|| {
                places.push(made);
                places.len() - 1
            });
            if number < 1 << PLACE_BITS { number as u64 } else { 0 }
        })
    })
}

fn place(number: u64) -> &'static Location<'static> {
    let places = PLACES.lock().unwrap_or_else(PoisonError::into_inner);
    let known = usize::try_from(number).ok().and_then(|n| places.get(n).copied());
    known.unwrap_or(Location::caller())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_good_for_one_execution_and_the_place_for_all() {
        static HANDLE: Handle = Handle::new();
        let line = line!() - 1;
        let (mut first, mut second) = (Blocks::default(), Blocks::default());
        first.renew();
        second.renew();
        assert_eq!(HANDLE.number(&first), Err(0));
        HANDLE.set_number(&mut first, ObjectId(3));
        assert_eq!(HANDLE.number(&first), Ok(ObjectId(3)));
        assert_eq!(HANDLE.number(&second), Err(HANDLE.block()));
        HANDLE.set_number(&mut second, ObjectId(1000));
        assert_eq!(HANDLE.number(&second), Ok(ObjectId(1000)));
        assert_eq!(second.all().len(), 4);
        assert_eq!((HANDLE.made().file(), HANDLE.made().line()), (file!(), line));
    }

    #[test]
    fn a_handle_moves_and_what_takes_its_address_is_another_one() {
        let mut blocks = Blocks::default();
        blocks.renew();
        let mut handle = Handle::new();
        handle.set_number(&mut blocks, ObjectId(7));
        let moved = std::mem::replace(&mut handle, Handle::new());
        assert_eq!(moved.number(&blocks), Ok(ObjectId(7)));
        assert_eq!(handle.number(&blocks), Err(0));
    }
}
