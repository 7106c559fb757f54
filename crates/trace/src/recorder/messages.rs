//! The messages of an input by name, and the events that send them.
//!
//! Names are kept one after the other in a single buffer: a trace has about as
//! many messages as records, so an allocation for each would cost more than
//! everything else.

use crate::causality::Event;
use hashbrown::HashTable;
use mazurka_core::ProcessId;
use std::hash::BuildHasher;

/// The messages by name.
#[derive(Debug, Default)]
pub(super) struct Messages {
    /// A hash of 32 bits and the number of each: growing the table must not read
    /// all names again, and a lookup misses the cache less often in a small one.
    table: HashTable<(u32, u32)>,
    hasher: foldhash::fast::FixedState,
    names: Names,
    /// The event that sends it; index 0 if unknown.
    sent: Vec<Event>,
}

/// Texts, one after the other, and where each ends.
#[derive(Debug, Default)]
struct Names {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl Names {
    fn get(&self, id: u32) -> &[u8] {
        let from = if id == 0 { 0 } else { self.ends[id as usize - 1] };
        &self.bytes[from..self.ends[id as usize]]
    }
}

impl Messages {
    /// The number of a message.
    pub(super) fn intern(&mut self, text: &str) -> u32 {
        #[expect(clippy::cast_possible_truncation, reason = "half of a hash is a hash")]
        let hash = self.hasher.hash_one(text.as_bytes()) as u32;
        let names = &mut self.names;
        let same = |&(h, id): &(u32, u32)| h == hash && names.get(id) == text.as_bytes();
        if let Some(&(_, id)) = self.table.find(spread(hash), same) {
            return id;
        }
        let id = u32::try_from(self.sent.len()).expect("fewer than 2^32 messages");
        names.bytes.extend_from_slice(text.as_bytes());
        names.ends.push(names.bytes.len());
        self.sent.push(Event::new(ProcessId::new(0), 0));
        self.table
            .insert_unique(spread(hash), (hash, id), |&(hash, _)| spread(hash));
        id
    }

    /// What a message is called.
    pub(super) fn name(&self, id: u32) -> String {
        String::from_utf8_lossy(self.names.get(id)).into_owned()
    }

    /// The event that sends a message, if it was told yet.
    pub(super) fn sent(&self, id: u32) -> Option<Event> {
        let event = self.sent[id as usize];
        (event.index > 0).then_some(event)
    }

    /// An event sends a message.
    pub(super) fn send(&mut self, id: u32, event: Event) {
        self.sent[id as usize] = event;
    }
}

/// A hash of 64 bits as the table wants it, with a high and a low part that differ.
fn spread(hash: u32) -> u64 {
    u64::from(hash).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}
