//! Peterson's mutual exclusion for two processes, right and wrong.
//!
//! G. L. Peterson, *Myths about the mutual exclusion problem*, 1981. In the wrong
//! version a process gives the turn away before it raises its flag.

use mazurka_core::{BuildErrors, Builder, Model, Search, Verdict};

fn peterson(flag_first: bool) -> Result<Model, BuildErrors> {
    let mut m = Builder::new("Peterson");
    let flags = [m.boolean("flag 0"), m.boolean("flag 1")];
    let turn = m.boolean("turn");
    let mut critical = Vec::new();
    for i in 0..2 {
        let (mine, theirs, other) = (flags[i], flags[1 - i], 1 - i as i64);
        let [idle, announced, waits, inside] = m.process(format!("P{i}"), ["idle", "announced", "waits", "critical"]);
        let steps = [mine.write(1), turn.write(other)];
        let [first, second] = if flag_first {
            steps
        } else {
            steps.into_iter().rev().collect::<Vec<_>>().try_into().expect("two")
        };
        m.transition(format!("P{i} announces"), idle, announced).then(first);
        m.transition(format!("P{i} yields"), announced, waits).then(second);
        m.transition(format!("P{i} enters: nobody else wants to"), waits, inside)
            .when(theirs.is(0));
        m.transition(format!("P{i} enters: it is its turn"), waits, inside)
            .when(turn.is(i as i64));
        m.transition(format!("P{i} leaves"), inside, idle).then(mine.write(0));
        critical.push(inside);
    }
    m.invariant("mutual exclusion", !(critical[0].reached() & critical[1]));
    m.build()
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let model = peterson(true)?;
    let outcome = Search::new(&model).run()?;
    println!(
        "flag, then turn: {:?} ({} states)",
        outcome.verdict, outcome.statistics.states
    );
    assert_eq!(outcome.verdict, Verdict::Holds);

    let model = peterson(false)?;
    let outcome = Search::new(&model).first_only(true).run()?;
    println!("turn, then flag: {:?}", outcome.verdict);
    let violation = &outcome.violations[0];
    println!("  {}, after:", violation.message);
    for t in &violation.path {
        println!("    {}", model.transition_name(*t));
    }
    Ok(())
}
