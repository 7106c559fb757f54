//! Trees of questions, with a result at each leaf.
//!
//! A deterministic computation that knows a state only by the answers to its questions asks the same first question each time, and the
//! same next one after the same answers. So its runs are the paths of a tree. Who comes to a leaf has the result without
//! the computation.

use super::inquiry::{Answer, FAILS};

/// Trees, each of which has a number.
#[derive(Clone, Debug, Default)]
pub(super) struct Decisions {
    branches: Vec<Branch>,
    /// The ways on after a question: answer and branch. Those of one question are linked by the last number, from
    /// the first that was learnt.
    ways: Vec<Way>,
    /// Questions and their only answers.
    runs: Vec<(u32, i32)>,
}

#[derive(Clone, Copy, Debug)]
struct Way {
    answer: i32,
    to: u32,
    next: u32,
}

/// An answer in half of its bytes, unless it is one that hardly ever occurs.
#[inline]
fn short(answer: Answer) -> Option<i32> {
    match answer {
        FAILS => Some(i32::MIN),
        _ => i32::try_from(answer).ok().filter(|answer| *answer != i32::MIN),
    }
}

#[derive(Clone, Copy, Debug)]
enum Branch {
    /// Nobody came here.
    Nothing,
    /// A question, and the first of its ways.
    Ask { question: u32, first: u32 },
    /// Several questions, each of which had one answer only so far: a piece of `runs`, and the branch after it.
    Run { start: u32, len: u32, to: u32 },
    /// The computation ends.
    Done(u32),
}

const NONE: u32 = u32::MAX;

/// What makes the runs of a computation a tree.
const SAME: &str = "the same answers lead to the same question";

fn run(start: usize, end: usize, to: u32) -> Branch {
    Branch::Run {
        start: crate::narrow::index(start),
        len: crate::narrow::index(end - start),
        to,
    }
}

impl Decisions {
    /// A new tree, which is empty.
    pub(super) fn plant(&mut self) -> u32 {
        self.push(Branch::Nothing)
    }

    /// The result in a tree, if these answers lead to one.
    #[inline]
    pub(super) fn find(&self, root: u32, mut answer: impl FnMut(u32) -> Answer) -> Option<u32> {
        let mut at = root;
        loop {
            match self.branches[at as usize] {
                Branch::Nothing => return None,
                Branch::Done(result) => return Some(result),
                Branch::Run { start, len, to } => {
                    for (question, known) in &self.runs[start as usize..][..len as usize] {
                        if short(answer(*question))? != *known {
                            return None;
                        }
                    }
                    at = to;
                }
                Branch::Ask { question, first } => {
                    let answer = short(answer(question))?;
                    let mut way = first;
                    loop {
                        if way == NONE {
                            return None;
                        }
                        let known = &self.ways[way as usize];
                        if known.answer == answer {
                            at = known.to;
                            break;
                        }
                        way = known.next;
                    }
                }
            }
        }
    }

    /// Adds a path to a tree: the questions and answers of a run, and its result.
    pub(super) fn learn(&mut self, root: u32, asked: &[(u32, Answer)], result: u32) {
        if asked.iter().any(|(_, answer)| short(*answer).is_none()) {
            return;
        }
        let mut at = root;
        let mut asked = asked
            .iter()
            .filter_map(|(question, answer)| Some((*question, short(*answer)?)));
        while let Some((question, answer)) = asked.next() {
            match self.branches[at as usize] {
                Branch::Done(_) => unreachable!("a computation that ends asks nothing more"),
                Branch::Nothing => {
                    let start = self.runs.len();
                    self.runs.push((question, answer));
                    self.runs.extend(asked.by_ref());
                    let to = self.push(Branch::Nothing);
                    self.branches[at as usize] = run(start, self.runs.len(), to);
                    at = to;
                }
                Branch::Ask { question: here, first } => {
                    assert_eq!(here, question, "{SAME}");
                    at = self.way(at, first, answer);
                }
                Branch::Run { start, len, to } => {
                    let (start, end) = (start as usize, (start + len) as usize);
                    let mut now = (question, answer);
                    let mut k = start;
                    at = loop {
                        assert_eq!(self.runs[k].0, now.0, "{SAME}");
                        if self.runs[k].1 != now.1 {
                            break self.split(at, (start, k, end), to, now.1);
                        }
                        k += 1;
                        if k == end {
                            break to;
                        }
                        now = asked.next().expect(SAME);
                    };
                }
            }
        }
        debug_assert!(matches!(self.branches[at as usize], Branch::Nothing));
        self.branches[at as usize] = Branch::Done(result);
    }

    /// Makes the question at `k` of a run one with two answers. Returns the branch after the new one.
    fn split(&mut self, at: u32, (start, k, end): (usize, usize, usize), to: u32, answer: i32) -> u32 {
        let (question, old) = self.runs[k];
        let rest = match k + 1 == end {
            true => to,
            false => self.push(run(k + 1, end, to)),
        };
        let first = crate::narrow::index(self.ways.len());
        self.ways.push(Way {
            answer: old,
            to: rest,
            next: NONE,
        });
        let ask = Branch::Ask { question, first };
        let ask = match k == start {
            true => {
                self.branches[at as usize] = ask;
                at
            }
            false => {
                let ask = self.push(ask);
                self.branches[at as usize] = run(start, k, ask);
                ask
            }
        };
        self.way(ask, first, answer)
    }

    /// The branch after an answer, which is made if it is not there.
    fn way(&mut self, at: u32, first: u32, answer: i32) -> u32 {
        let mut last = NONE;
        let mut way = first;
        while way != NONE {
            let known = &self.ways[way as usize];
            if known.answer == answer {
                return known.to;
            }
            (last, way) = (way, known.next);
        }
        let to = self.push(Branch::Nothing);
        let new = crate::narrow::index(self.ways.len());
        self.ways.push(Way { answer, to, next: NONE });
        match (last, &mut self.branches[at as usize]) {
            (NONE, Branch::Ask { first, .. }) => *first = new,
            _ => self.ways[last as usize].next = new,
        }
        to
    }

    fn push(&mut self, branch: Branch) -> u32 {
        self.branches.push(branch);
        crate::narrow::index(self.branches.len() - 1)
    }

    /// Bytes of memory held.
    pub(super) fn bytes(&self) -> usize {
        self.branches.capacity() * size_of::<Branch>()
            + self.ways.capacity() * size_of::<Way>()
            + self.runs.capacity() * size_of::<(u32, i32)>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A computation that asks for bits of a number, and which depends on the answers.
    fn run(bits: u32, asked: &mut Vec<(u32, Answer)>) -> u32 {
        let mut at = 3;
        let mut sum = 0;
        while at < 12 {
            let bit = bits >> at & 1;
            asked.push((at, Answer::from(bit)));
            sum = sum * 2 + bit;
            at += if bit == 1 { 1 } else { 3 };
        }
        sum
    }

    #[test]
    fn a_tree_says_what_the_computation_says() {
        let mut decisions = Decisions::default();
        let root = decisions.plant();
        let mut learnt = 0;
        for bits in 0..1_u32 << 12 {
            let mut asked = Vec::new();
            let result = run(bits, &mut asked);
            match decisions.find(root, |question| Answer::from(bits >> question & 1)) {
                Some(found) => assert_eq!(found, result),
                None => {
                    decisions.learn(root, &asked, result);
                    learnt += 1;
                }
            }
        }
        assert!(learnt > 10 && learnt < 1 << 9, "{learnt}");
    }
}
