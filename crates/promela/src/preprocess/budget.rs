//! Limits on the size of the text.
//!
//! A few lines can expand to more text than any memory holds: a macro that doubles its argument, forty times; headers
//! that include the next one twice. So everything that is made from the text is counted before it is made.

use thiserror::Error;

/// The greatest number of bytes of all files. A file that is read several times counts each time.
pub(crate) const BYTES: usize = 16 << 20;
/// The greatest number of files. A file that is read several times counts each time.
const FILES: usize = 1000;
/// The greatest number of tokens that macros expand to.
const TOKENS: usize = 1_000_000;
/// The greatest number of bytes that `#` and `##` produce.
const TEXT: usize = 4 << 20;

/// What is left of each limit.
#[derive(Debug)]
pub(super) struct Budget {
    bytes: usize,
    files: usize,
    tokens: usize,
    text: usize,
}

/// The limit that was exceeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub(super) enum Spent {
    #[error("the model has more than {} MiB of text", BYTES >> 20)]
    Bytes,
    #[error("more than {FILES} files are included: do headers include one another several times?")]
    Files,
    #[error("macros expand to more than {TOKENS} tokens")]
    Tokens,
    #[error("`#` and `##` produce more than {} MiB of text", TEXT >> 20)]
    Text,
    #[error("macros are nested more than {0} deep")]
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
    /// Counts a file of this many bytes.
    pub(super) fn file(&mut self, bytes: usize) -> Result<(), Spent> {
        take(&mut self.files, 1, Spent::Files)?;
        take(&mut self.bytes, bytes, Spent::Bytes)
    }

    /// Counts this many tokens from a macro.
    pub(super) fn tokens(&mut self, count: usize) -> Result<(), Spent> {
        take(&mut self.tokens, count, Spent::Tokens)
    }

    /// Counts a token with this much text.
    pub(super) fn text(&mut self, bytes: usize) -> Result<(), Spent> {
        take(&mut self.text, bytes, Spent::Text)
    }
}
