//! A stream that is dealt out to several workers by segment comes to what one worker makes of it: intervals, counts and rules.

use oled::partition::{Place, Sequencer, owner};
use oled::testing::{deterministic, tasks};
use oled::{Evaluation, Frame, Interval, Learner, Recogniser, Replay, ReplaySettings, Task, Theory, Tracks};
use proptest::prelude::*;
use proptest::sample::Index;

/// What one worker knows of a stream, or a part of it.
#[derive(Clone)]
struct Seen {
    evaluation: Evaluation,
    tracks: Tracks,
}

impl Seen {
    fn nothing(task: &Task) -> Seen {
        Seen { evaluation: Evaluation::new(&task.labels()), tracks: Tracks::new(&task.labels()) }
    }

    fn merged(mut self, other: &Seen) -> Seen {
        self.evaluation.merge(other.evaluation.clone());
        self.tracks.merge(other.tracks.clone());
        self
    }

    /// All that can be told, in its order.
    fn told(&self) -> Vec<String> {
        let Seen { evaluation, tracks } = self;
        let mut lines = vec![format!("{:?} {}", evaluation.by_fluent(), evaluation.frames())];
        lines.extend(evaluation.by_segment().iter().map(|row| format!("{row:?}")));
        lines.extend(tracks.iter().map(|row| format!("{row:?}")));
        lines.extend(tracks.segments().map(|row| format!("{row:?}")));
        // Sums of reals depend on their order.
        lines.push(format!("{:?} {:?}", tracks.counts(0.5), tracks.observed().to_bits()));
        lines
    }
}

/// Recognises on so many workers; gives what each has seen, and all intervals in the order of the stream.
fn recognised(task: &Task, theory: &Theory, frames: &[Frame], workers: usize) -> (Vec<Seen>, Vec<Interval>) {
    let mut sequencer = Sequencer::new(task.options.interleaved);
    let mut recognisers = vec![Recogniser::new(task, theory).unwrap(); workers];
    let mut seen = vec![Seen::nothing(task); workers];
    let mut intervals: Vec<((u64, u64), Interval)> = Vec::new();
    let mut closed = Vec::new();
    for frame in frames {
        let place = sequencer.place(frame);
        if let Some(over) = place.over {
            recognisers[owner(over, workers)].finish(&mut closed);
            intervals.extend(closed.drain(..).map(|interval| ((place.frame, 0), interval)));
        }
        let worker = owner(frame.segment, workers);
        recognisers[worker].observe(frame, &mut closed);
        intervals.extend(closed.drain(..).map(|interval| ((place.frame, 1), interval)));
        let Seen { evaluation, tracks } = &mut seen[worker];
        evaluation.at(place.frame);
        evaluation.count(&recognisers[worker], frame);
        tracks.at(place.frame);
        tracks.add(&recognisers[worker], frame);
    }
    for recogniser in &mut recognisers {
        recogniser.finish(&mut closed);
        let at = |interval: &Interval| sequencer.number(interval.segment).expect("it has begun");
        intervals.extend(closed.drain(..).map(|interval| ((u64::MAX, at(&interval)), interval)));
    }
    intervals.sort_by_key(|(place, _)| *place);
    (seen, intervals.into_iter().map(|(_, interval)| interval).collect())
}

/// Recognises as who sees the whole stream does.
fn plain(task: &Task, theory: &Theory, frames: &[Frame]) -> Vec<Interval> {
    let mut recogniser = Recogniser::new(task, theory).unwrap();
    let mut closed = Vec::new();
    frames.iter().for_each(|frame| recogniser.observe(frame, &mut closed));
    recogniser.finish(&mut closed);
    closed
}

/// Numbers in an order by lots.
fn order(count: usize, lots: &[Index]) -> Vec<usize> {
    let mut left: Vec<usize> = (0..count).collect();
    (0..count).map(|i| left.remove(lots[i % lots.len()].index(left.len()))).collect()
}

/// The states of learners to which segments are dealt out.
fn learned(fresh: &mut Replay, task: &Task, frames: &[Frame], workers: usize) -> Vec<Vec<u8>> {
    let mut learners: Vec<Box<dyn Learner>> = (0..workers).map(|_| fresh.copy()).collect();
    let mut sequencer = Sequencer::new(task.options.interleaved);
    for frame in frames {
        let Place { segment, begins, .. } = sequencer.place(frame);
        let learner = &mut learners[owner(frame.segment, workers)];
        if begins {
            learner.number_segments(segment);
        }
        learner.observe(frame, &mut ());
    }
    learners.iter_mut().map(|learner| learner.save(&mut ()).unwrap()).collect()
}

