//! A small result with one of everything, for tests.

use mazurka_experiments::{Cut, Experiment, Parameter, Point, Published, Quantity, Series};

pub(crate) fn sample() -> Experiment {
    let [two, twelve, unbounded] = [Parameter::Number(2), Parameter::Number(12), Parameter::Unbounded];
    let mut full = Series::new(
        "full",
        vec![
            Point::new(two, 8, 10),
            Point::new(twelve, 531_440, 4_251_516),
            Point::uncounted(unbounded),
        ],
    );
    full.cut = Some(Cut {
        n: unbounded,
        more_than: 1_000_000,
    });
    let reduced = Series::new(
        "persistent (locks)",
        vec![Point::new(two, 8, 9), Point::new(twelve, 368, 499)],
    );
    Experiment {
        name: "sample".to_string(),
        title: "A sample, full and reduced".to_string(),
        parameter: "number of processes".to_string(),
        quantity: Quantity::States,
        series: vec![full, reduced],
        published: Published {
            source: "A paper, Fig. 1".to_string(),
            claims: vec!["It is reduced.".to_string()],
            series: vec![Series::new("full", vec![Point::new(two, 8, 10)])],
        },
        remarks: vec!["It is reduced indeed.".to_string()],
        interrupted: false,
    }
}
