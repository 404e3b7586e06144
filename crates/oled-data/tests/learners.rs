//! What every learner does, whatever its method: one suite for all of them.

use oled::learn::ProgressListener;
use oled::{
    FactReader, Frame, Interrupt, Learned, Learner, Oled, Problems, Recogniser, Replay, ReplaySettings, Source,
    Supervision, Symbol, Task, Theory,
};
use oled_data::caviar::shuffle;
use oled_data::task_folder::TaskFolder;
use oled_data::world::{World, WorldOptions};

/// Makes a learner for a task, on so many threads.
type New = fn(&TaskFolder, usize) -> Result<Box<dyn Learner>, Problems>;

/// A learner: its name, how it is made, and whether the order of segments makes no difference to it.
struct Kind {
    name: &'static str,
    new: New,
    order_free: bool,
}

const LEARNERS: [Kind; 2] = [
    Kind {
        name: "replay",
        new: |folder, threads| {
            Ok(Box::new(Replay::new(&folder.task, ReplaySettings::default())?.with_threads(threads)))
        },
        order_free: true,
    },
    Kind {
        name: "oled",
        new: |folder, threads| {
            let settings = |target: Symbol| folder.settings("default", target.as_str(), &[]).unwrap();
            Ok(Box::new(Oled::new(&folder.task, settings)?.with_threads(threads)))
        },
        order_free: false,
    },
];

fn world(segments: usize, seed: u64) -> Vec<Frame> {
    let options = WorldOptions { segments, frames: 150, people: 3, seed, ..WorldOptions::default() };
    World::new(options.without_noise()).collect()
}

fn learned(learner: &mut dyn Learner, frames: &[Frame]) -> Learned {
    frames.iter().for_each(|frame| learner.observe(frame, &mut ()));
    learner.learned(&mut ())
}

#[test]
fn the_same_stream_gives_the_same_rules_on_any_number_of_threads() {
    let (folder, frames) = (TaskFolder::lobby_listed(), world(6, 1));
    for kind in LEARNERS {
        let one = learned(&mut *(kind.new)(&folder, 1).unwrap(), &frames);
        assert!(!one.rules.is_empty(), "{}", kind.name);
        for threads in [1, 2, 5] {
            assert_eq!(one, learned(&mut *(kind.new)(&folder, threads).unwrap(), &frames), "{}", kind.name);
        }
        let mut again = (kind.new)(&folder, 1).unwrap();
        learned(&mut *again, &frames);
        assert_eq!(one, again.learned(&mut ()), "{}: asking twice changes nothing", kind.name);
    }
}

#[test]
fn the_order_of_segments_makes_no_difference_where_a_learner_says_so() {
    let (folder, frames) = (TaskFolder::lobby_listed(), world(6, 2));
    let parts: Vec<&[Frame]> = frames.chunk_by(|a, b| a.segment == b.segment).collect();
    for kind in LEARNERS.into_iter().filter(|kind| kind.order_free) {
        let one = learned(&mut *(kind.new)(&folder, 1).unwrap(), &frames);
        for seed in 1..=20 {
            let mut order = parts.clone();
            shuffle(&mut order, seed);
            let other = learned(&mut *(kind.new)(&folder, 2).unwrap(), &order.concat());
            assert_eq!(one, other, "{} with seed {seed}", kind.name);
        }
    }
}

#[test]
fn a_copy_goes_on_as_the_original_would() {
    let (folder, frames) = (TaskFolder::lobby_listed(), world(4, 3));
    for kind in LEARNERS {
        let whole = learned(&mut *(kind.new)(&folder, 1).unwrap(), &frames);
        for cut in [0, 1, 150, 333, 599] {
            let mut learner = (kind.new)(&folder, 1).unwrap();
            frames[..cut].iter().for_each(|frame| learner.observe(frame, &mut ()));
            let mut copy = learner.copy();
            assert_eq!(whole, learned(&mut *copy, &frames[cut..]), "{} cut at {cut}", kind.name);
            assert_eq!(whole, learned(&mut *learner, &frames[cut..]), "{} after a copy at {cut}", kind.name);
        }
    }
}

