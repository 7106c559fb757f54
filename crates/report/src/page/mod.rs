//! What all web pages share: how they look, and how texts and data are embedded safely.
//!
//! A page is one file that needs no network. Texts from an input are first made
//! visible ([`visible`]) and then escaped: by the template as HTML, or here as JSON
//! that a script reads ([`embedded`]).

mod visible;

pub use visible::printable;
pub(crate) use visible::visible;

use serde::Serialize;

/// Colours, cards, verdicts, buttons, tables of values; light and dark.
pub(crate) const THEME: &str = include_str!("theme.css");
/// Shows errors of the other scripts on the page.
pub(crate) const ERRORS: &str = include_str!("errors.js");
/// Creates elements whose content is text, never HTML.
pub(crate) const ELEMENTS: &str = include_str!("elements.js");

/// Data as JSON for a `<script>` element. In such an element, only `</` and `<!--` mean anything to HTML. JSON has `<`,
/// `>` and `&` only in strings, where they may be written as escapes, so none of them remains.
pub(crate) fn embedded(data: &impl Serialize) -> String {
    let json = serde_json::to_string(data).expect("numbers and texts are JSON");
    json.replace('<', "\\u003c")
        .replace('>', "\\u003e")
        .replace('&', "\\u0026")
}
