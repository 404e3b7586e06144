//! Intervals against a plain recomputation from booleans, one for each frame; and theories that are swapped on the way.

use oled::evaluate::{Run, Span, Track};
use oled::{
    Confusion, FactReader, Frame, IntervalCounts, Recogniser, Source, Symbol, Task, Theory, Tracks, parse_theory,
};
use proptest::prelude::*;

const MODES: &str = "
    input(happensAt(on(+lamp), +time)).
    input(happensAt(off(+lamp), +time)).
    input(happensAt(hot(+lamp), +time)).
    input(happensAt(cold(+lamp), +time)).
    input(holdsAt(seen(+lamp), +time)).
    example(holdsAt(lit(+lamp), +time)).
    example(holdsAt(warm(+lamp), +time)).";

const LIT: &str = "
    initiatedAt(lit(X), T) :- happensAt(on(X), T).
    terminatedAt(lit(X), T) :- happensAt(off(X), T).";

const WARM: &str = "
    initiatedAt(warm(X), T) :- happensAt(hot(X), T).
    terminatedAt(warm(X), T) :- happensAt(cold(X), T).";

const LAMPS: [&str; 2] = ["a", "b"];

fn task(interleaved: bool) -> Task {
    let mut task = Task::parse(&Source::new("modes.lp", MODES), &Source::new("background.lp", "")).unwrap();
    task.options.interleaved = interleaved;
    task
}

fn theory(text: &str) -> Theory {
    parse_theory("theory.lp", text).unwrap()
}

/// A lamp at a frame: whether it is annotated as lit, whether that is unknown, and whether it is to be recognised.
type State = (bool, bool, bool);

/// A segment: at each frame, the time since the one before, and the lamps.
type Plan = Vec<(i64, [State; 2])>;

fn state() -> impl Strategy<Value = State> {
    (any::<bool>(), prop::bool::weighted(0.05), any::<bool>())
}

/// Runs of the same state, as streams have them, rather than a coin for each frame.
fn plan() -> impl Strategy<Value = Plan> {
    let run = (1usize..5, 1i64..4, [state(), state()]);
    prop::collection::vec(run, 1..8).prop_map(|runs| {
        runs.into_iter().flat_map(|(frames, step, states)| std::iter::repeat_n((step, states), frames)).collect()
    })
}

fn plans() -> impl Strategy<Value = Vec<Plan>> {
    prop::collection::vec(plan(), 1..4)
}

/// The frames of a plan. What is to be recognised at a frame is started or ended at the one before, so that nothing is
/// recognised at the first.
fn frames(number: usize, plan: &Plan) -> Vec<Frame> {
    let mut reader = FactReader::default();
    let segment = Symbol::new(&format!("s{number}"));
    let mut time = 10 * number as i64;
    let mut frames = Vec::new();
    for (i, (step, states)) in plan.iter().enumerate() {
        time += step;
        let mut frame = Frame::new(segment, time);
        for (l, lamp) in LAMPS.iter().enumerate() {
            let next = plan.get(i + 1).is_some_and(|(_, states)| states[l].2);
            let event = if next { "on" } else { "off" };
            let warmth = if next { "hot" } else { "cold" };
            for fact in [format!("holdsAt(seen({lamp}), {time})"), format!("happensAt({event}({lamp}), {time})")] {
                reader.read(&fact, &mut frame.narrative).unwrap();
            }
            reader.read(&format!("happensAt({warmth}({lamp}), {time})"), &mut frame.narrative).unwrap();
            if states[l].0 {
                reader.read(&format!("holdsAt(lit({lamp}), {time})"), &mut frame.annotation).unwrap();
            }
            if states[l].1 {
                reader.read(&format!("unknown(lit({lamp}), {time})"), &mut frame.annotation).unwrap();
            }
        }
        frames.push(frame);
    }
    frames
}

/// All frames: segment after segment, or a frame of each in turn.
fn stream(plans: &[Plan], interleaved: bool) -> Vec<Frame> {
    let segments: Vec<Vec<Frame>> = plans.iter().enumerate().map(|(i, plan)| frames(i, plan)).collect();
    if !interleaved {
        return segments.concat();
    }
    let longest = segments.iter().map(Vec::len).max().unwrap_or(0);
    (0..longest).flat_map(|i| segments.iter().filter_map(move |s| s.get(i).cloned())).collect()
}

/// Runs of `true`: first and last place.
fn runs(holds: &[bool]) -> Vec<(usize, usize)> {
    let starts = (0..holds.len()).filter(|&i| holds[i] && (i == 0 || !holds[i - 1]));
    starts.map(|i| (i, (i..holds.len()).take_while(|&j| holds[j]).last().unwrap())).collect()
}

