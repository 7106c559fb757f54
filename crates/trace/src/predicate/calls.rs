//! Calls of macros and functions, and errors in them that can be found without a trace.

use super::error::{PredicateError, did_you_mean};
use super::syntax::{Comprehension, Expression, Form, Function, Kind, PROCESSES, Pattern, Quantifier};
use crate::value::Value;
use std::ops::Range;

/// Turns calls into expressions.
#[derive(Default)]
pub(super) struct Calls {
    /// What is wrong, apart from syntax.
    pub(super) errors: Vec<PredicateError>,
}

impl Calls {
    /// Notes an error that is not about syntax.
    pub(super) fn error(&mut self, error: PredicateError) -> Kind {
        self.errors.push(error);
        Kind::Invalid
    }

    /// The expression of a call, given its name and the place of the name, what stands before the dot, the
    /// arguments, and the place of the whole call.
    pub(super) fn function(
        &mut self,
        name: &str,
        place: Range<usize>,
        target: Option<Expression>,
        mut arguments: Vec<Expression>,
        whole: Range<usize>,
    ) -> Kind {
        let method = target.is_some();
        let count = arguments.len();
        if let Some((_, quantifier)) = Quantifier::NAMES.iter().find(|(known, _)| *known == name)
            && let Some(range) = target
        {
            return self.comprehension(*quantifier, name, range, arguments, place);
        }
        let target = match (name, target) {
            ("has", None) => {
                return match (count, arguments.pop().map(|argument| argument.kind)) {
                    (1, Some(Kind::Field(e, field))) => Kind::Has(e, field),
                    _ => self.error(PredicateError::new(whole, "`has` needs one field, as in `has(p.x)`")),
                };
            }
            ("process", None) => {
                return match (count, arguments.pop()) {
                    (1, Some(name)) => Kind::Process(Box::new(name)),
                    _ => {
                        let message = "`process` needs one name, as in `process(\"node-1\")`";
                        self.error(PredicateError::new(whole, message))
                    }
                };
            }
            ("matches", Some(target)) => {
                return match (count, arguments.pop()) {
                    (1, Some(pattern)) => self.pattern(target, pattern),
                    _ => self.error(PredicateError::new(whole, "`matches` needs one pattern")),
                };
            }
            (_, target) => target,
        };
        let known = Function::TABLE.iter().find(|(known, ..)| *known == name);
        let Some((_, function, expected, form)) = known else {
            return self.unknown(name, place);
        };
        let arguments: Vec<_> = target.into_iter().chain(arguments).collect();
        if let Some(error) = wrong_form(name, &place, form, method) {
            return self.error(error);
        }
        if arguments.len() != *expected {
            let expected = expected - usize::from(method);
            let message = format!("`{name}` takes {}, not {count}", arguments_in_words(expected));
            return self.error(PredicateError::new(whole, message));
        }
        Kind::Call(*function, arguments)
    }

    /// The error for a name that is not a function.
    fn unknown(&mut self, name: &str, place: Range<usize>) -> Kind {
        if Quantifier::NAMES.iter().any(|(known, _)| *known == name) {
            let error = PredicateError::new(place, format!("`{name}` is called on a list"));
            return self.error(error.hint(format!("write `processes.{name}(p, …)`")));
        }
        let error = PredicateError::new(place, format!("there is no function `{name}`"));
        if name == "not" {
            return self.error(error.hint("negation is written `!`"));
        }
        let functions = Function::TABLE.iter().map(|(known, ..)| *known);
        let macros = Quantifier::NAMES.iter().map(|(known, _)| *known);
        let similar = did_you_mean(name, functions.chain(macros).chain(["has", "process", "matches"]));
        self.error(error.perhaps(similar))
    }

    fn comprehension(
        &mut self,
        quantifier: Quantifier,
        name: &str,
        range: Expression,
        mut arguments: Vec<Expression>,
        place: Range<usize>,
    ) -> Kind {
        let count = arguments.len();
        if count != 2 && !(count == 3 && quantifier == Quantifier::Map) {
            let message =
                format!("`{name}` takes a variable and an expression, as in `{name}(p, …)`, not {count} arguments");
            return self.error(PredicateError::new(place, message));
        }
        let body = arguments.pop();
        let guard = if count == 3 { arguments.pop() } else { None };
        let (Some(body), Some(variable)) = (body, arguments.pop()) else {
            return Kind::Invalid;
        };
        let Kind::Name(variable) = variable.kind else {
            let message = format!("the first argument of `{name}` must be a name that stands for the element");
            return self.error(PredicateError::new(variable.span, message));
        };
        if variable == PROCESSES {
            let message = format!("`{PROCESSES}` stands for all processes; `{name}` needs another name");
            return self.error(PredicateError::new(place, message));
        }
        Kind::Comprehension(Box::new(Comprehension {
            quantifier,
            range,
            variable: variable.into(),
            guard,
            body,
        }))
    }

    fn pattern(&mut self, target: Expression, pattern: Expression) -> Kind {
        let Kind::Constant(Value::String(text)) = &pattern.kind else {
            return self.error(PredicateError::new(
                pattern.span,
                "the pattern of `matches` must be a literal string",
            ));
        };
        match regex::Regex::new(text) {
            Ok(regex) => Kind::Matches(Box::new(target), Pattern(regex)),
            Err(error) => {
                let reason = error.to_string();
                let reason = reason
                    .lines()
                    .last()
                    .unwrap_or_default()
                    .trim_start_matches("error: ")
                    .to_owned();
                self.error(PredicateError::new(
                    pattern.span,
                    format!("not a regular expression: {reason}"),
                ))
            }
        }
    }
}

/// The error for a method that is called as a function, or for a function that is called as a method.
fn wrong_form(name: &str, place: &Range<usize>, form: &Form, method: bool) -> Option<PredicateError> {
    let (message, hint) = match (form, method) {
        (Form::Global, true) => (format!("`{name}` is not a method"), format!("write `{name}(x)`")),
        (Form::Method, false) => (format!("`{name}` is a method"), format!("write `x.{name}(…)`")),
        _ => return None,
    };
    Some(PredicateError::new(place.clone(), message).hint(hint))
}

fn arguments_in_words(count: usize) -> String {
    match count {
        0 => "no argument".to_owned(),
        1 => "one argument".to_owned(),
        n => format!("{n} arguments"),
    }
}
