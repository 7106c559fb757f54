//! The rules, one by one, as a recorder hears of them.

use super::*;
use crate::clocks::Clocks;
use crate::import::Sink;

fn id(process: usize) -> ProcessId {
    ProcessId::new(process)
}

fn recorder(holes: bool) -> Recorder {
    Recorder::new(Recording {
        holes,
        ..Recording::default()
    })
}

fn place(offset: u64) -> Place {
    Place {
        file: 0,
        offset,
        length: 1,
    }
}

/// An event of a process with a clock, at the next place.
fn clocked(recorder: &mut Recorder, offset: u64, process: &str, clock: &[(&str, u32)]) {
    let p = recorder.process(process);
    recorder.event(p, place(offset));
    for (q, events) in clock {
        recorder.clock(q, *events);
    }
}

fn rules(recorder: Recorder) -> Vec<(Rule, u64)> {
    let problems = recorder.finish().unwrap_err();
    problems.into_iter().map(|p| (p.rule, p.place.offset)).collect()
}

#[test]
fn a_message_may_be_received_before_it_is_told_that_it_is_sent() {
    let mut r = recorder(false);
    let (p, q) = (r.process("p"), r.process("q"));
    r.event(q, place(0));
    r.receive("m");
    r.event(p, place(1));
    r.send("m");
    let computation = r.finish().unwrap();
    assert_eq!(computation.causality().causes(id(1), 1), [Event::new(id(0), 1)]);
}

#[test]
fn nothing_an_initial_state_says_of_order_leaks_into_the_next_event() {
    let mut r = recorder(false);
    let p = r.process("p");
    r.init(p, place(0));
    r.clock("p", 7);
    r.send("m");
    r.receive("m");
    r.event(p, place(1));
    assert_eq!(rules(r), [(Rule::Field, 0), (Rule::Field, 0), (Rule::Field, 0)]);
}

#[test]
fn an_event_that_receives_what_it_sends_is_a_cycle() {
    let mut r = recorder(false);
    let p = r.process("p");
    r.event(p, place(0));
    r.send("m");
    r.receive("m");
    assert_eq!(rules(r), [(Rule::Acyclic, 0)]);
}

#[test]
fn a_clock_of_zeros_makes_no_process() {
    let mut r = recorder(false);
    clocked(&mut r, 0, "p", &[("p", 1), ("q", 0)]);
    assert_eq!(r.finish().unwrap().names(), ["p"]);
}

#[test]
fn a_clock_has_one_entry_for_each_process() {
    let mut r = recorder(false);
    clocked(&mut r, 0, "p", &[("p", 1), ("p", 2)]);
    assert_eq!(rules(r), [(Rule::Field, 0)]);
}

#[test]
fn one_missing_event_is_one_problem() {
    let mut r = recorder(false);
    for (k, own) in [1, 2, 4, 5, 6].into_iter().enumerate() {
        clocked(&mut r, k as u64, "p", &[("p", own)]);
    }
    assert_eq!(rules(r), [(Rule::OwnEntry, 2)]);
}

#[test]
fn a_clock_that_forgets_goes_back() {
    let mut r = recorder(false);
    clocked(&mut r, 0, "q", &[("q", 1)]);
    clocked(&mut r, 1, "p", &[("p", 1), ("q", 1)]);
    clocked(&mut r, 2, "p", &[("p", 2)]);
    clocked(&mut r, 3, "p", &[("p", 3)]);
    assert_eq!(rules(r), [(Rule::Monotone, 2)]);
}

#[test]
fn a_clock_knows_what_the_events_it_knows_knew() {
    for holes in [false, true] {
        let mut r = recorder(holes);
        clocked(&mut r, 0, "p", &[("p", 1)]);
        clocked(&mut r, 1, "q", &[("q", 1), ("p", 1)]);
        clocked(&mut r, 2, "r", &[("r", 1), ("q", 1)]);
        assert_eq!(rules(r), [(Rule::Transitive, 2)]);
    }
}

