//! Pictures as SVG, to stand inside the page: they take their colours from its style sheet.

mod confidence;
mod curve;
mod scale;
mod strip;
mod timeline;

pub(super) use confidence::{precision_recall, reliability, reliability_key};
pub(super) use curve::{curve, events_of};
pub(super) use scale::{LINES, scale, scale_key};
pub(super) use strip::{Strip, strip};
pub(super) use timeline::{KEY, draw, timeline};

/// How many colours the style sheet has for rows.
const COLOURS: usize = 6;

/// From values to places in the picture.
#[derive(Clone, Copy)]
struct Axis {
    values: (f64, f64),
    places: (f64, f64),
    log: bool,
}

impl Axis {
    fn linear(values: (f64, f64), places: (f64, f64)) -> Axis {
        Axis { values, places, log: false }
    }

    /// Both ends must be positive.
    fn log(values: (f64, f64), places: (f64, f64)) -> Axis {
        debug_assert!(values.0 > 0.0 && values.1 > 0.0, "only positive numbers have logarithms");
        Axis { values: (values.0.log10(), values.1.log10()), places, log: true }
    }

    fn at(&self, value: f64) -> f64 {
        let value = if self.log { value.log10() } else { value };
        let width = (self.values.1 - self.values.0).max(f64::MIN_POSITIVE);
        self.places.0 + (value - self.values.0) / width * (self.places.1 - self.places.0)
    }
}

/// Round whole numbers within a range, about so many.
pub(super) fn ticks(first: f64, last: f64, most: usize) -> Vec<f64> {
    let rough = ((last - first) / most as f64).max(1.0);
    let unit = 10f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].map(|f| f * unit).into_iter().find(|s| *s >= rough).unwrap_or(10.0 * unit);
    let (from, to) = ((first / step).ceil() as i64, (last / step).floor() as i64);
    (from..=to).map(|i| i as f64 * step).collect()
}

/// The powers of ten around some positive numbers, so that there are at least two.
fn decades(values: &[f64]) -> Option<(i32, i32)> {
    let low = values.iter().copied().reduce(f64::min)?.log10().floor() as i32;
    let high = values.iter().copied().reduce(f64::max)?.log10().ceil() as i32;
    Some((low, high.max(low + 1)))
}

/// A place in the picture: a tenth of a pixel is enough.
fn place(at: f64) -> String {
    let text = format!("{at:.1}");
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}

/// The mark of a row or of a kind of decision, around a place: shapes tell them apart without colour.
fn shape(kind: usize, x: f64, y: f64) -> String {
    let (x, y) = (place(x), place(y));
    match kind % COLOURS {
        0 => format!("M{x} {y}m-3.2 0a3.2 3.2 0 1 0 6.4 0a3.2 3.2 0 1 0-6.4 0z"),
        1 => format!("M{x} {y}m-2.9-2.9h5.8v5.8h-5.8z"),
        2 => format!("M{x} {y}m0-3.8l3.7 6.6h-7.4z"),
        3 => format!("M{x} {y}m0-4l3.6 4l-3.6 4l-3.6-4z"),
        4 => format!("M{x} {y}m0 3.8l3.7-6.6h-7.4z"),
        _ => format!("M{x} {y}m-3.4-1.2h2.2v-2.2h2.4v2.2h2.2v2.4h-2.2v2.2h-2.4v-2.2h-2.2z"),
    }
}

/// A small picture for a legend: a row's line and mark.
pub(super) fn row_key(row: usize) -> String {
    format!(
        r#"<svg class="key s{}" width="26" height="12" aria-hidden="true"><path class="line" d="M0 6H26"/><path class="end" d="{}"/></svg>"#,
        row % COLOURS,
        shape(row, 19.0, 6.0)
    )
}

/// A small picture for a legend: the dashed line of the baseline.
pub(super) fn repeated_key() -> String {
    r#"<svg class="key" width="26" height="12" aria-hidden="true"><path class="repeated" d="M0 6H26"/></svg>"#.into()
}

/// A small picture for a legend: a decision's mark.
pub(super) fn event_key(what: &str) -> String {
    format!(
        r#"<svg class="key mark {what}" width="14" height="12" aria-hidden="true"><path d="{}"/></svg>"#,
        curve::event_shape(what, 7.0, 6.0)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_within() {
        assert_eq!(ticks(0.0, 999.0, 5), [0.0, 200.0, 400.0, 600.0, 800.0]);
        assert_eq!(ticks(680.0, 720.0, 8), [680.0, 685.0, 690.0, 695.0, 700.0, 705.0, 710.0, 715.0, 720.0]);
        assert_eq!(ticks(5.0, 5.0, 5), [5.0]);
    }

    #[test]
    fn an_axis_meets_its_ends() {
        let axis = Axis::log((1.0, 100.0), (10.0, 30.0));
        assert_eq!([axis.at(1.0), axis.at(10.0), axis.at(100.0)], [10.0, 20.0, 30.0]);
        assert_eq!(Axis::linear((3.0, 3.0), (0.0, 9.0)).at(3.0), 0.0);
    }
}
