//! Experiments as JSON.
//!
//! The shape is a contract with scripts: it is written down here, apart from the
//! types that the experiments use, so that changing those does not change it.

use mazurka_experiments::{Cached, Experiment, Fit, Form, Parameter, Point, Published, Series, Spread};
use serde::{Serialize, Serializer};

/// One experiment as a JSON object.
pub fn experiment_json(experiment: &Experiment) -> String {
    pretty(&ExperimentView::new(experiment))
}

/// Several experiments as one JSON object.
pub fn experiments_json(experiments: &[Experiment]) -> String {
    #[derive(Serialize)]
    struct View<'a> {
        experiments: Vec<ExperimentView<'a>>,
    }
    pretty(&View {
        experiments: experiments.iter().map(ExperimentView::new).collect(),
    })
}

/// The version of all JSON outputs. It changes when the name or the meaning of a field does; new fields do not change it.
const VERSION: u32 = 1;

/// An output: its version, then its fields.
#[derive(Serialize)]
struct Versioned<'a, T> {
    version: u32,
    #[serde(flatten)]
    output: &'a T,
}

impl<'a, T> Versioned<'a, T> {
    fn new(output: &'a T) -> Self {
        Self {
            version: VERSION,
            output,
        }
    }
}

/// An output, indented, with a newline at the end.
pub(crate) fn pretty(output: &impl Serialize) -> String {
    let text = serde_json::to_string_pretty(&Versioned::new(output));
    text.expect("strings, numbers and lists") + "\n"
}

/// An output on one line.
pub(crate) fn on_one_line(output: &impl Serialize) -> String {
    let text = serde_json::to_string(&Versioned::new(output));
    text.expect("strings, numbers and lists") + "\n"
}

#[derive(Serialize)]
struct ExperimentView<'a> {
    experiment: &'a str,
    title: &'a str,
    parameter: &'a str,
    interrupted: bool,
    series: Vec<SeriesView<'a>>,
    published: PublishedView<'a>,
    remarks: &'a [String],
}

#[derive(Serialize)]
struct SeriesView<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    family: Option<&'a str>,
    name: &'a str,
    points: Vec<PointView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cut: Option<CutView>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    fits: Vec<FitView>,
}

/// A curve: `form` says what a and b mean.
#[derive(Serialize)]
struct FitView {
    form: &'static str,
    a: f64,
    b: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    squares: Option<f64>,
    from: f64,
    to: f64,
}

#[derive(Serialize)]
struct PointView {
    #[serde(serialize_with = "parameter")]
    n: Parameter,
    states: Option<u64>,
    transitions: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    spread: Option<SpreadView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cached: Option<CachedView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seconds: Option<f64>,
}

#[derive(Serialize)]
struct CachedView {
    stored: u64,
    cleared: u64,
    matched: u64,
}

#[derive(Serialize)]
struct SpreadView {
    least: u64,
    median: u64,
    most: u64,
}

#[derive(Serialize)]
struct CutView {
    #[serde(serialize_with = "parameter")]
    n: Parameter,
    more_than: u64,
}

#[derive(Serialize)]
struct PublishedView<'a> {
    source: &'a str,
    claims: &'a [String],
    series: Vec<SeriesView<'a>>,
}

/// A number if it is one, a word otherwise: `unbounded`, or a name.
fn parameter<S: Serializer>(n: &Parameter, serializer: S) -> Result<S::Ok, S::Error> {
    match n {
        Parameter::Number(n) => serializer.serialize_u64(*n),
        _ => serializer.collect_str(n),
    }
}

impl<'a> ExperimentView<'a> {
    fn new(experiment: &'a Experiment) -> Self {
        Self {
            experiment: &experiment.name,
            title: &experiment.title,
            parameter: &experiment.parameter,
            interrupted: experiment.interrupted,
            series: experiment.series.iter().map(SeriesView::new).collect(),
            published: PublishedView::new(&experiment.published),
            remarks: &experiment.remarks,
        }
    }
}

impl<'a> SeriesView<'a> {
    fn new(series: &'a Series) -> Self {
        Self {
            family: series.family.as_deref(),
            name: &series.name,
            points: series.points.iter().map(PointView::new).collect(),
            cut: series.cut.map(|c| CutView {
                n: c.n,
                more_than: c.more_than,
            }),
            fits: series.fits.iter().map(FitView::new).collect(),
        }
    }
}

