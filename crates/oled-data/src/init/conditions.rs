//! Conditions: what rules may ask for of what columns say: levels and changes of gauges, names, since when and how often.

use std::fmt::Write;

use oled::{Symbol, Value};

use super::saying::{Edge, Saying, called};
use super::survey::{SEGMENTS, Said, Survey};

/// Reports in a window whose mean is a condition: of so many it has half the noise. With half as many there is a condition for
/// little; with twice as many noisy gauges with short labels have none.
const REPORTS: i64 = 4;

/// The declarations of a condition with a number to be learned, in one of its places.
pub(super) fn compared(atom: &str, place: usize, direction: &str) -> String {
    format!("modeb({atom}).\ncomparison({atom}, {place}, {direction}).\n")
}

impl Survey {
    /// The value of a gauge above and below a number, and how much it rose and fell.
    pub(super) fn write_gauge(&self, saying: &Saying<'_>, modes: &mut String, background: &mut String) {
        let (name, markers, subjects) = (&saying.name, saying.markers(), saying.subjects());
        let kind = if saying.is_whole() { "int" } else { "real" };
        let place = saying.table.keys.len() + 1;
        let now = saying.atom("V");
        let steady = saying.is_steady() || self.windows.is_empty();
        let now = if steady { now } else { format!("last({now})") };
        let mut declare = |condition: &str, direction: &str| {
            modes.push_str(&compared(&format!("{condition}({markers}#{kind}, +time)"), place, direction));
        };
        declare(&format!("{name}_above"), "smaller");
        declare(&format!("{name}_below"), "larger");
        let _ = writeln!(
            background,
            "\n% `{}`: its value{}, above a number and not above it.\n\
             {name}_above({subjects}N, T) :- {now}, V > N.\n\
             {name}_below({subjects}N, T) :- {now}, V <= N.",
            saying.title(),
            if steady { "" } else { ", as it was last reported" },
        );
        for window in &self.windows {
            let (rise, fall) = (format!("{name}_rise_{window}"), format!("{name}_fall_{window}"));
            declare(&rise, "smaller");
            declare(&fall, "smaller");
            let past = saying.atom("W");
            let _ = writeln!(
                background,
                "% How far it is above the least, and below the largest, of the last {window} time units.\n\
                 {name}_up_{window}({subjects}R, T) :- {now}, min(W, {past}, {window}, M), R = V - M.\n\
                 {name}_down_{window}({subjects}R, T) :- {now}, max(W, {past}, {window}, M), R = M - V.\n\
                 {rise}({subjects}N, T) :- {name}_up_{window}({subjects}R, T), R >= N.\n\
                 {fall}({subjects}N, T) :- {name}_down_{window}({subjects}R, T), R >= N."
            );
            // Over a short window what is noisy is steady by chance: rules for few events fitted that.
            if Some(window) == self.windows.last() {
                let (steady, before) = (format!("{name}_steady_{window}"), saying.atom("W2"));
                declare(&steady, "larger");
                let _ = writeln!(
                    background,
                    "% How far its largest and its least of the last {window} time units are apart, at most.\n\
                     {name}_span_{window}({subjects}R, T) :- max(W, {past}, {window}, M), min(W2, {before}, {window}, L), R = M - L.\n\
                     {steady}({subjects}N, T) :- {name}_span_{window}({subjects}R, T), R <= N."
                );
            }
            // Where a gauge is noisy, what it says at one time point tells little.
            if self.step.is_some_and(|step| *window < step.saturating_mul(REPORTS)) {
                continue;
            }
            let (above, below) = (format!("{name}_mean_{window}_above"), format!("{name}_mean_{window}_below"));
            declare(&above, "smaller");
            declare(&below, "larger");
            let _ = writeln!(
                background,
                "% Its mean over the last {window} time units.\n\
                 {above}({subjects}N, T) :- mean(W, {past}, {window}, M), M > N.\n\
                 {below}({subjects}N, T) :- mean(W, {past}, {window}, M), M <= N."
            );
        }
        for window in self.windows.iter().filter(|_| saying.table.at_any_time) {
            write_extremes(saying, *window, modes, background);
        }
        if !self.windows.is_empty() {
            write_levels(saying, kind, &now, modes, background);
        }
    }

