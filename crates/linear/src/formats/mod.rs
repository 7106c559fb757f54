//! Recorded histories: reading them, and asking whether they are linearizable.
//!
//! Bytes become records ([`Datum`]s with places), records become a [`Recorded`] history, whose operations are texts and values.
//! [`judge`] reads them as operations of an [`Object`] and checks them.

mod datum;
mod edn;
mod json;
mod judge;
mod log;
mod object;
mod reading;
mod record;

pub use datum::Datum;
pub use judge::{Judged, judge};
pub use object::Object;
pub use record::{Ended, Fault, Recorded, RecordedOperation, read};

#[cfg(test)]
mod tests {
    use super::*;
    use fastrand::Rng;
    use mazurka_outcome::Limits;

    const SAMPLES: [&str; 3] = [
        "INFO  jepsen.util - 0 :invoke :cas [1 2]\nINFO  jepsen.util - 1 :invoke :read nil\n\
         INFO  jepsen.util - 0 :info :cas [1 2]\nINFO  jepsen.util - 1 :ok :read 2\n",
        "[#op{:process 0 :type :invoke :f :append :key \"x\" :value \"a\\n\"} {:process 0, :type :ok, :f :append}\n\
         {:process 1 :type :invoke :f :add :value 3} {:process 1 :type :fail :f :add} #_ #{1 2} ; end\n]",
        "{\"process\":0,\"type\":\"invoke\",\"f\":\"enqueue\",\"value\":[1,2]}\n\
         {\"process\":0,\"type\":\"ok\",\"f\":\"enqueue\",\"value\":true,\"time\":1.5e3}\n",
    ];

    /// A sample with some characters removed, repeated, replaced or moved.
    fn mutated(random: &mut Rng) -> String {
        let mut text: Vec<char> = random.choice(SAMPLES).unwrap().chars().collect();
        for _ in 0..random.usize(0..6) {
            let at = random.usize(0..text.len());
            match random.u8(0..4) {
                0 => _ = text.remove(at),
                1 => text.insert(at, text[at]),
                2 => {
                    text[at] = random
                        .choice("{}[]()\"\\:#; \n09aé-.".chars().collect::<Vec<_>>())
                        .unwrap()
                }
                _ => text.rotate_left(at),
            }
        }
        text.into_iter().collect()
    }

    #[test]
    fn nothing_makes_it_panic() {
        mazurka_seeds::seeds(20_000, |seed| {
            let mut random = Rng::with_seed(seed);
            let text = mutated(&mut random);
            let object = *random.choice(&Object::ALL).unwrap();
            let fault = match read(&text) {
                Ok(recorded) => judge(object, &recorded, Limits::default(), true).err(),
                Err(fault) => Some(fault),
            };
            assert!(fault.is_none_or(|fault| fault.offset <= text.len()), "{text}");
        });
    }

    #[test]
    fn samples_are_read() {
        for (sample, format) in SAMPLES.iter().zip(["jepsen-log", "edn", "json"]) {
            assert_eq!(read(sample).unwrap().format, format);
        }
    }
}
