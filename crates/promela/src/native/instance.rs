//! One process, translated: what it can do at each of its locations.
//!
//! A process is an instance as long as its proctype, its number, its place in the state and the locals that nothing assigns are
//! what they were when it was translated. [`Instance::fits`] compares all of them, so a translation is never used for another
//! process.

use super::effect::Effect;
use super::fixed::Fixed;
use super::guard::Guard;
use super::translate::Translator;
use crate::ir::{Action, Edge, Program};
use crate::narrow::index;
use crate::run::{ProcessRef, Step};
use std::cell::Cell;

/// The greatest number of bytes of locals that are taken for constants.
const KNOWN: usize = 16;

/// The greatest number of parts of `d_step`s that are made by unrolling.
const UNROLLED: usize = 4_096;

/// A process, translated.
#[derive(Debug)]
pub(super) struct Instance<'p> {
    proctype: u8,
    pid: u8,
    /// Its first byte.
    at: usize,
    /// The number of its bytes.
    pub(super) size: usize,
    /// The locals that nothing assigns, with their values.
    known: Box<[(u32, u8)]>,
    /// For each location, its edges: the first and the one after the last.
    places: Box<[(u32, u32)]>,
    /// When each edge is executable.
    pub(super) gates: Box<[Gate]>,
    /// What each edge does.
    pub(super) moves: Box<[Move<'p>]>,
    /// How large it is, in edges.
    pub(super) weight: usize,
}

/// When an edge is executable.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Gate {
    /// If this holds.
    If(Guard),
    /// If nothing before it is.
    Else,
    /// The interpreter knows.
    Ask,
}

/// What an edge does.
#[derive(Debug)]
pub(super) struct Move<'p> {
    pub(super) effect: Effect,
    /// Whether the state is as it was if the effect is undecided.
    pub(super) is_sudden: bool,
    /// Whether the process keeps exclusive control.
    pub(super) keeps: bool,
    /// The bytes of the location that it leads to.
    to: [u8; 2],
    /// The ranges of bytes to reset.
    resets: Box<[(u32, u32)]>,
    pub(super) edge: &'p Edge,
}

impl<'p> Instance<'p> {
    /// Translates a process. If it is general, no locals are taken for constants.
    pub(super) fn new(
        program: &'p Program,
        fixed: &Fixed,
        is_general: bool,
        state: &[u8],
        process: ProcessRef<'p>,
    ) -> Self {
        let automaton = process.automaton;
        let frame = process.frame();
        let mut known: Vec<u32> = Vec::new();
        for local in automaton.locals.iter().filter(|local| local.stable) {
            if !is_general && known.len() + local.size <= KNOWN {
                known.extend(local.bytes().map(|at| index(frame + at)));
            }
        }
        let unrolled = Cell::new(UNROLLED);
        let translator = Translator {
            program,
            fixed,
            state,
            pid: process.pid,
            frame,
            known: &known,
            unrolled: &unrolled,
        };
        let graph = &automaton.graph;
        let gate = |(k, edge): (usize, &Edge)| {
            let comes_first = |i: &u32| (*i as usize) < k;
            match edge.action {
                Action::Else if edge.inhibitors.iter().all(comes_first) && edge.run.is_none() => Gate::Else,
                _ if !edge.inhibitors.is_empty() => Gate::Ask,
                _ => translator.guard_of(edge).map_or(Gate::Ask, Gate::If),
            }
        };
        let movement = |edge: &'p Edge| {
            let effect = translator.effect_of(edge);
            let absolute = |at: &u32| index(frame + *at as usize);
            Move {
                is_sudden: effect.is_sudden(),
                effect,
                keeps: edge.keeps,
                to: edge.to.0.to_le_bytes(),
                resets: edge
                    .resets
                    .iter()
                    .map(|(from, to)| (absolute(from), absolute(to)))
                    .collect(),
                edge,
            }
        };
        let (gates, moves) = (
            graph.edges.iter().enumerate().map(gate).collect(),
            graph.edges.iter().map(movement).collect(),
        );
        Self {
            proctype: state[process.at],
            pid: process.pid,
            at: process.at,
            size: automaton.size,
            places: graph.locations.iter().map(|l| (l.first, l.end)).collect(),
            gates,
            moves,
            // A part may be several statements.
            weight: graph.edges.len() + 8 * (UNROLLED - unrolled.get()),
            known: known.iter().map(|at| (*at, state[*at as usize])).collect(),
        }
    }

    /// An instance that no process is.
    pub(super) fn of_nothing() -> Self {
        Self {
            proctype: 0,
            pid: 0,
            at: usize::MAX,
            size: 0,
            known: Box::new([]),
            places: Box::new([]),
            gates: Box::new([]),
            moves: Box::new([]),
            weight: 0,
        }
    }

    /// Whether the process whose first byte is at `at` is this one.
    #[inline]
    pub(super) fn fits(&self, state: &[u8], at: usize) -> bool {
        self.at == at
            && state[at] == self.proctype
            && self.known.iter().all(|(at, value)| state[*at as usize] == *value)
    }

    /// Appends its executable steps in a state without `timeout`.
    #[inline]
    pub(super) fn steps(&self, program: &'p Program, state: &[u8], out: &mut Vec<Step>) {
        let location = u16::from_le_bytes([state[self.at + 1], state[self.at + 2]]);
        let (first, end) = self.places[usize::from(location)];
        let before = out.len();
        for k in first as usize..end as usize {
            let is_executable = match &self.gates[k] {
                Gate::If(guard) => guard.holds(state),
                Gate::Else => Ok(out.len() == before),
                Gate::Ask => Err(super::value::Undecided),
            };
            match is_executable {
                Ok(true) => out.push(Step::alone(self.pid, k)),
                Ok(false) => {}
                Err(_) => self.ask(program, state, k, before, out),
            }
        }
    }

    /// Has the interpreter append the steps of an edge. Those of the edges before it begin at `before`.
    #[inline(never)]
    fn ask(&self, program: &'p Program, state: &[u8], edge: usize, before: usize, out: &mut Vec<Step>) {
        let process = program.process_at(state, self.pid, self.at);
        let view = program.view(state, process, false);
        program.steps_of_edge(&view, process, edge, before, out);
    }

    /// Moves the process to where an edge leads.
    #[inline]
    pub(super) fn arrive(&self, state: &mut [u8], movement: &Move<'p>) {
        state[self.at + 1..self.at + 3].copy_from_slice(&movement.to);
        for (from, to) in &movement.resets {
            state[*from as usize..*to as usize].fill(0);
        }
    }
}
