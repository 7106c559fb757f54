//! The list of experiments, as text and as JSON.

use crate::json::pretty;
use mazurka_experiments::Entry;
use serde::Serialize;

/// The list as text: the name of each experiment, what it measures, and its source.
pub fn listing_text(entries: &[Entry]) -> String {
    let width = entries.iter().map(|e| e.name.len()).max().unwrap_or(0);
    let mut text = String::from("Experiments:\n");
    for e in entries {
        text += &format!("  {:width$}  {}\n", e.name, e.description);
        text += &format!("  {:width$}  {}\n", "", e.source);
    }
    text
}

/// The list as a JSON object.
pub fn listing_json(entries: &[Entry]) -> String {
    #[derive(Serialize)]
    struct Listing<'a> {
        experiments: Vec<EntryView<'a>>,
    }
    #[derive(Serialize)]
    struct EntryView<'a> {
        name: &'a str,
        description: &'a str,
        source: &'a str,
    }
    pretty(&Listing {
        experiments: entries
            .iter()
            .map(|e| EntryView {
                name: e.name,
                description: e.description,
                source: e.source,
            })
            .collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use mazurka_experiments::all;

    #[test]
    fn every_experiment_is_listed() {
        let text = listing_text(all());
        let json: serde_json::Value = serde_json::from_str(&listing_json(all())).unwrap();
        for (k, entry) in all().iter().enumerate() {
            assert!(text.contains(entry.name) && text.contains(entry.description) && text.contains(entry.source));
            assert_eq!(json["experiments"][k]["name"], entry.name);
        }
    }
}
