//! Scanning a document: what `serde_json` finds, atom by atom, and where it is in the line.

use std::fmt;

use oled::Symbol;
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::{Dialect, Document, DocumentReader, Mark};
use crate::atom::{self, Wrapper};
use crate::error::{Problem, ProblemKind};
use crate::frame::{ANNOTATION, NARRATIVE};
use crate::sink::Sink;

/// A document being read.
pub(super) struct Scan<'a> {
    reader: &'a mut DocumentReader,
    text: &'a str,
    sink: &'a mut Sink,
    document: Document,
    /// Behind the string that was read last; only there to find the strings that could not be lent.
    cursor: usize,
    /// What made reading stop, if it was not the JSON.
    problem: Option<Problem>,
}

impl<'a> Scan<'a> {
    pub(super) fn new(
        reader: &'a mut DocumentReader,
        text: &'a str,
        start: usize,
        document: Document,
        sink: &'a mut Sink,
    ) -> Scan<'a> {
        Scan { reader, text, sink, document, cursor: start, problem: None }
    }

    pub(super) fn finish(self) -> (Document, Option<Problem>) {
        (self.document, self.problem)
    }

    /// Stops reading because of this problem.
    fn stop<E: Error>(&mut self, problem: Problem) -> E {
        self.problem = Some(problem);
        E::custom("see the problem")
    }

    /// Where a string is that was lent from the text.
    fn place_of(&mut self, lent: &str) -> usize {
        let at = lent.as_ptr() as usize - self.text.as_ptr() as usize;
        self.cursor = at + lent.len() + 1;
        at
    }

    /// Where the next string is, which has escapes and so could not be lent.
    fn place_of_copy(&mut self) -> usize {
        let bytes = self.text.as_bytes();
        let start = memchr::memchr(b'"', &bytes[self.cursor..]).map_or(self.text.len(), |i| self.cursor + i + 1);
        let mut end = start;
        while end < bytes.len() && bytes[end] != b'"' {
            end += if bytes[end] == b'\\' { 2 } else { 1 };
        }
        self.cursor = (end + 1).min(bytes.len());
        start
    }

    /// Where the value of the key that was just read is.
    fn value_at(&self) -> usize {
        let rest = &self.text.as_bytes()[self.cursor..];
        self.cursor + rest.iter().position(|b| !matches!(b, b':' | b' ' | b'\t')).unwrap_or(0)
    }

    /// The byte of the text behind which some bytes of a string with escapes have been read.
    fn raw_offset(&self, start: usize, mut read: usize) -> usize {
        let bytes = self.text.as_bytes();
        let mut at = start;
        while read > 0 && at < bytes.len() {
            let (raw, decoded) = match (bytes[at], self.text.get(at + 2..at + 6)) {
                (b'\\', Some(hex)) if bytes[at + 1] == b'u' => match u32::from_str_radix(hex, 16).unwrap_or(0) {
                    0..0x80 => (6, 1),
                    // Half of a surrogate pair stands for half of four bytes.
                    0x80..0x800 | 0xd800..0xe000 => (6, 2),
                    _ => (6, 3),
                },
                (b'\\', _) => (2, 1),
                _ => (1, 1),
            };
            at += raw;
            read = read.saturating_sub(decoded);
        }
        at.min(bytes.len())
    }

    /// Reads an atom that was lent or copied from here.
    fn atom<E: Error>(&mut self, text: &str, at: usize, copied: bool, part: usize) -> Result<(), E> {
        let (text, skip) = match self.reader.dialect {
            Dialect::Jsonl => (text, 0),
            Dialect::Mongo => match atom::unwrap(text) {
                (Wrapper::None, _) => (text, 0),
                (Wrapper::Example, inner) => (&text[inner.clone()], inner.start),
                (Wrapper::NegExample, _) => return Ok(()),
            },
        };
        match self.reader.facts.read(text, &mut self.document.facts[part]) {
            Ok(time) => {
                self.reader.marks[part].push(Mark { time, at });
                Ok(())
            }
            Err(error) => {
                let read = skip + error.at;
                let place = if copied { self.raw_offset(at, read) } else { at + read };
                let problem = Problem::atom(&error, 0).at(place);
                self.reader.left_out.extend(problem.time.map(|time| Mark { time, at }));
                self.sink.skip_or_fail(problem).map_err(|problem| self.stop(problem))
            }
        }
    }

    fn time<E: Error>(&mut self, time: Option<i64>) -> Result<(), E> {
        if time.is_some() {
            self.document.time = time;
            return Ok(());
        }
        let problem = Problem::new(ProblemKind::BadNumber, self.document.time_at, "the time is not an integer");
        Err(self.stop(problem.hint(match self.reader.dialect {
            Dialect::Jsonl => r#"times are written like "time":680, without a fraction or quotes"#,
            Dialect::Mongo => r#"times are written like 680, "680" or {"$numberLong":"680"}"#,
        })))
    }
}

