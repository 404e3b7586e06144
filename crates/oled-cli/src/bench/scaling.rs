//! Scaling: streams that are made on the spot, in several sizes, to see how cost grows.
//!
//! What is linear in the size of a stream costs the same multiple of parsing at every size.

use std::fmt::Write;
use std::hint::black_box;

use oled::event::Event;
use oled::{Learner, Replay, ReplaySettings, Source, Task, Theory, parse_theory};

use super::BenchArgs;
use super::case::Stream;
use super::paired::Pairs;
use super::passes::recognise;
use crate::memory::peak;

/// Rounds of measurement for each size: they differ by so much that no more are needed.
const ROUNDS: usize = 3;

/// Whatever takes more seconds than this in a round is measured once: it is long enough to be exact.
const LONG: f64 = 5.0;

/// A kind of stream, in one size.
pub(super) struct Sized {
    pub(super) kind: &'static str,
    pub(super) size: usize,
    pub(super) facts: usize,
    /// Both to parsing.
    pub(super) recognise: Pairs,
    pub(super) learn: Pairs,
    /// Whether a time point was too large to learn from.
    pub(super) left_out: bool,
    /// The most memory that the program has used up to here, in kilobytes, as far as the system tells.
    pub(super) peak: Option<u64>,
}

/// All kinds in all sizes that are asked for, told as they come.
pub(super) fn measure(args: &BenchArgs, mut tell: impl FnMut(&Sized)) -> anyhow::Result<Vec<Sized>> {
    let kinds: [(&str, &[usize], Kind); 3] = [
        ("entities in pairs", &args.entities, Kind { modes: PAIRS, background: "", rules: PAIR_RULES, stream: pairs }),
        ("short segments", &args.segments, Kind { modes: LAMPS, background: "", rules: LAMP_RULES, stream: lamps }),
        (
            "entities in a crowd",
            &args.crowd,
            Kind { modes: CROWD, background: CROWD_BACKGROUND, rules: CROWD_RULES, stream: crowd },
        ),
    ];
    let mut all = Vec::new();
    for (name, sizes, kind) in kinds {
        for &size in sizes {
            let sized = kind.measure(name, size)?;
            tell(&sized);
            all.push(sized);
        }
    }
    Ok(all)
}

/// A task with rules, and a stream of any size for it.
struct Kind {
    modes: &'static str,
    background: &'static str,
    rules: &'static str,
    stream: fn(usize) -> String,
}

impl Kind {
    fn measure(&self, kind: &'static str, size: usize) -> anyhow::Result<Sized> {
        let (modes, background) = (Source::new("modes.lp", self.modes), Source::new("background.lp", self.background));
        let (task, problems) = Task::read(&modes, &background);
        assert!(problems.is_empty(), "the tasks below are right: {problems:?}");
        let theory: Theory = parse_theory("rules.lp", self.rules)?;
        let stream = Stream::of_text((self.stream)(size).into_bytes())?;
        let (mut recognised, mut learned, mut left_out) = (Pairs::default(), Pairs::default(), false);
        for _ in 0..ROUNDS {
            let found = || recognise(&task, &theory, &stream).map(|found| assert!(found > 0, "rules fit their stream"));
            recognised.measure(|| stream.parse(), found)?;
            let mut events: Vec<Event> = Vec::new();
            let learn = || {
                let mut learner = Replay::new(&task, ReplaySettings::default())?;
                stream.read()?.try_for_each(|frame| frame.map(|frame| learner.observe(&frame, &mut events)))?;
                black_box(learner.learned(&mut ()));
                Ok(())
            };
            learned.measure(|| stream.parse(), learn)?;
            // While it observes, replay tells only of what it cannot take in.
            left_out |= !events.is_empty();
            if recognised.other().high.max(learned.other().high) > LONG {
                break;
            }
        }
        let (facts, peak) = (stream.facts, peak());
        Ok(Sized { kind, size, facts, recognise: recognised, learn: learned, left_out, peak })
    }
}

// ---- entities in pairs: everybody is in view all the time, and near one other for a while

const PAIRS: &str = "
    input(seen(+p, +time)). input(near(+p, +p, +time)).
    example(holdsAt(meet(+p, +p), +time)).
    modeh(initiatedAt(meet(+p, +p), +time)). modeh(terminatedAt(meet(+p, +p), +time)).
    modeb(near(+p, +p, +time)). modeb(not near(+p, +p, +time)).";
const PAIR_RULES: &str = "
    initiatedAt(meet(X, Y), T) :- near(X, Y, T).
    terminatedAt(meet(X, Y), T) :- not near(X, Y, T).";

/// Three segments of twenty time points; pairs are near each other from the fifth on.
fn pairs(entities: usize) -> String {
    let mut lines = String::new();
    for segment in 0..3 {
        for time in 0..20 {
            let (mut line, first) = (Line::new(segment, time), (0..entities).step_by(2));
            (0..entities).for_each(|p| line.say(format_args!("seen(p{p},{time})")));
            first.clone().filter(|_| time >= 5).for_each(|p| line.say(format_args!("near(p{p},p{},{time})", p + 1)));
            line.annotate();
            first.filter(|_| time >= 6).for_each(|p| line.say(format_args!("holdsAt(meet(p{p},p{}),{time})", p + 1)));
            line.end(&mut lines);
        }
    }
    lines
}