#[test]
fn calls_may_come_in_any_order() {
    let (folder, frames) = (TaskFolder::lobby_listed(), world(4, 4));
    for kind in LEARNERS {
        // On threads, so that something falls behind.
        let run = |calls: &str| {
            let (mut learner, mut events) = ((kind.new)(&folder, 3).unwrap(), Vec::new());
            for part in frames.chunks(150) {
                part.iter().for_each(|frame| learner.observe(frame, &mut events));
                for call in calls.chars() {
                    match call {
                        't' => _ = learner.theory(&mut events),
                        'l' => _ = learner.learned(&mut events),
                        's' => assert!(learner.save(&mut events).is_some()),
                        'g' => learner.start_from(&Theory::default()).unwrap(),
                        'r' => {
                            let state = learner.save(&mut events).unwrap();
                            learner.restore(&state).unwrap();
                        }
                        _ => learner = learner.copy(),
                    }
                }
            }
            let learned = learner.learned(&mut events);
            assert_eq!(learner.progress().interpretations, learned.interpretations);
            (learned.theory(), learned.fits, learned.remarks, events)
        };
        let (theory, fits, remarks, _) = run("");
        for calls in ["t", "l", "s", "c", "g", "r", "tlscgr", "rgcslt", "ctrl"] {
            let (other, of_other, told, _) = run(calls);
            assert_eq!((&theory, &fits, &remarks), (&other, &of_other, &told), "{}, {calls}", kind.name);
        }
        // What happened is told once, whoever asked in between.
        assert_eq!(run("t").3, run("tcg").3, "{}", kind.name);
    }
}

#[test]
fn the_theory_is_valid_at_any_time() {
    let (folder, frames) = (TaskFolder::lobby_listed(), world(4, 4));
    for kind in LEARNERS {
        let mut learner = (kind.new)(&folder, 1).unwrap();
        for (i, frame) in frames.iter().enumerate() {
            learner.observe(frame, &mut ());
            if i % 100 == 7 {
                for theory in [&*learner.theory(&mut ()), &learner.learned(&mut ()).theory()] {
                    let text = theory.to_string();
                    let read = oled::parse_theory("learned.lp", &text).unwrap();
                    assert_eq!(read.to_string(), text);
                    Recogniser::new(&folder.task, &read).unwrap();
                }
            }
        }
    }
}

#[test]
fn memory_is_bounded_on_a_stream_ten_times_longer() {
    let folder = TaskFolder::lobby_listed();
    let mut settings = ReplaySettings::default();
    settings.set("runs", "1000").unwrap();
    let bytes = |segments: usize| {
        let mut learner = Replay::new(&folder.task, settings.clone()).unwrap();
        for frame in world(segments, 5) {
            learner.observe(&frame, &mut ());
        }
        // The segment that is being written comes on top.
        assert!(learner.record().runs() <= 1000 + 500, "{} runs", learner.record().runs());
        let forgot = learner.learned(&mut ()).estimated.iter().any(|r| r.starts_with("learned from "));
        assert!(forgot || segments < 60, "what is not remembered is told");
        learner.record().bytes()
    };
    let (short, long) = (bytes(6), bytes(60));
    assert!(long <= 2 * short, "{short} bytes, then {long}");
}

#[test]
fn measured_values_are_rounded_before_segments_are_forgotten() {
    let (folder, frames) = (TaskFolder::embedded(), world(6, 7));
    let parts: Vec<&[Frame]> = frames.chunk_by(|a, b| a.segment == b.segment).collect();
    let remember = |runs: usize, frames: &[Frame]| {
        let mut settings = ReplaySettings::default();
        settings.set("runs", &runs.to_string()).unwrap();
        let mut learner = Replay::new(&folder.task, settings).unwrap();
        frames.iter().for_each(|frame| learner.observe(frame, &mut ()));
        // What is being written is remembered as it was: a last segment with nothing in it.
        learner.observe(&Frame::new(Symbol::new("end"), 0), &mut ());
        learner
    };
    let exact = remember(1 << 20, &frames);
    let budget = exact.record().runs() * 3 / 4;
    let mut rounded = remember(budget, &frames);
    let (kept, all) = rounded.record().segment_counts();
    assert_eq!(kept as u64, all, "no segment is forgotten");
    assert!(rounded.record().runs() <= budget);
    let learned = rounded.learned(&mut ());
    // The thresholds that are left are between bins, so that rules do as they did on every time point.
    let counts = exact.replay(&learned.theory()).unwrap();
    assert!(counts.iter().filter(|(_, c)| c.tp > 0).count() > 1, "{counts:?}");
    assert_eq!(counts, rounded.replay(&learned.theory()).unwrap());
    assert!(learned.estimated.iter().any(|r| r.starts_with("thresholds are rounded")), "{:?}", learned.estimated);
    for seed in 1..=2 {
        let mut order = parts.clone();
        shuffle(&mut order, seed);
        assert_eq!(learned, remember(budget, &order.concat()).learned(&mut ()), "seed {seed}");
    }
    let mut going_on = remember(budget, &[]);
    going_on.restore(&rounded.save(&mut ()).unwrap()).unwrap();
    assert_eq!(learned, going_on.learned(&mut ()));
    let mut tight = remember(budget / 8, &frames);
    let (kept, all) = tight.record().segment_counts();
    assert!((kept as u64) < all && tight.record().runs() <= budget / 8, "{kept} of {all}");
    for seed in 1..=2 {
        let mut order = parts.clone();
        shuffle(&mut order, seed);
        assert_eq!(
            tight.learned(&mut ()).theory(),
            remember(budget / 8, &order.concat()).learned(&mut ()).theory(),
            "seed {seed}"
        );
    }
}

