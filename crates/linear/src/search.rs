//! Just-in-time linearization: the search for an order of the operations of a long history.
//!
//! Wing, Gong, *Testing and Verifying Concurrent Objects*, JPDC 1993, with the memory of configurations of Lowe, *Testing for
//! Linearizability*, 2017, section 4. A configuration is what the rest of the search depends on: the number `k` of the first
//! return that is not in the order yet, the operations that are in the order although they return later (or never), and the state
//! of the object. No configuration is entered twice.
//!
//! Invariant: at a configuration with number `k`, exactly the operations of the first `k` returns and those `ahead` are in the
//! order. Only operations that were invoked before return `k` may come next, so `ahead` has at most as many
//! operations as overlap there. A configuration costs memory for those, and not for the history, as a bit set would.
//!
//! Departures, each of which leaves out orders only if others remain:
//! * What only reads ([`Specification::only_reads`]) comes as soon as it fits, and is not tried later: moving it to the front of the rest of
//!   an order changes no state.
//! * An operation that never returned is left out where it would not change the state. Of equal ones, the first
//!   invoked comes first.
//!
//! If the search fails, the prefix before the greatest return `k` that it reached has a linearization, the one that reached `k`. The
//! prefix up to return `k` need not be bad by itself: the search knows responses that come later. `check.rs` goes on from there.

use crate::window::{Window, short};
use crate::{History, OperationId, Specification};
use foldhash::fast::FixedState;
use mazurka_outcome::{Limit, Limits, Statistics, Watch};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// How the search for an order ended.
pub(crate) enum Searched {
    /// With an order.
    Order(Vec<OperationId>),
    /// There is none, but there is this one of the prefix before a return, which so many others precede.
    Stuck(u32, Vec<OperationId>),
    /// At a limit.
    Limit(Limit),
}

/// What the rest of the search depends on.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Configuration {
    /// The number of the first return that is not in the order.
    first: u32,
    /// The state, by its number.
    state: u32,
    /// What is in the order although it returns later or never, sorted.
    ahead: Box<[u32]>,
}

/// A step of the search: the configuration before it, and what came next.
struct Step {
    before: Configuration,
    candidate: u32,
    /// Which of the states after it was chosen.
    choice: usize,
    /// There is no other step to try.
    forced: bool,
}

struct Search<'a, S: Specification> {
    specification: &'a S,
    window: Window<'a, S::Operation, S::Response>,
    states: Vec<Rc<S::State>>,
    numbers: HashMap<Rc<S::State>, u32, FixedState>,
    entered: HashSet<Configuration, FixedState>,
    here: Configuration,
    path: Vec<Step>,
    /// The greatest number of a first return in a configuration that leads nowhere.
    deepest: u32,
    next: Vec<S::State>,
    statistics: Statistics,
    /// Numbers in all configurations.
    ahead: usize,
    /// The bytes of all states.
    state_bytes: usize,
}

/// Looks for a linearization of a history.
pub(crate) fn search<S: Specification>(
    specification: &S,
    history: &History<S::Operation, S::Response>,
    limits: Limits<'_>,
) -> (Searched, Statistics) {
    let mut watch = Watch::new(limits);
    let window = Window::new(specification, history);
    let all = short(window.returns.len());
    let mut search = Search::new(specification, window);
    let found = match search.reach(all, &mut watch) {
        Ok(true) => Searched::Order(search.order()),
        Ok(false) => {
            // The same way again, to where it ended.
            let (deepest, statistics) = (search.deepest, search.statistics);
            search = Search::new(specification, Window::new(specification, history));
            let reached = search.reach(deepest, &mut watch);
            search.statistics = statistics;
            match reached {
                Ok(_) => Searched::Stuck(deepest, search.order()),
                Err(limit) => Searched::Limit(limit),
            }
        }
        Err(limit) => Searched::Limit(limit),
    };
    search.statistics.time = watch.elapsed();
    (found, search.statistics)
}

impl<'a, S: Specification> Search<'a, S> {
    fn new(specification: &'a S, window: Window<'a, S::Operation, S::Response>) -> Self {
        let mut search = Self {
            specification,
            window,
            states: Vec::new(),
            numbers: HashMap::default(),
            entered: HashSet::default(),
            here: Configuration {
                first: 0,
                state: 0,
                ahead: Box::default(),
            },
            path: Vec::new(),
            deepest: 0,
            next: Vec::new(),
            statistics: Statistics::default(),
            ahead: 0,
            state_bytes: 0,
        };
        search.here.state = search.number(specification.initial());
        search
    }

    /// The order so far.
    fn order(&self) -> Vec<OperationId> {
        let id = |step: &Step| self.window.candidates[step.candidate as usize].id;
        self.path.iter().map(id).collect()
    }

