//! Checks `printf`: its format, and whether the arguments fit it.

use super::Checker;
use crate::diagnostic::Diagnostic;
use crate::lexer;
use crate::preprocess::expansion::At;
use crate::preprocess::macros::counted;

/// Resolves the escapes of a format.
pub(super) fn unescaped(format: &str) -> String {
    let mut text = String::with_capacity(format.len());
    let mut chars = format.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => text.extend(chars.next().map(lexer::escape)),
            c => text.push(c),
        }
    }
    text
}

impl Checker<'_> {
    /// Warns if a format does not fit the number of arguments.
    pub(super) fn conversions(&mut self, format: &str, at: At, arguments: usize) {
        let mut count = 0;
        let mut chars = format.chars();
        while let Some(c) = chars.next() {
            if c != '%' {
                continue;
            }
            match chars.next() {
                Some('%') => {}
                Some('c' | 'd' | 'e' | 'o' | 'u' | 'x') => count += 1,
                other => {
                    let shown = other.map_or_else(|| "%".to_owned(), |c| format!("%{c}"));
                    let message = format!("`{shown}` prints nothing");
                    let diagnostic = Diagnostic::warning("promela::printf", at.span, message);
                    self.report(diagnostic.help("there are %c %d %e %o %u %x and %%"), at);
                }
            }
        }
        if count != arguments {
            let message = format!(
                "the format has {}, but there {} {}",
                counted(count, "conversion"),
                if arguments == 1 { "is" } else { "are" },
                counted(arguments, "argument")
            );
            self.warning("promela::printf", at, message);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::unescaped;

    #[test]
    fn escapes_are_those_of_c() {
        assert_eq!(unescaped(r#"a\tb\n\"q\" \\"#), "a\tb\n\"q\" \\");
    }
}