#[test]
fn a_window_remembers_the_last_segments() {
    let folder = TaskFolder::lobby_listed();
    let frames = world(8, 6);
    let parts: Vec<&[Frame]> = frames.chunk_by(|a, b| a.segment == b.segment).collect();
    let mut settings = ReplaySettings::default();
    settings.set("window", "3").unwrap();
    let mut windowed = Replay::new(&folder.task, settings).unwrap();
    let of_window = learned(&mut windowed, &frames);
    assert_eq!(windowed.record().segment_counts(), (3, 8));
    let mut last = Replay::new(&folder.task, ReplaySettings::default()).unwrap();
    assert_eq!(of_window.theory(), learned(&mut last, &parts[5..].concat()).theory());
    let mut settings = ReplaySettings::default();
    settings.set("forget", "2").unwrap();
    let mut forgetful = Replay::new(&folder.task, settings).unwrap();
    learned(&mut forgetful, &frames);
    assert!(forgetful.record().segment_counts().0 < 8);
}

#[test]
fn what_a_learner_has_never_seen_does_no_harm() {
    let (folder, frames) = (TaskFolder::lobby_listed(), world(4, 7));
    for kind in LEARNERS {
        let one = learned(&mut *(kind.new)(&folder, 1).unwrap(), &frames);
        // Facts and labels that nothing declares.
        let mut strange = frames.clone();
        for frame in &mut strange {
            let fact = format!("happensAt(juggling(p1), {})", frame.time);
            FactReader::default().read(&fact, &mut frame.narrative).unwrap();
            let label = format!("holdsAt(dancing(p1, p2), {})", frame.time);
            FactReader::default().read(&label, &mut frame.annotation).unwrap();
        }
        assert_eq!(one, learned(&mut *(kind.new)(&folder, 1).unwrap(), &strange), "{}", kind.name);
        // Nothing at all.
        let nothing = learned(&mut *(kind.new)(&folder, 1).unwrap(), &[]);
        assert_eq!(nothing.theory(), Theory::default());
        assert_eq!(nothing.interpretations, 0);
    }
}

#[test]
fn replay_says_why_it_learned_nothing() {
    let modes = "input(happensAt(rings(+bell), +time)). example(holdsAt(loud(+bell), +time)).
        modeh(initiatedAt(loud(+bell), +time)). modeh(terminatedAt(loud(+bell), +time)). modeb(happensAt(rings(+bell), +time)).";
    let task = Task::parse(&Source::new("modes.lp", modes), &Source::new("background.lp", "")).unwrap();
    let learn = |segments: usize, labelled: usize| {
        let mut learner = Replay::new(&task, ReplaySettings::default()).unwrap();
        for (s, time) in (0..segments).flat_map(|s| (0..10).map(move |t| (s, t))) {
            let mut frame = Frame::new(Symbol::new(&format!("s{s}")), time);
            FactReader::default().read(&format!("happensAt(rings(b), {time})"), &mut frame.narrative).unwrap();
            if s < labelled && time > 5 {
                FactReader::default().read(&format!("holdsAt(loud(b), {time})"), &mut frame.annotation).unwrap();
            }
            learner.observe(&frame, &mut ());
        }
        learner.learned(&mut ()).remarks.join("\n")
    };
    for (segments, labelled, remark) in [
        (0, 0, "there was nothing to learn from"),
        (4, 0, "it is annotated in none of 4 segments"),
        (4, 2, "it has 2 annotated intervals, and a rule must be right about 3. Learn from more"),
        (4, 4, "no condition of the modes is true at some time points and false at others"),
    ] {
        let remarks = learn(segments, labelled);
        assert!(remarks.contains(remark), "{remarks}");
    }
}

