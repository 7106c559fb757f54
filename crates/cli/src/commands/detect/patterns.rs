//! Questions about orders of events on the command line, in the order in which they were given.

use super::undefined::{blamed_record, default_hint, global_state};
use crate::diagnostic::Diagnostic;
use crate::exit::Error;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use mazurka_report::detection::RecordedRun;
use mazurka_trace::{Pattern, PatternError, PatternModality, Value};

/// Options and what they ask.
const OPTIONS: [(&str, PatternModality, &str); 6] = [
    (
        "possibly-sequence",
        PatternModality::PossiblySequence,
        "Could the run have passed through states that satisfy each E in turn, where one state may serve for several?",
    ),
    (
        "never-sequence",
        PatternModality::NeverSequence,
        "Require that it could not; violated if possibly-sequence E…",
    ),
    (
        "possibly-ltl",
        PatternModality::PossiblyLtl,
        "Could it have happened in an order that satisfies this formula of linear temporal logic?",
    ),
    (
        "definitely-ltl",
        PatternModality::DefinitelyLtl,
        "Does every order of concurrent events satisfy it?",
    ),
    (
        "never-ltl",
        PatternModality::NeverLtl,
        "Require that no order does; violated if possibly-ltl FORMULA",
    ),
    (
        "always-ltl",
        PatternModality::AlwaysLtl,
        "Require that every order does; violated unless definitely-ltl FORMULA",
    ),
];

/// Whether an option takes several expressions.
fn is_sequence(modality: PatternModality) -> bool {
    matches!(
        modality,
        PatternModality::PossiblySequence | PatternModality::NeverSequence
    )
}

/// What is asked.
#[derive(Clone, Debug, Default)]
pub(crate) struct Patterns {
    texts: Vec<(PatternModality, Vec<String>)>,
}

impl Patterns {
    pub(crate) fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    /// The questions.
    ///
    /// # Errors
    /// If an expression is wrong: what is wrong with all of them.
    pub(crate) fn questions(&self) -> Result<Vec<Pattern>, Error> {
        let (mut patterns, mut wrong) = (Vec::new(), Diagnostic::new());
        for (modality, texts) in &self.texts {
            let pattern = match is_sequence(*modality) {
                true => Pattern::sequence(*modality, texts),
                false => Pattern::ltl(*modality, &texts[0]),
            };
            let shown: Vec<&str> = texts.iter().map(String::as_str).collect();
            match pattern {
                Ok(pattern) => patterns.push(pattern),
                Err(error) => describe(&mut wrong, *modality, &shown, &error),
            }
        }
        match wrong.is_empty() {
            true => Ok(patterns),
            false => Err(wrong.into()),
        }
    }
}

/// Why there is no answer to a question about orders.
pub(super) fn refused(run: RecordedRun<'_>, pattern: &Pattern, error: &PatternError) -> Error {
    let mut wrong = Diagnostic::new();
    describe(&mut wrong, pattern.modality(), &pattern.texts(), error);
    if let Some((event, cut)) = &error.undefined {
        if let Some(event) = *event {
            blamed_record(&mut wrong, run, event);
            let (computation, p) = (run.computation, event.process);
            let is_null = |name: &String| {
                let variable = computation.variable(name);
                variable.is_some_and(|v| computation.value(p, v, cut[p.index()]) == &Value::Null)
            };
            default_hint(&mut wrong, pattern.variables().into_iter().find(is_null));
        }
        global_state(&mut wrong, run, cut);
    }
    wrong.into()
}

fn describe(wrong: &mut Diagnostic, modality: PatternModality, texts: &[&str], error: &PatternError) {
    wrong.heading(&error.message);
    let Some((part, span)) = &error.place else {
        return;
    };
    let text = texts.get(*part).copied().unwrap_or_default();
    wrong.expression(modality, text, span.clone(), error.hint.as_deref());
}

impl Args for Patterns {
    fn augment_args(command: Command) -> Command {
        OPTIONS.iter().fold(command, |command, (name, modality, help)| {
            let arg = Arg::new(*name)
                .long(*name)
                .action(ArgAction::Append)
                .help(*help)
                .help_heading("Queries about orders of events");
            command.arg(match is_sequence(*modality) {
                // An expression that begins with a hyphen would be taken for the next option.
                true => arg.value_name("E").num_args(1..),
                false => arg.value_name("FORMULA").allow_hyphen_values(true),
            })
        })
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for Patterns {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut found = Vec::new();
        for (name, modality, _) in OPTIONS {
            let mut indices = matches.indices_of(name).into_iter().flatten();
            for texts in matches.get_occurrences::<String>(name).into_iter().flatten() {
                let texts: Vec<String> = texts.cloned().collect();
                let index = indices.next();
                // The indices are those of the expressions.
                indices.by_ref().take(texts.len() - 1).for_each(drop);
                found.push((index, modality, texts));
            }
        }
        found.sort_by_key(|(index, ..)| *index);
        Ok(Self {
            texts: found
                .into_iter()
                .map(|(_, modality, texts)| (modality, texts))
                .collect(),
        })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sequences_and_formulas_keep_the_order_of_the_command_line() {
        let command = Patterns::augment_args(Command::new("test"));
        let line = [
            "test",
            "--always-ltl",
            "[] a",
            "--possibly-sequence",
            "a",
            "b",
            "--never-sequence",
            "c",
            "--possibly-sequence",
            "d",
            "e",
            "f",
            "--possibly-ltl=-a.x > 3",
        ];
        let patterns = Patterns::from_arg_matches(&command.get_matches_from(line)).unwrap();
        let texts: Vec<String> = patterns
            .texts
            .iter()
            .map(|(m, texts)| format!("{m} {}", texts.join(";")))
            .collect();
        assert_eq!(
            texts,
            [
                "always-ltl [] a",
                "possibly-sequence a;b",
                "never-sequence c",
                "possibly-sequence d;e;f",
                "possibly-ltl -a.x > 3"
            ]
        );
    }
}