impl<'de> DeserializeSeed<'de> for &mut Scan<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for &mut Scan<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with a time, a narrative and an annotation")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key_seed(KeySeed(self))? {
            match key {
                Key::Segment => map.next_value_seed(SegmentSeed(self))?,
                Key::Time => {
                    self.document.time_at = self.value_at();
                    map.next_value_seed(TimeSeed(self))?;
                }
                Key::From => {
                    self.document.from = true;
                    self.document.time_at = self.value_at();
                    map.next_value_seed(TimeSeed(self))?;
                }
                Key::To => {
                    let (time, at) = (self.document.time, self.document.time_at);
                    self.document.time_at = self.value_at();
                    map.next_value_seed(TimeSeed(self))?;
                    self.document.to = self.document.time;
                    (self.document.time, self.document.time_at) = (time, at);
                }
                Key::Part(part) => map.next_value_seed(ListSeed(self, part))?,
                Key::Other => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(())
    }
}

#[derive(Clone, Copy)]
enum Key {
    Segment,
    Time,
    /// The first and the last of several times.
    From,
    To,
    Part(usize),
    Other,
}

/// Declares a seed that is its own visitor, with the methods given.
macro_rules! seed {
    ($name:ident => $value:ty, $expecting:literal, { $($methods:tt)* }) => {
        impl<'de> DeserializeSeed<'de> for $name<'_, '_> {
            type Value = $value;

            fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<$value, D::Error> {
                deserializer.deserialize_any(self)
            }
        }

        impl<'de> Visitor<'de> for $name<'_, '_> {
            type Value = $value;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str($expecting)
            }

            $($methods)*
        }
    };
}

struct KeySeed<'a, 'b>(&'a mut Scan<'b>);

seed!(KeySeed => Key, "a key", {
    fn visit_borrowed_str<E: Error>(self, key: &'de str) -> Result<Key, E> {
        self.0.place_of(key);
        Ok(match key {
            "segment" => Key::Segment,
            "time" => Key::Time,
            "from" if self.0.reader.dialect == Dialect::Jsonl => Key::From,
            "to" if self.0.reader.dialect == Dialect::Jsonl => Key::To,
            "narrative" => Key::Part(NARRATIVE),
            "annotation" => Key::Part(ANNOTATION),
            other => {
                self.0.sink.skipped.unknown.key(other);
                Key::Other
            }
        })
    }

    fn visit_str<E: Error>(self, key: &str) -> Result<Key, E> {
        self.0.place_of_copy();
        self.0.sink.skipped.unknown.key(key);
        Ok(Key::Other)
    }
});

struct SegmentSeed<'a, 'b>(&'a mut Scan<'b>);

seed!(SegmentSeed => (), "the segment's name", {
    fn visit_str<E: Error>(self, name: &str) -> Result<(), E> {
        self.0.document.segment = Symbol::new(name);
        Ok(())
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<(), E> {
        self.visit_str(&number.to_string())
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<(), E> {
        self.visit_str(&number.to_string())
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        Ok(())
    }
});

struct TimeSeed<'a, 'b>(&'a mut Scan<'b>);

seed!(TimeSeed => (), "a time", {
    fn visit_i64<E: Error>(self, time: i64) -> Result<(), E> {
        self.0.time(Some(time))
    }

    fn visit_u64<E: Error>(self, time: u64) -> Result<(), E> {
        self.0.time(i64::try_from(time).ok())
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<(), E> {
        // The integer -0 is a real number for JSON.
        let text = &self.0.text[self.0.document.time_at..];
        let is_zero = text.strip_prefix("-0").is_some_and(|rest| !rest.starts_with(['.', 'e', 'E']));
        self.0.time(is_zero.then_some(0))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<(), E> {
        let time = if self.0.reader.dialect == Dialect::Mongo { text.trim().parse().ok() } else { None };
        self.0.time(time)
    }

    // {"$numberInt":"680"} and {"$numberLong":"680"}
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        if self.0.reader.dialect != Dialect::Mongo {
            return self.0.time(None);
        }
        while map.next_key::<IgnoredAny>()?.is_some() {
            map.next_value_seed(TimeSeed(self.0))?;
        }
        Ok(())
    }
});

struct ListSeed<'a, 'b>(&'a mut Scan<'b>, usize);

seed!(ListSeed => (), "a list of atoms", {
    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        while list.next_element_seed(AtomSeed(self.0, self.1))?.is_some() {}
        Ok(())
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        Ok(())
    }
});

struct AtomSeed<'a, 'b>(&'a mut Scan<'b>, usize);

seed!(AtomSeed => (), "an atom in quotes", {
    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<(), E> {
        let at = self.0.place_of(text);
        self.0.atom(text, at, false, self.1)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<(), E> {
        let at = self.0.place_of_copy();
        self.0.atom(text, at, true, self.1)
    }
});
