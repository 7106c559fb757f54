//! Styles for terminals.

use anstyle::{AnsiColor, Style};

pub(crate) const NAME: Style = Style::new().bold();
pub(crate) const READ: Style = AnsiColor::Cyan.on_default();
pub(crate) const BAD: Style = AnsiColor::Red.on_default().bold();
pub(crate) const FAINT: Style = Style::new().dimmed();

/// The style of a verdict.
pub(crate) fn of_verdict(verdict: &str) -> Style {
    match verdict {
        "holds" => AnsiColor::Green.on_default().bold(),
        "violated" => BAD,
        "inconclusive" => AnsiColor::Yellow.on_default().bold(),
        _ => Style::new().bold(),
    }
}

/// A text in a style.
pub(crate) fn styled(style: Style, text: &str) -> String {
    match text {
        "" => String::new(),
        _ => format!("{style}{text}{style:#}"),
    }
}

/// The text without styles.
#[cfg(test)]
pub(crate) fn plain(text: &str) -> String {
    let mut plain = String::new();
    let mut parts = text.split('\x1b');
    plain += parts.next().unwrap();
    for part in parts {
        plain += part.split_once('m').unwrap().1;
    }
    plain
}
