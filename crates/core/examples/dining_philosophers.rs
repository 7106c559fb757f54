//! Dining philosophers who all take the left fork first, and deadlock.
//!
//! E. W. Dijkstra's problem, in the four steps of P. Godefroid's thesis, 2.3.
//! `cargo run --release -p mazurka-core --example dining_philosophers -- 8`

use mazurka_core::{BuildErrors, Builder, Model, Search, SearchError};

fn table(n: usize) -> Result<Model, BuildErrors> {
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

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let n = match std::env::args().nth(1) {
        Some(argument) => argument.parse()?,
        None => 6,
    };
    let model = table(n)?;
    let count = |search: Search<'_>| -> Result<_, SearchError> { Ok(search.run()?.statistics) };
    let full = count(Search::full(&model))?;
    let outcome = Search::deadlocks(&model).run()?;
    let reduced = outcome.statistics;
    println!(
        "full search:    {:>8} states, {:>8} transitions",
        full.states, full.transitions
    );
    println!(
        "reduced search: {:>8} states, {:>8} transitions",
        reduced.states, reduced.transitions
    );
    for deadlock in &outcome.deadlocks {
        println!("deadlock, after:");
        for t in deadlock.path.iter().flatten() {
            println!("  {}", model.transition_name(*t));
        }
    }
    assert_eq!(outcome.deadlocks.len(), 1);
    Ok(())
}
