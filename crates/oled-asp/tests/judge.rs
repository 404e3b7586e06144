//! The library against clingo: on random tasks, on every task folder, and on constructs that neither of them has.
#![cfg(feature = "clingo")]

mod random;

use oled::{FactReader, Frame, Source, Symbol, Task, parse_source, parse_theory};
use oled_asp::judge::{Verdict, judge};
use oled_asp::solver::Limits;
use oled_data::task_folder::TaskFolder;
use oled_data::world::{World, WorldOptions};

#[test]
fn random_tasks_mean_the_same_to_clingo() {
    let total = random::judge_cases(60, |background, theory, verdict| panic!("{background}\n{theory}\n{verdict}"));
    assert!(total.interpretations > 1000 && total.clauses > 100, "{total}");
    assert!(total.agreed.iter().all(|n| *n > 100), "{total}");
}

#[test]
fn every_task_means_the_same_to_clingo() {
    let options = WorldOptions { frames: 60, segments: 2, ..WorldOptions::default() };
    let frames: Vec<Frame> = World::new(options).collect();
    for name in ["lobby", "lobby-listed", "caviar", "caviar-listed"] {
        let folder = TaskFolder::named(name).unwrap();
        for source in folder.theories().unwrap() {
            let (theory, _) = parse_source(&source);
            let verdict = judge(&folder.task, &theory, &frames, &Limits::default()).unwrap();
            assert!(verdict.differences.is_empty(), "{}\n{verdict}", source.name);
            assert!(
                verdict.interpretations == 120 && verdict.agreed[..2].iter().all(|n| *n > 0),
                "{}\n{verdict}",
                source.name
            );
        }
    }
}

/// A stream of facts, a segment for each `segment: facts` line, a frame for each time in it.
fn stream(text: &str) -> Vec<Frame> {
    let mut frames: Vec<Frame> = Vec::new();
    for line in text.lines().map(str::trim).filter(|l| !l.is_empty()) {
        let (segment, facts) = line.split_once(": ").unwrap();
        for fact in facts.split("; ") {
            let mut frame = Frame::new(Symbol::new(segment), 0);
            frame.time = FactReader::default().read(fact, &mut frame.narrative).unwrap();
            match frames.last_mut().filter(|f| (f.segment, f.time) == (frame.segment, frame.time)) {
                Some(last) => {
                    FactReader::default().read(fact, &mut last.narrative).unwrap();
                }
                None => frames.push(frame),
            }
        }
    }
    frames
}

fn judged(modes: &str, background: &str, theory: &str, text: &str) -> Verdict {
    let task = Task::parse(&Source::new("modes.lp", modes), &Source::new("background.lp", background));
    let theory = parse_theory("theory.lp", theory).unwrap();
    judge(&task.unwrap(), &theory, &stream(text), &Limits::default()).unwrap()
}

