//! How controlled threads begin and end.

use super::Runtime;
use super::panics::last_panic;
use crate::execution::thread::Status;
use crate::fiber::{self, Body, Fiber};
use crate::ids::ThreadId;
use crate::report::ViolationKind;
use crate::thread::end;
use std::panic::{AssertUnwindSafe, Location, catch_unwind};
use std::rc::Rc;

impl Runtime {
    /// Starts a thread with a stack of at least this size. It runs when the current transition is over.
    pub(crate) fn spawn(
        self: &Rc<Self>,
        parent: Option<ThreadId>,
        body: Body,
        stack: usize,
        at: &'static Location<'static>,
    ) -> ThreadId {
        crate::future::breaks_promise(self);
        let id = self.execution.borrow_mut().spawn(parent, at);
        if self.execution.borrow().out_of_order {
            self.watch.situation().schedule.parents = self.execution.borrow().family.parents();
        }
        let runtime = Rc::clone(self);
        let body = body.within(move |body| {
            let result = catch_unwind(AssertUnwindSafe(body));
            if runtime.abandoning() {
                // A forced unwinding ends here.
                runtime.drop_locals(id);
                return;
            }
            let noted = runtime.execution.borrow().threads[id.index()].panicked;
            runtime.end_of_thread(id, result.is_err() || noted);
        });
        let fiber = Fiber::new(body, stack.max(self.stack));
        let mut fibers = self.fibers.borrow_mut();
        while fibers.len() <= id.index() {
            fibers.push(None);
        }
        fibers[id.index()] = Some(fiber);
        id
    }

    fn end_of_thread(&self, id: ThreadId, panicked: bool) {
        if panicked {
            let (message, at) = last_panic();
            let tainted = {
                let mut execution = self.execution.borrow_mut();
                execution.threads[id.index()].panicked = true;
                execution.threads[id.index()].tainted
            };
            if !tainted {
                self.report(ViolationKind::Panic, format!("panicked at {at}: {message}"));
            }
        }
        if !self.drop_locals(id) {
            return;
        }
        if self.releases_are_visible() {
            end::finish(self, id);
        }
        self.execution.borrow_mut().finish_thread();
    }

    /// Drops the thread-local values of the current thread, the youngest first. A dropped value is not made again. False if
    /// the execution was abandoned meanwhile.
    fn drop_locals(&self, id: ThreadId) -> bool {
        loop {
            let local = {
                let mut execution = self.execution.borrow_mut();
                let locals = execution.threads[id.index()].locals.iter_mut().rev();
                locals.filter(|l| l.needs_drop).find_map(|l| l.value.take())
            };
            let Some(local) = local else { return true };
            let abandoned = self.abandoning();
            let result = catch_unwind(AssertUnwindSafe(|| drop(local)));
            if self.abandoning() && !abandoned {
                self.drop_locals(id);
                return false;
            }
            if result.is_err() && !abandoned {
                let (message, at) = last_panic();
                let message =
                    format!("panicked at {at} in the destructor of a thread-local value, where std aborts: {message}");
                self.report(ViolationKind::Panic, message);
            }
        }
    }

    /// The current thread has panicked, and the panic was caught to be passed on.
    pub(crate) fn note_panic(&self) {
        let mut execution = self.execution.borrow_mut();
        let id = execution.current;
        execution.threads[id.index()].panicked = true;
    }

    /// The current thread goes no further, because its node crashes.
    pub(crate) fn freeze(&self) {
        {
            let mut execution = self.execution.borrow_mut();
            let id = execution.current;
            execution.threads[id.index()].status = Status::Frozen;
        }
        fiber::suspend();
    }

    /// Unwinds the threads of a node that has crashed. What their destructors do to primitives is not part of the execution.
    pub(crate) fn unwind_node(&self, node: u32) {
        let threads: Vec<ThreadId> = {
            let execution = self.execution.borrow();
            let of_node = |id: &ThreadId| execution.threads[id.index()].node == node;
            (0..execution.threads.len())
                .map(ThreadId::new)
                .filter(of_node)
                .collect()
        };
        let before = self.abandoning.replace(true);
        for id in threads.into_iter().rev() {
            self.end_thread(id);
        }
        self.abandoning.set(before);
    }

    /// Ends the current thread because an assumption failed.
    pub(crate) fn discard(&self) {
        if self.abandoning.get() || std::thread::panicking() {
            return;
        }
        {
            let mut execution = self.execution.borrow_mut();
            execution.discarded = true;
            let id = execution.current;
            execution.threads[id.index()].status = Status::Discarded;
        }
        fiber::suspend();
    }
}
