//! Small models, side by side with SPIN.
//!
//! The models take milliseconds, so the counts of states are worth reading, and times are not: most of
//! SPIN's go into compiling. Both tools are asked for all assertion violations and invalid end states of each model,
//! once with their reduction and once without. SPIN's verifier is compiled as its manual
//! recommends for speed (`-O2 -DSAFETY`) and keeps its own optimisations: it merges
//! statements, ignores dead variables and compresses states. The counts differ in one
//! respect: SPIN goes on after a failed assertion, and mazurka does not.

mod models;
mod table;
mod tools;

use mazurka_testkit::spin::Spin;
use models::models;
use std::time::Duration;
use table::{Row, Table};
use tools::Bounds;

/// Prints the table, line by line, then the means.
pub fn run(quick: bool, only: Option<&str>) {
    let bounds = Bounds {
        time: Duration::from_secs(if quick { 3 } else { 10 }),
        megabytes: 2048,
    };
    let spin = Spin::find();
    let mut table = Table::new(spin.is_some());
    println!(
        "at most {} s and {} MB for each search; `>` where that was not enough",
        bounds.time.as_secs(),
        bounds.megabytes
    );
    if spin.is_none() {
        println!("SPIN and gcc cannot be started: our side only");
    }
    println!();
    print!("{}", table.heading());
    for model in models() {
        if only.is_some_and(|only| !model.name.contains(only)) {
            continue;
        }
        let row = Row {
            spin: spin.map(|spin| tools::spin(spin, &model, bounds)),
            ours: tools::ours(&model, bounds),
            name: model.name,
        };
        println!("{}", table.line(&row));
        table.rows.push(row);
    }
    println!();
    print!("{}", table.summary());
}
