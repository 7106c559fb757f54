//! Where expanded text comes from.
//!
//! A token keeps the span where it was written, and its [`Origin`] says why it is
//! read elsewhere: it belongs to the body of a macro or an inline, or it is an argument
//! that replaced a parameter. Origins form a tree whose root, 0, is the text of the
//! files. The parent of an origin has the place that the expansion
//! replaced. So for any two tokens there is a level on which both have a place in the same
//! text, and a span from one to the other makes sense there.

use crate::diagnostic::Diagnostic;
use crate::lexer::Origin;
use crate::source::Span;
use std::rc::Rc;

/// A place in expanded text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct At {
    /// The place where it was written.
    pub(crate) span: Span,
    /// The expansion that it comes from.
    pub(crate) origin: Origin,
}

/// What was expanded.
#[derive(Clone, Debug)]
pub(crate) enum Cause {
    /// A macro of this name.
    Macro(Rc<str>),
    /// A call of an inline.
    Inline(Rc<str>),
    /// A parameter of the parent, which is a macro or an inline.
    Parameter(Rc<str>),
}

#[derive(Clone, Debug)]
struct Expansion {
    cause: Cause,
    /// The place that was replaced.
    site: At,
}

/// All expansions of a model.
#[derive(Clone, Debug, Default)]
pub(crate) struct Expansions {
    all: Vec<Expansion>,
}

impl Expansions {
    /// Adds an expansion, which replaces the text at `site`.
    pub(crate) fn add(&mut self, cause: Cause, site: At) -> Origin {
        self.all.push(Expansion { cause, site });
        Origin(crate::narrow::index(self.all.len()))
    }

    fn get(&self, origin: Origin) -> Option<&Expansion> {
        self.all.get((origin.0 as usize).checked_sub(1)?)
    }

    fn depth(&self, origin: Origin) -> usize {
        std::iter::successors(self.get(origin), |expansion| self.get(expansion.site.origin)).count()
    }

    fn up(&self, at: At) -> At {
        self.get(at.origin).map_or(at, |expansion| expansion.site)
    }

    /// The place from the beginning of one to the end of the other, on the lowest level
    /// that has both.
    pub(crate) fn join(&self, from: At, to: At) -> At {
        let (mut a, mut b) = (from, to);
        if a.origin != b.origin {
            let (mut x, mut y) = (self.depth(a.origin), self.depth(b.origin));
            while a.origin != b.origin {
                if x >= y {
                    a = self.up(a);
                    x -= 1;
                } else {
                    b = self.up(b);
                    y -= 1;
                }
            }
        }
        At {
            span: a.span.to(b.span),
            origin: a.origin,
        }
    }

    /// Adds the expansions that a place comes from to a diagnostic.
    pub(crate) fn explain(&self, mut diagnostic: Diagnostic, origin: Origin) -> Diagnostic {
        let mut next = origin;
        let mut left = 6;
        while let Some(expansion) = self.get(next) {
            let site = expansion.site;
            next = site.origin;
            let message = match &expansion.cause {
                Cause::Macro(name) => format!("in the expansion of the macro `{name}`"),
                Cause::Inline(name) => format!("in this call of the inline `{name}`"),
                Cause::Parameter(name) => {
                    // The note for the expansion itself already shows the argument.
                    next = self.get(next).map_or(Origin::default(), |parent| parent.site.origin);
                    format!("it replaces the parameter `{name}` here")
                }
            };
            diagnostic = diagnostic.note(site.span, message);
            left -= 1;
            if left == 0 {
                break;
            }
        }
        diagnostic
    }
}
