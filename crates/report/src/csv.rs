//! Experiments as comma-separated values (RFC 4180), one search a line.

use mazurka_experiments::{Cached, Experiment, Point, Spread};
use std::time::Duration;

/// The measurements, with the published figures in the last columns. Where there are
/// several families of systems, the first column names them; averages have their least,
/// median and greatest number of transitions at the end, searches with a cache what happened to
/// the states, and those with times the times, in seconds.
pub fn experiment_csv(experiment: &Experiment) -> String {
    let any = |has: fn(&Point) -> bool| experiment.series.iter().flat_map(|s| &s.points).any(has);
    let families = experiment.series.iter().any(|s| s.family.is_some());
    let (spreads, caches) = (any(|p| p.spread.is_some()), any(|p| p.cached.is_some()));
    let times = any(|p| p.time.is_some());
    let mut csv = String::new();
    if families {
        csv += "family,";
    }
    csv += "series,n,states,transitions,published_states,published_transitions";
    if spreads {
        csv += ",least_transitions,median_transitions,most_transitions";
    }
    if caches {
        csv += ",stored,cleared,matched";
    }
    if times {
        csv += ",seconds,published_seconds";
    }
    csv.push('\n');
    for series in &experiment.series {
        let published = experiment.published_of(series);
        for point in &series.points {
            let published = published.and_then(|s| s.at(point.n));
            let mut fields = Vec::new();
            if families {
                fields.push(quoted(series.family.as_deref().unwrap_or_default()));
            }
            fields.extend([
                quoted(&series.name),
                point.n.to_string(),
                count(point.states),
                count(point.transitions),
                count(published.and_then(|p| p.states)),
                count(published.and_then(|p| p.transitions)),
            ]);
            if spreads {
                let spread = |f: fn(Spread) -> u64| count(point.spread.map(f));
                fields.extend([spread(|s| s.least), spread(|s| s.median), spread(|s| s.most)]);
            }
            if caches {
                let cached = |f: fn(Cached) -> u64| count(point.cached.map(f));
                fields.extend([cached(|c| c.stored), cached(|c| c.cleared), cached(|c| c.matched)]);
            }
            if times {
                fields.extend([seconds(point.time), seconds(published.and_then(|p| p.time))]);
            }
            csv += &fields.join(",");
            csv.push('\n');
        }
    }
    csv
}

/// A number, or nothing if there is none.
fn count(n: Option<u64>) -> String {
    n.map(|n| n.to_string()).unwrap_or_default()
}

/// A time in seconds, or nothing if there is none.
fn seconds(time: Option<Duration>) -> String {
    time.map(|t| format!("{:.3}", t.as_secs_f64())).unwrap_or_default()
}

fn quoted(field: &str) -> String {
    if field.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", field.replace('"', "\"\""))
    } else {
        field.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{averages, caches, sample};

    #[test]
    fn one_search_a_line() {
        let expected = "\
series,n,states,transitions,published_states,published_transitions
full,2,8,10,8,10
full,12,531440,4251516,,
full,unbounded,,,,
persistent (locks),2,8,9,,
persistent (locks),12,368,499,,
";
        assert_eq!(experiment_csv(&sample()), expected);
    }

    #[test]
    fn families_and_spreads_have_columns() {
        let csv = experiment_csv(&averages());
        let lines: Vec<_> = csv.lines().collect();
        assert_eq!(
            lines[0],
            "family,series,n,states,transitions,published_states,published_transitions,\
             least_transitions,median_transitions,most_transitions"
        );
        assert_eq!(lines[1], "\"db, S = 25\",none,3,199,362,,,290,360,434");
    }

    #[test]
    fn caches_have_columns() {
        let csv = experiment_csv(&caches());
        let lines: Vec<_> = csv.lines().collect();
        assert!(lines[0].ends_with(",stored,cleared,matched"), "{csv}");
        assert_eq!(lines[1], "PS+SLEEP,100,140,150,,,100,40,10");
    }

    #[test]
    fn times_have_columns() {
        let mut experiment = sample();
        experiment.series[0].points[0].time = Some(Duration::from_millis(1_234));
        experiment.published.series[0].points[0].time = Some(Duration::from_secs(25));
        let csv = experiment_csv(&experiment);
        let lines: Vec<_> = csv.lines().collect();
        assert!(lines[0].ends_with(",seconds,published_seconds"), "{csv}");
        assert_eq!(
            lines[1..3],
            ["full,2,8,10,8,10,1.234,25.000", "full,12,531440,4251516,,,,"]
        );
    }

    #[test]
    fn awkward_names_are_quoted() {
        assert_eq!(quoted("a,b"), "\"a,b\"");
        assert_eq!(quoted("a \"b\""), "\"a \"\"b\"\"\"");
    }
}
