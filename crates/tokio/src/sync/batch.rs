//! A semaphore without types for users: what locks are made of.

use super::permits::{Permits, Ticket, Wakers};
use mazurka::future::__private::{Cell, Leaf, Need, wake};
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

pub(crate) use super::permits::Closed;

/// Permits that can be awaited.
#[derive(Debug)]
pub(crate) struct Batch {
    cell: Cell<Permits>,
}

/// Wakes all.
#[track_caller]
pub(crate) fn wake_all(wakers: Wakers) {
    wakers.into_iter().for_each(wake);
}

impl Batch {
    #[track_caller]
    pub(crate) const fn new(what: &'static str, permits: usize) -> Batch {
        Batch {
            cell: Cell::new(what, Permits::new(permits), |permits| [permits.gauge(), 0]),
        }
    }

    /// Waits for permits.
    #[track_caller]
    pub(crate) fn acquire(&self, what: &'static str, n: usize) -> Acquire<'_> {
        Acquire(self.acquisition(what, n), self)
    }

    /// The same without a borrow.
    #[track_caller]
    pub(crate) fn acquisition(&self, what: &'static str, n: usize) -> Acquisition {
        Acquisition {
            n,
            ticket: Ticket::default(),
            leaf: Leaf::new(what),
        }
    }

    #[track_caller]
    pub(crate) fn try_acquire(&self, n: usize) -> Result<bool, Closed> {
        self.cell.change(|permits| permits.try_acquire(n))
    }

    #[track_caller]
    pub(crate) fn release(&self, n: usize) {
        if n > 0 {
            wake_all(self.cell.change(|permits| permits.release(n)));
        }
    }

    #[track_caller]
    pub(crate) fn forget(&self, n: usize) -> usize {
        self.cell.change(|permits| permits.forget(n))
    }

    #[track_caller]
    pub(crate) fn close(&self) {
        wake_all(self.cell.change(Permits::close));
    }

    #[track_caller]
    pub(crate) fn free(&self) -> usize {
        self.cell.look(Permits::free)
    }

    #[track_caller]
    pub(crate) fn is_closed(&self) -> bool {
        self.cell.look(Permits::is_closed)
    }
}

/// Waits for permits of a semaphore that it is told each time.
#[derive(Debug)]
pub(crate) struct Acquisition {
    n: usize,
    ticket: Ticket,
    leaf: Leaf,
}

impl Acquisition {
    pub(crate) fn poll(&mut self, batch: &Batch, context: &mut Context<'_>) -> Poll<Result<(), Closed>> {
        let (n, ticket) = (self.n, &mut self.ticket);
        // Others see who waits for several: they wait behind.
        if n != 1 {
            batch.cell.must_be_polled();
        }
        let need = (n == 1).then_some(Need {
            index: 0,
            least: 1,
            reads: false,
        });
        self.leaf.poll(&batch.cell, need, context, |permits, context| {
            permits.poll(ticket, n, context)
        })
    }

    /// Gives up.
    pub(crate) fn cancel(&mut self, batch: &Batch) {
        if Permits::waits(&self.ticket) {
            wake_all(batch.cell.change(|permits| permits.cancel(&mut self.ticket, self.n)));
        }
    }
}

/// Waits for permits. Dropping it gives up.
#[derive(Debug)]
pub(crate) struct Acquire<'a>(Acquisition, &'a Batch);

impl Future for Acquire<'_> {
    type Output = Result<(), Closed>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.get_mut();
        this.0.poll(this.1, context)
    }
}

impl Drop for Acquire<'_> {
    fn drop(&mut self) {
        self.0.cancel(self.1);
    }
}
