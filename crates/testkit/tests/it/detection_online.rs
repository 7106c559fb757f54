//! On-line detection against the definition of what is certain, record by record.

use fastrand::Rng;
use mazurka_testkit::computations::{
    Arrived, Formula, HappenedBefore, Order, Preset, Record, Shape, Truth, Words, all_cuts, certain_after, computation,
    continuation, definitely, definitely_after, error, formula, pair_and_locals, possibly, tell,
};
use mazurka_testkit::seeds;
use mazurka_trace::{
    Announcement, Computation, Modality, Monitor, MonitorError, Place, Predicate, Question, Watching, native,
};
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicU64, Ordering};

/// Results that do not depend on the order of the records, computed once for all orders of
/// the same records.
#[derive(Default)]
struct Settled {
    /// Whether "yes" is the answer in the end, and whether cuts without a value may change that.
    answer: RefCell<HashMap<Modality, (bool, bool)>>,
    /// Whether "yes" is certain once this many states of each process have arrived.
    certain: RefCell<HashMap<(Modality, Vec<u32>), bool>>,
    /// With which states "yes" was announced early and found right.
    early: RefCell<HashSet<(Modality, Vec<u32>)>>,
    /// The cuts that were found to be witnesses.
    witnesses: RefCell<HashSet<Vec<u32>>>,
}

struct Run<'a> {
    computation: &'a Computation,
    formula: &'a Formula,
    predicate: &'a Predicate,
    text: &'a str,
    modality: Modality,
    records: &'a [Record],
    declared: bool,
    settled: &'a Settled,
}

enum Outcome {
    /// The number of records before it, and the announcement.
    Answer(usize, Announcement),
    Undefined,
}

