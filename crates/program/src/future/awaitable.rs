//! Values that tasks await: the state of an asynchronous primitive, whose accesses are steps of the search.
//!
//! A [`Cell`] is accessed in one step each time, by a closure: [`Cell::look`] reads, [`Cell::change`] changes. Changes depend on each
//! other and on looks. A future of the primitive is a [`Leaf`]: its poll accesses the cell, and leaves a waker there if it must wait.
//!
//! Most leaves are awaited alone: `lock.lock().await`. Then nobody can tell whether the task was polled once, when the lock was
//! free, or several times. Such an await needs one step, as that of a thread that waits for a lock: it is possible when the
//! *gauge* of the cell has reached what the leaf needs. The gauge counts what can be waited for (free permits, messages, versions). To
//! know whether a leaf is awaited alone, the search assumes it (see [`super::alone`]); if it was wrong, it starts again, and then
//! polls all leaves of the cells made at that place.
//!
//! To find the races of such a step, the gauge is known after each change. Changes of one cell are ordered among
//! each other, so without one of them and all that follows, the state is the one just before it.

use super::alone::{self, Mode};
use super::task::Registration;
use crate::execution::Execution;
use crate::execution::thread::Thread;
use crate::handle::Handle;
use crate::ids::{EventId, ObjectId};
use crate::object_type::{ObjectType, Order, Step};
use crate::operation::Effect;
use crate::runtime::{self, ABANDONED, Runtime};
use crate::user::Operations;
use Op::{Change, Look, Poll as Polls, See, Take};
use std::fmt;
use std::panic::Location;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

/// How much of each of two things can be waited for.
pub type Gauge = [u32; 2];

/// The state of an asynchronous primitive.
pub struct Cell<S> {
    handle: Handle,
    what: &'static str,
    gauge: fn(&S) -> Gauge,
    /// Its leaves are always polled.
    polled: bool,
    state: Mutex<S>,
}

/// What a leaf waits for.
#[derive(Clone, Copy, Debug)]
pub struct Need {
    /// Which number of the gauge.
    pub index: u8,
    /// How much of it.
    pub least: u32,
    /// Whether the cell stays the same when the leaf gets it.
    pub reads: bool,
}

impl<S> Cell<S> {
    /// Makes a cell. `what` is its name for people.
    #[track_caller]
    pub const fn new(what: &'static str, state: S, gauge: fn(&S) -> Gauge) -> Cell<S> {
        Cell {
            handle: Handle::new(),
            what,
            gauge,
            polled: false,
            state: Mutex::new(state),
        }
    }

    /// Makes a cell where others see who waits. Its leaves are always polled.
    #[track_caller]
    pub const fn polled(what: &'static str, state: S) -> Cell<S> {
        Cell {
            handle: Handle::new(),
            what,
            gauge: |_| [0; 2],
            polled: true,
            state: Mutex::new(state),
        }
    }

    fn state(&self) -> MutexGuard<'_, S> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn object(&self, rt: &Runtime) -> ObjectId {
        let initial = (self.gauge)(&self.state());
        rt.object_of(
            self,
            || false,
            &self.handle,
            || State {
                what: self.what,
                initial,
                gauges: Vec::new(),
            },
        )
    }

    /// Reads the state, as one step.
    #[track_caller]
    pub fn look<R>(&self, f: impl FnOnce(&S) -> R) -> R {
        if let Some(rt) = runtime::current_for(&self.handle) {
            rt.visible(Look, self.object(&rt), 0);
        }
        f(&self.state())
    }

    /// Changes the state, as one step.
    #[track_caller]
    pub fn change<R>(&self, f: impl FnOnce(&mut S) -> R) -> R {
        self.access(Change, Location::caller(), f)
    }

    /// Changes what nobody can see, without a step.
    pub fn quietly<R>(&self, f: impl FnOnce(&mut S) -> R) -> R {
        f(&mut self.state())
    }

    fn access<R>(&self, operation: Op, at: &'static Location<'static>, f: impl FnOnce(&mut S) -> R) -> R {
        let Some(rt) = runtime::current_for(&self.handle) else {
            return f(&mut self.state());
        };
        let object = self.object(&rt);
        let outcome = rt.visible_at(operation, object, at);
        let mut state = self.state();
        let result = f(&mut state);
        if outcome != ABANDONED {
            self.settle(&rt, object, &state);
        }
        result
    }

    /// Records the gauge after a change.
    fn settle(&self, rt: &Runtime, object: ObjectId, state: &S) {
        let mut execution = rt.execution.borrow_mut();
        if let Some(last) = execution.events.len().checked_sub(1) {
            let entry = (EventId::new(last), (self.gauge)(state));
            execution.state::<State>(object).gauges.push(entry);
        }
    }

    /// Accesses the state outside all steps, by its only owner.
    pub fn own(&mut self) -> &mut S {
        self.state.get_mut().unwrap_or_else(PoisonError::into_inner)
    }

    /// The state of a cell that nobody shares any more.
    pub fn into_inner(self) -> S {
        self.state.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// Says that the leaves of this cell are polled, because others can see who waits.
    #[track_caller]
    pub fn must_be_polled(&self) {
        if let Some(rt) = runtime::current() {
            alone::needs_polls(&rt, alone::class(self.handle.made()));
        }
    }
}

