//! Cells: a line of delimited text, or an object of JSON, taken apart.

use std::borrow::Cow;
use std::fmt;

use csv_core::{ReadRecordResult, Reader, ReaderBuilder};
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

use crate::error::{Problem, ProblemKind};

/// The cells of a row: where each stands in a text, and where in the line it comes from.
#[derive(Clone, Copy)]
pub(crate) struct Row<'a> {
    pub(crate) text: &'a str,
    pub(crate) cells: &'a [Cell],
}

/// A cell: its text without blanks around it, and the byte of the line that it begins at.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cell {
    start: usize,
    end: usize,
    at: usize,
}

impl Cell {
    #[inline]
    fn new(text: &[u8], mut start: usize, mut end: usize, at: usize) -> Cell {
        // Blanks are rare, and no other byte of a text is smaller.
        if start < end && (text[start] <= b' ' || text[end - 1] <= b' ') {
            while start < end && text[start].is_ascii_whitespace() {
                start += 1;
            }
            while start < end && text[end - 1].is_ascii_whitespace() {
                end -= 1;
            }
        }
        Cell { start, end, at }
    }
}

impl<'a> Row<'a> {
    /// The text of a cell, without blanks around it.
    #[inline]
    pub(crate) fn cell(&self, column: usize) -> &'a str {
        self.cells.get(column).map_or("", |cell| &self.text[cell.start..cell.end])
    }

    /// The bytes up to the end of a cell, and how many of them are its own.
    #[inline]
    pub(crate) fn up_to(&self, column: usize) -> (&'a [u8], usize) {
        self.cells.get(column).map_or((&[], 0), |cell| (&self.text.as_bytes()[..cell.end], cell.end - cell.start))
    }

    /// Where a cell stands in the line.
    pub(crate) fn at(&self, column: usize) -> usize {
        self.cells.get(column).map_or(0, |cell| cell.at)
    }
}

/// Takes rows apart, in room that is used again.
pub(crate) struct Cells {
    delimiter: u8,
    found: Vec<Cell>,
    /// Texts of cells that are written otherwise in their line.
    text: String,
    bytes: Vec<u8>,
    ends: Vec<usize>,
    reader: Reader,
}

/// The delimiter of a header: the one of comma, semicolon, tab and bar that it has most of.
pub(crate) fn delimiter(header: &str) -> u8 {
    let count = |delimiter: u8| header.bytes().filter(|byte| *byte == delimiter).count();
    // The last of equals is taken.
    [b'|', b'\t', b';', b','].into_iter().max_by_key(|delimiter| count(*delimiter)).unwrap_or(b',')
}

impl Cells {
    pub(crate) fn new(delimiter: u8) -> Cells {
        let reader = ReaderBuilder::new().delimiter(delimiter).build();
        Cells { delimiter, found: Vec::new(), text: String::new(), bytes: Vec::new(), ends: Vec::new(), reader }
    }

    /// The cells of a line; `None` if a quoted cell goes on in the next line.
    pub(crate) fn split<'a>(&'a mut self, line: &'a str) -> Result<Option<Row<'a>>, Problem> {
        self.found.clear();
        if self.split_plain(line.as_bytes()) {
            return Ok(Some(Row { text: line, cells: &self.found }));
        }
        self.found.clear();
        if is_open(line) {
            return Ok(None);
        }
        self.bytes.resize(self.bytes.len().max(line.len() + 1), 0);
        self.ends.resize(self.ends.len().max(line.len() + 2), 0);
        self.reader.reset();
        let (result, _, _, ends) = self.reader.read_record(line.as_bytes(), &mut self.bytes, &mut self.ends);
        let ends = match result {
            ReadRecordResult::InputEmpty => {
                // The end of the input ends the last cell.
                let (_, _, _, more) = self.reader.read_record(b"", &mut [], &mut self.ends[ends..]);
                ends + more
            }
            _ => ends,
        };
        let length = self.ends[..ends].last().copied().unwrap_or(0);
        self.text.clear();
        self.text.push_str(std::str::from_utf8(&self.bytes[..length]).map_err(|_| {
            Problem::new(ProblemKind::Syntax, 0, "the quotes of the row cut a letter in two")
                .hint("convert the table to UTF-8")
        })?);
        let (mut start, mut at) = (0, 0);
        for end in &self.ends[..ends] {
            self.found.push(Cell::new(self.text.as_bytes(), start, *end, at.min(line.len())));
            (start, at) = (*end, next_cell(line, at, self.delimiter));
        }
        Ok(Some(Row { text: &self.text, cells: &self.found }))
    }