impl Run<'_> {
    /// Tells the records to a monitor.
    fn watch(&self) -> Outcome {
        let question = Question {
            modality: self.modality,
            predicate: self.predicate.clone(),
        };
        let options = Watching {
            processes: self.declared.then(|| self.computation.names().to_vec()),
            ..Watching::default()
        };
        let mut monitor = Monitor::new(&[question], &options).unwrap();
        for (k, record) in self.records.iter().enumerate() {
            native::record(record.json.as_bytes(), Place::NOWHERE, &mut monitor);
            let mut announced = monitor.advance().unwrap_or_else(|e| panic!("{e:?} at {}", record.json));
            if let Some(announcement) = announced.pop() {
                return Outcome::Answer(k + 1, announcement);
            }
        }
        match monitor.finish() {
            Ok(mut last) => Outcome::Answer(self.records.len() + 1, last.pop().expect("an answer at the end")),
            Err(MonitorError::Undefined { .. }) => Outcome::Undefined,
            Err(other) => panic!("{other:?}: {}", self.text),
        }
    }

    /// The number of records after which the answer "yes" is certain.
    fn certain(&self) -> Option<usize> {
        let mut arrived = Arrived::nothing(self.computation.processes());
        (0..self.records.len()).find_map(|k| {
            let record = &self.records[k];
            arrived.states[record.process] = record.states;
            let mut settled = self.settled.certain.borrow_mut();
            let yes = settled
                .entry((self.modality, arrived.states.clone()))
                .or_insert_with(|| self.is_certain_after(&arrived));
            yes.then_some(k + 1)
        })
    }

    /// Whether the answer "yes" is certain.
    fn is_certain_after(&self, arrived: &Arrived) -> bool {
        let truth = |cut: &[u32]| self.formula.evaluate(self.computation, cut);
        let support = self.formula.support(self.computation);
        let arrived = self.explained(arrived);
        match self.modality {
            Modality::Possibly => certain_after(self.computation, &arrived, &truth).possibly.is_some(),
            _ => definitely_after(self.computation, &arrived, &support, &truth),
        }
    }

    /// What has arrived together with all that happened before it. An effect that arrives
    /// before its cause may imply an answer, too, but the monitor waits for the cause.
    fn explained(&self, arrived: &Arrived) -> Arrived {
        let before = HappenedBefore::of(self.computation);
        let mut explained = arrived.clone();
        for (p, states) in explained.states.iter_mut().enumerate() {
            let known = |k: &u32| {
                let timestamp = before.timestamp(p, *k);
                timestamp
                    .iter()
                    .zip(&arrived.states)
                    .all(|(known, states)| *known == 0 || known < states)
            };
            *states = (0..*states).take_while(known).count() as u32;
        }
        explained
    }

    fn check(&self) {
        let truth = |cut: &[u32]| self.formula.evaluate(self.computation, cut);
        let not_false = |cut: &[u32]| match truth(cut) {
            Truth::Error => Truth::True,
            truth => truth,
        };
        let context = || {
            let told: Vec<&str> = self.records.iter().map(|r| r.json.as_str()).collect();
            format!("{} {}\n{}", self.modality, self.text, told.join("\n"))
        };
        let answer = || match self.modality {
            Modality::Possibly => (
                possibly(self.computation, &truth).is_some(),
                error(self.computation, &truth).is_some(),
            ),
            _ => (
                definitely(self.computation, &truth),
                definitely(self.computation, &not_false),
            ),
        };
        let (yes, undefined) = *self
            .settled
            .answer
            .borrow_mut()
            .entry(self.modality)
            .or_insert_with(answer);
        let (after, announcement) = match self.watch() {
            Outcome::Undefined => {
                assert!(!yes && undefined, "{}", context());
                return;
            }
            Outcome::Answer(after, announcement) => (after, announcement),
        };
        assert_eq!(announcement.verdict.truth(), Some(yes), "{}", context());
        assert!(yes || !undefined, "{}", context());
        if let Some(sighting) = &announcement.witness {
            // A process without records has done nothing.
            let events = |name| sighting.cut.get(name).copied().unwrap_or(0);
            let cut: Vec<u32> = self.computation.names().iter().map(events).collect();
            if !self.settled.witnesses.borrow().contains(&cut) {
                assert!(all_cuts(self.computation).contains(&cut), "{cut:?} {}", context());
                assert_eq!(truth(&cut), Truth::True, "{cut:?} {}", context());
                self.settled.witnesses.borrow_mut().insert(cut);
            }
        } else {
            assert!(!yes || self.modality != Modality::Possibly, "{}", context());
        }
        let last = self.records.len() + 1;
        let certain = self.certain().unwrap_or(last);
        // More processes may become known, and then it may take longer.
        assert!(!self.declared || after <= certain, "{after} > {certain}: {}", context());
        if after < certain {
            self.check_early(after);
        }
    }

    /// An answer that is announced earlier than the definition requires, because the states
    /// that have not arrived do not matter, must hold in every continuation of the run.
    fn check_early(&self, after: usize) {
        let mut arrived = Arrived::nothing(self.computation.processes());
        for record in &self.records[..after] {
            arrived.states[record.process] = record.states;
        }
        let now = (self.modality, arrived.states.clone());
        if !self.settled.early.borrow_mut().insert(now) {
            return;
        }
        let mut rng = Rng::with_seed(after as u64);
        for _ in 0..10 {
            let shape = Shape::any(&mut rng);
            let other = continuation(&mut rng, self.computation, &arrived, &shape);
            let truth = |cut: &[u32]| self.formula.evaluate(&other, cut);
            let yes = match self.modality {
                Modality::Possibly => possibly(&other, &truth).is_some(),
                _ => definitely(&other, &truth),
            };
            assert!(
                yes,
                "announced too early, after {after} records: {} {}",
                self.modality, self.text
            );
        }
    }
}

fn parse(text: &str) -> Predicate {
    Predicate::parse(text).unwrap_or_else(|e| panic!("{text}: {e}"))
}

fn words(seed: u64) -> Words {
    match seed % 2 {
        0 => Words::Messages,
        _ => Words::Clocks,
    }
}

#[test]
fn answers_are_announced_as_soon_as_they_are_certain() {
    seeds(150, |seed| {
        let mut rng = Rng::with_seed(seed);
        let shape = Shape::any(&mut rng);
        let computation = computation(&mut rng, &shape);
        let preset = Preset::ALL[seed as usize / 2 % Preset::ALL.len()];
        let formula = formula(&mut rng, &computation, preset);
        let text = formula.to_cel();
        let predicate = parse(&text);
        let order = match seed % 3 {
            0 => Order::Causal,
            _ => Order::InitialFirst,
        };
        let records = tell(&mut rng, &computation, order, words(seed));
        for modality in [Modality::Possibly, Modality::Definitely] {
            let mut run = Run {
                computation: &computation,
                formula: &formula,
                predicate: &predicate,
                text: &text,
                modality,
                records: &records,
                declared: order == Order::InitialFirst,
                settled: &Settled::default(),
            };
            run.check();
            run.declared = false;
            run.check();
        }
    });
}

