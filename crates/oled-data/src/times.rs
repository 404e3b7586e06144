//! Times: how the times of a stream are written, so that what is printed reads as what came in.

use std::borrow::Cow;
use std::fmt;

use jiff::civil::{DateTime, Time};
use jiff::fmt::temporal::{Pieces, PiecesNumericOffset, PiecesOffset};
use jiff::tz::Offset;
use jiff::{SignedDuration, Timestamp};
use oled::lang::Clock;

/// How the times of a stream are written.
///
/// ```
/// use oled_data::Times;
/// let times = Times::iso(oled::lang::Clock::default(), true);
/// assert_eq!(times.read("2026-03-01 10:00:00"), Ok(1_772_359_200));
/// assert_eq!(times.read("2026-03-01T12:00:00+02:00"), Ok(1_772_359_200));
/// assert_eq!(times.show(1_772_359_200), "2026-03-01T10:00:00Z");
/// assert_eq!(Times::default().show(680), "680");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Times {
    clock: Clock,
    form: Form,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Form {
    /// Whole numbers, whatever they count.
    #[default]
    Integer,
    /// Seconds with a decimal point, which are counted in the units of the clock.
    Seconds,
    /// Dates with times of day, as ISO 8601 has them; with what the clock is ahead of UTC, or without.
    Iso { zoned: bool },
}

impl Times {
    /// Whole numbers, of which the clock knows what they count.
    pub fn integer(clock: Clock) -> Times {
        Times { clock, form: Form::Integer }
    }

    /// Seconds with a decimal point.
    pub fn seconds(clock: Clock) -> Times {
        Times { clock, form: Form::Seconds }
    }

    /// Dates with times of day; `zoned` if they are printed with how far the clock is ahead of UTC. A date that does not say it
    /// is one of the clock.
    pub fn iso(clock: Clock, zoned: bool) -> Times {
        Times { clock, form: Form::Iso { zoned } }
    }

    /// Whether times are dates.
    pub fn are_dates(&self) -> bool {
        matches!(self.form, Form::Iso { .. })
    }

    /// Whether times are dates that are printed with how far their clock is ahead of UTC.
    pub fn are_zoned(&self) -> bool {
        self.form == Form::Iso { zoned: true }
    }

    /// Whether times are whole numbers.
    #[cfg(feature = "arrow")]
    pub(crate) fn are_whole(&self) -> bool {
        self.form == Form::Integer
    }

    /// The time of a moment, so many nanoseconds after 1970 on the clock of UTC if it is `zoned`, or else on ours: what would be read of
    /// its text. `None` where it is none, or where that takes to know the rules of a zone.
    #[cfg(feature = "arrow")]
    pub(crate) fn of_moment(&self, nanoseconds: i128, zoned: bool) -> Option<i64> {
        let Clock { units, ahead, zone } = self.clock;
        let local = self.are_dates() && !zoned;
        let is_date = !self.are_dates() || Timestamp::from_nanosecond(nanoseconds).is_ok();
        if local && zone.is_some() || !is_date {
            return None;
        }
        let nanoseconds = nanoseconds - if local { i128::from(ahead) * 1_000_000_000 } else { 0 };
        let unit = 1_000_000_000 / i128::from(units);
        if nanoseconds % unit == 0 { i64::try_from(nanoseconds / unit).ok() } else { None }
    }

    /// Whether times are numbers of seconds with a decimal point.
    pub fn are_seconds(&self) -> bool {
        self.form == Form::Seconds
    }

    /// What times count.
    pub fn clock(&self) -> Clock {
        self.clock
    }

    /// The time that a text says, or what is wrong with it.
    pub fn read(&self, text: &str) -> Result<i64, TimeError> {
        let text = text.trim_ascii();
        match self.form {
            Form::Integer => text.parse().map_err(|_| TimeError::of_integer(text)),
            Form::Seconds => read_seconds(text, self.clock.units),
            Form::Iso { .. } => read_date(text, self.clock),
        }
    }

    /// A time as it is printed.
    pub fn show(&self, time: i64) -> String {
        match self.form {
            Form::Integer => time.to_string(),
            Form::Seconds => show_seconds(time, self.clock.units),
            Form::Iso { zoned } => show_date(time, self.clock, zoned).unwrap_or_else(|| time.to_string()),
        }
    }

