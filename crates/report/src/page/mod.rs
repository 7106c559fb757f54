//! What all web pages share: how they look, how texts and data get into them safely.
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
/// Shows what goes wrong in the other scripts.
pub(crate) const ERRORS: &str = include_str!("errors.js");
/// Elements made by scripts, with their text as text.
pub(crate) const ELEMENTS: &str = include_str!("elements.js");

/// Data as JSON for a `<script>` element, where only `</` and `<!--` end or change
/// anything: writing `<`, `>` and `&` as escapes, which JSON allows in strings and
/// which occur nowhere else in it, leaves nothing for HTML to see.
pub(crate) fn embedded(data: &impl Serialize) -> String {
    let json = serde_json::to_string(data).expect("numbers and texts are JSON");
    json.replace('<', "\\u003c")
        .replace('>', "\\u003e")
        .replace('&', "\\u0026")
}