/// The number of records that come before one that they follow.
fn early(computation: &Computation, records: &[Record]) -> usize {
    let before = HappenedBefore::of(computation);
    let mut arrived = vec![0; computation.processes()];
    let mut early = 0;
    for record in records {
        let mut known = before.timestamp(record.process, record.states - 1);
        known[record.process] = 0;
        early += usize::from(
            known
                .iter()
                .zip(&arrived)
                .any(|(known, states)| known >= states && *known > 0),
        );
        arrived[record.process] = record.states;
    }
    early
}

/// Comparisons of sums have algorithms of their own. Their records come in any order that keeps those of each
/// process, so that many receives come before their sends.
#[test]
fn sums_are_announced_as_soon_as_they_are_certain() {
    let (answers, came_early) = (AtomicU64::new(0), AtomicU64::new(0));
    seeds(200, |seed| {
        let mut rng = Rng::with_seed(seed);
        let shape = match seed % 3 {
            0 => Shape::any(&mut rng),
            1 => Shape::dense(),
            _ => Shape::chain(),
        };
        let computation = computation(&mut rng, &shape);
        let formula = formula(&mut rng, &computation, Preset::Sums);
        let text = formula.to_cel();
        let predicate = parse(&text);
        let settled = Settled::default();
        for order in [Order::PerProcess, Order::PerProcess, Order::InitialFirst] {
            let records = tell(&mut rng, &computation, order, words(seed / 2));
            came_early.fetch_add(early(&computation, &records) as u64, Ordering::Relaxed);
            for modality in [Modality::Possibly, Modality::Definitely] {
                let run = Run {
                    computation: &computation,
                    formula: &formula,
                    predicate: &predicate,
                    text: &text,
                    modality,
                    records: &records,
                    declared: seed % 2 == 0,
                    settled: &settled,
                };
                run.check();
            }
        }
        answers.fetch_add(
            settled.answer.borrow().values().filter(|(yes, _)| *yes).count() as u64,
            Ordering::Relaxed,
        );
    });
    if std::env::var_os("MAZURKA_SEED").is_none() {
        let (answers, came_early) = (answers.into_inner(), came_early.into_inner());
        println!("{answers} answers are yes, {came_early} records came before one that they follow");
        let cases = mazurka_seeds::range(200).end;
        assert!(
            (cases / 8..cases * 15 / 8).contains(&answers),
            "{answers} of {} answers are yes",
            2 * cases
        );
        assert!(
            came_early > cases * 5 / 2,
            "{came_early} records came before one that they follow"
        );
    }
}

/// What a search for a history that avoids the predicate may put off depends on whether a literal of another process
/// stays false (formula (5) of the long version, section 6), whatever that process may still do.
#[test]
fn what_stays_false_so_far_may_still_become_true() {
    let yes = AtomicU64::new(0);
    seeds(500, |seed| {
        let mut rng = Rng::with_seed(seed);
        let shape = Shape {
            star: seed % 8 != 0,
            ..Shape::star()
        };
        let computation = computation(&mut rng, &shape);
        let formula = pair_and_locals(&mut rng, &computation);
        let text = formula.to_cel();
        let predicate = parse(&text);
        let settled = Settled::default();
        for _ in 0..4 {
            let records = tell(&mut rng, &computation, Order::PerProcess, words(seed));
            let run = Run {
                computation: &computation,
                formula: &formula,
                predicate: &predicate,
                text: &text,
                modality: Modality::Definitely,
                records: &records,
                declared: seed % 2 == 0,
                settled: &settled,
            };
            run.check();
        }
        let answers = settled.answer.borrow();
        yes.fetch_add(
            answers.values().filter(|(yes, _)| *yes).count() as u64,
            Ordering::Relaxed,
        );
    });
    if std::env::var_os("MAZURKA_SEED").is_none() {
        let (yes, cases) = (yes.into_inner(), mazurka_seeds::range(500).end);
        assert!(
            (cases / 20..cases / 2).contains(&yes),
            "{yes} of {cases} answers are yes"
        );
    }
}

#[test]
fn every_arrival_order_gives_the_same_answer() {
    seeds(20, |seed| {
        let mut rng = Rng::with_seed(seed);
        let shape = Shape::any(&mut rng);
        let computation = computation(&mut rng, &shape);
        let formula = formula(&mut rng, &computation, Preset::ALL[seed as usize % Preset::ALL.len()]);
        let text = formula.to_cel();
        let predicate = parse(&text);
        let settled = Settled::default();
        for _ in 0..12 {
            let records = tell(&mut rng, &computation, Order::PerProcess, words(seed));
            for modality in [Modality::Possibly, Modality::Definitely] {
                let run = Run {
                    computation: &computation,
                    formula: &formula,
                    predicate: &predicate,
                    text: &text,
                    modality,
                    records: &records,
                    declared: false,
                    settled: &settled,
                };
                run.check();
            }
        }
    });
}

