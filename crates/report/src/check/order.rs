//! Which steps of a counterexample depend on which earlier ones.
//!
//! Steps of different processes are ordered
//! * from the sending of a message to its receipt;
//! * if both put messages into one channel, or both take messages out of it;
//! * from the n-th message that is taken out to the one that is put in c messages
//!   later, where c is the most that the channel ever held: it holds at least that
//!   many, so this is at least what a full channel orders;
//! * if one assigns a shared variable that the other assigns or mentions by name;
//! * from the step that runs a process to the first one of that process.
//!
//! A step that may depend on anything is ordered with all others: one that waits for
//! the others (`timeout`, `else`), looks at channels or processes (`len`, `enabled`,
//! remote references), or whose text is not all there is to it, because it mentions a
//! macro or a parameter of a macro or an inline. The result orders at least what the
//! model does, and often more: array elements are not told apart.

use super::{owned, process_name};
use mazurka_promela::verify::{ExchangeKind, ShownStep, Violation};
use mazurka_promela::{FileId, Sources};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// For each step, the latest step of each other process that it depends on directly.
pub(super) fn causes(sources: &Sources, violation: &Violation) -> Vec<Vec<usize>> {
    let steps = &violation.steps;
    let lanes = lanes(steps);
    let opaque = Opaque::of(sources, violation);
    let assigned: BTreeSet<&str> = steps.iter().flat_map(|s| &s.changes).filter_map(shared).collect();
    let mut last: HashMap<Thing, BTreeMap<(usize, Access), usize>> = HashMap::new();
    let mut channels: HashMap<u32, Channel> = capacities(steps);
    let mut seen = BTreeSet::new();
    let mut all = Vec::new();
    for (k, step) in steps.iter().enumerate() {
        let mut latest: BTreeMap<usize, usize> = BTreeMap::new();
        let mut after = |earlier: usize| {
            if lanes[earlier] != lanes[k] {
                let cause = latest.entry(lanes[earlier]).or_insert(earlier);
                *cause = earlier.max(*cause);
            }
        };
        let mut accesses = accesses(step, &opaque, &assigned);
        if seen.insert(lanes[k]) {
            accesses.push((Thing::Process(step.process.clone()), Access::Read));
        }
        for (thing, access) in &accesses {
            let earlier = last.get(thing).into_iter().flatten();
            let conflicting = earlier.filter(|((_, other), _)| access.conflicts(*other));
            conflicting.for_each(|(_, at)| after(*at));
        }
        if let Some(exchange) = &step.exchange {
            exchange.sent_by.into_iter().filter(|by| *by < k).for_each(&mut after);
            let channel = channels.entry(exchange.number).or_default();
            match exchange.kind {
                ExchangeKind::Send => channel.put().into_iter().for_each(&mut after),
                ExchangeKind::Receive => channel.taken.push(k),
                ExchangeKind::Copy | ExchangeKind::Rendezvous => {}
            }
        }
        for (thing, access) in accesses {
            last.entry(thing).or_default().insert((lanes[k], access), k);
        }
        all.push(latest.into_values().collect());
    }
    all
}

/// What steps depend on each other by.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Thing {
    /// Everything there is.
    Anything,
    /// A shared variable; all of it, if it is an array or a structure.
    Variable(String),
    /// One of the ends of a channel.
    Put(u32),
    Take(u32),
    /// The processes of a proctype, before they begin.
    Process(String),
}

/// How.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Access {
    Read,
    Write,
}

impl Access {
    fn conflicts(self, other: Self) -> bool {
        (self, other) != (Self::Read, Self::Read)
    }
}

/// A channel as far as it is known.
#[derive(Default)]
struct Channel {
    /// The most messages that it ever held.
    most: usize,
    /// How many were put in.
    puts: usize,
    /// The steps that took one out.
    taken: Vec<usize>,
}

impl Channel {
    /// The step that made room for the next message, if it took one.
    fn put(&mut self) -> Option<usize> {
        let before = self.puts.checked_sub(self.most);
        self.puts += 1;
        before.and_then(|n| self.taken.get(n)).copied()
    }
}

