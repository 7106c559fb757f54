//! The preprocessor: from a file to the tokens of a model.
//!
//! SPIN runs the preprocessor of the C compiler. This one is our own. It works on tokens and has what
//! models use: `#define` with and without parameters, `#undef`, `#include`, `#if` and
//! the directives that belong to it, `#error`. It ignores `#line`, `#ident`, `#pragma` and line marks. Unlike a text
//! preprocessor, it remembers where everything was written: see [`expansion`].

mod budget;
mod condition;
mod directive;
pub(crate) mod expansion;
pub(crate) mod macros;
mod run;

use crate::diagnostic::Diagnostic;
use crate::lexer::{self, Origin, Token, TokenKind};
use crate::source::{FileId, Sources, Span};
pub(crate) use budget::BYTES;
use budget::{Budget, Spent};
use expansion::Expansions;
use macros::Macro;
use run::Run;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Reads an included file.
pub(crate) type Reader<'a> = &'a dyn Fn(&Path) -> std::io::Result<Vec<u8>>;

/// The tokens of a model, and where they come from.
pub(crate) struct Preprocessed {
    pub(crate) sources: Sources,
    pub(crate) tokens: Vec<Token>,
    pub(crate) expansions: Expansions,
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// The macros that are defined at the end, as directives.
    pub(crate) definitions: String,
}

/// How deep files may include one another.
const INCLUDES: usize = 40;

struct Preprocessor<'a> {
    reader: Reader<'a>,
    sources: Sources,
    expansions: Expansions,
    diagnostics: Vec<Diagnostic>,
    macros: HashMap<Rc<str>, Rc<Macro>>,
    output: Vec<Token>,
    /// The files that are being read: the path of each, and the place where it includes the next.
    open: Vec<(PathBuf, Span)>,
    budget: Budget,
    /// Whether the budget was exceeded.
    stopped: bool,
}

