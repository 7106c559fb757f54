//! Queries on the command line, in the order in which they were given.
//!
//! Each modality is an option that can be given any number of times. The derived
//! parser would sort the queries by modality, so this one looks at the indices.

use crate::diagnostic::Diagnostic;
use crate::exit::Error;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use mazurka_trace::{Modality, Predicate, Question};

/// Options and what they ask.
const OPTIONS: [(&str, Modality, &str); 5] = [
    (
        "possibly",
        Modality::Possibly,
        "Could the run have been in a global state that satisfies E?",
    ),
    (
        "definitely",
        Modality::Definitely,
        "Must it have been in one, whatever the order of concurrent events?",
    ),
    (
        "never",
        Modality::Never,
        "Require that it could not; violated if possibly E",
    ),
    (
        "always",
        Modality::Always,
        "Require that every global state it could have been in satisfies E; violated if possibly !(E)",
    ),
    (
        "inevitably",
        Modality::Inevitably,
        "Require that it must have been in one; violated unless definitely E",
    ),
];

/// What is asked.
#[derive(Clone, Debug, Default)]
pub(crate) struct Queries {
    texts: Vec<(Modality, String)>,
}

impl Queries {
    pub(crate) fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    /// The questions.
    ///
    /// # Errors
    /// If an expression is wrong: everything that is wrong with all of them.
    pub(crate) fn questions(&self) -> Result<Vec<Question>, Error> {
        let (mut questions, mut wrong) = (Vec::new(), Diagnostic::new());
        for (modality, text) in &self.texts {
            let modality = *modality;
            match Predicate::parse(text) {
                Ok(predicate) => questions.push(Question { modality, predicate }),
                Err(errors) => drop(wrong.predicate(modality, text, &errors)),
            }
        }
        match wrong.is_empty() {
            true => Ok(questions),
            false => Err(wrong.into()),
        }
    }
}

impl Args for Queries {
    fn augment_args(command: Command) -> Command {
        OPTIONS.iter().fold(command, |command, (name, _, help)| {
            command.arg(
                Arg::new(*name)
                    .long(*name)
                    .value_name("E")
                    .action(ArgAction::Append)
                    .allow_hyphen_values(true)
                    .help(*help)
                    .help_heading("Queries"),
            )
        })
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for Queries {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut found = Vec::new();
        for (name, modality, _) in OPTIONS {
            let indices = matches.indices_of(name).into_iter().flatten();
            let texts = matches.get_many::<String>(name).into_iter().flatten();
            found.extend(indices.zip(texts).map(|(index, text)| (index, modality, text.clone())));
        }
        found.sort_by_key(|(index, ..)| *index);
        Ok(Self {
            texts: found.into_iter().map(|(_, modality, text)| (modality, text)).collect(),
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
    fn the_order_of_the_command_line_is_kept() {
        let command = Queries::augment_args(Command::new("test"));
        let line = ["test", "--never", "a", "--possibly", "b", "--never=c", "--always", "d"];
        let queries = Queries::from_arg_matches(&command.get_matches_from(line)).unwrap();
        let texts: Vec<String> = queries.texts.iter().map(|(m, text)| format!("{m} {text}")).collect();
        assert_eq!(texts, ["never a", "possibly b", "never c", "always d"]);
    }
}
