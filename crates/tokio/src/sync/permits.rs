//! Permits that are given out in the order in which they are asked for: what tokio's semaphore does, as a state.
//!
//! Who asks for more than there is takes all there is, and queues for the rest. Returned permits go to the first in the queue.
//! So nobody overtakes: while somebody waits, there are no free permits.

use std::collections::VecDeque;
use std::task::{Context, Poll, Waker};

/// The permits were closed.
#[derive(Debug)]
pub(crate) struct Closed;

/// Wakers to be woken after the state was changed.
pub(crate) type Wakers = Vec<Waker>;

#[derive(Debug)]
struct Waiter {
    number: u64,
    /// How many permits it still needs.
    left: usize,
    waker: Waker,
}

/// Free permits, and who waits for some.
#[derive(Debug)]
pub(crate) struct Permits {
    free: usize,
    closed: bool,
    queue: VecDeque<Waiter>,
    /// Numbers of waiters that have all they need.
    served: Vec<u64>,
    /// Numbers of waiters that failed and do not know it, and what they still needed.
    failed: Vec<(u64, usize)>,
    next: u64,
}

/// The place of an acquisition in the queue.
#[derive(Debug, Default)]
pub(crate) struct Ticket(Option<u64>);

impl Permits {
    pub(crate) const fn new(free: usize) -> Permits {
        Permits {
            free,
            closed: false,
            queue: VecDeque::new(),
            served: Vec::new(),
            failed: Vec::new(),
            next: 0,
        }
    }

    pub(crate) fn free(&self) -> usize {
        self.free
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.closed
    }

    /// How many can be awaited.
    pub(crate) fn gauge(&self) -> u32 {
        if self.closed {
            u32::MAX
        } else {
            u32::try_from(self.free).unwrap_or(u32::MAX)
        }
    }

    /// Takes permits if they are there.
    pub(crate) fn try_acquire(&mut self, n: usize) -> Result<bool, Closed> {
        if self.closed {
            return Err(Closed);
        }
        let enough = self.free >= n;
        if enough {
            self.free -= n;
        }
        Ok(enough)
    }

    /// Takes permits, or queues for them.
    pub(crate) fn poll(
        &mut self,
        ticket: &mut Ticket,
        n: usize,
        context: &mut Context<'_>,
    ) -> Poll<Result<(), Closed>> {
        if self.closed {
            return Poll::Ready(Err(Closed));
        }
        let Some(number) = ticket.0 else {
            if self.free >= n {
                self.free -= n;
                return Poll::Ready(Ok(()));
            }
            let number = self.next;
            self.next += 1;
            self.queue.push_back(Waiter {
                number,
                left: n - self.free,
                waker: context.waker().clone(),
            });
            self.free = 0;
            ticket.0 = Some(number);
            return Poll::Pending;
        };
        if let Some(position) = self.served.iter().position(|served| *served == number) {
            self.served.swap_remove(position);
            ticket.0 = None;
            return Poll::Ready(Ok(()));
        }
        if let Some(waiter) = self.queue.iter_mut().find(|waiter| waiter.number == number) {
            waiter.waker.clone_from(context.waker());
        }
        Poll::Pending
    }

    /// True if an acquisition is in the queue, or was served and does not know it.
    pub(crate) fn waits(ticket: &Ticket) -> bool {
        ticket.0.is_some()
    }

    /// Gives an acquisition of `n` up. What it has got is given back.
    pub(crate) fn cancel(&mut self, ticket: &mut Ticket, n: usize) -> Wakers {
        let Some(number) = ticket.0.take() else {
            return Wakers::new();
        };
        let mut got = n;
        if let Some(position) = self.served.iter().position(|served| *served == number) {
            self.served.swap_remove(position);
        } else if let Some(position) = self.queue.iter().position(|waiter| waiter.number == number) {
            let waiter = self.queue.remove(position).expect("it is there");
            got = n - waiter.left;
        } else if let Some(position) = self.failed.iter().position(|(failed, _)| *failed == number) {
            got = n - self.failed.swap_remove(position).1;
        }
        self.release(got)
    }

    /// Gives permits back.
    pub(crate) fn release(&mut self, mut n: usize) -> Wakers {
        let mut wakers = Wakers::new();
        while let Some(first) = self.queue.front_mut() {
            let given = n.min(first.left);
            first.left -= given;
            n -= given;
            if first.left > 0 {
                break;
            }
            let first = self.queue.pop_front().expect("it is there");
            self.served.push(first.number);
            wakers.push(first.waker);
        }
        self.free += n;
        wakers
    }

    /// Takes free permits away for ever; returns how many.
    pub(crate) fn forget(&mut self, n: usize) -> usize {
        let forgotten = n.min(self.free);
        self.free -= forgotten;
        forgotten
    }

    /// Fails all who wait, and all who come.
    pub(crate) fn close(&mut self) -> Wakers {
        self.closed = true;
        let queue = std::mem::take(&mut self.queue);
        self.failed
            .extend(queue.iter().map(|waiter| (waiter.number, waiter.left)));
        queue.into_iter().map(|waiter| waiter.waker).collect()
    }
}