    /// Searches until the first `goal` returns are in the order. False if that is impossible.
    fn reach(&mut self, goal: u32, watch: &mut Watch<'_>) -> Result<bool, Limit> {
        let mut resumed = None;
        while self.here.first < goal {
            self.statistics.depth = self.statistics.depth.max(self.path.len());
            let entered = self.entered.len() as u64;
            let exceeded = watch.exceeded_by(entered, || Statistics {
                states: entered,
                bytes: self.bytes(),
                ..self.statistics
            });
            (self.statistics.states, self.statistics.stored) = (entered, entered);
            self.statistics.bytes = self.statistics.bytes.max(self.bytes());
            if let Some(limit) = exceeded {
                return Err(limit);
            }
            if resumed.is_none() && self.read() {
                continue;
            }
            match self.advance(resumed.take()) {
                true => {}
                false => match self.retreat() {
                    None => return Ok(false),
                    back => resumed = back,
                },
            }
        }
        Ok(true)
    }

    /// Puts an operation into the order that only reads and fits now, if there is one.
    fn read(&mut self) -> bool {
        let fits = |search: &mut Self, candidate: u32| {
            let this = &search.window.candidates[candidate as usize];
            let state = &search.states[search.here.state as usize];
            search.next.clear();
            (search.specification).step(state, this.operation, this.response, &mut search.next);
            !search.next.is_empty()
        };
        let reads: Vec<u32> = (self.window.open(None))
            .filter(|c| self.window.candidates[*c as usize].only_reads)
            .collect();
        let Some(candidate) = reads.into_iter().find(|c| fits(self, *c)) else {
            return false;
        };
        let after = self.after(candidate, self.here.state);
        self.take(candidate, 0, true, after);
        true
    }

    /// Takes a step to a configuration that was not entered before, from this step on.
    fn advance(&mut self, from: Option<(u32, usize)>) -> bool {
        let (start, mut choice) = match from {
            None => (None, 0),
            Some((candidate, choice)) => (Some(candidate), choice),
        };
        let open: Vec<u32> = self.window.open(start).collect();
        for candidate in open {
            let this = &self.window.candidates[candidate as usize];
            let (twin, unknown) = (this.twin, this.rank.is_none());
            if twin.is_none_or(|twin| self.window.is_placed(twin)) {
                let mut next = std::mem::take(&mut self.next);
                next.clear();
                let state = &self.states[self.here.state as usize];
                (self.specification).step(state, this.operation, this.response, &mut next);
                let all = next.drain(..).enumerate().skip(choice);
                let all: Vec<(usize, u32)> = all.map(|(choice, state)| (choice, self.number(state))).collect();
                self.next = next;
                for (choice, state) in all {
                    if unknown && state == self.here.state {
                        continue;
                    }
                    let after = self.after(candidate, state);
                    if self.enter(&after) {
                        self.take(candidate, choice, false, after);
                        return true;
                    }
                }
            }
            choice = 0;
        }
        false
    }

    /// Takes back the last step that was not forced, and says where to go on.
    fn retreat(&mut self) -> Option<(u32, usize)> {
        self.deepest = self.deepest.max(self.here.first);
        while let Some(step) = self.path.pop() {
            self.window.put_back(step.candidate);
            self.here = step.before;
            if !step.forced {
                return Some((step.candidate, step.choice + 1));
            }
        }
        None
    }

    fn take(&mut self, candidate: u32, choice: usize, forced: bool, after: Configuration) {
        self.statistics.transitions += 1;
        self.window.place(candidate);
        let before = std::mem::replace(&mut self.here, after);
        self.path.push(Step {
            before,
            candidate,
            choice,
            forced,
        });
    }

    /// Remembers a configuration. False if it is known.
    fn enter(&mut self, configuration: &Configuration) -> bool {
        if self.entered.contains(configuration) {
            self.statistics.matched += 1;
            return false;
        }
        self.ahead += configuration.ahead.len();
        self.entered.insert(configuration.clone())
    }

    /// The configuration after an operation.
    fn after(&self, candidate: u32, state: u32) -> Configuration {
        let mut ahead = self.here.ahead.to_vec();
        let mut first = self.here.first;
        if self.window.candidates[candidate as usize].rank == Some(first) {
            first += 1;
            while let Some(next) = self.window.returns.get(first as usize)
                && let Ok(at) = ahead.binary_search(next)
            {
                ahead.remove(at);
                first += 1;
            }
        } else if let Err(at) = ahead.binary_search(&candidate) {
            ahead.insert(at, candidate);
        }
        Configuration {
            first,
            state,
            ahead: ahead.into(),
        }
    }

    /// The number of a state.
    fn number(&mut self, state: S::State) -> u32 {
        if let Some(&number) = self.numbers.get(&state) {
            return number;
        }
        self.state_bytes += self.specification.bytes(&state);
        let (number, state) = (short(self.states.len()), Rc::new(state));
        self.states.push(Rc::clone(&state));
        self.numbers.insert(state, number);
        number
    }

    /// About how many bytes are in use.
    fn bytes(&self) -> usize {
        let entered = self.entered.capacity() * (size_of::<Configuration>() + 1) + self.ahead * size_of::<u32>();
        let states = self.states.len() * (3 * size_of::<usize>() + size_of::<(usize, u32)>()) + self.state_bytes;
        let path = self.path.capacity() * size_of::<Step>();
        let history = self.window.candidates.len() * 100;
        entered + states + path + history
    }
}
