//! Results: the answers on standard output, the files, the exit code.

use super::Options;
use crate::atomic_files;
use crate::diagnostic::{self, Diagnostic};
use crate::exit::{Error, Exit};
use crate::model::refused;
use crate::output::{Format, print, print_styled, remark, shown, wrote};
use crate::watchdog::Stopped;
use mazurka_core::Limit;
use mazurka_promela::verify::{CheckError, Checked, Session};
use mazurka_promela::{Errors, Model, Sources};
use mazurka_report::check::{CheckedModel, checked_html, checked_json, checked_text, counterexample_trace};
use std::sync::OnceLock;

/// Says what is known when the time is over; called while the work still runs.
pub(super) fn in_time(options: &Options, known: &OnceLock<Session>, stopped: &Stopped) -> Exit {
    remark(&format!("{} while {}\n", stopped.limit, stopped.phase));
    let Some(session) = known.get() else {
        let (sources, checked) = (Sources::default(), Checked::new(Vec::new()));
        let name = options.model.name();
        say(options, &view(&name, &sources, &[], &checked));
        return stopped.exit();
    };
    let checked = session.checked(stopped.limit);
    let exit = match exit(&checked) {
        // A property whose turn did not come may have been refused; the signal counts more.
        _ if stopped.limit == Limit::Interrupt => Exit::Interrupted,
        exit => exit,
    };
    refusals(session);
    if let Err(error) = conclude(options, session, &checked) {
        remark(&diagnostic::shown(&error));
    }
    exit
}

/// Prints the answers and writes the files.
pub(super) fn conclude(options: &Options, session: &Session, checked: &Checked) -> Result<(), Error> {
    let name = options.model.name();
    let view = view(&name, &session.model().sources, session.initial(), checked);
    say(options, &view);
    if let Some(path) = &options.report {
        atomic_files::write_file(path, checked_html(&view))?;
        if !options.output.quiet {
            wrote(path);
        }
    }
    if let Some(path) = &options.trace_out {
        let mut all = checked.properties.iter().flat_map(|p| &p.violations);
        let first = all.clone().find(|violation| !violation.steps.is_empty());
        if let Some(violation) = first {
            atomic_files::write_file(path, counterexample_trace(&view, violation))?;
        }
        let why = match all.next() {
            Some(_) => "the counterexample has no steps: there is nothing",
            None => "there is no counterexample",
        };
        match first {
            _ if options.output.quiet => {}
            Some(_) => wrote(path),
            None => remark(&format!("{why} to write to {}\n", shown(path))),
        }
    }
    Ok(())
}

fn view<'a>(
    model: &'a str,
    sources: &'a Sources,
    initial: &'a [(String, String)],
    checked: &'a Checked,
) -> CheckedModel<'a> {
    CheckedModel {
        model,
        sources,
        initial,
        checked,
    }
}

fn say(options: &Options, view: &CheckedModel<'_>) {
    match options.output.format {
        Format::Json => print(&checked_json(view)),
        Format::Text => print_styled(&checked_text(view, &options.output.text(options.verbose))),
    }
}

/// Says on standard error which properties cannot be checked, and why.
pub(super) fn refusals(session: &Session) {
    let mut said: Vec<String> = Vec::new();
    for question in session.questions() {
        let Some(error) = question.refusal() else { continue };
        let text = not_checked(session.model(), question.property().name(), error).to_string();
        // The same reason for every formula is said once.
        if !said.contains(&text) {
            remark(&text);
            said.push(text);
        }
    }
}

/// Why a property cannot be checked, with the place in its formula if there is one.
fn not_checked(model: &Model, name: &str, error: &CheckError) -> Diagnostic {
    match error {
        CheckError::Snapshot(diagnostic) => {
            let errors = Errors::new(model.sources.clone(), vec![(**diagnostic).clone()]);
            refused(&format!("the formula `{name}`"), &errors)
        }
        error => Diagnostic::error(error),
    }
}

/// The exit code. A violation counts more than a property that cannot be checked, and that more than a limit.
pub(super) fn exit(checked: &Checked) -> Exit {
    match checked.properties.is_empty() {
        true => Exit::Inconclusive,
        false => Exit::of(checked.properties.iter().map(|p| (p.verdict, p.end))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mazurka_core::{Doubt, End, Statistics, Verdict};
    use mazurka_promela::verify::{Kind, PropertyFindings, PropertyResult};

    fn with(results: &[(Verdict, End, bool)]) -> Checked {
        let property = |(verdict, end, refused): &(Verdict, End, bool)| {
            let mut found = PropertyFindings::new("p", Kind::Safety);
            found.refusal = refused.then(|| "no".to_owned());
            PropertyResult {
                verdict: *verdict,
                end: *end,
                statistics: Statistics::default(),
                found,
            }
        };
        Checked::new(results.iter().map(property).collect())
    }

    #[test]
    fn the_worst_verdict_is_the_exit_code() {
        let holds = (Verdict::Holds, End::Complete, false);
        let violated = (Verdict::Violated, End::Stopped, false);
        let limited = (
            Verdict::Inconclusive(Limit::States.into()),
            End::Limit(Limit::States),
            false,
        );
        let refused = (Verdict::Inconclusive(Doubt::Refused), End::Stopped, true);
        let interrupted = (
            Verdict::Inconclusive(Limit::Interrupt.into()),
            End::Limit(Limit::Interrupt),
            false,
        );
        assert_eq!(exit(&with(&[holds, holds])), Exit::Success);
        assert_eq!(exit(&with(&[holds, limited])), Exit::Inconclusive);
        assert_eq!(exit(&with(&[limited, violated])), Exit::Violation);
        assert_eq!(exit(&with(&[violated, interrupted])), Exit::Interrupted);
        assert_eq!(exit(&with(&[violated, refused])), Exit::Violation);
        assert_eq!(exit(&with(&[holds, limited, refused])), Exit::Usage);
        assert_eq!(exit(&with(&[])), Exit::Inconclusive);
    }
}