    /// How many time units the clock of dates is ahead of UTC.
    pub(crate) fn ahead(&self) -> i64 {
        if self.are_dates() { self.clock.ahead * self.clock.units } else { 0 }
    }

    /// The number of the piece of the clock's time, so many units long, that a time is in.
    pub(crate) fn piece(&self, time: i64, length: i64) -> i64 {
        let ahead = if self.are_days(length) { self.clock.ahead_at(time) * self.clock.units } else { self.ahead() };
        time.saturating_add(ahead).div_euclid(length)
    }

    /// Whether pieces of this length are days, which begin at midnight, whatever the clock is put to. Shorter ones go by what it
    /// shows in winter, since others would come twice.
    fn are_days(&self, length: i64) -> bool {
        self.are_dates() && length % (86_400 * self.clock.units) == 0
    }

    /// What that piece is called: the day, where pieces are days, or the time at which it begins.
    pub(crate) fn show_piece(&self, time: i64, length: i64) -> String {
        let local = self.piece(time, length).saturating_mul(length);
        if !self.are_days(length) {
            return self.show(local.saturating_sub(self.ahead()));
        }
        // The day is what the clock shows.
        let utc = Clock { ahead: 0, zone: None, ..self.clock };
        civil(local, utc).map_or_else(|| self.show(local), |date| date.date().to_string())
    }

    /// How many time units a text is: `90s`, `15m`, `1h`, `2d`, `500ms`, or a plain number of them.
    pub fn duration(&self, text: &str) -> Option<i64> {
        let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
        let (number, unit) = (text[..digits].parse::<i64>().ok()?, text[digits..].trim_ascii());
        let units = self.clock.units;
        let of_second = |parts: i64| {
            let whole = number.checked_mul(units)?;
            (whole % parts == 0).then_some(whole / parts)
        };
        match unit {
            "" => Some(number),
            "s" => number.checked_mul(units),
            "m" | "min" => number.checked_mul(60)?.checked_mul(units),
            "h" => number.checked_mul(3600)?.checked_mul(units),
            "d" => number.checked_mul(86_400)?.checked_mul(units),
            "ms" => of_second(1_000),
            "us" => of_second(1_000_000),
            "ns" => of_second(1_000_000_000),
            _ => None,
        }
    }
}

/// What is wrong with a time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimeError {
    /// A lower-case sentence.
    pub message: String,
    /// What to do about it.
    pub hint: &'static str,
}

impl TimeError {
    fn of_integer(text: &str) -> TimeError {
        let hint = if Pieces::parse(text.as_bytes()).is_ok() {
            "it is a date: write `time = \"iso\"` into `[stream]` of task.toml"
        } else {
            "times are whole numbers; dates are read where `[stream]` of task.toml says `time = \"iso\"`"
        };
        TimeError { message: format!("the time `{text}` is not a whole number"), hint }
    }
}

impl fmt::Display for TimeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// The units of a decimal number of seconds, without rounding.
fn read_seconds(text: &str, units: i64) -> Result<i64, TimeError> {
    let wrong = |message: &str, hint| TimeError { message: format!("the time `{text}` {message}"), hint };
    let not_a_number = || wrong("is no number of seconds", "write it as in 12.25");
    let (sign, digits) = text.strip_prefix('-').map_or((1, text), |digits| (-1, digits));
    let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
    let part = part.trim_end_matches('0');
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !is_number(whole) || !is_number(part) {
        return Err(not_a_number());
    }
    let places = units.ilog10() as usize;
    if part.len() > places {
        return Err(wrong(
            "is finer than the units in which times are counted",
            "write `epoch = \"ms\"`, \"us\" or \"ns\" into `[stream]` of task.toml",
        ));
    }
    let part = format!("{part:0<places$}");
    let whole = whole.parse::<i64>().ok().and_then(|whole| whole.checked_mul(units));
    let part = if part.is_empty() { Some(0) } else { part.parse::<i64>().ok() };
    let time = whole.zip(part).and_then(|(whole, part)| whole.checked_add(part));
    time.map(|time| sign * time).ok_or_else(not_a_number)
}

