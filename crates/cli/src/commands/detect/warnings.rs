//! Warnings about a run or about what is asked: on standard error, in the
//! JSON and on the page. The answers are right all the same.

use super::Options;
use crate::diagnostic::finding_text;
use crate::output::remark;
use mazurka_trace::{Computation, Finding, Monitor, Queries, never_assigned as unassigned, unread_defaults};

/// Defaults of variables that no query reads. Counting global states reads none.
pub(super) fn defaults(options: &Options, queries: &Queries) -> Vec<Finding> {
    unread_defaults(&options.input.defaults, &queries.variables())
}

/// Processes that never assign what is read from them.
pub(super) fn never_assigned(computation: &Computation, queries: &Queries) -> Vec<Finding> {
    let names: Vec<&str> = computation.names().iter().map(String::as_str).collect();
    let assigns = |process: &str, variable: &str| {
        let (p, v) = (computation.process(process), computation.variable(variable));
        p.zip(v).is_some_and(|(p, v)| computation.assigns(p, v))
    };
    (queries.iter())
        .flat_map(|asked| unassigned(asked, &names, &assigns))
        .collect()
}

/// The same for a run that was followed.
pub(super) fn never_assigned_so_far(monitor: &Monitor, queries: &Queries) -> Vec<Finding> {
    let (names, assigns) = (monitor.names(), |p: &str, v: &str| monitor.has_assigned(p, v));
    (queries.iter())
        .flat_map(|asked| unassigned(asked, &names, &assigns))
        .collect()
}

/// Says them on standard error, unless `quiet`.
pub(super) fn say(warnings: &[Finding], quiet: bool) {
    if !quiet {
        for warning in warnings {
            remark(&format!("{}\n", finding_text(warning)));
        }
    }
}
