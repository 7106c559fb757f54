//! The end of a record: broken rules are reported, and its event arrives.
//!
//! These are the rules that need no later record: a process that was not declared, an initial state
//! that comes late, a clock that contradicts the process's own events or goes back, a
//! message that is sent twice. What only the end of the run can show is in `stuck.rs`.

use super::{Current, Monitor};
use crate::problem::{Part, Problem, Rule};
use foldhash::HashSet;

impl Monitor {
    /// Ends the record that is being told.
    pub(super) fn end_record(&mut self) {
        let Some(mut current) = self.current.take() else { return };
        let p = current.process;
        self.records += 1;
        if self.declared.is_some_and(|declared| p >= declared) {
            let message = format!(
                "process `{}` is not among those that were declared",
                self.stream.lanes[p].name
            );
            let problem = Problem::new(Rule::Field, current.event.place, message);
            self.problems
                .push(problem.expected("a process that `--processes` names; without it all are accepted"));
        }
        if current.init {
            if self.stream.lanes[p].heard {
                let name = &self.stream.lanes[p].name;
                let message = format!("the initial state of `{name}` comes after another record of it");
                let problem = Problem::new(Rule::InitFirst, current.event.place, message)
                    .expected("an `init` record before all events of its process, and only one");
                self.problems.push(problem);
            } else {
                self.stream.hear(p, &current.event.sets);
                self.changed.push(p);
            }
            return;
        }
        if !self.stream.lanes[p].heard {
            self.stream.hear(p, &[]);
            self.changed.push(p);
        }
        self.check_clock(p, &mut current);
        self.check_sends(&current);
        if self.problems.is_empty() {
            self.stream.arrive(p, current.event, &mut self.changed);
        }
    }

    fn check_clock(&mut self, p: usize, current: &mut Current) {
        let Some(clock) = &current.event.clock else { return };
        let number = self.stream.arrived(p) + 1;
        let own = clock.iter().find(|(q, _)| *q == p).map_or(0, |(_, k)| *k);
        let name = self.stream.lanes[p].name.clone();
        if own != number {
            let message = format!("this is event {number} of `{name}`, but its clock says `{name}: {own}`");
            self.problems.push(
                Problem::new(Rule::OwnEntry, current.event.place, message)
                    .part(Part::Clock(name.clone()))
                    .expected(format!("`{name}: {number}`")),
            );
        }
        let mut now = vec![0; self.stream.lanes.len()];
        for (q, events) in clock {
            now[*q] = *events;
        }
        let told = self.stream.told(p);
        let back = told.iter().zip(&now).position(|(before, now)| now < before);
        let before = back.map(|q| told[q]);
        *told = now.clone();
        if let (Some(q), Some(before)) = (back, before) {
            let other = &self.stream.lanes[q].name;
            let message = format!(
                "the clock of `{name}` goes back: it knew {before} events of `{other}`, now {}",
                now[q]
            );
            self.problems.push(
                Problem::new(Rule::Monotone, current.event.place, message)
                    .part(Part::Clock(other.clone()))
                    .expected(format!("`{other}: {before}` or more")),
            );
        }
    }

    fn check_sends(&mut self, current: &Current) {
        let mut names = HashSet::default();
        for message in &current.event.sends {
            if !names.insert(message.as_str()) || self.stream.is_told(message) {
                let problem = Problem::new(
                    Rule::SentOnce,
                    current.event.place,
                    format!("message `{message}` is sent a second time"),
                );
                self.problems.push(
                    problem
                        .part(Part::Send(message.clone()))
                        .expected("a name of its own for every message"),
                );
            }
        }
    }
}
