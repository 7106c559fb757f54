//! A line of a text, with one piece of it underlined.
//!
//! ```text
//!   --> model.pml:12:5
//!    |
//! 12 |     assert(x == 1)
//!    |     ^^^^^^^^^^^^^^ it is 2
//! ```

use crate::page::printable;
use crate::style::{BAD, styled};
use std::ops::Range;
use unicode_width::UnicodeWidthStr;

/// A piece of a text, and its place.
///
/// ```
/// use mazurka_report::Excerpt;
/// let excerpt = Excerpt { place: "--never", text: "nod1.leader", span: 0..4, numbered: false, note: "unknown" };
/// assert!(excerpt.drawn().contains("nod1.leader"));
/// ```
#[derive(Clone, Debug)]
pub struct Excerpt<'a> {
    /// What to call the place: a file with line and column, or an option.
    pub place: &'a str,
    /// The whole text.
    pub text: &'a str,
    /// The piece, in bytes. It is cut off at the end of the text.
    pub span: Range<usize>,
    /// Whether to show the number of the line.
    pub numbered: bool,
    /// The text beside the mark. It may be empty.
    pub note: &'a str,
}

impl Excerpt<'_> {
    /// The excerpt with the styles of a terminal: the place, the line in which the piece begins, and the mark.
    pub fn drawn(&self) -> String {
        let (start, end) = (boundary(self.text, self.span.start), boundary(self.text, self.span.end));
        let line_start = self.text[..start].rfind('\n').map_or(0, |at| at + 1);
        let line_end = self.text[start..].find('\n').map_or(self.text.len(), |at| start + at);
        // A tab takes one column in the line and in the mark, so the mark is in the right place. Nothing in the text
        // moves the cursor.
        let tabless = |text: &str| printable(text).replace('\t', " ");
        let line = tabless(self.text[line_start..line_end].trim_end_matches('\r'));
        let before = tabless(&self.text[line_start..start]).width();
        let marks = tabless(&self.text[start..end.clamp(start, line_end)]).width().max(1);
        let number = match self.numbered {
            true => (self.text[..line_start].matches('\n').count() + 1).to_string(),
            false => " ".to_owned(),
        };
        let blank = " ".repeat(number.len());
        let mark = styled(BAD, &"^".repeat(marks));
        let place = printable(self.place);
        let text = format!(
            "{blank}--> {place}\n{blank} |\n{number} | {line}\n{blank} | {}{mark} {}",
            // The width of a format is at most 65,535.
            " ".repeat(before),
            printable(self.note).replace('\n', " ⏎ ")
        );
        format!("{}\n", text.trim_end())
    }
}

/// The next position at which a character begins.
fn boundary(text: &str, at: usize) -> usize {
    (at..text.len())
        .find(|at| text.is_char_boundary(*at))
        .unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::style::plain;

    fn drawn(text: &str, span: Range<usize>, note: &str) -> String {
        let excerpt = Excerpt {
            place: "--never",
            text,
            span,
            numbered: false,
            note,
        };
        plain(&excerpt.drawn())
    }

    #[test]
    fn a_mark_stands_under_what_it_is_about() {
        let expected = " --> --never\n  |\n  | a.x == \"日\" && b.y\n  |                ^^^ here\n";
        let text = "a.x == \"日\" && b.y";
        let at = text.find("b.y").unwrap();
        assert_eq!(drawn(text, at..at + 3, "here"), expected);
    }

    #[test]
    fn of_a_long_expression_the_line_in_question() {
        let expected = " --> --never\n  |\n  |   b.y +\n  |       ^\n";
        assert_eq!(drawn("a.x &&\n  b.y +\n", 13..99, ""), expected);
    }

    #[test]
    fn a_line_may_be_longer_than_a_width_of_a_format() {
        let text = format!("{}x", " ".repeat(70_000));
        assert!(drawn(&text, 70_000..70_001, "here").ends_with("  ^ here\n"));
    }

    #[test]
    fn places_beyond_the_text_are_at_its_end() {
        assert_eq!(drawn("ä", 1..2, ""), " --> --never\n  |\n  | ä\n  |  ^\n");
        assert_eq!(drawn("", 7..9, ""), " --> --never\n  |\n  | \n  | ^\n");
    }

    #[test]
    fn what_a_line_holds_does_nothing_to_the_terminal() {
        let expected = " --> --never\n  |\n  | a␛[2J b\n  |       ^ ␇\n";
        assert_eq!(drawn("a\x1b[2J b", 6..7, "\x07"), expected);
    }

    #[test]
    fn lines_have_numbers_and_tabs_are_one_column() {
        let excerpt = Excerpt {
            place: "m.pml:10:2",
            text: &format!("{}\tx\t= 1;\r\n", "\n".repeat(9)),
            span: 10..15,
            numbered: true,
            note: "",
        };
        let expected = "  --> m.pml:10:2\n   |\n10 |  x = 1;\n   |  ^^^^^\n";
        assert_eq!(plain(&excerpt.drawn()), expected);
    }
}