    /// Takes a line without quotes apart; returns whether it is one. Eight bytes are looked at together: cells are so short
    /// that a search for each delimiter takes longer to begin than to end.
    fn split_plain(&mut self, line: &[u8]) -> bool {
        let mut start = 0;
        let (chunks, rest) = line.as_chunks::<8>();
        for (i, chunk) in chunks.iter().enumerate() {
            let word = u64::from_le_bytes(*chunk);
            if equal_bytes(word, b'"') != 0 {
                return false;
            }
            let mut found = equal_bytes(word, self.delimiter);
            while found != 0 {
                let end = 8 * i + found.trailing_zeros() as usize / 8;
                self.found.push(Cell::new(line, start, end, start));
                start = end + 1;
                found &= found - 1;
            }
        }
        for (i, byte) in rest.iter().enumerate() {
            if *byte == b'"' {
                return false;
            }
            if *byte == self.delimiter {
                let end = 8 * chunks.len() + i;
                self.found.push(Cell::new(line, start, end, start));
                start = end + 1;
            }
        }
        self.found.push(Cell::new(line, start, line.len(), start));
        true
    }

    /// A row of cells that are written one by one.
    #[cfg(feature = "arrow")]
    pub(crate) fn row<C>(&mut self, columns: &[C], mut write: impl FnMut(&C, &mut String)) -> Row<'_> {
        self.found.clear();
        self.text.clear();
        for column in columns {
            let start = self.text.len();
            write(column, &mut self.text);
            self.found.push(Cell::new(self.text.as_bytes(), start, self.text.len(), 0));
        }
        Row { text: &self.text, cells: &self.found }
    }

    /// The values of an object under these keys, in their order; others are passed over.
    pub(crate) fn object<'a>(&'a mut self, line: &str, keys: &[String]) -> Result<Row<'a>, Problem> {
        self.found.clear();
        self.text.clear();
        self.found.resize(keys.len(), Cell { start: 0, end: 0, at: 0 });
        let object: Object<'_> = serde_json::from_str(line).map_err(|error| not_an_object(line, &error))?;
        for (key, value) in &object.0 {
            let Some(column) = keys.iter().position(|own| own == key) else { continue };
            let start = self.text.len();
            value.write(&mut self.text);
            // Near enough for a message: the key stands where it is written first.
            let at = memchr::memmem::find(line.as_bytes(), key.as_bytes()).map_or(0, |at| at.saturating_sub(1));
            self.found[column] = Cell::new(self.text.as_bytes(), start, self.text.len(), at);
        }
        Ok(Row { text: &self.text, cells: &self.found })
    }
}

fn not_an_object(line: &str, error: &serde_json::Error) -> Problem {
    let at = error.column().saturating_sub(1).min(line.len());
    let message = error.to_string();
    // What is none of the values that a cell may have is a list or an object.
    let message = match message.split(" at line").next().unwrap_or_default() {
        message if message.contains("untagged") => "a value is a list or an object",
        message => message,
    };
    Problem::new(ProblemKind::Syntax, at, format!("the line is no flat object of JSON: {message}"))
        .hint("write one object a line, with a text, a number, true, false or null under each key")
}

/// The keys of an object.
pub(crate) fn keys(line: &str) -> Result<Vec<String>, Problem> {
    let object: Object<'_> = serde_json::from_str(line).map_err(|error| not_an_object(line, &error))?;
    Ok(object.0.into_iter().map(|(key, _)| key.into_owned()).collect())
}

/// The high bit of each byte of a word that is this one.
#[inline]
pub(super) fn equal_bytes(word: u64, byte: u8) -> u64 {
    const LOW: u64 = 0x7f7f_7f7f_7f7f_7f7f;
    let differs = word ^ u64::from_le_bytes([byte; 8]);
    // Without carry from byte to byte: a byte is zero if neither its low bits nor its high bit are set.
    !(((differs & LOW) + LOW) | differs | LOW)
}

/// Whether quotes are open at the end of a line: they come in pairs otherwise.
fn is_open(line: &str) -> bool {
    memchr::memchr_iter(b'"', line.as_bytes()).count() % 2 == 1
}