/// The counts of a lamp in a segment by their definitions, from the booleans alone.
fn plain(times: &[i64], annotated: &[bool], recognised: &[bool], share: f64) -> IntervalCounts {
    let both = |(first, last): (usize, usize)| (first..=last).filter(|&i| annotated[i] && recognised[i]).count();
    let enough = |run: &&(usize, usize)| both(**run) > 0 && both(**run) as f64 >= share * (run.1 - run.0 + 1) as f64;
    let (a, r) = (runs(annotated), runs(recognised));
    let mut counts = IntervalCounts {
        annotated: a.len() as u64,
        recognised: r.len() as u64,
        found: a.iter().filter(enough).count() as u64,
        right: r.iter().filter(enough).count() as u64,
        false_alarms: r.iter().filter(|run| both(**run) == 0).count() as u64,
        ..IntervalCounts::default()
    };
    for &(first, last) in &a {
        counts.covered += both((first, last)) as f64 / (last - first + 1) as f64;
        // The recognised run that is the first to have something in common with this one may begin before it.
        if let Some(&(begin, _)) = r.iter().find(|&&(from, to)| from <= last && first <= to) {
            counts.met += 1;
            counts.delay += times[begin] - times[first];
        }
    }
    counts
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn intervals_are_what_a_plain_recomputation_says(plans in plans(), interleaved in any::<bool>(), twice in any::<bool>()) {
        let task = task(interleaved);
        let mut recogniser = Recogniser::new(&task, &theory(LIT)).unwrap();
        let targets = task.labels();
        let lit = targets[0];
        let mut tracks = Tracks::new(&targets);
        for frame in stream(&plans, interleaved) {
            recogniser.observe(&frame, &mut Vec::new());
            let mut frame = frame;
            if twice {
                // A label that is said twice is said once.
                let labels: Vec<_> = frame.annotation.iter().map(|(s, v)| (s, v.to_vec())).collect();
                labels.iter().for_each(|(s, v)| frame.annotation.push(*s, v));
            }
            tracks.add(&recogniser, &frame);
        }
        let mut seen = 0;
        for (number, plan) in plans.iter().enumerate() {
            let frames = frames(number, plan);
            let times: Vec<i64> = frames.iter().map(|f| f.time).collect();
            for (l, lamp) in LAMPS.iter().enumerate() {
                let known = |i: usize| !plan[i].1[l].1;
                let annotated: Vec<bool> = (0..plan.len()).map(|i| plan[i].1[l].0 && known(i)).collect();
                let recognised: Vec<bool> = (0..plan.len()).map(|i| i > 0 && plan[i].1[l].2 && known(i)).collect();
                let mine = tracks.iter().find(|(segment, signature, values, _)| {
                    (*segment, *signature) == (frames[0].segment, lit) && values[0].to_string() == *lamp
                });
                prop_assert_eq!(mine.is_some(), annotated.iter().chain(&recognised).any(|b| *b));
                let track = mine.map_or_else(Track::default, |(.., track)| track.clone());
                seen += usize::from(mine.is_some());
                let places = |runs: &[Run]| -> Vec<(i64, i64, u64)> {
                    runs.iter().map(|r| (r.first, r.last, r.frames)).collect()
                };
                let plainly = |holds: &[bool]| -> Vec<(i64, i64, u64)> {
                    runs(holds).iter().map(|&(f, l)| (times[f], times[l], (l - f + 1) as u64)).collect()
                };
                prop_assert_eq!(places(&track.annotated), plainly(&annotated));
                prop_assert_eq!(places(&track.recognised), plainly(&recognised));
                let both = |a: bool, r: bool| (0..plan.len()).filter(|&i| (annotated[i], recognised[i]) == (a, r)).count() as u64;
                let counts = Confusion { tp: both(true, true), fp: both(false, true), fn_: both(true, false) };
                prop_assert_eq!(track.confusion(), counts);
                for share in [0.01, 0.3, 0.5, 2.0 / 3.0, 1.0] {
                    prop_assert_eq!(track.counts(share), plain(&times, &annotated, &recognised, share), "share {}", share);
                }
            }
            let span = tracks.segments().find(|(s, _)| *s == frames[0].segment).unwrap().1;
            let (first, last, frames) = (times[0], times[times.len() - 1], times.len() as u64);
            prop_assert_eq!(span, Span { first, last, frames });
        }
        prop_assert_eq!(tracks.iter().count(), seen, "there is nothing else");
        let mut sum = IntervalCounts::default();
        tracks.iter().for_each(|(.., track)| sum += track.counts(0.5));
        let counts = tracks.counts(0.5);
        prop_assert_eq!(counts.get(&Symbol::new("lit")), Some(&sum));
        prop_assert_eq!(counts.get(&Symbol::new("warm")), Some(&IntervalCounts::default()), "it is told, if never seen");
    }

    #[test]
    fn adopting_the_same_theory_at_any_frame_changes_nothing(plans in plans(), interleaved in any::<bool>(), swaps in any::<u64>()) {
        let task = task(interleaved);
        let theory = theory(&format!("{LIT}{WARM}"));
        let mut plain = Recogniser::new(&task, &theory).unwrap();
        let mut swapped = plain.clone();
        let (mut expected, mut closed) = (Vec::new(), Vec::new());
        for (i, frame) in stream(&plans, interleaved).iter().enumerate() {
            plain.observe(frame, &mut expected);
            swapped.observe(frame, &mut closed);
            if swaps >> (i % 64) & 1 == 1 {
                swapped.adopt(&task, &theory).unwrap();
            }
            prop_assert_eq!(&closed, &expected);
            prop_assert_eq!(swapped.open(), plain.open());
            prop_assert!(swapped.holding().eq(plain.holding()));
        }
        plain.finish(&mut expected);
        swapped.finish(&mut closed);
        prop_assert_eq!(closed, expected);
    }

    #[test]
    fn what_begins_is_what_comes_to_be_an_interval(plans in plans(), interleaved in any::<bool>(), least in 0i64..6) {
        let minimum = if least > 0 { format!("min_duration(lit/1, {least}).") } else { String::new() };
        let modes = format!("{MODES}{minimum}");
        let mut task = Task::parse(&Source::new("modes.lp", modes), &Source::new("background.lp", "")).unwrap();
        task.options.interleaved = interleaved;
        // One that persists, and one that rules derive.
        let both = theory(&format!("{LIT} holdsAt(warm(X), T) :- happensAt(hot(X), T)."));
        let mut recogniser = Recogniser::new(&task, &both).unwrap();
        let (mut begun, mut closed) = (Vec::new(), Vec::new());
        for frame in stream(&plans, interleaved) {
            recogniser.observe(&frame, &mut closed);
            for interval in recogniser.begun() {
                let least = if interval.signature == task.labels()[0] { least } else { 0 };
                prop_assert!(interval.last == frame.time && interval.last - interval.first >= least);
                begun.push((interval.segment, interval.signature, interval.values, interval.first));
            }
            // What is open and long enough has been told by now.
            for open in recogniser.open() {
                prop_assert!(begun.contains(&(open.segment, open.signature, open.values.clone(), open.first)));
            }
        }
        recogniser.finish(&mut closed);
        let key = |(segment, signature, values, first): &(Symbol, _, Box<[oled::Value]>, i64)| {
            format!("{segment} {signature} {values:?} {first}")
        };
        let mut expected: Vec<String> =
            closed.into_iter().map(|i| key(&(i.segment, i.signature, i.values, i.first))).collect();
        let mut begun: Vec<String> = begun.iter().map(key).collect();
        expected.sort();
        begun.sort();
        prop_assert_eq!(begun, expected);
    }

    #[test]
    fn a_theory_that_is_reloaded_goes_on_with_what_both_define_alike(plan in plan(), at in any::<prop::sample::Index>()) {
        let task = task(false);
        let step = "glow(X, T) :- happensAt(hot(X), T).";
        let other = "glow(X, T) :- happensAt(hot(X), T), not happensAt(off(X), T).";
        let warm = "initiatedAt(warm(X), T) :- glow(X, T). terminatedAt(warm(X), T) :- happensAt(cold(X), T).";
        // The rules of `lit` in another order, those of `warm` the same, and what they depend on not.
        let from = theory(&format!("{LIT} {step} {warm}"));
        let turned = LIT.trim().lines().rev().collect::<Vec<_>>().join("\n");
        let to = theory(&format!("{warm} {other} {turned}"));
        let mut reloaded = Recogniser::new(&task, &from).unwrap();
        let mut plain = reloaded.clone();
        let (lit, warm) = (task.labels()[0], task.labels()[1]);
        let at = at.index(plan.len());
        let (mut closed, mut expected) = (Vec::new(), Vec::new());
        for (i, frame) in frames(0, &plan).iter().enumerate() {
            reloaded.observe(frame, &mut closed);
            plain.observe(frame, &mut expected);
            let open_before: Vec<_> = reloaded.open().into_iter().filter(|o| o.signature == warm).collect();
            if i == at {
                let before = closed.len();
                let told = reloaded.reload(&task, (&from, &to), &mut closed).unwrap();
                prop_assert_eq!(told, [(warm, false), (lit, true)]);
                let ended = closed.split_off(before);
                prop_assert_eq!(ended.len(), open_before.len());
                for (ended, open) in ended.iter().zip(&open_before) {
                    prop_assert_eq!((&ended.values, ended.first, ended.last), (&open.values, open.first, open.last));
                    prop_assert_eq!(ended.end, oled::End::Reloaded);
                }
                prop_assert!(!reloaded.open().iter().any(|o| o.signature == warm));
                prop_assert!(reloaded.reload(&task, (&to, &theory("nothing(X, T) :- new(X, T).")), &mut closed).is_err());
            }
            let of_lit = |recogniser: &Recogniser| -> Vec<_> {
                recogniser.open().into_iter().filter(|o| o.signature == lit).collect()
            };
            prop_assert_eq!(of_lit(&reloaded), of_lit(&plain));
        }
        closed.retain(|interval| interval.signature == lit);
        expected.retain(|interval| interval.signature == lit);
        prop_assert_eq!(closed, expected);
    }

    #[test]
    fn adopting_a_theory_without_a_fluent_forgets_it_and_nothing_else(plan in plan(), at in any::<prop::sample::Index>()) {
        let task = task(false);
        let both = theory(&format!("{LIT}{WARM}"));
        let mut recogniser = Recogniser::new(&task, &both).unwrap();
        let (lit, warm) = (task.labels()[0], task.labels()[1]);
        let at = at.index(plan.len());
        let lamps = LAMPS.map(|lamp| [oled::Value::Sym(Symbol::new(lamp))]);
        for (i, frame) in frames(0, &plan).iter().enumerate() {
            recogniser.observe(frame, &mut Vec::new());
            let now = [0, 1].map(|l: usize| i > 0 && plan[i].1[l].2);
            prop_assert_eq!(lamps.each_ref().map(|l| recogniser.holds(warm, l)), now);
            if i <= at {
                prop_assert_eq!(lamps.each_ref().map(|l| recogniser.holds(lit, l)), now);
            }
            if i == at {
                for theory in [&theory(WARM), &both] {
                    recogniser.adopt(&task, theory).unwrap();
                    prop_assert_eq!(lamps.each_ref().map(|l| recogniser.holds(warm, l)), now);
                    prop_assert!(!lamps.iter().any(|l| recogniser.holds(lit, l)), "forgotten is forgotten");
                    prop_assert!(recogniser.open().iter().all(|open| open.signature == warm));
                }
            }
            if i == at + 1 {
                prop_assert!(!lamps.iter().any(|l| recogniser.holds(lit, l)), "also what was about to begin");
            }
        }
    }
}

