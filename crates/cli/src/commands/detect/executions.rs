//! Which executions of an input are asked about.

use super::Options;
use crate::diagnostic::Diagnostic;
use crate::exit::Error;
use mazurka_trace::{Execution, ExecutionId, Imported};

/// The executions to ask about.
///
/// # Errors
/// If `--execution` names none, or a page is to show several.
pub(super) fn chosen(options: &Options, imported: &Imported, trace: &str) -> Result<Vec<ExecutionId>, Error> {
    let executions = &imported.executions;
    let refused = |message: String| {
        let mut wrong = Diagnostic::error(message);
        list(&mut wrong, executions);
        Err(wrong.into())
    };
    let Some(wanted) = options.execution.as_deref() else {
        return match executions.len() {
            n if n > 1 && options.report.is_some() => {
                refused(format!("{trace} has {n} executions, and a report shows one"))
            }
            _ => Ok(imported.execution_ids().collect()),
        };
    };
    let by_name = executions.iter().position(|e| e.name.as_deref() == Some(wanted));
    let by_number = wanted.parse::<usize>().ok().and_then(|n| n.checked_sub(1));
    match by_name.or(by_number.filter(|at| *at < executions.len())) {
        Some(at) => Ok(vec![ExecutionId::new(at)]),
        None => refused(format!("there is no execution `{wanted}` in {trace}")),
    }
}

/// Says which executions there are.
fn list(wrong: &mut Diagnostic, executions: &[Execution]) {
    const MOST: usize = 20;
    for (k, execution) in executions.iter().enumerate().take(MOST) {
        let name = execution
            .name
            .as_ref()
            .map_or(String::new(), |name| format!(" ({name})"));
        wrong.note(format!("--execution {}{name}", k + 1));
    }
    if executions.len() > MOST {
        wrong.note(format!("and {} more", executions.len() - MOST));
    }
}
