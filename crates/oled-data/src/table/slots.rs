//! Slots: the cells of a row that facts ask for, each read once.

use std::borrow::Cow;

use oled::lang::Kind;
use oled::{Symbol, Value};

use super::Row;
use super::numbers::{eight_digits, same, short_number};

/// A row, in whatever form its cells are at hand.
pub(super) trait AnyRow {
    /// The text of a cell, without blanks around it.
    fn text(&self, column: usize) -> Cow<'_, str>;

    /// The text of a cell as it is, if it is one: to be looked up among others.
    fn bytes(&self, column: usize) -> Option<&[u8]>;

    /// The number that a cell is, where that takes no more than a few steps.
    fn number(&self, column: usize) -> Option<Value>;

    /// The time of the stream that a cell is, where it need not be read.
    #[inline]
    fn time(&self, _: usize) -> Option<i64> {
        None
    }

    /// Where a cell stands in the line.
    fn at(&self, column: usize) -> usize;
}

impl AnyRow for Row<'_> {
    #[inline]
    fn text(&self, column: usize) -> Cow<'_, str> {
        self.cell(column).into()
    }

    #[inline]
    fn bytes(&self, column: usize) -> Option<&[u8]> {
        Some(Row::bytes(self, column))
    }

    #[inline]
    fn number(&self, column: usize) -> Option<Value> {
        let (bytes, length) = self.up_to(column);
        eight_digits(bytes, length)
    }

    fn at(&self, column: usize) -> usize {
        Row::at(self, column)
    }
}

/// What facts have as arguments: a column, or a constant. Several facts of a row may have the same: its cell is read once.
pub(super) struct Slot {
    /// `None` for a constant.
    pub(super) column: Option<usize>,
    /// What its values are, and the type that says so.
    pub(super) kind: Kind,
    pub(super) type_name: Symbol,
    /// Whether every row is asked for it: names that no fact has are not kept.
    pub(super) always: bool,
    /// Names that came last, by [`Slot::place_of`]: few names are in most rows.
    pub(super) names: Vec<(Vec<u8>, Option<Value>)>,
    /// What it has in the row, and whether that is a value.
    pub(super) value: Value,
    pub(super) taken: Taken,
}

/// Names that a slot keeps at hand: a power of two, and as many as fit in a few lines of the cache.
const AT_HAND: usize = 16;

/// What a slot has in a row.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Taken {
    /// Nobody has asked yet.
    Unread,
    Missing,
    Wrong,
    Value,
}

impl Slot {
    /// Where a name is kept: names of a column differ at their ends, if at all.
    #[inline]
    fn place_of(cell: &[u8]) -> usize {
        let last = cell.last().copied().unwrap_or(0);
        let before = cell.len().checked_sub(2).map_or(0, |at| cell[at]);
        usize::from(last ^ before.rotate_left(2)) % AT_HAND
    }

    /// Reads its cell, if every row is asked for it; returns whether a fact may lack it.
    #[inline]
    pub(super) fn take(&mut self, row: &impl AnyRow, missing: &Missing, comma: bool) -> bool {
        let (Some(column), true) = (self.column, self.always) else {
            self.taken = if self.column.is_some() { Taken::Unread } else { Taken::Value };
            return false;
        };
        // Most numbers are short, and of the kind that they must be; most names came before.
        let known = if self.kind.is_number() {
            let number = if missing.numbers { None } else { row.number(column) };
            number.filter(|number| matches!(number, Value::Int(_)) || self.kind == Kind::Real)
        } else {
            row.bytes(column).and_then(|cell| self.at_hand(cell))
        };
        match known {
            Some(known) => (self.value, self.taken) = (known, Taken::Value),
            None => self.taken = self.take_any(column, row, missing, comma),
        }
        self.taken != Taken::Value
    }

