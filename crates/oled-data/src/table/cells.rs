//! Cells: a line of delimited text, or an object of JSON, taken apart.

use std::borrow::Cow;
use std::fmt;

use csv_core::{ReadRecordResult, Reader, ReaderBuilder};
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::marks::Marks;
use crate::error::{Problem, ProblemKind};

/// The cells of a row: where each begins in a text, and the byte behind whatever ends it.
#[derive(Clone, Copy)]
pub(crate) struct Row<'a> {
    text: &'a str,
    starts: &'a [usize],
    behind: &'a [usize],
    /// Where each begins in its line, if that is another text.
    at: Option<&'a [usize]>,
}

impl<'a> Row<'a> {
    /// The cells between marks, the first of which is before them.
    #[inline]
    pub(super) fn between(text: &'a str, marks: &'a [usize]) -> Row<'a> {
        Row { text, starts: &marks[..marks.len() - 1], behind: &marks[1..], at: None }
    }

    /// The cells of some columns together: whom a row is about, where they are keys.
    pub(crate) fn joined(&self, columns: impl IntoIterator<Item = usize>) -> String {
        columns.into_iter().fold(String::new(), |text, column| text + self.cell(column) + "\n")
    }

    /// How many cells there are.
    pub(crate) fn len(&self) -> usize {
        self.starts.len()
    }

    /// The texts of all cells.
    pub(crate) fn texts(&self) -> Vec<String> {
        (0..self.len()).map(|column| self.cell(column).to_string()).collect()
    }

    /// Where a cell begins and ends, with the blanks around it.
    #[inline]
    fn bounds(&self, column: usize) -> (usize, usize) {
        match (self.starts.get(column), self.behind.get(column)) {
            (Some(start), Some(behind)) => (*start, behind - 1),
            _ => (0, 0),
        }
    }

    /// The text of a cell, without blanks around it.
    #[inline]
    pub(crate) fn cell(&self, column: usize) -> &'a str {
        let (start, end) = self.bounds(column);
        let cell = &self.text[start..end];
        // Blanks are rare, and no other byte of a text is smaller.
        match cell.as_bytes() {
            [first, .., last] if *first > b' ' && *last > b' ' => cell,
            _ => cell.trim_ascii(),
        }
    }

    /// The bytes of a cell, with the blanks around it.
    #[inline]
    pub(super) fn bytes(&self, column: usize) -> &'a [u8] {
        let (start, end) = self.bounds(column);
        &self.text.as_bytes()[start..end]
    }

    /// The bytes up to the end of a cell, and how many of them are its own.
    #[inline]
    pub(super) fn up_to(&self, column: usize) -> (&'a [u8], usize) {
        let (start, end) = self.bounds(column);
        (&self.text.as_bytes()[..end], end - start)
    }

    /// The row, if it has at most so many cells: those that are not written are empty, but none is passed over.
    pub(crate) fn at_most(self, want: usize, line: &str) -> Result<Row<'a>, Problem> {
        if self.len() > want { Err(self.other_width(want, line)) } else { Ok(self) }
    }

    /// What is wrong with a row that does not have as many cells as the header.
    pub(crate) fn other_width(&self, want: usize, line: &str) -> Problem {
        let have = self.len();
        let message = format!("the row has {have} {}, the header {want}", if have == 1 { "cell" } else { "cells" });
        let at = if have > want { self.at(want) } else { line.len() };
        Problem::new(ProblemKind::Syntax, at, message)
            .hint("write a cell for each column, in double quotes where it has a delimiter in it")
    }

    /// Where a cell stands in the line.
    pub(crate) fn at(&self, column: usize) -> usize {
        let places = self.at.unwrap_or(self.starts);
        let first = if self.at.is_some() { 0 } else { places.first().copied().unwrap_or(0) };
        places.get(column).map_or(0, |at| at - first)
    }
}

/// Takes rows apart, in room that is used again.
pub(crate) struct Cells {
    pub(super) delimiter: u8,
    marks: Marks,
    /// Texts of cells that are written otherwise in their line, where they begin and end, and where they begin in the line.
    text: String,
    starts: Vec<usize>,
    behind: Vec<usize>,
    at: Vec<usize>,
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
        Cells {
            delimiter,
            marks: Marks::default(),
            text: String::new(),
            starts: Vec::new(),
            behind: Vec::new(),
            at: Vec::new(),
            bytes: Vec::new(),
            ends: Vec::new(),
            reader: ReaderBuilder::new().delimiter(delimiter).build(),
        }
    }

    /// The cells of a line; `None` if a quoted cell goes on in the next line.
    pub(crate) fn split<'a>(&'a mut self, line: &'a str) -> Result<Option<Row<'a>>, Problem> {
        if memchr::memchr(b'"', line.as_bytes()).is_none() {
            self.marks.find(line.as_bytes(), self.delimiter);
            self.marks.end(line.len());
            return Ok(Some(Row::between(line, self.marks.behind())));
        }
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
        self.clear();
        self.text.push_str(std::str::from_utf8(&self.bytes[..length]).map_err(|_| {
            Problem::new(ProblemKind::Syntax, 0, "the quotes of the row cut a letter in two")
                .hint("convert the table to UTF-8")
        })?);
        let (mut start, mut at) = (0, 0);
        for end in &self.ends[..ends] {
            self.starts.push(start);
            self.behind.push(end + 1);
            self.at.push(at.min(line.len()));
            (start, at) = (*end, next_cell(line, at, self.delimiter));
        }
        Ok(Some(self.written()))
    }

    fn clear(&mut self) {
        self.text.clear();
        self.starts.clear();
        self.behind.clear();
        self.at.clear();
    }

    /// The row of the cells that were written.
    fn written(&self) -> Row<'_> {
        Row { text: &self.text, starts: &self.starts, behind: &self.behind, at: Some(&self.at) }
    }

    /// A row of cells that are written one by one.
    #[cfg(feature = "arrow")]
    pub(crate) fn row<C>(&mut self, columns: &[C], mut write: impl FnMut(&C, &mut String)) -> Row<'_> {
        self.clear();
        for column in columns {
            self.starts.push(self.text.len());
            write(column, &mut self.text);
            self.behind.push(self.text.len() + 1);
            self.at.push(0);
        }
        self.written()
    }

    /// The values of an object under these keys, in their order; others are passed over.
    pub(crate) fn object<'a>(&'a mut self, line: &str, keys: &[String]) -> Result<Row<'a>, Problem> {
        self.clear();
        self.starts.resize(keys.len(), 0);
        self.behind.resize(keys.len(), 1);
        self.at.resize(keys.len(), 0);
        let object: Object<'_> = serde_json::from_str(line).map_err(|error| not_an_object(line, &error))?;
        for (key, value) in &object.0 {
            let Some(column) = keys.iter().position(|own| own == key) else { continue };
            self.starts[column] = self.text.len();
            value.write(&mut self.text);
            self.behind[column] = self.text.len() + 1;
            // Near enough for a message: the key stands where it is written first.
            let at = memchr::memmem::find(line.as_bytes(), key.as_bytes()).map_or(0, |at| at.saturating_sub(1));
            self.at[column] = at;
        }
        Ok(self.written())
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
        Some((0..row.len()).map(|i| (row.cell(i).to_string(), row.at(i))).collect())
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
