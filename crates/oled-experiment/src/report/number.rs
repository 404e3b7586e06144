//! Numbers as people read them.

use std::fmt::Display;

/// What stands where there is no number.
pub(super) const NOTHING: &str = "–";

/// A share such as precision or F1, to three digits.
pub(super) fn share(value: f64) -> String {
    if value.is_finite() { format!("{value:.3}") } else { NOTHING.into() }
}

/// A mean of counts: one digit after the point, unless there are many before it.
pub(super) fn mean(value: f64) -> String {
    match value {
        _ if !value.is_finite() => NOTHING.into(),
        _ if value.abs() >= 1000.0 => grouped(&format!("{value:.0}")),
        _ => format!("{value:.1}").replace('-', "−"),
    }
}

/// The same where most are whole: what others have printed, and what is counted rather than averaged.
pub(super) fn whole(value: f64) -> String {
    let text = mean(value);
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}

/// A quantity of any size, to three significant digits: `0.00123`, `12.3`, `4 560`.
pub(super) fn quantity(value: f64) -> String {
    if !value.is_finite() {
        return NOTHING.into();
    }
    if value == 0.0 {
        return "0".into();
    }
    let places = (2 - value.abs().log10().floor() as i32).max(0) as usize;
    let text = format!("{value:.places$}");
    match text.split_once('.') {
        Some(_) => text.trim_end_matches('0').trim_end_matches('.').into(),
        None => grouped(&text),
    }
}

/// A count.
pub(super) fn count(value: impl Display) -> String {
    grouped(&format!("{value}"))
}

/// A number that may be missing.
pub(super) fn or_nothing(value: Option<f64>, show: impl Fn(f64) -> String) -> String {
    value.map_or_else(|| NOTHING.into(), show)
}

/// Digits in groups of three where there are more than four of them, with a narrow space that does not break.
fn grouped(digits: &str) -> String {
    let (sign, digits) = digits.strip_prefix('-').map_or(("", digits), |rest| ("−", rest));
    let mut text = String::from(sign);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && digits.len() > 4 && (digits.len() - i).is_multiple_of(3) {
            text.push('\u{202f}');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_as_many_digits_as_they_deserve() {
        assert_eq!([mean(3.0), mean(3.25), mean(-12.0), mean(12_345.6)], ["3.0", "3.2", "−12.0", "12\u{202f}346"]);
        assert_eq!([whole(3.0), whole(3.25)], ["3", "3.2"]);
        assert_eq!([quantity(0.001_234), quantity(12.34), quantity(4560.0)], ["0.00123", "12.3", "4560"]);
        assert_eq!([count(1234), count(12345), count(1_234_567)], ["1234", "12\u{202f}345", "1\u{202f}234\u{202f}567"]);
        assert_eq!([share(0.9996), share(f64::NAN)], ["1.000", NOTHING]);
    }
}
