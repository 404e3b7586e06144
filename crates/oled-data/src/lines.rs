//! Lines of an input, lent from one large buffer.

use std::io::{self, Read};

use serde::{Deserialize, Serialize};

use crate::digest::Digest;
use crate::live::is_new_file;

/// A line without its end.
#[derive(Clone, Copy)]
pub(crate) struct Line<'a> {
    pub(crate) text: &'a str,
    /// Whether a line end follows; the last line of an input that was cut off has none.
    pub(crate) ended: bool,
}

impl Line<'_> {
    /// A line that was ended, without the rest of its end.
    pub(crate) fn ended(text: &str) -> Line<'_> {
        Line { text: text.strip_suffix('\r').unwrap_or(text), ended: true }
    }
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
    /// What came before the buffer.
    before: Digest,
    /// Whether the input has no more bytes than those in the buffer.
    exhausted: bool,
    /// Whether another file begins after the bytes in the buffer.
    renewed: bool,
    /// A longer line is an error.
    most: usize,
}

/// Where a reader is in its input: behind the last line that was lent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Place {
    /// Lines.
    number: usize,
    /// The bytes before, as they are after decompression: another input has others there.
    before: Digest,
}

impl Place {
    /// How many bytes come before it, after decompression.
    pub(crate) fn offset(&self) -> u64 {
        self.before.length()
    }

    /// How many lines come before it.
    pub(crate) fn number(&self) -> usize {
        self.number
    }

    /// The place so many lines, which are these bytes, further on.
    pub(crate) fn after(&self, lines: usize, bytes: &[u8]) -> Place {
        let mut before = self.before.clone();
        before.update(bytes);
        Place { number: self.number + lines, before }
    }
}

const BUFFER: usize = 1 << 18;
/// Bytes of lines that are taken together: a page, which has so few frames that their memory is given out again while it is at hand.
const AT_HAND: usize = 1 << 12;
/// The longest line where nothing else is said, one gibibyte: exports may have all their documents on one line.
const MAX_LINE: usize = 1 << 30;
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// A line without the mark at the beginning of a file, and without the rest of its end.
pub(crate) fn bare(line: &[u8], number: usize) -> &[u8] {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    if number == 1 { line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line) } else { line }
}

impl LineReader {
    pub(crate) fn new(input: Box<dyn Read + Send>) -> LineReader {
        LineReader {
            input,
            buffer: vec![0; BUFFER],
            start: 0,
            end: 0,
            number: 0,
            before: Digest::default(),
            exhausted: false,
            renewed: false,
            most: MAX_LINE,
        }
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

    /// A reader that goes on at a place of an input that begins anew. `None` if the input has something else before it. Where
    /// there is nothing to be read for a while it waits, unless `stopped`.
    pub(crate) fn at(
        mut input: Box<dyn Read + Send>,
        place: &Place,
        stopped: &dyn Fn() -> bool,
    ) -> io::Result<Option<LineReader>> {
        let mut left = place.offset();
        let (mut buffer, mut before) = (vec![0; BUFFER], Digest::default());
        while left > 0 {
            let room = usize::try_from(left).unwrap_or(BUFFER).min(BUFFER);
            match input.read(&mut buffer[..room]) {
                Ok(0) => return Ok(None),
                Ok(count) => {
                    before.update(&buffer[..count]);
                    left -= count as u64;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock && !stopped() => {}
                Err(error) if is_new_file(&error) => return Ok(None),
                Err(error) => return Err(error),
            }
        }
        Ok(if before == place.before { LineReader::going_on(input, place) } else { None })
    }

    /// A reader of an input that goes on at a place, so that nothing before it can be compared. `None` if there is no such
    /// place.
    pub(crate) fn going_on(input: Box<dyn Read + Send>, place: &Place) -> Option<LineReader> {
        // Nobody has read more than this.
        const MOST: u64 = 1 << 60;
        let possible = place.offset() <= MOST && place.number as u64 <= MOST;
        possible.then(|| LineReader { number: place.number, before: place.before.clone(), ..LineReader::new(input) })
    }

    /// Where the next line begins.
    pub(crate) fn place(&self) -> Place {
        let mut before = self.before.clone();
        before.update(&self.buffer[..self.start]);
        Place { number: self.number, before }
    }

    /// The number of the last line that was lent.
    pub(crate) fn number(&self) -> usize {
        self.number
    }

    /// The next line that has an end, if any; or what follows the last one of a file after which another was begun.
    pub(crate) fn next_line(&mut self) -> io::Result<Option<RawLine<'_>>> {
        Ok(match self.find_end()? {
            Some(length) => Some(self.take(length, true)),
            None if self.renewed => self.last_line(),
            None => None,
        })
    }

    /// Whole lines that are at hand, ends included, with the number of the first: some, but not too many, so that whoever takes them
    /// can stop soon. Nothing where lines have to be looked at one by one. What was taken of them is told by [`LineReader::taken`].
    pub(crate) fn at_hand(&self) -> Option<(&[u8], usize)> {
        let bytes = &self.buffer[self.start..self.end.min(self.start + AT_HAND)];
        let last = memchr::memrchr(b'\n', bytes)?;
        (self.most >= AT_HAND && self.number > 0).then(|| (&bytes[..=last], self.number + 1))
    }

    /// Takes lines away that were at hand: so many, of so many bytes.
    pub(crate) fn taken(&mut self, lines: usize, bytes: usize) {
        self.start += bytes;
        self.number += lines;
    }

    /// All lines with an end that are at hand, with where they begin: about a buffer full; none at the end of the input.
    pub(crate) fn next_lines(&mut self) -> io::Result<Option<(Place, Vec<u8>)>> {
        if self.find_end()?.is_none() {
            return Ok(None);
        }
        // What was taken is digested once, and not again where the buffer is filled.
        self.discard();
        let place = self.place();
        let held = &self.buffer[..self.end];
        let last = memchr::memrchr(b'\n', held).expect("a line ends there");
        let bytes = held[..=last].to_vec();
        self.start = bytes.len();
        self.number += memchr::memchr_iter(b'\n', &bytes).count();
        Ok(Some((place, bytes)))
    }

    /// What follows the last line end, with where it begins.
    pub(crate) fn rest(&mut self) -> (Place, Vec<u8>) {
        let place = self.place();
        let bytes = self.buffer[self.start..self.end].to_vec();
        self.start = self.end;
        (place, bytes)
    }

    /// What follows the last line end, if anything.
    pub(crate) fn last_line(&mut self) -> Option<RawLine<'_>> {
        let length = self.end - self.start;
        (length > 0).then(|| self.take(length, false))
    }

