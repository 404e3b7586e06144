//! Timelines: what is true beside what was recognised, for the terminal and as a picture.

use std::fmt::Write;

use indexmap::IndexMap;
use oled::evaluate::split_runs;
use oled::{Frame, Recogniser, Signature, Symbol, Value, calculus};
use rustc_hash::FxBuildHasher;

use crate::recognise::compact;

/// Runs of time points, inclusive, in order.
type Runs = Vec<(i64, i64)>;

/// What is true and what was recognised in one segment.
pub(crate) struct Timeline {
    segment: Symbol,
    targets: Vec<Signature>,
    first: i64,
    last: i64,
    rows: IndexMap<(Signature, Box<[Value]>), Row, FxBuildHasher>,
}

#[derive(Clone, Debug, Default, PartialEq)]
struct Row {
    truth: Runs,
    found: Runs,
}

/// How a moment was judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Judgement {
    Right,
    Missed,
    FalseAlarm,
}

impl Timeline {
    /// An empty timeline of a segment that starts with a frame.
    pub(crate) fn new(frame: &Frame, targets: &[Signature]) -> Timeline {
        let (segment, first) = (frame.segment, frame.time);
        Timeline { segment, targets: targets.to_vec(), first, last: first, rows: IndexMap::default() }
    }

    /// The segment it is about.
    pub(crate) fn segment(&self) -> Symbol {
        self.segment
    }

    /// How many of the targets are true or recognised in it.
    pub(crate) fn variety(&self) -> usize {
        self.targets.iter().filter(|t| self.rows.keys().any(|(s, _)| s == *t)).count()
    }

    /// Adds a frame of the segment that the recogniser has just observed.
    pub(crate) fn add(&mut self, frame: &Frame, recogniser: &Recogniser) {
        debug_assert_eq!(frame.segment, self.segment, "a timeline is about one segment");
        let previous = std::mem::replace(&mut self.last, frame.time);
        let extend = |runs: &mut Runs| match runs.last_mut() {
            Some((_, last)) if *last == previous || *last == frame.time => *last = frame.time,
            _ => runs.push((frame.time, frame.time)),
        };
        for (signature, values) in frame.annotation.iter().filter(|(s, _)| self.targets.contains(s)) {
            let values = recogniser.symmetries().in_order(signature, values);
            extend(&mut self.rows.entry((signature, (&*values).into())).or_default().truth);
        }
        for (signature, values) in recogniser.holding().filter(|(s, _)| self.targets.contains(s)) {
            extend(&mut self.rows.entry((signature, values.into())).or_default().found);
        }
    }

    /// Labels and rows in the order of the targets, the rows with most to show first, at most so many of each target.
    /// Of two rows with the same truth that mirror each other, such as `meeting(p1,p2)` and `meeting(p2,p1)`, the one
    /// with more mistakes is shown.
    fn shown(&self, most: usize) -> Vec<(String, &Row)> {
        let mut shown = Vec::new();
        for target in &self.targets {
            let mut of_target: Vec<_> = self.rows.iter().filter(|((s, _), _)| s == target).collect();
            of_target.retain(|((signature, values), row)| {
                let mirrored: Box<[Value]> = values.iter().rev().copied().collect();
                let other = self.rows.get(&(*signature, mirrored.clone())).filter(|other| other.truth == row.truth);
                other.is_none_or(|other| (row.mistakes(), &mirrored) >= (other.mistakes(), values))
            });
            let amount = |row: &Row| row.truth.iter().chain(&row.found).map(|(a, b)| b - a + 1).sum::<i64>();
            of_target.sort_by_key(|(_, row)| std::cmp::Reverse(amount(row)));
            of_target.truncate(most);
            of_target.sort_by_key(|(_, row)| row.truth.first().or(row.found.first()).map(|r| r.0));
            shown.extend(of_target.into_iter().map(|((s, v), row)| (compact(&calculus::fluent(*s, v)), row)));
        }
        shown
    }

