//! How a state is laid out as bytes.
//!
//! `[control points][objects of fixed length][objects of varying length]`. The
//! first two parts have constant offsets; the third is walked, since a channel's
//! bytes begin with its number of messages.

use super::{LocalInfo, ObjectInfo};
use crate::ids::{LocalId, ObjectId, ProcessId};
use crate::narrow;
use crate::objects::{read_uint, width, write_uint};
use std::ops::Range;

#[derive(Debug)]
pub(crate) struct Layout {
    control: Vec<Control>,
    objects: Vec<Place>,
    /// Objects of varying length, in the order of their bytes.
    varying: Vec<ObjectId>,
    /// Where the objects of varying length begin.
    tail: usize,
}

/// Where a process's control point is: its index among those of the process.
#[derive(Clone, Copy, Debug)]
struct Control {
    at: usize,
    len: usize,
    /// The id of the process's first control point.
    first: usize,
}

#[derive(Clone, Debug)]
enum Place {
    Fixed(Range<usize>),
    /// Its position among those of varying length.
    Varying(usize),
}

impl Layout {
    pub(crate) fn new(processes: usize, locals: &[LocalInfo], objects: &[ObjectInfo]) -> Self {
        let mut at = 0;
        let mut next = |len: usize| {
            at += len;
            at - len..at
        };
        let mut control = Vec::new();
        for p in 0..processes {
            let mine = |l: &&LocalInfo| l.process.index() == p;
            let count = locals.iter().filter(mine).count();
            let first = locals.iter().position(|l| l.process.index() == p);
            let len = width(count.saturating_sub(1) as u64);
            control.push(Control {
                at: next(len).start,
                len,
                first: first.unwrap_or(0),
            });
        }
        let mut varying = Vec::new();
        let places = objects
            .iter()
            .enumerate()
            .map(|(k, object)| match object.kind.fixed_len() {
                Some(len) => Place::Fixed(next(len)),
                None => {
                    varying.push(ObjectId::new(k));
                    Place::Varying(varying.len() - 1)
                }
            })
            .collect();
        Self {
            control,
            objects: places,
            varying,
            tail: at,
        }
    }

    /// The length of all states, if it does not vary.
    pub(crate) fn fixed_len(&self) -> Option<usize> {
        self.varying.is_empty().then_some(self.tail)
    }

    /// The objects of varying length, in the order of their bytes.
    pub(crate) fn varying(&self) -> &[ObjectId] {
        &self.varying
    }

    /// The bytes of the objects of fixed length, and of the control points.
    pub(crate) fn fixed_part(&self) -> usize {
        self.tail
    }

    /// Where an object of fixed length is.
    pub(crate) fn fixed_place(&self, object: ObjectId) -> Option<Range<usize>> {
        match &self.objects[object.index()] {
            Place::Fixed(range) => Some(range.clone()),
            Place::Varying(_) => None,
        }
    }

    /// Where a process's control point is, and the number there if it is at `local`.
    pub(crate) fn control_place(&self, process: ProcessId, local: LocalId) -> (Range<usize>, u64) {
        let Control { at, len, first } = self.control[process.index()];
        (at..at + len, (local.index() - first) as u64)
    }

    /// The control point of a process.
    #[inline(always)]
    pub(crate) fn local(&self, state: &[u8], process: ProcessId) -> LocalId {
        let Control { at, len, first } = self.control[process.index()];
        let index = match len {
            1 => usize::from(state[at]),
            _ => narrow::index(read_uint(&state[at..at + len])),
        };
        LocalId::new(first + index)
    }

    /// Moves a process; `local` must be one of its control points.
    #[inline(always)]
    pub(crate) fn set_local(&self, state: &mut [u8], process: ProcessId, local: LocalId) {
        let Control { at, len, first } = self.control[process.index()];
        let index = local.index() - first;
        match len {
            1 => state[at] = narrow::low_byte(index),
            _ => write_uint(&mut state[at..at + len], index as u64),
        }
    }

    /// Where an object's bytes are in this state.
    #[inline(always)]
    pub(crate) fn range(&self, state: &[u8], object: ObjectId, objects: &[ObjectInfo]) -> Range<usize> {
        match &self.objects[object.index()] {
            Place::Fixed(range) => range.clone(),
            Place::Varying(position) => self.walk(state, *position, objects),
        }
    }

    fn walk(&self, state: &[u8], position: usize, objects: &[ObjectInfo]) -> Range<usize> {
        let len = |o: ObjectId, at: usize| objects[o.index()].kind.encoded_len(&state[at..]);
        let mut at = self.tail;
        for before in &self.varying[..position] {
            at += len(*before, at);
        }
        at..at + len(self.varying[position], at)
    }
}