    fn take(&mut self, length: usize, ended: bool) -> RawLine<'_> {
        let start = self.start;
        let end = start + length;
        self.start = end + usize::from(ended);
        self.number += 1;
        RawLine { bytes: bare(&self.buffer[start..end], self.number), number: self.number, ended }
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

    /// The length of the line that starts at `start`; `None` if the input, or one of its files, ends before it does.
    fn find_end(&mut self) -> io::Result<Option<usize>> {
        let mut searched = 0;
        loop {
            if self.renewed && self.start == self.end {
                (self.start, self.end, self.number, self.before) = (0, 0, 0, Digest::default());
                self.renewed = false;
            }
            let found = memchr::memchr(b'\n', &self.buffer[self.start + searched..self.end]).map(|i| searched + i);
            searched = self.end - self.start;
            if found.unwrap_or(searched) > self.most {
                return Err(self.too_long(&format!("line {}", self.number + 1)));
            }
            if found.is_some() {
                return Ok(found);
            }
            if self.exhausted || self.renewed {
                return Ok(None);
            }
            self.fill()?;
        }
    }

    /// Takes what was lent out of the buffer.
    fn discard(&mut self) {
        if self.start > 0 {
            self.before.update(&self.buffer[..self.start]);
            self.buffer.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
        }
    }

    fn fill(&mut self) -> io::Result<()> {
        self.discard();
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
                Err(error) if is_new_file(&error) => {
                    self.renewed = true;
                    return Ok(());
                }
                Err(error) => return Err(error),
            }
        }
    }
}

/// Gives one byte at a time.
#[cfg(test)]
pub(crate) struct Slow(pub(crate) io::Cursor<Vec<u8>>);

#[cfg(test)]
impl Read for Slow {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(&mut buffer[..1])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::live::new_file;

    fn lines(text: &[u8], peek: bool) -> Vec<(usize, String, bool)> {
        let mut reader = LineReader::new(Box::new(Slow(io::Cursor::new(text.to_vec()))));
        if peek {
            reader.peek().unwrap();
        }
        let mut lines = Vec::new();
        let mut add = |line: RawLine<'_>| {
            lines.push((line.number, String::from_utf8(line.bytes.to_vec()).unwrap(), line.ended));
        };
        while let Some(line) = reader.next_line().unwrap() {
            add(line);
        }
        reader.last_line().map(add);
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
    fn a_reader_goes_on_at_any_place_of_the_same_input() {
        let lines: Vec<String> = (0..60_000).map(|i| format!("line {i}\n")).collect();
        let text = lines.concat();
        let mut reader = LineReader::new(Box::new(io::Cursor::new(text.clone().into_bytes())));
        for i in 0..60_000 {
            if i % 7919 == 0 {
                let place = reader.place();
                let input = |text: &str| Box::new(io::Cursor::new(text.as_bytes().to_vec()));
                let mut other = LineReader::at(input(&text), &place, &|| false).unwrap().expect("it is the same input");
                let line = other.next_line().unwrap().unwrap();
                assert_eq!((line.number, line.bytes), (i + 1, format!("line {i}").as_bytes()));
                assert_eq!(place.offset(), lines[..i].iter().map(|line| line.len() as u64).sum::<u64>());
                let others = input(&text.replacen("line", "LINE", 1));
                assert_eq!(LineReader::at(others, &place, &|| false).unwrap().is_none(), i > 0);
            }
            reader.next_line().unwrap().unwrap();
        }
    }

    /// Gives two files, one after the other.
    struct Two([io::Cursor<Vec<u8>>; 2], bool);

    impl Read for Two {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let count = self.0[usize::from(self.1)].read(buffer)?;
            if count == 0 && !self.1 {
                self.1 = true;
                return Err(new_file());
            }
            Ok(count)
        }
    }

    #[test]
    fn another_file_is_counted_from_its_own_beginning() {
        let input = |text: &str| io::Cursor::new(text.as_bytes().to_vec());
        for (first, ended) in [("a\nb\n", true), ("a\nb", false)] {
            let mut reader = LineReader::new(Box::new(Two([input(first), input("c\nd\n")], false)));
            let mut read = || reader.next_line().unwrap().map(|line| (line.number, line.bytes.to_vec(), line.ended));
            assert_eq!(read(), Some((1, b"a".to_vec(), true)));
            assert_eq!(read(), Some((2, b"b".to_vec(), ended)), "a line is not glued to that of another file");
            assert_eq!(read(), Some((1, b"c".to_vec(), true)));
            let place = reader.place();
            let mut resumed =
                LineReader::at(Box::new(input("c\nd\n")), &place, &|| false).unwrap().expect("it is known");
            assert_eq!(resumed.next_line().unwrap().unwrap().number, 2);
        }
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
