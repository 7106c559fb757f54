//! A record with a misspelt key is never silently accepted.

use mazurka_testkit::computations::{Order, Shape, Slip, Words, computation, difference, misspelt, tell, text};
use mazurka_testkit::seeds;
use mazurka_trace::{Computation, Format, ImportError, ImportOptions, Input, import};
use std::collections::BTreeSet;
use std::sync::Mutex;

fn read(text: &str, format: Option<Format>) -> Result<Computation, ImportError> {
    let input = Input::Text {
        name: "t".into(),
        bytes: text.into(),
    };
    let options = ImportOptions {
        format,
        ..ImportOptions::default()
    };
    import(input, &options).map(|mut imported| imported.executions.swap_remove(0).computation)
}

#[test]
fn a_record_with_a_misspelt_key_is_refused() {
    let tried = Mutex::new(BTreeSet::new());
    seeds(500, |seed| {
        let mut rng = fastrand::Rng::with_seed(seed);
        let shape = Shape::any(&mut rng);
        let c = computation(&mut rng, &shape);
        let words = if rng.bool() { Words::Messages } else { Words::Clocks };
        let mut records = tell(&mut rng, &c, Order::PerProcess, words);
        if records.is_empty() {
            return;
        }
        let right = text(&records);
        assert_eq!(difference(&c, &read(&right, Some(Format::MAZURKA)).unwrap()), None);
        let slip = Slip::ALL[rng.usize(..Slip::ALL.len())];
        let at = rng.usize(..records.len());
        let Some((key, line)) = misspelt(&mut rng, &records[at], slip) else {
            return;
        };
        records[at].json = line;
        let wrong = text(&records);
        match read(&wrong, Some(Format::MAZURKA)) {
            Err(ImportError::Problems { problems, .. }) => {
                assert!(
                    problems.iter().all(|problem| problem.expected.is_some()),
                    "{problems:?}"
                );
            }
            Err(error) => panic!("{error}"),
            Ok(_) => panic!("{slip:?} of `{key}` is accepted:\n{wrong}"),
        }
        // If the format is not given, the record may be recognised as another format, in which it means the same.
        if let Ok(other) = read(&wrong, None) {
            assert_eq!(difference(&c, &other), None, "{slip:?} of `{key}`:\n{wrong}");
        }
        tried.lock().unwrap().insert((slip, key));
    });
    let tried = tried.into_inner().unwrap();
    // If one seed is requested, only that one is run.
    if tried.len() > 1 {
        for slip in Slip::ALL {
            assert!(tried.iter().any(|(s, _)| *s == slip), "{slip:?} never happened");
        }
        for key in ["process", "init", "event", "vars", "send", "recv", "clock"] {
            assert!(tried.iter().any(|(_, k)| k == key), "`{key}` was never misspelt");
        }
    }
}
