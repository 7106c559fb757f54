//! The command line as a whole.

use crate::commands::Command;
use bytesize::ByteSize;
use clap::Parser;

/// A workbench for concurrent and distributed systems, built on partial orders
#[derive(Debug, Parser)]
#[command(name = "mazurka", version, max_term_width = 100, after_help = EXIT_CODES)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

const EXIT_CODES: &str = "Exit codes: 0 answered and nothing wrong; 1 a violation was found; 2 the input or the \
                          command line is wrong; 3 inconclusive, a limit was reached; 130 interrupted.";

/// A number of bytes.
///
/// # Errors
/// If the text is not a size.
pub(crate) fn size(text: &str) -> Result<usize, String> {
    let size: Result<ByteSize, _> = text.parse();
    let bytes = size.ok().and_then(|size| usize::try_from(size.as_u64()).ok());
    let bytes = bytes.filter(|bytes| *bytes > 0);
    let bytes = bytes.ok_or_else(|| format!("`{text}` is not a size; expected one such as 512MiB or 2GB"))?;
    match isize::try_from(bytes) {
        Ok(_) => Ok(bytes),
        Err(_) => Err(format!("`{text}` is too large; expected at most {}", isize::MAX)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn sizes() {
        assert_eq!(size("4096"), Ok(4096));
        assert_eq!(size("2GiB"), Ok(2 << 30));
        assert_eq!(size("1.5 MB"), Ok(1_500_000));
        assert!(size("much").is_err());
    }
}
