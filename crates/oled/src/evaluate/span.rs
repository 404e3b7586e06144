//! Span: from when to when a segment was observed, and how long that is.

/// The time points of a segment, or of a part of it.
///
/// ```
/// use oled::evaluate::{Span, observed};
///
/// let mut span = Span::at(0);
/// (1..600).for_each(|minute| span.extend(60 * minute));
/// assert_eq!((span.first, span.last, span.frames), (0, 35_940, 600));
/// // 600 time points that are a minute apart are ten hours, if a time unit is a second.
/// assert_eq!(observed([span]), 36_000.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// The first time point.
    pub first: i64,
    /// The last one.
    pub last: i64,
    /// How many there are; at least one.
    pub frames: u64,
}

impl Span {
    /// A single time point.
    pub fn at(time: i64) -> Span {
        Span { first: time, last: time, frames: 1 }
    }

    /// Adds a later time point.
    pub fn extend(&mut self, time: i64) {
        self.last = time;
        self.frames += 1;
    }

    /// The span of some time points in their order; `None` where there are none.
    pub fn of(times: impl IntoIterator<Item = i64>) -> Option<Span> {
        let mut times = times.into_iter();
        let mut span = Span::at(times.next()?);
        times.for_each(|time| span.extend(time));
        Some(span)
    }

    /// The time units from one time point to the next, the mean; `None` of a single time point.
    pub fn step(&self) -> Option<f64> {
        (self.frames > 1).then(|| self.last.abs_diff(self.first) as f64 / (self.frames - 1) as f64)
    }
}

/// How many time units were observed: of each segment the time from its first to its last time point and one of its steps
/// more, since what is seen at the last time point lasts as long as elsewhere.
///
/// A segment of a single time point lasts as long as a step of the others, which is one time unit if they have none either.
pub fn observed(spans: impl IntoIterator<Item = Span>) -> f64 {
    let (mut time, mut steps, mut single, mut total) = (0.0, 0, 0, 0.0);
    for span in spans {
        match span.step() {
            Some(step) => {
                let between = span.last.abs_diff(span.first) as f64;
                (time, steps, total) = (time + between, steps + span.frames - 1, total + between + step);
            }
            None => single += 1,
        }
    }
    let usual = if steps == 0 { 1.0 } else { time / steps as f64 };
    total + f64::from(single) * usual
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_there_is_a_frame_in_every_time_unit_time_is_the_number_of_frames() {
        assert_eq!(observed([Span::of(10..35), Span::of(0..7)].into_iter().flatten()), 32.0);
    }

    #[test]
    fn a_single_time_point_lasts_as_long_as_a_step_of_the_other_segments() {
        assert_eq!(observed([Span::at(5)]), 1.0);
        assert_eq!(observed([Span::at(5), Span::of([0, 60, 120]).unwrap()]), 60.0 + 180.0);
        assert_eq!(observed([]), 0.0);
        assert_eq!(Span::of([]), None);
    }
}
