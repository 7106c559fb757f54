//! SPIN as a peer: generate, compile and run its verifier.

use std::path::Path;
use std::process::{Command, Output};

/// What SPIN's verifier printed.
pub struct Pan {
    pub states: u64,
    pub transitions: u64,
    pub seconds: f64,
    pub bytes_per_state: f64,
}

/// The dining philosophers in four steps each, in Promela.
pub fn philosophers(n: usize) -> String {
    format!(
        "bool fork[{n}];
active [{n}] proctype philosopher() {{
    byte left = _pid;
    byte right = (_pid + 1) % {n};
    do
    :: d_step {{ !fork[left] -> fork[left] = true }};
       d_step {{ !fork[right] -> fork[right] = true }};
       fork[left] = false;
       fork[right] = false
    od
}}
"
    )
}

/// Runs a full search of all states, without stopping at deadlocks.
pub fn full_search(model: &str) -> Result<Pan, String> {
    let folder = tempfile::tempdir().map_err(|e| e.to_string())?;
    let at = folder.path();
    std::fs::write(at.join("model.pml"), model).map_err(|e| e.to_string())?;
    run(at, "spin", &["-a", "model.pml"])?;
    let flags = ["-O2", "-DSAFETY", "-DNOREDUCE", "-w", "-o", "pan", "pan.c"];
    run(at, "gcc", &flags)?;
    let pan = at.join("pan");
    let output = run(at, &pan.to_string_lossy(), &["-E", "-m10000000", "-w22"])?;
    parse(&String::from_utf8_lossy(&output.stdout)).ok_or_else(|| "its output has changed".to_string())
}

fn run(folder: &Path, program: &str, arguments: &[&str]) -> Result<Output, String> {
    let output = Command::new(program).args(arguments).current_dir(folder).output();
    let output = output.map_err(|e| format!("{program}: {e}"))?;
    if !output.status.success() {
        return Err(format!("{program} failed: {}", String::from_utf8_lossy(&output.stderr)));
    }
    Ok(output)
}

fn parse(text: &str) -> Option<Pan> {
    let number_before = |what: &str| -> Option<f64> {
        let line = text.lines().find(|l| l.contains(what))?;
        line[..line.find(what)?].split_whitespace().last()?.parse().ok()
    };
    let seconds = text.lines().find_map(|l| {
        let rest = l.strip_prefix("pan: elapsed time ")?;
        rest.split_whitespace().next()?.parse::<f64>().ok()
    })?;
    let states = number_before(" states, stored")?;
    let megabytes = number_before("\tactual memory usage for states")
        .or_else(|| number_before("\tequivalent memory usage for states"))?;
    #[expect(clippy::cast_possible_truncation, reason = "they are counts")]
    let count = |number: f64| number as u64;
    Some(Pan {
        states: count(states),
        transitions: count(number_before(" transitions (")?),
        seconds: seconds.max(0.005),
        bytes_per_state: (megabytes * 1_048_576.0 / states).round(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use mazurka_core::Search;
    use mazurka_experiments::Fork;

    /// SPIN counts the initial state as a transition; otherwise the two tools see
    /// the same state space.
    #[test]
    fn spin_counts_the_same_states_and_transitions() {
        for n in [3, 6] {
            let pan = match full_search(&philosophers(n)) {
                Ok(pan) => pan,
                Err(reason) if std::env::var("MAZURKA_PEERS").is_ok_and(|v| v == "required") => panic!("{reason}"),
                Err(reason) => return println!("skipped: {reason}"),
            };
            let ours = Search::full(&mazurka_experiments::philosophers(n, Fork::Variable))
                .run()
                .unwrap();
            assert_eq!(pan.states, ours.statistics.states);
            assert_eq!(pan.transitions, ours.statistics.transitions + 1);
        }
    }
}
