//! Many cases of one target, seeded.
//!
//! A target summarises its reaction to an input as a number, the *fingerprint*: which messages, how much was read. An
//! input with a new fingerprint is kept for the rest of the run and changed further. This reaches deeper than changing
//! the first corpus alone, without instrumented code.

use crate::corpus;
use crate::mutate;
use crate::target::Target;
use fastrand::Rng;
use std::collections::HashSet;
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

/// The largest input.
const LARGEST: usize = 64 << 10;

/// Runs `work` on a thread with the stack that threads have by default, as the properties of a model do.
///
/// # Panics
/// If `work` does, after its message was printed.
pub fn on_a_small_stack<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| match scope.spawn(work).join() {
        Ok(done) => done,
        Err(panic) => std::panic::resume_unwind(panic),
    })
}

/// Tries a target for some seconds, and returns the number of cases. `file` holds the current case.
pub fn run(target: &Target, seed: u64, seconds: u64, file: &Path) -> io::Result<u64> {
    let until = Instant::now() + Duration::from_secs(seconds);
    let mut cases = Cases::new(target, seed)?;
    let mut count = 0;
    on_a_small_stack(move || {
        while Instant::now() < until {
            let input = cases.next();
            std::fs::write(file, &input)?;
            cases.judge(input);
            count += 1;
        }
        Ok(count)
    })
}

/// The inputs of a run, one after the other.
pub struct Cases<'t> {
    target: &'t Target,
    random: Rng,
    corpus: Vec<Vec<u8>>,
    /// How many inputs of the corpus are still to be tried as they are.
    fresh: usize,
    fingerprints: HashSet<u64>,
}

impl<'t> Cases<'t> {
    /// The cases of a seed.
    pub fn new(target: &'t Target, seed: u64) -> io::Result<Self> {
        let corpus = corpus::of(target)?;
        Ok(Self {
            target,
            random: Rng::with_seed(seed),
            fresh: corpus.len(),
            corpus,
            fingerprints: HashSet::new(),
        })
    }

    /// The next input: first the corpus as it is, then changed inputs.
    pub fn next(&mut self) -> Vec<u8> {
        if self.fresh > 0 {
            self.fresh -= 1;
            return self.corpus[self.fresh].clone();
        }
        let made = match self.target.generate {
            Some(generate) if self.random.bool() => generate(self.random.u64(..)),
            _ => self.corpus[self.random.usize(..self.corpus.len())].clone(),
        };
        let other = &self.corpus[self.random.usize(..self.corpus.len())];
        let mut input = mutate::mutated(&mut self.random, made, other, self.target.words);
        input.truncate(LARGEST);
        input
    }

    /// Runs a case, and keeps its input if its fingerprint is new.
    pub fn judge(&mut self, input: Vec<u8>) {
        let fingerprint = (self.target.run)(&input);
        if self.corpus.len() < 4096 && self.fingerprints.insert(fingerprint) {
            self.corpus.push(input);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every target survives its corpus and some changes of it. `MAZURKA_CASES=100000` tries more.
    #[test]
    fn every_target_comes_back() {
        let cases = usize::try_from(mazurka_seeds::range(40).end).expect("a number of cases");
        for target in crate::target::all() {
            let mut inputs = Cases::new(&target, 0).expect("the corpus can be read");
            let number = inputs.corpus.len() + cases;
            on_a_small_stack(|| {
                for _ in 0..number {
                    let input = inputs.next();
                    inputs.judge(input);
                }
            });
            assert!(inputs.fingerprints.len() > 1, "{}: all inputs look alike", target.name);
        }
    }

    /// An input repeats: what a target does depends on the bytes alone.
    #[test]
    fn a_case_repeats() {
        for target in crate::target::all() {
            let mut inputs = Cases::new(&target, 3).expect("the corpus can be read");
            inputs.fresh = 0;
            let input = inputs.next();
            assert_eq!((target.run)(&input), (target.run)(&input), "{}", target.name);
        }
    }
}