    /// The timeline as text of a width; colours where wanted.
    pub(crate) fn to_text(&self, width: usize, colour: bool) -> String {
        let rows = self.shown(4);
        let label = rows.iter().map(|(l, _)| l.chars().count()).max().unwrap_or(0);
        let cells = width.saturating_sub(label + 2).max(20);
        let span = self.last - self.first + 1;
        let mut text = String::new();
        for (name, row) in &rows {
            write!(text, "{name:>label$} ").expect("strings can be written to");
            let mut painted = None;
            for cell in 0..cells as i64 {
                let (from, to) =
                    (self.first + cell * span / cells as i64, self.first + (cell + 1) * span / cells as i64 - 1);
                let judgement = row.judge(from, to.max(from));
                if colour && judgement != painted {
                    text.push_str(match judgement {
                        None => "\x1b[0m",
                        Some(Judgement::Right) => "\x1b[32m",
                        Some(Judgement::Missed) => "\x1b[33m",
                        Some(Judgement::FalseAlarm) => "\x1b[31m",
                    });
                    painted = judgement;
                }
                text.push(match judgement {
                    None => '·',
                    Some(Judgement::Right) => '█',
                    Some(Judgement::Missed) => '░',
                    Some(Judgement::FalseAlarm) => '▲',
                });
            }
            if colour {
                text.push_str("\x1b[0m");
            }
            text.push('\n');
        }
        let ends = format!("{}{}", self.first, format_args!("{:>1$}", self.last, cells - self.first.to_string().len()));
        writeln!(text, "{:>label$} {ends}", "time").expect("strings can be written to");
        writeln!(text, "{:>label$} █ right   ░ missed   ▲ false alarm", "").expect("strings can be written to");
        text
    }

