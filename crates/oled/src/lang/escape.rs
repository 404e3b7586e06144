//! Escapes: how what cannot be printed is written in names and messages, and how names are read back.

use std::borrow::Cow;
use std::fmt::{self, Write};

/// Whether a letter would do something to a terminal, or to the lines around it, instead of being shown: control
/// characters, ends of lines, and the marks that turn the direction of what follows.
pub fn is_unprintable(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// A text for people: what cannot be printed is written as in quoted names, and lines stay lines.
///
/// ```
/// assert_eq!(oled::lang::printable("segment `\u{1b}[2J`\nhint: none"), "segment `\\u{1b}[2J`\nhint: none");
/// ```
pub fn printable(text: &str) -> Cow<'_, str> {
    let is_raw = |c: char| is_unprintable(c) && c != '\n';
    if !text.contains(is_raw) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        // Writing to a string cannot fail.
        let _ = if is_raw(c) { write_escape(&mut shown, c) } else { shown.write_char(c) };
    }
    Cow::Owned(shown)
}

/// A name in quotes, as the language reads it.
///
/// ```
/// assert_eq!(oled::lang::quoted("it's"), r"'it\'s'");
/// ```
pub fn quoted(name: &str) -> String {
    let mut written = String::with_capacity(name.len() + 2);
    // Writing to a string cannot fail.
    let _ = write_quoted(&mut written, name);
    written
}

pub(super) fn write_quoted(out: &mut impl Write, name: &str) -> fmt::Result {
    out.write_char('\'')?;
    for c in name.chars() {
        match c {
            '\'' | '\\' => write!(out, "\\{c}")?,
            c if is_unprintable(c) => write_escape(out, c)?,
            c => out.write_char(c)?,
        }
    }
    out.write_char('\'')
}

/// Writes a letter that cannot be printed.
fn write_escape(out: &mut impl Write, c: char) -> fmt::Result {
    match c {
        '\n' => out.write_str("\\n"),
        '\r' => out.write_str("\\r"),
        '\t' => out.write_str("\\t"),
        c => write!(out, "\\u{{{:x}}}", u32::from(c)),
    }
}

/// The letter that stands behind a backslash, and how many bytes it takes there; `None` at the end of the text. A letter
/// that means nothing special stands for itself.
pub(crate) fn unescape(behind: &str) -> Option<(char, usize)> {
    let first = behind.chars().next()?;
    Some(match first {
        'n' => ('\n', 1),
        't' => ('\t', 1),
        'r' => ('\r', 1),
        'u' => coded(behind).unwrap_or(('u', 1)),
        c => (c, c.len_utf8()),
    })
}

/// The letter of `u{1b}`.
fn coded(behind: &str) -> Option<(char, usize)> {
    let (digits, _) = behind.strip_prefix("u{")?.split_once('}')?;
    let is_code = (1..=6).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_hexdigit());
    let code = u32::from_str_radix(digits, 16).ok().filter(|_| is_code)?;
    Some((char::from_u32(code)?, digits.len() + 3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_escaped_is_read_back() {
        for c in ['\u{1b}', '\u{7f}', '\u{9b}', '\n', '\t', '\r', '\u{202e}', '\0'] {
            let mut written = String::new();
            write_escape(&mut written, c).unwrap();
            assert!(!written.contains(is_unprintable), "{written}");
            assert_eq!(unescape(&written[1..]), Some((c, written.len() - 1)));
        }
    }

    #[test]
    fn what_is_no_code_stands_for_itself() {
        for text in ["u", "u{", "u{}", "u{110000}", "u{d800}", "u{+1}", "u{0000001}"] {
            assert_eq!(unescape(text), Some(('u', 1)), "{text}");
        }
        assert_eq!(unescape(""), None);
    }
}