fn show_seconds(time: i64, units: i64) -> String {
    let (sign, size) = (if time < 0 { "-" } else { "" }, time.unsigned_abs());
    let (whole, part) = (size / units as u64, size % units as u64);
    if part == 0 {
        return format!("{sign}{whole}");
    }
    let places = units.ilog10() as usize;
    let part = format!("{part:0places$}");
    format!("{sign}{whole}.{}", part.trim_end_matches('0'))
}

/// A date in the form that most are written in, `2026-03-01T10:00:00`, with `Z` behind or of a clock that does not change: parts and
/// zones are looked for in others only, since that takes many times as long.
fn plain_seconds(text: &[u8], clock: Clock) -> Option<i64> {
    let (date, zulu) = match text {
        [date @ .., b'Z'] => (date, true),
        date => (date, false),
    };
    let date: &[u8; 19] = date.try_into().ok()?;
    let marks = [date[4], date[7], date[13], date[16]] == *b"--::" && matches!(date[10], b'T' | b' ');
    if !marks || !zulu && clock.zone.is_some() {
        return None;
    }
    let number = |from: usize, to: usize| {
        date[from..to]
            .iter()
            .try_fold(0_i64, |number, byte| byte.is_ascii_digit().then(|| 10 * number + i64::from(byte - b'0')))
    };
    let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
    let (hour, minute, second) = (number(11, 13)?, number(14, 16)?, number(17, 19)?);
    // The last days of months are for others to judge.
    if !((1..=12).contains(&month) && (1..=28).contains(&day) && hour < 24 && minute < 60 && second < 60) {
        return None;
    }
    // Years begin in March here, so that the day that some have more is their last; 719468 days later is 1970.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let days = 365 * year + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    let days = days + (153 * month + 2) / 5 + day - 1 - 719_468;
    Some(86_400 * days + 3_600 * hour + 60 * minute + second - if zulu { 0 } else { clock.ahead })
}

fn read_date(text: &str, clock: Clock) -> Result<i64, TimeError> {
    if let Some(time) = plain_seconds(text.as_bytes(), clock).and_then(|seconds| seconds.checked_mul(clock.units)) {
        return Ok(time);
    }
    let wrong = |message: String, hint| TimeError { message, hint };
    let plain = plain_date(text);
    let pieces = Pieces::parse(text.as_bytes()).or_else(|_| Pieces::parse(plain.as_bytes()));
    let pieces = pieces.map_err(|_| {
        let hint = if text.parse::<i64>().is_ok() {
            "it is a number: leave `time = \"iso\"` out of `[stream]` in task.toml, and say with `epoch` what it counts"
        } else if is_day_first(text) {
            "nobody can tell day and month apart: write dates as in 2026-03-01T10:00:00, the year first"
        } else {
            "write dates as in 2026-03-01T10:00:00, with or without Z or +02:00 behind"
        };
        wrong(format!("the time `{text}` is not a date of ISO 8601"), hint)
    })?;
    let date = DateTime::from_parts(pieces.date(), pieces.time().unwrap_or(Time::midnight()));
    let offset = match pieces.offset() {
        None => match clock.zone {
            Some(zone) => {
                let local = Offset::UTC.to_timestamp(date).ok().map(Timestamp::as_second);
                local.and_then(|local| offset(local - zone.seconds(local)))
            }
            None => offset(clock.ahead),
        },
        Some(PiecesOffset::Zulu) => Some(Offset::UTC),
        Some(PiecesOffset::Numeric(numeric)) => Some(PiecesNumericOffset::offset(&numeric)),
        Some(_) => None,
    };
    let moment = offset.and_then(|offset| offset.to_timestamp(date).ok());
    let moment = moment.ok_or_else(|| {
        wrong(format!("the time `{text}` is not on any clock"), "times are between the years -9999 and 9999")
    })?;
    let nanoseconds = moment.as_nanosecond();
    let unit = 1_000_000_000 / i128::from(clock.units);
    if nanoseconds % unit != 0 {
        return Err(wrong(
            format!("the time `{text}` is finer than the units in which times are counted"),
            "write `epoch = \"ms\"`, \"us\" or \"ns\" into `[stream]` of task.toml",
        ));
    }
    i64::try_from(nanoseconds / unit).map_err(|_| {
        wrong(format!("the time `{text}` is too far from 1970 for its unit"), "count in larger units with `epoch`")
    })
}