/// Where the cell after the one at a byte of the line begins.
fn next_cell(line: &str, at: usize, delimiter: u8) -> usize {
    let mut quoted = false;
    for (offset, byte) in line.bytes().enumerate().skip(at) {
        match byte {
            b'"' => quoted = !quoted,
            byte if byte == delimiter && !quoted => return offset + 1,
            _ => {}
        }
    }
    line.len()
}

/// A flat object, its keys in their order.
struct Object<'a>(Vec<(Cow<'a, str>, Flat<'a>)>);

/// A value of a flat object.
#[derive(Deserialize)]
#[serde(untagged)]
enum Flat<'a> {
    Null(()),
    Truth(bool),
    Whole(i64),
    Number(f64),
    #[serde(borrow)]
    Text(Cow<'a, str>),
}

impl Flat<'_> {
    fn write(&self, text: &mut String) {
        use std::fmt::Write;
        // Writing to a string cannot fail.
        let _ = match self {
            Flat::Null(()) => Ok(()),
            Flat::Truth(truth) => write!(text, "{truth}"),
            Flat::Whole(number) => write!(text, "{number}"),
            Flat::Number(number) => write!(text, "{number}"),
            Flat::Text(own) => write!(text, "{own}"),
        };
    }
}

impl<'de> Deserialize<'de> for Object<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Object<'de>, D::Error> {
        struct Keys;
        impl<'de> Visitor<'de> for Keys {
            type Value = Object<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Object<'de>, A::Error> {
                let mut pairs = Vec::new();
                while let Some(pair) = map.next_entry()? {
                    pairs.push(pair);
                }
                Ok(Object(pairs))
            }
        }
        deserializer.deserialize_map(Keys)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(line: &str) -> Option<Vec<(String, usize)>> {
        let mut cells = Cells::new(b',');
        let row = cells.split(line).unwrap()?;
        Some((0..row.cells.len()).map(|i| (row.cell(i).to_string(), row.at(i))).collect())
    }

    #[test]
    fn lines_are_split_with_and_without_quotes() {
        let of = |cells: &[(&str, usize)]| Some(cells.iter().map(|(text, at)| (text.to_string(), *at)).collect());
        assert_eq!(split("a,,b c"), of(&[("a", 0), ("", 2), ("b c", 3)]));
        assert_eq!(split(r#"1,"a, ""b""",x"#), of(&[("1", 0), (r#"a, "b""#, 2), ("x", 13)]));
        assert_eq!(split(r#""a","""#), of(&[("a", 0), ("", 4)]));
        assert_eq!(split(r#"1,"a"#), None);
        assert_eq!(split("\"a\nb\",c"), of(&[("a\nb", 0), ("c", 6)]));
        assert_eq!(split(""), of(&[("", 0)]));
        assert_eq!(split(" a ,\u{e9}t\u{e9} 12345678 ,,"), of(&[("a", 0), ("été 12345678", 4), ("", 20), ("", 21)]));
    }

    #[test]
    fn bytes_of_a_word_are_told_apart() {
        for byte in [0, 1, b',', b'"', 0x7f, 0x80, 0xff] {
            let word = [byte, 0, byte, 1, 0x80, 0xff, byte ^ 1, byte ^ 0x80];
            let expected = word.map(|own| if own == byte { 0x80 } else { 0 });
            assert_eq!(equal_bytes(u64::from_le_bytes(word), byte).to_le_bytes(), expected, "{byte}");
        }
    }

    #[test]
    fn objects_give_the_cells_of_their_keys() {
        let mut cells = Cells::new(b',');
        let keys = ["b", "x", "a", "t", "n"].map(String::from);
        let row = cells.object(r#"{"a":"é\n","b":1.50,"t":true,"n":null,"other":12}"#, &keys).unwrap();
        let texts: Vec<&str> = (0..5).map(|i| row.cell(i)).collect();
        assert_eq!(texts, ["1.5", "", "é", "true", ""]);
        assert!(cells.object("[1]", &keys).is_err() && cells.object(r#"{"a":{}}"#, &keys).is_err());
    }

    #[test]
    fn delimiters_are_found_in_the_header() {
        for (header, expected) in [("a,b", b','), ("a;b;c", b';'), ("a\tb", b'\t'), ("a", b','), ("a|b", b'|')] {
            assert_eq!(delimiter(header), expected, "{header}");
        }
    }
}
