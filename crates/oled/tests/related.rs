//! Which instances are looked at: those whose arguments are related, by brute force over all combinations; and how many, where
//! there are many entities.

use std::collections::BTreeSet;

use oled::learn::Head;
use oled::testing::deterministic;
use oled::{FactReader, Frame, Learner, Replay, ReplaySettings, Source, Symbol, Task};
use proptest::collection::vec;
use proptest::prelude::*;

const INPUTS: &str = "
    input(happensAt(a(+e), +time)). input(link(+e, +e, +time)). input(tri(+e, +e, +e, +time)). input(at(+e, +z, +time)).
    modeb(happensAt(a(+e), +time)). modeb(not happensAt(a(+e), +time)). modeb(not link(+e, +e, +time)).";

/// Heads and conditions, with the arguments of the head that conditions can connect.
struct Kind {
    head: &'static str,
    modes: &'static str,
    width: usize,
    symmetric: bool,
    /// By `link`, by `tri`, and how many arguments these relate.
    linked: usize,
    tri: bool,
}

const KINDS: [Kind; 7] = [
    Kind { head: "f(+e)", modes: "modeb(link(+e, -e, +time)).", width: 1, symmetric: false, linked: 0, tri: false },
    Kind { head: "f(+e, +e)", modes: "", width: 2, symmetric: false, linked: 0, tri: false },
    Kind {
        head: "f(+e, +e)",
        modes: "modeb(link(+e, +e, +time)). modeb(link(+e, -e, +time)).",
        width: 2,
        symmetric: false,
        linked: 2,
        tri: false,
    },
    Kind {
        head: "f(+e, +e)",
        modes: "modeb(link(+e, +e, +time)). symmetric(f/2).",
        width: 2,
        symmetric: true,
        linked: 2,
        tri: false,
    },
    Kind { head: "f(+e, +e)", modes: "symmetric(f/2).", width: 2, symmetric: true, linked: 0, tri: false },
    Kind {
        head: "f(+e, +e, +e)",
        modes: "modeb(link(+e, +e, +time)). modeb(tri(+e, +e, +e, +time)).",
        width: 3,
        symmetric: false,
        linked: 3,
        tri: true,
    },
    // Nothing relates the place to anybody.
    Kind {
        head: "f(+e, +e, +z)",
        modes: "modeb(link(+e, +e, +time)).",
        width: 3,
        symmetric: false,
        linked: 2,
        tri: false,
    },
];

fn task(kind: &Kind) -> Task {
    let Kind { head, modes, .. } = kind;
    let heads = format!("example(holdsAt({head}, +time)). modeh(initiatedAt({head}, +time)).");
    let modes = Source::new("modes.lp", format!("{INPUTS}\n{heads}\n{modes}"));
    Task::parse(&modes, &Source::new("background.lp", "")).unwrap()
}

/// What is said at a time point: facts, and labels.
type Point = Vec<(u8, [u8; 3])>;

fn points() -> impl Strategy<Value = Vec<Vec<Point>>> {
    vec(vec(vec((0..6u8, [0..5u8, 0..5u8, 0..5u8]), 0..7), 1..8), 1..4)
}

/// The entities and places of a time point, and who is related to whom.
#[derive(Default)]
struct Said {
    entities: BTreeSet<String>,
    places: BTreeSet<String>,
    links: BTreeSet<[String; 2]>,
    tris: BTreeSet<[String; 3]>,
    labels: BTreeSet<Vec<String>>,
}

fn read(kind: &Kind, segment: &str, time: i64, point: &Point) -> (Frame, Said) {
    let mut frame = Frame::new(Symbol::new(segment), time);
    let (mut said, mut reader) = (Said::default(), FactReader::default());
    for (what, numbers) in point {
        let [x, y, z] = numbers.map(|n| format!("e{n}"));
        let place = format!("z{}", numbers[2] % 2);
        let mut see = |names: &[&String]| said.entities.extend(names.iter().map(|n| (*n).clone()));
        let text = match what {
            0 => {
                see(&[&x]);
                format!("happensAt(a({x}), {time})")
            }
            1 | 2 => {
                see(&[&x, &y]);
                said.links.insert([x.clone(), y.clone()]);
                format!("link({x}, {y}, {time})")
            }
            3 => {
                see(&[&x, &y, &z]);
                said.tris.insert([x.clone(), y.clone(), z.clone()]);
                format!("tri({x}, {y}, {z}, {time})")
            }
            4 => {
                see(&[&x]);
                said.places.insert(place.clone());
                format!("at({x}, {place}, {time})")
            }
            _ => {
                let last = if kind.head.ends_with("+z)") { place } else { z };
                let label: Vec<String> = [x, y, last].into_iter().take(kind.width).collect();
                let (name, text) = (["holdsAt", "unknown"][numbers[0] as usize % 2], label.join(", "));
                reader.read(&format!("{name}(f({text}), {time})"), &mut frame.annotation).unwrap();
                said.labels.insert(label);
                continue;
            }
        };
        reader.read(&text, &mut frame.narrative).unwrap();
    }
    (frame, said)
}

