//! Options that say which model to read, and reading it.

use crate::diagnostic::{self, Diagnostic};
use crate::exit::Error;
use crate::output::remark;
use clap::Args;
use mazurka_promela::{Errors, Loaded, Severity, load_path, render};
use std::path::PathBuf;

/// Which model.
#[derive(Clone, Debug, Args)]
pub(crate) struct ModelOptions {
    /// A file in Promela, the language of SPIN
    #[arg(value_name = "MODEL")]
    pub(crate) model: PathBuf,

    /// Define a name for the preprocessor, as 1 if no value is given
    #[arg(short = 'D', value_name = "NAME[=VALUE]", value_parser = definition)]
    defines: Vec<(String, Option<String>)>,

    /// Lose messages that are sent to a full channel, instead of making the sender wait
    #[arg(long)]
    lossy: bool,
}

fn definition(text: &str) -> Result<(String, Option<String>), String> {
    let (name, value) = match text.split_once('=') {
        Some((name, value)) => (name, Some(value.to_owned())),
        None => (text, None),
    };
    let inside = |c: char| c.is_ascii_alphanumeric() || c == '_';
    match name.starts_with(|c: char| inside(c) && !c.is_ascii_digit()) && name.chars().all(inside) {
        true => Ok((name.to_owned(), value)),
        false => Err(format!("`{name}` is not a name; expected NAME or NAME=VALUE")),
    }
}

impl ModelOptions {
    /// What to call the model.
    pub(crate) fn name(&self) -> String {
        self.model.display().to_string()
    }

    /// Loads the model. Warnings go to standard error.
    ///
    /// # Errors
    /// If it cannot be read, or is not a model: everything that is wrong with it.
    pub(crate) fn load(&self, quiet: bool) -> Result<Loaded, Error> {
        let options = mazurka_promela::Options {
            defines: self.defines.clone(),
            lossy: self.lossy,
        };
        let loaded = load_path(&self.model, &options)
            .map_err(|error| Diagnostic::error(format!("cannot read {}: {error}", self.name())))?;
        let loaded = loaded.map_err(|errors| refused(&self.name(), &errors))?;
        if !quiet {
            for warning in &loaded.warnings {
                let text = render(&loaded.model.sources, warning);
                remark(&format!("{}\n", diagnostic::coloured(&text)));
            }
        }
        Ok(loaded)
    }
}

/// What is wrong with a model or a formula.
pub(crate) fn refused(what: &str, errors: &Errors) -> Diagnostic {
    let mut all = Diagnostic::new();
    for found in &errors.diagnostics {
        all.block(&render(&errors.sources, found));
    }
    let severe = errors.diagnostics.iter().filter(|d| d.severity == Severity::Error);
    let count = match severe.count() {
        1 => "it has an error".to_owned(),
        n => format!("it has {n} errors"),
    };
    all.heading(format!("{what} cannot be used: {count}"));
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definitions_have_a_name_and_maybe_a_value() {
        assert_eq!(definition("N"), Ok(("N".to_owned(), None)));
        assert_eq!(definition("N=4"), Ok(("N".to_owned(), Some("4".to_owned()))));
        assert_eq!(definition("E=a==b"), Ok(("E".to_owned(), Some("a==b".to_owned()))));
        assert_eq!(definition("E="), Ok(("E".to_owned(), Some(String::new()))));
        for wrong in ["", "=4", "4=N", "a b=1"] {
            assert!(definition(wrong).is_err(), "{wrong}");
        }
    }
}
