//! On-line Possibly of any predicate: the to-do set (paper, section 4).
//!
//! The search of [`crate::detection`] by sequences of events, where branches wait for
//! local states that have not arrived. A branch is an interval of the lattice: all cuts
//! above `cut` that contain none of the events beyond `ceiling`. It has chosen a false
//! conjunct, and waits for its processes to move; whoever moves first is taken first,
//! and what the later ones cover excludes it. A branch is done when all of them have
//! moved or can move no more. Nothing below the lowest cut of a branch is needed.
//!
//! Who is silent for long has many branches waiting for it. A branch waits for a process
//! only in the last state of it that has arrived, so all those that wait for a process are
//! ready when its next state arrives, and none before: they are listed by process, and a
//! record costs only as much as the branches that it moves.

use super::live::{Live, LiveCut, Truth};
use super::stream::Stream;
use foldhash::HashMap;

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
    waiting: HashMap<u64, Branch>,
    /// Per place in the support: which branches wait for its next state. Branches that are gone may be named.
    waiting_for: Vec<Vec<u64>>,
    /// Per place in the support: the last state that was looked at.
    seen: Vec<Option<u32>>,
    /// The number of the next branch.
    next: u64,
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
            waiting: HashMap::default(),
            waiting_for: Vec::new(),
            seen: Vec::new(),
            next: 0,
            found: None,
            undefined: false,
            started: false,
            states: 0,
            likely: 0,
        }
    }

    /// Goes on as far as what has arrived allows.
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
            self.waiting_for = vec![Vec::new(); n];
            self.seen = live.support.iter().map(|p| stream.last(*p)).collect();
            self.enter(live, stream, vec![0; n], vec![u32::MAX; n]);
        }
        // All lists before any branch moves: branches that are new wait for what comes next.
        let mut ready = Vec::new();
        for (k, &p) in live.support.iter().enumerate() {
            let last = stream.last(p);
            if self.seen[k] != last {
                self.seen[k] = last;
                ready.append(&mut self.waiting_for[k]);
            }
        }
        for number in ready {
            // It may be named twice, or be gone.
            let arrived = |branch: &Branch, k: usize| stream.last(live.support[k]).is_some_and(|l| branch.cut[k] < l);
            let moves = |branch: &Branch| branch.waits.iter().any(|&k| arrived(branch, k));
            if self.found.is_none() && self.waiting.get(&number).is_some_and(moves) {
                let branch = self.waiting.remove(&number).expect("it was just seen");
                self.take(live, stream, branch, number);
            }
        }
        if live.support.iter().any(|p| stream.lanes[*p].ended) {
            let moves = |&k: &usize| !stream.lanes[live.support[k]].ended;
            self.waiting.retain(|_, branch| branch.waits.iter().any(moves));
        }
    }

    /// How many branches wait.
    pub(super) fn held(&self) -> usize {
        self.waiting.len()
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
        self.waiting.values().map(floor).min().unwrap_or(u32::MAX)
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
            let number = self.next;
            self.next += 1;
            self.expand(live, stream, branch, number, &mut todo);
            // It is listed once; who moves it later leaves it where it is.
            for &k in self.waiting.get(&number).iter().flat_map(|branch| &branch.waits) {
                self.waiting_for[k].push(number);
            }
        }
    }

    fn take(&mut self, live: &Live, stream: &Stream, branch: Branch, number: u64) {
        let mut todo = Vec::new();
        self.expand(live, stream, branch, number, &mut todo);
        for (cut, ceiling) in todo {
            if self.found.is_none() {
                self.enter(live, stream, cut, ceiling);
            }
        }
    }

    /// Moves whoever can; the branch waits on if others may.
    fn expand(
        &mut self,
        live: &Live,
        stream: &Stream,
        mut branch: Branch,
        number: u64,
        todo: &mut Vec<(LiveCut, LiveCut)>,
    ) {
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
            self.waiting.insert(number, branch);
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
