//! Lines of an input, lent from one large buffer.

mod place;

use std::io::{self, Read};
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;

use crate::digest::Digest;
use crate::live::is_new_file;
pub(crate) use place::Place;

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
    input: Input,
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

/// Where the bytes come from.
enum Input {
    Own(Box<dyn Read + Send>),
    /// The same, to be read by a thread of its own as soon as it is known not to be short.
    Long(Box<dyn Read + Send>),
    /// Blocks of whole lines from that thread; behind the last one is what has no end.
    Ahead(Receiver<io::Result<Block>>),
}

/// Whole lines, with where they begin; or what follows the last one.
pub(crate) struct Block {
    pub(crate) place: Place,
    pub(crate) bytes: Vec<u8>,
    pub(crate) is_last: bool,
}

const BUFFER: usize = 1 << 18;
/// Bytes of lines that are taken together: a page, which has so few frames that their memory is given out again while it is at hand.
const AT_HAND: usize = 1 << 12;
/// Blocks that may wait for whoever reads lines: one to go on with at once, one that is being read meanwhile.
const AHEAD: usize = 2;
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
        LineReader::with_buffer(input, vec![0; BUFFER])
    }

    fn with_buffer(input: Box<dyn Read + Send>, buffer: Vec<u8>) -> LineReader {
        LineReader {
            input: Input::Own(input),
            buffer,
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

    /// The same, read by a thread of its own where the input is longer than a buffer: to read it, to decompress it and to take its digest
    /// is a tenth of what it takes to make frames of a table. Not for inputs that are being written, nor for what is not read by lines.
    pub(crate) fn ahead(mut self) -> LineReader {
        self.input = match self.input {
            Input::Own(input) => Input::Long(input),
            other => other,
        };
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

    /// A reader of these lines of an input, which begin at a place.
    pub(crate) fn of_bytes(bytes: Vec<u8>, place: &Place) -> LineReader {
        let (number, before, end) = (place.number, place.before.clone(), bytes.len());
        LineReader { number, before, end, exhausted: true, ..LineReader::with_buffer(Box::new(io::empty()), bytes) }
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

    /// All lines with an end that are at hand, about a buffer full; at the end of the input what follows the last one.
    pub(crate) fn next_block(&mut self) -> io::Result<Block> {
        let is_last = self.find_end()?.is_none();
        // What was taken is digested once, and not again where the buffer is filled.
        self.discard();
        let held = &self.buffer[..self.end];
        let whole = memchr::memrchr(b'\n', held).filter(|_| !is_last).map_or(self.end, |last| last + 1);
        let (place, bytes) = (self.place(), held[..whole].to_vec());
        self.start = whole;
        self.number += memchr::memchr_iter(b'\n', &bytes).count();
        Ok(Block { place, bytes, is_last })
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
        if let Input::Own(input) | Input::Long(input) = &mut self.input {
            input.by_ref().take(room + 1).read_to_end(&mut bytes)?;
        }
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

    /// Starts to read what is left on a thread, if that was asked for. It goes on with what is in the buffer.
    fn read_ahead(&mut self) {
        let (give, blocks) = sync_channel(AHEAD);
        let input = match std::mem::replace(&mut self.input, Input::Ahead(blocks)) {
            Input::Long(input) => Input::Own(input),
            other => return self.input = other,
        };
        let (buffer, before) = (std::mem::take(&mut self.buffer), self.before.clone());
        let mut own = LineReader { input, buffer, before, ..*self };
        self.end = 0;
        thread::spawn(move || {
            loop {
                let block = own.next_block();
                let is_last = block.as_ref().map_or(true, |block| block.is_last);
                if give.send(block).is_err() || is_last {
                    return;
                }
            }
        });
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
        if !matches!(self.input, Input::Ahead(_)) {
            self.discard();
            if self.before.length() >= BUFFER as u64 {
                self.read_ahead();
            }
        }
        if let Input::Ahead(blocks) = &self.input {
            // The end is told: whoever says nothing has failed.
            let failed = |_| io::Error::other("the thread that reads has ended");
            let Block { place, bytes, is_last } = blocks.recv().map_err(failed)??;
            (self.start, self.end, self.number) = (0, bytes.len(), place.number);
            (self.buffer, self.before, self.exhausted) = (bytes, place.before, is_last);
            return Ok(());
        }
        if self.end == self.buffer.len() {
            self.buffer.resize(2 * self.end, 0);
        }
        let (Input::Own(input) | Input::Long(input)) = &mut self.input else { return Ok(()) };
        loop {
            match input.read(&mut self.buffer[self.end..]) {
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
        let input = |text: &str| Box::new(io::Cursor::new(text.as_bytes().to_vec()));
        for (ahead, i) in [false, true].into_iter().flat_map(|ahead| (0..60_000).step_by(7919).map(move |i| (ahead, i)))
        {
            let mut reader = LineReader::new(input(&text));
            reader = if ahead { reader.ahead() } else { reader };
            (0..i).for_each(|_| assert!(reader.next_line().unwrap().is_some()));
            let place = reader.place();
            assert_eq!(place.offset(), lines[..i].iter().map(|line| line.len() as u64).sum::<u64>());
            let mut other = LineReader::at(input(&text), &place, &|| false).unwrap().expect("it is the same input");
            for reader in [&mut reader, &mut other] {
                let line = reader.next_line().unwrap().unwrap();
                assert_eq!((line.number, line.bytes), (i + 1, format!("line {i}").as_bytes()));
            }
            let others = input(&text.replacen("line", "LINE", 1));
            assert_eq!(LineReader::at(others, &place, &|| false).unwrap().is_none(), i > 0);
        }
    }

    #[test]
    fn what_is_read_ahead_is_what_is_read_in_turn() {
        let long = "x".repeat(3 * BUFFER);
        let line = |i: usize| if i % 70_000 == 69_999 { format!("{long}\n") } else { format!("{i}\n") };
        let text: String = (0..200_000).map(line).collect();
        for (text, most) in [(text.clone(), None), (text.clone() + "rest", None), (text, Some(BUFFER))] {
            let told = |reader: LineReader| {
                let (mut reader, mut told) = (reader.with_limit(most), Vec::new());
                let ended = loop {
                    match reader.next_line() {
                        Ok(Some(line)) => told.push((line.number, line.bytes.to_vec())),
                        Ok(None) => break String::new(),
                        Err(error) => break error.to_string(),
                    }
                };
                let place = reader.place();
                let last = ended.is_empty().then(|| reader.last_line()).flatten();
                told.extend(last.map(|line| (line.number, line.bytes.to_vec())));
                (told, ended, place)
            };
            let reader = || LineReader::new(Box::new(io::Cursor::new(text.clone().into_bytes())));
            let ((lines, ended, place), ahead) = (told(reader()), told(reader().ahead()));
            assert!(lines.len() > 60_000 && ended.is_empty() == most.is_none(), "{ended}");
            assert_eq!((&ended, place), (&ahead.1, ahead.2));
            assert!(lines == ahead.0, "{ended}");
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
