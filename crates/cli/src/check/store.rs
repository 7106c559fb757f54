//! `--store`, and sizes of memory.

use bytesize::ByteSize;
use mazurka_core::Storage;

/// What a search remembers.
///
/// # Errors
/// If it is none of the stores.
pub(super) fn store(text: &str) -> Result<Storage, String> {
    match text.split_once('=') {
        None if text == "exact" => Ok(Storage::Exact),
        None if text == "collapse" => Ok(Storage::Collapse),
        Some(("cache", states)) => match states.parse() {
            Ok(states) if states > 0 => Ok(Storage::Cache(states)),
            _ => Err(format!("`{states}` is not a number of states")),
        },
        Some(("bitstate", bytes)) => size(bytes).map(|bytes| Storage::Bitstate { bytes, seed: 1 }),
        _ => Err("expected exact, collapse, cache=N (states) or bitstate=SIZE (such as 256MiB)".to_owned()),
    }
}

/// A number of bytes.
///
/// # Errors
/// If it is none.
pub(crate) fn size(text: &str) -> Result<usize, String> {
    let size: Result<ByteSize, _> = text.parse();
    let bytes = size.ok().and_then(|size| usize::try_from(size.as_u64()).ok());
    let bytes = bytes.filter(|bytes| *bytes > 0);
    let bytes = bytes.ok_or_else(|| format!("`{text}` is not a size; expected such as 512MiB or 2GB"))?;
    match isize::try_from(bytes) {
        Ok(_) => Ok(bytes),
        Err(_) => Err(format!("`{text}` is more than there can be: at most {}", isize::MAX)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stores() {
        assert_eq!(store("exact"), Ok(Storage::Exact));
        assert_eq!(store("collapse"), Ok(Storage::Collapse));
        assert_eq!(store("cache=1000"), Ok(Storage::Cache(1000)));
        assert_eq!(
            store("bitstate=16MiB"),
            Ok(Storage::Bitstate {
                bytes: 16 << 20,
                seed: 1
            })
        );
        for wrong in [
            "",
            "cache",
            "cache=0",
            "cache=many",
            "bitstate=",
            "bitstate=0",
            "bitstate=17EB",
            "exact=1",
            "hash",
        ] {
            assert!(store(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn sizes() {
        assert_eq!(size("4096"), Ok(4096));
        assert_eq!(size("2GiB"), Ok(2 << 30));
        assert_eq!(size("1.5 MB"), Ok(1_500_000));
        assert!(size("much").is_err());
    }
}