// ---- short segments: a lamp is switched on in each

const LAMPS: &str = "
    input(happensAt(on(+p), +time)). input(happensAt(off(+p), +time)). input(seen(+p, +time)).
    example(holdsAt(lit(+p), +time)).
    modeh(initiatedAt(lit(+p), +time)). modeh(terminatedAt(lit(+p), +time)).
    modeb(happensAt(on(+p), +time)). modeb(happensAt(off(+p), +time)).";
const LAMP_RULES: &str = "
    initiatedAt(lit(P), T) :- happensAt(on(P), T).
    terminatedAt(lit(P), T) :- happensAt(off(P), T).";

fn lamps(segments: usize) -> String {
    let mut lines = String::new();
    for segment in 0..segments {
        for time in 0..3 {
            let mut line = Line::new(segment, time);
            line.say(format_args!("seen(p,{time})"));
            if time == 0 {
                line.say(format_args!("happensAt(on(p),{time})"));
            }
            line.annotate();
            if time > 0 {
                line.say(format_args!("holdsAt(lit(p),{time})"));
            }
            line.end(&mut lines);
        }
    }
    lines
}

// ---- entities in a crowd: all in one frame, but no more of them near anybody than in a small one

const CROWD: &str = "
    input(coords(+p, +pixel, +pixel, +time)).
    type(pixel, int).
    example(holdsAt(meet(+p, +p), +time)).
    modeh(initiatedAt(meet(+p, +p), +time)). modeh(terminatedAt(meet(+p, +p), +time)).
    modeb(close(+p, +p, #real, +time)). modeb(far(+p, +p, #real, +time)).
    comparison(close(+p, +p, #real, +time), 3, larger). comparison(far(+p, +p, #real, +time), 3, smaller).";
const CROWD_BACKGROUND: &str = "
    apart(X, Y, R, T) :-
        coords(X, X1, Y1, T), coords(Y, X2, Y2, T), X != Y, R = sqrt((X1 - X2)^2 + (Y1 - Y2)^2).
    close(X, Y, D, T) :- apart(X, Y, R, T), R <= D.
    far(X, Y, D, T) :- apart(X, Y, R, T), R > D.
    candidates(meet(X, Y), T) :- close(X, Y, 50, T).";
const CROWD_RULES: &str = "
    initiatedAt(meet(X, Y), T) :- close(X, Y, 20, T).
    terminatedAt(meet(X, Y), T) :- far(X, Y, 20, T).";

/// Pairs on a square grid of a hundred pixels, in turn near each other and apart.
fn crowd(entities: usize) -> String {
    let (mut lines, pairs) = (String::new(), entities / 2);
    let side = pairs.isqrt().max(1);
    for time in 0..4 {
        let mut line = Line::new(0, time);
        for pair in 0..pairs {
            let (x, y, distance) = (pair % side * 100, pair / side * 100, if time % 2 == 0 { 10 } else { 40 });
            line.say(format_args!("coords(a{pair},{x},{y},{time})"));
            line.say(format_args!("coords(b{pair},{},{y},{time})", x + distance));
        }
        line.annotate();
        for pair in (0..pairs).filter(|_| time % 2 == 1) {
            line.say(format_args!("holdsAt(meet(a{pair},b{pair}),{time})"));
            line.say(format_args!("holdsAt(meet(b{pair},a{pair}),{time})"));
        }
        line.end(&mut lines);
    }
    lines
}

/// A frame as it is written.
struct Line {
    text: String,
    is_first: bool,
}

impl Line {
    fn new(segment: usize, time: usize) -> Line {
        Line { text: format!("{{\"segment\":\"s{segment}\",\"time\":{time},\"narrative\":["), is_first: true }
    }

    fn say(&mut self, atom: std::fmt::Arguments<'_>) {
        let comma = if std::mem::take(&mut self.is_first) { "" } else { "," };
        // Writing to a string cannot fail.
        let _ = write!(self.text, "{comma}\"{atom}\"");
    }

    fn annotate(&mut self) {
        self.text.push_str("],\"annotation\":[");
        self.is_first = true;
    }

    fn end(self, lines: &mut String) {
        lines.push_str(&self.text);
        lines.push_str("]}\n");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_streams_are_what_their_rules_recognise() {
        for (modes, background, rules, text) in [
            (PAIRS, "", PAIR_RULES, pairs(6)),
            (LAMPS, "", LAMP_RULES, lamps(5)),
            (CROWD, CROWD_BACKGROUND, CROWD_RULES, crowd(8)),
        ] {
            let (task, problems) = Task::read(&Source::new("m", modes), &Source::new("b", background));
            assert!(problems.is_empty(), "{problems:?}");
            let mut recogniser = oled::Recogniser::new(&task, &parse_theory("t", rules).unwrap()).unwrap();
            let mut evaluation = oled::Evaluation::new(&task.labels());
            for frame in Stream::of_text(text.into_bytes()).unwrap().read().unwrap() {
                let frame = frame.unwrap();
                recogniser.observe(&frame, &mut Vec::new());
                evaluation.count(&recogniser, &frame);
            }
            assert_eq!(evaluation.total().f1(), 1.0, "{modes}");
        }
    }
}
