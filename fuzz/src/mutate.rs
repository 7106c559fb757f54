//! Changes of an input: of its bytes, its words, its lines, its numbers, its depth.

use fastrand::Rng;

/// Pieces that cause trouble in any format.
const ODD: [&str; 16] = [
    "\0",
    "\u{feff}",
    "\u{fffd}",
    "é",
    "😀",
    "\\ud800",
    "\u{1b}[31m",
    "\"",
    "'",
    "\\",
    "\r\n",
    "\t",
    "/*",
    "*/",
    "//",
    "\\\n",
];

/// Numbers at the edges of types.
const NUMBERS: [&str; 14] = [
    "0",
    "-1",
    "1",
    "127",
    "128",
    "255",
    "256",
    "32768",
    "65535",
    "65536",
    "2147483648",
    "4294967296",
    "9223372036854775808",
    "99999999999999999999",
];

/// `input` with a few changes, some of them pieces of `other`.
pub fn mutated(random: &mut Rng, input: Vec<u8>, other: &[u8], words: &[&str]) -> Vec<u8> {
    let mut bytes = input;
    for _ in 0..random.usize(0..5) {
        change(random, &mut bytes, other, words);
    }
    bytes
}

fn change(random: &mut Rng, bytes: &mut Vec<u8>, other: &[u8], words: &[&str]) {
    let at = random.usize(..=bytes.len());
    let end = (at + random.usize(..40)).min(bytes.len());
    match random.u8(..13) {
        0 => drop(bytes.drain(at..end)),
        1 => {
            let piece = bytes[at..end].to_vec();
            let to = random.usize(..=bytes.len());
            insert(bytes, to, &piece);
        }
        2 => {
            let piece: Vec<u8> = bytes.drain(at..end).collect();
            let to = random.usize(..=bytes.len());
            insert(bytes, to, &piece);
        }
        3 if at < bytes.len() => bytes[at] ^= 1 << random.u8(..8),
        4 => insert(bytes, at, ODD[random.usize(..ODD.len())].as_bytes()),
        5 => replace_number(random, bytes, at),
        6 => swap_lines(random, bytes),
        7 => {
            let from = random.usize(..=other.len());
            let to = (from + random.usize(..200)).min(other.len());
            insert(bytes, at, &other[from..to]);
        }
        8 => bytes.truncate(at),
        9 => nest(random, bytes, at, words),
        10 | 11 => replace_word(random, bytes, at, words),
        _ => insert(bytes, at, word(random, words).as_bytes()),
    }
}

fn insert(bytes: &mut Vec<u8>, at: usize, piece: &[u8]) {
    bytes.splice(at..at, piece.iter().copied()).for_each(drop);
}

fn word<'w>(random: &mut Rng, words: &[&'w str]) -> &'w str {
    match words.is_empty() {
        true => " ",
        false => words[random.usize(..words.len())],
    }
}

/// The next run of bytes for which `is` holds, from `at` on.
fn run_of(bytes: &[u8], at: usize, is: impl Fn(u8) -> bool) -> Option<std::ops::Range<usize>> {
    let start = at + bytes[at..].iter().position(|byte| is(*byte))?;
    let length = bytes[start..]
        .iter()
        .position(|byte| !is(*byte))
        .unwrap_or(bytes.len() - start);
    Some(start..start + length)
}

fn replace_number(random: &mut Rng, bytes: &mut Vec<u8>, at: usize) {
    if let Some(digits) = run_of(bytes, at, |byte| byte.is_ascii_digit()) {
        let number = NUMBERS[random.usize(..NUMBERS.len())];
        bytes.splice(digits, number.bytes()).for_each(drop);
    }
}

/// Another word of the language, or one that occurs elsewhere in the input.
fn replace_word(random: &mut Rng, bytes: &mut Vec<u8>, at: usize, words: &[&str]) {
    let letters = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let Some(old) = run_of(bytes, at, letters) else { return };
    let from = random.usize(..=bytes.len());
    let new = match run_of(bytes, from, letters) {
        Some(found) if random.bool() => bytes[found].to_vec(),
        _ => word(random, words).as_bytes().to_vec(),
    };
    bytes.splice(old, new).for_each(drop);
}

fn swap_lines(random: &mut Rng, bytes: &mut Vec<u8>) {
    let mut lines: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
    if lines.is_empty() {
        return;
    }
    let (a, b) = (random.usize(..lines.len()), random.usize(..lines.len()));
    lines.swap(a, b);
    *bytes = lines.concat();
}

/// The same word very often: what opens something is nested, what is a list gets long.
fn nest(random: &mut Rng, bytes: &mut Vec<u8>, at: usize, words: &[&str]) {
    let times = [2, 30, 300, 3000][random.usize(..4)];
    let piece = word(random, words).repeat(times);
    insert(bytes, at, piece.as_bytes());
}
