//! Small results with one of everything, for tests.

use mazurka_experiments::{
    Cached, Cut, Experiment, Fit, Form, Level, Parameter, Point, Published, Quantity, Series, Spread,
};

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

/// Averages over several runs of two families of systems, with curves through them.
pub(crate) fn averages() -> Experiment {
    let [three, six] = [3, 6].map(Parameter::Number);
    let curve = |a, b, squares| Fit {
        form: Form::Exponential,
        a,
        b,
        squares,
        range: (3.0, 6.0),
    };
    let mut none = Series::new(
        "none",
        vec![Point::new(three, 199, 362), Point::new(six, 287_244, 1_392_646)],
    )
    .of("db, S = 25");
    none.points[0].spread = Some(Spread {
        least: 290,
        median: 360,
        most: 434,
    });
    none.fits = vec![curve(2.75, -2.5, Some(0.25))];
    let mut published = Series::new("none", vec![]).of("db, S = 25");
    published.fits = vec![curve(2.8, -2.57, None)];
    let other = Series::new("none", vec![Point::new(three, 17, 16)]).of("ps, S = 60");
    Experiment {
        name: "averages".to_string(),
        title: "Averages by the number of processes".to_string(),
        parameter: "number of processes".to_string(),
        quantity: Quantity::Transitions,
        series: vec![none, other],
        published: Published {
            source: "A paper, Fig. 6".to_string(),
            claims: vec!["It grows.".to_string()],
            series: vec![published],
        },
        remarks: vec![],
        interrupted: false,
    }
}

/// A parameter that is not a number.
pub(crate) fn levels() -> Experiment {
    let point = |level, states, transitions| Point::new(Parameter::Level(level), states, transitions);
    let series = |points| Series::new("db, N = 5", points);
    Experiment {
        parameter: "optimisation".to_string(),
        quantity: Quantity::TransitionsAndStates,
        series: vec![series(vec![
            point(Level::None, 83_962, 325_262),
            point(Level::Sleep, 83_962, 83_961),
            point(Level::Sequences, 45, 44),
        ])],
        published: Published {
            source: "A paper, Table 1".to_string(),
            claims: vec![],
            series: vec![series(vec![point(Level::None, 88_281, 343_170)])],
        },
        ..sample()
    }
}

/// Searches that forget states, with a published one that does not.
pub(crate) fn caches() -> Experiment {
    let point = |n, stored, cleared, matched| Point {
        cached: Some(Cached {
            stored,
            cleared,
            matched,
        }),
        ..Point::new(n, stored + cleared, stored + cleared + matched)
    };
    let series = |points| Series::new("PS+SLEEP", points);
    Experiment {
        parameter: "size of the cache".to_string(),
        quantity: Quantity::Transitions,
        series: vec![series(vec![
            point(Parameter::Number(100), 100, 40, 10),
            point(Parameter::Unbounded, 120, 0, 9),
        ])],
        published: Published {
            source: "A thesis, Table 8.2".to_string(),
            claims: vec![],
            series: vec![series(vec![point(Parameter::Unbounded, 654_600, 0, 6_189)])],
        },
        ..sample()
    }
}
