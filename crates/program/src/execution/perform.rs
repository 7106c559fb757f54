//! Letting an announced operation happen: the meaning of each kind of operation.

use super::object::{Held, State};
use super::{Event, Execution};
use crate::ids::{EventId, ObjectId, ThreadId};
use crate::narrow::short;
use crate::operation::{Effect, Kind};

impl Execution {
    /// Performs the announced operation of a thread, which is possible, in the given way.
    /// The thread may run until its next one; [`Execution::finish_event`] comes then.
    pub(crate) fn perform(&mut self, id: ThreadId, choice: u32) {
        let choices = self.choices(id);
        let op = self.threads[id.index()].pending;
        self.current = id;
        let event = EventId::new(self.events.len());
        let thread = &mut self.threads[id.index()];
        thread.status = super::thread::Status::Running;
        self.events.push(Event {
            thread: id,
            index: short(thread.events.len()),
            asked: op,
            footprint: op.footprint(),
            choice,
            choices,
            objects: self.live,
            clock: (0, 0),
            before: (0, 0),
        });
        thread.events.push(event);
        self.in_event = true;
        let outcome = self.apply(id, choice);
        self.threads[id.index()].outcome = outcome;
    }

    /// Performs the announced operation of a thread as part of the running transition.
    pub(crate) fn apply_at_once(&mut self, id: ThreadId) -> u32 {
        let footprint = self.events.last().map(|e| e.footprint);
        let outcome = self.apply(id, 0);
        if let (Some(event), Some(footprint)) = (self.events.last_mut(), footprint) {
            event.footprint = footprint;
        }
        if let Some(held) = self.threads[id.index()].held.last_mut() {
            held.wrote = true;
        }
        outcome
    }

    /// The event whose transition is running; none in the first moments of the first thread.
    fn running(&self) -> EventId {
        match self.events.len() {
            0 => EventId::NONE,
            n => EventId::new(n - 1),
        }
    }

    /// Says what the operation of the running transition turned out to be.
    pub(crate) fn refine(&mut self, kind: Kind, arg: u32) {
        if let Some(event) = self.events.last_mut() {
            event.footprint.effect = Effect { kind, arg };
        }
    }

    fn apply(&mut self, id: ThreadId, choice: u32) -> u32 {
        let op = self.threads[id.index()].pending;
        match op.kind {
            Kind::Lock => {
                self.threads[id.index()].timeout = false;
                self.acquire(id, op.object, false, op.arg == 0);
                1
            }
            Kind::TryLock => {
                self.notices_releases = true;
                let free = matches!(self.objects[op.object.index()].state, State::Mutex { owner: None });
                self.refine(if free { Kind::TryLockOk } else { Kind::TryLockFail }, 0);
                if free {
                    self.acquire(id, op.object, false, true);
                }
                u32::from(free)
            }
            Kind::Read | Kind::Write => {
                let held = &self.threads[id.index()].held;
                if op.kind == Kind::Read && held.iter().any(|h| h.object == op.object) {
                    self.read_again();
                }
                self.acquire(id, op.object, op.kind == Kind::Read, true);
                1
            }
            Kind::TryRead | Kind::TryWrite => {
                self.notices_releases = true;
                let reads = op.kind == Kind::TryRead;
                let free = match self.objects[op.object.index()].state {
                    State::RwLock { writer, readers } => writer.is_none() && (reads || readers == 0),
                    _ => false,
                };
                self.refine(
                    match (reads, free) {
                        (true, true) => Kind::TryReadOk,
                        (true, false) => Kind::TryReadFail,
                        (false, true) => Kind::TryWriteOk,
                        (false, false) => Kind::TryWriteFail,
                    },
                    0,
                );
                if free {
                    self.acquire(id, op.object, reads, true);
                }
                u32::from(free)
            }
            Kind::Unlock | Kind::UnlockRead | Kind::UnlockWrite => {
                self.release(op.object);
                0
            }
            Kind::Wait => self.wait(id, choice),
            Kind::NotifyOne | Kind::NotifyAll => self.notify(op.object, op.kind == Kind::NotifyAll, choice),
            Kind::Send | Kind::TrySend | Kind::Recv | Kind::TryRecv | Kind::Taken => self.queue(id),
            Kind::Listen => {
                if let State::Queue { listening, .. } = &mut self.objects[op.object.index()].state {
                    *listening = true;
                }
                0
            }
            Kind::Count => {
                self.notices_releases = true;
                0
            }
            Kind::CloseReceiver => {
                if let State::Queue { receiver, .. } = &mut self.objects[op.object.index()].state {
                    *receiver = false;
                }
                0
            }
            Kind::CloseSender => {
                self.hang_up(op.object);
                0
            }
            Kind::Acquire | Kind::TryAcquire | Kind::Release => self.semaphore(id),
            Kind::Park | Kind::Unpark => {
                if let State::Parker { token } = &mut self.objects[op.object.index()].state {
                    *token = op.kind == Kind::Unpark;
                }
                if op.kind == Kind::Unpark {
                    self.detectors.released(id, op.object, false);
                } else {
                    self.detectors.synchronised(id, op.object);
                }
                0
            }
            Kind::IsFinished => {
                self.notices_releases = true;
                let ended = self.threads[op.arg as usize].status == super::thread::Status::Finished;
                u32::from(ended)
            }
            Kind::Arrive => self.arrive(op.object),
            Kind::Pass => {
                self.detectors.synchronised(id, op.object);
                0
            }
            Kind::Join => {
                self.detectors.joined(id, ThreadId(op.arg));
                0
            }
            Kind::Finish => 0,
            Kind::Begin => match &mut self.objects[op.object.index()].state {
                State::Once { done: true, .. } => {
                    self.refine(Kind::BeginDone, 0);
                    self.detectors.synchronised(id, op.object);
                    0
                }
                State::Once { running, .. } => {
                    *running = true;
                    self.refine(Kind::BeginFirst, 0);
                    self.hold(id, op.object, false, true);
                    1
                }
                _ => 0,
            },
            Kind::Complete => {
                if let State::Once { running, done } = &mut self.objects[op.object.index()].state {
                    *running = false;
                    *done = op.arg == 1;
                }
                self.release(op.object);
                0
            }
            Kind::Get => {
                let done = matches!(self.objects[op.object.index()].state, State::Once { done: true, .. });
                self.refine(if done { Kind::GetSome } else { Kind::GetNone }, 0);
                if done {
                    self.detectors.synchronised(id, op.object);
                }
                u32::from(done)
            }
            _ => choice,
        }
    }