    /// From and until what time of day, where there are days enough to tell. What is known last stands for there being a time
    /// point at all.
    pub(super) fn write_time_of_day(&self, sayings: &[Saying<'_>], modes: &mut String, background: &mut String) {
        let Some(saying) = sayings.iter().find(|saying| saying.is_steady()).or(sayings.first()) else { return };
        if self.days < SEGMENTS as i64 {
            return;
        }
        let anything = saying.anything();
        let now = match saying.said {
            _ if saying.is_steady() || self.windows.is_empty() => anything,
            Said::Event => format!("since({anything}, _)"),
            _ => format!("last({anything})"),
        };
        for (condition, direction) in [("hour_from", "smaller"), ("hour_until", "larger")] {
            modes.push_str(&compared(&format!("{condition}(#real, +time)"), 1, direction));
        }
        let _ = writeln!(
            background,
            "\n% The time of day, in hours.\n\
             hour(H, T) :- {now}, H = time_of_day(T) / 3600.\n\
             hour_from(N, T) :- hour(H, T), H >= N.\n\
             hour_until(N, T) :- hour(H, T), H < N."
        );
    }

    /// States and events by their names: which, since when, for how long, how often.
    pub(super) fn write_names(&self, saying: &Saying<'_>, event: bool, modes: &mut String, background: &mut String) {
        let (name, markers, subjects) = (&saying.name, saying.markers(), saying.subjects());
        // What comes behind them has a comma before it.
        let then = |text: String| if text.is_empty() { text } else { text + ", " };
        let (values, names) = (then(saying.value_marks('#')), then(saying.value_names()));
        // Both edges of an interval have the same names.
        let listed = if saying.edge == Some(Edge::End) { &[] } else { saying.columns };
        for (column, own) in listed.iter().zip(saying.value_types()) {
            let column = &saying.table.profile.columns[*column];
            let _ = writeln!(background, "\n% `{}`: what it may be.", column.name);
            let mut constants: Vec<&String> = column.values.keys().collect();
            constants.sort();
            for constant in constants {
                let _ = writeln!(background, "{own}({}).", Value::Sym(Symbol::new(constant)));
            }
        }
        let atom = saying.atom(&saying.value_names());
        let place = saying.table.keys.len() + saying.columns.len() + 1;
        let open = |condition: &str, direction: &str| {
            compared(&format!("{condition}({markers}{values}#int, +time)"), place, direction)
        };
        if event {
            let happens = format!("happensAt({}, +time)", called(name, &format!("{markers}{values}")));
            let _ = writeln!(modes, "modeb({happens}).\nmodeb(not {happens}).");
            if !self.windows.is_empty() {
                let _ = writeln!(
                    background,
                    "% It happened at most N time units ago.\n\
                     {name}_recent({subjects}{names}N, T) :- since({atom}, D), D <= N.\n\
                     % It has not happened for more than N time units.\n\
                     {name}_quiet({subjects}{names}N, T) :- since({atom}, D), D > N."
                );
                modes.push_str(&open(&format!("{name}_recent"), "larger"));
                modes.push_str(&open(&format!("{name}_quiet"), "smaller"));
            }
            for window in &self.windows {
                let _ = writeln!(
                    background,
                    "% How often it happened in the last {window} time units.\n\
                     {name}_count_{window}({subjects}{names}N, T) :- count({atom}, {window}, C), C >= N."
                );
                modes.push_str(&open(&format!("{name}_count_{window}"), "smaller"));
            }
            if saying.edge == Some(Edge::Start) && !self.windows.is_empty() {
                let on = format!("{}_on", saying.interval());
                let _ = writeln!(
                    background,
                    "% It has started, and not ended; for at least N time units.\n\
                     {on}({subjects}{names}T) :- last({atom}).\n\
                     {on}_for({subjects}{names}N, T) :- lasting({on}({subjects}{names}T), D), D >= N."
                );
                let _ =
                    writeln!(modes, "modeb({on}({markers}{values}+time)).\nmodeb(not {on}({markers}{values}+time)).");
                modes.push_str(&open(&format!("{on}_for"), "smaller"));
            }
            if !self.windows.is_empty() {
                write_turns(saying, modes, background);
            }
            if saying.replaced.is_none() || self.windows.is_empty() {
                return;
            }
            background.push_str("% What was reported last.\n");
        }
        let steady = !event && saying.is_steady() || self.windows.is_empty();
        let now = if steady { atom } else { format!("last({atom})") };
        let _ = writeln!(background, "{name}_is({subjects}{names}T) :- {now}.");
        let _ = writeln!(modes, "modeb({name}_is({markers}{values}+time)).");
        if !self.windows.is_empty() {
            let _ = writeln!(
                background,
                "% It has been so for at least N time units.\n\
                 {name}_for({subjects}{names}N, T) :- lasting({name}_is({subjects}{names}T), D), D >= N."
            );
            modes.push_str(&open(&format!("{name}_for"), "smaller"));
        }
    }
}

/// What the rows of a window say together, where they come at any time: all or some of them above or below a number, and their sum.
fn write_extremes(saying: &Saying<'_>, window: i64, modes: &mut String, background: &mut String) {
    let (name, markers, subjects) = (&saying.name, saying.markers(), saying.subjects());
    let (kind, place) = (if saying.is_whole() { "int" } else { "real" }, saying.table.keys.len() + 1);
    let past = saying.atom("W");
    let _ = writeln!(background, "% Its largest, its least and its sum over the last {window} time units.");
    for (condition, aggregate, comparison, direction) in [
        ("some_above", "max", ">", "smaller"),
        ("all_below", "max", "<=", "larger"),
        ("all_above", "min", ">", "smaller"),
        ("some_below", "min", "<=", "larger"),
        ("sum_above", "sum", ">", "smaller"),
        ("sum_below", "sum", "<=", "larger"),
    ] {
        let condition = format!("{name}_{condition}_{window}");
        modes.push_str(&compared(&format!("{condition}({markers}#{kind}, +time)"), place, direction));
        let _ = writeln!(
            background,
            "{condition}({subjects}N, T) :- {aggregate}(W, {past}, {window}, M), M {comparison} N."
        );
    }
}

/// Of two names that take turns, which was reported last, and for how long it is the last one.
fn write_turns(saying: &Saying<'_>, modes: &mut String, background: &mut String) {
    let (name, markers, subjects) = (&saying.name, saying.markers(), saying.subjects());
    for pair in saying.turns {
        let [a, b] = pair.each_ref().map(|name| Value::Sym(Symbol::new(name)).to_string());
        let _ = writeln!(
            background,
            "% {a} and {b} take turns: which of them was reported last.\n{name}_turn({a}).\n{name}_turn({b})."
        );
        for (own, other) in [(&a, &b), (&b, &a)] {
            let (head, own, other) =
                (format!("{name}_since({subjects}{own}, T)"), saying.atom(own), saying.atom(other));
            let _ = writeln!(
                background,
                "{head} :- since({own}, D), since({other}, E), D < E.\n{head} :- since({own}, _), not since({other}, _)."
            );
        }
    }
    if saying.turns.is_empty() {
        return;
    }
    let place = saying.table.keys.len() + 2;
    let _ = writeln!(
        background,
        "% It has been the last for at least N time units.\n\
         {name}_since_for({subjects}K, N, T) :- lasting({name}_since({subjects}K, T), D), D >= N."
    );
    let _ = writeln!(modes, "modeb({name}_since({markers}#{name}_turn, +time)).");
    modes.push_str(&compared(&format!("{name}_since_for({markers}#{name}_turn, #int, +time)"), place, "smaller"));
}

/// Above and below how much, for how long, as comments: each has two numbers to learn, and so as many gauges as there are times
/// to try. Of every column of a wide table that would be more than all the rest.
fn write_levels(saying: &Saying<'_>, kind: &str, now: &str, modes: &mut String, background: &mut String) {
    let (name, markers, subjects) = (&saying.name, saying.markers(), saying.subjects());
    let place = saying.table.keys.len() + 1;
    let _ = writeln!(
        modes,
        "% For how long it was above or below a number: about fifty more things to measure. To learn it, uncomment this, and its \
         rules in background.lp."
    );
    for (condition, direction) in [("above_for", "smaller"), ("below_for", "larger")] {
        let atom = format!("{name}_{condition}({markers}#{kind}, #int, +time)");
        let _ = writeln!(modes, "% modeb({atom}).\n% comparison({atom}, {place}, {direction}).");
        let _ = writeln!(modes, "% comparison({atom}, {}, smaller).", place + 1);
    }
    let _ = writeln!(
        background,
        "% For at least D time units.\n\
         % {name}_now({subjects}V, T) :- {now}.\n\
         % {name}_above_for({subjects}N, D, T) :- never_below(V, {name}_now({subjects}V, T), D, M), M > N.\n\
         % {name}_below_for({subjects}N, D, T) :- never_above(V, {name}_now({subjects}V, T), D, M), M <= N."
    );
}
