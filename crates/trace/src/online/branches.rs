//! On-line Possibly of any predicate: the to-do set (paper, section 4).
//!
//! The search of [`crate::detection`] by sequences of events, where branches wait for
//! local states that have not arrived. A branch is an interval of the lattice: all cuts
//! above `cut` that contain none of the events beyond `ceiling`. It has chosen a false
//! conjunct, and waits for its processes to move; whoever moves first is taken first,
//! and what the later ones cover excludes it. A branch is done when all of them have
//! moved or can move no more. Nothing below the lowest cut of a branch is needed.

use super::live::{Live, LiveCut, Truth};
use super::stream::Stream;

/// A branch that waits.
#[derive(Clone, Debug)]
struct Branch {
    cut: LiveCut,
    ceiling: LiveCut,
    /// The places in the support whose move it waits for.
    waits: Vec<usize>,
}

/// A search for a cut.
#[derive(Debug)]
pub(super) struct Branches {
    waiting: Vec<Branch>,
    pub(super) found: Option<LiveCut>,
    /// A cut in which the predicate has no value was met.
    pub(super) undefined: bool,
    started: bool,
    pub(super) states: u64,
    likely: usize,
}

/// What to do in a cut.
enum Choice {
    Found,
    Undefined(usize),
    False(usize),
}

impl Branches {
    pub(super) fn new() -> Self {
        Self {
            waiting: Vec::new(),
            found: None,
            undefined: false,
            started: false,
            states: 0,
            likely: 0,
        }
    }

    /// Goes on as far as what has arrived allows; `changed` are places in the support
    /// with new states.
    pub(super) fn advance(&mut self, live: &Live, stream: &Stream) {
        if self.found.is_some() {
            return;
        }
        if !self.started {
            if live.support.iter().any(|p| stream.last(*p).is_none()) {
                return;
            }
            self.started = true;
            let n = live.support.len();
            self.enter(live, stream, vec![0; n], vec![u32::MAX; n]);
        }
        let mut k = 0;
        while k < self.waiting.len() && self.found.is_none() {
            let ready = self.waiting[k].waits.iter().any(|&w| {
                let next = self.waiting[k].cut[w] + 1;
                stream.last(live.support[w]).is_some_and(|last| next <= last)
            });
            let idle = self.waiting[k]
                .waits
                .iter()
                .all(|&w| stream.lanes[live.support[w]].ended && !ready);
            if ready {
                let branch = self.waiting.swap_remove(k);
                self.take(live, stream, branch);
            } else if idle {
                self.waiting.swap_remove(k);
            } else {
                k += 1;
            }
        }
    }

    /// The lowest state of a process that a branch may look at. Whoever a branch waits for
    /// will know, when it moves, what it knows now, so the cut after the move contains that.
    pub(super) fn floor(&self, live: &Live, stream: &Stream, k: usize) -> u32 {
        if !self.started {
            return 0;
        }
        let p = live.support[k];
        let known = |w: &usize| match *w == k {
            true => stream.last(p).unwrap_or(0),
            false => stream.known(stream.lanes[live.support[*w]].clock(), p),
        };
        let floor = |b: &Branch| b.waits.iter().map(known).min().unwrap_or(0).max(b.cut[k]);
        self.waiting.iter().map(floor).min().unwrap_or(u32::MAX)
    }

    fn enter(&mut self, live: &Live, stream: &Stream, cut: LiveCut, ceiling: LiveCut) {
        let mut todo = vec![(cut, ceiling)];
        while let Some((cut, ceiling)) = todo.pop() {
            self.states += 1;
            let conjunct = match self.choose(live, stream, &cut, &ceiling) {
                Choice::Found => {
                    self.found = Some(cut);
                    return;
                }
                Choice::Undefined(c) => {
                    self.undefined = true;
                    c
                }
                Choice::False(c) => c,
            };
            let support = live.conjuncts[conjunct].support.iter();
            let waits: Vec<usize> = support
                .map(|p| live.position(*p))
                .filter(|&k| cut[k] < ceiling[k])
                .collect();
            let branch = Branch { cut, ceiling, waits };
            self.expand(live, stream, branch, &mut todo);
        }
    }

    fn take(&mut self, live: &Live, stream: &Stream, branch: Branch) {
        let mut todo = Vec::new();
        self.expand(live, stream, branch, &mut todo);
        for (cut, ceiling) in todo {
            if self.found.is_none() {
                self.enter(live, stream, cut, ceiling);
            }
        }
    }

    /// Moves whoever can; the branch waits on if others may.
    fn expand(&mut self, live: &Live, stream: &Stream, mut branch: Branch, todo: &mut Vec<(LiveCut, LiveCut)>) {
        let moving: Vec<usize> = branch.waits.clone();
        let mut left = Vec::new();
        for &k in &moving {
            let p = live.support[k];
            let next = branch.cut[k] + 1;
            if stream.last(p).is_none_or(|last| next > last) {
                if !stream.lanes[p].ended {
                    left.push(k);
                }
                continue;
            }
            let clock = &stream.state(p, next).clock;
            let mut after = branch.cut.clone();
            after[k] = next;
            for (j, &q) in live.support.iter().enumerate() {
                if j != k {
                    after[j] = after[j].max(stream.known(clock, q));
                }
            }
            let fits = after.iter().zip(&branch.ceiling).all(|(a, c)| a <= c);
            // If another process of the conjunct moves first, its own step comes first.
            let first = moving.iter().all(|&j| j == k || after[j] == branch.cut[j]);
            if fits && first {
                todo.push((after, branch.ceiling.clone()));
                branch.ceiling[k] = branch.cut[k];
            }
        }
        if !left.is_empty() {
            branch.waits = left;
            self.waiting.push(branch);
        }
    }

    fn choose(&mut self, live: &Live, stream: &Stream, cut: &[u32], ceiling: &[u32]) -> Choice {
        let count = live.conjuncts.len();
        let (mut best, mut fewest, mut undefined) = (None, usize::MAX, None);
        for k in 0..count {
            let c = (self.likely + k) % count;
            match live.conjunct(stream, c, cut) {
                Truth::True => {}
                Truth::Undefined => undefined = undefined.or(Some(c)),
                Truth::False => {
                    let support = live.conjuncts[c].support.iter().map(|p| live.position(*p));
                    let size = support.filter(|&k| cut[k] < ceiling[k]).count();
                    if size < fewest {
                        (best, fewest) = (Some(c), size);
                    }
                    if size <= 1 {
                        break;
                    }
                }
            }
        }
        match (best, undefined) {
            (Some(c), _) => {
                self.likely = c;
                Choice::False(c)
            }
            (None, Some(c)) => Choice::Undefined(c),
            (None, None) => Choice::Found,
        }
    }
}
