//! From the spans of one trace to events and their order.

use super::gaps::Gaps;
use super::{Kind, Span};
use crate::causality::Event;
use crate::import::{ProcessBy, Sink};
use crate::narrow::short;
use crate::problem::{Place, Problem, Rule};
use crate::recorder::Recorder;
use crate::stamp::Stamp;
use mazurka_core::ProcessId;
use std::collections::{HashMap, HashSet};

/// Which event of its span an event is.
#[derive(Clone, Copy, Debug)]
enum Which {
    Start,
    Moment(usize),
    End,
}

/// An event that does not belong to a process yet.
#[derive(Debug)]
struct Node {
    span: usize,
    which: Which,
    time: Option<u128>,
    causes: Vec<usize>,
    /// The event before it in its span.
    before: Option<usize>,
}

/// Tells the events of a trace.
pub(super) fn tell(mut spans: Vec<Span>, process_by: ProcessBy, recorder: &mut Recorder, gaps: &mut Gaps) {
    let nodes = nodes(&mut spans, gaps);
    let names = process_names(&spans, process_by);
    let mut lanes = lanes(&nodes, &names);
    if process_by != ProcessBy::Span {
        sort_by_time(&mut lanes, &nodes, &spans, recorder);
    }
    let mut events = vec![Event::new(ProcessId::new(0), 0); nodes.len()];
    for (name, lane) in &lanes {
        let process = recorder.process(name);
        for (k, &at) in lane.iter().enumerate() {
            events[at] = Event {
                process,
                index: short(k) + 1,
            };
        }
    }
    for (name, lane) in &lanes {
        let process = recorder.process(name);
        for &at in lane {
            let node = &nodes[at];
            tell_event(&spans[node.span], node.which, recorder, process);
            if let Some(nanoseconds) = node.time {
                recorder.time(Stamp {
                    nanoseconds,
                    counter: None,
                });
            }
            for &cause in node.causes.iter().chain(&node.before) {
                recorder.after(events[cause]);
            }
        }
    }
    let words: Vec<Vec<String>> = lanes
        .iter()
        .map(|(_, lane)| lane.iter().map(|&at| in_words(&spans, &nodes[at])).collect())
        .collect();
    recorder.call_events(move |event| {
        let lane = words.get(event.process.index());
        let word = lane.and_then(|lane| lane.get(event.index as usize - 1));
        word.cloned().unwrap_or_default()
    });
}

/// A process and its events.
type Lane = (String, Vec<usize>);

/// The processes and the events of each, in the order of the input.
fn lanes(nodes: &[Node], names: &[String]) -> Vec<Lane> {
    let mut lanes: Vec<Lane> = Vec::new();
    let mut numbers: HashMap<&str, usize> = HashMap::new();
    for (at, node) in nodes.iter().enumerate() {
        let lane = *numbers.entry(&names[node.span]).or_insert_with(|| {
            lanes.push((names[node.span].clone(), Vec::new()));
            lanes.len() - 1
        });
        lanes[lane].1.push(at);
    }
    lanes
}

/// Sorts the events of each process by time. Events without a time are reported.
fn sort_by_time(lanes: &mut [Lane], nodes: &[Node], spans: &[Span], recorder: &mut Recorder) {
    let rank = causal_rank(nodes);
    for (_, lane) in lanes {
        for &at in lane.iter().filter(|&&at| nodes[at].time.is_none()) {
            let span = &spans[nodes[at].span];
            let what = match nodes[at].which {
                Which::Start => "span",
                _ => "event of a span",
            };
            let message = format!(
                "the {what} `{}` has no time, so it has no place among the others of its service",
                span.name
            );
            let problem = Problem::new(Rule::Field, place(span), message);
            recorder.problem(
                problem
                    .expected("a time, or `--process-by span`, which needs none")
                    .at(0),
            );
        }
        // Clocks are coarse. Events with the same time are ordered as the spans say.
        lane.sort_by_key(|&at| (nodes[at].time, rank[at]));
    }
}

/// Where a span is in the input.
fn place(span: &Span) -> Place {
    span.place.expect("it was parsed")
}

fn tell_event(span: &Span, which: Which, recorder: &mut Recorder, process: ProcessId) {
    recorder.event(process, place(span));
    let (label, attributes) = match which {
        Which::Start => (format!("start {}", span.name), &span.attributes),
        Which::Moment(k) => (span.moments[k].name.clone(), &span.moments[k].attributes),
        Which::End => (format!("end {}", span.name), &span.outcome),
    };
    recorder.label(&label);
    for (name, value) in attributes {
        recorder.set(name, value.clone());
    }
}

fn in_words(spans: &[Span], node: &Node) -> String {
    let span = &spans[node.span];
    let what = match node.which {
        Which::Start => "the start of".to_owned(),
        Which::Moment(k) => format!("`{}` in", span.moments[k].name),
        Which::End => "the end of".to_owned(),
    };
    let at = match node.time {
        Some(time) => format!(" at {}.{:09} s", time / 1_000_000_000, time % 1_000_000_000),
        None => String::new(),
    };
    format!("{what} span `{}` ({} of `{}`{at})", span.name, span.id, span.service)
}

