//! Records of text logs with vector timestamps, sorted into the order of each host.
//!
//! The order of the lines means little: logs are often merged from several files without
//! being sorted. A host's own clock entry numbers its events, so its records are sorted
//! by that entry before the recorder is told. Records without the entry come first and
//! are reported.

use super::json;
use super::sink::Sink;
use super::text_variables;
use crate::problem::{Place, Problem, Rule};
use crate::recorder::Recorder;
use crate::stamp::{self, Stamp};
use std::borrow::Cow;
use std::collections::HashMap;

/// Splits a line into a host and a clock; a time may come before them.
pub(crate) fn host_line(line: &str) -> Option<(&str, &str)> {
    let line = line.trim();
    let (before, _) = line.split_once('{')?;
    let clock = line[before.len()..].trim_end();
    let mut words = before.split_whitespace();
    let (first, second) = (words.next()?, words.next());
    let is_time = !first.is_empty() && first.bytes().all(|b| b.is_ascii_digit());
    let host = match second {
        None => first,
        Some(host) if is_time => host,
        Some(_) => return None,
    };
    (words.next().is_none() && clock.ends_with('}') && before.ends_with(' ')).then_some((host, clock))
}

/// Whether a line consists of a host and a clock with whole numbers.
fn is_host_line(line: &str) -> bool {
    let entries = host_line(line).and_then(|(_, clock)| Some(json::entries(clock).ok()?.into_iter()));
    entries.is_some_and(|mut entries| entries.all(|(_, count)| count.get().parse::<u32>().is_ok()))
}

/// How many of the even lines and how many of the odd lines consist of a host and a clock.
pub(crate) fn host_lines(lines: &[&str]) -> [usize; 2] {
    let records = lines.iter().filter(|line| !line.starts_with("==="));
    records.enumerate().fold([0; 2], |mut found, (at, line)| {
        found[at % 2] += usize::from(is_host_line(line));
        found
    })
}

/// A record.
pub(crate) struct Entry<'a> {
    pub(crate) place: Place,
    pub(crate) host: &'a str,
    /// Where the host is in the record.
    pub(crate) host_at: u32,
    /// The vector timestamp: JSON, perhaps with escaped quotes.
    pub(crate) clock: &'a str,
    /// Where the clock is in the record.
    pub(crate) clock_at: u32,
    pub(crate) event: &'a str,
    /// The other fields of the record, by name.
    pub(crate) others: Vec<(&'a str, &'a str)>,
}

impl<'a> Entry<'a> {
    /// The clock as JSON. TLC prints texts with their quotes escaped.
    fn json(&self) -> Cow<'a, str> {
        match self.clock.contains("\\\"") {
            true => Cow::Owned(self.clock.replace("\\\"", "\"")),
            false => Cow::Borrowed(self.clock),
        }
    }

    /// The host's own entry; `None` if this is the state before all events, which
    /// TLC prints with a clock of zeros and no host.
    fn own(&self) -> Option<u32> {
        let json = self.json();
        let Ok(entries) = json::entries(&json) else {
            return Some(0);
        };
        let own = entries.iter().find(|(name, _)| name == self.host);
        let nobody = matches!(self.host, "" | "--");
        let zeros = nobody && !entries.is_empty() && entries.iter().all(|(_, count)| count.get() == "0");
        match own {
            Some((_, count)) => Some(count.get().parse().unwrap_or(0)),
            None if zeros => None,
            None => Some(0),
        }
    }
}

/// Tells the recorder the records of one file.
pub(crate) fn tell(entries: Vec<Entry<'_>>, recorder: &mut Recorder) {
    let mut hosts: HashMap<&str, usize> = HashMap::new();
    let mut lanes: Vec<(&str, Vec<(u32, Entry<'_>)>)> = Vec::new();
    for entry in entries {
        let Some(own) = entry.own() else { continue };
        let lane = *hosts.entry(entry.host).or_insert_with(|| {
            lanes.push((entry.host, Vec::new()));
            lanes.len() - 1
        });
        lanes[lane].1.push((own, entry));
    }
    for (host, _) in &lanes {
        recorder.process(host);
    }
    for (host, mut lane) in lanes {
        lane.sort_by_key(|(own, _)| *own);
        let process = recorder.process(host);
        for (_, entry) in lane {
            if host.is_empty() {
                let problem = Problem::new(Rule::Field, entry.place, "the record has no host");
                let expected = "the name of a host before its clock, such as `p1 {\"p1\": 3}`";
                recorder.problem(problem.expected(expected).at(entry.host_at));
                continue;
            }
            recorder.event(process, entry.place);
            recorder.label(entry.event);
            json::clock(&entry.json(), entry.clock_at, entry.place, host, recorder);
            text_variables::variables(entry.event, recorder);
            for (name, text) in entry.others {
                if recorder.wants(name) {
                    recorder.set(name, text_variables::scalar(text));
                }
                if name == "time" && recorder.wants_time() {
                    tell_time(text, entry.place, recorder);
                }
            }
        }
    }
}

/// Tells the time of an event, which orders it.
fn tell_time(text: &str, place: Place, recorder: &mut Recorder) {
    match Stamp::parse(text) {
        Some(time) => recorder.time(time),
        None => {
            let message = format!("the group `time` matches `{}`, which is not a time", text.trim());
            recorder.problem(Problem::new(Rule::Field, place, message).expected(stamp::EXPECTED));
        }
    }
}