/// All combinations of what is observed, arguments of the same type being different ones.
fn combinations(kind: &Kind, said: &Said) -> Vec<Vec<String>> {
    let mut all: Vec<Vec<String>> = vec![Vec::new()];
    for v in 0..kind.width {
        let domain = if v == 2 && kind.head.ends_with("+z)") { &said.places } else { &said.entities };
        let longer = all.iter().flat_map(|t| domain.iter().filter(|e| !t.contains(e)).map(move |e| (t, e)));
        all = longer.map(|(tuple, e)| [tuple.as_slice(), std::slice::from_ref(e)].concat()).collect();
    }
    all.retain(|tuple| !kind.symmetric || tuple[0] < tuple[1]);
    all
}

/// Whether the arguments of an instance are related, as it is defined.
fn is_related(kind: &Kind, said: &Said, tuple: &[String]) -> bool {
    let turned = |label: &Vec<String>| kind.symmetric && label.iter().rev().eq(tuple);
    if kind.linked == 0 || said.labels.iter().any(|label| label == tuple || turned(label)) {
        return true;
    }
    let of = &tuple[..kind.linked];
    let linked = |a: &String, b: &String| {
        said.links.iter().any(|[x, y]| (x, y) == (a, b) || (y, x) == (a, b))
            || kind.tri && said.tris.iter().any(|tri| of.iter().all(|e| tri.contains(e)))
    };
    let mut reached = vec![0];
    while let Some(next) =
        (0..of.len()).find(|n| !reached.contains(n) && reached.iter().any(|r| linked(&of[*r], &of[*n])))
    {
        reached.push(next);
    }
    reached.len() == of.len()
}

proptest! {
    #![proptest_config(deterministic(200))]

    #[test]
    fn instances_are_those_that_were_related_once_and_are_observed(segments in points()) {
        for kind in &KINDS {
            let (_, propositionaliser) = Head::of_task(&task(kind)).unwrap();
            let mut lookup = propositionaliser.lookup();
            for (s, points) in segments.iter().enumerate() {
                let mut known: BTreeSet<Vec<String>> = BTreeSet::new();
                for (time, point) in points.iter().enumerate() {
                    let (frame, said) = read(kind, &format!("s{s}"), time as i64, point);
                    let all = combinations(kind, &said);
                    known.retain(|tuple| all.contains(tuple));
                    known.extend(all.into_iter().filter(|tuple| is_related(kind, &said, tuple)));
                    lookup.observe(&frame);
                    let names = |k: usize| lookup.values(0, k).iter().map(ToString::to_string).collect::<Vec<String>>();
                    let found: Vec<Vec<String>> = (0..lookup.instances(0)).map(names).collect();
                    let once: BTreeSet<Vec<String>> = found.iter().cloned().collect();
                    prop_assert_eq!(found.len(), once.len(), "{}: each once", kind.head);
                    prop_assert_eq!(&once, &known, "{} {}, time {} of {}", kind.head, kind.modes, time, s);
                }
            }
        }
    }
}

/// Entities that are each near one other for a while.
fn crowd(size: usize) -> Vec<Frame> {
    let mut reader = FactReader::default();
    let frame = |time: i64| {
        let mut frame = Frame::new(Symbol::new("s"), time);
        for e in 0..size {
            reader.read(&format!("happensAt(a(e{e}), {time})"), &mut frame.narrative).unwrap();
            if e % 2 == 1 && time > 1 {
                reader.read(&format!("link(e{}, e{e}, {time})", e - 1), &mut frame.narrative).unwrap();
            }
        }
        frame
    };
    (0..6).map(frame).collect()
}

#[test]
fn the_work_grows_with_what_is_related_not_with_all_combinations() {
    // Conditions are true in both orders.
    for kind in [&KINDS[2], &KINDS[3]] {
        let listed = task(kind);
        let count = |size: usize| {
            let (_, propositionaliser) = Head::of_task(&listed).unwrap();
            let mut lookup = propositionaliser.lookup();
            let looked_at = |frame: &Frame| {
                lookup.observe(frame);
                lookup.instances(0)
            };
            crowd(size).iter().map(looked_at).sum::<usize>()
        };
        let pairs = if kind.symmetric { 1 } else { 2 };
        assert_eq!(count(200), 4 * 100 * pairs);
        assert_eq!(count(800), 4 * count(200));
        assert_eq!(count(10_000), 50 * count(200));
    }
    let runs = |size: usize| {
        let mut learner = Replay::new(&task(&KINDS[3]), ReplaySettings::default()).unwrap();
        crowd(size).iter().for_each(|frame| learner.observe(frame, &mut ()));
        learner.record().runs()
    };
    assert!(runs(200) > 0 && 2 * runs(800) <= 9 * runs(200), "{} {}", runs(200), runs(800));
}
