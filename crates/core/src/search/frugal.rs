//! Lists that grow by a quarter, so that little of their memory is not used.

/// Adds an item. Like [`Vec::push`], it takes constant time in the long run.
#[inline]
pub(super) fn push<T>(list: &mut Vec<T>, item: T) {
    make_room(list, 1);
    list.push(item);
}

/// Makes room for so many more.
#[inline]
pub(super) fn make_room<T>(list: &mut Vec<T>, more: usize) {
    if list.capacity() - list.len() < more {
        list.reserve_exact((list.len() / 4).max(more).max(16));
    }
}