fn capacities(steps: &[ShownStep]) -> HashMap<u32, Channel> {
    let mut held: HashMap<u32, (usize, usize)> = HashMap::new();
    for exchange in steps.iter().filter_map(|step| step.exchange.as_ref()) {
        let (now, most) = held.entry(exchange.number).or_default();
        match exchange.kind {
            ExchangeKind::Send => *now += 1,
            ExchangeKind::Receive => *now = now.saturating_sub(1),
            ExchangeKind::Copy | ExchangeKind::Rendezvous => {}
        }
        *most = (*now).max(*most);
    }
    let channel = |(number, (_, most))| {
        let channel = Channel {
            most,
            ..Channel::default()
        };
        (number, channel)
    };
    held.into_iter().map(channel).collect()
}

/// For each step, the number of its process, counted in the order of their first steps.
pub(super) fn lanes(steps: &[ShownStep]) -> Vec<usize> {
    let mut numbers: HashMap<String, usize> = HashMap::new();
    let number = |step: &ShownStep| {
        let next = numbers.len();
        *numbers.entry(process_name(step)).or_insert(next)
    };
    steps.iter().map(number).collect()
}

/// The name of the variable that a change is about, unless it is one of a process
/// (`P[1]:x`), without index and field.
fn shared((name, _): &(String, String)) -> Option<&str> {
    match owned(name) {
        (None, name) => name.split(['[', '.']).next(),
        (Some(_), _) => None,
    }
}

fn accesses(step: &ShownStep, opaque: &Opaque, assigned: &BTreeSet<&str>) -> Vec<(Thing, Access)> {
    let words: BTreeSet<&str> = words(&step.statement).collect();
    let anything = match opaque.hides(&step.statement, &words) {
        true => Access::Write,
        false => Access::Read,
    };
    let mut all = vec![(Thing::Anything, anything)];
    let channel = step.exchange.as_ref().map(|exchange| {
        match exchange.kind {
            ExchangeKind::Send => all.push((Thing::Put(exchange.number), Access::Write)),
            ExchangeKind::Receive | ExchangeKind::Copy => all.push((Thing::Take(exchange.number), Access::Write)),
            ExchangeKind::Rendezvous => {}
        }
        exchange.channel.split('[').next().unwrap_or_default()
    });
    let written: BTreeSet<&str> = step.changes.iter().filter_map(shared).collect();
    for word in words.union(&written).filter(|word| assigned.contains(*word)) {
        if Some(*word) != channel {
            let access = match written.contains(word) {
                true => Access::Write,
                false => Access::Read,
            };
            all.push((Thing::Variable((*word).to_owned()), access));
        }
    }
    if words.contains("run") {
        all.extend(
            words
                .iter()
                .map(|word| (Thing::Process((*word).to_owned()), Access::Write)),
        );
    }
    all
}

/// The names in a text.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let inside = |c: char| c.is_alphanumeric() || c == '_';
    let begins = |word: &&str| word.starts_with(|c: char| c.is_alphabetic() || c == '_');
    text.split(move |c| !inside(c)).filter(begins)
}

/// Words by which a step depends on more than the variables that it mentions.
const GLOBAL: [&str; 17] = [
    "timeout",
    "else",
    "np_",
    "_last",
    "_nr_pr",
    "_priority",
    "enabled",
    "pc_value",
    "get_priority",
    "set_priority",
    "len",
    "empty",
    "nempty",
    "full",
    "nfull",
    "d_step",
    "atomic",
];

/// What the text of a statement does not tell.
struct Opaque {
    /// Macros that stand for names, and the parameters of macros and inlines.
    names: BTreeSet<String>,
    /// Whether a condition outside of the statements decides what can be executed.
    everything: bool,
}

impl Opaque {
    fn of(sources: &Sources, violation: &Violation) -> Self {
        let (mut names, mut everything) = (BTreeSet::new(), false);
        let spans = violation.steps.iter().map(|step| step.span.file.0);
        // Files are numbered in the order in which they were read, the model first.
        for file in 0..=spans.max().unwrap_or(0) {
            let text = sources.text(FileId(file)).replace("\\\n", " ");
            everything |= words(&text).any(|word| matches!(word, "provided" | "priority"));
            for line in text.lines() {
                let line = line.trim_start();
                if let Some(rest) = line.strip_prefix('#').map(str::trim_start) {
                    names.extend(rest.strip_prefix("define").map(macro_names).unwrap_or_default());
                }
            }
            for after in text.split("inline ").skip(1) {
                names.extend(after.split(['{', ')']).next().map(parameters).unwrap_or_default());
            }
        }
        Self { names, everything }
    }

