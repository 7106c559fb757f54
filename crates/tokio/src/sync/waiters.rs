//! Futures that wait for something that all of them may see: they leave a waker, and take it back when they are dropped.

use super::permits::Wakers;
use mazurka::future::__private::{Cell, Leaf, Need};
use std::task::{Context, Poll, Waker};

/// The wakers of futures that wait.
#[derive(Debug, Default)]
pub(crate) struct Waiters {
    wakers: Vec<(u64, Waker)>,
    next: u64,
}

impl Waiters {
    pub(crate) const fn new() -> Waiters {
        Waiters {
            wakers: Vec::new(),
            next: 0,
        }
    }

    /// Takes all wakers, to wake them.
    pub(crate) fn take(&mut self) -> Wakers {
        std::mem::take(&mut self.wakers)
            .into_iter()
            .map(|(_, waker)| waker)
            .collect()
    }

    pub(crate) fn register(&mut self, ticket: &mut Option<u64>, context: &Context<'_>) {
        let number = *ticket.get_or_insert_with(|| {
            self.next += 1;
            self.next
        });
        let waker = context.waker().clone();
        match self.wakers.iter_mut().find(|(other, _)| *other == number) {
            Some((_, old)) => *old = waker,
            None => self.wakers.push((number, waker)),
        }
    }

    pub(crate) fn remove(&mut self, ticket: &mut Option<u64>) {
        if let Some(number) = ticket.take() {
            self.wakers.retain(|(other, _)| *other != number);
        }
    }
}

/// Waits for something in a cell.
#[derive(Debug)]
pub(crate) struct Wait<'a, S> {
    cell: &'a Cell<S>,
    leaf: Leaf,
    ticket: Option<u64>,
    waiters: fn(&mut S) -> &mut Waiters,
}

impl<'a, S> Wait<'a, S> {
    /// Makes a future's part. `waiters` says where it leaves its waker.
    #[track_caller]
    pub(crate) fn new(cell: &'a Cell<S>, what: &'static str, waiters: fn(&mut S) -> &mut Waiters) -> Wait<'a, S> {
        Wait {
            cell,
            leaf: Leaf::new(what),
            ticket: None,
            waiters,
        }
    }

    /// Looks whether it is there.
    pub(crate) fn poll<R>(
        &mut self,
        need: Need,
        context: &mut Context<'_>,
        get: impl FnOnce(&mut S) -> Option<R>,
    ) -> Poll<R> {
        let (ticket, waiters) = (&mut self.ticket, self.waiters);
        self.leaf
            .poll(self.cell, Some(need), context, |state, context| match get(state) {
                Some(result) => {
                    waiters(state).remove(ticket);
                    Poll::Ready(result)
                }
                None => {
                    waiters(state).register(ticket, context);
                    Poll::Pending
                }
            })
    }
}

impl<S> Drop for Wait<'_, S> {
    fn drop(&mut self) {
        if self.ticket.is_some() {
            let (ticket, waiters) = (&mut self.ticket, self.waiters);
            self.cell.change(|state| waiters(state).remove(ticket));
        }
    }
}
