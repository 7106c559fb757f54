//! Statements about shared ownership.

use super::Statement::{self, *};
use super::objects::Objects;
use super::orders::updates;
use super::run::{Ends, GONE, Log};
use mazurka::sync::Arc as Owned;
use mazurka::thread;
use std::sync::Arc;

/// A value whose destructor does something, and logs which thread has run it.
pub struct Noisy(pub(super) Arc<Objects>, pub(super) Log);

impl Drop for Noisy {
    fn drop(&mut self) {
        let seen = self.0.atomics[0].fetch_add(100, updates());
        let me = format!("{:?}", thread::current().id());
        let me = me
            .bytes()
            .fold(0, |all: u32, b| all.wrapping_mul(31).wrapping_add(u32::from(b)));
        self.1.lock().unwrap().push(vec![me, seen]);
    }
}

impl Statement {
    /// True if it needs a shared value.
    pub(super) fn owns(self) -> bool {
        matches!(
            self,
            Own | Disown
                | CountOwners
                | Upgrade
                | Downgrade
                | TryUnwrap
                | IntoInner
                | GetMut
                | WeakClone
                | WeakDrop
                | CountWeak
                | MakeMut
                | UnwrapOrClone
        )
    }
}

pub(super) fn perform(statement: Statement, ends: &mut Ends) -> Option<u32> {
    let Ends { owned, weak, noisy, .. } = ends;
    Some(match statement {
        Own => {
            owned.extend(owned.first().cloned());
            0
        }
        Disown => {
            owned.pop();
            0
        }
        CountOwners => owned.first().map_or(GONE, |o| Owned::strong_count(o) as u32),
        Upgrade => weak.first().map_or(GONE, |w| {
            let value = w.upgrade();
            let there = u32::from(value.is_some());
            owned.extend(value);
            there
        }),
        Downgrade => owned.first().map_or(GONE, |o| {
            let count = Owned::weak_count(o) as u32;
            weak.push(Owned::downgrade(o));
            count
        }),
        TryUnwrap => owned.pop().map_or(GONE, |last| match Owned::try_unwrap(last) {
            Ok(value) => value,
            Err(one) => {
                owned.push(one);
                999
            }
        }),
        IntoInner => owned.pop().map_or(GONE, |one| Owned::into_inner(one).unwrap_or(999)),
        GetMut => owned.last_mut().map_or(GONE, |one| match Owned::get_mut(one) {
            Some(value) => {
                *value += 1;
                *value
            }
            None => 999,
        }),
        MakeMut => owned.last_mut().map_or(GONE, |one| {
            *Owned::make_mut(one) += 1;
            **one
        }),
        UnwrapOrClone => owned.pop().map_or(GONE, Owned::unwrap_or_clone),
        WeakClone => {
            let one = weak.last().cloned();
            weak.extend(one);
            0
        }
        WeakDrop => {
            weak.pop();
            0
        }
        CountWeak => owned.last().map_or(GONE, |one| Owned::weak_count(one) as u32),
        DropNoisy => {
            noisy.pop();
            0
        }
        _ => return None,
    })
}
