//! On-line detection against the definition of what is certain, record by record.

use fastrand::Rng;
use mazurka_testkit::computations::{
    Arrived, Formula, HappenedBefore, Order, Preset, Record, Shape, Truth, Words, all_cuts, certain_after, computation,
    continuation, definitely, definitely_after, error, formula, possibly, tell,
};
use mazurka_testkit::seeds;
use mazurka_trace::{
    Announcement, Computation, Modality, Monitor, MonitorError, Place, Predicate, Question, Watching, native,
};

struct Run<'a> {
    computation: &'a Computation,
    formula: &'a Formula,
    text: String,
    modality: Modality,
    records: &'a [Record],
    declared: bool,
}

enum Outcome {
    /// After how many records, and what.
    Answer(usize, Announcement),
    Undefined,
}

impl Run<'_> {
    /// Tells the records to a monitor.
    fn watch(&self) -> Outcome {
        let predicate = Predicate::parse(&self.text).unwrap_or_else(|e| panic!("{}: {e}", self.text));
        let question = Question {
            modality: self.modality,
            predicate,
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

    /// When the answer "yes" is certain: after how many records.
    fn certain(&self) -> Option<usize> {
        let truth = |cut: &[u32]| self.formula.evaluate(self.computation, cut);
        let support = self.formula.support(self.computation);
        let mut arrived = Arrived::nothing(self.computation.processes());
        (0..self.records.len()).find_map(|k| {
            let record = &self.records[k];
            arrived.states[record.process] = record.states;
            let arrived = self.explained(&arrived);
            let yes = match self.modality {
                Modality::Possibly => certain_after(self.computation, &arrived, &truth).possibly.is_some(),
                _ => definitely_after(self.computation, &arrived, &support, &truth),
            };
            yes.then_some(k + 1)
        })
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
        let (yes, undefined) = match self.modality {
            Modality::Possibly => (
                possibly(self.computation, &truth).is_some(),
                error(self.computation, &truth).is_some(),
            ),
            _ => (
                definitely(self.computation, &truth),
                definitely(self.computation, &not_false),
            ),
        };
        let (after, announcement) = match self.watch() {
            Outcome::Undefined => {
                assert!(!yes && undefined, "{}", context());
                return;
            }
            Outcome::Answer(after, announcement) => (after, announcement),
        };
        assert_eq!(announcement.answer, yes, "{}", context());
        assert!(yes || !undefined, "{}", context());
        if let Some(sighting) = &announcement.witness {
            // What has not been heard of has done nothing.
            let events = |name| sighting.cut.get(name).copied().unwrap_or(0);
            let cut: Vec<u32> = self.computation.names().iter().map(events).collect();
            assert!(all_cuts(self.computation).contains(&cut), "{cut:?} {}", context());
            assert_eq!(truth(&cut), Truth::True, "{cut:?} {}", context());
        } else {
            assert!(!yes || self.modality != Modality::Possibly, "{}", context());
        }
        let last = self.records.len() + 1;
        let certain = self.certain().unwrap_or(last);
        // Of processes that are not known, more may come; then it may take longer.
        assert!(!self.declared || after <= certain, "{after} > {certain}: {}", context());
        if after < certain {
            self.check_early(after);
        }
    }

    /// What is announced earlier than the definition asks for, because the states that
    /// have not arrived do not matter, must hold in whatever the run may become.
    fn check_early(&self, after: usize) {
        let mut arrived = Arrived::nothing(self.computation.processes());
        for record in &self.records[..after] {
            arrived.states[record.process] = record.states;
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

fn words(seed: u64) -> Words {
    match seed % 2 {
        0 => Words::Messages,
        _ => Words::Clocks,
    }
}

#[test]
fn answers_are_announced_as_soon_as_they_are_certain() {
    seeds(2000, |seed| {
        let mut rng = Rng::with_seed(seed);
        let shape = Shape::any(&mut rng);
        let computation = computation(&mut rng, &shape);
        let preset = Preset::ALL[seed as usize / 2 % Preset::ALL.len()];
        let formula = formula(&mut rng, &computation, preset);
        let order = match seed % 3 {
            0 => Order::Causal,
            _ => Order::InitialFirst,
        };
        let records = tell(&mut rng, &computation, order, words(seed));
        for modality in [Modality::Possibly, Modality::Definitely] {
            let mut run = Run {
                computation: &computation,
                formula: &formula,
                text: formula.to_cel(),
                modality,
                records: &records,
                declared: order == Order::InitialFirst,
            };
            run.check();
            run.declared = false;
            run.check();
        }
    });
}

#[test]
fn every_arrival_order_gives_the_same_answer() {
    seeds(150, |seed| {
        let mut rng = Rng::with_seed(seed);
        let shape = Shape::any(&mut rng);
        let computation = computation(&mut rng, &shape);
        let formula = formula(&mut rng, &computation, Preset::ALL[seed as usize % Preset::ALL.len()]);
        for _ in 0..12 {
            let records = tell(&mut rng, &computation, Order::PerProcess, words(seed));
            for modality in [Modality::Possibly, Modality::Definitely] {
                let run = Run {
                    computation: &computation,
                    formula: &formula,
                    text: formula.to_cel(),
                    modality,
                    records: &records,
                    declared: false,
                };
                run.check();
            }
        }
    });
}