    /// The timeline as a picture that stands on its own, in light and dark.
    pub(crate) fn to_svg(&self, title: &str) -> String {
        const LEFT: f64 = 190.0;
        const WIDTH: f64 = 720.0;
        const ROW: f64 = 26.0;
        const TOP: f64 = 56.0;
        let rows = self.shown(6);
        let height = TOP + ROW * rows.len() as f64 + 64.0;
        let span = (self.last - self.first + 1) as f64;
        let x = |time: i64| LEFT + (time - self.first) as f64 / span * WIDTH;
        let mut svg = String::new();
        let mut put = |line: String| {
            svg.push_str(&line);
            svg.push('\n');
        };
        put(format!(
            r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {} {height}" role="img" aria-label="{title}">"#,
            LEFT + WIDTH + 30.0
        ));
        put(STYLE.to_string());
        put(r#"<rect class="ground" width="100%" height="100%" rx="8"/>"#.into());
        put(format!(r#"<text class="title" x="20" y="30">{title}</text>"#));
        for tick in ticks(self.first, self.last) {
            let (at, bottom) = (x(tick), TOP + ROW * rows.len() as f64);
            put(format!(r#"<line class="tick" x1="{at:.1}" y1="{TOP}" x2="{at:.1}" y2="{bottom:.1}"/>"#));
            put(format!(r#"<text class="time" x="{at:.1}" y="{:.1}">{tick}</text>"#, bottom + 16.0));
        }
        put(format!(
            r#"<text class="axis" x="{}" y="{:.1}">time</text>"#,
            LEFT - 10.0,
            TOP + ROW * rows.len() as f64 + 16.0
        ));
        for (i, (name, row)) in rows.iter().enumerate() {
            let y = TOP + ROW * i as f64;
            put(format!(r#"<text class="label" x="{}" y="{:.1}">{name}</text>"#, LEFT - 10.0, y + 16.0));
            let mut bar = |class: &str, from: i64, to: i64, y: f64, h: f64, what: &str| {
                let (a, b) = (x(from), x(to + 1));
                put(format!(
                    r#"<rect class="{class}" x="{a:.1}" y="{y:.1}" width="{:.1}" height="{h}" rx="1.5"><title>{name}: {what} {from} to {to}</title></rect>"#,
                    (b - a).max(1.0)
                ));
            };
            for (from, to, found) in split_runs(&row.truth, &row.found, 1) {
                let (class, what) = if found { ("truth", "true from") } else { ("missed", "missed from") };
                bar(class, from, to, y + 4.0, 6.0, what);
            }
            for (from, to, right) in split_runs(&row.found, &row.truth, 1) {
                let (class, what) = if right { ("right", "recognised from") } else { ("wrong", "false alarm from") };
                bar(class, from, to, y + 12.0, 8.0, what);
            }
        }
        let legend = TOP + ROW * rows.len() as f64 + 44.0;
        let classes =
            [("truth", "true"), ("missed", "true, missed"), ("right", "recognised"), ("wrong", "false alarm")];
        for (i, (class, what)) in classes.iter().enumerate() {
            let at = LEFT + 130.0 * i as f64;
            put(format!(r#"<rect class="{class}" x="{at}" y="{:.1}" width="18" height="8" rx="1.5"/>"#, legend - 8.0));
            put(format!(r#"<text class="legend" x="{}" y="{legend:.1}">{what}</text>"#, at + 24.0));
        }
        put("</svg>".into());
        svg
    }
}

const STYLE: &str = "<style>
text { font: 12px ui-sans-serif, system-ui, sans-serif; fill: #334155 }
.title { font-size: 15px; font-weight: 600; fill: #0f172a }
.label { text-anchor: end; font-family: ui-monospace, monospace; font-size: 11px }
.time { text-anchor: middle } .axis { text-anchor: end } .time, .axis { font-size: 10px; fill: #64748b }
.ground { fill: #ffffff } .tick { stroke: #e2e8f0 }
.truth { fill: #94a3b8 } .missed { fill: #f59e0b } .right { fill: #0d9488 } .wrong { fill: #e11d48 }
@media (prefers-color-scheme: dark) {
text { fill: #cbd5e1 } .title { fill: #f1f5f9 } .time, .axis { fill: #94a3b8 }
.ground { fill: #0f172a } .tick { stroke: #1e293b }
.truth { fill: #64748b } .missed { fill: #fbbf24 } .right { fill: #2dd4bf } .wrong { fill: #fb7185 }
}
</style>";

/// Round time points, about eight of them.
fn ticks(first: i64, last: i64) -> Vec<i64> {
    let span = (last - first).max(1);
    let mut step = 1;
    for factor in [2, 5, 10].iter().cycle().scan(1, |unit, f| {
        let value = *unit * f;
        if *f == 10 {
            *unit = value;
        }
        Some(value)
    }) {
        if span / step <= 10 {
            break;
        }
        step = factor;
    }
    ((first + step - 1).div_euclid(step)..=last.div_euclid(step)).map(|i| i * step).filter(|t| *t >= first).collect()
}

impl Row {
    /// How many time points are judged wrongly.
    fn mistakes(&self) -> i64 {
        let wrong = |runs: &Runs, others: &Runs| {
            split_runs(runs, others, 1).into_iter().filter(|(.., same)| !same).map(|(a, b, _)| b - a + 1).sum::<i64>()
        };
        wrong(&self.truth, &self.found) + wrong(&self.found, &self.truth)
    }

    fn judge(&self, from: i64, to: i64) -> Option<Judgement> {
        let overlap = |runs: &Runs| runs.iter().map(|(a, b)| (to.min(*b) - from.max(*a) + 1).max(0)).sum::<i64>();
        let length = to - from + 1;
        let half = length - length / 2;
        match (overlap(&self.truth) >= half, overlap(&self.found) >= half) {
            (true, true) => Some(Judgement::Right),
            (true, false) => Some(Judgement::Missed),
            (false, true) => Some(Judgement::FalseAlarm),
            (false, false) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round() {
        assert_eq!(ticks(0, 999), [0, 100, 200, 300, 400, 500, 600, 700, 800, 900]);
        assert_eq!(ticks(680, 720), [680, 685, 690, 695, 700, 705, 710, 715, 720]);
        assert_eq!(ticks(5, 5), [5]);
    }
}
