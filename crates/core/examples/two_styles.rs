//! One model in two styles: dining philosophers with `Builder`, and in types of one's own.
//!
//! `cargo run --release -p mazurka-core --example two_styles -- 8` prints the same verdict and the same counts for both.
//! With `--speed`, it measures what types cost: full searches of both, the fastest of several.

use mazurka_core::typed::{self, Footprint, Obstacles, Parts};
use mazurka_core::{BuildErrors, Builder, Model, Search, Statistics};
use std::time::{Duration, Instant};

/// Processes, locks and transitions.
fn built(n: usize) -> Result<Model, BuildErrors> {
    let mut m = Builder::new(format!("{n} philosophers"));
    let forks: Vec<_> = (0..n).map(|i| m.lock(format!("fork {i}"))).collect();
    for i in 0..n {
        let (left, right) = (forks[i], forks[(i + 1) % n]);
        let [thinks, has_left, eats, has_right] =
            m.process(format!("philosopher {i}"), ["thinks", "has left", "eats", "has right"]);
        m.transition(format!("{i} takes left"), thinks, has_left)
            .then(left.acquire());
        m.transition(format!("{i} takes right"), has_left, eats)
            .then(right.acquire());
        m.transition(format!("{i} releases left"), eats, has_right)
            .then(left.release());
        m.transition(format!("{i} releases right"), has_right, thinks)
            .then(right.release());
    }
    m.build()
}

/// A state and actions.
struct Table {
    philosophers: usize,
}

mazurka_core::encode! {
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    enum At { Thinks, HasLeft, Eats, HasRight }

    #[derive(Clone, Debug)]
    struct State { at: Vec<At>, taken: Vec<bool> }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Action {
    TakeLeft(usize),
    TakeRight(usize),
    ReleaseLeft(usize),
    ReleaseRight(usize),
}

use Action::{ReleaseLeft, ReleaseRight, TakeLeft, TakeRight};

impl Table {
    fn right(&self, i: usize) -> usize {
        (i + 1) % self.philosophers
    }

    /// Who acts, from where to where, and which fork is taken or released.
    fn step(&self, action: Action) -> (usize, At, At, usize) {
        match action {
            TakeLeft(i) => (i, At::Thinks, At::HasLeft, i),
            TakeRight(i) => (i, At::HasLeft, At::Eats, self.right(i)),
            ReleaseLeft(i) => (i, At::Eats, At::HasRight, i),
            ReleaseRight(i) => (i, At::HasRight, At::Thinks, self.right(i)),
        }
    }
}

impl typed::Model for Table {
    type State = State;
    type Action = Action;

    fn initial(&self) -> State {
        State {
            at: vec![At::Thinks; self.philosophers],
            taken: vec![false; self.philosophers],
        }
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        for (i, at) in state.at.iter().enumerate() {
            match at {
                At::Thinks if !state.taken[i] => actions.push(TakeLeft(i)),
                At::HasLeft if !state.taken[self.right(i)] => actions.push(TakeRight(i)),
                At::Thinks | At::HasLeft => {}
                At::Eats => actions.push(ReleaseLeft(i)),
                At::HasRight => actions.push(ReleaseRight(i)),
            }
        }
    }

    fn apply(&self, state: &mut State, action: Action) {
        let (i, _, to, fork) = self.step(action);
        state.at[i] = to;
        state.taken[fork] = matches!(action, TakeLeft(_) | TakeRight(_));
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Part {
    Philosopher(usize),
    Fork(usize),
}

impl Footprint for Table {
    type Part = Part;

    fn alphabet(&self) -> Vec<Action> {
        let all = |i| [TakeLeft(i), TakeRight(i), ReleaseLeft(i), ReleaseRight(i)];
        (0..self.philosophers).flat_map(all).collect()
    }

    fn touches(&self, action: Action, parts: &mut Parts<Part>) {
        let (i, _, _, fork) = self.step(action);
        parts.writes(Part::Philosopher(i));
        parts.writes(Part::Fork(fork));
    }

    fn obstacles(&self, state: &State, action: Action, obstacles: &mut Obstacles<Part>) {
        let (i, from, _, fork) = self.step(action);
        obstacles.change([if state.at[i] == from {
            Part::Fork(fork)
        } else {
            Part::Philosopher(i)
        }]);
    }
}

fn print(style: &str, full: &Statistics, reduced: &Statistics, deadlocks: usize) {
    println!(
        "{style}: {} states, {} transitions; reduced: {} states, {} transitions; deadlocks: {deadlocks}",
        full.states, full.transitions, reduced.states, reduced.transitions
    );
}

/// Nanoseconds per transition of the fastest of several searches.
fn measure(mut search: impl FnMut() -> Statistics) -> f64 {
    let (start, mut fastest) = (Instant::now(), f64::MAX);
    while start.elapsed() < Duration::from_secs(3) {
        let statistics = search();
        fastest = fastest.min(statistics.time.as_nanos() as f64 / statistics.transitions as f64);
    }
    fastest
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let n = arguments
        .iter()
        .find(|a| *a != "--speed")
        .map_or(Ok(6), |a| a.parse())?;
    let (model, table) = (built(n)?, Table { philosophers: n });

    let full = Search::full(&model).run()?;
    let reduced = Search::deadlocks(&model).run()?;
    print("built", &full.statistics, &reduced.statistics, reduced.deadlocks.len());

    let typed_full = typed::Search::new(&table).run()?;
    let typed_reduced = typed::Search::reduced(&table).run()?;
    let (statistics, deadlocks) = (&typed_reduced.statistics, typed_reduced.deadlocks.len());
    print("typed", &typed_full.statistics, statistics, deadlocks);
    if let Some(run) = &typed_reduced.deadlocks[0].run {
        println!("deadlock, after {:?}", run.actions().collect::<Vec<_>>());
    }

    assert_eq!(full.verdict, typed_full.verdict);
    assert_eq!(full.statistics.states, typed_full.statistics.states);
    assert_eq!(full.statistics.transitions, typed_full.statistics.transitions);
    assert_eq!((reduced.deadlocks.len(), deadlocks), (1, 1));
    typed::Search::reduced(&Table { philosophers: 3 }).audit()?;

    if arguments.iter().any(|a| a == "--speed") {
        let built = measure(|| Search::full(&model).run().expect("it ran before").statistics);
        let typed = measure(|| typed::Search::new(&table).run().expect("it ran before").statistics);
        println!(
            "full search: built {built:.0} ns, typed {typed:.0} ns per transition, ratio {:.1}; bytes per state: {} and {}",
            typed / built,
            full.statistics.bytes as u64 / full.statistics.states,
            typed_full.statistics.bytes as u64 / typed_full.statistics.states,
        );
    }
    Ok(())
}