/// Two or three processes with up to seven events, so that there are at most 4,200 orders.
fn tiny(rng: &mut Rng) -> Computation {
    let mut shape = Shape::any(rng);
    shape.processes = 2..=3;
    shape.events = 0..=4;
    shape.total = 7;
    computation(rng, &shape)
}

/// Calls `visit` with every order of the records that keeps those of each process in order.
fn every_order(records: &[Record], processes: usize, visit: &mut impl FnMut(&[Record])) {
    let mut lines = vec![Vec::new(); processes];
    for record in records {
        lines[record.process].push(record);
    }
    fn go_on(lines: &[Vec<&Record>], told: &mut [usize], order: &mut Vec<Record>, visit: &mut impl FnMut(&[Record])) {
        let mut complete = true;
        for p in 0..lines.len() {
            if let Some(record) = lines[p].get(told[p]) {
                complete = false;
                told[p] += 1;
                order.push((*record).clone());
                go_on(lines, told, order, visit);
                order.pop();
                told[p] -= 1;
            }
        }
        if complete {
            visit(order);
        }
    }
    go_on(&lines, &mut vec![0; processes], &mut Vec::new(), visit);
}

#[test]
fn all_arrival_orders_of_tiny_runs() {
    let orders = AtomicU64::new(0);
    seeds(20, |seed| {
        let mut rng = Rng::with_seed(seed);
        let computation = tiny(&mut rng);
        let preset = Preset::ALL[seed as usize / 2 % Preset::ALL.len()];
        let formula = formula(&mut rng, &computation, preset);
        let text = formula.to_cel();
        let predicate = parse(&text);
        let records = tell(&mut rng, &computation, Order::PerProcess, words(seed));
        let settled = Settled::default();
        every_order(&records, computation.processes(), &mut |records| {
            orders.fetch_add(1, Ordering::Relaxed);
            for modality in [Modality::Possibly, Modality::Definitely] {
                for declared in [false, true] {
                    let run = Run {
                        computation: &computation,
                        formula: &formula,
                        predicate: &predicate,
                        text: &text,
                        modality,
                        records,
                        declared,
                        settled: &settled,
                    };
                    run.check();
                }
            }
        });
    });
    println!("{} orders", orders.into_inner());
}

#[test]
fn every_order_is_tried_once() {
    let record = |process, states| Record {
        process,
        states,
        json: String::new(),
    };
    let records: Vec<Record> = [(0, 1), (0, 2), (1, 1), (1, 2), (2, 1)]
        .map(|(p, k)| record(p, k))
        .into();
    let mut seen = HashSet::new();
    every_order(&records, 3, &mut |order| {
        assert!((0..3).all(|p| order.iter().filter(|r| r.process == p).is_sorted_by_key(|r| r.states)));
        assert!(seen.insert(order.iter().map(|r| r.process).collect::<Vec<_>>()));
    });
    // 5! / (2! 2! 1!)
    assert_eq!(seen.len(), 30);
}

/// While a branch waits for two processes, what one of them knows of a third must not make
/// the monitor drop what the other does not know of yet.
#[test]
fn states_that_one_of_two_may_still_meet_are_kept() {
    let question = Question {
        modality: Modality::Possibly,
        predicate: parse("a.x + b.x == 2 && c.y == 1"),
    };
    let mut monitor = Monitor::new(&[question], &Watching::default()).unwrap();
    let records = [
        r#"{"process": "a", "init": true, "vars": {"x": 1}}"#,
        r#"{"process": "b", "init": true, "vars": {"x": 0}}"#,
        r#"{"process": "c", "init": true, "vars": {"y": 1}}"#,
        r#"{"process": "c", "vars": {"y": 0}, "send": ["m"]}"#,
        r#"{"process": "a", "recv": ["m"]}"#,
        r#"{"process": "c", "vars": {"y": 2}}"#,
    ];
    for record in records {
        native::record(record.as_bytes(), Place::NOWHERE, &mut monitor);
        assert!(monitor.advance().unwrap().is_empty(), "{record}");
    }
    native::record(br#"{"process": "b", "vars": {"x": 1}}"#, Place::NOWHERE, &mut monitor);
    let announced = monitor.advance().unwrap();
    let cut = &announced[0].witness.as_ref().unwrap().cut;
    assert_eq!(cut.values().copied().collect::<Vec<_>>(), [0, 1, 0]);
}
