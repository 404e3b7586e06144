//! Lines of an input, lent from one large buffer.

use std::io::{self, Read};

/// A line without its end.
#[derive(Clone, Copy)]
pub(crate) struct Line<'a> {
    pub(crate) text: &'a str,
    /// Whether a line end follows; the last line of an input that was cut off has none.
    pub(crate) ended: bool,
}

/// The bytes of a line and its number, counted from one.
pub(crate) struct RawLine<'a> {
    pub(crate) bytes: &'a [u8],
    pub(crate) number: usize,
    pub(crate) ended: bool,
}

/// Reads lines of any length without copying them: they are lent until the next is asked for.
pub(crate) struct LineReader {
    input: Box<dyn Read + Send>,
    buffer: Vec<u8>,
    /// What was read and not yet lent is `buffer[start..end]`.
    start: usize,
    end: usize,
    number: usize,
    /// Whether the input has no more bytes than those in the buffer.
    exhausted: bool,
    /// A longer line is an error.
    most: usize,
}

const BUFFER: usize = 1 << 18;
/// The longest line where nothing else is said, one gibibyte: exports may have all their documents on one line.
const MAX_LINE: usize = 1 << 30;

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

impl LineReader {
    pub(crate) fn new(input: Box<dyn Read + Send>) -> LineReader {
        LineReader { input, buffer: vec![0; BUFFER], start: 0, end: 0, number: 0, exhausted: false, most: MAX_LINE }
    }

    /// The same with another limit for the length of a line.
    pub(crate) fn with_limit(mut self, most: Option<usize>) -> LineReader {
        self.most = most.unwrap_or(MAX_LINE);
        self
    }

    fn too_long(&self, what: &str) -> io::Error {
        let message = format!("{what} is longer than {} bytes", self.most);
        io::Error::new(io::ErrorKind::FileTooLarge, message)
    }

    /// The next line, if any.
    pub(crate) fn next_line(&mut self) -> io::Result<Option<RawLine<'_>>> {
        let length = self.find_end()?;
        let start = self.start;
        let (end, ended) = match length {
            Some(length) => (start + length, true),
            None if start == self.end => return Ok(None),
            None => (self.end, false),
        };
        self.start = end + usize::from(ended);
        self.number += 1;
        let mut bytes = &self.buffer[start..end];
        bytes = bytes.strip_suffix(b"\r").unwrap_or(bytes);
        if self.number == 1 {
            bytes = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes);
        }
        Ok(Some(RawLine { bytes, number: self.number, ended }))
    }

    /// The first line that is not blank, without taking it.
    pub(crate) fn peek(&mut self) -> io::Result<&[u8]> {
        loop {
            let length = self.find_end()?;
            let bytes = &self.buffer[self.start..length.map_or(self.end, |l| self.start + l)];
            let bytes = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes);
            if length.is_none() || !bytes.trim_ascii().is_empty() {
                break;
            }
            self.start += length.map_or(0, |l| l + 1);
            self.number += 1;
        }
        let length = self.find_end()?.unwrap_or(self.end - self.start);
        let bytes = &self.buffer[self.start..self.start + length];
        Ok(bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes).trim_ascii_start())
    }

    /// All that is left.
    pub(crate) fn read_all(&mut self) -> io::Result<Vec<u8>> {
        let mut bytes = self.buffer[self.start..self.end].to_vec();
        self.start = self.end;
        let room = (self.most - bytes.len().min(self.most)) as u64;
        self.input.by_ref().take(room + 1).read_to_end(&mut bytes)?;
        if bytes.len() > self.most {
            return Err(self.too_long("the file"));
        }
        Ok(bytes)
    }

    /// The length of the line that starts at `start`; `None` if the input ends before it does.
    fn find_end(&mut self) -> io::Result<Option<usize>> {
        let mut searched = 0;
        loop {
            let found = memchr::memchr(b'\n', &self.buffer[self.start + searched..self.end]).map(|i| searched + i);
            searched = self.end - self.start;
            if found.unwrap_or(searched) > self.most {
                return Err(self.too_long(&format!("line {}", self.number + 1)));
            }
            if found.is_some() {
                return Ok(found);
            }
            if self.exhausted {
                return Ok(None);
            }
            self.fill()?;
        }
    }

    fn fill(&mut self) -> io::Result<()> {
        if self.start > 0 {
            self.buffer.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
        }
        if self.end == self.buffer.len() {
            self.buffer.resize(2 * self.end, 0);
        }
        loop {
            match self.input.read(&mut self.buffer[self.end..]) {
                Ok(count) => {
                    self.end += count;
                    self.exhausted = count == 0;
                    return Ok(());
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives one byte at a time.
    struct Slow(io::Cursor<Vec<u8>>);

    impl Read for Slow {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.0.read(&mut buffer[..1])
        }
    }

    fn lines(text: &[u8], peek: bool) -> Vec<(usize, String, bool)> {
        let mut reader = LineReader::new(Box::new(Slow(io::Cursor::new(text.to_vec()))));
        if peek {
            reader.peek().unwrap();
        }
        let mut lines = Vec::new();
        while let Some(line) = reader.next_line().unwrap() {
            lines.push((line.number, String::from_utf8(line.bytes.to_vec()).unwrap(), line.ended));
        }
        lines
    }

    #[test]
    fn lines_are_numbered_and_their_ends_are_taken_off() {
        let expected = vec![(1, "a".into(), true), (2, String::new(), true), (3, "b".into(), false)];
        assert_eq!(lines(b"\xef\xbb\xbfa\r\n\nb", false), expected);
        assert_eq!(lines(b"", true), []);
    }

    #[test]
    fn peeking_takes_blank_lines_only() {
        assert_eq!(lines(b"\n \na\nb\n", true), [(3, "a".into(), true), (4, "b".into(), true)]);
        assert_eq!(lines(b"a\n", true), [(1, "a".into(), true)]);
    }

    #[test]
    fn lines_longer_than_the_buffer_are_whole() {
        let long = "x".repeat(3 * BUFFER + 1);
        let mut reader = LineReader::new(Box::new(io::Cursor::new(format!("a\n{long}\nb\n").into_bytes())));
        let mut lengths = Vec::new();
        while let Some(line) = reader.next_line().unwrap() {
            lengths.push(line.bytes.len());
        }
        assert_eq!(lengths, [1, long.len(), 1]);
    }
}