proptest! {
    #![proptest_config(deterministic(150))]

    #[test]
    fn what_is_dealt_out_comes_to_what_one_worker_makes_of_it(
        case in tasks::cases(),
        lots in prop::collection::vec(any::<Index>(), 5),
        shortest in prop::option::of(2..4i64),
        memory in prop::sample::select(vec![("runs", "1000000"), ("window", "2"), ("window", "4"), ("forget", "2")]),
    ) {
        let mut case = case;
        if let Some(shortest) = shortest {
            // What is reported late is counted late.
            let fluent = ["f/1", "g/2"].into_iter().find(|f| case.modes.contains(&format!("example(holdsAt({}(", &f[..1])));
            if let Some(f) = fluent {
                case.modes = format!("{}\nmin_duration({f}, {shortest}).", case.modes);
            }
        }
        let (task, lots) = (case.task(), &lots[..]);
        let mut settings = ReplaySettings::default();
        settings.set(memory.0, memory.1).unwrap();
        let mut fresh = Replay::new(&task, settings).unwrap();
        let mut whole = fresh.copy();
        case.frames.iter().for_each(|frame| whole.observe(frame, &mut ()));
        let expected = whole.learned(&mut ());
        let (one, intervals) = recognised(&task, &expected.theory(), &case.frames, 1);
        prop_assert_eq!(&plain(&task, &expected.theory(), &case.frames), &intervals);
        for workers in [2, 3, 5] {
            let (seen, others) = recognised(&task, &expected.theory(), &case.frames, workers);
            prop_assert_eq!(&intervals, &others, "{} workers\n{:?}", workers, case);
            // In any order, and in pairs.
            let nothing = Seen::nothing(&task);
            let merged = order(workers, lots).into_iter().fold(nothing.clone(), |all, i| all.merged(&seen[i]));
            prop_assert_eq!(one[0].told(), merged.told(), "{} workers\n{:?}", workers, case);
            let paired = seen.chunks(2).map(|pair| pair[1..].iter().fold(pair[0].clone(), Seen::merged));
            let paired = paired.fold(nothing, |all, pair| pair.merged(&all));
            prop_assert_eq!(one[0].told(), paired.told());
            let states = learned(&mut fresh, &task, &case.frames, workers);
            let mut merged = fresh.copy();
            order(workers, lots).into_iter().for_each(|i| merged.merge(&states[i]).unwrap());
            prop_assert_eq!(&expected, &merged.learned(&mut ()), "{} learners\n{:?}", workers, case);
            merged.merge(&fresh.save(&mut ()).unwrap()).unwrap();
            prop_assert_eq!(&expected, &merged.learned(&mut ()), "nothing is neutral");
        }
    }
}

proptest! {
    #![proptest_config(deterministic(60))]

    #[test]
    fn intervals_that_are_related_come_in_the_same_order(
        events in prop::collection::vec((0..4usize, 0..6usize, 0..2u8), 20..120), interleaved in any::<bool>(),
    ) {
        let modes = "input(happensAt(starts(+what, +who), +time)). input(happensAt(stops(+what, +who), +time)). \
                     input(holdsAt(seen(+who), +time)). horizon(30).";
        let rules = "initiatedAt(a(X), T) :- happensAt(starts(a, X), T). terminatedAt(a(X), T) :- happensAt(stops(a, X), T).
            initiatedAt(b(X), T) :- happensAt(starts(b, X), T). terminatedAt(b(X), T) :- happensAt(stops(b, X), T).
            initially(b(X)) :- happensAt(stops(a, X), T).
            holdsFor(related(X), I) :- holdsFor(a(X), I1), holdsFor(b(X), I2), allen(overlaps, I1, I2, union, I).
            holdsFor(later(X), I) :- holdsFor(a(X), I1), holdsFor(b(X), I2), allen(before, I1, I2, union, I).";
        let source = |name, text| oled::Source::new(name, text);
        let mut task = Task::parse(&source("modes.lp", modes), &source("background.lp", "")).unwrap();
        (task.options.interleaved, task.options.tracked) = (interleaved, Some(Vec::new()));
        let theory = oled::parse_theory("rules.lp", rules).unwrap();
        let mut frames: Vec<Frame> = Vec::new();
        for (time, (what, segment, who)) in events.into_iter().enumerate() {
            let mut frame = Frame::new(oled::Symbol::new(&format!("s{segment}")), time as i64);
            let event = ["starts(a", "stops(a", "starts(b", "stops(b"][what];
            let text = format!("happensAt({event}, w{who}), {time})");
            oled::FactReader::default().read(&text, &mut frame.narrative).unwrap();
            frames.push(frame);
        }
        if !interleaved {
            frames.sort_by_key(|frame| frame.segment);
        }
        let expected = plain(&task, &theory, &frames);
        for workers in [1, 2, 3] {
            prop_assert_eq!(&expected, &recognised(&task, &theory, &frames, workers).1, "{} workers", workers);
        }
    }
}

#[test]
fn the_learner_of_the_paper_is_not_put_together_from_parts() {
    for spec in &oled::registry::LEARNERS {
        let modes = "input(happensAt(a(+e), +time)). example(holdsAt(f(+e), +time)). modeh(initiatedAt(f(+e), +time)). \
                     modeb(happensAt(a(+e), +time)).";
        let source = |name, text| oled::Source::new(name, text);
        let task = Task::parse(&source("modes.lp", modes), &source("background.lp", "")).unwrap();
        let mut learner = spec.make(&task, &oled::registry::Wishes::default()).unwrap();
        let state = learner.save(&mut ()).unwrap();
        assert_eq!(learner.merge(&state).is_ok(), learner.capabilities().mergeable, "{}", spec.name);
        assert!(learner.merge(b"nonsense").is_err());
    }
}
