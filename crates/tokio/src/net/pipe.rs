//! One direction of a connection: a queue of what was written, which either side can close.

use crate::sync::{Waiters, wake_all};
use mazurka::future::__private::{Cell, Leaf};
use std::collections::VecDeque;
use std::io;
use std::task::{Context, Poll};

/// How a side has ended it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    Closed,
    Reset,
}

/// What was written and not yet read.
#[derive(Debug)]
struct State {
    chunks: VecDeque<Vec<u8>>,
    /// The writer has ended it.
    end: Option<End>,
    /// The reader has.
    left: Option<End>,
    waiters: Waiters,
}

/// One direction of a connection. Its reads are always polled, because a stream keeps its place in them from one to the next.
#[derive(Debug)]
pub(super) struct Pipe {
    cell: Cell<State>,
}

impl Pipe {
    #[track_caller]
    pub(super) fn new() -> Pipe {
        Pipe {
            cell: Cell::polled(
                "TcpStream",
                State {
                    chunks: VecDeque::new(),
                    end: None,
                    left: None,
                    waiters: Waiters::new(),
                },
            ),
        }
    }

    /// Writes. Fails if the reader is gone.
    #[track_caller]
    pub(super) fn write(&self, bytes: &[u8]) -> io::Result<()> {
        let (result, wakers) = self.cell.change(|state| {
            let result = match (state.left, state.end) {
                (Some(End::Reset), _) => Err(io::Error::from(io::ErrorKind::ConnectionReset)),
                (Some(End::Closed), _) | (_, Some(_)) => Err(io::Error::from(io::ErrorKind::BrokenPipe)),
                (None, None) => {
                    state.chunks.push_back(bytes.to_vec());
                    Ok(())
                }
            };
            (result, state.waiters.take())
        });
        wake_all(wakers);
        result
    }

    /// The writer ends it.
    #[track_caller]
    pub(super) fn close(&self, how: End) {
        wake_all(self.cell.change(|state| {
            state.end.get_or_insert(how);
            state.waiters.take()
        }));
    }

    /// The reader ends it.
    #[track_caller]
    pub(super) fn leave(&self, how: End) {
        self.cell.change(|state| _ = state.left.get_or_insert(how));
    }

    /// The next chunk, or none at the end.
    pub(super) fn poll(
        &self,
        leaf: &mut Leaf,
        ticket: &mut Option<u64>,
        context: &mut Context<'_>,
    ) -> Poll<io::Result<Option<Vec<u8>>>> {
        leaf.poll(&self.cell, None, context, |state, context| {
            let result = match (state.chunks.pop_front(), state.end) {
                (Some(chunk), _) => Ok(Some(chunk)),
                (None, Some(End::Closed)) => Ok(None),
                (None, Some(End::Reset)) => Err(io::Error::from(io::ErrorKind::ConnectionReset)),
                (None, None) => {
                    state.waiters.register(ticket, context);
                    return Poll::Pending;
                }
            };
            state.waiters.remove(ticket);
            Poll::Ready(result)
        })
    }
}
