//! Why events are still waiting when nothing more will come.
//!
//! An event that was not delivered follows one that never arrived, or one that was not
//! delivered either. If no waiting event follows one that never arrived, then following from each process to the
//! one that its next event waits for leads back to some process: these events happen before one
//! another.

use super::stream::{Arrived, Stream};
use crate::problem::{Part, Problem, Rule};
use foldhash::HashMap;

/// What is wrong with a run that ends here.
pub(super) fn problems(stream: &Stream) -> Vec<Problem> {
    let sending = sending(stream);
    let mut problems = Vec::new();
    for (p, lane) in stream.lanes.iter().enumerate() {
        for event in &lane.waiting {
            for message in &event.receives {
                if !stream.is_sent(message) && !sending.contains_key(message.as_str()) {
                    problems.push(never_sent(event, message));
                }
            }
            for &(q, events) in event.clock.iter().flatten() {
                if q != p && events > stream.arrived(q) {
                    problems.push(unknown_event(stream, event, q, events));
                }
            }
        }
    }
    if problems.is_empty() {
        problems.extend(cycle(stream, &sending));
    }
    problems
}

/// The waiting events that send something: process and number.
fn sending(stream: &Stream) -> HashMap<&str, (usize, u32)> {
    let mut sending = HashMap::default();
    for (p, lane) in stream.lanes.iter().enumerate() {
        for (event, number) in lane.waiting.iter().zip(lane.delivered() + 1..) {
            sending.extend(event.sends.iter().map(|message| (message.as_str(), (p, number))));
        }
    }
    sending
}

fn never_sent(event: &Arrived, message: &str) -> Problem {
    let text = format!("message `{message}` is received, but no event sends it");
    Problem::new(Rule::SentBeforeReceived, event.place, text)
        .expected(format!("a record with `\"send\": [\"{message}\"]`"))
        .part(Part::Receive(message.to_owned()))
}

fn unknown_event(stream: &Stream, event: &Arrived, q: usize, events: u32) -> Problem {
    let name = &stream.lanes[q].name;
    let text = match stream.arrived(q) {
        0 => format!("the clock knows {events} events of `{name}`, of which there is no record"),
        n => format!("the clock knows {events} events of `{name}`, which has only {n}"),
    };
    Problem::new(Rule::KnownEvents, event.place, text)
        .expected(format!("at most `{name}: {}`", stream.arrived(q)))
        .part(Part::Clock(name.clone()))
}

/// Events that happen before one another, if events wait.
fn cycle(stream: &Stream, sending: &HashMap<&str, (usize, u32)>) -> Option<Problem> {
    let mut at = stream.lanes.iter().position(|lane| !lane.waiting.is_empty())?;
    let mut visited = Vec::new();
    while !visited.contains(&at) {
        visited.push(at);
        at = waits_for(stream, sending, at)?.0;
    }
    let begin = visited.iter().position(|p| *p == at)?;
    let next = |p: usize| {
        format!(
            "event {} of `{}`",
            stream.lanes[p].delivered() + 1,
            stream.lanes[p].name
        )
    };
    let mut story = Vec::new();
    for &p in &visited[begin..] {
        let (q, number) = waits_for(stream, sending, p)?;
        story.push(format!(
            "{} follows event {number} of `{}`",
            next(p),
            stream.lanes[q].name
        ));
        if number > stream.lanes[q].delivered() + 1 {
            story.push(format!("which comes after {}", next(q)));
        }
    }
    let message = format!("these happen before one another: {}", story.join(", "));
    let place = stream.lanes[at].waiting.front()?.place;
    let mut problem =
        Problem::new(Rule::Acyclic, place, message).expected("an order in which nothing happens before itself");
    for &p in &visited[begin + 1..] {
        problem = problem.related(stream.lanes[p].waiting.front()?.place, next(p));
    }
    Some(problem)
}

/// An event that was not delivered and that the next event of a process follows.
fn waits_for(stream: &Stream, sending: &HashMap<&str, (usize, u32)>, p: usize) -> Option<(usize, u32)> {
    let event = stream.lanes[p].waiting.front()?;
    let message = event.receives.iter().find_map(|m| sending.get(m.as_str()).copied());
    let mut entries = event.clock.iter().flatten().copied();
    message.or_else(|| entries.find(|&(q, events)| q != p && stream.lanes[q].delivered() < events))
}