/// A date with slashes or dots after its year, or with the name of universal time behind it, as ISO 8601 has it.
fn plain_date(text: &str) -> Cow<'_, str> {
    let zone = ["UTC", "GMT"].iter().find_map(|zone| text.strip_suffix(zone));
    let bytes = text.as_bytes();
    let slashed = bytes.len() >= 10
        && matches!(bytes[4], b'/' | b'.')
        && bytes[4] == bytes[7]
        && bytes[..10].iter().enumerate().all(|(at, byte)| at == 4 || at == 7 || byte.is_ascii_digit());
    if zone.is_none() && !slashed {
        return Cow::Borrowed(text);
    }
    let body = zone.map_or(text, str::trim_ascii_end);
    let body = if slashed { format!("{}-{}-{}", &body[..4], &body[5..7], &body[8..]) } else { body.into() };
    Cow::Owned(if zone.is_some() { body + "Z" } else { body })
}

/// Whether a text is a date whose year comes last, as in 01.03.2026 and 3/1/2026.
fn is_day_first(text: &str) -> bool {
    let parts: Vec<&str> = text.split_ascii_whitespace().next().unwrap_or("").split(['.', '/', '-']).collect();
    let digits = |text: &str, most: usize| (1..=most).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
    matches!(parts[..], [a, b, year] if digits(a, 2) && digits(b, 2) && digits(year, 4))
}

fn offset(ahead: i64) -> Option<Offset> {
    Offset::from_seconds(i32::try_from(ahead).ok()?).ok()
}

/// Date and time of day on the clock.
fn civil(time: i64, clock: Clock) -> Option<DateTime> {
    let nanoseconds = i128::from(time) * (1_000_000_000 / i128::from(clock.units));
    let moment = Timestamp::from_nanosecond(nanoseconds).ok()?;
    let ahead = SignedDuration::from_secs(clock.ahead_at(time));
    Some(Offset::UTC.to_datetime(moment.checked_add(ahead).ok()?))
}

