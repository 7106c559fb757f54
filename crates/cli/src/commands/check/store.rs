//! `--store`.

use crate::arguments::size;
use mazurka_core::{NamedStore, Storage, StoreSize};

/// What a search remembers.
///
/// # Errors
/// If the text is not a store.
pub(super) fn store(text: &str) -> Result<Storage, String> {
    let (name, argument) = match text.split_once('=') {
        Some((name, argument)) => (name, Some(argument)),
        None => (text, None),
    };
    let known = Storage::NAMED.iter().find(|store| store.name == name);
    match known.map(|store| (store, store.size, argument)) {
        Some((store, StoreSize::None, None)) => Ok((store.make)(0)),
        Some((store, StoreSize::Bytes, Some(bytes))) => size(bytes).map(store.make),
        Some((store, StoreSize::States, Some(states))) => match states.parse() {
            Ok(states) if states > 0 => Ok((store.make)(states)),
            _ => Err(format!("`{states}` is not a number of states")),
        },
        _ => {
            let expected: Vec<String> = Storage::NAMED.iter().map(usage).collect();
            Err(format!("expected one of: {}", expected.join(", ")))
        }
    }
}

/// How to write a store.
fn usage(store: &NamedStore) -> String {
    match store.size {
        StoreSize::None => store.name.to_owned(),
        StoreSize::States => format!("{}=N (states)", store.name),
        StoreSize::Bytes => format!("{}=SIZE (such as 256MiB)", store.name),
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
}