impl<S> fmt::Debug for Cell<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct(self.what).finish_non_exhaustive()
    }
}

/// Where a future that accesses one cell is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stage {
    /// It was not polled.
    New,
    /// It is assumed to be awaited alone, and its task waits for it.
    Promised,
    /// It was polled, and may have left a waker.
    Polled,
    /// It is ready.
    Done,
}

/// A future that accesses one cell. It is the part that all of them have in common.
pub struct Leaf {
    what: &'static str,
    at: &'static Location<'static>,
    stage: Stage,
    /// Its task knows that it is awaited.
    registration: Registration,
}

impl Leaf {
    /// Makes a leaf. `what` says for people what it waits for.
    #[track_caller]
    pub fn new(what: &'static str) -> Leaf {
        Leaf::made_at(what, Location::caller())
    }

    /// A leaf with a place that is known already.
    pub(super) fn made_at(what: &'static str, at: &'static Location<'static>) -> Leaf {
        Leaf {
            what,
            at,
            stage: Stage::New,
            registration: Registration::default(),
        }
    }

    /// True if it may have left a waker in its cell, so that its end must take that back.
    pub fn is_polled(&self) -> bool {
        self.stage == Stage::Polled
    }

    /// Where it was made.
    pub fn at(&self) -> &'static Location<'static> {
        self.at
    }

    /// Polls it. `f` accesses the state, and leaves a waker there if it is not ready. It is ready whenever the gauge has what the leaf
    /// needs. Without a need, it is always polled.
    pub fn poll<S, R>(
        &mut self,
        cell: &Cell<S>,
        need: Option<Need>,
        context: &mut Context<'_>,
        f: impl FnOnce(&mut S, &mut Context<'_>) -> Poll<R>,
    ) -> Poll<R> {
        if let Some(rt) = runtime::current_for(&cell.handle).filter(|rt| !rt.abandoning()) {
            let class = alone::class(cell.handle.made());
            if self.stage == Stage::Promised {
                alone::arrives(&rt, class);
                let object = cell.object(&rt);
                let mut state = cell.state();
                let result = f(&mut state, context);
                assert!(result.is_ready(), "what was waited for is there");
                if need.is_some_and(|need| !need.reads) {
                    cell.settle(&rt, object, &state);
                }
                self.stage = Stage::Done;
                return result;
            }
            let mode = match need {
                Some(_) if !cell.polled => alone::mode(&rt, class, context, self.stage == Stage::New),
                _ => Mode::Polled,
            };
            alone::polls(&rt, class, mode);
            if let (Mode::Alone, Some(need)) = (mode, need) {
                let operation = if need.reads { See } else { Take };
                let (object, arg) = (cell.object(&rt), argument(need));
                let at = self.at;
                alone::promise(&rt, class, move |rt| {
                    crate::node::may_crash(rt);
                    crate::node::waits(rt);
                    rt.visible_with(operation, object, arg, at);
                });
                self.stage = Stage::Promised;
                return Poll::Pending;
            }
        }
        let result = cell.access(Polls, self.at, |state| f(state, context));
        let was = self.stage;
        self.stage = if result.is_ready() { Stage::Done } else { Stage::Polled };
        if result.is_ready() {
            self.registration = Registration::default();
        } else if was != Stage::Polled {
            self.registration = Registration::new((self.what, self.at));
        }
        result
    }
}

impl fmt::Debug for Leaf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Leaf")
            .field("stage", &self.stage)
            .finish_non_exhaustive()
    }
}

