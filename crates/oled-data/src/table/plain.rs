//! Plain rows: whole lines without quotes, taken apart by their marks.

use std::ops::Range;

use super::Row;

/// The lines of a text, one by one, as rows if they are plain.
pub(super) struct PlainRows<'a> {
    text: &'a str,
    /// Where the first line begins, and the byte behind each mark.
    behind: &'a mut [usize],
    /// The mark at which the next line begins, and its byte.
    at: usize,
    start: usize,
    /// How many cells a row has, and the line with their names.
    width: usize,
    header: &'a [u8],
}

impl<'a> PlainRows<'a> {
    pub(super) fn new(text: &'a str, behind: &'a mut [usize], width: usize, header: &'a str) -> PlainRows<'a> {
        let start = behind.first().copied().unwrap_or(0);
        PlainRows { text, behind, at: 0, start, width, header: header.as_bytes() }
    }

    /// The next line, its end included, and the row that it is; none if it has to be looked at more closely.
    #[inline]
    pub(super) fn next(&mut self) -> Option<(Range<usize>, Option<Row<'_>>)> {
        let (from, start) = (self.at, self.start);
        if from + 1 >= self.behind.len() {
            return None;
        }
        self.behind[from] = start;
        let bytes = self.text.as_bytes();
        if !self.is_row() {
            let ends_line = |behind: &usize| bytes[*behind - 1] == b'\n';
            let marks = self.behind[from + 1..].iter();
            self.at = from + 1 + marks.clone().position(ends_line).unwrap_or(marks.len() - 1);
            self.start = self.behind[self.at];
            return Some((start..self.start, None));
        }
        self.at = from + self.width;
        let end = &mut self.behind[self.at];
        self.start = *end;
        // The rest of the end of a line belongs to no cell.
        *end -= usize::from(bytes[*end - 2] == b'\r');
        Some((start..self.start, Some(Row::between(self.text, &self.behind[from..=self.at]))))
    }

    /// Whether the next line is a row with a cell for each column, and nothing that has to be looked at more closely.
    #[inline]
    fn is_row(&self) -> bool {
        let bytes = self.text.as_bytes();
        let Some((last, others)) = self.behind[self.at..].get(1..=self.width).and_then(<[usize]>::split_last) else {
            return false;
        };
        let is_cell = others.iter().all(|behind| bytes[*behind - 1] != b'\n');
        let line = &bytes[self.start..last - 1];
        // A line may be blank, or the header again, with the rest of its end.
        let header = line.len().wrapping_sub(self.header.len()) <= 2 && line.starts_with(self.header);
        is_cell && bytes[last - 1] == b'\n' && line.first().is_some_and(|first| *first > b' ') && !header
    }
}
