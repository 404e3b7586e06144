//! Time as people read it: dates where time units are seconds or milliseconds since 1970.

use crate::results::Results;

/// What the time units of a data set are, as far as a page must know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Clock {
    /// Anything: frames, seconds since the start, steps.
    Units,
    /// Units since 1970, so many a second: 1 or 1000.
    Epoch(i64),
}

/// The years 2000 to 2099 in seconds since 1970. A frame counter hardly gets there, and sensors are hardly older.
const YEARS: std::ops::Range<i64> = 946_684_800..4_102_444_800;

const DAY: i64 = 86_400_000;

/// Steps between ticks, in milliseconds: what clocks and calendars are divided into.
#[rustfmt::skip]
const STEPS: [i64; 33] = [
    1, 2, 5, 10, 20, 50, 100, 200, 500,
    1000, 2000, 5000, 10_000, 15_000, 30_000,
    60_000, 120_000, 300_000, 600_000, 900_000, 1_800_000,
    3_600_000, 7_200_000, 10_800_000, 21_600_000, 43_200_000,
    DAY, 2 * DAY, 7 * DAY, 14 * DAY, 28 * DAY, 91 * DAY, 365 * DAY,
];

/// A tick of an axis: where it is, what stands below it, and below that the day, where it is another than before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Tick {
    pub(super) time: i64,
    pub(super) label: String,
    pub(super) day: Option<String>,
}

impl Clock {
    /// Times are dates if all time points of the data set fall into the years 2000 to 2099, in seconds or in milliseconds,
    /// and the rate of the task, if it has one, says the same.
    pub(super) fn of(results: &Results, protocol: &str) -> Clock {
        let rate = results.data.iter().find(|d| d.name == protocol).and_then(|d| d.rate);
        let here = || results.timelines.iter().filter(|t| t.protocol == protocol);
        let fits = |per_second: i64| {
            let within = |time: i64| YEARS.contains(&time.div_euclid(per_second));
            rate.is_none_or(|rate| rate == per_second as f64)
                && here().all(|t| within(t.span.0) && within(t.span.1))
                && here().next().is_some()
        };
        [1, 1000].into_iter().find(|n| fits(*n)).map_or(Clock::Units, Clock::Epoch)
    }

    /// A time point by itself: `2026-03-01 08:30:05`.
    pub(super) fn show(self, time: i64) -> String {
        let Clock::Epoch(per_second) = self else { return time.to_string() };
        let ms = time * (1000 / per_second);
        format!("{} {}", date(ms), clock(ms, if ms % 1000 == 0 { 1000 } else { 1 }))
    }

    /// Round time points within a range, about so many.
    pub(super) fn ticks(self, first: i64, last: i64, most: usize) -> Vec<Tick> {
        let Clock::Epoch(per_second) = self else {
            let plain = |time: f64| Tick { time: time as i64, label: time.to_string(), day: None };
            return super::svg::ticks(first as f64, last as f64, most).into_iter().map(plain).collect();
        };
        let unit = 1000 / per_second;
        let (first, last) = (first * unit, last * unit);
        let rough = ((last - first) / most as i64).max(unit);
        let step = STEPS.into_iter().find(|step| *step >= rough).unwrap_or(STEPS[STEPS.len() - 1]);
        let mut before = String::new();
        let tick = |i: i64| {
            let (ms, day) = (i * step, date(i * step));
            let changed = before != day;
            before.clone_from(&day);
            if step >= DAY {
                return Tick { time: ms / unit, label: day, day: None };
            }
            Tick { time: ms / unit, label: clock(ms, step), day: changed.then_some(day) }
        };
        ((first + step - 1).div_euclid(step)..=last.div_euclid(step)).map(tick).collect()
    }
}

/// The time of day, as exactly as a step needs it.
fn clock(ms: i64, step: i64) -> String {
    let of_day = ms.rem_euclid(DAY);
    let (hours, minutes) = (of_day / 3_600_000, of_day / 60_000 % 60);
    let (seconds, rest) = (of_day / 1000 % 60, of_day % 1000);
    match step {
        60_000.. => format!("{hours:02}:{minutes:02}"),
        1000.. => format!("{hours:02}:{minutes:02}:{seconds:02}"),
        _ => format!("{hours:02}:{minutes:02}:{seconds:02}.{rest:03}"),
    }
}

/// The day in UTC: `2026-03-01`.
fn date(ms: i64) -> String {
    // Years begin in March here, so that a leap day is the last day of its year.
    let days = ms.div_euclid(DAY) + 719_468;
    let (era, day_of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    format!("{:04}-{month:02}-{day:02}", era * 400 + year_of_era + next)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::{DataSummary, Timeline};

    #[test]
    fn days_are_those_of_the_calendar() {
        let days = [(0, "1970-01-01"), (951_782_400, "2000-02-29"), (951_868_800, "2000-03-01")];
        for (seconds, day) in days.into_iter().chain([(1_798_761_599, "2026-12-31"), (4_107_542_400, "2100-03-01")]) {
            assert_eq!(date(seconds * 1000), day);
        }
        assert_eq!(Clock::Epoch(1).show(1_772_344_818), "2026-03-01 06:00:18");
        assert_eq!(Clock::Epoch(1000).show(1_772_344_818_250), "2026-03-01 06:00:18.250");
        assert_eq!(Clock::Units.show(7), "7");
    }

    #[test]
    fn ticks_of_dates_are_round_on_a_clock_and_name_a_day_once() {
        let ticks = Clock::Epoch(1).ticks(1_772_344_818, 1_772_373_570, 8);
        let labels: Vec<&str> = ticks.iter().map(|t| t.label.as_str()).collect();
        assert_eq!(labels, ["07:00", "08:00", "09:00", "10:00", "11:00", "12:00", "13:00"]);
        let days: Vec<&str> = ticks.iter().filter_map(|t| t.day.as_deref()).collect();
        assert_eq!(days, ["2026-03-01"]);
        let month = Clock::Epoch(1000).ticks(1_772_323_200_000, 1_774_915_200_000, 8);
        assert!(month.iter().all(|t| t.label.starts_with("2026-03-") && t.day.is_none()), "{month:?}");
    }

    #[test]
    fn times_are_dates_only_where_all_of_them_may_be_and_the_rate_agrees() {
        let with = |rate: Option<f64>, spans: &[(i64, i64)]| {
            let timeline = |span: &(i64, i64)| Timeline { span: *span, ..Timeline::default() };
            let data = vec![DataSummary { rate, ..DataSummary::default() }];
            let results = Results { data, timelines: spans.iter().map(timeline).collect(), ..Results::default() };
            Clock::of(&results, "")
        };
        let (seconds, ms) = ((1_772_344_818, 1_772_373_570), (1_772_344_818_000, 1_772_373_570_000));
        assert_eq!([with(None, &[seconds]), with(Some(1.0), &[seconds])], [Clock::Epoch(1); 2]);
        assert_eq!([with(None, &[ms]), with(Some(1000.0), &[ms])], [Clock::Epoch(1000); 2]);
        let others =
            [with(Some(25.0), &[seconds]), with(None, &[seconds, (0, 9)]), with(None, &[(0, 999)]), with(None, &[])];
        assert_eq!(others, [Clock::Units; 4]);
    }
}