    /// Reads any cell, in more steps.
    #[inline(never)]
    pub(super) fn take_any(&mut self, column: usize, row: &impl AnyRow, missing: &Missing, comma: bool) -> Taken {
        let bytes = if self.kind.is_number() { None } else { row.bytes(column) };
        if let Some(known) = bytes.and_then(|bytes| self.at_hand(bytes)) {
            self.value = known;
            return Taken::Value;
        }
        let text = row.text(column);
        let cell = text.as_ref();
        if missing.has(cell) {
            return Taken::Missing;
        }
        let with_point = comma && self.kind != Kind::Symbol && cell.contains(',');
        // Where names may stand, what is no number is one.
        let number = with_point.then(|| value_of(&cell.replacen(',', ".", 1), self.kind)).flatten();
        let number = number.filter(|value| matches!(value, Value::Int(_) | Value::Real(_)));
        let Some(read) = number.or_else(|| value_of(cell, self.kind)) else { return Taken::Wrong };
        if let Some(bytes) = bytes {
            self.keep(bytes, read);
        }
        self.value = read;
        Taken::Value
    }

    /// The value of a cell that is at hand.
    #[inline]
    fn at_hand(&self, cell: &[u8]) -> Option<Value> {
        let (name, value) = self.names.get(Slot::place_of(cell))?;
        value.filter(|_| same(name, cell))
    }

    /// Keeps the value of a cell at hand.
    fn keep(&mut self, cell: &[u8], value: Value) {
        self.names.resize(AT_HAND, (Vec::new(), None));
        let (name, known) = &mut self.names[Slot::place_of(cell)];
        name.clear();
        name.extend_from_slice(cell);
        *known = Some(value);
    }
}

/// Cells that say nothing. Most cells are told from them by their first byte.
pub(super) struct Missing {
    cells: Vec<String>,
    /// Whether an empty cell is one, and whether some number is.
    empty: bool,
    numbers: bool,
    /// Those of one byte, and first bytes of longer ones.
    single: [bool; 256],
    first: [bool; 256],
}

impl Missing {
    pub(super) fn new(cells: &[String]) -> Missing {
        let mut missing = Missing {
            empty: cells.iter().any(String::is_empty),
            numbers: cells.iter().any(|cell| number(cell).is_some()),
            cells: cells.to_vec(),
            single: [false; 256],
            first: [false; 256],
        };
        for cell in cells {
            match cell.as_bytes() {
                [] => {}
                [byte] => missing.single[usize::from(*byte)] = true,
                [byte, ..] => missing.first[usize::from(*byte)] = true,
            }
        }
        missing
    }

    #[inline]
    pub(super) fn has(&self, cell: &str) -> bool {
        match cell.as_bytes() {
            [] => self.empty,
            [byte] => self.single[usize::from(*byte)],
            [byte, ..] => self.first[usize::from(*byte)] && self.cells.iter().any(|missing| missing == cell),
        }
    }
}

/// The value of a cell, unless it is of another kind than it must be.
pub(crate) fn value_of(cell: &str, kind: Kind) -> Option<Value> {
    let name = || Value::Sym(Symbol::new(cell));
    match kind {
        Kind::Symbol => Some(name()),
        Kind::Int | Kind::Real => number(cell).filter(|value| kind.has(*value)),
        // What begins with a zero is a code: 007 is not 7.
        Kind::Any => Some(if is_code(cell) { name() } else { number(cell).unwrap_or_else(name) }),
    }
}

/// Whether a cell is written in digits, but not as a number is.
pub(crate) fn is_code(cell: &str) -> bool {
    let digits = cell.strip_prefix('-').unwrap_or(cell);
    digits.len() > 1 && digits.starts_with('0') && digits.as_bytes()[1].is_ascii_digit()
}

/// The number that a cell is; no text, no infinity.
pub(crate) fn number(cell: &str) -> Option<Value> {
    if let Some(number) = short_number(cell.as_bytes()) {
        return Some(number);
    }
    if let Ok(whole) = cell.parse::<i64>() {
        return Some(Value::Int(whole));
    }
    // Rust reads `inf` and `nan` as numbers.
    let first = cell.trim_start_matches(['-', '+']).bytes().next()?;
    if !first.is_ascii_digit() && first != b'.' {
        return None;
    }
    Value::real(cell.parse::<f64>().ok()?)
}