/// The text of a file. Bytes that are not UTF-8 are replaced.
pub(crate) fn decoded(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Preprocesses a text, after some directives. `path` is the path of the text. Files are added to
/// the sources.
pub(crate) fn preprocess(
    path: &Path,
    text: String,
    directives: String,
    reader: Reader<'_>,
    sources: Sources,
) -> Preprocessed {
    let mut preprocessor = Preprocessor {
        reader,
        sources,
        expansions: Expansions::default(),
        diagnostics: Vec::new(),
        macros: HashMap::new(),
        output: Vec::new(),
        open: Vec::new(),
        budget: Budget::default(),
        stopped: false,
    };
    let main = preprocessor.read(path, text, directives);
    preprocessor.finish(main)
}

/// An open `#if`.
struct Conditional {
    span: Span,
    /// Whether the text around it is read.
    outside: bool,
    /// Whether the current branch is read.
    active: bool,
    /// Whether a branch was read, so that `#else` is skipped.
    taken: bool,
    /// The place of the `#else`.
    otherwise: Option<Span>,
}

impl Preprocessor<'_> {
    /// Reads the directives, and then the text as the file `path`.
    fn read(&mut self, path: &Path, text: String, directives: String) -> FileId {
        let too_large = self.budget.file(text.len() + directives.len()).err();
        let (text, directives) = match too_large {
            None => (text, directives),
            // Places in a text of this size cannot be numbered.
            Some(_) => (String::new(), String::new()),
        };
        let main = self.sources.add(path.display().to_string(), text);
        if let Some(spent) = too_large {
            let span = Span {
                file: main,
                ..Span::default()
            };
            self.too_large(span, Origin::default(), spent);
        }
        if !directives.is_empty() {
            let file = self.sources.add("-D", directives);
            self.file(file);
        }
        self.open.push((path.to_owned(), Span::default()));
        self.file(main);
        main
    }

    fn finish(mut self, main: FileId) -> Preprocessed {
        if self.stopped {
            // The tokens of half a model would only cause more errors.
            self.output.clear();
        }
        let end = crate::narrow::index(self.sources.text(main).len());
        self.output.push(Token {
            kind: TokenKind::End,
            span: Span {
                file: main,
                start: end,
                end,
            },
            origin: Origin::default(),
            first: true,
            newline: true,
            space: true,
        });
        let mut definitions: Vec<String> = self.macros.values().map(|found| found.directive()).collect();
        definitions.sort();
        Preprocessed {
            definitions: definitions.concat(),
            sources: self.sources,
            tokens: self.output,
            expansions: self.expansions,
            diagnostics: self.diagnostics,
        }
    }

    fn report(&mut self, diagnostic: Diagnostic, origin: Origin) {
        let mut diagnostic = self.expansions.explain(diagnostic, origin);
        for (_, span) in self.open.iter().skip(1).rev() {
            diagnostic = diagnostic.note(*span, "included here");
        }
        self.diagnostics.push(diagnostic);
    }

    /// Reports that a limit is exceeded. The rest of the text is ignored.
    fn too_large(&mut self, span: Span, origin: Origin, spent: Spent) {
        if !std::mem::replace(&mut self.stopped, true) {
            self.report(Diagnostic::error("promela::too-large", span, spent.to_string()), origin);
        }
    }

    fn error(&mut self, span: Span, message: impl Into<String>) {
        self.report(
            Diagnostic::error("promela::preprocessor", span, message),
            Origin::default(),
        );
    }

    /// Reads a file to its end.
    fn file(&mut self, file: FileId) {
        let tokens = lexer::tokens(self.sources.text(file), file);
        let mut conditionals: Vec<Conditional> = Vec::new();
        let mut run = Run::default();
        let mut at = 0;
        while tokens[at].kind != TokenKind::End && !self.stopped {
            let active = conditionals.last().is_none_or(|conditional| conditional.active);
            let token = &tokens[at];
            if !(token.first && token.is("#")) {
                if active {
                    run.push(token.clone());
                }
                at += 1;
                continue;
            }
            let begin = at + 1;
            at = begin;
            while !tokens[at].first && tokens[at].kind != TokenKind::End {
                at += 1;
            }
            let line = &tokens[begin..at];
            let includes = active && line.first().is_some_and(|token| token.is("include"));
            let whole = if includes {
                run.all()
            } else {
                run.up_to_open_call(&self.macros)
            };
            self.flush(whole);
            self.directive(token.span, line, active, &mut conditionals);
        }
        self.flush(run.all());
        if !self.stopped {
            for conditional in conditionals {
                self.error(conditional.span, "this condition has no `#endif`");
            }
        }
    }

    fn flush(&mut self, run: Vec<Token>) {
        let expanded = self.expand(run);
        self.output.extend(expanded);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parser::written;

    /// What a text becomes, and the ids of what is wrong with it.
    fn preprocessed(text: &str) -> (String, Vec<&'static str>) {
        let reader = |path: &Path| match path.to_str() {
            Some("a.h") => Ok(b"from_a\n#define INCLUDED 1\n".to_vec()),
            Some("self.h") => Ok(b"#include \"self.h\"\n".to_vec()),
            _ => Err(std::io::Error::other("no such file")),
        };
        let result = preprocess(
            Path::new("m.pml"),
            text.to_owned(),
            String::new(),
            &reader,
            Sources::default(),
        );
        let ids = result.diagnostics.iter().map(|found| found.id).collect();
        (written(&result.tokens), ids)
    }

    fn text(text: &str) -> String {
        let (text, wrong) = preprocessed(text);
        assert!(wrong.is_empty(), "{wrong:?}");
        text
    }

    #[test]
    fn macros_with_and_without_parameters() {
        assert_eq!(
            text("#define N 3\n#define ADD(a, b) (a + b)\nx = ADD(N, ADD(1, (2, 3)))"),
            "x = (3 + (1 + (2, 3)))"
        );
        assert_eq!(text("#define F(x) x!\nF F (1) F"), "F 1! F");
        assert_eq!(text("#define EMPTY\na EMPTY b\n#undef EMPTY\nEMPTY"), "a b EMPTY");
        assert_eq!(text("#define LONG a; \\\n  b\nLONG; c"), "a; b; c");
        assert_eq!(text("#define F (x)\nF(1)"), "(x)(1)");
    }

    #[test]
    fn a_macro_is_not_expanded_in_itself() {
        assert_eq!(text("#define a b + a\n#define b a\na b"), "a + a b + a");
        assert_eq!(text("#define f(x) f(x + 1)\nf(f(0))"), "f(f(0 + 1) + 1)");
    }

    #[test]
    fn pasting_and_strings() {
        assert_eq!(
            text("#define V(n) var_ ## n = #n;\nV(3) V(a b)"),
            "var_3 = \"3\"; var_a b = \"a b\";"
        );
    }

    #[test]
    fn arguments_may_span_directives() {
        let call = "#define F(a, b) a + b\nx F(1,\n#ifdef A\n2\n#else\n3\n#endif\n) y F\n#if 1\n(4, (\n#endif\n5)) F";
        assert_eq!(text(call), "x 1 + 3 y 4 + ( 5) F");
        assert_eq!(text("#define F(a) a N\nF(N\n#define N 1\n)\n#undef N\nN"), "1 1 N");
        assert_eq!(
            preprocessed("#define F(a) a\nF(\n#include \"a.h\"\n)").1,
            ["promela::macro-call"]
        );
    }

    #[test]
    fn conditions() {
        let input = "#define N 2\n#if N > 2\na\n#elif defined(N) && !defined M\nb\n#if 0\n' no\n#else\nc\n#endif\n#else\nd\n#endif\ne";
        assert_eq!(text(input), "b c e");
        assert_eq!(
            text("#ifndef A\n#define A\n1\n#endif\n#ifdef A\n2\n#else\n3\n#endif"),
            "1 2"
        );
    }

    #[test]
    fn files_and_line_marks() {
        assert_eq!(
            text("#include \"a.h\"\nINCLUDED\n# 12 \"x\"\n#line 3\n#include <a.h>"),
            "from_a 1 from_a"
        );
    }

    #[test]
    fn what_is_wrong() {
        let ids = |text: &str| preprocessed(text).1;
        assert_eq!(ids("#if 1\n"), ["promela::preprocessor"]);
        assert_eq!(ids("#endif"), ["promela::preprocessor"]);
        assert_eq!(ids("#if 1\n#else\n#else\n#endif"), ["promela::preprocessor"]);
        assert_eq!(ids("#error \"no\""), ["promela::error"]);
        assert_eq!(ids("#unknown"), ["promela::preprocessor"]);
        assert_eq!(ids("#define F(a) a\nF(1, 2)"), ["promela::macro-call"]);
        assert_eq!(ids("#define F(a) a\nF(1"), ["promela::macro-call"]);
        assert_eq!(
            ids("#define N 1\n#define N 2\n#define N 2"),
            ["promela::macro-redefined"]
        );
        assert_eq!(ids("#include \"none.h\""), ["promela::include"]);
        assert_eq!(ids("#include \"self.h\""), ["promela::preprocessor"]);
    }
}
