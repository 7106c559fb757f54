//! Experiments as comma-separated values (RFC 4180), one search a line.

use mazurka_experiments::Experiment;

/// The measurements, with the published figures in the last two columns.
pub fn experiment_csv(experiment: &Experiment) -> String {
    let mut csv = String::from("series,n,states,transitions,published_states,published_transitions\n");
    for series in &experiment.series {
        let published = experiment.published.series.iter().find(|s| s.name == series.name);
        for point in &series.points {
            let published = published.and_then(|s| s.at(point.n));
            let fields = [
                quoted(&series.name),
                point.n.to_string(),
                count(point.states),
                count(point.transitions),
                count(published.and_then(|p| p.states)),
                count(published.and_then(|p| p.transitions)),
            ];
            csv += &fields.join(",");
            csv.push('\n');
        }
    }
    csv
}

/// A number; nothing if there is none.
fn count(n: Option<u64>) -> String {
    n.map(|n| n.to_string()).unwrap_or_default()
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
    use crate::sample::sample;

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
    fn awkward_names_are_quoted() {
        assert_eq!(quoted("a,b"), "\"a,b\"");
        assert_eq!(quoted("a \"b\""), "\"a \"\"b\"\"\"");
    }
}
