//! The executable steps of a state, and their effects.
//!
//! One statement is one step. A rendezvous is one step of two processes. A process inside
//! `atomic` excludes the others while it can go on, and so does the receiver of a
//! rendezvous if its statement is inside `atomic`. Otherwise a process may move if its
//! `provided` clause holds and, if priorities are used, no executable process has a
//! higher priority. `timeout` is true if nothing is executable while it is false.

use super::assigned::Assigned;
use super::error::Failure;
use super::machine::Machine;
use super::monitor::Watch;
use super::position::{Control, Offer, Position, controls};
use super::state::{Pid, State, Unseen};
use super::uses::Uses;
use super::value::zero;
use crate::RuntimeError;
use crate::model::{Expr, LabelId, Model, ProctypeId, StatementKind};
use crate::narrow;
use crate::runtime_error::LONGEST_D_STEP;
use crate::source::Span;
use std::collections::HashSet;

/// Executes a model, statement by statement, directly from its tree.
///
/// ```
/// use mazurka_promela::load;
/// use mazurka_promela::plain::Interpreter;
///
/// let model = load("m.pml", "byte x; active proctype P() { x = 3 }", &Default::default())?.model;
/// let interpreter = Interpreter::new(&model);
/// let initial = interpreter.initial()?;
/// let steps = interpreter.steps(&initial);
/// let next = interpreter.execute(&initial, &steps[0])?;
/// let changes = interpreter.changes(&initial, &next);
/// assert_eq!((changes[0].name.as_str(), changes[0].after.as_deref()), ("x", Some("3")));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Interpreter<'m> {
    pub(super) model: &'m Model,
    controls: Vec<Control<'m>>,
    uses: Uses,
    pub(super) assigned: Assigned,
    /// The control flow of the trace assertion.
    pub(super) trace: Option<Control<'m>>,
    /// Whether a process continues after an assertion that does not hold.
    pub(super) ignores_assertions: bool,
    /// A `d_step` that executes this many statements counts as endless.
    pub(super) longest_d_step: u32,
}

/// A step: a statement of a process, and the receiver's if it is a rendezvous.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Step {
    /// The process that takes it, which is the sender in a rendezvous.
    pub process: Pid,
    /// The position of the statement in the body of that process.
    pub position: Position,
    /// The place of the statement in the text. For the end of a process, the place of its name.
    pub span: Span,
    /// The receiver of a rendezvous.
    pub partner: Option<Partner>,
    /// Whether it needs `timeout` to be true.
    pub timeout: bool,
}

/// The receiver in a rendezvous.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Partner {
    /// The process that receives.
    pub process: Pid,
    /// The position of the statement in its body.
    pub position: Position,
    /// The place of the statement in the text.
    pub span: Span,
}

impl<'m> Interpreter<'m> {
    /// An interpreter of a model.
    pub fn new(model: &'m Model) -> Self {
        let uses = Uses::of(model);
        let controls = controls(model, &uses.labels);
        Interpreter {
            model,
            controls,
            uses,
            assigned: Assigned::of(model),
            trace: model.trace.as_ref().map(|t| Control::new(&t.body, &HashSet::new())),
            ignores_assertions: false,
            longest_d_step: LONGEST_D_STEP,
        }
    }

    /// Gives up a `d_step` after this many statements, where it is known that it does not end.
    pub(crate) fn giving_up_after(self, statements: u32) -> Self {
        Self {
            longest_d_step: statements,
            ..self
        }
    }

    /// Lets processes continue after assertions that do not hold. Formulas are about all
    /// executions, whether assertions hold or not.
    pub fn ignoring_assertions(self) -> Self {
        Self {
            ignores_assertions: true,
            ..self
        }
    }

    /// Announces that an expression from outside the model, such as an atom of a formula, will be evaluated in its
    /// states. `_last` and labels that the expression refers to then become part of
    /// the states.
    pub fn observe(&mut self, expr: &Expr) {
        self.uses.expr(expr);
        for (proctype, label) in &self.uses.labels {
            if let Some(control) = self.controls.get_mut(*proctype as usize) {
                control.show(*label);
            }
        }
    }