    fn acquire(&mut self, id: ThreadId, object: ObjectId, reader: bool, wrote: bool) {
        match &mut self.objects[object.index()].state {
            State::Mutex { owner } => *owner = Some(id),
            State::RwLock { readers, .. } if reader => *readers += 1,
            State::RwLock { writer, .. } => *writer = Some(id),
            _ => {}
        }
        self.hold(id, object, reader, wrote);
    }

    fn hold(&mut self, id: ThreadId, object: ObjectId, reader: bool, wrote: bool) {
        let thread = &mut self.threads[id.index()];
        let at = thread.pending.at;
        thread.held.push(Held {
            object,
            entry: None,
            wrote,
            reader,
            at,
        });
        self.detectors.acquired(id, object, reader, wrote);
    }

    /// The current thread releases a lock, visibly or not.
    pub(crate) fn release(&mut self, object: ObjectId) {
        let id = self.current;
        let Some(position) = self.threads[id.index()].held.iter().rposition(|h| h.object == object) else {
            return;
        };
        let held = self.threads[id.index()].held.remove(position);
        match &mut self.objects[object.index()].state {
            State::Mutex { owner } => *owner = None,
            State::RwLock { readers, .. } if held.reader => *readers -= 1,
            State::RwLock { writer, .. } => *writer = None,
            _ => {}
        }
        let running = self.running();
        let mut peek = false;
        match held.entry {
            Some(entry) => {
                if let Some(entry) = self.objects[object.index()].history.get_mut(entry as usize) {
                    entry.release = running;
                }
            }
            None => {
                if let Some(event) = self.events.last_mut()
                    && self.settings.composition
                    && !held.wrote
                    && event.footprint.effect.kind == Kind::Lock
                    && event.footprint.object == object
                {
                    event.footprint.effect.kind = Kind::Peek;
                    peek = true;
                }
            }
        }
        self.detectors.released(id, object, held.reader || peek);
    }

    /// The current thread has modified what a lock protects, or may have.
    pub(crate) fn wrote_under(&mut self, object: ObjectId) {
        let id = self.current;
        let thread = &mut self.threads[id.index()];
        if let Some(held) = thread.held.iter_mut().rev().find(|h| h.object == object)
            && !held.wrote
        {
            held.wrote = true;
            self.detectors.wrote_under(id, object);
        }
    }

    /// The current thread has modified something: so have its critical sections.
    pub(crate) fn wrote_something(&mut self) {
        let id = self.current;
        for i in 0..self.threads[id.index()].held.len() {
            let object = self.threads[id.index()].held[i].object;
            self.wrote_under(object);
        }
    }

    /// Choice 0 waits to be notified. Choice 1 is a wakeup without notification, or a timeout: the
    /// thread leaves at once. A thread that leaves later, and was not notified before, might
    /// as well have left at once, because nobody can tell.
    fn wait(&mut self, id: ThreadId, choice: u32) -> u32 {
        let op = self.threads[id.index()].pending;
        let mutex = ObjectId(op.arg);
        if self.settings.visible_releases
            && let Some(event) = self.events.last_mut()
        {
            event.footprint.also = Some((
                mutex,
                Effect {
                    kind: Kind::Unlock,
                    arg: 0,
                },
            ));
        }
        self.release(mutex);
        let thread = &mut self.threads[id.index()];
        if choice == 0 {
            thread.waiting = true;
            if let State::Condvar { waiters } = &mut self.objects[op.object.index()].state {
                let position = waiters.partition_point(|w| *w < id);
                waiters.insert(position, id);
            }
        } else if !thread.timeout {
            thread.spurious_left -= 1;
        }
        choice
    }

