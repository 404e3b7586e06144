//! Random tasks to be learned, each with a stream: what the declarations and the background of users have, in every mixture.

use std::fmt::{self, Write};

use proptest::collection::vec;
use proptest::prelude::*;

use crate::calculus::Precedence;
use crate::lang::{Source, Symbol, Term, Value};
use crate::stream::{FactReader, Frame};
use crate::task::{CalculusOptions, Task};

/// A task with a stream.
#[derive(Clone)]
pub struct Case {
    /// The declarations.
    pub modes: String,
    /// The background.
    pub background: String,
    /// How the Event Calculus is read.
    pub options: CalculusOptions,
    /// The stream.
    pub frames: Vec<Frame>,
}

impl fmt::Debug for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}\n{}\n{:?}", self.modes, self.background, self.options)?;
        for frame in &self.frames {
            write!(f, "{} {}:", frame.segment, frame.time)?;
            for (facts, mark) in [(&frame.narrative, ""), (&frame.annotation, "! ")] {
                for (signature, values) in facts.iter() {
                    let terms = values.iter().copied().chain([Value::Int(frame.time)]).map(Term::Value);
                    write!(f, " {mark}{}", signature.fill(terms))?;
                }
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

impl Case {
    /// The same without conditions whose thresholds are open, for learners that need them listed.
    #[must_use]
    pub fn listed(mut self) -> Case {
        let open = |line: &&str| {
            ["lately", "over", "reach", "large", "long"].iter().any(|name| line.starts_with(&format!("modeb({name}")))
        };
        self.modes = self.modes.lines().filter(|line| !open(line)).collect::<Vec<_>>().join("\n");
        self
    }

    /// The task, checked.
    ///
    /// # Panics
    /// If the generator has made a task that is wrong.
    pub fn task(&self) -> Task {
        let (modes, background) =
            (Source::new("modes.lp", &*self.modes), Source::new("background.lp", &*self.background));
        let mut task = Task::parse(&modes, &background).unwrap_or_else(|problems| panic!("{problems}\n{self:?}"));
        task.options = self.options.clone();
        task
    }
}

/// What a task may have, each by a bit; targets come first.
const OPTIONS: [(&str, &str); 26] = [
    // Targets.
    ("example(holdsAt(f(+e), +time)). modeh(initiatedAt(f(+e), +time)). modeh(terminatedAt(f(+e), +time)).", ""),
    ("example(holdsAt(g(+e, +e), +time)). modeh(initiatedAt(g(+e, +e), +time)). modeh(terminatedAt(g(+e, +e), +time)).", ""),
    (
        "example(holdsAt(v(+e)=low, +time)). example(holdsAt(v(+e)=high, +time)).
         modeh(initiatedAt(v(+e)=low, +time)). modeh(initiatedAt(v(+e)=high, +time)). modeh(terminatedAt(v(+e)=low, +time)).",
        "",
    ),
    (
        "example(holdsAt(u(+e)=(+level), +time)). modeh(initiatedAt(u(+e)=(+level), +time)).
         modeb(says(+e, +level, +time)).",
        "level(low). level(high).",
    ),
    ("example(holdsAt(w(+e, +z), +time)). modeh(initiatedAt(w(+e, +z), +time)). modeh(terminatedAt(w(+e, +z), +time)).", ""),
    ("example(holdsAt(h(+room), +time)). modeh(initiatedAt(h(+room), +time)). modeh(terminatedAt(h(+room), +time)).", "room(r1). room(r2)."),
    ("example(p(+e, +time)). modeh(p(+e, +time)).", ""),
    // The two orders of a pair are one.
    ("symmetric(g/2).", ""),
    // What the background starts and ends, by itself and wrapped.
    ("modeb(holdsAt(lit(+e), +time)).", "initiatedAt(lit(X), T) :- happensAt(a(X), T), size(X, N, T), N > 1. terminatedAt(lit(X), T) :- happensAt(b(X), T)."),
    ("modeb(bright(+e, +time)).", "bright(X, T) :- holdsAt(glow(X)=on, T). initiatedAt(glow(X)=on, T) :- happensAt(a(X), T). initiatedAt(glow(X)=off, T) :- happensAt(b(X), T). initially(glow(X)=on) :- happensAt(b(X), T)."),
    // What the background says of targets.
    ("", "initiatedAt(f(X), T) :- size(X, 3, T)."),
    ("", "initiatedAt(f(X), T) :- since(happensAt(a(X), T), 2). initially(f(X)) :- happensAt(b(X), T)."),
    ("", "initiatedAt(v(X)=low, T) :- size(X, 4, T). p(X, T) :- size(X, 4, T)."),
    // What looks back, observed or not.
    ("modeb(lately(+e, #int, +time)).\ncomparison(lately(+e, #int, +time), 2, larger).", "lately(X, D, T) :- since(happensAt(a(X), T), S), S <= D."),
    ("modeb(was(+e, +time)). modeb(not was(+e, +time)).", "was(X, T) :- ago(happensAt(b(X), T), 2)."),
    // What is learned, in the bodies of what is learned.
    ("modeb(holdsAt(f(+e), +time)). modeb(not holdsAt(f(+e), +time)).", ""),
    ("modeb(busy(+e, +time)).", "busy(X, T) :- holdsAt(f(X), T)."),
    ("modeb(link(+e, -e, +time)).", ""),
    // A fluent about nobody.
    ("example(holdsAt(alarm, +time)). modeh(initiatedAt(alarm, +time)). modeh(terminatedAt(alarm, +time)).", ""),
    // What is measured of two, and so relates them.
    ("modeb(reach(+e, +e, #real, +time)).\ncomparison(reach(+e, +e, #real, +time), 3, larger).", "reach(X, Y, D, T) :- link(X, Y, T), size(Y, N, T), N <= D."),
    // A fluent about three.
    ("example(holdsAt(t(+e, +e, +e), +time)). modeh(initiatedAt(t(+e, +e, +e), +time)). modeh(terminatedAt(t(+e, +e, +e), +time)).", ""),
    // A deadline of what the background starts.
    ("", "expires(lit(X), 3)."),
    // What is known last, and what occurred.
    (
        "exclusive(happensAt(a(+e), +time), happensAt(b(+e), +time)). modeb(lastly(+e, +time)). modeb(occurred(+e, +time)).
modeb(often(+e, +time)).
modeb(large(+e, #real, +time)).
comparison(large(+e, #real, +time), 2, smaller).",
        "lastly(X, T) :- last(happensAt(a(X), T)). occurred(X, T) :- within(happensAt(b(X), T), 1, 3).
large(X, L, T) :- last(size(X, N, T), D), D < 3, N > L. often(X, T) :- count(link(X, _, T), 4, N), N > 1.",
    ),
    // Groups that the background makes.
    (
        "equivalence(together/2). modeb(holdsAt(together(+e, +e), +time)). modeb(crowd(+e, +time)).",
        "initiatedAt(together(X, Y), T) :- link(X, Y, T), X != Y. terminatedAt(together(X, Y), T) :- happensAt(b(X), T), e(Y, T). crowd(X, T) :- count(holdsAt(together(X, _), T), N), N > 1.",
    ),
    // Groups that are learned.
    ("equivalence(g/2).", ""),
    // Above how much, for how long.
    (
        "modeb(long(+e, #real, #int, +time)).
comparison(long(+e, #real, #int, +time), 2, smaller). comparison(long(+e, #real, #int, +time), 3, smaller).",
        "long(X, L, D, T) :- never_below(N, size(X, N, T), D, M), M > L.",
    ),
];

/// What every task has.
const MODES: &str = "
input(happensAt(a(+e), +time)). input(happensAt(b(+e), +time)). input(happensAt(ring(+bell), +time)).
input(link(+e, +e, +time)). input(size(+e, +number, +time)). input(at(+e, +z, +time)). input(says(+e, +level, +time)).
type(number, real). horizon(4).
modeb(happensAt(a(+e), +time)). modeb(happensAt(b(+e), +time)). modeb(not happensAt(b(+e), +time)).
modeb(happensAt(ring(#bell), +time)). modeb(link(+e, +e, +time)). modeb(not link(+e, +e, +time)). modeb(at(+e, +z, +time)).
modeb(over(+e, #real, +time)).
comparison(over(+e, #real, +time), 2, smaller).
";
const BACKGROUND: &str = "bell(b1). bell(b2). over(X, L, T) :- size(X, N, T), N > L.\n";

/// Random tasks with streams.
pub fn cases() -> impl Strategy<Value = Case> {
    let fact = (0..7u8, 0..4u8, 0..4u8, 0..5u8);
    let frame = (vec(fact, 0..7), vec((0..8u8, 0..4u8, 0..4u8), 0..2));
    let segments = vec(vec(frame, 2..12), 3..7);
    // Most fluents have no candidates.
    let candidates = (any::<u16>(), any::<u16>()).prop_map(|(a, b)| a & b);
    let both = prop::sample::select(&Precedence::ALL[..]);
    (any::<u64>(), candidates, 0..3u8, (any::<bool>(), both), segments).prop_map(
        |(bits, candidates, tracked, (interleaved, both), segments)| {
            let (modes, background) = declarations(bits, candidates);
            let tracked = [None, Some(vec![]), Some(vec![Symbol::new("e")])][tracked as usize].clone();
            let mut parts: Vec<Vec<Frame>> = Vec::new();
            for (s, frames) in segments.iter().enumerate() {
                parts.push(stream(&format!("s{s}"), frames));
            }
            let mut frames: Vec<Frame> = parts.concat();
            if interleaved {
                // All first frames, then all second ones.
                frames.sort_by_key(|frame| frame.time);
            }
            Case {
                modes,
                background,
                options: CalculusOptions { tracked, both, interleaved, ..CalculusOptions::default() },
                frames,
            }
        },
    )
}

/// Who may be looked at, each by a bit, with the number of the target.
const CANDIDATES: [(usize, &str); 9] = [
    (0, "candidates(f(X), T) :- size(X, N, T)."),
    // Not only those who are observed.
    (0, "candidates(f(X), T) :- since(happensAt(a(X), T), D), D < 3."),
    (1, "candidates(g(X, Y), T) :- link(X, Y, T)."),
    (1, "candidates(g(X, Y), T) :- size(X, N, T), size(Y, M, T), X != Y."),
    (2, "candidates(v(X)=low, T) :- size(X, N, T). candidates(v(X)=V, T) :- says(X, V, T)."),
    (4, "candidates(w(X, Z), T) :- at(X, Z, T). candidates(w(X, z1), T) :- happensAt(a(X), T)."),
    (5, "candidates(h(R), T) :- room(R), happensAt(ring(b1), T)."),
    (6, "candidates(p(X), T) :- link(X, _, T)."),
    (20, "candidates(t(X, Y, Z), T) :- link(X, Y, T), link(Y, Z, T)."),
];

/// Declarations and background by the bits of what a task has, and of who is looked at.
fn declarations(bits: u64, candidates: u16) -> (String, String) {
    let targets = 7;
    // At least one target.
    let bits = if bits & ((1 << targets) - 1) == 0 { bits | 1 } else { bits };
    let has = |i: usize| bits >> i & 1 == 1;
    let (f, g, v, p) = (has(0), has(1), has(2), has(6));
    let (mut modes, mut background) = (MODES.to_string(), BACKGROUND.to_string());
    for (i, (mode, rules)) in OPTIONS.iter().enumerate() {
        let fits = match i {
            7 => g,
            10 | 15 | 16 => f,
            // What holds while conditions are met may hold of what is not observed, which is not learned from.
            11 => f && !has(OPTIONS.len()),
            12 => v && p,
            21 => has(8),
            // A fluent about three has enough conditions without somebody else.
            17 => !has(20),
            // An equivalence is symmetric, and has no candidates.
            24 => g && !has(7) && CANDIDATES.iter().enumerate().all(|(i, (t, _))| *t != 1 || candidates >> i & 1 == 0),
            _ => true,
        };
        if has(i) && fits {
            writeln!(modes, "{mode}").expect("strings can be written to");
            writeln!(background, "{rules}").expect("strings can be written to");
        }
    }
    for (i, (target, rules)) in CANDIDATES.iter().enumerate() {
        if candidates >> i & 1 == 1 && has(*target) {
            writeln!(background, "{rules}").expect("strings can be written to");
        }
    }
    for (i, fluent) in FLUENTS.iter().enumerate().filter(|(i, _)| has(OPTIONS.len() + i)) {
        // Some may be defined in both ways, as long as the background leaves it open.
        let (both, given) = (has(OPTIONS.len() + FLUENTS.len() + i % 2), format!("At({fluent}"));
        if both && !background.contains(&given) {
            let starts = format!("modeh(initiatedAt({fluent}");
            let heads: Vec<&str> = modes.split_inclusive(").").filter(|m| m.trim().starts_with(&starts)).collect();
            modes = format!("{}\n{modes}", held_while(&heads.concat(), fluent));
        } else {
            (modes, background) = (held_while(&modes, fluent), held_while(&background, fluent));
        }
    }
    (modes, background)
}

/// Fluents that may be defined by what starts and ends them, or by when they hold.
const FLUENTS: [&str; 7] = ["f(", "g(", "v(", "u(", "w(", "h(", "alarm"];

/// Declarations or rules in which a fluent that is started and ended holds while conditions are met instead.
fn held_while(text: &str, fluent: &str) -> String {
    let ends = format!("modeh(terminatedAt({fluent}");
    let mut text = text
        .replace(&format!("initiatedAt({fluent}"), &format!("holdsAt({fluent}"))
        .replace(&format!("initially({fluent}X)) :-"), &format!("holdsAt({fluent}X), T) :-"));
    while let Some(at) = text.find(&ends) {
        let length = text[at..].find(").").expect("declarations end") + 2;
        text.replace_range(at..at + length, "");
    }
    text
}

/// What happens at a time point, and what is wrong with the labels there.
type Point = (Vec<(u8, u8, u8, u8)>, Vec<(u8, u8, u8)>);

/// A segment: what happens is random, labels follow from it by simple rules, and some of them are wrong or unknown.
fn stream(segment: &str, points: &[Point]) -> Vec<Frame> {
    let mut reader = FactReader::default();
    let mut held: Vec<String> = Vec::new();
    let mut frames = Vec::new();
    for (t, (facts, faults)) in points.iter().enumerate() {
        let time = 2 * t as i64 + 1;
        let mut frame = Frame::new(Symbol::new(segment), time);
        let mut labels = held.clone();
        for (kind, x, y) in faults {
            let (x, y) = (format!("e{x}"), format!("e{y}"));
            let label = match kind % 4 {
                0 => format!("f({x})"),
                1 => format!("g({x}, {y})"),
                2 => format!("v({x})=low"),
                _ => format!("w({x}, z1)"),
            };
            if *kind >= 4 {
                reader
                    .read(&format!("unknown({label}, {time})"), &mut frame.annotation)
                    .expect("labels are well-formed");
            } else if let Some(at) = labels.iter().position(|l| *l == label) {
                labels.remove(at);
            } else {
                labels.push(label);
            }
        }
        for label in &labels {
            reader.read(&format!("holdsAt({label}, {time})"), &mut frame.annotation).expect("labels are well-formed");
        }
        for (kind, x, y, n) in facts {
            let (x, y, z) = (format!("e{x}"), format!("e{y}"), format!("z{}", y % 2));
            let level = if n % 2 == 0 { "low" } else { "high" };
            let mut starts = |label: String| {
                if !held.contains(&label) {
                    held.push(label);
                }
            };
            let text = match kind {
                0 => {
                    starts(format!("f({x})"));
                    starts(format!("v({x})=low"));
                    reader.read(&format!("p({x}, {time})"), &mut frame.annotation).expect("labels are well-formed");
                    format!("happensAt(a({x}), {time})")
                }
                1 => {
                    starts(format!("v({x})=high"));
                    let ended = [
                        format!("f({x})"),
                        format!("g({x}, "),
                        format!("v({x})=low"),
                        format!("w({x}, "),
                        format!("t({x}, "),
                    ];
                    held.retain(|label| !ended.iter().any(|e| label.starts_with(e.as_str())));
                    format!("happensAt(b({x}), {time})")
                }
                2 => {
                    if x != y {
                        starts(format!("g({x}, {y})"));
                        starts(format!("t({x}, {y}, e{})", n % 4));
                    }
                    format!("link({x}, {y}, {time})")
                }
                3 => format!("size({x}, {n}, {time})"),
                4 => {
                    starts(format!("w({x}, {z})"));
                    format!("at({x}, {z}, {time})")
                }
                5 => {
                    starts(format!("h(r{})", 1 + n % 2));
                    if n % 2 == 0 {
                        starts("alarm".into());
                    } else {
                        held.retain(|label| label != "alarm");
                    }
                    format!("happensAt(ring(b{}), {time})", 1 + n % 2)
                }
                _ => {
                    held.retain(|label| !label.starts_with(&format!("u({x})=")));
                    held.push(format!("u({x})={level}"));
                    format!("says({x}, {level}, {time})")
                }
            };
            reader.read(&text, &mut frame.narrative).expect("facts are well-formed");
        }
        frames.push(frame);
    }
    frames
}
