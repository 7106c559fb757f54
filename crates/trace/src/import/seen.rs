//! Tells whether a name occurs twice in an object.
//!
//! Most objects are small. Their names are compared one by one, without allocation.
//! The names of a large object go into a set.

use foldhash::{HashSet, HashSetExt};
use std::borrow::Cow;

/// How many names are compared one by one.
const FEW: usize = 8;

/// The names of an object so far.
#[derive(Default)]
pub(super) struct Seen<'a> {
    few: [Cow<'a, str>; FEW],
    count: usize,
    more: Option<HashSet<Cow<'a, str>>>,
}

impl<'a> Seen<'a> {
    /// Adds a name; returns it as an error if it was there before.
    pub(super) fn once(&mut self, name: Cow<'a, str>) -> Result<(), Cow<'a, str>> {
        if self.few[..self.count].contains(&name) {
            return Err(name);
        }
        if self.count < FEW {
            self.few[self.count] = name;
            self.count += 1;
            return Ok(());
        }
        let more = self.more.get_or_insert_with(HashSet::new);
        match more.contains(&name) {
            true => Err(name),
            false => {
                more.insert(name);
                Ok(())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_new_once_however_many_there_are() {
        for count in [0, 1, FEW - 1, FEW, FEW + 1, 100] {
            let mut seen = Seen::default();
            for k in 0..count {
                assert_eq!(seen.once(k.to_string().into()), Ok(()));
            }
            for k in 0..count {
                assert_eq!(seen.once(k.to_string().into()), Err(k.to_string().into()));
            }
        }
    }
}
