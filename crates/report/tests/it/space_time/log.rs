//! Logs written line by line, with the computation that they record.

use mazurka_report::space_time::{AnswerView, SpaceTime, html};
use mazurka_trace::{Computation, Place, ProcessId, Recorder, Recording, Sink, Value};
use serde_json::json;

/// A log that is being written.
pub struct Log {
    text: String,
    recorder: Recorder,
}

impl Log {
    pub fn new() -> Self {
        Self {
            text: String::new(),
            recorder: Recorder::new(Recording::default()),
        }
    }

    fn line(&mut self, line: &str) -> Place {
        let place = Place {
            file: 0,
            offset: self.text.len() as u64,
            length: line.len() as u32,
        };
        self.text.push_str(line);
        self.text.push('\n');
        place
    }

    fn set(&mut self, vars: &serde_json::Value) {
        for (name, value) in vars.as_object().unwrap() {
            self.recorder.set(name, Value::from(value.clone()));
        }
    }

    /// The initial state of a process.
    pub fn init(&mut self, process: &str, vars: serde_json::Value) {
        let place = self.line(&json!({"process": process, "init": true, "vars": vars}).to_string());
        let p = self.recorder.process(process);
        self.recorder.init(p, place);
        self.set(&vars);
    }

    /// An event: its name, what it assigns, what it sends and receives.
    pub fn event(&mut self, process: &str, label: &str, vars: serde_json::Value, send: &[&str], recv: &[&str]) {
        let record = json!({"process": process, "event": label, "vars": vars, "send": send, "recv": recv});
        let place = self.line(&record.to_string());
        let p = self.recorder.process(process);
        self.recorder.event(p, place);
        self.recorder.label(label);
        self.set(&vars);
        send.iter().for_each(|m| self.recorder.send(m));
        recv.iter().for_each(|m| self.recorder.receive(m));
    }

    pub fn end(self) -> (Computation, String) {
        (self.recorder.finish().unwrap(), self.text)
    }
}

/// The page of a log.
pub fn page(title: &str, (computation, text): &(Computation, String), answers: &[AnswerView]) -> String {
    html(&SpaceTime {
        title,
        computation,
        answers,
        warnings: &[],
        record_text: &|place| {
            let from = place.offset as usize;
            text.get(from..from + place.length as usize).map(str::to_owned)
        },
    })
}

/// A lease server that gives a lease to a second client before the first one
/// has heard that its own is over: both may hold it at once.
pub fn lease() -> (Computation, String) {
    let mut log = Log::new();
    log.init("server", json!({"holder": null, "epoch": 0}));
    for client in ["alice", "bob"] {
        log.init(client, json!({"lease": false}));
    }
    log.init("store", json!({"writes": 0}));
    log.event("alice", "request", json!({}), &["a1"], &[]);
    log.event("bob", "request", json!({}), &["b1"], &[]);
    log.event(
        "server",
        "grant alice",
        json!({"holder": "alice", "epoch": 1}),
        &["g1"],
        &["a1"],
    );
    log.event("alice", "lease granted", json!({"lease": true}), &[], &["g1"]);
    log.event("server", "queue bob", json!({"queue": ["bob"]}), &[], &["b1"]);
    log.event("alice", "write", json!({}), &["w1"], &[]);
    log.event("store", "apply", json!({"writes": 1}), &["k1"], &["w1"]);
    log.event("server", "timeout", json!({"holder": null}), &["x1"], &[]);
    log.event(
        "server",
        "grant bob",
        json!({"holder": "bob", "epoch": 2, "queue": []}),
        &["g2"],
        &[],
    );
    log.event("alice", "acknowledged", json!({}), &[], &["k1"]);
    log.event("alice", "lease expired", json!({"lease": false}), &["e1"], &["x1"]);
    log.event("bob", "lease granted", json!({"lease": true}), &[], &["g2"]);
    log.event("bob", "write", json!({}), &["w2"], &[]);
    log.event("store", "apply", json!({"writes": 2}), &["k2"], &["w2"]);
    log.event("server", "expiry seen", json!({}), &[], &["e1"]);
    log.event("bob", "acknowledged", json!({}), &[], &["k2"]);
    log.event("bob", "release", json!({"lease": false}), &["r2"], &[]);
    log.event("server", "idle", json!({"holder": null}), &[], &["r2"]);
    log.event("store", "flush", json!({"writes": 0}), &[], &[]);
    log.end()
}

/// A long random run, determined by `seed`, in which processes often send to others.
pub fn chatter(processes: usize, events: usize, mut seed: u64) -> (Computation, String) {
    let mut random = move |below: usize| {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 33) as usize % below
    };
    let mut log = Log::new();
    let names: Vec<String> = (0..processes).map(|p| format!("node-{}", p + 1)).collect();
    let mut inbox: Vec<Vec<String>> = vec![Vec::new(); processes];
    for name in &names {
        log.init(name, json!({"load": 0, "leader": false}));
    }
    for k in 0..events {
        let p = random(processes);
        let (label, send, recv) = match random(10) {
            0..3 => ("send", Some(format!("m{k}")), None),
            3..8 if !inbox[p].is_empty() => ("receive", None, Some(inbox[p].remove(0))),
            8 => ("elect", None, None),
            _ => ("work", None, None),
        };
        let vars = match label {
            "elect" => json!({"leader": random(2) == 0}),
            "work" => json!({"load": random(50)}),
            _ => json!({}),
        };
        let (sent, received): (Vec<&str>, Vec<&str>) = (
            send.as_deref().into_iter().collect(),
            recv.as_deref().into_iter().collect(),
        );
        log.event(&names[p], label, vars, &sent, &received);
        if let Some(message) = send {
            inbox[(p + 1 + random(processes - 1)) % processes].push(message);
        }
    }
    log.end()
}

/// The cuts that one order of the events passes through, up to the cut `to`.
pub fn execution(computation: &Computation, to: &[u32]) -> Vec<Vec<u32>> {
    let order = computation.causality();
    let mut cut = vec![0; to.len()];
    let mut path = vec![cut.clone()];
    let may_move = |p: ProcessId, cut: &[u32]| cut[p.index()] < to[p.index()] && order.is_enabled(p, cut);
    while let Some(p) = order.process_ids().find(|&p| may_move(p, &cut)) {
        cut[p.index()] += 1;
        path.push(cut.clone());
    }
    path
}