    fn hides(&self, statement: &str, words: &BTreeSet<&str>) -> bool {
        self.everything
            || statement.contains(['@', ':'])
            || statement.contains("?[")
            || words
                .iter()
                .any(|word| GLOBAL.contains(word) || self.names.contains(*word))
    }
}

/// The names by which a macro hides others: its own, unless it stands for a number, and
/// those of its parameters.
fn macro_names(definition: &str) -> Vec<String> {
    let definition = definition.trim_start();
    let end = definition.find(|c: char| !(c.is_alphanumeric() || c == '_'));
    let (name, rest) = definition.split_at(end.unwrap_or(definition.len()));
    let mut names = Vec::new();
    let body = match rest.starts_with('(').then(|| rest.split_once(')')).flatten() {
        Some((head, body)) => {
            names = parameters(head);
            body
        }
        None => rest,
    };
    if words(body).next().is_some() {
        names.push(name.to_owned());
    }
    names
}

/// The names in a list of parameters, which `(` begins.
fn parameters(text: &str) -> Vec<String> {
    let list = text.split_once('(').map_or("", |(_, list)| list);
    words(list).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::super::sample::{Sample, exchanging, step};
    use super::*;

    fn causes_in(model: &str, steps: Vec<ShownStep>) -> Vec<Vec<usize>> {
        let mut sources = Sources::default();
        sources.add("model.pml", model);
        let mut sample = Sample::cycle();
        sample.checked.properties[0].violations[0].steps = steps;
        causes(&sources, sample.violation())
    }

    #[test]
    fn assignments_and_mentions_of_a_shared_variable() {
        let steps = vec![
            step(0, "A", "x = 1", &[("x", "1")]),
            step(1, "B", "y = x + 1", &[("B[1]:y", "2")]),
            step(2, "C", "z++", &[("z", "1")]),
            step(0, "A", "y = 5", &[("A[0]:y", "5")]),
            step(0, "A", "x = 2", &[("x", "2")]),
            step(2, "C", "a[x] = z", &[("a[2]", "1")]),
        ];
        let expected = vec![vec![], vec![0], vec![], vec![], vec![1], vec![4]];
        assert_eq!(causes_in("", steps), expected);
    }

    #[test]
    fn both_ends_of_a_channel() {
        let send = |pid| exchanging(step(pid, "S", "c!1", &[("c", "[1]")]), ExchangeKind::Send, "1");
        let receive = |by| {
            let mut step = exchanging(step(2, "R", "c?x", &[("c", "[]")]), ExchangeKind::Receive, "1");
            step.exchange.as_mut().unwrap().sent_by = Some(by);
            step
        };
        // Two sends, a receipt, and a third send, for which there has to be room.
        let steps = vec![send(0), send(1), receive(0), send(0), receive(1)];
        // The receipts are ordered by their process; the third send comes after the second.
        assert_eq!(causes_in("", steps), [vec![], vec![0], vec![0], vec![1, 2], vec![1]]);
    }

    #[test]
    fn what_may_depend_on_anything_is_ordered_with_everything() {
        let model =
            "#define N 3\n#define free (owner == 0)\n#define inc(v) \\\n  v = v + 1\ninline grab(what) { what = 1 }";
        for (statement, global) in [
            ("timeout", true),
            ("else", true),
            ("free", true),
            ("v = v + 1", true),
            ("what = 1", true),
            ("P[1]@here", true),
            ("len(c) < N", true),
            ("c?[ack]", true),
            ("k < N", false),
        ] {
            let steps = vec![
                step(0, "A", "x = 1", &[("x", "1")]),
                step(1, "B", statement, &[]),
                step(0, "A", "x = 2", &[("x", "2")]),
            ];
            let expected = match global {
                true => [vec![], vec![0], vec![1]],
                false => [vec![], vec![], vec![]],
            };
            assert_eq!(causes_in(model, steps), expected, "{statement}");
        }
        let steps = vec![step(0, "A", "skip", &[]), step(1, "B", "skip", &[])];
        assert_eq!(causes_in("proctype A() provided (x) {}", steps), [vec![], vec![0]]);
    }

    #[test]
    fn a_process_begins_after_it_was_run() {
        let steps = vec![
            step(0, "Init", "run P(1)", &[]),
            step(0, "Init", "skip", &[]),
            step(1, "P", "skip", &[]),
            step(1, "P", "skip", &[]),
        ];
        assert_eq!(causes_in("", steps), [vec![], vec![], vec![0], vec![]]);
    }
}
