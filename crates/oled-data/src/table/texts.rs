//! Texts of cells: what a value of a column would be in delimited text.

use std::fmt::Write as _;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Date32Type, Date64Type, Decimal128Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type,
    Time32MillisecondType, Time32SecondType, Time64MicrosecondType, Time64NanosecondType, TimestampMicrosecondType,
    TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType, UInt8Type, UInt16Type, UInt32Type,
    UInt64Type,
};
use arrow_array::{Array, ArrayRef, ArrowPrimitiveType, PrimitiveArray};
use arrow_schema::{DataType, TimeUnit};
use jiff::Timestamp;
use jiff::tz::Offset;

use crate::times::Times;

/// Writes the cell of a row; nothing where it has none.
pub(crate) type Cell = Box<dyn Fn(usize, &mut String)>;

const DAY: i128 = 86_400 * 1_000_000_000;

/// Whether the values of a column can be cells.
pub(super) fn is_flat(of: &DataType) -> bool {
    use DataType::{
        Boolean, Date32, Date64, Decimal128, Dictionary, Float32, Float64, Int8, Int16, Int32, Int64, LargeUtf8, Null,
        Time32, Time64, Timestamp, UInt8, UInt16, UInt32, UInt64, Utf8, Utf8View,
    };
    // What data frames call categories.
    if let Dictionary(_, values) = of {
        return is_flat(values);
    }
    let text_or_number = matches!(of, Boolean | Utf8 | LargeUtf8 | Utf8View | Float32 | Float64 | Decimal128(..));
    let whole = matches!(of, Int8 | Int16 | Int32 | Int64 | UInt8 | UInt16 | UInt32 | UInt64);
    text_or_number || whole || matches!(of, Date32 | Date64 | Null | Time32(_) | Time64(_) | Timestamp(..))
}

/// What writes the cells of a column; `times`: how times are written, if these are the times of the stream.
pub(crate) fn text_of(array: &ArrayRef, times: Option<Times>) -> Cell {
    // Formatting took half of the time of reading a table; these are written by hand.
    macro_rules! shown {
        ($array:expr, $value:ident, $text:ident, $write:expr) => {{
            let array = $array.clone();
            Box::new(move |row, $text: &mut String| {
                if array.is_valid(row) {
                    let $value = array.value(row);
                    $write
                }
            })
        }};
    }
    macro_rules! written {
        ($array:expr) => {
            shown!($array, value, text, text.push_str(value))
        };
    }
    macro_rules! whole {
        ($of:ty) => {
            shown!(array.as_primitive::<$of>(), value, text, text.push_str(itoa::Buffer::new().format(value)))
        };
    }
    macro_rules! date {
        ($of:ty, $nanoseconds:expr, $zoned:expr) => {{
            let (array, zoned) = (array.as_primitive::<$of>().clone(), $zoned);
            Box::new(move |row, text: &mut String| {
                if array.is_valid(row) {
                    write_date(i128::from(array.value(row)) * $nanoseconds, zoned, times, text);
                }
            })
        }};
    }
    match array.data_type() {
        DataType::Float32 if times.is_some() => whole(array.as_primitive::<Float32Type>().clone(), f64::from),
        DataType::Float64 if times.is_some() => whole(array.as_primitive::<Float64Type>().clone(), |time| time),
        DataType::Dictionary(..) => {
            let dictionary = array.as_any_dictionary();
            if dictionary.values().is_empty() {
                return Box::new(|_, _| ());
            }
            let (keys, nulls) = (dictionary.normalized_keys(), dictionary.nulls().cloned());
            let value = text_of(dictionary.values(), times);
            Box::new(move |row, text: &mut String| {
                if nulls.as_ref().is_none_or(|nulls| nulls.is_valid(row)) {
                    value(keys[row], text);
                }
            })
        }
        DataType::Date64 => date!(Date64Type, 1_000_000, false),
        DataType::Boolean => {
            shown!(array.as_boolean(), value, text, text.push_str(if value { "true" } else { "false" }))
        }
        DataType::Utf8 => written!(array.as_string::<i32>()),
        DataType::LargeUtf8 => written!(array.as_string::<i64>()),
        DataType::Utf8View => written!(array.as_string_view()),
        DataType::Int8 => whole!(Int8Type),
        DataType::Int16 => whole!(Int16Type),
        DataType::Int32 => whole!(Int32Type),
        DataType::Int64 => whole!(Int64Type),
        DataType::UInt8 => whole!(UInt8Type),
        DataType::UInt16 => whole!(UInt16Type),
        DataType::UInt32 => whole!(UInt32Type),
        DataType::UInt64 => whole!(UInt64Type),
        // The shortest number that is this one: 0.1 of 32 bits is 0.1. With its point, as it is no whole number.
        DataType::Float32 => shown!(array.as_primitive::<Float32Type>(), value, text, write_real(value, text)),
        DataType::Float64 => shown!(array.as_primitive::<Float64Type>(), value, text, write_real(value, text)),
        DataType::Decimal128(..) => {
            let array = array.as_primitive::<Decimal128Type>().clone();
            Box::new(move |row, text: &mut String| {
                if array.is_valid(row) {
                    text.push_str(&array.value_as_string(row));
                }
            })
        }
        DataType::Date32 => {
            let array = array.as_primitive::<Date32Type>().clone();
            Box::new(move |row, text: &mut String| {
                let moment = if array.is_valid(row) { i128::from(array.value(row)) * DAY } else { return };
                match (Timestamp::from_nanosecond(moment), times.is_some()) {
                    (Ok(moment), false) => _ = write!(text, "{}", Offset::UTC.to_datetime(moment).date()),
                    _ => write_date(moment, false, times, text),
                }
            })
        }
        DataType::Time32(TimeUnit::Second) => of_day::<Time32SecondType>(array, 1_000_000_000),
        DataType::Time32(_) => of_day::<Time32MillisecondType>(array, 1_000_000),
        DataType::Time64(TimeUnit::Microsecond) => of_day::<Time64MicrosecondType>(array, 1_000),
        DataType::Time64(_) => of_day::<Time64NanosecondType>(array, 1),
        DataType::Timestamp(unit, zone) => {
            let zoned = zone.is_some();
            match unit {
                TimeUnit::Second => date!(TimestampSecondType, 1_000_000_000, zoned),
                TimeUnit::Millisecond => date!(TimestampMillisecondType, 1_000_000, zoned),
                TimeUnit::Microsecond => date!(TimestampMicrosecondType, 1_000, zoned),
                TimeUnit::Nanosecond => date!(TimestampNanosecondType, 1, zoned),
            }
        }
        // Columns of other types are not read.
        _ => Box::new(|_, _| ()),
    }
}

