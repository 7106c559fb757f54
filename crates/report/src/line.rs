//! Text that fits on a line.

use crate::page::visible;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// The number of columns that a text takes.
pub(crate) fn width(text: &str) -> usize {
    text.width()
}

/// Text from an input on one line, without invisible characters.
pub fn one_line(text: &str) -> String {
    visible(text.trim()).replace('\n', " ⏎ ").replace('\t', " ")
}

/// The text, shortened with an ellipsis if it takes more than `columns`.
pub(crate) fn shortened(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let (mut short, mut used) = (String::new(), 1);
    for c in text.chars() {
        used += c.width().unwrap_or(0);
        if used > columns {
            break;
        }
        short.push(c);
    }
    short.push('…');
    short
}

/// The spaces that pad a text to `columns`.
pub(crate) fn padding(text: &str, columns: usize) -> String {
    " ".repeat(columns.saturating_sub(width(text)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_text_is_cut_at_the_column() {
        assert_eq!(shortened("exactly", 7), "exactly");
        assert_eq!(shortened("too long", 7), "too lo…");
        assert_eq!(shortened("日本語", 5), "日本…", "wide characters take two columns");
        assert_eq!(shortened("ab", 0), "…");
    }

    #[test]
    fn records_of_several_lines_are_one() {
        assert_eq!(one_line("sent\nhost {\"a\":1}\x1b[31m\n"), "sent ⏎ host {\"a\":1}␛[31m");
    }
}
