//! Numbers: short cells are read as numbers, and compared, without a loop over their bytes where that can be.

use oled::Value;

/// Ten to the power of each number of decimal places that [`short_number`] reads.
const POWERS: [f64; 16] = [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15];

/// A number of at most fifteen digits, without exponent: both it without its point and the power of ten are exact then, so
/// their quotient is the nearest number there is, as of any other way to read it.
#[inline]
pub(super) fn short_number(cell: &[u8]) -> Option<Value> {
    let (negative, digits) = match cell {
        [b'-', digits @ ..] => (true, digits),
        digits => (false, digits),
    };
    if digits.is_empty() || digits.len() >= POWERS.len() {
        return None;
    }
    let (mut whole, mut places, mut point) = (0_i64, 0_usize, false);
    for byte in digits {
        let digit = byte.wrapping_sub(b'0');
        if digit < 10 {
            whole = 10 * whole + i64::from(digit);
            places += usize::from(point);
        } else if *byte == b'.' && !point {
            point = true;
        } else {
            return None;
        }
    }
    if !point {
        return Some(Value::Int(if negative { -whole } else { whole }));
    }
    // There is a digit before the point.
    if digits[0] == b'.' {
        return None;
    }
    Some(quotient(if negative { -whole } else { whole }, places))
}

/// The number with so many decimal places: nearest to what is written, and never infinite.
#[inline]
fn quotient(whole: i64, places: usize) -> Value {
    // As a whole number, nothing is not less than nothing.
    Value::Real(whole as f64 / POWERS[places])
}

/// A number of at most eight bytes at the end of a line, or of a part of one: its bytes are taken as one word, so that numbers of
/// all lengths take the same few steps, which a processor does not have to guess. `None` where it is another one, or none.
#[inline]
pub(super) fn eight_digits(line: &[u8], length: usize) -> Option<Value> {
    let bytes = line.last_chunk::<8>()?;
    if length == 0 || length > 8 {
        return None;
    }
    // The first byte of the line is the lowest one. What does not belong to the cell becomes a zero before it, and digits are numbers.
    let first = 8 * (8 - length) as u32;
    let mut word = (u64::from_le_bytes(*bytes) ^ u64::from_le_bytes([b'0'; 8])) & (u64::MAX << first);
    let mut others = no_digits(word);
    if others == 0 {
        return Some(Value::Int(whole(word)));
    }
    let mut start = first;
    if word >> first & 0xff == u64::from(b'-' ^ b'0') {
        word &= !(0xff << first);
        others = no_digits(word);
        start += 8;
    }
    let sign = if start > first { -1 } else { 1 };
    if others == 0 {
        return (start < 64).then(|| Value::Int(sign * whole(word)));
    }
    let point = others.trailing_zeros() & !7;
    // There is a digit before the point.
    if word >> point & 0xff != u64::from(b'.' ^ b'0') || point <= start {
        return None;
    }
    // The digits before the point move up to those behind it.
    let before = (1 << point) - 1;
    word = word & !(before << 8 | 0xff) | (word & before) << 8;
    (no_digits(word) == 0).then(|| quotient(sign * whole(word), (56 - point) as usize / 8))
}

/// The high bit of each byte of a word that is more than nine; above the lowest of them also of others.
#[inline]
fn no_digits(word: u64) -> u64 {
    (word.wrapping_add(0x7676_7676_7676_7676) | word) & 0x8080_8080_8080_8080
}

/// The number of eight digits, the first one lowest: pairs of digits become numbers, then pairs of these.
#[inline]
fn whole(digits: u64) -> i64 {
    let pairs = digits.wrapping_mul(0xa01) >> 8;
    let fours = (pairs & 0x00ff_00ff_00ff_00ff).wrapping_mul(0x64_0001) >> 16;
    ((fours & 0x0000_ffff_0000_ffff).wrapping_mul(0x2710_0000_0001) >> 32) as i64
}

/// Whether two texts are the same. Most are short, and compared by two words that may have bytes in common.
#[inline]
pub(super) fn same(a: &[u8], b: &[u8]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    match (a.first_chunk::<8>(), b.first_chunk::<8>(), a.last_chunk::<8>(), b.last_chunk::<8>()) {
        (Some(a_first), Some(b_first), Some(a_last), Some(b_last)) if a.len() <= 16 => {
            a_first == b_first && a_last == b_last
        }
        _ => a == b,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The number at the end of a longer line.
    fn eight(text: &str) -> Option<Value> {
        let line = format!("12345678,{text}");
        let found = eight_digits(line.as_bytes(), text.len());
        assert_eq!(found, eight_digits(text.as_bytes(), text.len()).or(found), "what stands before it does not matter");
        found
    }

    #[test]
    fn short_texts_are_compared_as_others_are() {
        for (a, b) in [
            ("", ""),
            ("a", "b"),
            ("machine-01", "machine-01"),
            ("machine-01", "machine-02"),
            ("machine-01", "nachine-01"),
            ("ab", "abc"),
        ] {
            assert_eq!(same(a.as_bytes(), b.as_bytes()), a == b, "{a} {b}");
        }
    }

    #[test]
    fn numbers_of_eight_bytes_are_read_at_once() {
        for (text, expected) in [
            ("7", Value::Int(7)),
            ("12345678", Value::Int(12_345_678)),
            ("-20.25", Value::Real(-20.25)),
            ("0.5", Value::Real(0.5)),
        ] {
            assert_eq!(eight(text), Some(expected), "{text}");
        }
        for text in ["", "-", ".", ".5", "1.2.3", "1e5", "123456789", "12a", "+5", "--5", "1,5"] {
            assert_eq!(eight(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn short_numbers_are_the_ones_that_others_read(text in "-?[0-9]{1,9}(\\.[0-9]{0,9})?", other in "[-0-9.eE+]{0,8}") {
            for text in [&text, &other] {
                for number in [short_number(text.as_bytes()), eight(text)].into_iter().flatten() {
                    let slow = text.parse().map(Value::Int).ok();
                    let slow = slow.or_else(|| Value::real(text.parse::<f64>().ok()?));
                    prop_assert_eq!(Some(number), slow, "{}", text);
                }
            }
        }
    }
}