fn show_date(time: i64, clock: Clock, zoned: bool) -> Option<String> {
    let date = civil(time, clock)?;
    Some(match (zoned, clock.ahead_at(time)) {
        (false, _) => date.to_string(),
        (true, 0) => format!("{date}Z"),
        (true, ahead) => {
            let (sign, minutes) = (if ahead < 0 { '-' } else { '+' }, ahead.abs() / 60);
            format!("{date}{sign}{:02}:{:02}", minutes / 60, minutes % 60)
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clock(unit: &str, ahead: i64) -> Clock {
        Clock::new(unit.parse().unwrap(), ahead)
    }

    #[test]
    fn what_is_shown_is_read_back() {
        for (unit, ahead, zoned) in [("s", 0, true), ("ms", 7200, true), ("ns", -19_800, true), ("us", 3600, false)] {
            let times = Times::iso(clock(unit, ahead), zoned);
            for time in [0, 1, -1, 1_772_359_200, 100_000_000_123] {
                assert_eq!(times.read(&times.show(time)), Ok(time), "{unit} {ahead} {}", times.show(time));
            }
        }
    }

    #[test]
    fn dates_in_the_usual_form_are_those_of_any_form() {
        for clock in [clock("s", 0), clock("ms", 7200), clock("s", -19_800)] {
            // Each of these days, with a time of its own; the years are those with and without a day more, and the first ones.
            for year in [0, 4, 1900, 1970, 1999, 2000, 2023, 2024, 2026, 2100, 9998] {
                for (month, day) in (1..=12).flat_map(|month| [1, 9, 28, 29, 30, 31].map(|day| (month, day))) {
                    let plain = format!("{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}", day % 24, 4 * month, day);
                    for text in [plain.clone(), format!("{plain}Z"), plain.replace('T', " ")] {
                        // The same in a form that is not looked at first.
                        let (date, zone) = text.split_at(19);
                        let other = format!("{date}.0{zone}");
                        assert_eq!(
                            read_date(&text, clock),
                            read_date(&other, clock).map_err(|mut error| {
                                error.message = error.message.replace(".0", "");
                                error
                            }),
                            "{text}"
                        );
                    }
                }
            }
        }
        let athens = Clock::in_zone("s".parse().unwrap(), crate::zones::find("Europe/Athens").unwrap());
        assert_eq!(plain_seconds(b"2026-03-01T10:00:00", athens), None);
        assert_eq!(plain_seconds(b"2026-03-01T10:00:00Z", athens), Some(1_772_359_200));
        for text in ["2026-03-01T24:00:00", "2026-03-01T10:60:00", "2026-03-0aT10:00:00", "2026-03-01"] {
            assert_eq!(plain_seconds(text.as_bytes(), Clock::default()), None, "{text}");
        }
    }

    #[test]
    fn dates_have_forms() {
        let times = Times::iso(clock("s", 7200), false);
        let ten = times.read("2026-03-01T08:00:00Z").unwrap();
        for text in ["2026-03-01T10:00:00", "2026-03-01 10:00", "2026-03-01T10:00:00+02:00", "2026-03-01T09:00+01:00"] {
            assert_eq!(times.read(text), Ok(ten), "{text}");
        }
        for text in ["2026/03/01 10:00", "2026.03.01T10:00:00", "2026-03-01 08:00:00 UTC", "2026/03/01 08:00 GMT"] {
            assert_eq!(times.read(text), Ok(ten), "{text}");
        }
        assert!(times.read("01.03.2026 10:00").unwrap_err().hint.contains("the year first"));
        assert_eq!(times.read("2026-03-01"), Ok(ten - 36_000));
        assert_eq!(times.show_piece(ten, 86_400), "2026-03-01");
        assert_eq!(times.show_piece(ten + 61, 60), "2026-03-01T10:01:00");
        for text in ["2026-13-01", "yesterday", "", "12", "2026-03-01T10:00:00.5"] {
            assert!(times.read(text).is_err(), "{text}");
        }
        assert!(times.read("12").unwrap_err().hint.contains("leave"));
        assert!(Times::default().read("2026-03-01").unwrap_err().hint.starts_with("it is a date"));
    }

    #[test]
    fn clocks_of_a_place_are_put_forward_and_back() {
        let athens = Clock::in_zone("s".parse().unwrap(), crate::zones::find("Europe/Athens").unwrap());
        let times = Times::iso(athens, true);
        for (local, shown) in [
            ("2026-01-15T12:00:00", "2026-01-15T12:00:00+02:00"),
            ("2026-07-15T12:00:00", "2026-07-15T12:00:00+03:00"),
            // The first of two, and one that no clock shows.
            ("2026-10-25T03:30:00", "2026-10-25T03:30:00+03:00"),
            ("2026-03-29T03:30:00", "2026-03-29T04:30:00+03:00"),
            ("2026-10-25T03:30:00+02:00", "2026-10-25T03:30:00+02:00"),
        ] {
            assert_eq!(times.read(local).map(|time| times.show(time)).as_deref(), Ok(shown));
        }
        // Days begin at midnight, also those of 23 and 25 hours.
        for (from, hours) in [("2026-03-29T00:00:00", 23), ("2026-10-25T00:00:00", 25), ("2026-07-01T00:00:00", 24)] {
            let start = times.read(from).unwrap();
            let last = start + hours * 3600 - 1;
            let days = [start - 1, start, last, last + 1].map(|time| times.piece(time, 86_400));
            assert_eq!(days[1..3], [days[0] + 1; 2], "{from}");
            assert_eq!(days[3], days[0] + 2, "{from}");
            assert_eq!(times.show_piece(last, 86_400), from[..10]);
        }
    }

    #[test]
    fn seconds_have_parts() {
        let times = Times::seconds(clock("ms", 0));
        for (text, time) in [("12.25", 12_250), ("-0.5", -500), ("7", 7_000), ("0.001", 1), ("3.10", 3_100)] {
            assert_eq!(times.read(text), Ok(time));
            assert_eq!(times.read(&times.show(time)), Ok(time));
        }
        assert_eq!(times.show(-500), "-0.5");
        for text in ["0.0001", "1e3", "", ".", "x", "1.2.3", "nan"] {
            assert!(times.read(text).is_err(), "{text}");
        }
    }

    #[test]
    fn durations_are_in_the_units_of_the_clock() {
        let times = Times::integer(clock("ms", 0));
        let found = ["250", "1s", "2 min", "1h", "1d", "5ms", "5us", "1w", "h"].map(|text| times.duration(text));
        let expected =
            [Some(250), Some(1000), Some(120_000), Some(3_600_000), Some(86_400_000), Some(5), None, None, None];
        assert_eq!(found, expected);
    }
}