const PLANT: &str = "input(happensAt(starts(+pump), +time)). input(happensAt(stops(+pump), +time)).
    input(happensAt(alarm, +time)). input(holdsAt(valve(+tank)=+position, +time)). input(level(+tank, +litre, +time)).
    type(litre, real). horizon(60). example(holdsAt(running(+pump), +time)). example(short(+tank, +time)).
    example(holdsAt(even(+tank, +tank), +time)). symmetric(even/2).
    modeb(low(+tank, #real, +time)). comparison(low(+tank, #real, +time), 2, larger).";

#[test]
fn names_reals_values_and_open_thresholds_mean_the_same() {
    let background = "low(K, L, T) :- level(K, V, T), V < L.
        feeds(p1, 'Tank 1'). feeds('p 2', k2). half(2.5). half(1e10).
        ratio(K, J, R, T) :- level(K, V, T), level(J, W, T), R = V / W.
        twice(K, 2 * V, T) :- level(K, V, T). odd(X, T) :- happensAt(alarm, T), half(X), T > X.
        lowish(K, T) :- low(K, 30, T). was_low(K, T) :- since(lowish(K, T), D), D <= 40.";
    let theory =
        "initiatedAt(running(P), T) :- happensAt(starts(P), T). terminatedAt(running(P), T) :- happensAt(alarm, T).
        initiatedAt(emergency, T) :- happensAt(alarm, T). initiatedAt(calm, T) :- not happensAt(alarm, T).
        terminatedAt(emergency, T) :- holdsAt(valve(_)=shut, T).
        initiatedAt(state(P)=on, T) :- happensAt(starts(P), T). initiatedAt(state(P)=off, T) :- happensAt(stops(P), T).
        terminatedAt(state(P)=V, T) :- holdsAt(state(P)=V, T), happensAt(alarm, T).
        short(K, T) :- low(K, 22.5, T). short(K, T) :- level(K, V, T), not low(K, V + 1, T).
        holdsAt(even(X, Y), T) :- level(X, V, T), level(Y, V, T), not low(X, 5, T).
        holdsAt(fed(K), T) :- holdsAt(state(P)=on, T), feeds(P, K).
        initially(closed(K)) :- holdsAt(valve(K)=shut, T), not was_low(K, T).
        terminatedAt(closed(K), T) :- holdsAt(valve(K)=open, T), not ago(holdsAt(closed(K), T), 5).
        terminatedAt(running(P), T) :- lasting(holdsAt(running(P), T), D), D >= 30.";
    let text = "a_b: level('Tank 1', 22.25, 1); holdsAt(valve('Tank 1')=shut, 1); happensAt(starts(p1), 1); level(k2, 22.25, 1)
        a_b: level('Tank 1', 7, 8); happensAt(starts('p 2'), 8); happensAt(starts(p1), 8); level(k2, 7.0, 8)
        a_b: level('Tank 1', 0, 20); happensAt(starts(p1), 20); happensAt(alarm, 20); level(k2, 30.5, 20)
        a_b: happensAt(stops(p1), 21); happensAt(starts('p 2'), 21); holdsAt(valve(k2)=open, 21); level(k2, 1e12, 21)
        other: holdsAt(valve(k2)=shut, 3); level(k2, 29.9, 3); happensAt(starts(p1), 3)
        other: holdsAt(valve(k2)=open, 4); level(k2, 31, 4); happensAt(starts(p1), 4); happensAt(alarm, 4)
        other: holdsAt(valve(k2)=open, 50); level(k2, 31, 50); happensAt(starts(p1), 50)
        a_b: holdsAt(valve(k2)=open, 1); level(k2, 31, 1); happensAt(starts(p1), 1)
        a_b: holdsAt(valve(k2)=open, 2); level(k2, 22, 2); happensAt(starts(p1), 2)";
    let verdict = judged(PLANT, background, theory, text);
    assert!(verdict.differences.is_empty(), "{verdict}");
    assert!(verdict.interpretations == 9 && verdict.agreed.iter().all(|n| *n > 20), "{verdict}");
}

#[test]
fn what_holds_while_conditions_are_met_means_the_same() {
    let modes =
        format!("{PLANT} modeh(initiatedAt(running(+pump), +time)). modeh(terminatedAt(running(+pump), +time)).");
    let theory = "holdsAt(running(P), T) :- happensAt(starts(P), T).
        holdsAt(running(P), T) :- happensAt(alarm, T).
        holdsAt(even(K, L), T) :- level(K, V, T), level(L, V, T).
        holdsAt(state(P)=on, T) :- holdsAt(running(P), T). holdsAt(state(P)=off, T) :- happensAt(stops(P), T).
        holdsAt(quiet, T) :- not holdsAt(state(_)=on, T).
        initiatedAt(used(P), T) :- holdsAt(running(P), T). terminatedAt(used(P), T) :- happensAt(stops(P), T), holdsAt(even(_, _), T).
        short(K, T) :- level(K, V, T), V < 2, holdsAt(quiet, T).";
    let stream = "a: happensAt(starts(p1), 1); happensAt(stops(p2), 1); level(k1, 1, 1); happensAt(stops(p1), 2); level(k1, 3, 2); \
        level(k2, 3, 2); happensAt(alarm, 3); happensAt(stops(p1), 3); happensAt(stops(p2), 3); level(k2, 1, 4)
        b: happensAt(starts(p2), 2); happensAt(starts(p2), 5); happensAt(stops(p1), 5)";
    let verdict = judged(&modes, "low(K, L, T) :- level(K, V, T), V < L.", theory, stream);
    assert!(verdict.differences.is_empty(), "{verdict}");
    assert!(verdict.agreed.iter().all(|n| *n >= 10), "{verdict}");
}

#[test]
fn candidates_mean_the_same() {
    let modes = "input(position(+ship, +km, +time)). input(happensAt(stops(+ship), +time)).
        input(happensAt(sails(+ship), +time)). type(km, real). example(holdsAt(meet(+ship, +ship), +time)). symmetric(meet/2).
        example(holdsAt(follow(+ship, +ship), +time)). example(alone(+ship, +time)). example(holdsAt(beside(+ship, +ship), +time)).";
    let background = "near(V, W, T) :- position(V, A, T), position(W, B, T), V != W, abs(A - B) <= 2.
        candidates(meet(V, W), T) :- near(V, W, T), V != s1. candidates(follow(V, W), T) :- near(V, W, T).
        candidates(alone(V), T) :- position(V, A, T), A > 0. candidates(beside(V, W), T) :- near(V, W, T), not happensAt(sails(W), T).
        moored(V, T) :- happensAt(stops(V), T). initially(follow(V, W)) :- position(V, A, T), position(W, B, T), A < B.";
    let theory = "initiatedAt(meet(V, W), T) :- moored(V, T). terminatedAt(meet(V, W), T) :- happensAt(sails(V), T).
        initiatedAt(follow(V, W), T) :- happensAt(sails(V), T), happensAt(sails(W), T).
        terminatedAt(follow(V, W), T) :- moored(W, T). holdsAt(beside(V, W), T) :- position(V, A, T), position(W, A, T).
        holdsAt(beside(V, W), T) :- holdsAt(meet(V, W), T). alone(V, T) :- not holdsAt(meet(V, s2), T).
        initiatedAt(busy(V), T) :- initiatedAt(meet(V, W), T), not terminatedAt(follow(V, W), T).";
    let text = "a: position(s1, 0, 1); position(s2, 1, 1); position(s3, 7, 1); happensAt(stops(s1), 1); happensAt(sails(s2), 1)
        a: position(s1, 1, 2); position(s2, 1, 2); position(s3, 3, 2); happensAt(stops(s3), 2); happensAt(sails(s1), 2)
        a: position(s1, 3, 3); position(s2, 1, 3); position(s3, 3, 3); happensAt(sails(s3), 3); happensAt(sails(s1), 3)
        a: position(s1, 9, 4); position(s2, 1, 4); position(s3, 3, 4); happensAt(stops(s2), 4)
        a: position(s1, 3, 5); position(s2, 1, 5); position(s3, 3, 5); happensAt(stops(s1), 5)
        a: position(s1, 3, 6); position(s2, 1, 6); position(s3, 3, 6)
        b: position(s1, -1, 1); position(s2, 1, 1); position(s3, 7, 1); happensAt(stops(s2), 1)
        b: position(s1, -1, 2); position(s2, 1, 2); position(s3, -2, 2); happensAt(sails(s2), 2); happensAt(sails(s1), 2)";
    let verdict = judged(modes, background, theory, text);
    assert!(verdict.differences.is_empty(), "{verdict}");
    assert!(verdict.interpretations == 8 && verdict.agreed.iter().all(|n| *n > 10), "{verdict}");
}

#[test]
fn times_that_are_too_large_for_clingo_mean_the_same() {
    let theory = "terminatedAt(running(P), T) :- lasting(holdsAt(running(P), T), D), D >= 30.
        initiatedAt(running(P), T) :- happensAt(starts(P), T), T > 1700000000005.
        short(K, T) :- ago(level(K, V, T), 10), V > 3. short(K, T) :- since(level(K, 4, T), D), D >= 20.";
    let facts = (0..8).map(|i| {
        let t = 1_700_000_000_000_i64 + 9 * i;
        format!("s: level(k1, {}, {t}); happensAt(starts(p1), {t})\n", i % 5)
    });
    let verdict = judged(PLANT, "low(K, L, T) :- level(K, V, T), V < L.", theory, &facts.collect::<String>());
    assert!(verdict.differences.is_empty() && verdict.agreed[2] > 3, "{verdict}");
}

#[test]
fn levels_that_were_never_left_mean_the_same() {
    let modes = format!(
        "{PLANT} modeb(full(+tank, #real, #int, +time)). comparison(full(+tank, #real, #int, +time), 2, smaller).
         comparison(full(+tank, #real, #int, +time), 3, smaller)."
    );
    let background = "low(K, L, T) :- level(K, V, T), V < L.
        full(K, L, D, T) :- never_below(V, level(K, V, T), D, N), N >= L.";
    let theory = "short(K, T) :- full(K, 3.5, 20, T). short(K, T) :- level(K, _, T), not full(K, 2, 9, T).
        initiatedAt(running(P), T) :- happensAt(starts(P), T), never_above(V, level(k1, V, T), 18, N), N < 6.
        terminatedAt(running(P), T) :- full(_, 5, 30, T).";
    let facts = (0..24_i64).map(|i| {
        let t = 9 * i + (i % 3) + if i > 15 { 70 } else { 0 };
        let second = if i % 4 == 0 { String::new() } else { format!("; level(k1, {}, {t})", (i * 5) % 7) };
        format!("s: level(k2, {}.5, {t}); happensAt(starts(p1), {t}){second}\n", (i * i) % 8)
    });
    let verdict = judged(&modes, background, theory, &facts.collect::<String>());
    assert!(verdict.differences.is_empty(), "{verdict}");
    assert!(verdict.agreed.iter().all(|n| *n > 10), "{verdict}");
}

#[test]
fn clocks_that_change_mean_the_same() {
    let zone = oled::lang::Zone::new("Nowhere", 3600, &[(1_000_000, 7200), (1_400_000, 3600), (1_800_000, 5400)]);
    let background = Source::new("background.lp", "low(K, L, T) :- level(K, V, T), V < L.");
    let mut task = Task::parse(&Source::new("modes.lp", PLANT), &background).unwrap();
    task.bias.clock = oled::lang::Clock::in_zone("s".parse().unwrap(), zone);
    let theory = "short(K, T) :- level(K, _, T), time_of_day(T) >= 43200, weekday(T) != 2.
        initiatedAt(running(P), T) :- happensAt(starts(P), T), time_of_day(T) < 21600.
        terminatedAt(running(P), T) :- happensAt(starts(P), T), weekday(T) = 5.";
    let theory = parse_theory("theory.lp", theory).unwrap();
    let facts = (0..60_i64).map(|i| {
        let t = 900_000 + 17_777 * i;
        format!("s: level(k1, {}, {t}); happensAt(starts(p1), {t})\n", i % 5)
    });
    let verdict = judge(&task, &theory, &stream(&facts.collect::<String>()), &Limits::default()).unwrap();
    assert!(verdict.differences.is_empty(), "{verdict}");
    assert!(verdict.agreed.iter().all(|n| *n > 10), "{verdict}");
}
