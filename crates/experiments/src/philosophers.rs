//! Dining philosophers (thesis 2.3, Fig. 8.1).
//!
//! Each philosopher takes the fork at the left, takes the fork at the right,
//! releases the left one, releases the right one. Forks are locks, or plain
//! variables that are read and written as in 2.3. The behaviour is the same, but the
//! table of a variable is coarser, which is the thesis's argument for a library of
//! objects (4.8).

use mazurka_core::{Action, Builder, Expr, Model};

/// What a fork is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fork {
    /// A lock object.
    Lock,
    /// A boolean variable, read and written.
    Variable,
}

/// A table of `n` philosophers.
///
/// ```
/// use mazurka_core::Search;
/// use mazurka_experiments::{Fork, philosophers};
/// let model = philosophers(3, Fork::Lock);
/// let full = Search::full(&model).run()?;
/// let reduced = Search::deadlocks(&model).run()?;
/// assert_eq!((full.statistics.states, reduced.statistics.states), (26, 14));
/// assert_eq!((full.deadlocks.len(), reduced.deadlocks.len()), (1, 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Panics
/// If `n` is less than 2.
pub fn philosophers(n: usize, fork: Fork) -> Model {
    assert!(n >= 2, "a table has at least two philosophers");
    let mut m = Builder::new(format!("{n} philosophers"));
    let seats: Vec<_> = (0..n)
        .map(|i| m.process_of(format!("philosopher {i}"), ["thinks", "has left", "eats", "has right"]))
        .collect();
    // Taking a fork: guard and command; releasing one: command.
    type Handles = (Option<Expr>, Action, Action);
    let forks: Vec<Box<dyn Fn() -> Handles>> = (0..n)
        .map(|i| -> Box<dyn Fn() -> Handles> {
            let name = format!("fork {i}");
            match fork {
                Fork::Lock => {
                    let f = m.lock(name);
                    Box::new(move || (None, f.acquire(), f.release()))
                }
                Fork::Variable => {
                    let f = m.boolean(name);
                    Box::new(move || (Some(f.is(0)), f.write(1), f.write(0)))
                }
            }
        })
        .collect();
    for (i, seat) in seats.iter().enumerate() {
        let (left, right) = (&forks[i], &forks[(i + 1) % n]);
        for (k, (name, fork, release)) in [
            ("takes left", left, false),
            ("takes right", right, false),
            ("releases left", left, true),
            ("releases right", right, true),
        ]
        .into_iter()
        .enumerate()
        {
            let (free, take, give) = fork();
            let t = m.transition(format!("{i} {name}"), seat[k], seat[(k + 1) % 4]);
            match (release, free) {
                (true, _) => t.then(give),
                (false, None) => t.then(take),
                (false, Some(free)) => t.when(free).then(take),
            };
        }
    }
    m.build().expect("a correct model")
}