    fn notify(&mut self, object: ObjectId, all: bool, choice: u32) -> u32 {
        let State::Condvar { waiters } = &mut self.objects[object.index()].state else {
            return 0;
        };
        if waiters.is_empty() {
            self.refine(Kind::NotifyNone, 0);
            return 0;
        }
        let first = self.woken.len();
        if all {
            self.woken.append(waiters);
        } else {
            self.woken.push(waiters.remove(choice as usize));
        }
        let (by, woken) = (self.current, self.woken[first..].to_vec());
        for id in woken {
            self.threads[id.index()].waiting = false;
            self.detectors.woke(by, id);
        }
        1
    }

    fn queue(&mut self, id: ThreadId) -> u32 {
        let op = self.threads[id.index()].pending;
        let State::Queue {
            sent,
            received,
            capacity,
            senders,
            receiver,
            rendezvous,
            listening,
        } = &mut self.objects[op.object.index()].state
        else {
            return 0;
        };
        let number = *sent;
        let full = match *rendezvous {
            true => !*listening || *sent > *received,
            false => *sent - *received >= *capacity,
        };
        if matches!(op.kind, Kind::Recv | Kind::TryRecv) {
            *listening = false;
        }
        let notices = op.kind == Kind::TryRecv || op.kind == Kind::TrySend && *rendezvous;
        let (kind, arg, outcome) = match op.kind {
            Kind::Send | Kind::TrySend if !*receiver => (Kind::Send, number, 2),
            Kind::TrySend if full => (Kind::TrySendFull, 0, 0),
            Kind::Send | Kind::TrySend => {
                *sent += 1;
                let kind = if op.kind == Kind::Send {
                    Kind::Send
                } else {
                    Kind::TrySendOk
                };
                (kind, number, 1)
            }
            Kind::Recv | Kind::TryRecv if *sent > *received => {
                let number = *received;
                *received += 1;
                let kind = if op.kind == Kind::Recv {
                    Kind::Recv
                } else {
                    Kind::TryRecvOk
                };
                (kind, number, 1)
            }
            Kind::Recv => (Kind::RecvClosed, 0, 2),
            Kind::TryRecv if *senders == 0 => (Kind::TryRecvClosed, 0, 2),
            Kind::TryRecv => (Kind::TryRecvEmpty, 0, 0),
            _ => {
                let taken = *received > op.arg;
                let kind = if taken { Kind::Taken } else { Kind::Refused };
                (kind, op.arg, if taken { 1 } else { 2 })
            }
        };
        if notices {
            self.notices_releases = true;
        }
        self.refine(kind, arg);
        self.detectors.queued(id, op.object, kind, arg);
        outcome
    }

    /// The current thread drops a sender of a queue.
    pub(crate) fn hang_up(&mut self, object: ObjectId) {
        if let State::Queue { senders, .. } = &mut self.objects[object.index()].state {
            *senders -= 1;
        }
        let id = self.current;
        self.detectors.released(id, object, false);
        if self.in_event {
            self.hung_up.push(object);
        } else {
            let clock = &self.threads[id.index()].clock;
            super::happens_before::join(self.hang_ups.entry(object).or_default(), clock);
        }
    }

    /// Another sender of a queue.
    pub(crate) fn add_sender(&mut self, object: ObjectId) {
        if let State::Queue { senders, .. } = &mut self.objects[object.index()].state {
            *senders += 1;
        }
    }

    fn semaphore(&mut self, id: ThreadId) -> u32 {
        let op = self.threads[id.index()].pending;
        let State::Semaphore { permits, .. } = &mut self.objects[op.object.index()].state else {
            return 0;
        };
        if op.kind == Kind::Release {
            // Nobody can take enough for it to make a difference.
            *permits = permits.saturating_add(op.arg);
            self.detectors.released(id, op.object, false);
            return 1;
        }
        let enough = *permits >= op.arg;
        if enough {
            *permits -= op.arg;
            self.detectors.synchronised(id, op.object);
        }
        if op.kind == Kind::TryAcquire {
            self.refine(
                if enough {
                    Kind::TryAcquireOk
                } else {
                    Kind::TryAcquireFail
                },
                op.arg,
            );
        }
        u32::from(enough)
    }

    /// 1 if the thread is the last one, which need not wait.
    fn arrive(&mut self, object: ObjectId) -> u32 {
        let id = self.current;
        let State::Barrier {
            size,
            arrived,
            generation,
        } = &mut self.objects[object.index()].state
        else {
            return 0;
        };
        let now = *generation;
        *arrived += 1;
        let last = *arrived >= *size;
        if last {
            *arrived = 0;
            *generation += 1;
        }
        self.refine(Kind::Arrive, now);
        self.detectors.released(id, object, false);
        if last {
            self.detectors.synchronised(id, object);
        }
        now << 1 | u32::from(last)
    }
}