#[test]
fn recognition_that_was_open_before_has_a_negative_delay() {
    let task = task(false);
    let mut recogniser = Recogniser::new(&task, &theory(LIT)).unwrap();
    let mut tracks = Tracks::new(&task.labels());
    let lamp = |annotated, recognised| (annotated, false, recognised);
    let off = lamp(false, false);
    let plan: Plan = [off, off, lamp(false, true), lamp(false, true), lamp(true, true), lamp(true, false), off]
        .map(|a| (5, [a, off]))
        .to_vec();
    for frame in frames(0, &plan) {
        recogniser.observe(&frame, &mut Vec::new());
        tracks.add(&recogniser, &frame);
    }
    let counts = tracks.counts(0.5)[&Symbol::new("lit")];
    let expected = IntervalCounts {
        annotated: 1,
        recognised: 1,
        found: 1, // one frame of two
        right: 0, // one frame of three
        met: 1,
        delay: -10, // two frames of five time units
        covered: 0.5,
        ..IntervalCounts::default()
    };
    assert_eq!(counts, expected);
}

#[test]
fn what_is_not_known_of_an_ordinary_predicate_counts_as_neither() {
    let modes = "input(signal(+lamp, +time)). example(alarm(+lamp, +time)).";
    let task = Task::parse(&Source::new("modes.lp", modes), &Source::new("background.lp", "")).unwrap();
    let mut recogniser = Recogniser::new(&task, &theory("alarm(X, T) :- signal(X, T).")).unwrap();
    let mut tracks = Tracks::new(&task.labels());
    let mut reader = FactReader::default();
    for time in 0..5 {
        let mut frame = Frame::new(Symbol::new("hall"), time);
        reader.read(&format!("signal(a, {time})"), &mut frame.narrative).unwrap();
        let label = if time == 2 { "unknown(alarm(a), 2)".into() } else { format!("alarm(a, {time})") };
        reader.read(&label, &mut frame.annotation).unwrap();
        recogniser.observe(&frame, &mut Vec::new());
        tracks.add(&recogniser, &frame);
    }
    let counts = tracks.counts(1.0)[&Symbol::new("alarm")];
    assert_eq!((counts.annotated, counts.recognised, counts.found, counts.right), (2, 2, 2, 2));
}