impl FitView {
    fn new(fit: &Fit) -> Self {
        Self {
            form: match fit.form {
                Form::Linear => "a n + b",
                Form::Exponential => "e^(a n + b)",
                Form::Polynomial => "n^a e^b",
            },
            a: fit.a,
            b: fit.b,
            squares: fit.squares,
            from: fit.range.0,
            to: fit.range.1,
        }
    }
}

impl PointView {
    fn new(point: &Point) -> Self {
        Self {
            n: point.n,
            states: point.states,
            transitions: point.transitions,
            spread: point
                .spread
                .map(|Spread { least, median, most }| SpreadView { least, median, most }),
            cached: point.cached.map(
                |Cached {
                     stored,
                     cleared,
                     matched,
                 }| CachedView {
                    stored,
                    cleared,
                    matched,
                },
            ),
            seconds: point.time.map(|t| t.as_secs_f64()),
        }
    }
}

impl<'a> PublishedView<'a> {
    fn new(published: &'a Published) -> Self {
        Self {
            source: &published.source,
            claims: &published.claims,
            series: published.series.iter().map(SeriesView::new).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{averages, caches, sample};
    use serde_json::{Value, json};

    #[test]
    fn one_experiment() {
        let value: Value = serde_json::from_str(&experiment_json(&sample())).unwrap();
        let expected = json!({
            "version": 1,
            "experiment": "sample",
            "title": "A sample, full and reduced",
            "parameter": "number of processes",
            "interrupted": false,
            "series": [
                {
                    "name": "full",
                    "points": [
                        {"n": 2, "states": 8, "transitions": 10},
                        {"n": 12, "states": 531440, "transitions": 4251516},
                        {"n": "unbounded", "states": null, "transitions": null},
                    ],
                    "cut": {"n": "unbounded", "more_than": 1000000},
                },
                {
                    "name": "persistent (locks)",
                    "points": [
                        {"n": 2, "states": 8, "transitions": 9},
                        {"n": 12, "states": 368, "transitions": 499},
                    ],
                },
            ],
            "published": {
                "source": "A paper, Fig. 1",
                "claims": ["It is reduced."],
                "series": [{"name": "full", "points": [{"n": 2, "states": 8, "transitions": 10}]}],
            },
            "remarks": ["It is reduced indeed."],
        });
        assert_eq!(value, expected);
    }

    #[test]
    fn families_spreads_and_curves_where_there_are_some() {
        let value: Value = serde_json::from_str(&experiment_json(&averages())).unwrap();
        assert_eq!(
            value["series"][0],
            json!({
                "family": "db, S = 25",
                "name": "none",
                "points": [
                    {"n": 3, "states": 199, "transitions": 362, "spread": {"least": 290, "median": 360, "most": 434}},
                    {"n": 6, "states": 287_244, "transitions": 1_392_646},
                ],
                "fits": [{"form": "e^(a n + b)", "a": 2.75, "b": -2.5, "squares": 0.25, "from": 3.0, "to": 6.0}],
            })
        );
        assert_eq!(
            value["published"]["series"][0]["fits"][0],
            json!({"form": "e^(a n + b)", "a": 2.8, "b": -2.57, "from": 3.0, "to": 6.0})
        );
    }

    #[test]
    fn what_a_cache_did() {
        let value: Value = serde_json::from_str(&experiment_json(&caches())).unwrap();
        assert_eq!(
            value["series"][0]["points"][0],
            json!({"n": 100, "states": 140, "transitions": 150, "cached": {"stored": 100, "cleared": 40, "matched": 10}})
        );
    }

    #[test]
    fn times_where_there_are_some() {
        let mut experiment = sample();
        experiment.series[0].points[0].time = Some(std::time::Duration::from_millis(1_500));
        let value: Value = serde_json::from_str(&experiment_json(&experiment)).unwrap();
        let expected = json!({"n": 2, "states": 8, "transitions": 10, "seconds": 1.5});
        assert_eq!(value["series"][0]["points"][0], expected);
    }

    #[test]
    fn several_experiments_are_one_object() {
        let value: Value = serde_json::from_str(&experiments_json(&[sample(), sample()])).unwrap();
        assert_eq!(value["experiments"].as_array().unwrap().len(), 2);
        assert_eq!(value["experiments"][1]["experiment"], "sample");
        assert_eq!(
            (&value["version"], value["experiments"][1].get("version")),
            (&1.into(), None)
        );
    }
}