/// The events of all spans with their causes. Those of one span are in its order.
fn nodes(spans: &mut [Span], gaps: &mut Gaps) -> Vec<Node> {
    let mut nodes = Vec::new();
    let mut bounds = Vec::new();
    for (number, span) in spans.iter_mut().enumerate() {
        span.moments.sort_by_key(|moment| moment.time);
        bounds.push(nodes_of(number, span, &mut nodes));
    }
    let mut by_id: HashMap<&str, Vec<usize>> = HashMap::new();
    for (number, span) in spans.iter().enumerate() {
        let same = by_id.entry(&span.id).or_default();
        if !span.shared && same.iter().any(|&other| !spans[other].shared) {
            gaps.doubles.note(place(span), 0);
        }
        same.push(number);
    }
    for (number, span) in spans.iter().enumerate() {
        let (start, end) = bounds[number];
        let halves = |id: &str| by_id.get(id).map_or(&[][..], Vec::as_slice);
        let parent = parent(spans, number, halves);
        let named = !span.shared && span.parent.is_some();
        if named && parent.is_none() {
            gaps.parents.note(place(span), 0);
        }
        if let Some(parent) = parent.filter(|&parent| parent != number) {
            nodes[start].causes.push(bounds[parent].0);
            let call = spans[parent].kind == Kind::Client && span.kind == Kind::Server;
            if let (true, Some(answer), Some(end)) = (call, end, bounds[parent].1) {
                nodes[end].causes.push(answer);
            }
        }
        for link in &span.links {
            let linked = halves(link).iter().copied().find(|&s| s != number);
            match linked {
                Some(linked) => nodes[start].causes.push(bounds[linked].0),
                None => gaps.links.note(place(span), 0),
            }
        }
    }
    nodes
}

/// Adds the events of a span in its order. Returns its start, and its end if it has one.
fn nodes_of(number: usize, span: &Span, nodes: &mut Vec<Node>) -> (usize, Option<usize>) {
    let mut before = None;
    let mut push = |which, time| {
        nodes.push(Node {
            span: number,
            which,
            time,
            causes: Vec::new(),
            before,
        });
        before = Some(nodes.len() - 1);
        nodes.len() - 1
    };
    let start = push(Which::Start, span.start);
    for (k, moment) in span.moments.iter().enumerate() {
        push(Which::Moment(k), moment.time);
    }
    (start, span.end.map(|end| push(Which::End, Some(end))))
}

/// The parent of a span, given the spans that have an id. The parent of a server's half is the client's
/// half, if it is there.
fn parent<'a>(spans: &[Span], number: usize, halves: impl Fn(&str) -> &'a [usize]) -> Option<usize> {
    let span = &spans[number];
    let mut client = None;
    if span.shared {
        let mut same = halves(&span.id).iter().copied();
        client = same.find(|&s| s != number && !spans[s].shared);
    }
    client.or_else(|| find_parent(spans, halves(span.parent.as_deref()?), span))
}

/// Of the two halves of a call, the parent of `span` is the one in its own service,
/// otherwise the server's: a server makes spans while it serves.
fn find_parent(spans: &[Span], halves: &[usize], span: &Span) -> Option<usize> {
    let of_service = halves.iter().find(|&&s| spans[s].service == span.service);
    let served = halves.iter().find(|&&s| spans[s].shared);
    of_service.or(served).or(halves.first()).copied()
}

/// Numbers the events, causes before effects, except where there is a cycle.
fn causal_rank(nodes: &[Node]) -> Vec<usize> {
    let mut missing: Vec<usize> = nodes.iter().map(|n| n.causes.len() + n.before.iter().len()).collect();
    let mut effects = vec![Vec::new(); nodes.len()];
    for (at, node) in nodes.iter().enumerate() {
        for &cause in node.causes.iter().chain(&node.before) {
            effects[cause].push(at);
        }
    }
    let mut rank = vec![usize::MAX; nodes.len()];
    let mut todo: std::collections::VecDeque<usize> = (0..nodes.len()).filter(|&at| missing[at] == 0).collect();
    let mut next = 0;
    while let Some(at) = todo.pop_front() {
        rank[at] = next;
        next += 1;
        for &effect in &effects[at] {
            missing[effect] -= 1;
            if missing[effect] == 0 {
                todo.push_back(effect);
            }
        }
    }
    rank
}

/// The process of each span.
fn process_names(spans: &[Span], process_by: ProcessBy) -> Vec<String> {
    match process_by {
        ProcessBy::Service => return spans.iter().map(|span| span.service.clone()).collect(),
        ProcessBy::Instance => return spans.iter().map(|span| span.instance.clone()).collect(),
        ProcessBy::Span => {}
    }
    let mut taken: HashSet<String> = HashSet::new();
    let mut names = Vec::new();
    for span in spans {
        let what = match span.name.is_empty() {
            true => span.service.clone(),
            false => format!("{}/{}", span.service, span.name),
        };
        let short: String = span.id.chars().take(8).collect();
        let candidates = [format!("{what}#{short}"), format!("{what}#{}", span.id)].into_iter();
        let numbered = (2..).map(|k| format!("{what}#{}~{k}", span.id));
        let name = candidates.chain(numbered).find(|name| !taken.contains(name));
        let name = name.expect("there is always another number");
        taken.insert(name.clone());
        names.push(name);
    }
    names
}