impl Drop for Leaf {
    fn drop(&mut self) {
        if self.stage == Stage::Promised {
            alone::dropped();
        }
    }
}

/// A need as an argument.
fn argument(need: Need) -> u32 {
    need.least.min(u32::MAX >> 1) << 1 | u32::from(need.index & 1)
}

/// Whether a gauge has what an argument asks for.
fn satisfies(gauge: Gauge, arg: u32) -> bool {
    gauge[(arg & 1) as usize].min(u32::MAX >> 1) >= arg >> 1
}

/// Operations on a cell.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Op {
    /// Reads it.
    Look,
    /// Changes it.
    Change,
    /// A leaf looks whether it is ready, and changes it: it takes something, or leaves a waker.
    Poll,
    /// Waits until its gauge has what the argument says, and reads it.
    See,
    /// The same, and changes it.
    Take,
}

/// What the engine knows of a cell.
#[derive(Clone, Debug)]
pub(crate) struct State {
    what: &'static str,
    initial: Gauge,
    /// The gauge after each event that has changed it.
    gauges: Vec<(EventId, Gauge)>,
}

impl ObjectType for State {
    type Operation = Op;
    const NAME: &'static str = "future";

    fn verb(operation: Op) -> &'static str {
        match operation {
            Look => "look at",
            Change => "change",
            Polls => "poll",
            See => "await and read",
            Take => "await",
        }
    }

    fn name(&self, ordinal: u32) -> String {
        format!("{} ({} {ordinal})", self.what, Self::NAME)
    }

    fn waits_for(execution: &Execution, thread: &Thread, _: Op) -> String {
        let (name, made) = execution.name_and_place(thread.pending.object);
        format!("for {name}{made}")
    }

    fn possible(execution: &Execution, thread: &Thread, operation: Op) -> bool {
        let state = execution.look::<State>(thread.pending.object);
        let gauge = state.gauges.last().map_or(state.initial, |(_, gauge)| *gauge);
        matches!(operation, Look | Change | Polls) || satisfies(gauge, thread.pending.arg)
    }

    fn perform(execution: &mut Execution, step: Step, operation: Op) -> u32 {
        execution.detectors.synchronised(step.thread, step.object);
        if Self::changes(operation) {
            execution.detectors.released(step.thread, step.object, false);
        }
        0
    }

    fn order(&self, first: Effect<Op>, second: Effect<Op>, users: &Operations) -> Order {
        Order::races_if(Self::dependent(first, second, users))
    }

    fn dependent(a: Effect<Op>, b: Effect<Op>, _: &Operations) -> bool {
        let reads = |operation| matches!(operation, Look | See);
        !(reads(a.kind) && reads(b.kind))
    }

    fn changes(operation: Op) -> bool {
        matches!(operation, Change | Polls | Take)
    }

    fn possible_without(
        execution: &Execution,
        object: ObjectId,
        effect: Effect<Op>,
        remain: impl Fn(EventId) -> bool,
    ) -> bool {
        if matches!(effect.kind, Look | Change | Polls) {
            return true;
        }
        let state = execution.look::<State>(object);
        // The effect's own event is not in the history yet.
        let history = execution.history::<State>(object);
        let last = history
            .filter(|(entry, operation)| Self::changes(*operation) && remain(entry.event))
            .last();
        let gauge = last.map_or(state.initial, |(entry, _)| {
            let there = state.gauges.partition_point(|(event, _)| *event <= entry.event);
            there.checked_sub(1).map_or(state.initial, |last| state.gauges[last].1)
        });
        satisfies(gauge, effect.arg)
    }
}
