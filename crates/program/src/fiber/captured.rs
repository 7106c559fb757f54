//! What a closure has captured, as bytes.

/// The bytes of a value. Those of padding may be any.
///
/// They are read one by one and volatile, so that the compiler assumes nothing about those that were never written.
pub(crate) fn bytes_of<F>(value: &F) -> Vec<u8> {
    let start = std::ptr::from_ref(value).cast::<u8>();
    // SAFETY: the value has this many bytes, and is borrowed meanwhile.
    (0..size_of::<F>())
        .map(|i| unsafe { start.add(i).read_volatile() })
        .collect()
}