    /// The model.
    pub fn model(&self) -> &'m Model {
        self.model
    }

    pub(super) fn control(&self, proctype: ProctypeId) -> &Control<'m> {
        &self.controls[proctype.0 as usize]
    }

    /// The first state. Global variables are initialised in the order of their
    /// declarations, then the active processes are started in the order of theirs.
    pub fn initial(&self) -> Result<State, Failure> {
        let zeros: Vec<_> = self.model.globals.iter().map(|v| zero(self.model, v)).collect();
        let nothing = State {
            globals: zeros.clone(),
            channels: Vec::new(),
            processes: Vec::new(),
            exclusive: None,
            last: Pid(0),
            watch: self.trace.as_ref().map_or(Watch::Nothing, |c| Watch::At(c.start())),
            hidden: Unseen(zeros),
        };
        let mut machine = Machine::new(self, nothing, false);
        for (index, variable) in self.model.globals.iter().enumerate() {
            let value = machine.initial_value(None, variable, &variable.name)?;
            let state = &mut machine.state;
            let place = if variable.hidden {
                &mut state.hidden.0
            } else {
                &mut state.globals
            };
            place[index] = value;
        }
        for (index, proctype) in self.model.proctypes.iter().enumerate() {
            let count = if proctype.is_init { 1 } else { proctype.active };
            for _ in 0..count {
                // Parameters of an active process are 0.
                let arguments = vec![0; proctype.parameters as usize];
                let id = ProctypeId(narrow::index(index));
                machine.start(id, &arguments, proctype.priority.unwrap_or(1), proctype.span)?;
            }
        }
        Ok(machine.state)
    }

    /// All executable steps. A statement counts as executable if executing it, or evaluating its condition, ends
    /// in an error; [`Interpreter::execute`] then returns the error.
    pub fn steps(&self, state: &State) -> Vec<Step> {
        let steps = self.steps_given(state, false);
        if steps.is_empty() {
            self.steps_given(state, true)
        } else {
            steps
        }
    }

    /// The executable steps that one process takes. A rendezvous belongs to its sender.
    pub fn steps_by(&self, state: &State, pid: Pid) -> Vec<Step> {
        // Without `timeout`, the steps of a process do not depend on what others can do,
        // unless one of them has exclusive control.
        if state.exclusive.is_none_or(|exclusive| exclusive == pid) {
            let own = self.steps_of(state, pid, false);
            if !own.is_empty() {
                return own;
            }
        }
        let mut steps = self.steps(state);
        steps.retain(|step| step.process == pid);
        steps
    }

    fn steps_given(&self, state: &State, timeout: bool) -> Vec<Step> {
        if let Some(pid) = state.exclusive {
            let steps = self.steps_of(state, pid, timeout);
            if !steps.is_empty() {
                return steps;
            }
        }
        state
            .pids()
            .flat_map(|pid| self.steps_of(state, pid, timeout))
            .collect()
    }

    /// The steps of one process.
    fn steps_of(&self, state: &State, pid: Pid, timeout: bool) -> Vec<Step> {
        let Some(process) = state.process(pid) else {
            return Vec::new();
        };
        let offers = self.control(process.proctype).offers(&process.position);
        match self.may_move(state, pid, timeout) {
            Ok(true) => {}
            Ok(false) => return Vec::new(),
            // The step counts as executable, and its execution reports the failure.
            Err(_) => {
                let step = |offer: &Offer| self.step(state, pid, &offer.position, timeout);
                return offers.iter().map(step).collect();
            }
        }
        let mut steps = Vec::new();
        let mut escape = None;
        for offer in offers {
            // If an escape can be taken, nothing else is.
            if escape.is_some() && escape != offer.escape {
                break;
            }
            let found = self.executions(state, pid, &offer.position, !steps.is_empty(), timeout);
            if !found.is_empty() {
                escape = offer.escape;
                steps.extend(found);
            }
        }
        steps
    }

    fn step(&self, state: &State, pid: Pid, position: &Position, timeout: bool) -> Step {
        Step {
            process: pid,
            position: position.clone(),
            span: self.span(state, pid, position),
            partner: None,
            timeout,
        }
    }

    fn span(&self, state: &State, pid: Pid, position: &Position) -> Span {
        let proctype = state.processes[usize::from(pid.0)].proctype;
        let statement = self.control(proctype).statement(position);
        statement.map_or(self.model.proctypes[proctype.0 as usize].span, |s| s.span)
    }

    /// The ways to execute one statement: none, one, or one for each receiver.
    /// `others` says whether a statement before it in the same selection is executable.
    fn executions(&self, state: &State, pid: Pid, position: &Position, others: bool, timeout: bool) -> Vec<Step> {
        let control = self.control(state.processes[usize::from(pid.0)].proctype);
        let step = self.step(state, pid, position, timeout);
        let mut machine = Machine::new(self, state.clone(), timeout);
        if let Some(statement) = control.statement(position) {
            match &statement.kind {
                StatementKind::Else if others => return Vec::new(),
                StatementKind::Send { channel, message, .. } => {
                    match machine.offered(pid, channel, message, statement.span) {
                        Ok(Some((number, message))) => return self.receivers(state, &step, number, &message),
                        Ok(None) => {}
                        Err(_) => return vec![step],
                    }
                }
                _ => {}
            }
        }
        match machine.execute(pid, position) {
            Ok(true) | Err(_) => vec![step],
            Ok(false) => Vec::new(),
        }
    }

    /// The sender's step with each receiver that takes the message.
    fn receivers(&self, state: &State, step: &Step, number: i32, message: &[i32]) -> Vec<Step> {
        let mut steps = Vec::new();
        for pid in state.pids().filter(|pid| *pid != step.process) {
            if !matches!(self.may_move(state, pid, step.timeout), Ok(true)) {
                continue;
            }
            let process = &state.processes[usize::from(pid.0)];
            let control = self.control(process.proctype);
            let mut escape = None;
            for offer in control.offers(&process.position) {
                if escape.is_some() && escape != offer.escape {
                    break;
                }
                let mut machine = Machine::new(self, state.clone(), step.timeout);
                // What fails is executable: its execution reports the failure.
                if !matches!(machine.accepts(pid, &offer.position, number, message), Ok(None)) {
                    escape = offer.escape;
                    let partner = Partner {
                        process: pid,
                        span: self.span(state, pid, &offer.position),
                        position: offer.position,
                    };
                    steps.push(Step {
                        partner: Some(partner),
                        ..step.clone()
                    });
                }
            }
        }
        steps
    }

    /// Whether the `provided` clause and the priorities let a process move.
    fn may_move(&self, state: &State, pid: Pid, timeout: bool) -> Result<bool, Failure> {
        if !self.is_provided(state, pid, timeout)? {
            return Ok(false);
        }
        if !self.uses.priorities {
            return Ok(true);
        }
        let priority = |pid: Pid| state.processes[usize::from(pid.0)].priority;
        let outranks = |other: &Pid| {
            priority(*other) > priority(pid)
                && matches!(self.is_provided(state, *other, timeout), Ok(true))
                && self.is_enabled(state, *other, timeout).unwrap_or(true)
        };
        Ok(!state.pids().any(|other| outranks(&other)))
    }

    fn is_provided(&self, state: &State, pid: Pid, timeout: bool) -> Result<bool, Failure> {
        let proctype = state.processes[usize::from(pid.0)].proctype;
        match &self.model.proctypes[proctype.0 as usize].provided {
            None => Ok(true),
            Some(provided) => {
                let mut machine = Machine::new(self, state.clone(), timeout);
                Ok(machine.value(Some(pid), provided)? != 0)
            }
        }
    }

    /// The value of `enabled(p)`: whether some statement of the process is executable. As in
    /// SPIN, a rendezvous send counts even without a receiver, and a rendezvous receive never counts.
    /// It is an error if the process evaluates `enabled` itself.
    pub(super) fn is_enabled(&self, state: &State, pid: Pid, timeout: bool) -> Result<bool, RuntimeError> {
        let process = &state.processes[usize::from(pid.0)];
        let control = self.control(process.proctype);
        let asks = |position: &Position| {
            let mut uses = Uses::default();
            let statement = control.statement(position);
            uses.sequence(statement.map_or(&[], std::slice::from_ref));
            uses.enabled
        };
        let offers = control.offers(&process.position);
        if self.uses.enabled && offers.iter().any(|offer| asks(&offer.position)) {
            return Err(RuntimeError::EnabledAsks(pid.0));
        }
        let executable = |position: &Position| {
            let mut machine = Machine::new(self, state.clone(), timeout);
            let kind = control.statement(position).map(|s| (&s.kind, s.span));
            if let Some((StatementKind::Send { channel, message, .. }, span)) = kind
                && matches!(machine.offered(pid, channel, message, span), Ok(Some(_)))
            {
                return true;
            }
            !matches!(machine.execute(pid, position), Ok(false))
        };
        Ok(offers.iter().any(|offer| executable(&offer.position)))
    }

    /// The state that a step leads to.
    pub fn execute(&self, state: &State, step: &Step) -> Result<State, Failure> {
        self.execute_and_print(state, step).map(|(next, _)| next)
    }

    /// The state that a step leads to, and what it prints.
    pub fn execute_and_print(&self, state: &State, step: &Step) -> Result<(State, String), Failure> {
        let not_executable = || RuntimeError::NotExecutable.at(step.span);
        let exists = |pid: Pid| state.process(pid).is_some();
        if !exists(step.process) || step.partner.as_ref().is_some_and(|p| !exists(p.process)) {
            return Err(not_executable());
        }
        if !self.may_move(state, step.process, step.timeout)? {
            return Err(not_executable());
        }
        let mut machine = Machine::new(self, state.clone(), step.timeout);
        let executed = match &step.partner {
            None => {
                // A rendezvous without a receiver is executable only because its offer fails.
                let control = self.control(state.processes[usize::from(step.process.0)].proctype);
                let statement = control.statement(&step.position);
                if let Some(StatementKind::Send { channel, message, .. }) = statement.map(|s| &s.kind) {
                    machine.offered(step.process, channel, message, step.span)?;
                }
                machine.execute(step.process, &step.position)?
            }
            Some(partner) => {
                machine.rendezvous((step.process, &step.position), (partner.process, &partner.position))?
            }
        };
        if !executed {
            return Err(not_executable());
        }
        let Machine {
            state: mut next,
            printed,
            ..
        } = machine;
        // After a rendezvous, the receiver may have exclusive control.
        let (mover, position) = match &step.partner {
            None => (step.process, &step.position),
            Some(partner) => (partner.process, &partner.position),
        };
        next.exclusive = self.stays_exclusive(state, &next, mover, position).then_some(mover);
        if self.uses.last {
            next.last = mover;
        }
        Ok((next, printed))
    }

    /// Whether a process that executed the statement at `position` is still inside
    /// `atomic` and can go on.
    fn stays_exclusive(&self, before: &State, after: &State, pid: Pid, position: &Position) -> bool {
        let control = self.control(before.processes[usize::from(pid.0)].proctype);
        let inside = |process: &super::state::Process| control.in_atomic(&process.position);
        control.in_atomic(position)
            && after.process(pid).is_some_and(inside)
            && !self.steps_of(after, pid, false).is_empty()
    }

    /// Whether a state without steps is a valid end: every process is at its end or at an
    /// `end` label, and so is a `trace` assertion. Messages left in channels do not matter.
    pub fn is_valid_end(&self, state: &State) -> bool {
        self.is_traced_to_an_end(state) && self.are_at_ends(state)
    }

    /// Whether a `trace` assertion may stop where it is.
    fn is_traced_to_an_end(&self, state: &State) -> bool {
        let (Some(control), Some(trace), Watch::At(position)) = (&self.trace, &self.model.trace, &state.watch) else {
            return true;
        };
        let ends = |label: LabelId| {
            trace
                .body
                .labels
                .get(label.0 as usize)
                .is_some_and(|label| label.is_end())
        };
        !trace.must_match || self.ignores_assertions || control.is_end(position) || control.marks_at(position).any(ends)
    }

    fn are_at_ends(&self, state: &State) -> bool {
        state.processes.iter().all(|process| {
            let control = self.control(process.proctype);
            let labels = &self.model.proctypes[process.proctype.0 as usize].labels;
            let ends = |label: LabelId| labels.get(label.0 as usize).is_some_and(|label| label.is_end());
            control.is_end(&process.position) || control.marks_at(&process.position).any(ends)
        })
    }

    /// The value of an expression that no process evaluates, such as an atom of a
    /// formula.
    pub fn evaluate(&self, state: &State, expr: &Expr) -> Result<i32, Failure> {
        let timeout = self.steps_given(state, false).is_empty();
        Machine::new(self, state.clone(), timeout).value(None, expr)
    }

    /// The text of the statement of a step.
    pub fn text(&self, state: &State, step: &Step) -> &'m str {
        let at_end = state.process(step.process).is_some_and(|process| {
            let control = self.control(process.proctype);
            control.statement(&step.position).is_none()
        });
        if at_end {
            "-end-"
        } else {
            self.model.sources.slice(step.span)
        }
    }
}
