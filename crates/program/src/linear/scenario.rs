//! Scenarios: which operations are called before, by each thread, and after.

use super::operation::{Arguments, Call, Kind};
use fastrand::Rng;
use std::fmt;

/// An operation of a scenario: its number among the kinds, and the seed of its argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Planned {
    pub(super) kind: usize,
    pub(super) seed: u32,
}

/// Which operations are called where.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Scenario {
    pub(super) before: Vec<Planned>,
    pub(super) threads: Vec<Vec<Planned>>,
    pub(super) after: Vec<Planned>,
}

/// How large scenarios are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Size {
    pub(super) threads: usize,
    pub(super) operations: usize,
    pub(super) before: usize,
    pub(super) after: usize,
}

impl Planned {
    pub(super) fn call<T, M>(self, kinds: &[Kind<T, M>]) -> Call<T, M> {
        (kinds[self.kind].call)(&mut Arguments(Rng::with_seed(u64::from(self.seed))))
    }
}

impl Scenario {
    /// All scenarios with one operation in each of two threads, alone and after each operation; their arguments are
    /// random.
    pub(super) fn smallest(kinds: usize, random: &mut Rng) -> Vec<Scenario> {
        let mut planned = |kind| Planned {
            kind,
            seed: random.u32(0..1000),
        };
        let mut all = Vec::new();
        for first in 0..kinds {
            for second in first..kinds {
                for before in (0..=kinds).map(|k| k.checked_sub(1)) {
                    all.push(Scenario {
                        before: before.into_iter().map(&mut planned).collect(),
                        threads: vec![vec![planned(first)], vec![planned(second)]],
                        after: Vec::new(),
                    });
                }
            }
        }
        all.sort_by_key(Scenario::len);
        all
    }

    /// A random scenario.
    pub(super) fn random(kinds: usize, size: Size, random: &mut Rng) -> Scenario {
        let mut some = |count: usize| -> Vec<Planned> {
            (0..count)
                .map(|_| Planned {
                    kind: random.usize(0..kinds),
                    seed: random.u32(0..1000),
                })
                .collect()
        };
        let threads = (0..size.threads).map(|_| some(size.operations)).collect();
        let (before, after) = (some(size.before), some(size.after));
        let (some_before, some_after) = (random.usize(0..=size.before), random.usize(0..=size.after));
        Scenario {
            before: before[..some_before].to_vec(),
            threads,
            after: after[..some_after].to_vec(),
        }
    }

    /// How many operations there are.
    pub(super) fn len(&self) -> usize {
        self.before.len() + self.threads.iter().map(Vec::len).sum::<usize>() + self.after.len()
    }

    /// The scenarios with one operation less.
    pub(super) fn smaller(&self) -> Vec<Scenario> {
        let mut all = Vec::new();
        for k in 0..self.after.len() {
            let mut other = self.clone();
            other.after.remove(k);
            all.push(other);
        }
        for thread in 0..self.threads.len() {
            for k in 0..self.threads[thread].len() {
                let mut other = self.clone();
                other.threads[thread].remove(k);
                other.threads.retain(|thread| !thread.is_empty());
                all.push(other);
            }
        }
        for k in 0..self.before.len() {
            let mut other = self.clone();
            other.before.remove(k);
            all.push(other);
        }
        all
    }

    /// Reads what `Display` writes, for so many kinds of operations.
    pub(super) fn parse(text: &str, kinds: usize) -> Option<Scenario> {
        let part = |text: &str| -> Option<Vec<Planned>> {
            let one = |text: &str| {
                let (kind, seed) = text.split_once('.')?;
                let planned = Planned {
                    kind: kind.parse().ok()?,
                    seed: seed.parse().ok()?,
                };
                (planned.kind < kinds).then_some(planned)
            };
            text.split(',').filter(|text| !text.is_empty()).map(one).collect()
        };
        let parts: Vec<&str> = text.trim().split('/').collect();
        let [before, threads, after] = parts[..] else {
            return None;
        };
        let threads = threads.split('+').filter(|text| !text.is_empty()).map(part);
        Some(Scenario {
            before: part(before)?,
            threads: threads.collect::<Option<_>>()?,
            after: part(after)?,
        })
    }
}

impl fmt::Display for Scenario {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let part = |planned: &Vec<Planned>| {
            let all: Vec<String> = planned.iter().map(|p| format!("{}.{}", p.kind, p.seed)).collect();
            all.join(",")
        };
        let threads: Vec<String> = self.threads.iter().map(part).collect();
        write!(f, "{}/{}/{}", part(&self.before), threads.join("+"), part(&self.after))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scenario_reads_back() {
        let size = Size {
            threads: 3,
            operations: 2,
            before: 2,
            after: 2,
        };
        for seed in 0..100 {
            let scenario = Scenario::random(4, size, &mut Rng::with_seed(seed));
            assert_eq!(Scenario::parse(&scenario.to_string(), 4), Some(scenario));
        }
        assert_eq!(Scenario::parse("/0.1+7.1/", 4), None);
        assert_eq!(Scenario::parse("hello", 4), None);
    }

    #[test]
    fn a_smaller_scenario_has_one_operation_less() {
        let size = Size {
            threads: 2,
            operations: 2,
            before: 1,
            after: 1,
        };
        let scenario = Scenario::random(2, size, &mut Rng::with_seed(1));
        let smaller = scenario.smaller();
        assert_eq!(smaller.len(), scenario.len());
        assert!(smaller.iter().all(|s| s.len() + 1 == scenario.len()));
    }
}
