//! Typed cells: numbers, times and texts of a column as they are. Whoever wants them as others have them gets the same from their texts,
//! only later.

use std::borrow::Cow;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, TimestampMicrosecondType, TimestampMillisecondType,
    TimestampNanosecondType, TimestampSecondType, UInt8Type, UInt16Type, UInt32Type,
};
use arrow_array::{Array, ArrayRef, Float64Array, Int64Array, PrimitiveArray, StringArray};
use arrow_schema::{DataType, TimeUnit};
use oled::Value;

use super::slots::AnyRow;
use super::texts::{Cell, text_of};
use super::{Cells, Columns, Row};
use crate::times::Times;

/// A column of a batch that is read.
pub(super) struct Column {
    typed: Option<Typed>,
    cell: Cell,
}

/// Values that need not be written to be read.
enum Typed {
    Whole(Int64Array),
    Real(Float64Array),
    Text(StringArray),
}

impl Column {
    /// A column of a table; what its cells are good for is known by its number.
    pub(super) fn new(array: &ArrayRef, number: usize, columns: &Columns, times: Times) -> Column {
        let times = columns.is_time(number).then_some(times);
        let typed = match (array.data_type(), times) {
            (DataType::Utf8, None) => Some(Typed::Text(array.as_string::<i32>().clone())),
            (_, Some(times)) => moments(array, times).map(Typed::Whole),
            (DataType::Float64, None) if columns.are_numbers(number) => {
                Some(Typed::Real(array.as_primitive::<Float64Type>().clone()))
            }
            (_, None) if columns.are_numbers(number) => whole(array).map(Typed::Whole),
            _ => None,
        };
        Column { typed, cell: text_of(array, times) }
    }
}

/// Whole numbers of any size that is always within that of ours.
fn whole(array: &ArrayRef) -> Option<Int64Array> {
    macro_rules! widened {
        ($of:ty) => {
            Some(array.as_primitive::<$of>().unary(i64::from))
        };
    }
    match array.data_type() {
        DataType::Int8 => widened!(Int8Type),
        DataType::Int16 => widened!(Int16Type),
        DataType::Int32 => widened!(Int32Type),
        DataType::Int64 => Some(array.as_primitive::<Int64Type>().clone()),
        DataType::UInt8 => widened!(UInt8Type),
        DataType::UInt16 => widened!(UInt16Type),
        DataType::UInt32 => widened!(UInt32Type),
        _ => None,
    }
}

/// The times of a column, if all of them are times of the stream.
fn moments(array: &ArrayRef, times: Times) -> Option<Int64Array> {
    macro_rules! counted {
        ($of:ty, $nanoseconds:expr, $zoned:expr) => {{
            let array: &PrimitiveArray<$of> = array.as_primitive();
            let read = |moment: i64| times.of_moment(i128::from(moment) * $nanoseconds, $zoned).ok_or(());
            array.try_unary::<_, Int64Type, ()>(read).ok()
        }};
    }
    match array.data_type() {
        DataType::Timestamp(unit, zone) => match unit {
            TimeUnit::Second => counted!(TimestampSecondType, 1_000_000_000, zone.is_some()),
            TimeUnit::Millisecond => counted!(TimestampMillisecondType, 1_000_000, zone.is_some()),
            TimeUnit::Microsecond => counted!(TimestampMicrosecondType, 1_000, zone.is_some()),
            TimeUnit::Nanosecond => counted!(TimestampNanosecondType, 1, zone.is_some()),
        },
        _ if times.are_whole() => whole(array),
        _ => None,
    }
}

/// A row of a batch.
pub(super) struct TypedRow<'a> {
    columns: &'a [Option<Column>],
    row: usize,
    /// The cells that are no typed ones.
    written: Row<'a>,
}

impl<'a> TypedRow<'a> {
    /// A row by its number; cells are written where they have to be.
    pub(super) fn new(columns: &'a [Option<Column>], row: usize, texts: &'a mut Cells) -> TypedRow<'a> {
        let written = texts.row(columns, |column, text| {
            if let Some(Column { typed: None, cell }) = column {
                cell(row, text);
            }
        });
        TypedRow { columns, row, written }
    }

    #[inline]
    fn typed(&self, column: usize) -> Option<(&'a Typed, &'a Cell)> {
        let column = self.columns.get(column)?.as_ref()?;
        column.typed.as_ref().map(|typed| (typed, &column.cell))
    }
}

impl AnyRow for TypedRow<'_> {
    fn text(&self, column: usize) -> Cow<'_, str> {
        match self.typed(column) {
            None => self.written.cell(column).into(),
            Some((Typed::Text(array), _)) if array.is_valid(self.row) => array.value(self.row).trim_ascii().into(),
            Some((_, cell)) => {
                let mut text = String::new();
                cell(self.row, &mut text);
                text.into()
            }
        }
    }

    #[inline]
    fn bytes(&self, column: usize) -> Option<&[u8]> {
        match self.typed(column) {
            None => Some(self.written.bytes(column)),
            Some((Typed::Text(array), _)) if array.is_valid(self.row) => Some(array.value(self.row).as_bytes()),
            Some(_) => None,
        }
    }

    #[inline]
    fn number(&self, column: usize) -> Option<Value> {
        match self.typed(column) {
            None => self.written.number(column),
            Some((Typed::Whole(array), _)) => array.is_valid(self.row).then(|| Value::Int(array.value(self.row))),
            Some((Typed::Real(array), _)) if array.is_valid(self.row) => Value::real(array.value(self.row)),
            Some(_) => None,
        }
    }

    #[inline]
    fn time(&self, column: usize) -> Option<i64> {
        match self.typed(column) {
            Some((Typed::Whole(array), _)) if array.is_valid(self.row) => Some(array.value(self.row)),
            _ => None,
        }
    }

    fn at(&self, _: usize) -> usize {
        0
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::TimestampMillisecondArray;
    use oled::lang::Clock;

    use super::*;

    #[test]
    fn times_are_those_that_are_read_of_their_texts() {
        let athens = Clock::in_zone("s".parse().unwrap(), crate::zones::find("Europe/Athens").unwrap());
        let clocks =
            [("s", 0), ("ms", 7200), ("s", -19_800)].map(|(unit, ahead)| Clock::new(unit.parse().unwrap(), ahead));
        for clock in clocks.into_iter().chain([athens]) {
            for times in
                [Times::integer(clock), Times::seconds(clock), Times::iso(clock, true), Times::iso(clock, false)]
            {
                for (zone, moment) in [None, Some("UTC")].into_iter().flat_map(|zone| {
                    [0, 1_772_359_200_000, 1_772_359_200_250, -1, -86_400_000, i64::MAX].map(|moment| (zone, moment))
                }) {
                    let array = TimestampMillisecondArray::from(vec![moment]).with_timezone_opt(zone);
                    let array: ArrayRef = Arc::new(array);
                    let mut text = String::new();
                    text_of(&array, Some(times))(0, &mut text);
                    if let Some(typed) = moments(&array, times) {
                        assert_eq!(times.read(&text), Ok(typed.value(0)), "{text}");
                    } else {
                        let local = times.are_dates() && zone.is_none() && clock.zone.is_some();
                        assert!(local || times.read(&text).is_err(), "{text}");
                    }
                }
            }
        }
    }
}