#[test]
fn a_search_that_somebody_ends_says_so_and_the_next_one_is_whole() {
    let (folder, frames) = (TaskFolder::lobby_listed(), world(4, 3));
    let mut learner = Replay::new(&folder.task, ReplaySettings::default()).unwrap();
    let whole = learned(&mut learner, &frames);
    let interrupt = Interrupt::default();
    interrupt.raise();
    learner.supervise(&Supervision { searches: interrupt, ..Supervision::default() });
    let ended = learner.learned(&mut ());
    assert_eq!(ended.theory(), Theory::default());
    assert!(ended.remarks[0].contains("the search was ended before it found one. Give it more time"), "{ended:?}");
    assert!(ended.fits.iter().all(|fit| fit.f1().is_none()), "what nothing starts has no F1");
    learner.supervise(&Supervision::default());
    assert_eq!(learner.learned(&mut ()), whole);
}

#[test]
fn a_search_that_ends_while_rules_are_judged_gives_those_that_were_found_so_far() {
    let (folder, frames) = (TaskFolder::lobby_listed(), world(4, 3));
    let mut learner = Replay::new(&folder.task, ReplaySettings::default()).unwrap();
    let whole = learned(&mut learner, &frames);
    let (searches, raised) = (Interrupt::default(), Interrupt::default());
    let ends = searches.clone();
    let listener = ProgressListener::new(move |line| {
        if line.contains("without a part of the stream, 2 of 3") {
            ends.raise();
        }
    });
    learner.supervise(&Supervision { searches, listener, ..Supervision::default() });
    let ended = learner.learned(&mut ());
    // The first fluent has rules that were found without the first part of the stream, and they do what they are told to do.
    let (of_ended, of_whole) = (ended.fits[0].f1(), whole.fits[0].f1());
    assert!(of_ended.is_some_and(|f1| f1 > 0.5) && of_ended <= of_whole, "{of_ended:?} {of_whole:?}");
    let replayed = learner.replay(&ended.theory()).unwrap();
    assert_eq!(Some(replayed[0].1.f1()), of_ended);
    learner.supervise(&Supervision { searches: raised, ..Supervision::default() });
    assert_eq!(learner.learned(&mut ()), whole);
}

/// What was learned, after each frame was told to a learner that was made anew from what was saved at the cuts before.
fn interrupted(kind: &Kind, folder: &TaskFolder, frames: &[Frame], cut: impl Fn(usize) -> bool) -> Learned {
    let mut learner = (kind.new)(folder, 1).unwrap();
    for (i, frame) in frames.iter().enumerate() {
        if cut(i) {
            let state = learner.save(&mut ()).unwrap();
            learner = (kind.new)(folder, 2).unwrap();
            learner.restore(&state).unwrap();
        }
        learner.observe(frame, &mut ());
    }
    learner.learned(&mut ())
}

#[test]
fn a_learner_that_is_restored_goes_on_as_if_it_had_never_stopped() {
    // Existential variables, open thresholds, symmetric fluents and looking back are all among them.
    for (kind, folder) in
        [(0, TaskFolder::embedded()), (0, TaskFolder::lobby_listed()), (1, TaskFolder::lobby_listed())]
    {
        let (kind, frames) = (&LEARNERS[kind], world(4, 9));
        let whole = learned(&mut *(kind.new)(&folder, 1).unwrap(), &frames);
        assert!(!whole.rules.is_empty(), "{}", kind.name);
        // At some cuts, and at very many in one run: around the end of a segment at all of them.
        for at in [1, 150, 333, 599] {
            assert_eq!(whole, interrupted(kind, &folder, &frames, |i| i == at), "{} cut at {at}", kind.name);
        }
        let often = |i: usize| (140..160).contains(&i) || i.is_multiple_of(9);
        assert_eq!(whole, interrupted(kind, &folder, &frames, often), "{} cut very often", kind.name);
    }
}

