//! Records that are put together are the record of all of their segments, and what is forgotten costs little.

use proptest::prelude::*;
use proptest::sample::Index;

use super::super::bins::{Bins, LEAST, MOST};
use super::super::learner::Replay;
use super::super::settings::ReplaySettings;
use super::{Record, Run};
use crate::lang::{Source, Symbol, Value};
use crate::learn::Learner;
use crate::stream::{FactReader, Frame};
use crate::task::Task;
use oled::testing::{deterministic, generate};

const MODES: &str = "
    modeh(initiatedAt(f(+entity), +time)). modeh(terminatedAt(f(+entity), +time)).
    modeh(initiatedAt(g(+entity, +entity), +time)). modeh(terminatedAt(g(+entity, +entity), +time)).
    modeb(happensAt(a(+entity), +time)). modeb(link(+entity, +entity, +time)).
    modeb(over(+entity, #real, +time)). comparison(over(+entity, #real, +time), 2, smaller).
    modeb(not under(+entity, #real, +time)). comparison(under(+entity, #real, +time), 2, larger).
";

const BACKGROUND: &str = "over(X, L, T) :- size(X, N, T), N > L. under(X, L, T) :- size(X, N, T), N <= L.";

fn task(interleaved: bool) -> Task {
    let modes = Source::new("modes.lp", format!("{}{MODES}", generate::symmetric_modes().text));
    let mut task = Task::parse(&modes, &Source::new("background.lp", BACKGROUND)).unwrap();
    task.options.interleaved = interleaved;
    task
}

/// A fact or a label of somebody, by number.
type Fact = (u8, u8, u8, i32);

/// Time points with facts and labels of them.
fn segment() -> impl Strategy<Value = Vec<Vec<Fact>>> {
    prop::collection::vec(prop::collection::vec((0..7u8, 1..5u8, 1..5u8, -90..90i32), 0..8), 1..9)
}

fn frames(name: &str, points: &[Vec<Fact>], unit: f64) -> Vec<Frame> {
    let frame = |(time, facts): (usize, &Vec<Fact>)| {
        let mut frame = Frame::new(Symbol::new(name), time as i64);
        for (kind, x, y, n) in facts {
            let size = f64::from(*n) * unit;
            let text = match kind {
                0 => format!("happensAt(a(e{x}), {time})"),
                1 => format!("happensAt(b(e{x}), {time})"),
                2 if x != y => format!("link(e{x}, e{y}, {time})"),
                3 => format!("holdsAt(f(e{x}), {time})"),
                4 if x != y => format!("holdsAt(g(e{x}, e{y}), {time})"),
                _ => format!("size(e{x}, {size:?}, {time})"),
            };
            let facts = if text.starts_with("holdsAt") { &mut frame.annotation } else { &mut frame.narrative };
            FactReader::default().read(&text, facts).unwrap();
        }
        frame
    };
    points.iter().enumerate().map(frame).collect()
}

/// A learner of these segments with so much memory, and features of at most so many bins.
fn learner(task: &Task, segments: &[Vec<Frame>], (runs, most): (usize, usize)) -> Replay {
    let settings = ReplaySettings { runs, ..ReplaySettings::default() };
    let mut learner = Replay::new(task, settings).unwrap();
    learner.record.most = most;
    learner.record.bins.iter_mut().flatten().for_each(|bins| bins.allow(most));
    segments.iter().flatten().for_each(|frame| learner.observe(frame, &mut ()));
    learner
}

/// What is read of an instance, without numbers that mean nothing: runs with masks, the ends of bins, and labels.
type Lines = Vec<String>;

fn dump(record: &Record) -> Lines {
    let mut record = record.clone();
    record.settle();
    let (mut lines, mut side_by_side) = (Vec::new(), Vec::new());
    for segment in record.segments(&mut side_by_side) {
        lines.push(format!("{} {:x} {:?}", segment.name, segment.rank, segment.missed));
        for (g, instances) in segment.groups.iter().enumerate() {
            let layout = record.layouts[g];
            let ends = |bins: &Bins| bins.order().by_bin(|rank| (rank, bins.order().values()[rank as usize]));
            let ends: Vec<_> = record.bins[g].iter().map(ends).collect();
            let truth = |truth: &[u64]| {
                let shown = (0..layout.slots()).map(|s| ends[s].get(layout.measured(truth, s) as usize));
                format!("{:x?} {:?}", &truth[..layout.masks()], shown.collect::<Vec<_>>())
            };
            for instance in instances {
                let values: &[Value] = instance.values;
                lines.push(format!("{values:?} {} {} {}", instance.start, instance.initial, instance.censored));
                let mut runs: Vec<Run> = Vec::new();
                for run in instance.runs() {
                    match runs.last_mut() {
                        Some(last) if (last.state, last.labels) == (run.state, run.labels) => last.length += run.length,
                        _ => runs.push(run),
                    }
                }
                for run in runs {
                    let words = &record.states[g][run.state as usize];
                    let truths: Vec<String> = words.chunks(layout.stride()).map(truth).collect();
                    lines.push(format!("  {} {:b} {truths:?}", run.length, run.labels));
                }
            }
        }
    }
    lines
}

/// The order of so many things by lots.
fn order(count: usize, lots: &[Index]) -> Vec<usize> {
    let mut left: Vec<usize> = (0..count).collect();
    (0..count).map(|i| left.remove(lots[i % lots.len()].index(left.len()))).collect()
}

proptest! {
    #![proptest_config(deterministic(60))]

    #[test]
    fn records_that_are_put_together_are_the_record_of_all_segments(
        segments in prop::collection::vec(segment(), 1..14),
        lots in prop::collection::vec(any::<Index>(), 7),
        room in prop::sample::select(vec![(1 << 20, 1024), (1 << 20, 16), (30, 16), (90, 16), (300, 16)]),
    ) {
        let task = task(false);
        // Where there is little room there are few values, so that no more is rounded than the number of bins says.
        let unit = |n: i32| if room.0 < 1000 { n % 8 } else { n };
        let segments: Vec<Vec<Frame>> = segments
            .iter()
            .enumerate()
            .map(|(i, points)| {
                let of = |facts: &Vec<Fact>| facts.iter().map(|(k, x, y, n)| (*k, *x, *y, unit(*n))).collect();
                frames(&format!("segment {i}"), &points.iter().map(of).collect::<Vec<_>>(), 0.37)
            })
            .collect();
        let mut whole = learner(&task, &segments, room);
        prop_assert!(whole.record.runs() <= room.0 || whole.record.segment_counts().0 == 1);
        let (expected, theory) = (dump(&whole.record), whole.learned(&mut ()));
        for count in [1, 2, 3, 7] {
            let mut parts: Vec<Vec<Vec<Frame>>> = vec![Vec::new(); count];
            for at in order(segments.len(), &lots) {
                parts[lots[at % lots.len()].index(count + at) % count].push(segments[at].clone());
            }
            let learners: Vec<Replay> = parts.iter().map(|part| learner(&task, part, room)).collect();
            let mut merged = learner(&task, &[], room);
            for i in order(count, &lots[count % 3..]) {
                merged.merge(&learners[i]).unwrap();
            }
            prop_assert_eq!(&expected, &dump(&merged.record), "{} records", count);
            prop_assert_eq!(whole.record.segment_counts(), merged.record.segment_counts());
            prop_assert_eq!(whole.record.is_whole(), merged.record.is_whole());
            // Put together in pairs, and then these.
            let mut pairs = learners.chunks(2).map(|pair| {
                let mut one = pair[0].clone();
                pair[1..].iter().for_each(|other| one.merge(other).unwrap());
                one
            });
            let mut folded = pairs.next().expect("there is one at least");
            pairs.for_each(|other| folded.merge(&other).unwrap());
            prop_assert_eq!(&expected, &dump(&folded.record), "{} records in pairs", count);
            if count == 3 {
                prop_assert_eq!(theory.theory().to_string(), merged.learned(&mut ()).theory().to_string());
                prop_assert_eq!(&theory.fits, &merged.learned(&mut ()).fits);
            }
        }
        // What was written is read back.
        let mut again = learner(&task, &[], room);
        again.restore(&whole.save(&mut ()).unwrap()).unwrap();
        prop_assert_eq!(&expected, &dump(&again.record));
        prop_assert_eq!(whole.record.runs(), again.record.runs());
    }

    #[test]
    fn segments_that_are_mixed_are_kept_like_those_that_come_one_by_one(
        segments in prop::collection::vec(segment(), 2..14),
        room in prop::sample::select(vec![1 << 20, 60, 150]),
    ) {
        let frames_of = |(i, points): (usize, &Vec<Vec<Fact>>)| {
            let few = |facts: &Vec<Fact>| facts.iter().map(|(k, x, y, n)| (*k, *x, *y, n % 8)).collect();
            frames(&format!("segment {i}"), &points.iter().map(few).collect::<Vec<_>>(), 0.5)
        };
        let segments: Vec<Vec<Frame>> = segments.iter().enumerate().map(frames_of).collect();
        let one_by_one = learner(&task(false), &segments, (room, LEAST));
        let mut mixed: Vec<Frame> = segments.concat();
        mixed.sort_by_key(|frame| frame.time);
        let task = task(true);
        let mut learner = learner(&task, &[], (room, LEAST));
        for frame in &mixed {
            learner.observe(frame, &mut ());
            prop_assert!(learner.record.runs() <= room || learner.record.segment_counts().0 == 1);
        }
        prop_assert_eq!(dump(&one_by_one.record), dump(&learner.record));
        prop_assert_eq!(one_by_one.record.is_whole(), learner.record.is_whole());
        prop_assert_eq!(one_by_one.record.segment_counts(), learner.record.segment_counts());
    }
}

#[test]
fn a_state_of_another_kind_is_refused() {
    let task = task(false);
    let mut one = learner(&task, &[frames("s", &[vec![(6, 1, 1, 3), (6, 1, 1, 9)]], 1.0)], (100, 1024));
    let state = one.save(&mut ()).unwrap();
    for at in 0..state.len() {
        let mut turned = state.clone();
        turned[at] ^= 0x55;
        // An error, or something that works.
        let mut other = learner(&task, &[], (100, 1024));
        if other.restore(&turned).is_ok() {
            other.observe(&frames("s", &[vec![(6, 1, 1, 4)]], 1.0)[0], &mut ());
            dump(&other.record);
        }
    }
}

#[test]
fn what_is_kept_costs_little_for_each_segment() {
    let task = task(false);
    let looked = |count: usize, runs: usize, window: Option<usize>, forget: Option<f64>| {
        let mut settings = ReplaySettings::default();
        (settings.runs, settings.window, settings.forget) = (runs, window, forget);
        let mut learner = Replay::new(&task, settings).unwrap();
        for i in 0..count {
            let points = [vec![(0, 1, 1, 0)], vec![(3, 1, 1, 0), (6, 1, 1, i as i32 % 7)]];
            frames(&format!("s{i}"), &points, 1.0).iter().for_each(|frame| learner.observe(frame, &mut ()));
        }
        learner.record.retention.looked
    };
    for (runs, window, forget) in
        [(1 << 20, None, None), (500, None, None), (1 << 20, Some(100), None), (1 << 20, None, Some(50.0))]
    {
        let (short, long) = (looked(500, runs, window, forget), looked(2000, runs, window, forget));
        assert!(long <= 5 * short && short <= 5 * 500, "{short} parts looked at, then {long}");
    }
}

#[test]
fn bins_of_many_different_values_are_put_together_seldom() {
    let mut learner = Replay::new(&task(false), ReplaySettings::default()).unwrap();
    let mut random = 1_u64;
    for time in 0..100_000 {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let mut frame = Frame::new(Symbol::new("noise"), time);
        let text = format!("size(e1, {}.{:09}, {time})", random >> 60, (random >> 20) % 1_000_000_000);
        FactReader::default().read(&text, &mut frame.narrative).unwrap();
        learner.observe(&frame, &mut ());
    }
    // There are numbers for twice as many bins as are kept, so every time makes room for about as many values as were needed for it.
    assert!(learner.record.settled <= 3, "{}", learner.record.settled);
    learner.record.settle();
    assert!(learner.record.is_settled());
    let kept = learner.record.bins.iter().flatten().map(Bins::len).max();
    assert!(kept.is_some_and(|most| (MOST / 2..=MOST).contains(&most)), "{kept:?}");
}