/// The shortest number that is this one; very large and very small ones have an exponent. Where two are as short and as near,
/// as 154198.12 and 154198.13 are to one of 32 bits, `{:?}` might write the other one.
fn write_real<F: zmij::Float + Copy + Into<f64> + std::fmt::Debug>(number: F, text: &mut String) {
    let size = number.into().abs();
    if (1e-3..1e6).contains(&size) {
        text.push_str(zmij::Buffer::new().format_finite(number));
    } else {
        // Writing to a string cannot fail.
        let _ = write!(text, "{number:?}");
    }
}

/// Times that are numbers with a point, as data frames have them where some are missing: `680.0` is 680.
fn whole<T: ArrowPrimitiveType>(array: PrimitiveArray<T>, number: fn(T::Native) -> f64) -> Cell {
    Box::new(move |row, text: &mut String| {
        let time = if array.is_valid(row) { number(array.value(row)) } else { f64::NAN };
        if !time.is_nan() {
            // Writing to a string cannot fail.
            let _ = write!(text, "{time}");
        }
    })
}

/// Times of day, so many nanoseconds long units after midnight: `23:59:58.5`.
fn of_day<T: ArrowPrimitiveType<Native: Into<i128>>>(array: &ArrayRef, nanoseconds: i128) -> Cell {
    let array = array.as_primitive::<T>().clone();
    Box::new(move |row, text: &mut String| {
        if array.is_valid(row)
            && let Ok(moment) = Timestamp::from_nanosecond(array.value(row).into() * nanoseconds)
        {
            // Writing to a string cannot fail.
            let _ = write!(text, "{}", Offset::UTC.to_datetime(moment).time());
        }
    })
}

/// Writes the cell of a row, if its column is read.
pub(super) fn write(cell: Option<&Cell>, row: usize, text: &mut String) {
    if let Some(cell) = cell {
        cell(row, text);
    }
}

/// A moment as a date; where times of the stream are numbers, as one of these.
fn write_date(nanoseconds: i128, zoned: bool, times: Option<Times>, text: &mut String) {
    if let Some(times) = times.filter(|times| !times.are_dates()) {
        let unit = 1_000_000_000 / i128::from(times.clock().units);
        if let (0, Ok(time)) = (nanoseconds % unit, i64::try_from(nanoseconds / unit)) {
            text.push_str(&times.show(time));
            return;
        }
    }
    let _ = match Timestamp::from_nanosecond(nanoseconds) {
        Ok(moment) => write!(text, "{}{}", Offset::UTC.to_datetime(moment), if zoned { "Z" } else { "" }),
        Err(_) => write!(text, "{nanoseconds} ns"),
    };
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::{Time32MillisecondArray, Time32SecondArray, Time64MicrosecondArray, Time64NanosecondArray};

    use super::*;

    #[test]
    fn times_of_day_are_written_as_in_text() {
        let half = 86_398_500_i64;
        let arrays: [(ArrayRef, &str); 4] = [
            (Arc::new(Time32SecondArray::from(vec![Some(230), None])), "00:03:50"),
            (Arc::new(Time32MillisecondArray::from(vec![Some(half as i32), None])), "23:59:58.5"),
            (Arc::new(Time64MicrosecondArray::from(vec![Some(half * 1_000), None])), "23:59:58.5"),
            (Arc::new(Time64NanosecondArray::from(vec![Some(half * 1_000_000), None])), "23:59:58.5"),
        ];
        for (array, expected) in arrays {
            assert!(is_flat(array.data_type()));
            let (cell, mut text) = (text_of(&array, None), String::new());
            cell(0, &mut text);
            cell(1, &mut text);
            assert_eq!(text, expected);
        }
    }

    #[test]
    fn real_numbers_are_as_short_as_can_be_and_the_same_when_they_are_read() {
        let mut bits = 1_u64;
        let sizes = [0.0, -0.0, 1.0, -20.0, 0.1, 1e-3, 9.9e-4, 1e15, 1e16, 123_456.789, 154_198.125, f64::MAX];
        let any = (0..20_000).map(|n| {
            bits = bits.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            if n % 2 == 0 { f64::from_bits(bits) } else { (bits >> 40) as f64 / 1000.0 - 8000.0 }
        });
        for number in sizes.into_iter().chain(any).filter(|number| !number.is_nan()) {
            let (mut text, mut short) = (String::new(), String::new());
            write_real(number, &mut text);
            assert_eq!(text.parse(), Ok(number));
            assert_eq!(text.len(), format!("{number:?}").len(), "{text}");
            let half = number as f32;
            write_real(half, &mut short);
            assert_eq!(short.parse(), Ok(half));
            assert_eq!(short.len(), format!("{half:?}").len(), "{short}");
        }
    }
}
