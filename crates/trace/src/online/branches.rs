//! On-line Possibly of any predicate: the to-do set (paper, section 4).
//!
//! The search of [`crate::detection`] by sequences of events, where branches wait for
//! local states that have not arrived. A branch is an interval of the lattice: all cuts
//! above `cut` that contain none of the events beyond `ceiling`. It has chosen a false
//! conjunct, and waits for its processes to move. The process that moves first is taken first,
//! and the branches of later ones exclude its move. A branch is done when all of them have
//! moved or can move no more. Nothing below the lowest cut of a branch is needed.
//!
//! Many branches may wait for a process that is silent for long. A branch waits for a process
//! only in the last state of it that has arrived, so all those that wait for a process are
//! ready when its next state arrives, and none before: they are listed by process, and a
//! record costs only as much as the branches that it moves.
//!
//! If a conjunct compares a sum, and [`Bounds`] of it say that no cut of what has arrived satisfies
//! it, then no branch is needed for these cuts: all end, and the search is at the *edge* of what
//! has arrived. It begins anew with the cuts that contain a state beyond.

use super::bounds::Bounds;
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

/// Where a search begins anew: the cuts that contain none of these states were looked at, or need not be.
#[derive(Clone, Debug)]
struct Edge {
    /// Per place in the support: the next state.
    next: Vec<u32>,
    /// Whose next state has arrived and was a beginning.
    begun: Vec<bool>,
}

/// A search for a cut.
#[derive(Debug)]
pub(super) struct Branches {
    bounds: Vec<Bounds>,
    edge: Option<Edge>,
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
    pub(super) fn new(live: &Live) -> Self {
        Self {
            bounds: Bounds::of(live),
            edge: None,
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
        let begins = !self.started;
        if begins {
            if live.support.iter().any(|p| stream.last(*p).is_none()) {
                return;
            }
            self.started = true;
            let n = live.support.len();
            self.waiting_for = vec![Vec::new(); n];
            self.seen = live.support.iter().map(|p| stream.last(*p)).collect();
        }
        if self.ruled_out(live, stream) {
            self.stop_at_edge(live, stream);
            return;
        }
        if begins {
            let n = live.support.len();
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
        self.begin_anew(live, stream);
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
        if self.undefined {
            self.bounds.iter_mut().for_each(Bounds::forget_undefined);
        }
    }

    /// Whether no cut of what has arrived has to be looked at. The most promising cuts are looked at here.
    fn ruled_out(&mut self, live: &Live, stream: &Stream) -> bool {
        let mut candidates = Vec::new();
        for bounds in &mut self.bounds {
            bounds.advance(live, stream);
            // Now, even if they are of no use: later their states may have been dropped.
            let heaviest = bounds.candidates();
            candidates.extend(heaviest.into_iter().filter(|_| bounds.may_hold(false)));
        }
        if !self.bounds.iter().all(|bounds| bounds.may_hold(!self.undefined)) {
            return true;
        }
        for cut in candidates {
            self.states += 1;
            if live.truth(stream, &cut) == Truth::True {
                self.found = Some(cut);
                return true;
            }
        }
        false
    }

    /// No cut of what has arrived has to be looked at any more.
    fn stop_at_edge(&mut self, live: &Live, stream: &Stream) {
        self.waiting.clear();
        self.waiting_for.iter_mut().for_each(Vec::clear);
        let last = |p: &usize| stream.last(*p).expect("initial states are known");
        let next: Vec<u32> = live.support.iter().map(|p| last(p) + 1).collect();
        self.seen = next.iter().map(|next| Some(next - 1)).collect();
        self.edge = Some(Edge {
            begun: vec![false; next.len()],
            next,
        });
    }

    /// Enters the cuts beyond the edge: those that contain the next state of a process, and not that of
    /// one that has begun before.
    fn begin_anew(&mut self, live: &Live, stream: &Stream) {
        let Some(mut edge) = self.edge.take() else { return };
        for k in 0..edge.next.len() {
            let (p, state) = (live.support[k], edge.next[k]);
            if edge.begun[k] || stream.last(p).is_none_or(|last| last < state) {
                continue;
            }
            let clock = &stream.state(p, state).clock;
            let known = |(j, &q): (usize, &usize)| if j == k { state } else { stream.known(clock, q) };
            let cut: LiveCut = live.support.iter().enumerate().map(known).collect();
            let ceiling = edge.next.iter().zip(&edge.begun);
            let ceiling: LiveCut = ceiling
                .map(|(next, begun)| if *begun { next - 1 } else { u32::MAX })
                .collect();
            edge.begun[k] = true;
            if self.found.is_none() && cut.iter().zip(&ceiling).all(|(a, c)| a <= c) {
                self.enter(live, stream, cut, ceiling);
            }
        }
        self.edge = edge.begun.contains(&false).then_some(edge);
    }

    /// How many branches wait, and what bounds keep.
    pub(super) fn held(&self) -> usize {
        self.waiting.len() + self.bounds.iter().map(Bounds::held).sum::<usize>()
    }

    /// The lowest state of a process that a branch may look at. A process that a branch waits for
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
        let beyond = self.edge.iter().flat_map(|edge| {
            let waits = |w: &usize| !edge.begun[*w] && !stream.lanes[live.support[*w]].ended;
            (0..edge.begun.len()).filter(waits)
        });
        let beyond = beyond.map(|w| known(&w)).min();
        let branches = self.waiting.values().map(floor).min();
        branches.into_iter().chain(beyond).min().unwrap_or(u32::MAX)
    }

    /// Drops what is of no use.
    pub(super) fn tidy(&mut self, live: &Live, stream: &Stream) {
        let n = live.support.len();
        // What all that comes knows.
        let mut stable = vec![u32::MAX; n];
        for (k, &p) in live
            .support
            .iter()
            .enumerate()
            .filter(|(_, p)| !stream.lanes[**p].ended)
        {
            for (j, &q) in live.support.iter().enumerate() {
                let known = match j == k {
                    true => stream.last(p).unwrap_or(0),
                    false => stream.known(stream.lanes[p].clock(), q),
                };
                stable[j] = stable[j].min(known);
            }
        }
        if self.started {
            self.bounds.iter_mut().for_each(|bounds| bounds.all_know(&stable));
        }
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

    /// Moves the processes that can move; the branch goes on waiting if others may.
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