#[test]
fn a_clock_may_follow_events_that_have_none() {
    let mut r = recorder(false);
    let (p, q) = (r.process("p"), r.process("q"));
    r.event(q, place(0));
    r.send("m");
    r.event(p, place(1));
    r.receive("m");
    clocked(&mut r, 2, "p", &[("p", 2)]);
    assert_eq!(rules(r), [(Rule::Transitive, 2)]);
}

#[test]
fn clocks_and_messages_of_one_event_must_agree() {
    let trace = |known: u32| {
        let mut r = recorder(false);
        clocked(&mut r, 0, "p", &[("p", 1)]);
        r.send("m");
        clocked(&mut r, 1, "q", &[("q", 1), ("p", known)]);
        r.receive("m");
        r
    };
    assert_eq!(
        trace(1).finish().unwrap().causality().causes(id(1), 1),
        [Event::new(id(0), 1)]
    );
    assert_eq!(rules(trace(0)), [(Rule::Transitive, 1)]);
}

#[test]
fn clocks_that_know_one_another_are_a_cycle_that_is_told_in_words() {
    let mut r = recorder(false);
    clocked(&mut r, 0, "p", &[("p", 1), ("q", 2)]);
    clocked(&mut r, 1, "q", &[("q", 1), ("p", 1)]);
    r.label("ask");
    clocked(&mut r, 2, "q", &[("q", 2), ("p", 1)]);
    let problems = r.finish().unwrap_err();
    assert_eq!(problems[0].rule, Rule::Acyclic);
    assert_eq!(
        problems[0].message,
        "these happen before one another: event 1 of `p` follows event 2 of `q`, which comes after \
         event 1 of `q` (`ask`), event 1 of `q` (`ask`) follows event 1 of `p`"
    );
}

#[test]
fn holes_are_put_in_where_clocks_know_of_events() {
    let mut r = recorder(true);
    clocked(&mut r, 0, "p", &[("p", 3), ("q", 2)]);
    r.label("late");
    r.set("x", Value::Int(1));
    r.send("m");
    clocked(&mut r, 1, "r", &[("r", 1), ("p", 3), ("q", 2)]);
    r.receive("m");
    r.receive("lost");
    let (computation, lost) = r.finish_with_lost().unwrap();
    let holes = [(0, 1), (0, 2), (1, 1), (1, 2)].map(|(p, k)| Event::new(id(p), k));
    assert_eq!(computation.holes(), holes);
    assert_eq!(computation.label(id(0), 3), "late");
    let x = computation.variable("x").unwrap();
    assert_eq!(computation.assignments(id(0), x).len(), 1);
    assert_eq!(computation.assignments(id(0), x)[0].0, 3);
    assert_eq!(lost, [(Event::new(id(2), 1), "lost".to_owned())]);
    assert_eq!(Clocks::of(computation.causality()).unwrap().known(id(2), 1, id(1)), 2);
}

#[test]
fn a_clock_cannot_ask_for_any_number_of_holes() {
    let mut r = recorder(true);
    clocked(&mut r, 0, "p", &[("p", u32::MAX)]);
    clocked(&mut r, 1, "q", &[("q", 1)]);
    assert_eq!(rules(r), [(Rule::OwnEntry, 0)]);
    let mut r = recorder(true);
    clocked(&mut r, 0, "p", &[("p", 1), ("q", u32::MAX)]);
    assert_eq!(rules(r), [(Rule::KnownEvents, 0)]);
}

#[test]
fn a_receive_is_not_missed_because_its_send_could_not_be_read() {
    let mut r = recorder(false);
    let p = r.process("p");
    r.event(p, place(0));
    r.receive("m");
    r.problem(Problem::new(Rule::Syntax, place(1), "broken"));
    assert_eq!(rules(r), [(Rule::Syntax, 1)]);
}
