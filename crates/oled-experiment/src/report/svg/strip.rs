//! Strips: F1 of each order, or of each fold where there is one order, as a dot on a line, small enough for a cell of a table.

use super::super::number::share;
use super::{Axis, place};

const WIDTH: f64 = 132.0;
const HEIGHT: f64 = 18.0;

/// What a strip shows.
pub(in super::super) enum Strip {
    /// Each order or fold, F1 of all together, and what the dots are.
    Ours(Vec<f64>, f64, &'static str),
    /// A single figure from a paper.
    Published(f64),
}

/// A strip over a range that all strips of a table share.
pub(in super::super) fn strip(strip: &Strip, range: (f64, f64)) -> String {
    let axis = Axis::linear(range, (5.0, WIDTH - 5.0));
    let middle = HEIGHT / 2.0;
    let x = |value: f64| place(axis.at(value.clamp(range.0, range.1)));
    let (marks, label) = match strip {
        Strip::Ours(dotted, mean, what) => {
            let mut dots = String::new();
            for f1 in dotted.iter().filter(|f1| f1.is_finite()) {
                put!(dots, r#"<circle cx="{}" cy="{middle}" r="2.6"/>"#, x(*f1));
            }
            let mean = if mean.is_finite() { *mean } else { range.0 };
            let label = dotted.iter().map(|f1| share(*f1)).collect::<Vec<_>>().join(", ");
            (
                format!(r#"{dots}<path class="mean" d="M{} 2V{}"/>"#, x(mean), HEIGHT - 2.0),
                format!("F1 by {what}: {label}"),
            )
        }
        Strip::Published(f1) => (
            format!(r#"<path class="theirs" d="M{} {middle}m0-4l4 4l-4 4l-4-4z"/>"#, x(*f1)),
            format!("F1 {}", share(*f1)),
        ),
    };
    format!(
        r#"<svg class="strip" width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{label}"><path class="rail" d="M5 {middle}H{}"/>{marks}<title>{label}</title></svg>"#,
        WIDTH - 5.0
    )
}