#[test]
fn what_is_at_work_and_told_does_not_depend_on_where_a_learner_stopped() {
    let (folder, frames) = (TaskFolder::lobby_listed(), world(4, 10));
    for kind in LEARNERS {
        // With rules at work all the time, as when each time point is recognised before it is learned from.
        let run = |cut: usize| {
            let (mut learner, mut events) = ((kind.new)(&folder, 1).unwrap(), Vec::new());
            for (i, frame) in frames.iter().enumerate() {
                if i == cut {
                    let state = learner.save(&mut events).unwrap();
                    learner = (kind.new)(&folder, 1).unwrap();
                    learner.restore(&state).unwrap();
                }
                learner.observe(frame, &mut events);
                if i % 10 == 0 {
                    learner.theory(&mut events);
                }
            }
            let theory = learner.theory(&mut events);
            (events, theory)
        };
        let whole = run(usize::MAX);
        assert!(!whole.0.is_empty(), "{}", kind.name);
        for cut in [0, 1, 77, 150, 222, 301, 450, 599] {
            assert_eq!(whole, run(cut), "{} cut at {cut}", kind.name);
        }
    }
}

#[test]
fn no_bytes_whatever_make_a_learner_panic() {
    let frames = world(4, 11);
    for (kind, folder) in [(0, TaskFolder::embedded()), (1, TaskFolder::lobby_listed())] {
        let kind = &LEARNERS[kind];
        let mut learner = (kind.new)(&folder, 1).unwrap();
        for (i, frame) in frames[..400].iter().enumerate() {
            learner.observe(frame, &mut ());
            if i % 50 == 0 {
                learner.theory(&mut ());
            }
        }
        let state = learner.save(&mut ()).unwrap();
        let (mut accepted, step) = (0, state.len() / 300);
        for (n, at) in (0..state.len()).step_by(step.max(1)).enumerate() {
            let mut damaged = state.clone();
            damaged[at] = [damaged[at] ^ 1, 0xff, 0x80, 0][n % 4];
            let mut learner = (kind.new)(&folder, 1).unwrap();
            if learner.restore(&damaged).is_ok() {
                accepted += 1;
                frames[400..410].iter().for_each(|frame| learner.observe(frame, &mut ()));
                if accepted % 64 == 0 {
                    learner.learned(&mut ());
                }
            }
            assert!((kind.new)(&folder, 1).unwrap().restore(&state[..at]).is_err(), "{} cut off at {at}", kind.name);
        }
        assert!(accepted > 0, "{}: damage to a count cannot be told", kind.name);
    }
}

#[test]
fn the_state_of_another_task_or_learner_is_refused() {
    let (lobby, listed, frames) = (TaskFolder::embedded(), TaskFolder::lobby_listed(), world(1, 12));
    let mut replay = (LEARNERS[0].new)(&lobby, 1).unwrap();
    frames.iter().for_each(|frame| replay.observe(frame, &mut ()));
    let state = replay.save(&mut ()).unwrap();
    assert!((LEARNERS[0].new)(&listed, 1).unwrap().restore(&state).is_err());
    assert!((LEARNERS[1].new)(&listed, 1).unwrap().restore(&state).is_err());
}

#[test]
fn a_recogniser_that_is_restored_goes_on_as_if_it_had_never_stopped() {
    let (folder, frames) = (TaskFolder::embedded(), world(3, 13));
    let source = folder.theory("true".as_ref()).unwrap();
    let (theory, problems) = oled::parse_source(&source);
    assert!(problems.is_empty());
    let run = |cut: &dyn Fn(usize) -> bool| {
        let (mut recogniser, mut closed) = (Recogniser::new(&folder.task, &theory).unwrap(), Vec::new());
        for (i, frame) in frames.iter().enumerate() {
            if cut(i) {
                let state = recogniser.save();
                recogniser = Recogniser::new(&folder.task, &theory).unwrap();
                recogniser.restore(&state).unwrap();
            }
            recogniser.observe(frame, &mut closed);
        }
        recogniser.finish(&mut closed);
        closed
    };
    let whole = run(&|_| false);
    assert!(!whole.is_empty());
    assert_eq!(whole, run(&|_| true));
    for at in (0..frames.len()).step_by(61) {
        assert_eq!(whole, run(&|i| i == at), "cut at {at}");
    }
    // Whatever the bytes are, nothing worse than an error comes of them.
    let mut recogniser = Recogniser::new(&folder.task, &theory).unwrap();
    frames[..200].iter().for_each(|frame| recogniser.observe(frame, &mut Vec::new()));
    let state = recogniser.save();
    for at in (0..state.len()).step_by((state.len() / 200).max(1)) {
        let mut damaged = state.clone();
        damaged[at] ^= 1 << (at % 8);
        let mut other = Recogniser::new(&folder.task, &theory).unwrap();
        if other.restore(&damaged).is_ok() {
            frames[200..203].iter().for_each(|frame| other.observe(frame, &mut Vec::new()));
        }
        assert!(other.restore(&state[..at]).is_err());
    }
}
