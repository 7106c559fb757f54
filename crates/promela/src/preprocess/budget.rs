//! How much text is read.
//!
//! A few lines can stand for more text than any memory holds: a macro that doubles its argument, forty times; headers
//! that include the next one twice. So everything that is made out of the text is counted, before it is made.

use thiserror::Error;

/// How many bytes all files may have together, each as often as it is read.
pub(crate) const BYTES: usize = 16 << 20;
/// How many files may be read, each as often as it is.
const FILES: usize = 1000;
/// How many tokens macros may yield.
const TOKENS: usize = 1_000_000;
/// How many bytes `#` and `##` may put together.
const TEXT: usize = 4 << 20;

/// What may still be made.
#[derive(Debug)]
pub(super) struct Budget {
    bytes: usize,
    files: usize,
    tokens: usize,
    text: usize,
}

/// What was used up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub(super) enum Spent {
    #[error("the model has more than {} MiB of text", BYTES >> 20)]
    Bytes,
    #[error("more than {FILES} files are included: do headers include one another several times?")]
    Files,
    #[error("macros expand to more than {TOKENS} tokens")]
    Tokens,
    #[error("`#` and `##` make more than {} MiB of text", TEXT >> 20)]
    Text,
    #[error("macros are nested in one another more than {0} deep")]
    Depth(usize),
}

impl Default for Budget {
    fn default() -> Self {
        Self {
            bytes: BYTES,
            files: FILES,
            tokens: TOKENS,
            text: TEXT,
        }
    }
}

fn take(left: &mut usize, amount: usize, spent: Spent) -> Result<(), Spent> {
    *left = left.checked_sub(amount).ok_or(spent)?;
    Ok(())
}

impl Budget {
    /// A file of that many bytes is read.
    pub(super) fn file(&mut self, bytes: usize) -> Result<(), Spent> {
        take(&mut self.files, 1, Spent::Files)?;
        take(&mut self.bytes, bytes, Spent::Bytes)
    }

    /// A macro yields that many tokens.
    pub(super) fn tokens(&mut self, count: usize) -> Result<(), Spent> {
        take(&mut self.tokens, count, Spent::Tokens)
    }

    /// A token with that much text is made.
    pub(super) fn text(&mut self, bytes: usize) -> Result<(), Spent> {
        take(&mut self.text, bytes, Spent::Text)
    }
}
