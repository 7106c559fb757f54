//! Text from an input, with every character visible.
//!
//! A log line, a model or the name of a file may hold any character. Control characters show as their pictures
//! (`␀`), and those that reorder or hide the text around them (Unicode's
//! bidirectional controls, byte order marks, noncharacters) as their numbers, so
//! that a page reads exactly like the log, and no input moves the cursor of a terminal or sets its title.

use std::borrow::Cow;
use std::fmt::Write;

/// How many characters of a record, a value or a label are shown.
const LONGEST: usize = 4000;

/// The text without invisible characters, except tabs and ends of lines. All text from an input passes through here
/// before it is printed. A control character stays one column wide.
///
/// ```
/// assert_eq!(mazurka_report::printable("a\x1b[2Jb"), "a␛[2Jb");
/// ```
pub fn printable(text: &str) -> Cow<'_, str> {
    let is_plain = |c: char| matches!(c, '\t' | '\n' | ' '..='~');
    if text.chars().all(|c| is_plain(c) || !c.is_control() && !is_unseen(c)) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\t' | '\n' => shown.push(c),
            '\0'..='\u{1f}' => shown.extend(char::from_u32(0x2400 + c as u32)),
            '\u{7f}' => shown.push('␡'),
            _ if is_unseen(c) => {
                let _ = write!(shown, "⟨U+{:04X}⟩", c as u32);
            }
            _ => shown.push(c),
        }
    }
    Cow::Owned(shown)
}

/// The text without invisible characters, shortened if it is very long.
pub(crate) fn visible(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        None => printable(text).into_owned(),
        Some((at, _)) => {
            let left = text[at..].chars().count();
            format!("{}… ({left} more characters)", printable(&text[..at]))
        }
    }
}

fn is_unseen(c: char) -> bool {
    matches!(c,
        '\u{80}'..='\u{9f}'
        | '\u{ad}'
        | '\u{61c}'
        | '\u{200b}'..='\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{feff}'
        | '\u{fff9}'..='\u{fffb}'
        | '\u{fdd0}'..='\u{fdef}'
        | '\u{e0000}'..='\u{e0fff}')
        || c as u32 & 0xfffe == 0xfffe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_seen_is_named() {
        assert_eq!(visible("a\0b\u{7f}"), "a␀b␡");
        assert_eq!(visible("x\u{202e}y\u{ffff}"), "x⟨U+202E⟩y⟨U+FFFF⟩");
        assert_eq!(visible("żółw <b> \"…\" 🐢"), "żółw <b> \"…\" 🐢");
    }

    #[test]
    fn long_text_is_cut_short_and_says_so() {
        let text = visible(&"ż".repeat(LONGEST + 3));
        assert!(text.ends_with("ż… (3 more characters)"));
    }
}
